#include "manifests/base/fs.h"
#include "manifests/base/mem.h"
#include "mirror/store_private.h"
#include "verify/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* Written pages are pushed to the disk in steps of this size while the next ones are being made, so
 * that the flush at the end finds little left to do. */
enum { WRITEBACK_STEP = 8 << 20 };

struct store_object {
	struct store *store;
	int fd;
	uint64_t size, written, pushed;
	bool is_damaged_twin; /* what is there under this digest has other bytes */
	char temporary[48];   /* name in staging/ where the file system has no O_TMPFILE; else "" */
};

struct object_name {
	char folder[3], path[3 + DIGEST_HEX + 1];
};

static struct object_name object_name(const struct digest *d)
{
	struct object_name n;

	digest_hex(d, n.path + 3);
	memcpy(n.folder, n.path + 3, 2);
	n.folder[2] = '\0';
	memcpy(n.path, n.folder, 2);
	n.path[2] = '/';
	return n;
}

/* ---- reading ---- */

/* Two steps, because O_NOFOLLOW guards only the last part of a path. */
static int open_object(struct store *s, const struct digest *d)
{
	struct object_name n = object_name(d);
	CLEANUP(fd)
	int folder = openat(s->objects_fd, n.folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return folder < 0
		       ? -1
		       : openat(folder, n.path + 3, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
}

int store_object_open(
	struct store *s, const struct digest *d, int *fd, uint64_t *size, struct err *e)
{
	struct object_name n = object_name(d);
	struct stat st;
	int opened = open_object(s, d);

	if (opened < 0 && errno == ENOENT) {
		return err_set(e, RC_NOT_FOUND, "object %s: not in the store", n.path + 3);
	}
	if (opened < 0) {
		return err_sys(e, "object %s: cannot open", n.path + 3);
	}
	if (fstat(opened, &st) || !S_ISREG(st.st_mode)) {
		close(opened);
		return err_set(e, RC_STORE, "object %s: not a regular file", n.path + 3);
	}
	*fd = opened;
	*size = (uint64_t)st.st_size;
	return 0;
}

bool store_object_exists(struct store *s, const struct digest *d, uint64_t size)
{
	struct object_name n = object_name(d);
	struct stat st;
	bool exists = fstatat(s->objects_fd, n.path, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		      S_ISREG(st.st_mode) && (uint64_t)st.st_size == size;

	/* A killed writer may have linked it without flushing the folder: who relies on it flushes.
	 */
	if (exists && s->mode == STORE_WRITE) {
		s->touched[d->b[0]] = true;
	}
	return exists;
}

int store_object_read(
	struct store *s, const struct digest *d, uint64_t max, struct buf *out, struct err *e)
{
	struct object_name n = object_name(d);
	CLEANUP_BUF struct buf bytes = BUF_INIT;
	CLEANUP(fd) int fd = -1;
	struct digest found;
	uint64_t size;
	int r = store_object_open(s, d, &fd, &size, e);

	if (!r) {
		r = fs_read_fd(fd, n.path + 3, max, &bytes, e);
	}
	if (r) {
		return r;
	}
	hash_bytes(buf_str(&bytes), &found);
	if (!digest_eq(&found, d)) {
		err_set(e, RC_HASH, "object %s: its bytes have changed", n.path + 3);
		return err_hint(e, "import the bundle that brought it again: that repairs it");
	}
	buf_addstr(out, buf_str(&bytes));
	return 0;
}

/* ---- writing ---- */

int store_check_space(struct store *s, uint64_t bytes, struct err *e)
{
	struct statvfs fs;

	if (fstatvfs(s->dir_fd, &fs)) {
		return err_sys(e, "store %s", s->dir);
	}
	uint64_t free_bytes = (uint64_t)fs.f_bavail * fs.f_frsize;
	uint64_t reserve = (uint64_t)fs.f_blocks * fs.f_frsize / 100 * 3;
	if (bytes == 0 || (free_bytes >= reserve && free_bytes - reserve >= bytes)) {
		return 0;
	}
	err_set(e, RC_NO_SPACE,
		"store %s: %llu bytes are to be written and %llu are free, of which %llu (3 %%) "
		"stay free",
		s->dir, (unsigned long long)bytes, (unsigned long long)free_bytes,
		(unsigned long long)reserve);
	return err_hint(e, "make room there, or name another place with --store");
}

/* For file systems without nameless files: a name in staging/ that store_open clears. */
static int open_named(struct store_object *o)
{
	static unsigned long serial;

	if (mkdirat(o->store->dir_fd, STORE_STAGING, 0700) && errno != EEXIST) {
		return -1;
	}
	snprintf(o->temporary, sizeof(o->temporary), STORE_STAGING "/%ld.%lu", (long)getpid(),
		serial++);
	return openat(o->store->dir_fd, o->temporary,
		O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

int store_object_begin(struct store *s, uint64_t size, struct store_object **out, struct err *e)
{
	struct store_object *o = mem_alloc(sizeof(*o));

	o->store = s;
	o->size = size;
	o->fd = openat(s->objects_fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (o->fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
		o->fd = open_named(o);
	}
	if (o->fd < 0) {
		int r = err_sys(e, "store %s: cannot create an object", s->dir);

		free(o);
		return r;
	}
	*out = o;
	return 0;
}

int store_object_add(struct store_object *o, const void *bytes, size_t n, struct err *e)
{
	if (n > o->size - o->written) {
		return err_set(e, RC_HASH, "more bytes than the %llu that were announced",
			(unsigned long long)o->size);
	}
	int r = fs_write_all(o->fd, bytes, n, o->store->dir, e);
	if (r) {
		return r;
	}
	o->written += n;
	if (o->written - o->pushed >= WRITEBACK_STEP) {
		sync_file_range(o->fd, (off64_t)o->pushed, (off64_t)(o->written - o->pushed),
			SYNC_FILE_RANGE_WRITE);
		o->pushed = o->written;
	}
	return 0;
}

int store_object_fd(const struct store_object *o)
{
	return o->fd;
}

void store_object_replace(struct store_object *o)
{
	o->is_damaged_twin = true;
}

void store_object_abort(struct store_object *o)
{
	if (!o) {
		return;
	}
	if (o->temporary[0]) {
		unlinkat(o->store->dir_fd, o->temporary, 0);
	}
	close(o->fd);
	free(o);
}

static int name_object(struct store_object *o, const char *path)
{
	int objects = o->store->objects_fd;
	char from[64];

	if (o->temporary[0]) {
		return linkat(o->store->dir_fd, o->temporary, objects, path, 0);
	}
	snprintf(from, sizeof(from), "/proc/self/fd/%d", o->fd);
	return linkat(AT_FDCWD, from, objects, path, AT_SYMLINK_FOLLOW);
}

/* Beside and renamed: a reader finds the damaged object or the good one, never none. */
static int replace_object(struct store_object *o, const char *path)
{
	char beside[4 + DIGEST_HEX + 1];

	snprintf(beside, sizeof(beside), "%.3s.%.63s", path, path + 3);
	unlinkat(o->store->objects_fd, beside, 0);
	if (name_object(o, beside)) {
		return -1;
	}
	return renameat(o->store->objects_fd, beside, o->store->objects_fd, path);
}

static int link_object(struct store_object *o, const struct digest *d, struct err *e)
{
	struct object_name n = object_name(d);
	bool made = mkdirat(o->store->objects_fd, n.folder, 0755) == 0;
	int failed = !made && errno != EEXIST;

	o->store->made_folder[d->b[0]] |= made;
	if (!failed) {
		failed = name_object(o, n.path);
	}
	if (!failed) {
		vec_push(&o->store->fresh, *d);
	}
	if (failed && errno == EEXIST) {
		failed = o->is_damaged_twin || !store_object_exists(o->store, d, o->size)
				 ? replace_object(o, n.path)
				 : 0;
	}
	if (failed) {
		return err_sys(e, "object %s: cannot name it", n.path + 3);
	}
	o->store->touched[d->b[0]] = true;
	return 0;
}

int store_object_commit(struct store_object *o, const struct digest *computed, struct err *e)
{
	int r = 0;

	if (o->written != o->size) {
		r = err_set(e, RC_HASH, "%llu bytes instead of %llu",
			(unsigned long long)o->written, (unsigned long long)o->size);
	} else if (fchmod(o->fd, 0444)) {
		r = err_sys(e, "store %s: cannot set an object's mode", o->store->dir);
	} else if (fsync(o->fd)) { /* never tried twice: Linux reports a lost page once */
		r = err_sys(e, "store %s: cannot flush an object", o->store->dir);
	}
	if (!r) {
		r = link_object(o, computed, e);
	}
	store_object_abort(o);
	return r;
}

static int write_text(
	struct store *s, struct str text, const struct digest *d, bool replace, struct err *e)
{
	struct store_object *o;
	int r = store_object_begin(s, text.n, &o, e);

	if (r) {
		return r;
	}
	if (replace) {
		store_object_replace(o);
	}
	r = store_object_add(o, text.p, text.n, e);
	if (r) {
		store_object_abort(o);
		return r;
	}
	return store_object_commit(o, d, e);
}

int store_put_text(struct store *s, struct str text, struct digest *out, struct err *e)
{
	CLEANUP_BUF struct buf there = BUF_INIT;
	struct err ignored = ERR_INIT;
	struct digest d;
	int r = 0;

	hash_bytes(text, &d);
	bool exists = store_object_exists(s, &d, text.n);
	if (!exists || store_object_read(s, &d, text.n, &there, &ignored)) {
		r = write_text(s, text, &d, exists, e);
	}
	if (!r) {
		*out = d;
	}
	return r;
}

static int sync_folder(struct store *s, const char *name, struct err *e)
{
	CLEANUP(fd) int fd = openat(s->objects_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || fsync(fd)) {
		return err_sys(e, "store %s: cannot flush objects/%s", s->dir, name);
	}
	return 0;
}

int store_sync_objects(struct store *s, struct err *e)
{
	bool any = false;
	int r = 0;

	for (unsigned i = 0; !r && i < 256; i++) {
		char name[3];

		if (!s->touched[i]) {
			continue;
		}
		snprintf(name, sizeof(name), "%02x", i);
		r = sync_folder(s, name, e);
		s->touched[i] = r != 0;
		any = true;
	}
	return r || !any ? r : sync_folder(s, ".", e);
}

void store_keep_objects(struct store *s)
{
	s->fresh.n = 0;
	memset(s->made_folder, 0, sizeof(s->made_folder));
}

void store_drop_objects(struct store *s)
{
	vec_each(struct digest, d, &s->fresh) {
		struct object_name n = object_name(d);

		unlinkat(s->objects_fd, n.path, 0);
	}
	for (unsigned i = 0; i < 256; i++) {
		char name[3];

		snprintf(name, sizeof(name), "%02x", i);
		if (s->made_folder[i]) {
			unlinkat(s->objects_fd, name, AT_REMOVEDIR); /* stays where it is in use */
		}
	}
	store_keep_objects(s);
	vec_release(&s->fresh);
}

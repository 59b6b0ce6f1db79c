#include "manifests/base/fs.h"
#include "manifests/base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int fs_read_fd(int fd, const char *name, uint64_t max, struct buf *out, struct err *e)
{
	uint64_t total = 0;

	for (;;) {
		char *room = buf_room(out, 64 * 1024);
		ssize_t n = read(fd, room, 64 * 1024);

		if (n < 0 && errno == EINTR) {
			continue;
		}
		if (n < 0) {
			return err_sys(e, "%s: cannot read", name);
		}
		if (n == 0) {
			room[0] = '\0';
			return 0;
		}
		total += (uint64_t)n;
		if (total > max) {
			return err_set(e, RC_LIMIT, "%s: larger than the maximum of %llu bytes", name,
				(unsigned long long)max);
		}
		out->n += (size_t)n;
	}
}

int fs_read(const char *path, uint64_t max, struct buf *out, struct err *e)
{
	CLEANUP(fd) int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR)) {
		return err_set(e, RC_NOT_FOUND, "%s: no such file", path);
	}
	if (fd < 0) {
		return err_sys(e, "%s: cannot open", path);
	}
	return fs_read_fd(fd, path, max, out, e);
}

int fs_write_all(int fd, const void *bytes, size_t n, const char *name, struct err *e)
{
	const char *p = bytes;

	while (n) {
		ssize_t m = write(fd, p, n);

		if (m < 0 && errno == EINTR) {
			continue;
		}
		if (m < 0) {
			return err_sys(e, "%s: cannot write", name);
		}
		p += m;
		n -= (size_t)m;
	}
	return 0;
}

int fs_write(const char *path, struct str bytes, mode_t mode, struct err *e)
{
	struct fs_new f = FS_NEW_INIT;
	int r = fs_new_open(&f, path, mode, e);

	if (!r) {
		r = fs_write_all(f.fd, bytes.p, bytes.n, path, e);
	}
	if (!r) {
		r = fs_new_commit(&f, e);
	}
	fs_new_release(&f);
	return r;
}

int fs_mkdirs(const char *path, mode_t mode, struct err *e)
{
	CLEANUP(free) char *copy = mem_dup(path);

	for (char *p = copy + 1; *copy; p++) {
		bool last = *p == '\0';

		if (!last && *p != '/') {
			continue;
		}
		*p = '\0';
		if (mkdir(copy, mode) && errno != EEXIST) {
			return err_sys(e, "%s: cannot make the folder", copy);
		}
		if (last) {
			break;
		}
		*p = '/';
	}
	struct stat st;
	if (stat(path, &st) || !S_ISDIR(st.st_mode)) {
		return err_set(e, RC_IO, "%s: not a folder", path);
	}
	return 0;
}

int fs_sync_dir(const char *path, struct err *e)
{
	CLEANUP(fd) int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || (fsync(fd) && errno != EINVAL)) {
		return err_sys(e, "%s: cannot flush the folder", path);
	}
	return 0;
}

bool fs_exists(const char *path)
{
	return access(path, F_OK) == 0;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

int fs_remove_tree(const char *path, struct err *e)
{
	if (nftw(path, remove_one, 32, FTW_DEPTH | FTW_PHYS) && errno != ENOENT) {
		return err_sys(e, "%s: cannot remove", path);
	}
	return 0;
}

const char *fs_dirname(struct arena *a, const char *path)
{
	struct str s = str_of(path);
	size_t at = str_rfind(s, '/');

	if (at == s.n) {
		return ".";
	}
	return at == 0 ? "/" : arena_dup(a, str_first(s, at));
}

const char *fs_basename(const char *path)
{
	const char *at = strrchr(path, '/');

	return at ? at + 1 : path;
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int fs_list(const char *path, struct arena *a, char ***names, size_t *count, struct err *e)
{
	CLEANUP(dir) DIR *dir = opendir(path);
	size_t n = 0, cap = 16;

	if (!dir && errno == ENOENT) {
		return err_set(e, RC_NOT_FOUND, "%s: no such folder", path);
	}
	if (!dir) {
		return err_sys(e, "%s: cannot open the folder", path);
	}
	char **list = arena_array(a, cap, sizeof(*list));
	for (struct dirent *d; (d = readdir(dir));) {
		if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0) {
			continue;
		}
		if (n == cap) {
			char **more = arena_array(a, cap * 2, sizeof(*more));

			memcpy(more, list, cap * sizeof(*list));
			list = more;
			cap *= 2;
		}
		list[n++] = arena_dup(a, str_of(d->d_name));
	}
	qsort(list, n, sizeof(*list), by_bytes);
	*names = list;
	*count = n;
	return 0;
}

int fs_new_open(struct fs_new *f, const char *path, mode_t mode, struct err *e)
{
	struct arena a = ARENA_INIT;
	const char *dir = fs_dirname(&a, path);
	int r = 0;

	f->path = mem_dup(path);
	f->temporary = NULL;
	f->fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
	if (f->fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
		f->temporary = mem_dup(arena_printf(&a, "%s/.%s.%ld", dir, fs_basename(path),
			(long)getpid()));
		f->fd = open(f->temporary, O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW | O_CLOEXEC, mode);
	}
	if (f->fd < 0 && errno == ENOENT && !fs_exists(dir)) {
		r = err_set(e, RC_NOT_FOUND, "%s: no such folder", dir);
	} else if (f->fd < 0) {
		r = err_sys(e, "%s: cannot create a file in the folder", dir);
	} else if (fchmod(f->fd, mode)) { /* the umask has no say in what we write */
		r = err_sys(e, "%s: cannot set its mode", path);
	}
	arena_release(&a);
	return r;
}

/* Gives the nameless file a name; false with errno where there is one already. */
static bool link_as(const struct fs_new *f, const char *name)
{
	char from[64];

	snprintf(from, sizeof(from), "/proc/self/fd/%d", f->fd);
	return linkat(AT_FDCWD, from, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
}

/* linkat cannot replace, rename can: over an older file the way leads through a second name. A kill just
 * between the two leaves that name, and the next commit of the same file takes it away. */
static int replace(struct fs_new *f, struct arena *a, struct err *e)
{
	const char *beside = f->temporary;

	for (int tries = 0; tries < 3; tries++) {
		if (!f->temporary) {
			beside = arena_printf(a, "%s/.%s.new", fs_dirname(a, f->path), fs_basename(f->path));
			unlink(beside);
			if (!link_as(f, beside)) {
				continue; /* another process replaces the same file */
			}
		}
		if (rename(beside, f->path) == 0) {
			free(f->temporary);
			f->temporary = NULL;
			return 0;
		}
	}
	return err_sys(e, "%s: cannot rename into place", f->path);
}

static int commit(struct fs_new *f, bool keep, struct err *e)
{
	struct arena a = ARENA_INIT;
	int r = fsync(f->fd) ? err_sys(e, "%s: cannot flush to disk", f->path) : 0;

	if (!r && keep) {
		bool named = f->temporary ? link(f->temporary, f->path) == 0 : link_as(f, f->path);

		r = named || errno == EEXIST ? 0 : err_sys(e, "%s: cannot name the new file", f->path);
	} else if (!r && (f->temporary || !link_as(f, f->path))) {
		r = replace(f, &a, e);
	}
	if (!r) {
		r = fs_sync_dir(fs_dirname(&a, f->path), e);
	}
	arena_release(&a);
	return r;
}

int fs_new_commit(struct fs_new *f, struct err *e)
{
	return commit(f, false, e);
}

int fs_new_commit_keep(struct fs_new *f, struct err *e)
{
	return commit(f, true, e);
}

void fs_new_release(struct fs_new *f)
{
	if (f->temporary) {
		unlink(f->temporary);
	}
	if (f->fd >= 0) {
		close(f->fd);
	}
	free(f->path);
	free(f->temporary);
	*f = (struct fs_new)FS_NEW_INIT;
}

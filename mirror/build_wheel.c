#include "mirror/build_wheel.h"

#include "manifests/base/mem.h"
#include "manifests/tag.h"
#include "mirror/glibc_floor.h"
#include "verify/device_code.h"
#include "verify/hash.h"
#include "verify/wheel_in.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* The name of the only entry. */
static int find_only(
	struct arena *a, const char *folder, int *dir_fd, struct str *name, struct err *e)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int own = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
	CLEANUP(dir) DIR *dir = own < 0 ? NULL : fdopendir(own);
	size_t n = 0;

	*dir_fd = fd;
	if (!dir) {
		return err_sys(e, "%s: cannot open the folder for the wheel", folder);
	}
	for (struct dirent *d; (d = readdir(dir));) {
		struct str entry = str_of(d->d_name);

		if (str_is(entry, ".") || str_is(entry, "..")) {
			continue;
		}
		*name = arena_str(a, entry);
		n++;
	}
	if (n == 0) {
		return err_set(e, RC_BUILD, "pip ended well and made no wheel");
	}
	return n == 1 ? 0 : err_set(e, RC_BUILD, "%zu files instead of one wheel", n);
}

static int open_regular(int dir_fd, struct arena *a, struct str name, int *out, struct err *e)
{
	int fd = openat(dir_fd, arena_dup(a, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0) {
		return errno == ELOOP
			       ? err_set(e, RC_BUILD, "%.*s: a link, no wheel", STR_ARG(name))
			       : err_sys(e, "%.*s: cannot open", STR_ARG(name));
	}
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return err_set(e, RC_BUILD, "%.*s: no regular file", STR_ARG(name));
	}
	*out = fd;
	return 0;
}

static int check_name(struct arena *a, const struct dist_name *name,
	const struct manifest_file *sdist, const struct target *t, struct err *e)
{
	struct version version;
	struct tag_list tags;

	if (version_parse(a, sdist->version, &version, e)) {
		return -(int)e->rc;
	}
	/* A recipe may add a local label ("2.8.3+cu130"); the source's own must stay. */
	bool is_same = version.nlocal ? version_cmp(&version, &name->version) == 0
				      : version_cmp_public(&version, &name->version) == 0;

	if (!str_eq(name->name, sdist->name) || !is_same) {
		return err_set(e, RC_BUILD, "%.*s: is not %.*s %.*s", STR_ARG(name->file),
			STR_ARG(sdist->name), STR_ARG(sdist->version));
	}
	tag_list_of(a, t, &tags);
	if (tag_rank(&tags, name) < 0) {
		return err_set(e, RC_BUILD, "%.*s: its tags do not fit target %.*s",
			STR_ARG(name->file), STR_ARG(t->name));
	}
	return 0;
}

static int describe(struct arena *a, struct wheel *w, struct build_wheel *out, struct err *e)
{
	const struct wheel_metadata *m = NULL;
	struct manifest_file *f = &out->file;

	if (wheel_metadata(w, &m, e)) {
		return -(int)e->rc;
	}
	out->metadata = arena_str(a, m->text);
	f->name = arena_str(a, wheel_name(w)->name);
	f->version = arena_str(a, m->core.version);
	f->kind = DIST_WHEEL;
	f->requires_python = arena_str(a, m->core.requires_python);
	f->license = arena_str(a, m->core.license);
	f->metadata_sha256 = m->sha256;
	f->metadata_size = m->text.n;
	f->local_mismatch = m->has_local_mismatch;
	f->hash_from = HASH_FROM_FIRST_USE;
	return 0;
}

static int check_device(struct arena *a, struct wheel *w, const struct target *t, bool is_demanded,
	struct manifest_file *f, struct err *e)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct device_code code = { .v = NULL };
	int r = device_code_of_wheel(w, &code, e);

	if (!r && is_demanded && t->ngpus) {
		r = check_device_code(&code, t, f->file, e);
	}
	if (!r) {
		device_code_format(&code, &text);
		f->device_code = arena_str(a, buf_str(&text));
	}
	device_code_release(&code);
	return r;
}

/* No error: the node at hand may be the only one there is, and the target's promise too modest. */
static int compare_glibc(struct arena *a, struct wheel *w, const struct target *t,
	struct build_wheel *out, struct err *e)
{
	struct glibc_floor f;

	if (t->libc != TARGET_GLIBC) {
		return 0;
	}
	if (glibc_floor_of_wheel(w, &f, e)) {
		return -(int)e->rc;
	}
	if (f.major > t->libc_major || (f.major == t->libc_major && f.minor > t->libc_minor)) {
		out->newer_glibc = arena_printf(a,
			"%.*s needs glibc %u.%u, and target %.*s promises %u.%u: where it is "
			"older, "
			"loading fails; build on a machine with the target's glibc",
			STR_ARG(f.member), f.major, f.minor, STR_ARG(t->name), t->libc_major,
			t->libc_minor);
	}
	return 0;
}

static int check(struct arena *a, const struct manifest_file *sdist, const struct target *t,
	bool device_code, struct build_wheel *out, struct err *e)
{
	CLEANUP_WHEEL struct wheel *w = NULL;
	struct manifest_file *f = &out->file;

	if (hash_fd(out->fd, f->file.p, &f->sha256, &f->size, e) ||
		wheel_open_fd(out->fd, f->file, &w, e) ||
		check_name(a, wheel_name(w), sdist, t, e) || wheel_check_record(w, e) ||
		describe(a, w, out, e) || check_device(a, w, t, device_code, f, e) ||
		compare_glibc(a, w, t, out, e)) {
		return -(int)e->rc;
	}
	return 0;
}

int build_wheel_take(struct arena *a, const char *folder, const struct manifest_file *sdist,
	const struct target *t, bool device_code, struct build_wheel *out, struct err *e)
{
	struct build_wheel w = { .fd = -1 };
	CLEANUP(fd) int dir_fd = -1;

	if (find_only(a, folder, &dir_fd, &w.file.file, e) ||
		open_regular(dir_fd, a, w.file.file, &w.fd, e)) {
		return -(int)e->rc;
	}
	if (check(a, sdist, t, device_code, &w, e)) {
		close(w.fd);
		return err_wrap(e, "the wheel that was built");
	}
	*out = w;
	return 0;
}

/* Unpacking an sdist. Nothing that the archive says is followed: names are clean (archive_in.h),
 * links never come, every file is made new (O_EXCL) below one folder that was empty. */
#include "verify/sdist_in.h"

#include "manifests/base/fs.h"
#include "manifests/base/mem.h"
#include "verify/member_name.h"
#include "verify/sdist_walk.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

struct unpack {
	struct sdist_walk walk;
	int into;
};

/* EEXIST, ENOTDIR, EISDIR: the archive contradicts itself about the name. */
static int write_error(const char *name, struct err *e)
{
	char shown[MEMBER_NAME_SHOWN];

	if (errno == EEXIST || errno == ENOTDIR || errno == EISDIR || errno == ELOOP) {
		return err_set(e, RC_WHEEL, "member \"%s\": the name is taken by another member",
			member_name_show(str_of(name), shown));
	}
	return err_sys(e, "%s", member_name_show(str_of(name), shown));
}

/* "a", "a/b", ... of "a/b/c", and the name itself for a folder. Archives may leave folders out. */
static int folders_make(struct unpack *u, char *name, bool is_dir, struct err *e)
{
	for (char *p = name; *p; p++) {
		if (*p != '/') {
			continue;
		}
		*p = '\0';
		bool failed = mkdirat(u->into, name, 0755) != 0 && errno != EEXIST;
		int rc = failed ? write_error(name, e) : 0;
		*p = '/';
		if (rc) {
			return rc;
		}
	}
	if (is_dir && mkdirat(u->into, name, 0755) != 0) {
		struct stat st;

		if (errno != EEXIST || fstatat(u->into, name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
			!S_ISDIR(st.st_mode)) {
			errno = EEXIST;
			return write_error(name, e);
		}
	}
	return 0;
}

static int contents_write(struct unpack *u, int fd, const char *name, struct err *e)
{
	struct str piece = { "", 1 };

	while (piece.n) {
		int rc = archive_in_read(u->walk.archive, &piece, e);

		rc = rc ? rc : fs_write_all(fd, piece.p, piece.n, name, e);
		if (rc) {
			return rc;
		}
	}
	return 0;
}

/* Building tools compare times: a file keeps its own. The umask must not matter either. */
static int file_write(
	struct unpack *u, const struct archive_member *m, const char *name, struct err *e)
{
	mode_t mode = m->is_executable ? 0755 : 0644;
	CLEANUP(fd)
	int fd = openat(u->into, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);

	if (fd < 0) {
		return write_error(name, e);
	}
	int rc = contents_write(u, fd, name, e);
	if (rc) {
		return rc;
	}
	const struct timespec times[2] = { { .tv_sec = m->mtime }, { .tv_sec = m->mtime } };
	if (fchmod(fd, mode) != 0 || (m->mtime > 0 && futimens(fd, times) != 0)) {
		return err_sys(e, "%s", name);
	}
	return 0;
}

static int unpack_all(struct unpack *u, int fd, struct str file_name, struct err *e)
{
	struct archive_member m;
	struct str below;
	bool found = true;
	int rc = sdist_walk_open(&u->walk, fd, file_name, e);

	while (!rc && found) {
		rc = sdist_walk_next(&u->walk, &m, &below, &found, e);
		if (rc || !found) {
			break;
		}
		char *name = arena_dup(&u->walk.arena, m.name);
		rc = folders_make(u, name, m.is_dir, e);
		if (!rc && !m.is_dir) {
			rc = file_write(u, &m, name, e);
		}
	}
	return rc;
}

int sdist_extract(
	int fd, struct str file_name, const char *into, struct arena *a, char **top, struct err *e)
{
	CLEANUP(fd) int folder = open(into, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct unpack u = { .walk = SDIST_WALK_INIT, .into = folder };

	if (folder < 0) {
		return err_sys(e, "%s", into);
	}
	int rc = unpack_all(&u, fd, file_name, e);
	if (!rc) {
		*top = arena_dup(a, u.walk.top);
	}
	sdist_walk_release(&u.walk);
	return rc ? err_wrap(e, "%.*s", STR_ARG(file_name)) : 0;
}

#include "mirror/wheel_unpack.h"

#include "manifests/base/fs.h"
#include "manifests/base/mem.h"
#include "verify/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct sink {
	int fd;
	const char *path;
	struct hash *hash;
};

static int write_piece(void *context, const void *bytes, size_t n, struct err *e)
{
	struct sink *s = context;

	return fs_write_all(s->fd, bytes, n, s->path, e);
}

static int hash_piece(void *context, const void *bytes, size_t n, struct err *e)
{
	struct sink *s = context;

	(void)e;
	hash_add(s->hash, bytes, n);
	return 0;
}

/* Licences and markers of packages lie in several wheels under one name. */
static int compare_existing(
	struct wheel *w, const struct wheel_member *m, const char *path, struct err *e)
{
	CLEANUP_HASH struct hash *hash = hash_new();
	CLEANUP(fd) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct sink s = { .path = path, .hash = hash };
	struct digest there, ours;
	uint64_t size;

	if (fd < 0) {
		return err_sys(e, "%s: cannot open", path);
	}
	if (hash_fd(fd, path, &there, &size, e) || wheel_stream(w, m, hash_piece, &s, e)) {
		return -(int)e->rc;
	}
	hash_final(hash, &ours);
	return digest_eq(&there, &ours)
		       ? 0
		       : err_set(e, RC_CONFLICT, "%s: two wheels of the toolkit differ in it",
				 path);
}

static int unpack_member(
	struct wheel *w, const struct wheel_member *m, const char *path, struct err *e)
{
	/* Some wheel makers record no mode: then what lies in a folder of programs is one. */
	bool is_program = m->mode ? (m->mode & 0111) != 0 : strstr(path, "/bin/") != NULL;
	CLEANUP(fd)
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
		is_program ? 0755 : 0644);
	struct sink s = { .fd = fd, .path = path };

	if (fd < 0 && errno == EEXIST) {
		return compare_existing(w, m, path, e);
	}
	if (fd < 0) {
		return err_sys(e, "%s: cannot create", path);
	}
	return wheel_stream(w, m, write_piece, &s, e);
}

int wheel_unpack(struct wheel *w, const char *prefix, const char *into, struct err *e)
{
	size_t n = 0;
	const struct wheel_member *members = wheel_members(w, &n);
	struct arena a = ARENA_INIT;
	int r = 0;

	for (size_t i = 0; !r && i < n; i++) {
		struct str name = members[i].name;

		if (members[i].is_dir || !str_starts(name, prefix)) {
			continue;
		}
		name = str_skip(name, strlen(prefix));
		char *path = arena_printf(&a, "%s/%.*s", into, STR_ARG(name));

		r = fs_mkdirs(fs_dirname(&a, path), 0755, e);
		if (!r) {
			r = unpack_member(w, &members[i], path, e);
		}
	}
	arena_release(&a);
	return r ? err_wrap(e, "%.*s", STR_ARG(wheel_name(w)->file)) : 0;
}

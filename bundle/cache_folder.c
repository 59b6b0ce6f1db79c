#include "bundle/cache_folder.h"
#include "manifests/base/fs.h"
#include "manifests/base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* XDG Base Directory: a relative path in the variable is to be ignored. */
static const char *default_place(struct arena *a)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (xdg && *xdg == '/') {
		return arena_printf(a, "%s/gpkg-bundle", xdg);
	}
	if (!home || !*home) {
		struct passwd *user = getpwuid(geteuid());

		home = user ? user->pw_dir : "/";
	}
	return arena_printf(a, "%s/.cache/gpkg-bundle", home);
}

int cache_folder_make(struct arena *a, const char *dir, const char **out, struct err *e)
{
	const char *place = dir && *dir ? arena_dup(a, str_of(dir)) : default_place(a);
	static const char *const parts[] = { "blobs", "partial" };

	/* 0700: pages of a private index are private, too. */
	int r = fs_mkdirs(place, 0700, e);
	for (size_t i = 0; !r && i < sizeof(parts) / sizeof(*parts); i++) {
		r = fs_mkdirs(arena_printf(a, "%s/%s", place, parts[i]), 0700, e);
	}
	if (!r) {
		*out = place;
	}
	return r ? err_wrap(e, "cache") : 0;
}

char *cache_file_path(struct cache *c, struct arena *a, const struct digest *sha256)
{
	char hex[DIGEST_HEX + 1];

	digest_hex(sha256, hex);
	return arena_printf(a, "%s/blobs/%.2s/%s", cache_dir(c), hex, hex);
}

char *cache_partial_path(struct cache *c, struct arena *a, const char *key)
{
	return arena_printf(a, "%s/partial/%s", cache_dir(c), key);
}

bool cache_open_file(struct cache *c, const struct digest *sha256, int *fd, uint64_t *size)
{
	struct arena a = ARENA_INIT;
	struct stat st;

	/* O_NONBLOCK: a named pipe in its place must not stop us before fstat can see it. */
	int opened = open(
		cache_file_path(c, &a, sha256), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	arena_release(&a);
	if (opened < 0) {
		return false;
	}
	if (fstat(opened, &st) || !S_ISREG(st.st_mode)) {
		close(opened);
		return false;
	}
	/* Access times are not kept on every file system, so this one says when it was last of use. */
	futimens(opened, NULL);
	*fd = opened;
	*size = (uint64_t)st.st_size;
	return true;
}

void cache_evict(struct cache *c, const struct digest *sha256)
{
	struct arena a = ARENA_INIT;
	struct err ignored = ERR_INIT;

	fs_remove_tree(cache_file_path(c, &a, sha256), &ignored);
	arena_release(&a);
}

int cache_commit_file(
	struct cache *c, const char *partial, int fd, const struct digest *sha256, struct err *e)
{
	struct arena a = ARENA_INIT;
	const char *path = cache_file_path(c, &a, sha256), *folder = fs_dirname(&a, path);

	int r = fs_mkdirs(folder, 0700, e);
	if (!r && fsync(fd)) {
		r = err_sys(e, "%s: cannot flush to disk", partial);
	}
	if (!r && rename(partial, path)) {
		r = err_sys(e, "%s: cannot rename into place", path);
	}
	if (!r) {
		r = fs_sync_dir(folder, e);
	}
	arena_release(&a);
	return r;
}

/* ---- the whole ---- */

struct visit {
	void (*file)(void *context, const char *path, const struct stat *st);
	void *context;
};

static int visit_files(const char *folder, const struct visit *v, struct err *e)
{
	struct arena a = ARENA_INIT;
	char **names = NULL;
	size_t n = 0;
	struct stat st;

	int r = fs_list(folder, &a, &names, &n, e);
	for (size_t i = 0; !r && i < n; i++) {
		const char *path = arena_printf(&a, "%s/%s", folder, names[i]);

		if (lstat(path, &st)) {
			continue; /* another process was faster */
		}
		if (S_ISDIR(st.st_mode)) {
			r = visit_files(path, v, e);
		} else {
			v->file(v->context, path, &st);
		}
	}
	arena_release(&a);
	return r;
}

void cache_usage_span(struct cache_usage *u, uint64_t when)
{
	u->oldest = !u->oldest || when < u->oldest ? when : u->oldest;
	u->newest = when > u->newest ? when : u->newest;
}

static uint64_t time_of(const struct stat *st)
{
	return st->st_mtime > 0 ? (uint64_t)st->st_mtime : 0;
}

static void count_blob(void *context, const char *path, const struct stat *st)
{
	struct cache_usage *u = context;

	(void)path;
	u->files++;
	u->file_bytes += (uint64_t)st->st_size;
	cache_usage_span(u, time_of(st));
}

static void count_partial(void *context, const char *path, const struct stat *st)
{
	struct cache_usage *u = context;

	(void)path;
	u->partials++;
	u->partial_bytes += (uint64_t)st->st_size;
	cache_usage_span(u, time_of(st));
}

static int visit_part(const char *dir, const char *part, const struct visit *v, struct err *e)
{
	struct arena a = ARENA_INIT;
	int r = visit_files(arena_printf(&a, "%s/%s", dir, part), v, e);

	arena_release(&a);
	return r;
}

int cache_folder_measure(const char *dir, struct cache_usage *out, struct err *e)
{
	int r = visit_part(dir, "blobs", &(struct visit){ count_blob, out }, e);

	return r ? r : visit_part(dir, "partial", &(struct visit){ count_partial, out }, e);
}

struct sweep {
	uint64_t before;
	struct cache_usage *removed;
};

static void remove_blob(void *context, const char *path, const struct stat *st)
{
	struct sweep *s = context;

	if (time_of(st) < s->before && !unlink(path)) {
		s->removed->files++;
		s->removed->file_bytes += (uint64_t)st->st_size;
	}
}

static void remove_partial(void *context, const char *path, const struct stat *st)
{
	struct sweep *s = context;

	if (time_of(st) >= s->before) {
		return;
	}
	CLEANUP(fd) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if ((fd < 0 || !flock(fd, LOCK_EX | LOCK_NB)) && !unlink(path)) {
		s->removed->partials++;
		s->removed->partial_bytes += (uint64_t)st->st_size;
	}
}

int cache_folder_clear(const char *dir, uint64_t before, struct cache_usage *removed, struct err *e)
{
	struct sweep s = { before, removed };
	int r = visit_part(dir, "blobs", &(struct visit){ remove_blob, &s }, e);

	return r ? r : visit_part(dir, "partial", &(struct visit){ remove_partial, &s }, e);
}

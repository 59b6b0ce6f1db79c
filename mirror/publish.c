/* Publishing: a compact copy of the catalogue beside, flushed, renamed, and then named by
 * `current`. */
#include "manifests/base/fs.h"
#include "manifests/base/mem.h"
#include "mirror/store_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KEPT = 2 }; /* published copies: the one in force and its predecessor */

static int committed_generation(struct store *s, uint64_t *out, struct err *e)
{
	return db_ask_number(s->db, "SELECT generation FROM state", DB_NO_VALUES, 0, out, e);
}

/* "12.db" -> 12; false for any other name. */
static bool generation_of(struct str name, uint64_t *out)
{
	return str_ends(name, ".db") && str_to_u64(str_first(name, name.n - 3), out);
}

static void remove_old(struct store *s, uint64_t newest)
{
	struct arena a = ARENA_INIT;
	struct err ignored = ERR_INIT;
	const char *folder = store_path(s, &a, STORE_PUBLISHED);
	char **names = NULL;
	size_t n = 0;

	if (fs_list(folder, &a, &names, &n, &ignored) == 0) {
		for (size_t i = 0; i < n; i++) {
			uint64_t g;

			if (!generation_of(str_of(names[i]), &g) || g > newest ||
				g + KEPT <= newest) {
				unlink(arena_printf(&a, "%s/%s", folder, names[i]));
			}
		}
	}
	arena_release(&a);
}

static int flush_file(const char *path, struct err *e)
{
	CLEANUP(fd) int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0 || fchmod(fd, 0444) || fsync(fd)) {
		return err_sys(e, "%s: cannot flush to disk", path);
	}
	return 0;
}

static int write_copy(struct store *s, const char *folder, const char *path, struct err *e)
{
	struct arena a = ARENA_INIT;
	const char *beside = arena_printf(&a, "%s.new", path);
	int r = 0;

	if (unlink(beside) && errno != ENOENT) {
		r = err_sys(e, "%s: cannot remove", beside);
	}
	if (!r) {
		r = db_copy(s->db, beside, e);
	}
	if (!r) {
		r = flush_file(beside, e);
	}
	if (!r && rename(beside, path)) {
		r = err_sys(e, "%s: cannot rename into place", path);
	}
	if (!r) {
		r = fs_sync_dir(folder, e);
	}
	arena_release(&a);
	return r;
}

static int publish(struct store *s, uint64_t generation, struct err *e)
{
	struct arena a = ARENA_INIT;
	const char *folder = store_path(s, &a, STORE_PUBLISHED);
	const char *name = arena_printf(&a, "%llu.db", (unsigned long long)generation);
	int r = write_copy(s, folder, arena_printf(&a, "%s/%s", folder, name), e);

	if (!r) {
		r = fs_write(store_path(s, &a, STORE_CURRENT),
			str_of(arena_printf(&a, "%s\n", name)), 0644, e);
	}
	if (!r) {
		remove_old(s, generation);
	}
	arena_release(&a);
	return r ? err_wrap(e, "store %s: publishing", s->dir) : 0;
}

int store_publish(struct store *s, struct err *e)
{
	uint64_t generation;
	int r = committed_generation(s, &generation, e);

	return r ? r : publish(s, generation, e);
}

/* The generation that `current` names; 0 where it names none that is there. */
static uint64_t published_generation(struct store *s)
{
	struct arena a = ARENA_INIT;
	struct err ignored = ERR_INIT;
	CLEANUP_BUF struct buf text = BUF_INIT;
	uint64_t g = 0;

	if (fs_read(store_path(s, &a, STORE_CURRENT), 64, &text, &ignored) ||
		!generation_of(str_trim(buf_str(&text)), &g) ||
		!fs_exists(arena_printf(
			&a, "%s/" STORE_PUBLISHED "/%llu.db", s->dir, (unsigned long long)g))) {
		g = 0;
	}
	arena_release(&a);
	return g;
}

int store_publish_repair(struct store *s, struct err *e)
{
	struct arena a = ARENA_INIT;
	uint64_t generation;
	int r = fs_remove_tree(store_path(s, &a, STORE_STAGING), e);

	arena_release(&a);
	if (!r) {
		r = committed_generation(s, &generation, e);
	}
	if (r) {
		return r;
	}
	if (generation == published_generation(s)) {
		remove_old(s, generation);
		return 0;
	}
	return generation ? publish(s, generation, e) : 0;
}

/* Paths that locks name their files by. Nothing is opened: only the text counts, and the folder
 * that the lock is in. */
#include "manifests/lock_reader.h"
#include "manifests/base/fs.h"
#include "manifests/base/mem.h"
#include "manifests/base/uri.h"

#include <stdlib.h>

/* Takes "." and ".." out of a relative path; false where it leaves the folder it begins in. */
static bool walk_below(struct str path, struct buf *out)
{
	struct str piece;

	while (str_cut(&path, '/', &piece)) {
		if (piece.n == 0 || str_is(piece, ".")) {
			continue;
		}
		if (!str_is(piece, "..")) {
			buf_addc(out, '/');
			buf_addstr(out, piece);
			continue;
		}
		if (out->n == 0) {
			return false;
		}
		out->n = str_rfind(buf_str(out), '/');
	}
	return true;
}

/* The folder of the file, without links, so that ".." means what it looks like. */
static int folder_of(struct str file, struct buf *out, struct err *e)
{
	struct arena arena = ARENA_INIT;
	const char *dir = fs_dirname(&arena, arena_dup(&arena, file));
	CLEANUP(free) char *real = realpath(dir, NULL);
	int r = real ? 0 : err_sys(e, "%s: no such folder", dir);

	if (real && real[1] != '\0') { /* "/" adds nothing to a path that begins with '/' */
		buf_adds(out, real);
	}
	arena_release(&arena);
	return r;
}

static int refuse_escape(struct str path, struct err *e)
{
	err_set(e, RC_INVALID, "the path \"%.*s\" leaves the folder of the lock",
		STR_ARG(str_first(path, 300)));
	return err_hint(e, "move the file below that folder, and lock again");
}

static bool is_below(struct str path, struct str folder)
{
	return str_eq(str_first(path, folder.n), folder) && path.n > folder.n &&
	       path.p[folder.n] == '/';
}

int lock_path_url(struct arena *a, struct str lock, struct str path, enum lock_path_rule rule,
	struct str *out, struct err *e)
{
	CLEANUP_BUF struct buf folder = BUF_INIT, whole = BUF_INIT, clean = BUF_INIT;
	CLEANUP_BUF struct buf url = BUF_INIT;
	bool is_absolute = str_starts(path, "/");

	if (path.n == 0 || str_find(path, '\0') < path.n) {
		return err_set(e, RC_INVALID, "an empty path, or one with U+0000 in it");
	}
	if (folder_of(lock, &folder, e)) {
		return -(int)e->rc;
	}
	if (!is_absolute) {
		buf_addstr(&whole, buf_str(&folder));
		buf_addc(&whole, '/');
	}
	buf_addstr(&whole, path);
	bool is_sane = walk_below(buf_str(&whole), &clean);
	bool is_free = rule == LOCK_PATH_ANY || (rule == LOCK_PATH_ABSOLUTE && is_absolute);
	if (!is_sane || (!is_free && !is_below(buf_str(&clean), buf_str(&folder)))) {
		return refuse_escape(path, e);
	}
	buf_adds(&url, "file://");
	uri_encode(&url, clean.n ? buf_str(&clean) : STR("/"));
	*out = arena_str(a, buf_str(&url));
	return 0;
}

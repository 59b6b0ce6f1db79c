/* uv.lock: where the files of an entry are.
 *
 *	source = { registry = URL }		wheels and sdist have a url each
 *	source = { registry = FOLDER }		a flat index: each has a path, from that folder on
 *	source = { url = ... }, { path = ... }	one file, which the source itself names
 */
#include "manifests/lock_uv.h"
#include "manifests/base/uri.h"
#include "manifests/limits.h"

#include <inttypes.h>

/* ---- what cannot be carried ---- */

static bool is_archive(struct str file)
{
	return str_ends(file, ".whl") || str_ends(file, ".tar.gz") || str_ends(file, ".zip");
}

/* A file's own name is all that installers have: "v1.0.tar.gz" of a forge says nothing. */
static bool is_named(const struct uv_package *p)
{
	struct arena a = ARENA_INIT;
	struct err unused = ERR_INIT;
	struct dist_name name;
	bool is_url = p->kind == UV_URL;
	struct str last = is_url ? uri_last_segment(p->place->text) : p->place->text;
	size_t slash = str_rfind(last, '/');
	const char *file = is_url ? uri_decode(&a, last) : NULL;

	last = is_url ? str_of(file) : str_skip(last, slash < last.n ? slash + 1 : 0);
	bool is_so =
		str_ends(last, ".whl") ||
		(is_archive(last) && dist_name_parse_sdist(&a, last, p->name, &name, &unused) == 0);
	arena_release(&a);
	return is_so;
}

const char *uv_obstacle(const struct uv_package *p)
{
	switch (p->kind) {
	case UV_GIT:
		return "a git repository";
	case UV_DIRECTORY:
		return "a folder";
	case UV_EDITABLE:
		return "an editable folder";
	case UV_URL:
	case UV_PATH:
		if (toml_get(p->source, "subdirectory")) {
			return "a folder in an archive";
		}
		return is_named(p) ? NULL : "an archive that is not called PROJECT-VERSION.tar.gz";
	case UV_REGISTRY:
	case UV_VIRTUAL:
		break;
	}
	return NULL;
}

/* ---- places ---- */

/* What stands in a flat index is named from its folder on, and stays in it. */
static bool is_below(struct str path)
{
	struct str piece;

	if (str_starts(path, "/")) {
		return false;
	}
	while (str_cut(&path, '/', &piece)) {
		if (str_is(piece, "..")) {
			return false;
		}
	}
	return true;
}

static int path_url(
	struct uv_lock *u, const struct toml *at, struct str path, struct toml *url, struct err *e)
{
	for (size_t i = 0; i < path.n; i++) {
		if ((unsigned char)path.p[i] < 0x20 || path.p[i] == 0x7F) {
			return lock_fail(at, e, RC_INVALID, "a control character in a path");
		}
	}
	*url = *at;
	if (lock_path_url(&u->l->arena, u->l->path, path, LOCK_PATH_ANY, &url->text, e)) {
		return lock_wrap(at, e);
	}
	return 0;
}

/* A source was chosen by who wrote the project, and may be anywhere: `../wheels` is usual. */
static int registry_file_url(struct uv_lock *u, const struct uv_package *p, const struct toml *path,
	struct toml *url, struct err *e)
{
	struct arena *a = &u->l->arena;
	struct str folder = p->place->text;

	if (path->type != TOML_STRING || path->text.n == 0) {
		return lock_fail(path, e, RC_SYNTAX, "path is the name of a file");
	}
	if (!is_below(path->text)) {
		lock_fail(path, e, RC_INVALID, "the path \"%.*s\" leaves the folder \"%.*s\"",
			STR_ARG(str_first(path->text, 300)), STR_ARG(str_first(folder, 300)));
		return err_hint(e, "the lock was edited: write it again with `uv lock`");
	}
	if (str_starts(folder, "file:///")) {
		char *decoded = uri_decode(a, str_skip(folder, sizeof("file://") - 1));

		folder = str_of(decoded);
	}
	if (folder.n == 0 || str_has(folder, "://")) {
		return lock_fail(path, e, RC_INVALID,
			"a path in the registry \"%.300s\", which is no folder",
			uri_redact(a, p->place->text));
	}
	char *whole = arena_printf(a, "%.*s/%.*s", STR_ARG(folder), STR_ARG(path->text));
	return path_url(u, path, str_of(whole), url, e);
}

/* A copy of the value that says where, with the URL as its text. */
static int file_url(struct uv_lock *u, const struct uv_package *p, const struct toml *row,
	struct toml *url, struct err *e)
{
	const struct toml *given = toml_get(row, "url"), *path = toml_get(row, "path");
	struct str text = STR_NULL;

	if (p->kind == UV_PATH) {
		return path_url(u, p->place, p->place->text, url, e);
	}
	if (p->kind == UV_URL) {
		*url = *p->place;
		url->text = uri_without_fragment(url->text);
		return 0;
	}
	if (given) {
		*url = *given;
		return toml_opt_str(row, "url", &text, e);
	}
	if (path) {
		return registry_file_url(u, p, path, url, e);
	}
	return lock_fail(
		row, e, RC_SYNTAX, "a file of %.*s with neither url nor path", STR_ARG(p->name));
}

/* ---- one file ---- */

static int read_hash(const struct toml *row, struct lock_file *f, struct err *e)
{
	const struct toml *at = toml_get(row, "hash");
	struct str text = STR_NULL, kind = STR_NULL;

	if (!at) {
		return 0;
	}
	if (toml_opt_str(row, "hash", &text, e)) {
		return -(int)e->rc;
	}
	str_cut(&text, ':', &kind);
	if (!str_is(kind, "sha256")) {
		lock_fail(at, e, RC_UNSUPPORTED, "the file %.*s has no sha256, only \"%.*s\"",
			STR_ARG(f->file), STR_ARG(str_first(kind, 50)));
		return err_hint(e, "lock from an index that has sha256 digests");
	}
	if (digest_parse(text, &f->sha256, e)) {
		return lock_wrap(at, e);
	}
	f->has_sha256 = true;
	return 0;
}

static int read_size(const struct toml *row, struct lock_file *f, struct err *e)
{
	const struct toml *at = toml_get(row, "size");

	if (toml_opt_u64(row, "size", &f->size, e)) {
		return -(int)e->rc;
	}
	if (f->size > LIMIT_FILE) {
		return lock_fail(at, e, RC_LIMIT, "a file of %" PRIu64 " bytes, at most %" PRIu64,
			f->size, LIMIT_FILE);
	}
	f->has_size = at != NULL;
	return 0;
}

/* Is it a file of that project and version? The metadata of a wheel may lack the local part that
 * its name has. */
static int check_name(struct uv_lock *u, const struct uv_package *p, const struct toml *at,
	struct str file, struct err *e)
{
	struct dist_name name = { .kind = DIST_WHEEL };

	if (!dist_name_is_safe(file)) {
		return lock_fail(at, e, RC_INVALID, "\"%.*s\" is not a safe file name",
			STR_ARG(str_first(file, 300)));
	}
	if (lock_dist(u->l, at, file, p->name, &name, e)) {
		return -(int)e->rc;
	}
	int order = p->version.nlocal ? version_cmp(&name.version, &p->version)
				      : version_cmp_public(&name.version, &p->version);
	if (!str_eq(name.name, p->name) || order != 0) {
		return lock_fail(at, e, RC_INVALID, "the file %.*s is not of %.*s %.*s",
			STR_ARG(file), STR_ARG(p->name), STR_ARG(p->version.raw));
	}
	return 0;
}

/* *is_taken is false for the sdists of older times (.tar.bz2, .tgz), which nothing here can build.
 */
static int read_file(struct uv_lock *u, const struct uv_package *p, const struct toml *row,
	struct lock_file *f, bool *is_taken, struct err *e)
{
	struct toml url;

	f->line = row->line;
	*is_taken = false;
	if (file_url(u, p, row, &url, e) || lock_url(u->l, &url, &f->file, e)) {
		return -(int)e->rc;
	}
	if (!is_archive(f->file)) {
		return 0;
	}
	f->url = url.text;
	*is_taken = true;
	if (check_name(u, p, &url, f->file, e) || read_hash(row, f, e)) {
		return -(int)e->rc;
	}
	return read_size(row, f, e);
}

int uv_files_read(struct uv_lock *u, const struct uv_package *p, struct lock_file **out, size_t *n,
	struct err *e)
{
	const struct toml *sdist = NULL, *wheel = NULL, *list = toml_get(p->row, "wheels");
	bool is_taken = false;
	size_t have = 0;

	if (toml_opt_table(p->row, "sdist", &sdist, e) ||
		toml_opt_tables(p->row, "wheels", &wheel, e)) {
		return -(int)e->rc;
	}
	struct lock_file *files =
		arena_array(&u->l->arena, (list ? list->count : 0) + 1, sizeof(*files));
	for (; wheel; wheel = wheel->next) {
		if (read_file(u, p, wheel, &files[have], &is_taken, e)) {
			return -(int)e->rc;
		}
		have += is_taken;
	}
	if (sdist && read_file(u, p, sdist, &files[have], &is_taken, e)) {
		return -(int)e->rc;
	}
	*out = files;
	*n = have + (sdist && is_taken);
	return 0;
}

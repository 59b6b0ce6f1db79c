#include "manifests/lock_pylock.h"
#include "manifests/limits.h"

#include <inttypes.h>

/* ---- path ---- */

/* What PEP 751 allows and we do not, for the same reason, is absolute paths. */
static int check_path(const struct toml *at, struct err *e)
{
	struct str path = at->text;
	bool is_absolute = str_starts(path, "/") || (path.n > 1 && path.p[1] == ':');

	if (is_absolute) {
		lock_fail(at, e, RC_INVALID, "the path \"%.*s\" is absolute",
			STR_ARG(str_first(path, 300)));
		return err_hint(e, "a path is relative to the lock's folder; for other places "
				   "give a url");
	}
	for (size_t i = 0; i < path.n; i++) {
		unsigned char c = (unsigned char)path.p[i];

		if (c < 0x20 || c == 0x7F || c == '\\') {
			lock_fail(at, e, RC_INVALID,
				"a backslash or a control character in the path \"%.*s\"",
				STR_ARG(str_first(path, 300)));
			return err_hint(e, "folders are told apart by '/'");
		}
	}
	return 0;
}

/* The lock may come from anywhere: it must not make us pack what lies outside its folder. */
static int path_url(struct pylock *p, const struct toml *at, struct lock_file *f, struct err *e)
{
	struct lock *l = p->l;
	size_t slash = str_rfind(at->text, '/');

	if (check_path(at, e)) {
		return -(int)e->rc;
	}
	if (lock_path_url(&l->arena, l->path, at->text, LOCK_PATH_BELOW, &f->url, e)) {
		return lock_wrap(at, e);
	}
	f->file = slash < at->text.n ? str_skip(at->text, slash + 1) : at->text;
	return 0;
}

/* ---- hashes ---- */

static int refuse_hashes(
	const struct toml *row, const struct toml *hashes, struct str file, struct err *e)
{
	CLEANUP_BUF struct buf list = BUF_INIT;

	if (!hashes || !hashes->first) {
		lock_fail(row, e, RC_SYNTAX, "the file %.*s has no hashes", STR_ARG(file));
		return err_hint(e, "PEP 751 requires them: lock again");
	}
	for (const struct toml *h = hashes->first; h && list.n < 200; h = h->next) {
		buf_addf(&list, "%s%.*s", list.n ? ", " : "", STR_ARG(str_first(h->key, 50)));
	}
	lock_fail(hashes, e, RC_UNSUPPORTED, "the file %.*s has no sha256, only %.*s",
		STR_ARG(file), STR_ARG(buf_str(&list)));
	return err_hint(e, "add sha256 = \"...\" to its hashes, or lock from an index that has it");
}

static int read_hashes(const struct toml *row, struct lock_file *f, struct err *e)
{
	const struct toml *hashes = NULL;
	struct str sha256 = STR_NULL;

	if (toml_opt_table(row, "hashes", &hashes, e)) {
		return -(int)e->rc;
	}
	if (!hashes || !toml_get(hashes, "sha256")) {
		return refuse_hashes(row, hashes, f->file, e);
	}
	if (toml_opt_str(hashes, "sha256", &sha256, e)) {
		return -(int)e->rc;
	}
	if (digest_parse(sha256, &f->sha256, e)) {
		return lock_wrap(toml_get(hashes, "sha256"), e);
	}
	f->has_sha256 = true;
	return 0;
}

/* ---- the file ---- */

const struct toml *pylock_file_name(const struct toml *row)
{
	static const char *const keys[] = { "name", "path", "url" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		const struct toml *v = toml_get(row, keys[i]);

		if (v) {
			return v;
		}
	}
	return NULL;
}

/* PEP 751: where both are given, tools take the path. */
static int read_place(struct pylock *p, const struct toml *row, struct lock_file *f, struct err *e)
{
	const struct toml *path = toml_get(row, "path"), *url = toml_get(row, "url");
	struct str unused = STR_NULL;

	if (toml_opt_str(row, "url", &f->url, e) || toml_opt_str(row, "path", &unused, e)) {
		return -(int)e->rc;
	}
	if (!path && !url) {
		return lock_fail(row, e, RC_SYNTAX, "a file with neither url nor path");
	}
	return path ? path_url(p, path, f, e) : lock_url(p->l, url, &f->file, e);
}

static int read_size(const struct toml *row, struct lock_file *f, struct err *e)
{
	if (toml_opt_u64(row, "size", &f->size, e)) {
		return -(int)e->rc;
	}
	f->has_size = toml_get(row, "size") != NULL;
	if (f->size > LIMIT_FILE) {
		return lock_fail(toml_get(row, "size"), e, RC_LIMIT,
			"a file of %" PRIu64 " bytes, at most %" PRIu64, f->size, LIMIT_FILE);
	}
	return 0;
}

/* uv writes `name` in normal form, whatever the file is called: the published spelling stays. */
static bool is_same_dist(struct arena *a, struct str one, struct str other)
{
	struct err ignored = ERR_INIT;
	struct dist_name x, y;

	return dist_name_parse(a, one, &x, &ignored) == 0 && dist_name_parse(a, other, &y, &ignored) == 0 &&
	       x.kind == y.kind && str_eq(x.name, y.name) && version_cmp(&x.version, &y.version) == 0 &&
	       str_eq(x.build, y.build) && str_eq(x.python, y.python) && str_eq(x.abi, y.abi) &&
	       str_eq(x.platform, y.platform) && str_eq(x.extension, y.extension);
}

static int read_name(struct pylock *p, const struct toml *row, struct lock_file *f, struct err *e)
{
	struct str name = STR_NULL;
	int r = toml_opt_str(row, "name", &name, e);

	if (!r && name.n && !is_same_dist(&p->l->arena, name, f->file)) {
		f->file = name;
	}
	return r;
}

int pylock_file_read(struct pylock *p, const struct toml *row, bool is_archive,
	struct lock_file *out, struct err *e)
{
	static const char *const file_keys[] = { "name", "url", "hashes", "path", "size",
		"upload-time", NULL };
	static const char *const archive_keys[] = { "url", "hashes", "path", "size", "upload-time",
		"subdirectory", NULL };
	struct lock_file f = { .line = row->line };

	if (++p->nfiles > LIMIT_FILES) {
		return lock_fail(row, e, RC_LIMIT, "more than %d files", LIMIT_FILES);
	}
	if (pylock_only(p, row, is_archive ? archive_keys : file_keys, e) ||
		read_place(p, row, &f, e) || read_name(p, row, &f, e)) {
		return -(int)e->rc;
	}
	if (!dist_name_is_safe(f.file)) {
		return lock_fail(pylock_file_name(row), e, RC_INVALID,
			"\"%.*s\" is not a safe file name", STR_ARG(str_first(f.file, 300)));
	}
	if (read_size(row, &f, e) || read_hashes(row, &f, e)) {
		return -(int)e->rc;
	}
	*out = f;
	return 0;
}

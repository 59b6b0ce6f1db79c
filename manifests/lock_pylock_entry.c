#include "manifests/lock_pylock.h"
#include "manifests/base/uri.h"

/* ---- files ---- */

/* A file that the entry names must be one of it; the first one gives the version where the entry
 * says none. */
static int check_dist(struct pylock *p, struct pylock_entry *entry, const struct toml *at,
	struct str file, struct err *e)
{
	struct dist_name d = { .kind = DIST_WHEEL };

	if (lock_dist(p->l, at, file, entry->name, &d, e)) {
		return -(int)e->rc;
	}
	if (!str_eq(d.name, entry->name)) {
		return lock_fail(at, e, RC_INVALID, "the file %.*s is of %.*s, not of %.*s",
			STR_ARG(file), STR_ARG(d.name), STR_ARG(entry->name));
	}
	if (!entry->pin.n) {
		return lock_pin(p->l, at, &d.version, &entry->pin, e);
	}
	if (!specifier_contains(&entry->pin, &d.version)) {
		return lock_fail(at, e, RC_INVALID, "the file %.*s is not of version %.*s",
			STR_ARG(file), STR_ARG(entry->pin.v[0].raw));
	}
	return 0;
}

static int read_wheel(
	struct pylock *p, const struct toml *row, struct pylock_entry *entry, struct err *e)
{
	struct lock_file *f = &entry->files[entry->nfiles];

	if (pylock_file_read(p, row, false, f, e)) {
		return -(int)e->rc;
	}
	if (!str_ends(f->file, ".whl")) {
		return lock_fail(pylock_file_name(row), e, RC_INVALID,
			"\"%.*s\" is not a wheel's file name", STR_ARG(f->file));
	}
	entry->nfiles++;
	return check_dist(p, entry, pylock_file_name(row), f->file, e);
}

/* Sdists of old projects may be of a form that nothing here opens, which matters only where there
 * are no wheels. */
static int read_sdist(
	struct pylock *p, const struct toml *row, struct pylock_entry *entry, struct err *e)
{
	struct lock_file *f = &entry->files[entry->nfiles];

	if (pylock_file_read(p, row, false, f, e)) {
		return -(int)e->rc;
	}
	if (str_ends(f->file, ".tar.gz") || str_ends(f->file, ".zip")) {
		entry->nfiles++;
		return check_dist(p, entry, pylock_file_name(row), f->file, e);
	}
	if (entry->nfiles == 0) {
		entry->obstacle = str_of(arena_printf(&p->l->arena,
			"the sdist %.*s, neither .tar.gz nor .zip", STR_ARG(f->file)));
	}
	return 0;
}

static int read_files(struct pylock *p, struct pylock_entry *entry, struct err *e)
{
	const struct toml *row = entry->row, *list = toml_get(row, "wheels"), *wheel = NULL,
			  *sdist = NULL;

	if (toml_opt_tables(row, "wheels", &wheel, e) || toml_opt_table(row, "sdist", &sdist, e)) {
		return -(int)e->rc;
	}
	entry->files =
		arena_array(&p->l->arena, (list ? list->count : 0) + 1, sizeof(*entry->files));
	for (; wheel; wheel = wheel->next) {
		if (read_wheel(p, wheel, entry, e)) {
			return -(int)e->rc;
		}
	}
	return sdist ? read_sdist(p, sdist, entry, e) : 0;
}

/* ---- archive, vcs, directory ---- */

/* An archive may be a wheel, an sdist, or any folder that somebody packed: the last has no name to
 * be found by. */
static int read_archive(
	struct pylock *p, const struct toml *archive, struct pylock_entry *entry, struct err *e)
{
	struct lock_file f = { .line = 0 };
	struct dist_name d = { .kind = DIST_SDIST };
	struct str part = STR_NULL;
	struct err unused = ERR_INIT;

	if (pylock_file_read(p, archive, true, &f, e) ||
		toml_opt_str(archive, "subdirectory", &part, e)) {
		return -(int)e->rc;
	}
	if (part.n) {
		entry->obstacle = str_of(arena_printf(&p->l->arena, "the folder %.*s of %.*s",
			STR_ARG(str_first(part, 200)), STR_ARG(f.file)));
		return 0;
	}
	if (!str_ends(f.file, ".whl") &&
		dist_name_parse_sdist(&p->l->arena, f.file, entry->name, &d, &unused)) {
		entry->obstacle = str_of(arena_printf(&p->l->arena,
			"the archive %.*s, which has not the name of a wheel or an sdist of it",
			STR_ARG(f.file)));
		return 0;
	}
	entry->files = arena_alloc(&p->l->arena, sizeof(*entry->files));
	entry->files[entry->nfiles++] = f;
	return check_dist(p, entry, pylock_file_name(archive), f.file, e);
}

static int read_vcs(
	struct pylock *p, const struct toml *vcs, struct pylock_entry *entry, struct err *e)
{
	static const char *const keys[] = { "type", "url", "path", "requested-revision",
		"commit-id", "subdirectory", NULL };
	struct arena *a = &p->l->arena;
	struct str type = STR_NULL, commit = STR_NULL, url = STR_NULL;

	if (pylock_only(p, vcs, keys, e) || toml_need_str(vcs, "type", &type, e) ||
		toml_need_str(vcs, "commit-id", &commit, e) || toml_opt_str(vcs, "path", &url, e) ||
		toml_opt_str(vcs, "url", &url, e)) {
		return -(int)e->rc;
	}
	if (!url.n) {
		return lock_fail(vcs, e, RC_SYNTAX, "a repository with neither url nor path");
	}
	entry->obstacle = str_of(arena_printf(a, "a %.*s repository (%.300s, commit %.*s)",
		STR_ARG(str_first(type, 20)), uri_redact(a, url), STR_ARG(str_first(commit, 64))));
	return 0;
}

static int read_directory(
	struct pylock *p, const struct toml *directory, struct pylock_entry *entry, struct err *e)
{
	static const char *const keys[] = { "path", "editable", "subdirectory", NULL };
	struct str path = STR_NULL;
	bool is_editable = false;

	if (pylock_only(p, directory, keys, e) || toml_need_str(directory, "path", &path, e) ||
		toml_opt_bool(directory, "editable", &is_editable, e)) {
		return -(int)e->rc;
	}
	entry->obstacle = str_of(arena_printf(&p->l->arena, "the %sfolder \"%.*s\"",
		is_editable ? "editable " : "", STR_ARG(str_first(path, 300))));
	return 0;
}

/* ---- the entry ---- */

static int refuse_sources(const struct pylock_entry *entry, struct str found, struct err *e)
{
	if (found.n == 0) {
		lock_fail(entry->row, e, RC_SYNTAX, "%.*s does not say where it comes from",
			STR_ARG(entry->name));
	} else {
		lock_fail(entry->row, e, RC_SYNTAX, "%.*s has more than one source: %.*s",
			STR_ARG(entry->name), STR_ARG(found));
	}
	return err_hint(e, "PEP 751: one of vcs, directory, archive, or wheels and sdist");
}

/* PEP 751: "vcs", "directory", "archive", and "sdist" or "wheels" exclude each other. */
static int read_source(struct pylock *p, struct pylock_entry *entry, struct err *e)
{
	static const struct {
		const char *key;
		int (*read)(
			struct pylock *, const struct toml *, struct pylock_entry *, struct err *);
	} kinds[] = { { "vcs", read_vcs }, { "directory", read_directory },
		{ "archive", read_archive } };
	CLEANUP_BUF struct buf found = BUF_INIT;
	const struct toml *wheels = toml_get(entry->row, "wheels"), *table = NULL;
	size_t which = 0, n = 0;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (toml_opt_table(entry->row, kinds[i].key, &table, e)) {
			return -(int)e->rc;
		}
		if (toml_get(entry->row, kinds[i].key)) {
			buf_addf(&found, "%s%s", n++ ? ", " : "", kinds[i].key);
			which = i;
		}
	}
	bool has_files = toml_get(entry->row, "sdist") ||
			 (wheels && (wheels->type != TOML_ARRAY || wheels->count));
	if (has_files) {
		buf_addf(&found, "%swheels or sdist", n ? ", " : "");
	}
	if (n + has_files != 1) {
		return refuse_sources(entry, buf_str(&found), e);
	}
	return has_files ? read_files(p, entry, e) : kinds[which].read(p, table, entry, e);
}

static int read_version(struct pylock *p, struct pylock_entry *entry, struct err *e)
{
	const struct toml *at = toml_get(entry->row, "version");
	CLEANUP_BUF struct buf pin = BUF_INIT;
	struct str text = STR_NULL;
	struct version version;

	if (!at || toml_opt_str(entry->row, "version", &text, e)) {
		return at ? -(int)e->rc : 0;
	}
	if (version_parse(&p->l->arena, text, &version, e)) {
		return lock_wrap(at, e);
	}
	buf_adds(&pin, "==");
	version_format(&version, &pin);
	if (specifier_parse(&p->l->arena, arena_str(&p->l->arena, buf_str(&pin)), &entry->pin, e)) {
		return lock_wrap(at, e);
	}
	return 0;
}

static int read_python(struct pylock *p, struct pylock_entry *entry, struct err *e)
{
	struct str text = STR_NULL;

	if (toml_opt_str(entry->row, "requires-python", &text, e)) {
		return -(int)e->rc;
	}
	if (specifier_parse(&p->l->arena, text, &entry->python, e)) {
		return lock_wrap(toml_get(entry->row, "requires-python"), e);
	}
	return 0;
}

int pylock_entry_read(
	struct pylock *p, const struct toml *row, struct pylock_entry *out, struct err *e)
{
	static const char *const keys[] = { "name", "version", "marker", "requires-python",
		"dependencies", "index", "vcs", "directory", "archive", "sdist", "wheels",
		"attestation-identities", "tool", NULL };
	struct pylock_entry entry = { .row = row };
	struct str name = STR_NULL;

	if (pylock_only(p, row, keys, e) || toml_need_str(row, "name", &name, e) ||
		lock_project(p->l, toml_get(row, "name"), name, &entry.name, e) ||
		read_version(p, &entry, e) ||
		pylock_marker(p, toml_get(row, "marker"), &entry.marker, e) ||
		read_python(p, &entry, e) || read_source(p, &entry, e)) {
		return -(int)e->rc;
	}
	*out = entry;
	return 0;
}

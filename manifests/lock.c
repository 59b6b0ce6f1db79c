#include "manifests/lock_reader.h"
#include "manifests/base/fs.h"
#include "manifests/base/uri.h"
#include "manifests/limits.h"
#include "manifests/name.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- what the readers need ---- */

static __attribute__((format(printf, 5, 0))) int fail_at(
	unsigned line, unsigned column, struct err *e, enum rc rc, const char *fmt, va_list args)
{
	char text[ERR_TEXT_MAX / 2];

	vsnprintf(text, sizeof(text), fmt, args);
	return err_set(e, rc, "line %u, column %u: %s", line, column, text);
}

int lock_fail(const struct toml *at, struct err *e, enum rc rc, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fail_at(at->line, at->column, e, rc, fmt, args);
	va_end(args);
	return -(int)rc;
}

int lock_fail_key(const struct toml *at, struct err *e, enum rc rc, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fail_at(at->line, at->key_column, e, rc, fmt, args);
	va_end(args);
	return -(int)rc;
}

int lock_wrap(const struct toml *at, struct err *e)
{
	return err_wrap(e, "line %u, column %u", at->line, at->column);
}

int lock_project(
	struct lock *l, const struct toml *at, struct str text, struct str *out, struct err *e)
{
	if (!name_is_valid(text)) {
		lock_fail(at, e, RC_INVALID, "\"%.*s\" is not a project's name",
			STR_ARG(str_first(text, 200)));
		return err_hint(e, "a name has letters and digits at both ends, and '.', '_', '-' "
				   "between; extras and versions have keys of their own");
	}
	*out = str_of(name_normalize(&l->arena, text));
	return 0;
}

static bool has_control(struct str text)
{
	for (size_t i = 0; i < text.n; i++) {
		if ((unsigned char)text.p[i] < 0x20 || text.p[i] == 0x7F) {
			return true;
		}
	}
	return false;
}

int lock_reason(const struct toml *at, struct str *out, struct err *e)
{
	struct str reason = str_trim(at->text);

	if (at->type != TOML_STRING || reason.n == 0) {
		return lock_fail(
			at, e, RC_INVALID, "a reason is needed: a text that says why, in quotes");
	}
	if (reason.n > LIMIT_REASON) {
		return lock_fail(at, e, RC_LIMIT, "a reason of %zu bytes, at most %d", reason.n,
			LIMIT_REASON);
	}
	if (has_control(reason)) {
		return lock_fail(at, e, RC_INVALID,
			"a reason is one line of text without control characters");
	}
	*out = reason;
	return 0;
}

int lock_place(struct lock *l, const struct toml *at, struct err *e)
{
	struct str url = at->text, scheme = uri_scheme(url);
	bool is_http = str_is(scheme, "https") || str_is(scheme, "http");

	if (is_http ? uri_host(url).n == 0 : !str_starts(url, "file:///")) {
		lock_fail(at, e, RC_INVALID, "\"%.300s\" is not a URL that files are fetched from",
			uri_redact(&l->arena, url));
		return err_hint(e, "https://, http:// and file:// with an absolute path are read");
	}
	if (has_control(url) || str_find(url, ' ') < url.n) {
		lock_fail(at, e, RC_INVALID, "white space or a control character in a URL");
		return err_hint(e, "write a space as %%20");
	}
	return 0;
}

int lock_url(struct lock *l, const struct toml *at, struct str *file, struct err *e)
{
	struct str url = at->text;

	if (lock_place(l, at, e)) {
		return -(int)e->rc;
	}
	char *name = uri_decode(&l->arena, uri_last_segment(url));
	if (!name || name[0] == '\0') {
		return lock_fail(at, e, RC_INVALID, "\"%.300s\" does not end in a file's name",
			uri_redact(&l->arena, url));
	}
	*file = str_of(name);
	return 0;
}

int lock_dist(struct lock *l, const struct toml *at, struct str file, struct str project,
	struct dist_name *out, struct err *e)
{
	bool is_wheel = str_ends(file, ".whl");

	if (is_wheel ? dist_name_parse(&l->arena, file, out, e)
		     : dist_name_parse_sdist(&l->arena, file, project, out, e)) {
		return lock_wrap(at, e);
	}
	return 0;
}

int lock_pin(struct lock *l, const struct toml *at, const struct version *v,
	struct specifier_set *out, struct err *e)
{
	CLEANUP_BUF struct buf text = BUF_INIT;

	buf_adds(&text, "==");
	version_format_public(v, &text);
	if (specifier_parse(&l->arena, arena_str(&l->arena, buf_str(&text)), out, e)) {
		return lock_wrap(at, e);
	}
	return 0;
}

const struct specifier *lock_pin_of(const struct specifier_set *set)
{
	const struct specifier *pin = NULL;

	for (size_t i = 0; i < set->n; i++) {
		const struct specifier *s = &set->v[i];
		bool is_exact = s->op == SPECIFIER_EQ || s->op == SPECIFIER_ARBITRARY;

		if (is_exact && !s->wildcard && s->version.nrelease &&
			(!pin || (!pin->version.nlocal && s->version.nlocal))) {
			pin = s;
		}
	}
	return pin;
}

struct lock_package *lock_add_packages(struct lock *l, size_t n)
{
	struct lock_package *all = arena_array(&l->arena, l->npackages + n, sizeof(*all));

	if (l->npackages) {
		memcpy(all, l->packages, l->npackages * sizeof(*all));
	}
	l->packages = all;
	return all + l->npackages;
}

/* ---- reading ---- */

/* Does its first line with something in it look like "name==1" or "--option"? */
static bool is_like_requirements(struct str text)
{
	struct str line = STR_NULL;

	while (str_cut(&text, '\n', &line)) {
		line = str_trim(line);
		if (line.n && line.p[0] != '#') {
			break;
		}
	}
	return str_starts(line, "-") || (str_has(line, "==") && str_find(line, '"') == line.n);
}

/* gpkg's locks are offered as they are, and some are no TOML. */
static int explain_syntax(struct str text, int r, struct err *e)
{
	if (r == -(int)RC_SYNTAX && str_starts(text, "# gpkg lockfile")) {
		err_hint(e,
			"gpkg writes descriptions without escaping: put a backslash before each "
			"quote and backslash inside \"...\"");
	} else if (r == -(int)RC_SYNTAX && is_like_requirements(text)) {
		err_hint(e, "a requirements file is known by its name, which ends in .txt or .in");
	}
	return r;
}

static int parse_tree(struct lock *l, struct str text, struct toml **root, struct err *e)
{
	int r = toml_parse(&l->arena, text, root, e);

	return r ? explain_syntax(text, r, e) : lock_kind_of(*root, &l->kind, e);
}

static bool is_foreign(enum lock_kind kind)
{
	return kind == LOCK_PYLOCK || kind == LOCK_UV || kind == LOCK_REQUIREMENTS;
}

/* Options that say something about another kind of lock were given by mistake. */
static int check_options(const struct lock *l, const struct lock_options *o, struct err *e)
{
	const struct target_spec *x = o->extra;
	bool has_machine = x && (x->glibc.n || x->musl.n || x->driver.n || x->ngpus);

	if (l->kind == LOCK_NATIVE && has_machine) {
		err_set(e, RC_USAGE, "a native lock describes its targets itself");
		return err_hint(e, "write glibc, musl, gpus and driver in [[target]]; the options "
				   "are for gpkg.lock.toml");
	}
	if (is_foreign(l->kind) && has_machine) {
		err_set(e, RC_USAGE, "options that are for gpkg.lock.toml");
		return err_hint(e, "name the machines with --targets FILE (gpkg-lock(5))");
	}
	if (!is_foreign(l->kind) && o->targets_file) {
		err_set(e, RC_USAGE, "this lock has targets of its own");
		return err_hint(e, "leave out --targets");
	}
	if (l->kind != LOCK_PYLOCK && l->kind != LOCK_UV &&
		(o->nextras || o->ngroups || o->no_default_groups)) {
		err_set(e, RC_USAGE, "this lock knows no extras and no dependency groups");
		return err_hint(
			e, "leave out --extra and --group; they are for pylock.toml and uv.lock");
	}
	if (l->kind != LOCK_STACKS && o->stack.n) {
		err_set(e, RC_USAGE, "this lock has no stacks");
		return err_hint(e, "leave out --stack; it is for gpkg's stacks.toml");
	}
	if (l->kind != LOCK_UV && (o->nprojects || o->all_projects)) {
		err_set(e, RC_USAGE, "this lock is of one project");
		return err_hint(e, "leave out --package and --all-packages; they are for uv.lock");
	}
	return 0;
}

static int read_rows(struct lock *l, const struct toml *root, struct str text,
	const struct lock_options *o, struct err *e)
{
	switch (l->kind) {
	case LOCK_GPKG:
		return lock_gpkg_read(l, root, o->extra, e);
	case LOCK_STACKS:
		return lock_stacks_read(l, root, o, e);
	case LOCK_PYLOCK:
		return lock_pylock_read(l, root, o, e);
	case LOCK_UV:
		return lock_uv_read(l, root, o, e);
	case LOCK_REQUIREMENTS:
		return lock_requirements_read(l, text, o, e);
	case LOCK_NATIVE:
		break;
	}
	return lock_native_read(l, root, l->path, o, e);
}

static bool is_requirements(struct str path)
{
	return str_ends(path, ".txt") || str_ends(path, ".in");
}

static int read_lock(struct lock *l, struct str text, const struct lock_options *o, struct err *e)
{
	const char *path = l->path.p;
	struct toml *root = NULL;
	int r = 0;

	if (is_requirements(l->path)) {
		l->kind = LOCK_REQUIREMENTS;
	} else {
		r = parse_tree(l, text, &root, e);
	}
	r = r ? r : check_options(l, o, e);
	if (r) {
		return err_wrap(e, "%s", path);
	}
	if (is_foreign(l->kind) && lock_targets_file(l, o, e)) {
		return -(int)e->rc;
	}
	size_t nother = l->npackages;
	l->is_closed = l->kind == LOCK_PYLOCK || l->kind == LOCK_UV;
	r = read_rows(l, root, text, o, e);
	r = r ? r : lock_check_rows(l, o->targets_file, nother, e);
	return r ? err_wrap(e, "%s", path) : 0;
}

int lock_parse(struct str text, const char *path, const struct lock_options *options,
	struct lock *out, struct err *e)
{
	static const struct lock_options none = { .extra = NULL };
	struct lock l = LOCK_INIT;

	if (text.n > LIMIT_LOCK) {
		err_set(e, RC_LIMIT, "%zu bytes, at most %d MiB", text.n, (int)(LIMIT_LOCK / MIB));
		return err_wrap(e, "%s", path);
	}
	l.path = arena_str(&l.arena, str_of(path));
	if (read_lock(&l, arena_str(&l.arena, text), options ? options : &none, e)) {
		arena_release(&l.arena);
		return -(int)e->rc;
	}
	*out = l;
	return 0;
}

int lock_read(const char *path, const struct lock_options *options, struct lock *out, struct err *e)
{
	CLEANUP_BUF struct buf text = BUF_INIT;

	if (fs_read(path, LIMIT_LOCK, &text, e)) {
		return -(int)e->rc;
	}
	return lock_parse(buf_str(&text), path, options, out, e);
}

static int parse_targets(
	struct lock *l, struct str text, const struct lock_options *o, struct err *e)
{
	struct toml *root = NULL;
	enum lock_kind kind = LOCK_NATIVE;

	if (toml_parse(&l->arena, text, &root, e) || lock_kind_of(root, &kind, e)) {
		return -(int)e->rc;
	}
	if (kind != LOCK_NATIVE) {
		err_set(e, RC_USAGE, "not a file of targets");
		return err_hint(
			e, "--targets takes a lock.toml with [[target]] tables: gpkg-lock(5)");
	}
	return lock_native_read(l, root, str_of(o->targets_file), o, e);
}

static const char *kind_name(enum lock_kind kind)
{
	return kind == LOCK_PYLOCK ? "a pylock.toml"
	       : kind == LOCK_UV   ? "a uv.lock"
				   : "a requirements file";
}

int lock_targets_file(struct lock *l, const struct lock_options *o, struct err *e)
{
	CLEANUP_BUF struct buf text = BUF_INIT;

	if (!o->targets_file) {
		err_set(e, RC_USAGE, "%.*s: %s does not say for which machines it is",
			STR_ARG(l->path), kind_name(l->kind));
		return err_hint(e, "name the machines with --targets FILE (gpkg-lock(5))");
	}
	if (fs_read(o->targets_file, LIMIT_LOCK, &text, e)) {
		return -(int)e->rc;
	}
	/* A later message quotes the file by its lines: its rows must not contradict each other. */
	if (parse_targets(l, arena_str(&l->arena, buf_str(&text)), o, e) ||
		lock_check_rows(l, NULL, 0, e)) {
		return err_wrap(e, "%s", o->targets_file);
	}
	return 0;
}

void lock_release(struct lock *l)
{
	arena_release(&l->arena);
	*l = (struct lock)LOCK_INIT;
}

/* ---- asking ---- */

const struct target *lock_target(const struct lock *l, struct str name)
{
	for (size_t i = 0; i < l->ntargets; i++) {
		if (str_eq(l->targets[i].name, name)) {
			return &l->targets[i];
		}
	}
	return NULL;
}

const struct lock_waiver *lock_waives(const struct lock *l, struct str project, struct str target)
{
	const struct lock_waiver *general = NULL;

	for (size_t i = 0; i < l->nwaivers; i++) {
		const struct lock_waiver *w = &l->waivers[i];

		if (!name_eq(w->name, project)) {
			continue;
		}
		if (w->target.n && str_eq(w->target, target)) {
			return w;
		}
		general = w->target.n ? general : w;
	}
	return general;
}

const struct lock_recipe *lock_recipe_of(const struct lock *l, struct str project)
{
	for (size_t i = 0; i < l->nrecipes; i++) {
		if (name_eq(l->recipes[i].name, project)) {
			return &l->recipes[i];
		}
	}
	return NULL;
}

const struct lock_override *lock_override_of(const struct lock *l, struct str project)
{
	for (size_t i = 0; i < l->noverrides; i++) {
		if (name_eq(l->overrides[i].name, project)) {
			return &l->overrides[i];
		}
	}
	return NULL;
}

bool lock_excludes(const struct lock *l, struct str project)
{
	const struct lock_override *o = lock_override_of(l, project);

	return o && o->is_exclude;
}

const struct lock_source *lock_source_of(const struct lock *l, struct str project)
{
	for (size_t i = 0; i < l->nsources; i++) {
		if (name_eq(l->sources[i].name, project)) {
			return &l->sources[i];
		}
	}
	return NULL;
}

const struct specifier *lock_package_pin(const struct lock_package *p)
{
	return lock_pin_of(&p->req.specifiers);
}

bool lock_package_is_for(const struct lock_package *p, const struct target *t)
{
	for (size_t i = 0; i < p->ntargets; i++) {
		if (str_eq(p->targets[i], t->name)) {
			return true;
		}
	}
	return p->ntargets == 0;
}

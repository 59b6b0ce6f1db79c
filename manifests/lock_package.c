/* What a native lock asks for: [[package]], packages = [...], and the constraints beside them. */
#include "manifests/lock_reader.h"
#include "manifests/limits.h"
#include "manifests/name.h"

#include <string.h>

/* ---- versions ---- */

/* "==1, ==2": no version is both. */
static int check_pin(const struct toml *at, const struct specifier_set *set, struct err *e)
{
	const struct specifier *pin = lock_pin_of(set);

	if (pin && !specifier_contains(set, &pin->version)) {
		return lock_fail(at, e, RC_INVALID, "\"%.*s\" contradicts itself",
			STR_ARG(str_first(at->text, 200)));
	}
	return 0;
}

int lock_specifiers(struct lock *l, const struct toml *at, struct specifier_set *out, struct err *e)
{
	struct specifier_set set = { .n = 0 };
	struct err scratch = ERR_INIT;
	struct version bare;

	if (version_parse(&l->arena, at->text, &bare, &scratch) == 0) {
		lock_fail(at, e, RC_INVALID, "\"%.*s\" is a version, not a specifier",
			STR_ARG(at->text));
		return err_hint(e, "write version = \"==%.*s\"", STR_ARG(bare.raw));
	}
	if (!str_is(str_trim(at->text), "*") && specifier_parse(&l->arena, at->text, &set, e)) {
		return lock_wrap(at, e);
	}
	if (check_pin(at, &set, e)) {
		return -(int)e->rc;
	}
	*out = set;
	return 0;
}

/* ---- [[package]] ---- */

void lock_spell(struct lock *l, struct requirement *r)
{
	CLEANUP_BUF struct buf raw = BUF_INIT;

	requirement_format(r, &raw);
	r->raw = arena_str(&l->arena, buf_str(&raw));
}

static int read_extras(struct lock *l, const struct toml *row, struct requirement *r, struct err *e)
{
	const struct toml *v = toml_get(row, "extras");
	struct str *list = NULL;
	size_t n = 0;

	if (toml_opt_strs(&l->arena, row, "extras", true, &list, &n, e)) {
		return -(int)e->rc;
	}
	for (size_t i = 0; i < n; i++) {
		size_t j = 0;

		if (!name_is_valid(list[i])) {
			return lock_fail(v, e, RC_INVALID, "\"%.*s\" is not the name of an extra",
				STR_ARG(str_first(list[i], 200)));
		}
		struct str extra = str_of(name_normalize(&l->arena, list[i]));
		while (j < r->nextras && !str_eq(list[j], extra)) {
			j++;
		}
		if (j == r->nextras) {
			list[r->nextras++] = extra;
		}
	}
	r->extras = list;
	return 0;
}

static int read_version(
	struct lock *l, const struct toml *row, struct requirement *r, struct err *e)
{
	struct str text = STR_NULL;

	if (toml_opt_str(row, "version", &text, e)) {
		return -(int)e->rc;
	}
	return toml_get(row, "version")
		       ? lock_specifiers(l, toml_get(row, "version"), &r->specifiers, e)
		       : 0;
}

/* A pin without a local part means every build of its version, one with another local part may
 * mean a renamed file. */
static bool is_version_of(const struct specifier_set *set, const struct version *v)
{
	const struct specifier *pin = lock_pin_of(set);

	return pin ? version_cmp_public(v, &pin->version) == 0 : specifier_contains(set, v);
}

int lock_package_url(struct lock *l, const struct toml *at, struct lock_package *p, struct err *e)
{
	CLEANUP_BUF struct buf wanted = BUF_INIT;
	struct dist_name file = { .kind = DIST_WHEEL };

	p->url = at->text;
	if (lock_url(l, at, &p->file, e) || lock_dist(l, at, p->file, p->req.name, &file, e)) {
		return -(int)e->rc;
	}
	if (!str_eq(file.name, p->req.name)) {
		return lock_fail(at, e, RC_INVALID, "the file %.*s is of %.*s, not of %.*s",
			STR_ARG(p->file), STR_ARG(file.name), STR_ARG(p->req.name));
	}
	if (!is_version_of(&p->req.specifiers, &file.version)) {
		specifier_format(&p->req.specifiers, &wanted);
		return lock_fail(at, e, RC_INVALID, "the version of the file %.*s is not %.*s",
			STR_ARG(p->file), STR_ARG(buf_str(&wanted)));
	}
	return lock_pin(l, at, &file.version, &p->req.specifiers, e);
}

static int read_package_url(
	struct lock *l, const struct toml *row, struct lock_package *p, struct err *e)
{
	struct str url = STR_NULL;

	if (toml_opt_str(row, "url", &url, e)) {
		return -(int)e->rc;
	}
	return toml_get(row, "url") ? lock_package_url(l, toml_get(row, "url"), p, e) : 0;
}

static int read_package_targets(
	struct lock *l, const struct toml *row, struct lock_package *p, struct err *e)
{
	const struct toml *v = toml_get(row, "targets");

	if (toml_opt_strs(&l->arena, row, "targets", true, &p->targets, &p->ntargets, e)) {
		return -(int)e->rc;
	}
	if (v && p->ntargets == 0) {
		lock_fail(v, e, RC_INVALID, "%.*s is for no target", STR_ARG(p->req.name));
		return err_hint(e, "leave the key targets out where every target is meant");
	}
	for (size_t i = 0; i < p->ntargets; i++) {
		if (!lock_target(l, p->targets[i])) {
			return lock_unknown_target(l, v, p->targets[i], e);
		}
	}
	return 0;
}

static int read_use(const struct toml *row, enum lock_use *out, struct err *e)
{
	struct str use = STR_NULL;

	if (toml_opt_str(row, "use", &use, e)) {
		return -(int)e->rc;
	}
	if (toml_get(row, "use") && !str_is(use, "build")) {
		lock_fail(toml_get(row, "use"), e, RC_INVALID, "use = \"%.*s\" is not known",
			STR_ARG(str_first(use, 100)));
		return err_hint(e,
			"use = \"build\" is for build environments only; leave it out for "
			"packages to install");
	}
	*out = use.n ? LOCK_BUILD : LOCK_RUN;
	return 0;
}

static int read_marker(struct lock *l, const struct toml *row, struct requirement *r, struct err *e)
{
	struct str text = STR_NULL;

	if (toml_opt_str(row, "marker", &text, e)) {
		return -(int)e->rc;
	}
	if (text.n && marker_parse(&l->arena, text, &r->marker, e)) {
		return lock_wrap(toml_get(row, "marker"), e);
	}
	return 0;
}

static int read_package(
	struct lock *l, const struct toml *row, struct lock_package *p, struct err *e)
{
	static const char *const keys[] = { "name", "version", "marker", "extras", "targets", "use",
		"url", NULL };
	static const char *const frozen_keys[] = { "name", "version", "extras", "targets", "use",
		"file", "dependency", "build", NULL };
	struct str name = STR_NULL;

	p->line = row->line;
	if (toml_only(row, l->is_frozen ? frozen_keys : keys, e) ||
		toml_need_str(row, "name", &name, e) ||
		lock_project(l, toml_get(row, "name"), name, &p->req.name, e) ||
		read_extras(l, row, &p->req, e) || read_marker(l, row, &p->req, e) ||
		read_use(row, &p->use, e) || read_package_targets(l, row, p, e) ||
		read_version(l, row, &p->req, e) || read_package_url(l, row, p, e)) {
		return -(int)e->rc;
	}
	lock_spell(l, &p->req);
	return 0;
}

/* ---- texts of requirements ---- */

/* The elements of a list of texts; none where the key is absent. */
static int read_texts(struct lock *l, const struct toml *root, const char *key,
	const struct toml **first, size_t *n, struct err *e)
{
	const struct toml *list = toml_get(root, key);
	struct str *ignored = NULL;

	if (toml_opt_strs(&l->arena, root, key, false, &ignored, n, e)) {
		return err_hint(
			e, "%s = [\"numpy>=2\", ...]; a table of a package is [[package]]", key);
	}
	if (*n > LIMIT_CLOSURE) {
		return lock_fail(
			list, e, RC_LIMIT, "%zu in the list, at most %d", *n, LIMIT_CLOSURE);
	}
	*first = list ? list->first : NULL;
	return 0;
}

/* The message of the parser would quote a password. */
static int read_requirement(
	struct lock *l, const struct toml *at, struct requirement *out, struct err *e)
{
	if (requirement_parse(&l->arena, at->text, out, e)) {
		if (str_has(at->text, "://")) {
			err_clear(e);
			err_set(e, RC_SYNTAX, "not a requirement with a URL");
			err_hint(e, "write \"name @ https://... ; marker\"");
		}
		err_hint(e, "a requirement is written \"name[extra]>=2; marker\"");
		return lock_wrap(at, e);
	}
	return check_pin(at, &out->specifiers, e);
}

static int read_text_package(
	struct lock *l, const struct toml *at, struct lock_package *p, struct err *e)
{
	struct toml url = *at;

	p->line = at->line;
	if (read_requirement(l, at, &p->req, e)) {
		return -(int)e->rc;
	}
	url.text = p->req.url;
	p->req.url = STR_NULL;
	if (url.text.n && lock_package_url(l, &url, p, e)) {
		return -(int)e->rc;
	}
	lock_spell(l, &p->req);
	return 0;
}

int lock_packages_read(struct lock *l, const struct toml *root, struct err *e)
{
	const struct toml *list = toml_get(root, "package"), *row = NULL, *text = NULL;
	size_t n = 0;

	if (toml_opt_tables(root, "package", &row, e) ||
		read_texts(l, root, "packages", &text, &n, e)) {
		return -(int)e->rc;
	}
	if (l->is_frozen && text) {
		return lock_fail(text, e, RC_INVALID, "a row with a file is needed here");
	}
	l->packages = arena_array(&l->arena, n + (list ? list->count : 0), sizeof(*l->packages));
	for (; text; text = text->next) {
		if (read_text_package(l, text, &l->packages[l->npackages], e)) {
			return -(int)e->rc;
		}
		l->npackages++;
	}
	for (; row; row = row->next) {
		if (read_package(l, row, &l->packages[l->npackages], e)) {
			return -(int)e->rc;
		}
		l->npackages++;
	}
	return 0;
}

/* ---- constraints, build-constraints ---- */

struct lock_constraint *lock_add_constraints(struct lock *l, size_t n)
{
	struct lock_constraint *all = arena_array(&l->arena, l->nconstraints + n, sizeof(*all));

	if (l->nconstraints) {
		memcpy(all, l->constraints, l->nconstraints * sizeof(*all));
	}
	l->constraints = all;
	return all + l->nconstraints;
}

static int read_constraint(struct lock *l, const struct toml *at, struct str path,
	struct lock_constraint *c, struct err *e)
{
	bool is_own = str_eq(path, l->path);

	if (read_requirement(l, at, &c->req, e)) {
		return -(int)e->rc;
	}
	if (c->req.nextras || c->req.url.n || c->req.specifiers.n == 0) {
		lock_fail(at, e, RC_INVALID,
			"a constraint is a name and versions, as in \"numpy<2\"");
		return err_hint(e, "files and extras stand in [[package]] or packages = [...]");
	}
	lock_spell(l, &c->req);
	c->where =
		str_of(is_own ? arena_printf(&l->arena, "line %u", at->line)
			      : arena_printf(&l->arena, "%.*s: line %u", STR_ARG(path), at->line));
	return 0;
}

static int read_constraints(
	struct lock *l, const struct toml *root, const char *key, struct str path, struct err *e)
{
	const struct toml *at = NULL;
	size_t n = 0;

	if (read_texts(l, root, key, &at, &n, e)) {
		return -(int)e->rc;
	}
	struct lock_constraint *to = lock_add_constraints(l, n);
	for (; at; at = at->next, to++) {
		to->is_build = strcmp(key, "build-constraints") == 0;
		if (read_constraint(l, at, path, to, e)) {
			return -(int)e->rc;
		}
		l->nconstraints++;
	}
	return 0;
}

int lock_constraints_read(struct lock *l, const struct toml *root, struct str path, struct err *e)
{
	if (read_constraints(l, root, "constraints", path, e) ||
		read_constraints(l, root, "build-constraints", path, e)) {
		return -(int)e->rc;
	}
	return 0;
}

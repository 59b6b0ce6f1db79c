/* pylock.toml (PEP 751): a flat list of packages with markers, evaluated here for each target. */
#include "manifests/lock_pylock.h"
#include "manifests/base/mem.h"
#include "manifests/limits.h"
#include "manifests/name.h"

#include <inttypes.h>
#include <stdlib.h>

enum { PYLOCK_MAJOR = 1 };

struct names {
	struct str *v;
	size_t n;
};

struct head {
	struct names extras, groups, defaults; /* that the lock knows */
	struct names chosen;                   /* groups, for markers */
	struct specifier_set python;
	const struct marker **environments;
	size_t nenvironments;
};

struct machine { /* a target, as markers see it */
	const struct target *t;
	struct marker_env env;
	struct version python;
};

int pylock_only(
	const struct pylock *p, const struct toml *table, const char *const *keys, struct err *e)
{
	return p->is_newer ? 0 : toml_only(table, keys, e);
}

int pylock_marker(struct pylock *p, const struct toml *at, const struct marker **out, struct err *e)
{
	const struct marker *m = NULL;

	if (!at) {
		return 0;
	}
	if (at->type != TOML_STRING) {
		return lock_fail(at, e, RC_SYNTAX, "a marker is a string");
	}
	if (marker_parse(&p->l->arena, at->text, &m, e)) {
		return lock_wrap(at, e);
	}
	if (marker_names(m, MARKER_EXTRA)) {
		lock_fail(at, e, RC_INVALID, "\"extra\" has no value in a lock");
		return err_hint(e, "PEP 751 writes \"NAME\" in extras");
	}
	*out = m;
	return 0;
}

/* ---- the head ---- */

static int read_lock_version(struct pylock *p, const struct toml *root, struct err *e)
{
	const struct toml *at = toml_get(root, "lock-version");
	struct str text = STR_NULL, major = STR_NULL;
	uint64_t number = 0, minor = 0;

	if (toml_need_str(root, "lock-version", &text, e)) {
		return -(int)e->rc;
	}
	struct str rest = text;
	str_cut(&rest, '.', &major);
	if (!str_to_u64(major, &number) || !str_to_u64(rest, &minor)) {
		return lock_fail(at, e, RC_SYNTAX, "lock-version is \"1.0\", not \"%.*s\"",
			STR_ARG(str_first(text, 50)));
	}
	if (number != PYLOCK_MAJOR) {
		lock_fail(at, e, RC_UNSUPPORTED,
			"a pylock.toml of lock-version %.*s; this version of the program reads "
			"%d.x",
			STR_ARG(text), PYLOCK_MAJOR);
		return err_hint(e,
			"use a newer gpkg-bundle, or write the lock as %d.0: "
			"`uv export --format pylock.toml`",
			PYLOCK_MAJOR);
	}
	p->is_newer = minor > 0;
	return 0;
}

static int read_names(struct pylock *p, const struct toml *root, const char *key, struct names *out,
	struct err *e)
{
	if (toml_opt_strs(&p->l->arena, root, key, false, &out->v, &out->n, e)) {
		return -(int)e->rc;
	}
	for (size_t i = 0; i < out->n; i++) {
		if (!name_is_valid(out->v[i])) {
			return lock_fail(toml_get(root, key), e, RC_INVALID,
				"\"%.*s\" is no name for %s", STR_ARG(str_first(out->v[i], 200)),
				key);
		}
		out->v[i] = str_of(name_normalize(&p->l->arena, out->v[i]));
	}
	return 0;
}

static int read_environments(
	struct pylock *p, const struct toml *root, struct head *h, struct err *e)
{
	const struct toml *list = toml_get(root, "environments");
	struct str *unused = NULL;

	if (toml_opt_strs(
		    &p->l->arena, root, "environments", false, &unused, &h->nenvironments, e)) {
		return -(int)e->rc;
	}
	h->environments = arena_array(&p->l->arena, h->nenvironments, sizeof(*h->environments));
	const struct toml *at = list ? list->first : NULL;
	for (size_t i = 0; at; at = at->next, i++) {
		if (pylock_marker(p, at, &h->environments[i], e)) {
			return -(int)e->rc;
		}
	}
	return 0;
}

static int read_head(struct pylock *p, const struct toml *root, struct head *h, struct err *e)
{
	static const char *const keys[] = { "lock-version", "environments", "requires-python",
		"extras", "dependency-groups", "default-groups", "created-by", "packages", "tool",
		NULL };
	struct str tool = STR_NULL, python = STR_NULL;

	if (read_lock_version(p, root, e) || pylock_only(p, root, keys, e) ||
		toml_need_str(root, "created-by", &tool, e) ||
		toml_opt_str(root, "requires-python", &python, e) ||
		read_environments(p, root, h, e) || read_names(p, root, "extras", &h->extras, e) ||
		read_names(p, root, "dependency-groups", &h->groups, e) ||
		read_names(p, root, "default-groups", &h->defaults, e)) {
		return -(int)e->rc;
	}
	if (specifier_parse(&p->l->arena, python, &h->python, e)) {
		return lock_wrap(toml_get(root, "requires-python"), e);
	}
	if (!toml_get(root, "packages")) {
		return lock_fail(root, e, RC_SYNTAX, "the key \"packages\" is missing");
	}
	return 0;
}

/* ---- what was asked for ---- */

static bool has_name(const struct names *names, struct str name)
{
	for (size_t i = 0; i < names->n; i++) {
		if (str_eq(names->v[i], name)) {
			return true;
		}
	}
	return false;
}

static int refuse_name(const struct toml *root, const char *key, const char *what, struct str name,
	const struct names *known, struct err *e)
{
	CLEANUP_BUF struct buf list = BUF_INIT;
	const struct toml *at = toml_get(root, key);

	for (size_t i = 0; i < known->n && list.n < 400; i++) {
		buf_addf(&list, "%s%.*s", i ? ", " : "", STR_ARG(known->v[i]));
	}
	if (!known->n) {
		return lock_fail(root, e, RC_USAGE, "there is no %s \"%.*s\": the lock has none",
			what, STR_ARG(str_first(name, 100)));
	}
	return lock_fail(at ? at : root, e, RC_USAGE, "there is no %s \"%.*s\"; there are %.*s",
		what, STR_ARG(str_first(name, 100)), STR_ARG(buf_str(&list)));
}

static struct names joined(struct arena *a, const struct names *x, const struct names *y)
{
	struct names all = { .v = arena_array(a, x->n + y->n, sizeof(*all.v)) };

	for (size_t i = 0; i < x->n; i++) {
		all.v[all.n++] = x->v[i];
	}
	for (size_t i = 0; i < y->n; i++) {
		if (!has_name(x, y->v[i])) {
			all.v[all.n++] = y->v[i];
		}
	}
	return all;
}

static int choose_groups(struct pylock *p, const struct toml *root, const struct lock_options *o,
	struct head *h, struct err *e)
{
	struct arena *a = &p->l->arena;
	struct names known = joined(a, &h->groups, &h->defaults), none = { .n = 0 };
	struct names asked = { .v = arena_strs(a, o->groups, o->ngroups), .n = o->ngroups };

	for (size_t i = 0; i < o->nextras; i++) {
		if (!has_name(&h->extras, o->extras[i])) {
			return refuse_name(root, "extras", "extra", o->extras[i], &h->extras, e);
		}
	}
	for (size_t i = 0; i < o->ngroups; i++) {
		if (!has_name(&known, o->groups[i])) {
			return refuse_name(root, "dependency-groups", "dependency group",
				o->groups[i], &known, e);
		}
	}
	h->chosen = joined(a, o->no_default_groups ? &none : &h->defaults, &asked);
	return 0;
}

/* ---- is the lock for this target? ---- */

/* `what` is "the lock" or a package with its place. */
static int refuse_python(
	const struct toml *at, const struct machine *m, const char *what, struct err *e)
{
	struct arena a = ARENA_INIT;

	lock_fail(at, e, RC_INVALID, "%s requires Python %.*s, the target %.*s has %s", what,
		STR_ARG(str_first(at->text, 200)), STR_ARG(m->t->name),
		target_python_text(&a, &m->t->python));
	arena_release(&a);
	if (!m->t->python.has_patch) {
		return err_hint(e,
			"lock for this Python too, or leave the target out; python = "
			"\"%u.%u\" counts as %u.%u.0: give the patch level if that is it",
			m->t->python.major, m->t->python.minor, m->t->python.major,
			m->t->python.minor);
	}
	return err_hint(e, "lock for this Python too, or leave the target out");
}

static int check_environments(
	const struct toml *root, const struct head *h, const struct machine *m, struct err *e)
{
	const struct toml *list = toml_get(root, "environments");
	const struct toml *at = list ? list->first : NULL;
	bool holds = h->nenvironments == 0;

	for (size_t i = 0; i < h->nenvironments && !holds; i++, at = at->next) {
		if (marker_decide(h->environments[i], &m->env, NULL, 0, &holds, e)) {
			return lock_wrap(at, e);
		}
	}
	if (!holds) {
		lock_fail(list, e, RC_INVALID,
			"the lock is not for the target %.*s: none of its environments holds there",
			STR_ARG(m->t->name));
		return err_hint(e, "lock for this environment too, or leave the target out");
	}
	return 0;
}

/* ---- what a target gets ---- */

static int choose_entry(
	const struct pylock_entry *entry, const struct machine *m, bool *out, struct err *e)
{
	const struct toml *row = entry->row;
	bool is_chosen = true;

	if (marker_decide(entry->marker, &m->env, NULL, 0, &is_chosen, e)) {
		return lock_wrap(toml_get(row, "marker"), e);
	}
	if (is_chosen && !specifier_contains(&entry->python, &m->python)) {
		return refuse_python(toml_get(row, "requires-python"), m, entry->name.p, e);
	}
	if (is_chosen && entry->obstacle.n) {
		lock_fail(row, e, RC_UNSUPPORTED,
			"%.*s is %.*s, which a bundle cannot carry; the target %.*s needs it",
			STR_ARG(entry->name), STR_ARG(entry->obstacle), STR_ARG(m->t->name));
		return err_hint(e, "build a wheel of it and lock that file, or leave the package "
				   "out of the lock");
	}
	*out = is_chosen;
	return 0;
}

struct selection {
	struct pylock_entry *v;
	const struct pylock_entry **sorted; /* by name, then as written */
	size_t n, ntargets;
	bool *is_for; /* [entry * ntargets + target] */
};

static int by_name(const void *a, const void *b)
{
	const struct pylock_entry *x = *(const struct pylock_entry *const *)a;
	const struct pylock_entry *y = *(const struct pylock_entry *const *)b;
	int order = str_cmp(x->name, y->name);

	return order ? order : (x > y) - (x < y);
}

/* PEP 751: of the entries of one name at most one may be left. */
static int check_twice(
	const struct selection *s, size_t target, const struct machine *m, struct err *e)
{
	const struct pylock_entry *last = NULL;
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct pylock_entry *entry = s->sorted[i];

		if (!s->is_for[(size_t)(entry - s->v) * s->ntargets + target]) {
			continue;
		}
		if (last && str_eq(last->name, entry->name)) {
			lock_fail(entry->row, e, RC_INVALID,
				"%.*s stands twice for the target %.*s: here and in line %u",
				STR_ARG(entry->name), STR_ARG(m->t->name), last->row->line);
			return err_hint(e, "lock again: the markers of the two must exclude each "
					   "other");
		}
		last = entry;
		n++;
	}
	if (n > LIMIT_CLOSURE) {
		return lock_fail(last->row, e, RC_LIMIT,
			"%zu packages for the target %.*s, at most %d", n, STR_ARG(m->t->name),
			LIMIT_CLOSURE);
	}
	return 0;
}

static int choose_for_target(struct pylock *p, const struct toml *root, const struct head *h,
	const struct lock_options *o, struct selection *s, size_t target, struct err *e)
{
	struct machine m = { .t = &p->l->targets[target] };

	target_marker_env(&p->l->arena, m.t, &m.env);
	m.env.extras = o->extras;
	m.env.nextras = o->nextras;
	m.env.dependency_groups = h->chosen.v;
	m.env.ndependency_groups = h->chosen.n;
	if (version_parse(&p->l->arena, m.env.value[MARKER_PYTHON_FULL_VERSION], &m.python, e)) {
		return -(int)e->rc;
	}
	if (!specifier_contains(&h->python, &m.python)) {
		return refuse_python(toml_get(root, "requires-python"), &m, "the lock", e);
	}
	if (check_environments(root, h, &m, e)) {
		return -(int)e->rc;
	}
	for (size_t i = 0; i < s->n; i++) {
		if (choose_entry(&s->v[i], &m, &s->is_for[i * s->ntargets + target], e)) {
			return -(int)e->rc;
		}
	}
	return check_twice(s, target, &m, e);
}

/* ---- rows ---- */

static void make_row(struct lock *l, const struct pylock_entry *entry, const bool *is_for,
	struct lock_package *out)
{
	CLEANUP_BUF struct buf raw = BUF_INIT;
	size_t n = 0;

	*out = (struct lock_package){ .req = { .name = entry->name, .specifiers = entry->pin },
		.files = entry->files,
		.nfiles = entry->nfiles,
		.line = entry->row->line };
	for (size_t i = 0; i < l->ntargets; i++) {
		n += is_for[i];
	}
	out->targets = arena_array(&l->arena, n, sizeof(*out->targets));
	for (size_t i = 0; i < l->ntargets; i++) {
		if (is_for[i]) {
			out->targets[out->ntargets++] = l->targets[i].name;
		}
	}
	requirement_format(&out->req, &raw);
	out->req.raw = arena_str(&l->arena, buf_str(&raw));
}

static void make_rows(struct lock *l, const struct selection *s)
{
	struct lock_package *rows = lock_add_packages(l, s->n);
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		const bool *is_for = &s->is_for[i * s->ntargets];
		bool is_needed = false;

		for (size_t t = 0; t < s->ntargets && !is_needed; t++) {
			is_needed = is_for[t];
		}
		if (is_needed) {
			make_row(l, &s->v[i], is_for, &rows[n++]);
		}
	}
	l->npackages += n;
}

static int choose(struct pylock *p, const struct toml *root, const struct head *h,
	const struct lock_options *o, struct pylock_entry *entries, size_t n, struct err *e)
{
	CLEANUP(free) bool *is_for = mem_array(n + 1, p->l->ntargets * sizeof(*is_for));
	CLEANUP(free) const struct pylock_entry **sorted = mem_array(n + 1, sizeof(*sorted));
	struct selection s = { entries, sorted, n, p->l->ntargets, is_for };
	int r = 0;

	for (size_t i = 0; i < n; i++) {
		sorted[i] = &entries[i];
	}
	qsort(sorted, n, sizeof(*sorted), by_name);
	for (size_t i = 0; !r && i < s.ntargets; i++) {
		r = choose_for_target(p, root, h, o, &s, i, e);
	}
	if (!r) {
		make_rows(p->l, &s);
	}
	return r;
}

int lock_pylock_read(
	struct lock *l, const struct toml *root, const struct lock_options *o, struct err *e)
{
	struct pylock p = { .l = l };
	struct head head = { .nenvironments = 0 };
	const struct toml *row = NULL, *list = toml_get(root, "packages");
	size_t n = 0;

	if (read_head(&p, root, &head, e) || choose_groups(&p, root, o, &head, e) ||
		toml_opt_tables(root, "packages", &row, e)) {
		return -(int)e->rc;
	}
	struct pylock_entry *entries = arena_array(&l->arena, list->count, sizeof(*entries));
	for (; row; row = row->next) {
		if (pylock_entry_read(&p, row, &entries[n++], e)) {
			return -(int)e->rc;
		}
	}
	return choose(&p, root, &head, o, entries, n, e);
}

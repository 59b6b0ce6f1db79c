#include "manifests/lock_reader.h"
#include "manifests/base/mem.h"
#include "manifests/base/uri.h"
#include "manifests/limits.h"

#include <stdlib.h>

int lock_unknown_target(const struct lock *l, const struct toml *at, struct str name, struct err *e)
{
	CLEANUP_BUF struct buf known = BUF_INIT;

	for (size_t i = 0; i < l->ntargets && known.n < 300; i++) {
		buf_addf(&known, "%s%.*s", i ? ", " : "", STR_ARG(l->targets[i].name));
	}
	return lock_fail(at, e, RC_INVALID, "there is no target \"%.*s\"; the targets are %.*s",
		STR_ARG(str_first(name, 100)), STR_ARG(buf_str(&known)));
}

/* By project and use, then as written. */
static int by_project(const void *a, const void *b)
{
	const struct lock_package *x = *(const struct lock_package *const *)a;
	const struct lock_package *y = *(const struct lock_package *const *)b;
	int order = str_cmp(x->req.name, y->req.name);

	if (order == 0) {
		order = (int)x->use - (int)y->use;
	}
	return order ? order : (x > y) - (x < y);
}

static bool is_same_project(const struct lock_package *a, const struct lock_package *b)
{
	return a->use == b->use && str_eq(a->req.name, b->req.name);
}

/* "==2.11.0" and "==2.11.0+cu130" agree. */
static bool is_same_version(const struct version *a, const struct version *b)
{
	return a->nlocal && b->nlocal ? version_cmp(a, b) == 0 : version_cmp_public(a, b) == 0;
}

/* The rows of one run of lock_check_rows, by project, and whose lines the first ones count. */
struct row_check {
	const struct lock_package **sorted;
	const struct lock_package *end_of_other;
	const char *other;
	bool is_frozen; /* then each build environment may have a version of its own */
};

/* `x` and `y` are requirements or URLs; `b` stands behind `a`. */
static int refuse_pair(const struct row_check *c, const struct lock_package *a,
	const struct lock_package *b, struct str x, struct str y, const struct target *t,
	struct err *e)
{
	struct arena arena = ARENA_INIT;
	bool is_other = a < c->end_of_other;

	err_set(e, RC_INVALID,
		"line %u, column 1: %.400s and %.400s (%.400s%sline %u) both apply to the target "
		"%.*s",
		b->line, uri_redact(&arena, y), uri_redact(&arena, x), is_other ? c->other : "",
		is_other ? ", " : "", a->line, STR_ARG(t->name));
	arena_release(&arena);
	return err_hint(e, "tell them apart with targets = [...] or marker, or delete one");
}

/* The rows of one project that apply add up, but have one exact version and one URL at most. */
static int check_group(const struct row_check *c, size_t from, size_t end, const struct target *t,
	const struct marker_env *env, struct err *e)
{
	const struct lock_package *first = NULL, *first_url = NULL;
	const struct specifier *first_pin = NULL;

	for (size_t i = from; i < end; i++) {
		const struct lock_package *p = c->sorted[i];
		const struct specifier *pin = lock_package_pin(p);

		if (!lock_package_is_for(p, t) || !marker_eval(p->req.marker, env, NULL, 0)) {
			continue;
		}
		if (first_pin && pin && !is_same_version(&first_pin->version, &pin->version)) {
			return refuse_pair(c, first, p, first->req.raw, p->req.raw, t, e);
		}
		if (first_url && p->url.n && !str_eq(first_url->url, p->url)) {
			return refuse_pair(c, first_url, p, first_url->url, p->url, t, e);
		}
		if (pin && (!first_pin || pin->version.nlocal)) {
			first = p;
			first_pin = pin;
		}
		first_url = first_url || !p->url.n ? first_url : p;
	}
	return 0;
}

static int check_target(const struct row_check *c, size_t n, const struct target *t, struct err *e)
{
	struct arena arena = ARENA_INIT;
	struct marker_env env;
	int r = 0;

	target_marker_env(&arena, t, &env);
	for (size_t i = 0, end; !r && i < n; i = end) {
		for (end = i + 1; end < n && is_same_project(c->sorted[i], c->sorted[end]); end++) {
		}
		bool is_free = c->is_frozen && c->sorted[i]->use == LOCK_BUILD;
		r = end - i > 1 && !is_free ? check_group(c, i, end, t, &env, e) : 0;
	}
	arena_release(&arena);
	return r;
}

int lock_check_rows(const struct lock *l, const char *other, size_t nother, struct err *e)
{
	CLEANUP(free)
	const struct lock_package **sorted = mem_array(l->npackages + 1, sizeof(*sorted));
	const struct row_check check = { sorted, nother ? l->packages + nother : NULL, other,
		l->is_frozen };
	int r = 0;

	for (size_t i = 0; i < l->npackages; i++) {
		sorted[i] = &l->packages[i];
	}
	qsort(sorted, l->npackages, sizeof(*sorted), by_project);
	for (size_t i = 0; !r && i < l->ntargets; i++) {
		r = check_target(&check, l->npackages, &l->targets[i], e);
	}
	return r;
}

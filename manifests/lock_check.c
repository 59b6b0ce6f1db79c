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

/* Every row is pinned: a URL's row by its file's version. */
static bool is_same_version(const struct lock_package *a, const struct lock_package *b)
{
	return version_cmp(&a->req.specifiers.v[0].version, &b->req.specifiers.v[0].version) == 0;
}

/* `x` and `y` are requirements or URLs. */
static int refuse_pair(const struct lock_package *a, const struct lock_package *b, struct str x,
	struct str y, const struct target *t, struct err *e)
{
	struct arena arena = ARENA_INIT;

	err_set(e, RC_INVALID,
		"line %u, column 1: %.400s and %.400s (line %u) both apply to the target %.*s",
		b->line, uri_redact(&arena, y), uri_redact(&arena, x), a->line, STR_ARG(t->name));
	arena_release(&arena);
	return err_hint(e, "tell them apart with targets = [...] or marker, or delete one");
}

/* The rows of one project that apply: one version, and at most one URL. */
static int check_group(struct lock_package **rows, size_t n, const struct target *t,
	const struct marker_env *env, struct err *e)
{
	const struct lock_package *first = NULL, *first_url = NULL;

	for (size_t i = 0; i < n; i++) {
		const struct lock_package *p = rows[i];

		if (!lock_package_is_for(p, t) || !marker_eval(p->req.marker, env, NULL, 0)) {
			continue;
		}
		if (first && !is_same_version(first, p)) {
			return refuse_pair(first, p, first->req.raw, p->req.raw, t, e);
		}
		if (first_url && p->url.n && !str_eq(first_url->url, p->url)) {
			return refuse_pair(first_url, p, first_url->url, p->url, t, e);
		}
		first = first ? first : p;
		first_url = first_url || !p->url.n ? first_url : p;
	}
	return 0;
}

static int check_target(
	struct lock_package **sorted, size_t n, const struct target *t, struct err *e)
{
	struct arena arena = ARENA_INIT;
	struct marker_env env;
	int r = 0;

	target_marker_env(&arena, t, &env);
	for (size_t i = 0, end; !r && i < n; i = end) {
		for (end = i + 1; end < n && is_same_project(sorted[i], sorted[end]); end++) {
		}
		r = end - i > 1 ? check_group(sorted + i, end - i, t, &env, e) : 0;
	}
	arena_release(&arena);
	return r;
}

int lock_check_rows(const struct lock *l, struct err *e)
{
	CLEANUP(free) struct lock_package **sorted = mem_array(l->npackages + 1, sizeof(*sorted));
	int r = 0;

	for (size_t i = 0; i < l->npackages; i++) {
		sorted[i] = &l->packages[i];
	}
	qsort(sorted, l->npackages, sizeof(*sorted), by_project);
	for (size_t i = 0; !r && i < l->ntargets; i++) {
		r = check_target(sorted, l->npackages, &l->targets[i], e);
	}
	return r;
}

/* Build environments: each sdist's build requirements are a closure of their own, which may hold another version of a
 * project than the target installs. */
#include "bundle/resolver.h"

#include <stdlib.h>
#include <string.h>

struct resolver_favours resolver_build_favours(struct resolver *v, const struct resolver_target *t)
{
	struct resolver_favours all = { .n = t->run.n + v->build.n };

	all.v = arena_array(v->a, all.n, sizeof(*all.v));
	if (t->run.n) {
		memcpy(all.v, t->run.v, t->run.n * sizeof(*all.v));
	}
	if (v->build.n) {
		memcpy(all.v + t->run.n, v->build.v, v->build.n * sizeof(*all.v));
	}
	return all;
}

struct environment { /* of one sdist */
	struct resolver *v;
	struct resolver_target *t;
	VEC(size_t) files;
};

static int take_one(void *context, const struct universe_project *p, size_t candidate, size_t file, struct err *e)
{
	struct environment *x = context;

	(void)e;
	vec_push(&x->files, file);
	resolver_pick(x->t, file)->use |= USE_BUILD;
	vec_push(&x->v->build, (struct universe_favour){ p->name, p->candidates.v[candidate].version });
	return 0;
}

static int take_all(void *context, const struct universe *u, const struct solve_result *r, struct err *e)
{
	struct environment *x = context;

	return resolver_each_chosen(x->v, x->t, u, r, take_one, x, e);
}

int resolver_by_number(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return (x > y) - (x < y);
}

/* Its build requirements that are meant for the target, parsed when they were read. */
static size_t build_roots(struct resolver *v, const struct resolver_target *t, const struct plan_file *f,
	struct universe_root *out)
{
	size_t n = 0;

	for (size_t i = 0; i < f->nbuild_requires; i++) {
		struct requirement *req = arena_alloc(v->a, sizeof(*req));
		struct err ignored = ERR_INIT; /* they were readable when the library read them */
		bool meant = false;

		if (requirement_parse(v->a, f->build_requires[i], req, &ignored) == 0 &&
			!lock_excludes(v->lock, req->name) &&
			(marker_decide(req->marker, &t->view.env, NULL, 0, &meant, &ignored) || meant)) {
			out[n++] = (struct universe_root){ .req = req,
				.text = arena_printf(v->a, "%.*s needs %.*s", STR_ARG(f->from.name.file),
					STR_ARG(req->raw)) };
		}
	}
	return n;
}

/* Extensions are compiled against the torch that the target has, never against another. */
static size_t fixed_torch(const struct resolver_target *t, struct universe_favour *out)
{
	for (size_t i = 0; i < t->run.n; i++) {
		if (str_is(t->run.v[i].project, "torch")) {
			*out = t->run.v[i];
			return 1;
		}
	}
	return 0;
}

static int solve_one(struct resolver *v, struct resolver_target *t, size_t pick, struct err *e)
{
	const struct plan_file sdist = v->files.v[t->picks.v[pick].file];
	struct universe_root *roots = arena_array(v->a, sdist.nbuild_requires, sizeof(*roots));
	struct environment x = { .v = v, .t = t, .files = VEC_INIT };
	struct universe_favour torch;
	const struct resolver_favours favours = resolver_build_favours(v, t);
	const struct resolver_request request = { .roots = roots,
		.nroots = build_roots(v, t, &sdist, roots), .is_build = true,
		.fixed = &torch, .nfixed = fixed_torch(t, &torch), .built = sdist.from.url, .favours = &favours,
		.what = arena_printf(v->a, "%.*s cannot be built:", STR_ARG(sdist.from.name.file)),
		.take = take_all, .context = &x };
	int r = resolver_ask(v, t, &request, e);
	struct plan_pick *p = &t->picks.v[pick]; /* the picks may have moved */

	if (x.files.n) {
		qsort(x.files.v, x.files.n, sizeof(*x.files.v), resolver_by_number);
	}
	p->environment = arena_array(v->a, x.files.n, sizeof(*p->environment));
	p->nenvironment = x.files.n;
	if (x.files.n) {
		memcpy(p->environment, x.files.v, x.files.n * sizeof(*p->environment));
	}
	vec_release(&x.files);
	return r ? err_wrap(e, "%.*s", STR_ARG(sdist.from.name.file)) : 0;
}

int resolver_solve_builds(struct resolver *v, struct resolver_target *t, struct err *e)
{
	int r = 0;

	for (size_t i = 0; !r && i < t->picks.n; i++) { /* grows while it is walked */
		if (v->files.v[t->picks.v[i].file].from.name.kind == DIST_SDIST) {
			r = solve_one(v, t, i, e);
		}
	}
	return r;
}

/* Every candidate of one project, and the first thing that speaks against it. */
#include "bundle/resolver.h"

#include <stdlib.h>

struct explaining {
	struct resolver *v;
	struct resolver_target *t;
	const struct universe_project *p; /* NULL: it never came up */
	const struct bits *allowed;       /* by all requirements; NULL: not chosen */
	const struct candidate *chosen;
};

/* The candidate that a file is the best file of, or one of whose version it is; NULL: left out. */
static const struct candidate *candidate_of(const struct explaining *x, const struct index_file *f)
{
	for (size_t i = 0; x->p && i < x->p->candidates.n; i++) {
		const struct candidate *c = &x->p->candidates.v[i];

		if (version_cmp(c->version, &f->name.version) == 0) {
			return c;
		}
	}
	return NULL;
}

static void reject(struct plan_candidate *out, const char *stage, const char *why)
{
	out->stage = stage;
	out->why = str_of(why);
}

/* A row of the lock, or a constraint, that does not admit the version. */
static bool is_refused_by_lock(const struct explaining *x, const struct version *version, struct plan_candidate *out)
{
	const struct lock *l = x->v->lock;
	const struct marker_env *env = &x->t->view.env;

	for (size_t i = 0; i < l->npackages; i++) {
		const struct lock_package *row = &l->packages[i];

		if (str_eq(row->req.name, x->p->name) && row->use == LOCK_RUN &&
			lock_package_is_for(row, x->t->view.t) && marker_eval(row->req.marker, env, NULL, 0) &&
			!specifier_contains(&row->req.specifiers, version)) {
			reject(out, "version", arena_printf(x->v->a, "the lock asks for %.*s (line %u)",
				STR_ARG(row->req.raw), row->line));
			return true;
		}
	}
	for (size_t i = 0; i < l->nconstraints; i++) {
		const struct lock_constraint *c = &l->constraints[i];

		if (str_eq(c->req.name, x->p->name) && !c->is_build && marker_eval(c->req.marker, env, NULL, 0) &&
			!specifier_contains(&c->req.specifiers, version)) {
			reject(out, "version", arena_printf(x->v->a, "the constraint %.*s (%.*s)",
				STR_ARG(c->req.raw), STR_ARG(c->where)));
			return true;
		}
	}
	return false;
}

static void judge_fitting(const struct explaining *x, const struct candidate *c, const struct index_file *f,
	size_t file, struct plan_candidate *out)
{
	const struct library_file *inside = library_inside(x->p->page, file);
	size_t number = (size_t)(c - x->p->candidates.v);

	if (x->chosen == c && c->file == file) {
		out->is_chosen = true;
	} else if (inside && inside->unfit.n) {
		out->stage = "format";
		out->why = inside->unfit;
	} else if (is_refused_by_lock(x, c->version, out)) {
		return;
	} else if (!x->chosen) {
		reject(out, "solver", "nothing of it was chosen: see the holes, or nobody needs it");
	} else if (x->allowed && !bits_has(x->allowed, number)) {
		reject(out, "solver", "another package's requirement rules it out");
	} else if (c->file != file) {
		reject(out, "newer", "another file of this version fits better");
	} else if (version_is_prerelease(&f->name.version)) {
		reject(out, "pre-release", "taken only where no release will do");
	} else {
		reject(out, "newer", c < x->chosen ? "a newer version was chosen"
						   : "another target's version, or one that others need, was preferred");
	}
}

static int newest_first(const void *a, const void *b)
{
	const struct index_file *x = *(const struct index_file *const *)a, *y = *(const struct index_file *const *)b;
	int order = version_cmp(&y->name.version, &x->name.version);

	return order ? order : (x > y) - (x < y);
}

static void explain_file(const struct explaining *x, const struct library_page *page, const struct index_file *f,
	const struct candidate_policy *policy, struct plan_candidate *out)
{
	CLEANUP_BUF struct buf version = BUF_INIT;
	int rank;

	version_format(&f->name.version, &version);
	*out = (struct plan_candidate){ .file = f->name.file, .version = arena_str(x->v->a, buf_str(&version)),
		.source = str_of(f->source) };
	enum candidate_stage stage = candidate_judge(&x->t->view, policy, f, x->v->a, &rank, &out->why);
	out->stage = candidate_stage_name(stage);
	const struct candidate *c = stage ? NULL : candidate_of(x, f);
	if (c) {
		judge_fitting(x, c, f, (size_t)(f - page->project.files), out);
	}
}

static const struct library_page *page_to_explain(struct explaining *x, struct str project, struct err *e)
{
	if (x->p) {
		return x->p->page;
	}
	return library_read_pages(&x->v->library, x->t->view.t, &project, 1, e)
		       ? NULL
		       : library_page(&x->v->library, x->t->view.t, project);
}

int resolver_explain(struct resolver *v, struct resolver_target *t, const struct universe *u,
	const struct solve_result *r, struct err *e)
{
	struct str project = v->options->explain;
	const struct candidate_policy any = { .npins = 0 };
	struct explaining x = { .v = v, .t = t };

	if (!project.n) {
		return 0;
	}
	if (u) {
		x.p = universe_project(u, project);
		x.chosen = r && r->is_solved ? universe_choice(u, r, project) : NULL;
		x.allowed = x.chosen ? universe_allowed(u, r, project) : NULL;
	}
	const struct library_page *page = page_to_explain(&x, project, e);
	if (!page) {
		return -(int)e->rc;
	}
	size_t n = page->project.nfiles;
	const struct index_file **files = arena_array(v->a, n + 1, sizeof(*files));
	struct plan_explained out = { .target = t->view.t->name, .project = project, .ncandidates = n,
		.candidates = arena_array(v->a, n, sizeof(*out.candidates)) };
	for (size_t i = 0; i < n; i++) {
		files[i] = &page->project.files[i];
	}
	qsort(files, n, sizeof(*files), newest_first);
	for (size_t i = 0; i < n; i++) {
		explain_file(&x, page, files[i], x.p ? &x.p->policy : &any, &out.candidates[i]);
	}
	vec_push(&v->explained, out);
	return 0;
}

/* Choosing: what a lock leaves open is solved, for the target and for its rows that are for builds. */
#include "bundle/resolver.h"
#include "bundle/torch_match.h"

#include <string.h>

enum { ROUNDS_MAX = 40 }; /* holes told of one solve; more help nobody */

/* ---- rounds ---- */

struct rounds {
	struct resolver *v;
	struct resolver_target *t;
	const struct resolver_request *request;
	struct universe_root *roots; /* those that are still asked for */
	size_t nroots;
	struct str *dropped; /* projects of which nothing can be had */
	size_t ndropped;
	size_t first_hole; /* of this solve's, among the plan's */
};

static const char *proof_text(struct resolver *v, const struct resolver_request *q, const struct solve_result *r)
{
	CLEANUP_BUF struct buf b = BUF_INIT;

	for (size_t i = 0; i < r->nlines; i++) {
		buf_addf(&b, "%s%.*s", i ? "\n" : "", STR_ARG(r->lines[i]));
	}
	if (r->nleft_out) {
		buf_addf(&b, "\n... and %zu more steps", r->nleft_out);
	}
	return arena_printf(v->a, "%s%s%s", q->what, *q->what ? " " : "", b.p ? b.p : "");
}

static void drop_root(struct rounds *x, size_t root)
{
	memmove(x->roots + root, x->roots + root + 1, (x->nroots - root - 1) * sizeof(*x->roots));
	x->nroots--;
}

static struct str project_of_name(const struct universe *u, size_t name)
{
	return u->projects.v[u->names.v[name].project]->name;
}

/* The root of the proof that asks for this project, SIZE_MAX: none does. */
static size_t root_of_project(const struct rounds *x, const struct solve_result *r, struct str project)
{
	for (size_t i = 0; i < r->nroots; i++) {
		if (str_eq(x->roots[r->roots[i]].req->name, project)) {
			return r->roots[i];
		}
	}
	return SIZE_MAX;
}

/* What to do without, so that the rest can be solved: what is waived, else a project that has nothing to offer, else the
 * last thing that was asked for. *root SIZE_MAX: the project, whoever needs it; else that root alone. */
static struct str culprit(const struct rounds *x, const struct universe *u, const struct solve_result *r,
	size_t *root)
{
	for (int only_waived = 1; only_waived >= 0; only_waived--) {
		for (size_t i = 0; i < r->nempty; i++) {
			struct str project = project_of_name(u, r->empty[i]);

			if (project.n && (!only_waived || resolver_is_waived(x->v, x->t, project))) {
				*root = root_of_project(x, r, project);
				return project;
			}
		}
		for (size_t i = r->nroots; i-- > 0;) {
			struct str project = x->roots[r->roots[i]].req->name;

			if (!only_waived || resolver_is_waived(x->v, x->t, project)) {
				*root = r->roots[i];
				return project;
			}
		}
	}
	*root = SIZE_MAX; /* a proof without roots: there is none */
	return STR_NULL;
}

/* One hole more, and one thing less to be asked for. */
static void give_up_one(struct rounds *x, const struct universe *u, const struct solve_result *r)
{
	size_t root;
	struct str project = arena_str(x->v->a, culprit(x, u, r, &root));

	resolver_hole(x->v, x->t, project, proof_text(x->v, x->request, r));
	if (root != SIZE_MAX) {
		drop_root(x, root);
	} else {
		x->dropped[x->ndropped++] = project;
	}
}

/* What was given up may still be there for others: that version would have done. */
static void suggest(struct rounds *x, const struct universe *u, const struct solve_result *r)
{
	for (size_t i = x->first_hole; i < x->v->holes.n; i++) {
		struct plan_hole *h = &x->v->holes.v[i];
		const struct candidate *c = universe_choice(u, r, h->project);
		CLEANUP_BUF struct buf version = BUF_INIT;

		if (c) {
			version_format(c->version, &version);
			h->text = str_of(arena_printf(x->v->a, "%.*s\n%.*s==%s instead would do", STR_ARG(h->text),
				STR_ARG(h->project), version.p));
		}
	}
}

/* 1: solved, 0: once more. */
static int solve_round(struct rounds *x, struct err *e)
{
	const struct resolver_request *q = x->request;
	const struct universe_options options = { .roots = x->roots, .nroots = x->nroots,
		.is_build = q->is_build, .fixed = q->fixed, .nfixed = q->nfixed,
		.built = q->built, .favours = q->favours->v, .nfavours = q->favours->n,
		.dropped = x->dropped, .ndropped = x->ndropped };
	struct arena scratch = ARENA_INIT;
	struct solve_result result;
	struct universe u;
	int r = universe_solve(&u, &x->v->library, &x->t->view, &options, &scratch, &result, e);

	if (!r && result.is_solved) {
		suggest(x, &u, &result);
		r = q->take(q->context, &u, &result, e);
		r = r ? r : 1;
	} else if (!r) {
		give_up_one(x, &u, &result);
	}
	universe_release(&u);
	arena_release(&scratch);
	return r;
}

int resolver_ask(struct resolver *v, struct resolver_target *t, const struct resolver_request *request,
	struct err *e)
{
	struct rounds x = { .v = v, .t = t, .request = request, .nroots = request->nroots,
		.first_hole = v->holes.n };
	int r = 0;

	x.roots = arena_array(v->a, request->nroots, sizeof(*x.roots));
	x.dropped = arena_array(v->a, ROUNDS_MAX, sizeof(*x.dropped));
	if (x.nroots) {
		memcpy(x.roots, request->roots, x.nroots * sizeof(*x.roots));
	}
	for (int round = 0; round < ROUNDS_MAX && r == 0; round++) {
		r = solve_round(&x, e);
	}
	return r < 0 ? r : 0;
}

/* ---- taking what was chosen ---- */

int resolver_check_rivals(const struct resolver_target *t, const struct index_project *page,
	const struct candidates *c, const struct bits *allowed, size_t chosen, const struct version *torch,
	struct err *e)
{
	CLEANUP_BUF struct buf rivals = BUF_INIT;
	struct arena scratch = ARENA_INIT;

	for (size_t i = c->n; i-- > 0;) {
		if (i == chosen || (allowed && !bits_has(allowed, i)) ||
			!candidates_are_rivals(&t->view, c->v[chosen].version, c->v[i].version)) {
			continue;
		}
		const struct index_file *f = &page->files[c->v[i].file];
		if (!torch || torch_match(f, VARIANT_TORCH_ANY, t->view.t, torch, &scratch, NULL)) {
			buf_addf(&rivals, ", %.*s", STR_ARG(f->name.file));
		}
	}
	arena_release(&scratch);
	if (!rivals.n) {
		return 0;
	}
	err_set(e, RC_AMBIGUOUS, "%.*s has several variants that fit: %.*s%.*s", STR_ARG(page->name),
		STR_ARG(page->files[c->v[chosen].file].name.file), STR_ARG(buf_str(&rivals)));
	return err_hint(e, "pin the whole version with its local part, or state torch or cuda of the target");
}

static void note_given(struct resolver *v, struct resolver_target *t, const struct universe_project *p)
{
	vec_each(struct plan_given, g, &t->given) {
		if (str_eq(g->project, p->name)) {
			return;
		}
	}
	vec_push(&t->given, (struct plan_given){ p->name, t->view.torch });
	resolver_note(v, arena_printf(v->a, "target %.*s: its own torch %.*s is on no index and is not packed; that "
					    "a container's torch keeps the ABI of its release is not promised by anybody",
		STR_ARG(t->view.t->name), STR_ARG(t->view.t->torch)));
}

static const char *version_text(struct arena *a, const struct version *v)
{
	CLEANUP_BUF struct buf b = BUF_INIT;

	version_format(v, &b);
	return arena_dup(a, buf_str(&b));
}

/* The newest candidate that is a wheel, below the chosen one. */
static const struct index_file *older_wheel(const struct universe_project *p, size_t chosen)
{
	for (size_t i = chosen; i-- > 0;) {
		const struct index_file *f = &p->page->project.files[p->candidates.v[i].file];

		if (f->name.kind == DIST_WHEEL && !f->is_yanked && !version_is_prerelease(&f->name.version)) {
			return f;
		}
	}
	return NULL;
}

/* A newer candidate that nobody can have: damaged, unsafe, a stub. */
static struct str passed_over(const struct universe_project *p, size_t chosen)
{
	for (size_t i = p->candidates.n; i-- > chosen + 1;) {
		const struct library_file *f = library_inside(p->page, p->candidates.v[i].file);

		if (f && f->unfit.n) {
			return f->unfit;
		}
	}
	return STR_NULL;
}

/* A newer candidate that asks for a release of torch, where the target's own is the alpha before it. */
static const struct requirement *wants_release(const struct resolver_target *t, const struct universe_project *p,
	size_t chosen)
{
	for (size_t i = p->candidates.n; t->given.n && i-- > chosen + 1;) {
		const struct library_file *f = library_inside(p->page, p->candidates.v[i].file);

		for (size_t j = 0; f && j < f->nneeds; j++) {
			if (str_is(f->needs[j].name, "torch") &&
				!specifier_contains(&f->needs[j].specifiers, &t->view.torch)) {
				return &f->needs[j];
			}
		}
	}
	return NULL;
}

/* What a packer would not expect: source instead of an old wheel, an old version where a new one has nothing for the
 * target, a pre-release. */
static void note_choice(struct resolver *v, struct resolver_target *t, const struct universe_project *p,
	size_t chosen)
{
	const struct index_file *f = &p->page->project.files[p->candidates.v[chosen].file];
	const struct index_file *missed = p->candidates.newest_left_out, *wheel = older_wheel(p, chosen);
	struct str target = t->view.t->name, unfit = passed_over(p, chosen);
	const char *version = version_text(v->a, &f->name.version);

	if (f->name.kind == DIST_SDIST && wheel) {
		resolver_note(v, arena_printf(v->a, "target %.*s: %.*s %s has no wheel that fits; its source is taken "
						    "to be built there, not the old wheel %.*s",
			STR_ARG(target), STR_ARG(p->name), version, STR_ARG(wheel->name.file)));
	}
	if (missed) {
		resolver_note(v, arena_printf(v->a, "target %.*s: %.*s %s is not the newest: %s has no file that fits "
						    "(there is %.*s)",
			STR_ARG(target), STR_ARG(p->name), version, version_text(v->a, &missed->name.version),
			STR_ARG(missed->name.file)));
	}
	if (unfit.n) {
		resolver_note(v, arena_printf(v->a, "%.*s %s is taken, a newer one cannot be: %.*s", STR_ARG(p->name),
			version, STR_ARG(unfit)));
	}
	const struct requirement *torch = wants_release(t, p, chosen);
	if (torch) {
		resolver_note(v, arena_printf(v->a, "target %.*s: %.*s %s is taken because a newer one requires %.*s, which "
						    "the target's own torch %.*s does not meet: a pre-release comes before "
						    "its release; say it does with [override.torch]",
			STR_ARG(target), STR_ARG(p->name), version, STR_ARG(torch->raw),
			STR_ARG(t->view.t->torch)));
	}
	if (version_is_prerelease(&f->name.version)) {
		resolver_note(v, arena_printf(v->a, "target %.*s: %.*s %s is a pre-release",
			STR_ARG(target), STR_ARG(p->name), version));
	}
}

/* The torch that a row of the lock pins; NULL: none does. */
static const struct version *pinned_torch(const struct universe *u, const struct solve_result *r)
{
	const struct universe_project *torch = universe_project(u, STR("torch"));
	const struct candidate *chosen = universe_choice(u, r, STR("torch"));

	return torch && torch->policy.npins && chosen ? chosen->version : NULL;
}

/* The chosen files in the order in which the solver came to know them: that of METADATA. */
int resolver_each_chosen(struct resolver *v, struct resolver_target *t, const struct universe *u,
	const struct solve_result *r, resolver_chosen *take, void *context, struct err *e)
{
	int status = 0;

	for (size_t i = 1; i < u->names.n && i < r->nnames; i++) {
		if (u->projects.v[u->names.v[i].project]->is_given && r->chosen[i] != SIZE_MAX) {
			note_given(v, t, u->projects.v[u->names.v[i].project]);
		}
	}
	for (size_t i = 1; !status && i < u->names.n && i < r->nnames; i++) {
		const struct universe_project *p = u->projects.v[u->names.v[i].project];
		size_t chosen = r->chosen[i], file = 0;

		if (u->names.v[i].extra.n || chosen == SIZE_MAX) {
			continue;
		}
		if (p->is_given) {
			continue;
		}
		status = resolver_check_rivals(t, &p->page->project, &p->candidates, &r->allowed[i], chosen,
			pinned_torch(u, r), e);
		status = status ? status
				: resolver_add_file(v, p->page, p->candidates.v[chosen].file,
					  p->policy.nhashes != 0, &file, e);
		if (!status) {
			note_choice(v, t, p, chosen);
			status = take(context, p, chosen, file, e);
		}
	}
	return status;
}

/* ---- rows of the lock ---- */

struct taking {
	struct resolver *v;
	struct resolver_target *t;
	bool is_build;
};

static int take_one(void *context, const struct universe_project *p, size_t candidate, size_t file, struct err *e)
{
	struct taking *x = context;
	struct plan_pick *pick = resolver_pick(x->t, file);
	struct universe_favour favour = { p->name, p->candidates.v[candidate].version };

	(void)e;
	pick->use |= x->is_build ? USE_BUILD : USE_RUN;
	if (x->is_build) {
		vec_push(&x->v->build, favour);
	} else {
		vec_push(&x->v->run, favour);
		vec_push(&x->t->run, favour);
	}
	return 0;
}

static int take_all(void *context, const struct universe *u, const struct solve_result *r, struct err *e)
{
	struct taking *x = context;
	int status = resolver_each_chosen(x->v, x->t, u, r, take_one, x, e);

	return status || x->is_build ? status : resolver_explain(x->v, x->t, u, r, e);
}

/* What the rows name is requested, with their extras: from there the proof walks. */
static void mark_requested(struct resolver *v, struct resolver_target *t, const struct universe_root *roots, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		vec_each(struct plan_pick, p, &t->picks) {
			unsigned use = roots[i].row->use == LOCK_RUN ? USE_RUN : USE_BUILD;

			if (str_eq(v->files.v[p->file].project, roots[i].req->name) && (p->use & use)) {
				p->is_requested = true;
				resolver_add_extras(v, p, roots[i].req);
			}
		}
	}
}

static int roots_of(struct resolver *v, struct resolver_target *t, enum lock_use use, struct universe_root *out,
	size_t *n, struct err *e)
{
	*n = 0;
	for (size_t i = 0; i < v->lock->npackages; i++) {
		const struct lock_package *row = &v->lock->packages[i];
		bool meant = false;
		int r = resolver_is_meant(v, row, t, &meant, e);

		if (r) {
			return r;
		}
		if (meant && row->use == use) {
			out[(*n)++] = (struct universe_root){ .req = &row->req, .row = row,
				.text = arena_printf(v->a, "the lock asks for %.*s (line %u)",
					STR_ARG(row->req.raw), row->line) };
		}
	}
	return 0;
}

static int solve_rows(struct resolver *v, struct resolver_target *t, enum lock_use use, struct err *e)
{
	struct universe_root *roots = arena_array(v->a, v->lock->npackages, sizeof(*roots));
	struct taking taking = { v, t, use == LOCK_BUILD };
	const struct resolver_favours favours = use == LOCK_BUILD ? resolver_build_favours(v, t) : v->run;
	struct resolver_request request = { .roots = roots, .is_build = use == LOCK_BUILD,
		.favours = &favours, .what = "", .take = take_all, .context = &taking };
	int r = roots_of(v, t, use, roots, &request.nroots, e);

	if (!r && request.nroots) {
		r = resolver_ask(v, t, &request, e);
	}
	if (!r) {
		mark_requested(v, t, roots, request.nroots);
	}
	return r;
}

int resolver_solve(struct resolver *v, struct resolver_target *t, struct err *e)
{
	int r = solve_rows(v, t, LOCK_RUN, e);

	return r ? r : solve_rows(v, t, LOCK_BUILD, e);
}

#include "bundle/closure_proof.h"

#include <stdlib.h>
#include <string.h>

/* A walk over the members of a set. Bits and extras only grow, so it ends. */
struct walk {
	struct arena *a;
	const struct target_view *t;
	struct closure_set *set;
	struct closure_holes *holes;
	size_t *queue;
	size_t head, n; /* a ring with room for every member */
	bool *queued;
};

static void push(struct walk *w, size_t member)
{
	if (!w->queued[member]) {
		w->queued[member] = true;
		w->queue[(w->head + w->n++) % w->set->nmembers] = member;
	}
}

/* ---- extras ---- */

static int by_text(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

/* Sorted, each once. True if there are more than before. */
static bool add_extras(struct arena *a, struct closure_member *m, const struct str *extras, size_t n)
{
	struct str *all = arena_array(a, m->nextras + n, sizeof(*all));
	size_t count = 0, total = m->nextras + n;

	if (total == 0) {
		return false;
	}
	for (size_t i = 0; i < total; i++) {
		all[i] = i < m->nextras ? m->extras[i] : extras[i - m->nextras];
	}
	qsort(all, total, sizeof(*all), by_text);
	for (size_t i = 0; i < total; i++) {
		if (count == 0 || !str_eq(all[count - 1], all[i])) {
			all[count++] = all[i];
		}
	}
	bool grew = count > m->nextras;
	m->extras = all;
	m->nextras = count;
	return grew;
}

/* ---- who meets a requirement ---- */

/* Who really serves the version: METADATA's where there is one, for a file name may carry a label that it
 * lacks. */
static bool version_fits(struct arena *a, const struct plan_file *f, const struct specifier_set *s)
{
	struct version v;
	struct err ignored = ERR_INIT;

	if (f->core.version.n && version_parse(a, f->core.version, &v, &ignored) == 0) {
		return specifier_contains(s, &v);
	}
	return specifier_contains(s, &f->from.name.version);
}

/* The member for a requirement: the first of the project that fits, else the first; SIZE_MAX: none. */
static size_t find_member(struct walk *w, const struct requirement *r, bool *fits)
{
	size_t found = SIZE_MAX;

	*fits = false;
	for (size_t i = 0; i < w->set->nmembers && !*fits; i++) {
		const struct plan_file *f = &w->set->files[w->set->members[i].file];

		if (str_eq(f->project, r->name)) {
			*fits = version_fits(w->a, f, &r->specifiers);
			found = *fits || found == SIZE_MAX ? i : found;
		}
	}
	return found;
}

/* What the target has already serves, too. NULL: it has no such project. */
static const struct plan_given *find_given(const struct walk *w, const struct requirement *r)
{
	for (size_t i = 0; i < w->set->ngiven; i++) {
		if (str_eq(w->set->given[i].project, r->name)) {
			return &w->set->given[i];
		}
	}
	return NULL;
}

static void report(struct walk *w, const struct plan_file *asker, const struct requirement *r, bool is_build,
	struct str chosen)
{
	vec_push(w->holes, (struct closure_hole){ .project = r->name, .requirement = r->raw,
		.specifiers = r->specifiers, .is_build = is_build, .chosen = chosen,
		.asker = str_of(arena_printf(w->a, "%.*s %.*s", STR_ARG(asker->project),
			STR_ARG(asker->from.name.version.raw))) });
}

static void meet(struct walk *w, const struct plan_file *asker, const struct requirement *r, unsigned use,
	bool is_build)
{
	const struct plan_given *given = find_given(w, r);
	bool fits;
	size_t at = find_member(w, r, &fits);

	if (at == SIZE_MAX && given) {
		if (!specifier_contains(&r->specifiers, &given->version)) {
			report(w, asker, r, is_build, given->version.raw);
		}
		return;
	}
	if (!fits) {
		report(w, asker, r, is_build, at == SIZE_MAX ? STR_NULL
			: w->set->files[w->set->members[at].file].from.name.version.raw);
	}
	if (at != SIZE_MAX) {
		struct closure_member *m = &w->set->members[at];
		bool grew = add_extras(w->a, m, r->extras, r->nextras);

		if (grew || (m->use & use) != use) {
			m->use |= use;
			push(w, at);
		}
	}
}

/* ---- the walk ---- */

/* One requirement of `asker`, which is met, is not meant here, or is a hole. */
static int follow(struct walk *w, const struct plan_file *asker, const struct closure_member *from,
	struct str text, unsigned use, struct err *e)
{
	struct requirement r;

	if (requirement_parse(w->a, text, &r, e)) {
		err_wrap(e, "%.*s", STR_ARG(asker->from.name.file));
		return err_recode(e, RC_WHEEL);
	}
	/* A marker that cannot be judged for this target is no "false": the proof would have a gap. */
	bool meant = false;
	if (marker_decide(r.marker, &w->t->env, from ? from->extras : NULL, from ? from->nextras : 0, &meant, e)) {
		return err_wrap(e, "%.*s requires \"%.*s\"", STR_ARG(asker->from.name.file), STR_ARG(r.raw));
	}
	if (meant) {
		meet(w, asker, &r, use, from == NULL);
	}
	return 0;
}

/* A member may be walked again: its holes are told once, at its last walk. */
static void forget_holes(struct walk *w, const struct plan_file *asker)
{
	char *name = arena_printf(w->a, "%.*s %.*s", STR_ARG(asker->project), STR_ARG(asker->from.name.version.raw));
	size_t kept = 0;

	for (size_t i = 0; i < w->holes->n; i++) {
		if (!str_is(w->holes->v[i].asker, name) || w->holes->v[i].is_build) {
			w->holes->v[kept++] = w->holes->v[i];
		}
	}
	w->holes->n = kept;
}

static int walk_member(struct walk *w, size_t member, struct err *e)
{
	const struct closure_member m = w->set->members[member]; /* follow() may add to it */
	const struct plan_file *f = &w->set->files[m.file];
	int r = 0;

	forget_holes(w, f);
	for (size_t i = 0; !r && i < f->core.nrequires_dist; i++) {
		r = follow(w, f, &m, f->core.requires_dist[i], m.use, e);
	}
	return r;
}

int closure_prove(struct arena *a, const struct target_view *t, struct closure_set *set,
	struct closure_holes *holes, struct err *e)
{
	struct walk w = { .a = a, .t = t, .set = set, .holes = holes };
	const struct plan_file *sdist = set->sdist;
	int r = 0;

	w.queue = arena_array(a, set->nmembers + 1, sizeof(*w.queue));
	w.queued = arena_array(a, set->nmembers + 1, sizeof(*w.queued));
	for (size_t i = 0; sdist && !r && i < sdist->nbuild_requires; i++) {
		r = follow(&w, sdist, NULL, sdist->build_requires[i], USE_BUILD, e);
	}
	for (size_t i = 0; i < set->nroots; i++) {
		add_extras(a, &set->members[i], NULL, 0); /* sorted */
		push(&w, i);
	}
	while (!r && w.n) {
		size_t member = w.queue[w.head];

		w.head = (w.head + 1) % set->nmembers;
		w.n--;
		w.queued[member] = false;
		r = walk_member(&w, member, e);
	}
	return r;
}

#include "bundle/closure_proof.h"

#include <stdlib.h>
#include <string.h>

/* A walk over the picks of one target. Bits and extras only grow, so it ends. */
struct walk {
	struct arena *a;
	const struct choose_target *t;
	const struct plan_file *files;
	struct plan_target *pt;
	struct closure_holes *holes; /* NULL: do not report */
	size_t *queue;
	size_t head, n; /* a ring with room for every pick */
	bool *queued;
};

static struct plan_pick *find_pick(const struct plan_target *pt, const struct plan_file *files,
	struct str project)
{
	for (size_t i = 0; i < pt->npicks; i++) {
		if (str_eq(files[pt->picks[i].file].project, project)) {
			return &pt->picks[i];
		}
	}
	return NULL;
}

static void push(struct walk *w, const struct plan_pick *p)
{
	size_t i = (size_t)(p - w->pt->picks);

	if (!w->queued[i]) {
		w->queued[i] = true;
		w->queue[(w->head + w->n++) % w->pt->npicks] = i;
	}
}

static bool has_extra(const struct plan_pick *p, struct str extra)
{
	for (size_t i = 0; i < p->nextras; i++) {
		if (str_eq(p->extras[i], extra)) {
			return true;
		}
	}
	return false;
}

static int by_text(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

static bool add_extras(struct arena *a, struct plan_pick *p, const struct str *extras, size_t n)
{
	struct str *all = arena_array(a, p->nextras + n, sizeof(*all));
	size_t count = p->nextras;

	if (count) {
		memcpy(all, p->extras, count * sizeof(*all));
	}
	for (size_t i = 0; i < n; i++) {
		if (!has_extra(p, extras[i])) {
			all[count++] = extras[i];
		}
	}
	if (count == p->nextras) {
		return false;
	}
	qsort(all, count, sizeof(*all), by_text);
	p->extras = all;
	p->nextras = count;
	return true;
}

static void report(struct walk *w, const struct plan_file *asker, const struct requirement *r, bool is_build,
	const struct plan_file *chosen)
{
	if (w->holes) {
		vec_push(w->holes, (struct closure_hole){
			.project = r->name, .requirement = r->raw, .specifiers = r->specifiers,
			.is_build = is_build,
			.asker = str_of(arena_printf(w->a, "%.*s %.*s", STR_ARG(asker->project),
				STR_ARG(asker->from.name.version.raw))),
			.chosen = chosen ? chosen->from.name.version.raw : STR_NULL });
	}
}

/* Who really serves the version: METADATA's where there is one, for a file name may carry a label that it lacks. */
static bool version_fits(struct arena *a, const struct plan_file *f, const struct specifier_set *s)
{
	struct version v;
	struct err ignored = ERR_INIT;

	if (f->core.version.n && version_parse(a, f->core.version, &v, &ignored) == 0) {
		return specifier_contains(s, &v);
	}
	return specifier_contains(s, &f->from.name.version);
}

/* One requirement of `asker`, which is met, is not meant here, or is a hole. */
static int follow(struct walk *w, const struct plan_file *asker, const struct plan_pick *from,
	struct str text, unsigned bits, bool is_build, struct err *e)
{
	struct requirement r;

	if (requirement_parse(w->a, text, &r, e)) {
		err_wrap(e, "%.*s", STR_ARG(asker->from.name.file));
		return err_recode(e, RC_WHEEL);
	}
	/* A marker that cannot be judged for this target is no "false": the proof would have a gap. */
	bool meant = false;
	if (marker_decide(r.marker, &w->t->env, is_build ? NULL : from->extras,
		    is_build ? 0 : from->nextras, &meant, e)) {
		return err_wrap(e, "%.*s requires \"%.*s\"", STR_ARG(asker->from.name.file), STR_ARG(r.raw));
	}
	if (!meant) {
		return 0;
	}
	struct plan_pick *p = find_pick(w->pt, w->files, r.name);
	if (!p || !version_fits(w->a, &w->files[p->file], &r.specifiers)) {
		report(w, asker, &r, is_build, p ? &w->files[p->file] : NULL);
	}
	if (p) {
		bool grew = add_extras(w->a, p, r.extras, r.nextras);

		if (grew || (p->use & bits) != bits) {
			p->use |= bits;
			push(w, p);
		}
	}
	return 0;
}

static int follow_all(struct walk *w, const struct plan_pick *p, struct err *e)
{
	const struct plan_file *f = &w->files[p->file];
	/* What a build environment needs at run time belongs to that environment. */
	unsigned bits = p->use;
	int r = 0;

	for (size_t i = 0; !r && i < f->core.nrequires_dist; i++) {
		r = follow(w, f, p, f->core.requires_dist[i], bits, false, e);
	}
	for (size_t i = 0; !r && i < f->nbuild_requires; i++) {
		r = follow(w, f, p, f->build_requires[i], USE_BUILD, true, e);
	}
	return r;
}

static int run(struct walk *w, struct err *e)
{
	int r = 0;

	while (!r && w->n) {
		size_t i = w->queue[w->head];

		w->head = (w->head + 1) % w->pt->npicks;
		w->n--;
		w->queued[i] = false;
		if (w->holes) { /* a pick may be walked again: its holes are told once, at its last walk */
			const struct plan_file *f = &w->files[w->pt->picks[i].file];
			char *asker = arena_printf(w->a, "%.*s %.*s", STR_ARG(f->project),
				STR_ARG(f->from.name.version.raw));
			size_t kept = 0;

			for (size_t j = 0; j < w->holes->n; j++) {
				if (!str_is(w->holes->v[j].asker, asker)) {
					w->holes->v[kept++] = w->holes->v[j];
				}
			}
			w->holes->n = kept;
		}
		r = follow_all(w, &w->pt->picks[i], e);
	}
	return r;
}

static void walk_init(struct walk *w, struct arena *a, const struct choose_target *t,
	const struct plan_file *files, struct plan_target *pt, struct closure_holes *holes)
{
	*w = (struct walk){ .a = a, .t = t, .files = files, .pt = pt, .holes = holes };
	w->queue = arena_array(a, pt->npicks + 1, sizeof(*w->queue));
	w->queued = arena_array(a, pt->npicks + 1, sizeof(*w->queued));
}

static bool is_toolkit(const struct lock *lock, struct str project)
{
	for (size_t i = 0; i < lock->ntoolkit_packages; i++) {
		if (str_eq(lock->toolkit_packages[i], project)) {
			return true;
		}
	}
	return false;
}

int closure_prove(struct arena *a, const struct choose_target *t, const struct lock *lock,
	const struct plan_file *files, struct plan_target *out, struct closure_holes *holes, struct err *e)
{
	struct walk w;

	walk_init(&w, a, t, files, out, holes);
	for (size_t i = 0; i < out->npicks; i++) {
		struct plan_pick *p = &out->picks[i];

		if (is_toolkit(lock, files[p->file].project)) {
			/* A row that is only for builds is then only the toolkit's. */
			p->use = (p->row->use == LOCK_RUN ? p->use : 0) | USE_TOOLKIT;
		}
		push(&w, p);
	}
	return run(&w, e);
}

int closure_build_environment(struct arena *a, const struct choose_target *t, const struct plan_file *files,
	const struct plan_target *pt, size_t pick, struct str **names, size_t *n, struct err *e)
{
	struct plan_target copy = *pt;
	struct walk w;
	const struct plan_file *sdist = &files[pt->picks[pick].file];
	int r = 0;

	copy.picks = arena_array(a, pt->npicks, sizeof(*copy.picks));
	memcpy(copy.picks, pt->picks, pt->npicks * sizeof(*copy.picks));
	for (size_t i = 0; i < copy.npicks; i++) {
		copy.picks[i].use = 0;
		copy.picks[i].nextras = 0;
	}
	walk_init(&w, a, t, files, &copy, NULL);
	for (size_t i = 0; !r && i < sdist->nbuild_requires; i++) {
		r = follow(&w, sdist, &copy.picks[pick], sdist->build_requires[i], USE_BUILD, true, e);
	}
	r = r ? r : run(&w, e);
	*names = arena_array(a, pt->npicks, sizeof(**names));
	*n = 0;
	for (size_t i = 0; !r && i < copy.npicks; i++) {
		if (copy.picks[i].use & USE_BUILD) {
			(*names)[(*n)++] = files[copy.picks[i].file].project;
		}
	}
	qsort(*names, *n, sizeof(**names), by_text);
	return r;
}

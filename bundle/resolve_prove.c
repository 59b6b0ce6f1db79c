/* Is the closure of a target met, and can what has no wheel be built? */
#include "bundle/closure_proof.h"
#include "bundle/resolver.h"
#include "bundle/torch_match.h"
#include "manifests/name.h"
#include "manifests/recipe.h"

#include <string.h>

static void check_python(struct resolver *v, struct resolver_target *t)
{
	vec_each(const struct plan_pick, p, &t->picks) {
		const struct plan_file *f = &v->files.v[p->file];

		if (!target_view_takes_python(&t->view, f->core.requires_python)) {
			resolver_hole(v, t, f->project, arena_printf(v->a, "%.*s needs Python %.*s, the target has %.*s",
				STR_ARG(f->from.name.file), STR_ARG(f->core.requires_python),
				STR_ARG(t->view.env.value[MARKER_PYTHON_FULL_VERSION])));
		}
	}
}

static const struct version *chosen_torch(const struct resolver *v, const struct resolver_target *t)
{
	vec_each(const struct plan_pick, p, &t->picks) {
		const struct plan_file *f = &v->files.v[p->file];

		if (str_is(f->project, "torch") && (p->use & USE_RUN)) {
			return &f->from.name.version;
		}
	}
	return NULL;
}

/* Wheels for another torch than the one that comes along fail when they are imported. Where the target states its
 * torch, no such wheel was a candidate. */
static void check_torch(struct resolver *v, struct resolver_target *t)
{
	const struct version *torch = t->view.has_torch ? NULL : chosen_torch(v, t);

	vec_each(const struct plan_pick, p, &t->picks) {
		const struct plan_file *f = &v->files.v[p->file];
		const struct lock_source *from = lock_source_of(v->lock, f->project);
		enum variant_torch_style style = from ? from->source.names : VARIANT_TORCH_ANY;
		struct str why;

		if (torch && (p->use & USE_RUN) && f->from.name.kind == DIST_WHEEL && !str_is(f->project, "torch") &&
			!torch_match(&f->from, style, t->view.t, torch, v->a, &why)) {
			resolver_hole(v, t, f->project, arena_printf(v->a, "%.*s: %.*s; state the target's torch, and only "
									   "what was built for it is taken",
				STR_ARG(f->from.name.file), STR_ARG(why)));
		}
	}
}

/* ---- holes ---- */

static int read_missing_pages(struct resolver *v, const struct resolver_target *t,
	const struct closure_holes *holes, struct err *e)
{
	struct str *names = arena_array(v->a, holes->n, sizeof(*names));

	for (size_t i = 0; i < holes->n; i++) {
		names[i] = holes->v[i].project;
	}
	return library_read_pages(&v->library, t->view.t, names, holes->n, e);
}

/* The newest candidate that would do, as text; empty: none. */
static struct str nearest(struct resolver *v, struct resolver_target *t, const struct closure_hole *h)
{
	const struct library_page *page = library_page(&v->library, t->view.t, h->project);
	const struct candidate_policy any = { .npins = 0 };
	struct candidates found;
	CLEANUP_BUF struct buf b = BUF_INIT;

	candidates_of(&t->view, &any, &page->project, v->a, &found);
	for (size_t i = found.n; i-- > 0 && !b.n;) {
		if (specifier_contains(&h->specifiers, found.v[i].version)) {
			version_format(found.v[i].version, &b);
		}
	}
	return arena_str(v->a, buf_str(&b));
}

static void tell_hole(struct resolver *v, struct resolver_target *t, const struct closure_hole *h)
{
	const struct library_page *page = library_page(&v->library, t->view.t, h->project);
	struct str near = nearest(v, t, h);
	const char *remedy =
		near.n ? arena_printf(v->a, "%.*s==%.*s would do%s", STR_ARG(h->project), STR_ARG(near),
				 h->is_build ? ", as a row with use = \"build\"" : "")
		: page->why.n ? arena_dup(v->a, page->why)
		       : arena_printf(v->a, "%.*s has nothing that fits this target", STR_ARG(page->where));

	const char *text = arena_printf(v->a, "%.*s %s \"%.*s\"; %s%.*s; %s", STR_ARG(h->asker),
		h->is_build ? "needs, to be built," : "requires", STR_ARG(h->requirement),
		h->chosen.n ? "the lock pins " : "the lock has no row for it", STR_ARG(h->chosen), remedy);

	if (h->chosen.n) {
		resolver_misfit(v, t, h->project, text);
	} else {
		resolver_hole(v, t, h->project, text);
	}
}

/* ---- what is proved together ---- */

static struct closure_member member_of(const struct plan_pick *p)
{
	return (struct closure_member){ p->file, p->use, p->extras, p->nextras };
}

static int prove_set(struct resolver *v, struct resolver_target *t, struct closure_set *set, struct err *e)
{
	struct closure_holes holes = VEC_INIT;
	int r = closure_prove(v->a, &t->view, set, &holes, e);

	r = r ? r : read_missing_pages(v, t, &holes, e);
	vec_each(struct closure_hole, h, &holes) {
		if (!r) {
			tell_hole(v, t, h);
		}
	}
	vec_release(&holes);
	return r;
}

static struct closure_set new_set(struct resolver *v, const struct resolver_target *t)
{
	return (struct closure_set){ .files = v->files.v, .given = t->given.v, .ngiven = t->given.n,
		.members = arena_array(v->a, t->picks.n, sizeof(struct closure_member)) };
}

static void add_picks(struct closure_set *set, const struct resolver_target *t, bool run)
{
	vec_each(const struct plan_pick, p, &t->picks) {
		if (((p->use & USE_RUN) != 0) == run) {
			set->members[set->nmembers++] = member_of(p);
		}
	}
}

/* What the target installs: there the extras are those that are really asked for. */
static int prove_run(struct resolver *v, struct resolver_target *t, struct err *e)
{
	struct closure_set set = new_set(v, t);

	add_picks(&set, t, true);
	set.nroots = set.nmembers;
	int r = prove_set(v, t, &set, e);
	for (size_t i = 0; i < set.nmembers; i++) {
		struct plan_pick *p = resolver_pick(t, set.members[i].file);

		p->extras = set.members[i].extras;
		p->nextras = set.members[i].nextras;
	}
	return r;
}

/* What is there for builds alone; what the target installs serves it, too, and is then also for builds. */
static int prove_build_rows(struct resolver *v, struct resolver_target *t, struct err *e)
{
	struct closure_set set = new_set(v, t);

	add_picks(&set, t, false);
	set.nroots = set.nmembers;
	add_picks(&set, t, true);
	for (size_t i = set.nroots; i < set.nmembers; i++) {
		/* What is asked of it here is for builds; its own use and extras stay with the pick. */
		set.members[i].use = 0;
		set.members[i].extras = NULL;
		set.members[i].nextras = 0;
	}
	int r = prove_set(v, t, &set, e);
	for (size_t i = 0; i < set.nmembers; i++) {
		struct plan_pick *p = resolver_pick(t, set.members[i].file);

		p->use |= set.members[i].use;
		if (i < set.nroots) {
			p->extras = set.members[i].extras;
			p->nextras = set.members[i].nextras;
		}
	}
	return r;
}

static int prove_environment(struct resolver *v, struct resolver_target *t, const struct plan_pick *sdist,
	struct err *e)
{
	struct closure_set set = new_set(v, t);

	set.sdist = &v->files.v[sdist->file];
	for (size_t i = 0; i < sdist->nenvironment; i++) {
		set.members[set.nmembers++] =
			(struct closure_member){ .file = sdist->environment[i], .use = USE_BUILD };
	}
	set.nroots = set.nmembers;
	return prove_set(v, t, &set, e);
}

/* ---- builds ---- */

static bool is_toolkit(const struct lock *lock, struct str project)
{
	for (size_t i = 0; i < lock->ntoolkit_packages; i++) {
		if (str_eq(lock->toolkit_packages[i], project)) {
			return true;
		}
	}
	return false;
}

/* A row that is only for builds is then only the toolkit's. */
static void mark_toolkit(struct resolver *v, struct resolver_target *t)
{
	vec_each(struct plan_pick, p, &t->picks) {
		if (is_toolkit(v->lock, v->files.v[p->file].project)) {
			p->use = (p->use & USE_RUN) | USE_TOOLKIT;
		}
	}
}

static bool needs_device_code(const struct resolver *v, const struct resolver_target *t, const struct plan_file *f)
{
	const struct lock_recipe *own = lock_recipe_of(v->lock, f->project);
	enum recipe_device known = recipe_find(f->project)->device;

	if (f->from.name.kind != DIST_SDIST || t->view.t->ngpus == 0) {
		return false;
	}
	return own && own->has_device_code
		       ? own->device_code
		       : known == RECIPE_DEVICE_YES ||
			     (known == RECIPE_DEVICE_IF_CUDA_SOURCES && f->has_cuda_sources);
}

static bool has_project(const struct resolver *v, const struct resolver_target *t, struct str project)
{
	vec_each(const struct plan_pick, p, &t->picks) {
		if (str_eq(v->files.v[p->file].project, project)) {
			return true;
		}
	}
	return false;
}

/* Device code wants a compiler on the far side, and the lock must say which: the site's, or wheels,
 * of which a part is as good as none. */
static void check_toolkit(struct resolver *v, const struct resolver_target *t, const struct plan_file *sdist)
{
	const struct lock *l = v->lock;
	const char *missing = "the lock has no [toolkit] that says where nvcc comes from";
	bool is_whole = l->toolkit != LOCK_TOOLKIT_NONE;

	for (size_t i = 0;
		is_whole && l->toolkit == LOCK_TOOLKIT_WHEELS && i < l->ntoolkit_packages; i++) {
		if (!has_project(v, t, l->toolkit_packages[i])) {
			missing = arena_printf(v->a, "%.*s of [toolkit] has no row for this target",
				STR_ARG(l->toolkit_packages[i]));
			is_whole = false;
		}
	}
	if (!is_whole) {
		resolver_hole(v, t, sdist->project,
			arena_printf(v->a, "%.*s has no wheel and must be compiled with nvcc; %s",
				STR_ARG(sdist->from.name.file), missing));
	}
}

/* Where nothing is compiled, what also serves otherwise is no part of a toolkit. */
static void drop_toolkit(struct resolver_target *t)
{
	vec_each(struct plan_pick, p, &t->picks) {
		if (p->use != USE_TOOLKIT) {
			p->use &= ~(unsigned)USE_TOOLKIT;
		}
	}
}

/* pip only warns of an extra that does not exist; whoever wrote the lock wants to know it now. */
static void check_extras(struct resolver *v, const struct resolver_target *t)
{
	vec_each(const struct plan_pick, p, &t->picks) {
		const struct core_metadata *core = &v->files.v[p->file].core;

		for (size_t j = 0; j < p->nextras; j++) {
			bool known = false;

			for (size_t k = 0; k < core->nprovides_extra && !known; k++) {
				known = name_eq(core->provides_extra[k], p->extras[j]);
			}
			if (!known) {
				resolver_note(v, arena_printf(v->a, "%.*s has no extra \"%.*s\"",
					STR_ARG(v->files.v[p->file].from.name.file), STR_ARG(p->extras[j])));
			}
		}
	}
}

/* The sdist that has to be built before this one and needs it itself, maybe this one too; NULL: there is none. */
static const struct plan_pick *circle_of(struct resolver *v, struct resolver_target *t, const struct plan_pick *sdist)
{
	struct arena scratch = ARENA_INIT;
	size_t *queue = arena_array(&scratch, v->files.n + 1, sizeof(*queue)), n = 1;
	bool *seen = arena_array(&scratch, v->files.n, sizeof(*seen));
	const struct plan_pick *by = NULL;

	queue[0] = sdist->file;
	for (size_t head = 0; head < n && !by; head++) {
		const struct plan_pick *p = resolver_pick(t, queue[head]);

		for (size_t i = 0; i < p->nenvironment; i++) {
			size_t file = p->environment[i];

			if (file == sdist->file) {
				by = p;
			} else if (!seen[file] && v->files.v[file].from.name.kind == DIST_SDIST) {
				seen[file] = true;
				queue[n++] = file;
			}
		}
	}
	arena_release(&scratch);
	return by;
}

static void check_circle(struct resolver *v, struct resolver_target *t, const struct plan_pick *sdist)
{
	const struct plan_file *f = &v->files.v[sdist->file];
	const struct plan_pick *by = circle_of(v, t, sdist);

	if (by) {
		resolver_hole(v, t, f->project, arena_printf(v->a, "%.*s cannot be built: to build %.*s it must be there "
								   "already, and it has no wheel to begin with",
			STR_ARG(f->from.name.file), STR_ARG(v->files.v[by->file].from.name.file)));
	}
}

static int prove_builds(struct resolver *v, struct resolver_target *t, struct err *e)
{
	bool compiles = false;
	int r = 0;

	for (size_t i = 0; !r && i < t->picks.n; i++) {
		struct plan_pick *p = &t->picks.v[i];
		const struct plan_file *f = &v->files.v[p->file];

		if (f->from.name.kind != DIST_SDIST) {
			continue;
		}
		p->device_code = needs_device_code(v, t, f);
		if (p->device_code) {
			check_toolkit(v, t, f);
		}
		compiles |= p->device_code;
		check_circle(v, t, p);
		for (size_t j = 0; j < p->nenvironment; j++) {
			resolver_pick(t, p->environment[j])->use |= USE_BUILD;
		}
		r = prove_environment(v, t, p, e);
	}
	if (!compiles) {
		drop_toolkit(t);
	}
	return r;
}

int resolver_prove(struct resolver *v, struct resolver_target *t, struct err *e)
{
	mark_toolkit(v, t);
	int r = prove_run(v, t, e);
	r = r ? r : prove_build_rows(v, t, e);
	if (!r) {
		check_python(v, t);
		check_torch(v, t);
		check_extras(v, t);
		r = prove_builds(v, t, e);
	}
	return r;
}

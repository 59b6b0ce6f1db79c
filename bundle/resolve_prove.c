/* Second half of resolve: is the closure of each target met, and can what has no wheel be built? */
#include "bundle/closure_proof.h"
#include "bundle/resolver.h"
#include "manifests/name.h"
#include "manifests/recipe.h"

static void check_python(struct resolver *v, const struct choose_target *t, const struct plan_target *pt)
{
	for (size_t i = 0; i < pt->npicks; i++) {
		const struct plan_file *f = &v->files.v[pt->picks[i].file];

		if (!choose_python_fits(t, f->core.requires_python)) {
			resolver_hole(v, t, f->project, arena_printf(v->a, "%.*s needs Python %.*s, the target has %.*s",
				STR_ARG(f->from.name.file), STR_ARG(f->core.requires_python),
				STR_ARG(t->env.value[MARKER_PYTHON_FULL_VERSION])));
		}
	}
}

static int read_missing_pages(struct resolver *v, const struct closure_holes *holes, struct err *e)
{
	struct str *names = arena_array(v->a, holes->n, sizeof(*names));

	for (size_t i = 0; i < holes->n; i++) {
		names[i] = holes->v[i].project;
	}
	return holes->n ? resolver_read_pages(v, names, holes->n, e) : 0;
}

static void tell_hole(struct resolver *v, const struct choose_target *t, const struct closure_hole *h)
{
	const struct index_project *page = resolver_page(v, h->project);
	struct str nearest = page ? choose_newest(v->a, t, &h->specifiers, page) : STR_NULL;
	const char *remedy;

	if (nearest.n) {
		remedy = arena_printf(v->a, "add a row for it: version = \"==%.*s\"%s", STR_ARG(nearest),
			h->is_build ? ", use = \"build\"" : "");
	} else {
		remedy = arena_printf(v->a, "%s has nothing that fits this target", index_where(v->index, v->a));
	}
	resolver_hole(v, t, h->project, arena_printf(v->a, "%.*s %s \"%.*s\"; %s%.*s; %s", STR_ARG(h->asker),
		h->is_build ? "needs, to be built," : "requires", STR_ARG(h->requirement),
		h->chosen.n ? "the lock pins " : "the lock has no row for it",
		STR_ARG(h->chosen), remedy));
}

static bool needs_device_code(const struct resolver *v, const struct choose_target *t, const struct plan_file *f)
{
	const struct lock_recipe *own = lock_recipe_of(v->lock, f->project);
	enum recipe_device known = recipe_find(f->project)->device;

	if (f->from.name.kind != DIST_SDIST || t->t->ngpus == 0) {
		return false;
	}
	return own && own->has_device_code
		       ? own->device_code
		       : known == RECIPE_DEVICE_YES ||
			     (known == RECIPE_DEVICE_IF_CUDA_SOURCES && f->has_cuda_sources);
}

static bool has_project(const struct resolver *v, const struct plan_target *pt, struct str project)
{
	for (size_t i = 0; i < pt->npicks; i++) {
		if (str_eq(v->files.v[pt->picks[i].file].project, project)) {
			return true;
		}
	}
	return false;
}

/* Device code wants a compiler on the far side, and the lock must say which: the site's, or wheels,
 * of which a part is as good as none. */
static void check_toolkit(struct resolver *v, const struct choose_target *t,
	const struct plan_target *pt, const struct plan_file *sdist)
{
	const struct lock *l = v->lock;
	const char *missing = "the lock has no [toolkit] that says where nvcc comes from";
	bool is_whole = l->toolkit != LOCK_TOOLKIT_NONE;

	for (size_t i = 0;
		is_whole && l->toolkit == LOCK_TOOLKIT_WHEELS && i < l->ntoolkit_packages; i++) {
		if (!has_project(v, pt, l->toolkit_packages[i])) {
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
static void drop_toolkit(struct plan_target *pt)
{
	for (size_t i = 0; i < pt->npicks; i++) {
		if (pt->picks[i].use != USE_TOOLKIT) {
			pt->picks[i].use &= ~(unsigned)USE_TOOLKIT;
		}
	}
}

/* pip only warns of an extra that does not exist; whoever wrote the lock wants to know it now. */
static void check_extras(struct resolver *v, const struct plan_target *pt)
{
	for (size_t i = 0; i < pt->npicks; i++) {
		const struct plan_pick *p = &pt->picks[i];
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

static int plan_builds(struct resolver *v, const struct choose_target *t, struct plan_target *pt, struct err *e)
{
	bool compiles = false;
	int r = 0;

	for (size_t i = 0; !r && i < pt->npicks; i++) {
		struct plan_pick *p = &pt->picks[i];
		const struct plan_file *f = &v->files.v[p->file];

		if (f->from.name.kind != DIST_SDIST) {
			continue;
		}
		p->device_code = needs_device_code(v, t, f);
		if (p->device_code) {
			check_toolkit(v, t, pt, f);
		}
		compiles |= p->device_code;
		r = closure_build_environment(v->a, t, v->files.v, pt, i, &p->build_environment,
			&p->nbuild_environment, e);
	}
	if (!compiles) {
		drop_toolkit(pt);
	}
	return r;
}

int resolver_prove(struct resolver *v, const struct choose_target *t, struct plan_target *pt, struct err *e)
{
	struct closure_holes holes = VEC_INIT;
	int r = closure_prove(v->a, t, v->lock, v->files.v, pt, &holes, e);

	r = r ? r : read_missing_pages(v, &holes, e);
	if (!r) {
		vec_each(struct closure_hole, h, &holes) {
			tell_hole(v, t, h);
		}
		check_python(v, t, pt);
		check_extras(v, pt);
		r = plan_builds(v, t, pt, e);
	}
	vec_release(&holes);
	return r ? err_wrap(e, "target %.*s", STR_ARG(t->t->name)) : 0;
}

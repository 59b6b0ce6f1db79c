#include "bundle/sdist_plan.h"
#include "bundle/fetch.h"
#include "manifests/base/mem.h"
#include "manifests/recipe.h"
#include "verify/sdist_in.h"

#include <string.h>

static void add(struct arena *a, struct plan_file *f, struct str requirement)
{
	struct str *all = arena_array(a, f->nbuild_requires + 1, sizeof(*all));

	if (f->nbuild_requires) {
		memcpy(all, f->build_requires, f->nbuild_requires * sizeof(*all));
	}
	all[f->nbuild_requires++] = arena_str(a, requirement);
	f->build_requires = all;
}

/* The texts of an sdist live in its own arena; the plan's outlives it. */
static void keep_core(struct arena *a, struct plan_file *f, const struct sdist *s)
{
	const struct core_metadata *c = &s->core;

	f->core = (struct core_metadata){
		.name = c->name.n ? arena_str(a, c->name) : f->project,
		.version = c->version.n ? arena_str(a, c->version) : f->from.name.version.raw,
		.requires_python = arena_str(a, c->requires_python),
		.license = arena_str(a, c->license),
		.nrequires_dist = c->nrequires_dist,
		.is_dynamic_requires = c->is_dynamic_requires,
	};
	f->core.requires_dist = arena_strs(a, c->requires_dist, c->nrequires_dist);
	f->core.provides_extra = arena_strs(a, c->provides_extra, c->nprovides_extra);
	f->core.nprovides_extra = c->nprovides_extra;
}

/* Hidden requirements: what the project's setup.py imports without saying so, and what the lock adds. */
static void keep_requirements(struct arena *a, const struct lock *lock, struct plan_file *f, const struct sdist *s)
{
	const char *const *need = recipe_find(f->project)->needs;
	const struct lock_recipe *own = lock_recipe_of(lock, f->project);

	f->build_requires = NULL;
	f->nbuild_requires = 0;
	for (size_t i = 0; i < s->nbuild_requires; i++) {
		add(a, f, s->build_requires[i]);
	}
	for (; *need; need++) {
		add(a, f, str_of(*need));
	}
	for (size_t i = 0; own && i < own->nrequires; i++) {
		add(a, f, own->requires[i]);
	}
}

static const char *unfit_text(struct arena *a, const struct sdist *s, struct str project)
{
	if (s->is_stub) {
		return arena_printf(a, "a stub: it downloads the true package when it is built, so it does not work "
				       "offline; [source.%.*s] in the lock, with index = \"...\", takes that from the "
				       "publisher's own index", STR_ARG(project));
	}
	if (s->is_placeholder) {
		return "a placeholder: its setup.py only says which other package to take";
	}
	if (s->nmissing) {
		return arena_printf(a, "incomplete: setup.py names %.*s, which is not in it", STR_ARG(s->missing[0]));
	}
	return "";
}

int sdist_facts(struct arena *a, const struct lock *lock, struct cache *cache, struct plan_file *f,
	struct str *unfit, struct err *e)
{
	struct sdist s = SDIST_INIT;
	CLEANUP(fd) int fd = -1;
	uint64_t size;

	if (!cache_open_file(cache, &f->from.sha256, &fd, &size)) {
		return err_set(e, RC_IO, "%.*s: gone from the cache", STR_ARG(f->from.name.file));
	}
	int r = sdist_read(fd, f->from.name.file, f->project, &s, e);
	if (!r) {
		keep_core(a, f, &s);
		keep_requirements(a, lock, f, &s);
		f->has_cuda_sources = s.has_cuda_sources;
		*unfit = str_of(unfit_text(a, &s, f->project));
	}
	sdist_release(&s);
	return r;
}

int sdist_fetch(struct arena *a, struct index *index, struct cache *cache, struct plan_file *files, size_t n,
	struct err *e)
{
	struct fetch_item *items = arena_array(a, n, sizeof(*items));
	size_t *of = arena_array(a, n, sizeof(*of)), count = 0;

	for (size_t i = 0; i < n; i++) {
		const struct index_file *f = &files[i].from;

		if (f->name.kind == DIST_SDIST) {
			of[count] = i;
			items[count++] = (struct fetch_item){ .url = f->url,
				.file = arena_dup(a, f->name.file), .has_sha256 = f->has_sha256,
				.sha256 = f->sha256, .has_size = f->has_size, .size = f->size };
		}
	}
	int r = fetch_files(cache, index_http(index), items, count, 0, NULL, e);
	for (size_t i = 0; !r && i < count; i++) {
		struct index_file *f = &files[of[i]].from;

		f->has_sha256 = f->has_size = true;
		f->sha256 = items[i].sha256;
		f->size = items[i].size;
	}
	return r;
}

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

static int read_one(struct arena *a, const struct lock *lock, struct cache *cache, struct plan_file *f,
	struct err *e)
{
	struct sdist s = SDIST_INIT;
	CLEANUP(fd) int fd = -1;
	uint64_t size;

	if (!cache_open_file(cache, &f->from.sha256, &fd, &size)) {
		return err_set(e, RC_IO, "%.*s: gone from the cache", STR_ARG(f->from.name.file));
	}
	int r = sdist_read(fd, f->from.name.file, f->project, &s, e);
	if (!r && s.is_stub) {
		r = err_set(e, RC_WHEEL,
			"%.*s: a stub that downloads the true package when it is built, so it does not work offline",
			STR_ARG(f->from.name.file));
		err_hint(e, "pin a version of %.*s that has wheels for the target", STR_ARG(f->project));
	}
	if (!r) {
		const char *const *need = recipe_find(f->project)->needs;
		const struct lock_recipe *own = lock_recipe_of(lock, f->project);

		keep_core(a, f, &s);
		f->has_cuda_sources = s.has_cuda_sources;
		for (size_t i = 0; i < s.nbuild_requires; i++) {
			add(a, f, s.build_requires[i]);
		}
		for (; *need; need++) {
			add(a, f, str_of(*need));
		}
		for (size_t i = 0; own && i < own->nrequires; i++) {
			add(a, f, own->requires[i]);
		}
	}
	sdist_release(&s);
	return r;
}

int sdist_plan(struct arena *a, const struct lock *lock, struct index *index, struct cache *cache,
	struct plan_file *files, size_t n, struct err *e)
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
		struct plan_file *f = &files[of[i]];

		f->from.has_sha256 = f->from.has_size = true;
		f->from.sha256 = items[i].sha256;
		f->from.size = items[i].size;
		r = read_one(a, lock, cache, f, e);
	}
	return r;
}

/* Locks from anybody, lock.toml, frozen ones, gpkg.lock.toml and stacks.toml: everything that `resolve` relies on, or an error. */
#include "manifests/lock.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_so)
{
	if (!is_so) {
		abort();
	}
}

static void check_package(const struct lock *l, const struct lock_package *p)
{
	require(p->req.name.n > 0 && p->req.raw.n > 0 && p->req.url.n == 0);
	require((p->url.n > 0) == (p->file.n > 0));
	require(p->url.n == 0 || (p->req.specifiers.n == 1 && lock_package_pin(p)));
	require(!l->is_frozen || (p->nfiles == 1 && str_eq(p->url, p->files[0].url)));
	for (size_t i = 1; i < p->nbuild; i++) {
		require(str_cmp(p->build[i - 1], p->build[i]) < 0);
	}
	for (size_t i = 0; i < p->ntargets; i++) {
		require(lock_target(l, p->targets[i]) != NULL);
	}
}

static void check_wishes(const struct lock *l)
{
	for (size_t i = 0; i < l->nconstraints; i++) {
		require(l->constraints[i].req.specifiers.n > 0 && l->constraints[i].where.n > 0);
	}
	for (size_t i = 0; i < l->noverrides; i++) {
		require(lock_override_of(l, l->overrides[i].name) == &l->overrides[i]);
		require(l->overrides[i].reason.n > 0);
	}
	for (size_t i = 0; i < l->nsources; i++) {
		require(lock_source_of(l, l->sources[i].name) == &l->sources[i]);
		require(l->sources[i].source.kind && l->sources[i].source.url.n > 0);
	}
}

static void check_lock(const struct lock *l)
{
	require(l->ntargets > 0 && (l->kind != LOCK_GPKG || l->ntargets == 1));
	for (size_t i = 0; i < l->npackages; i++) {
		check_package(l, &l->packages[i]);
	}
	check_wishes(l);
	for (size_t i = 0; i < l->nwaivers; i++) {
		const struct lock_waiver *w = &l->waivers[i];

		require(w->reason.n > 0 && lock_waives(l, w->name, w->target) != NULL);
	}
	for (size_t i = 0; i < l->nrecipes; i++) {
		require(lock_recipe_of(l, l->recipes[i].name) == &l->recipes[i]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct target_spec extra = { .cxx11_abi = -1, .glibc = { "2.28", 4 } };
	const struct lock_options options = { .extra = &extra };
	struct lock lock = LOCK_INIT;
	struct err e = ERR_INIT;

	for (int i = 0; i < 2; i++) { /* the options suit one of the formats */
		if (lock_parse((struct str){ (const char *)data, size }, "fuzz", i ? &options : NULL,
			    &lock, &e) == 0) {
			check_lock(&lock);
			lock_release(&lock);
		} else {
			require(str_starts(str_of(e.text), "fuzz: ") && lock.arena.pages == NULL);
		}
	}
	return 0;
}

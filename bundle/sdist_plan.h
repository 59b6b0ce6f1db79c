/* What the plan must know of its sdists before the closure can be proved: requirements, and what their
 * builds need. An sdist's metadata lies inside it, so each is fetched into the cache first. */
#ifndef BUNDLE_SDIST_PLAN_H
#define BUNDLE_SDIST_PLAN_H

#include "bundle/plan.h"

/* Every sdist among the files is in the cache when this returns 0, several fetched at once. A file
 * without a promised hash gets the one, and each the size, that it is found to have. */
int sdist_fetch(struct arena *a, struct index *index, struct cache *cache, struct plan_file *files, size_t n,
	struct err *e);

/* Reads an sdist that is in the cache: fills core, has_cuda_sources and build_requires (the hidden ones of
 * recipes, built-in and the lock's, are added). *unfit, in the arena, says why it covers no target, as the rest
 * of a sentence that begins with its name: "a stub: ...", "a placeholder: ...", "incomplete: setup.py names
 * csrc/x.cpp, which is not in it"; "" where nothing speaks against it. RC_WHEEL where it cannot be read;
 * RC_IO where it has gone from the cache. */
int sdist_facts(struct arena *a, const struct lock *lock, struct cache *cache, struct plan_file *f,
	struct str *unfit, struct err *e);

#endif

/* What the plan must know of its sdists before the closure can be proved: requirements, and what their
 * builds need. An sdist's metadata lies inside it, so each is fetched into the cache here. */
#ifndef BUNDLE_SDIST_PLAN_H
#define BUNDLE_SDIST_PLAN_H

#include "bundle/plan.h"

/* Fills core and build_requires of every sdist among the files; hidden requirements of recipes (built-in, and the
 * lock's) are added. A file without a promised hash gets the one it is found to have. */
int sdist_plan(struct arena *a, const struct lock *lock, struct index *index, struct cache *cache,
	struct plan_file *files, size_t n, struct err *e);

#endif

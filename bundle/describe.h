/* plan + fetched files -> manifest: every file is opened, and what it says inside is what is written. */
#ifndef BUNDLE_DESCRIBE_H
#define BUNDLE_DESCRIBE_H

#include "bundle/plan.h"

/* Fills files, targets and waivers of the manifest (channel, serial and times are the caller's). Every file of the
 * plan has its sha256 and size and is in the cache. RC_WHEEL where METADATA inside differs from what the plan was
 * proved with, or the wheel is damaged; RC_HASH where the cached copy is (the entry is evicted). */
int describe(const struct lock *lock, const struct plan *plan, struct cache *cache, struct manifest *out,
	struct err *e);

#endif

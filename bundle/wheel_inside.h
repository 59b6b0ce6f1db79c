/* What is inside the wheels of a plan: METADATA, WHEEL, the map of their native code, and what
 * torch offers. Each wheel is read once: what was found is kept in the cache under the sha256 of
 * its bytes. */
#ifndef BUNDLE_WHEEL_INSIDE_H
#define BUNDLE_WHEEL_INSIDE_H

#include "bundle/plan.h"
#include "verify/audit_torch.h"
#include "verify/audit_wheel.h"

struct wheel_inside {
	struct arena arena;
	struct wheel_metadata metadata;
	struct native native;
	struct audit_wheel
		wheel; /* points to all of the above, and to the plan: it must not be moved */
	bool was_read; /* it was not known before */
};
#define WHEEL_INSIDE_INIT                                  \
	{                                                  \
		.arena = ARENA_INIT, .native = NATIVE_INIT \
	}

/* A wheel of the plan, which lies in the cache. RC_HASH where the cached copy is not what the plan
 * names (it is evicted); RC_WHEEL where the wheel is damaged or its METADATA is not what the index
 * served. */
int wheel_inside_read(
	struct cache *cache, const struct plan_file *f, struct wheel_inside *out, struct err *e);
void wheel_inside_release(struct wheel_inside *w);

/* What a torch wheel offers, once wheel_inside_read has seen it. False: nothing that could be
 * compared. */
bool wheel_inside_torch(struct cache *cache, const struct plan_file *f, struct torch_offer *out);

#endif

/* A frozen lock: the plan as a native lock (gpkg-lock(5)) that names every file, so that whoever
 * reads it has nothing to choose. `create` makes of it the bundle that it makes of the lock which
 * was resolved, byte for byte. */
#ifndef BUNDLE_LOCK_OUT_H
#define BUNDLE_LOCK_OUT_H

#include "bundle/plan.h"

/* The text for the targets of the plan; it depends on lock and plan alone. Every file of the plan
 * must have its sha256 and size. URLs are written without credentials. */
void lock_write(const struct lock *lock, const struct plan *plan, struct buf *out);

#endif

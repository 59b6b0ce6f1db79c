/* lock + index -> plan. For each target: every row of the lock that is meant for it gets the one file
 * that fits best (tags, Requires-Python, yanked, hash), then the closure is proved: every Requires-Dist of every chosen
 * file, markers and extras evaluated for the target, must be met by a chosen file; for sdists the build
 * requirements too. What is not met is a hole. Versions are not chosen here: rows are pinned. */
#ifndef BUNDLE_RESOLVE_H
#define BUNDLE_RESOLVE_H

#include "bundle/plan.h"

struct resolve_options {
	const struct str *targets; /* --target: only these; none: all */
	size_t ntargets;
	bool trust_first_use; /* files without a hash are taken, and recorded */
};

/* RC_HOLE is not returned: holes are in the plan, waived or not. Errors are those of index and lock: unknown target, a
 * file with no hash (RC_HASH), an ambiguous choice (RC_AMBIGUOUS), a broken answer. */
int resolve(const struct lock *lock, struct index *index, struct cache *cache,
	const struct resolve_options *options, struct plan *out, struct err *e);

#endif

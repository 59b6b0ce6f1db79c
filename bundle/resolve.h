/* lock + index -> plan. For each target, in the lock's order: the solver (solve.h) chooses a version and a file for
 * every package that the lock's rows need, in the target's universe (universe.h): files are judged by the target's
 * tags, Python, variant and policy before versions are ranked. Preferred are the lock's pins, then what
 * an earlier target got, then the newest. pylock.toml, uv.lock and frozen locks choose nothing: their rows are
 * the answer. Each sdist's build environment is solved on its own. Then the closure is proved from METADATA alone,
 * without the solver: every Requires-Dist of every chosen file, markers and extras evaluated for the target, must
 * be met by a chosen file. What is not met is a hole. */
#ifndef BUNDLE_RESOLVE_H
#define BUNDLE_RESOLVE_H

#include "bundle/plan.h"

struct resolve_options {
	const struct str *targets; /* --target: only these; none: all */
	size_t ntargets;
	bool trust_first_use; /* files without a hash are taken, and recorded */
	struct str explain;   /* normalised project whose candidates go into plan.explained; "" = none */
};

/* RC_HOLE is not returned: holes are in the plan, waived or not. Errors are those of index and lock: unknown target, a
 * file with no hash (RC_HASH), an ambiguous choice (RC_AMBIGUOUS), a broken answer. */
int resolve(const struct lock *lock, struct index *index, struct cache *cache,
	const struct resolve_options *options, struct plan *out, struct err *e);

#endif

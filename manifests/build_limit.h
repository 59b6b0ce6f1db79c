/* Ceilings for build environments: newest versions of build tools that the torch of a target cannot
 * live with (data/build_limits.def). They hold in addition to what projects require; a lock's own
 * build-constraints go first. */
#ifndef MANIFESTS_BUILD_LIMIT_H
#define MANIFESTS_BUILD_LIMIT_H

#include "manifests/target.h"

enum { BUILD_LIMITS_MAX = 8 }; /* of one target */

struct build_limit {           /* static texts */
	struct str project;    /* normalised */
	struct str specifiers; /* "<82" */
	struct str reason;     /* a sentence without a full stop */
};

/* Those that hold for the target, in the table's order; none where its torch is not known. */
size_t build_limits(const struct target *t, struct build_limit out[BUILD_LIMITS_MAX]);

#endif

/* Which files of a target a set of projects needs: the projects themselves and, by the
 * Requires-Dist of their METADATA with markers evaluated for the target, everything that they
 * depend on. Versions are the plan's: for each project the one file that the target should see. */
#ifndef MIRROR_CLOSURE_H
#define MIRROR_CLOSURE_H

#include "mirror/store.h"

/* The file for a project among those of one of these uses (USE_* bits): from the newest plan first,
 * then the highest version, then a wheel (also one built here) before its source. NULL: none. */
const struct store_file *closure_pick(
	const struct store_target *t, struct str project, unsigned uses);

/* The wheel that was built here of that source and is in force. NULL: none. */
const struct store_file *closure_build_of(
	const struct store_target *t, const struct store_file *sdist);

struct closure {
	const struct store_file **v; /* by project; belongs to the arena */
	size_t n;
};

/* `roots` are "name" or "name[extra,...]"; without any (n == 0), every project of these uses. A
 * dependency that the target does not have is RC_HOLE, which names who needs it; a root that is not
 * there is RC_NOT_FOUND. Sources may be in the result: their dependencies are unknown. */
int closure_of(struct store *s, const struct store_target *t, unsigned uses,
	const struct str *roots, size_t n, struct arena *a, struct closure *out, struct err *e);

#endif

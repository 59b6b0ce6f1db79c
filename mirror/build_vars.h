/* The environment of a build: all of it, in a fixed order. */
#ifndef MIRROR_BUILD_VARS_H
#define MIRROR_BUILD_VARS_H

#include "manifests/manifest.h"
#include "mirror/arch_flags.h"

struct build_vars {
	struct arena *arena;
	struct {
		const char *name, *value;
	} *v;
	size_t n, cap;
};

/* SOURCE_DATE_EPOCH of every build, which tools take for "now": the first moment that a zip file
 * can state, 1980-01-01. */
#define BUILD_EPOCH "315532800"

/* PATH, HOME, TMPDIR and what keeps pip, Python and locales apart from the machine; `root` is the
 * workshop's folder inside, `cuda` the toolkit inside or NULL. CC, CXX and NVCC_CCBIN are handed on
 * from ours. */
void build_vars_init(struct build_vars *vars, struct arena *a, const char *root, const char *env,
	const char *cuda);
void build_vars_release(struct build_vars *vars);
void build_vars_set(struct build_vars *vars, const char *name, const char *value);
/* Jobs and architectures, then the recipe's own variables over them. RC_INVALID: a placeholder. */
int build_vars_add_recipe(struct build_vars *vars, const struct manifest_recipe *recipe,
	const struct arch_flags *flags, struct err *e);
const char *build_vars_get(const struct build_vars *vars, const char *name); /* NULL: unset */
const char *const *build_vars_list(const struct build_vars *vars); /* for exec; sorted by name */

#endif

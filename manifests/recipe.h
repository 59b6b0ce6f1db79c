/* Build recipes: what the metadata of a source distribution does not say
 * (manifests/data/recipes.def). The connected side copies a project's recipe into the manifest,
 * with a lock's [recipe.<project>] over it; the building side follows the manifest. */
#ifndef MANIFESTS_RECIPE_H
#define MANIFESTS_RECIPE_H

#include "manifests/base/str.h"

enum recipe_device {
	RECIPE_DEVICE_NO = 1,
	RECIPE_DEVICE_YES, /* where the target has GPUs, the wheel must hold code for each */
	RECIPE_DEVICE_IF_CUDA_SOURCES /* the same if the sdist holds .cu files */
};

struct recipe_env {
	const char *name, *value; /* ${...} not yet filled in */
};

struct recipe {
	const char *project;      /* normalised; "" for the general one */
	const char *const *needs; /* projects, sorted; NULL-terminated */
	enum recipe_device device;
	const struct recipe_env *env; /* sorted by name; ends with a NULL name */
	const char *source;           /* where this was read, for people */
};

/* The project's own, else the general one: never NULL. */
const struct recipe *recipe_find(struct str project);
/* All of them, the general one first. */
const struct recipe *recipe_list(size_t *n);

#endif

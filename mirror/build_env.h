/* The Python environment of a build: the target's Python and the wheels that the recipe names,
 * installed from the store with nothing else in reach. pip comes from the Python's own ensurepip,
 * or from a pip wheel among the files. One environment serves all builds that ask for the same
 * wheels. */
#ifndef MIRROR_BUILD_ENV_H
#define MIRROR_BUILD_ENV_H

#include "mirror/closure.h"
#include "mirror/python_find.h"
#include "mirror/workshop.h"

struct build_env {
	struct digest key; /* of the Python and the wheels' digests */
	struct workshop_folder folder;
	char *python; /* inside: the program that builds run with */
};

struct build_envs { /* those made so far; belong to the workshop */
	struct build_env *v;
	size_t n, cap;
};

/* Makes it, or finds it among those made, and mounts it in the workshop. `log` gets what pip says.
 * RC_TOOL where the Python cannot make environments; RC_BUILD where pip fails. */
int build_env_make(struct workshop *w, struct build_envs *made, struct store *s,
	const struct python *python, const struct closure *wheels, int log,
	const struct build_env **out, struct err *e);
void build_envs_release(struct build_envs *made);

/* Writes requirement lines "PATH --hash=sha256:HEX" as every pip takes them. */
void build_env_requirement(struct buf *out, const char *path, const struct digest *sha256);

#endif

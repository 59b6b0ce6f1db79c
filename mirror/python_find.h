/* The Python of a target on this machine. */
#ifndef MIRROR_PYTHON_FIND_H
#define MIRROR_PYTHON_FIND_H

#include "manifests/target.h"

struct python {
	char *program; /* absolute; never a wrapper or one inside a virtual environment */
	char *prefix;  /* its installation: sys.base_prefix */
	unsigned major, minor, patch;
	bool free_threaded;
};

/* Asks a program what it is. RC_TOOL: it does not run, or is no CPython. */
int python_ask(struct arena *a, const char *program, struct python *out, struct err *e);
/* Looks for python3.X in $PATH, then where pyenv, uv and the manylinux images keep theirs, and asks
 * each what it is: the first of the right minor version and threading counts; the patch level does
 * not. RC_TOOL where there is none. */
int python_find(
	struct arena *a, const struct target_python *want, struct python *out, struct err *e);
bool python_is(const struct python *p, const struct target_python *want);

#endif

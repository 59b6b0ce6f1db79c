/* What only Python knows: its prefix (pip's "site" configuration lies there) and the index that pip
 * was made with. Private to bundle/pip_config.h. */
#ifndef BUNDLE_PIP_PYTHON_H
#define BUNDLE_PIP_PYTHON_H

#include "manifests/base/arena.h"
#include "manifests/base/err.h"

struct pip_python {
	const char *prefix; /* sys.prefix; NULL: unknown */
	const char *index;  /* pip's own default index; NULL: it has no pip, or a pip that does not
			       say */
};

/* Runs `python` (found by PATH) once. RC_TOOL where it cannot be run or does not end. */
int pip_python_ask(const char *python, struct arena *a, struct pip_python *out, struct err *e);

#endif

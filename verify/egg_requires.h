/* requires.txt in an .egg-info folder: where setuptools wrote an sdist's requirements before PKG-INFO had
 * them (setuptools, "Egg metadata"): a requirement a line, sections [EXTRA], [:MARKER], [EXTRA:MARKER]. */
#ifndef VERIFY_EGG_REQUIRES_H
#define VERIFY_EGG_REQUIRES_H

#include "manifests/base/arena.h"
#include "manifests/base/err.h"

/* Each as PEP 508 text, section folded into its marker. RC_WHEEL for a section that is not closed. */
int egg_requires_parse(struct arena *a, struct str text, struct str **out, size_t *n, struct err *e);

#endif

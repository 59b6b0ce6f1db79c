/* Advisories that the tool brings itself (manifests/data/known_bad.def): releases that install and
 * run, and are wrong all the same. */
#ifndef MANIFESTS_ADVISORY_H
#define MANIFESTS_ADVISORY_H

#include "manifests/version.h"

struct advisory {               /* static texts */
	const char *project;    /* normalised */
	const char *specifiers; /* PEP 440 */
	const char *label;      /* what the local part begins with; "" = any */
	const char *what, *remedy, *source;
};

const struct advisory *advisory_list(size_t *n);
/* The next one from *at on that holds for a file of this project and version, and *at behind it;
 * NULL: no more. Begin with *at = 0. */
const struct advisory *advisory_next(struct str project, const struct version *v, size_t *at);

#endif

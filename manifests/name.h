/* Project names (PEP 503, "Names and normalization" of the packaging specifications). */
#ifndef MANIFESTS_NAME_H
#define MANIFESTS_NAME_H

#include "manifests/base/arena.h"

/* Letters and digits at both ends, letters, digits, '.', '_', '-' between; at most LIMIT_NAME. */
bool name_is_valid(struct str name);
/* Lower-case, every run of "-_." one '-'. Extras are normalised the same way (PEP 685). */
char *name_normalize(struct arena *a, struct str name);
bool name_eq(struct str a, struct str b); /* equal when normalised */

#endif

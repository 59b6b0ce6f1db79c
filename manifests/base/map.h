/* From text to a number: open addressing, never shrinks. Keys are slices that must outlive the map; the
 * order of insertion shows nowhere, so nothing can depend on it. */
#ifndef MANIFESTS_BASE_MAP_H
#define MANIFESTS_BASE_MAP_H

#include "manifests/base/str.h"

struct map_slot {
	struct str key;
	size_t value;
	bool is_used;
};
struct map {
	struct map_slot *slots;
	size_t nslots, n; /* nslots: a power of two, or 0 */
};
#define MAP_INIT { .slots = NULL } /* valid without allocation */

/* The value under the key; NULL: it is not there. Valid until the next map_put. */
size_t *map_get(const struct map *m, struct str key);
/* Sets it, or sets it anew. */
void map_put(struct map *m, struct str key, size_t value);
void map_release(struct map *m); /* back to MAP_INIT */

#endif

#include "manifests/base/map.h"
#include "manifests/base/mem.h"

#include <stdlib.h>

static uint64_t hash_text(struct str s)
{
	uint64_t h = 14695981039346656037u; /* FNV-1a */

	for (size_t i = 0; i < s.n; i++) {
		h = (h ^ (unsigned char)s.p[i]) * 1099511628211u;
	}
	return h ^ h >> 32;
}

/* The slot of the key, or the empty one where it belongs. */
static struct map_slot *find(const struct map *m, struct str key)
{
	size_t at = (size_t)hash_text(key) & (m->nslots - 1);

	while (m->slots[at].is_used && !str_eq(m->slots[at].key, key)) {
		at = (at + 1) & (m->nslots - 1);
	}
	return &m->slots[at];
}

size_t *map_get(const struct map *m, struct str key)
{
	struct map_slot *slot = m->n ? find(m, key) : NULL;

	return slot && slot->is_used ? &slot->value : NULL;
}

static void grow(struct map *m)
{
	struct map old = *m;

	m->nslots = old.nslots ? old.nslots * 2 : 32;
	m->slots = mem_array(m->nslots, sizeof(*m->slots));
	for (size_t i = 0; i < old.nslots; i++) {
		if (old.slots[i].is_used) {
			*find(m, old.slots[i].key) = old.slots[i];
		}
	}
	free(old.slots);
}

void map_put(struct map *m, struct str key, size_t value)
{
	if (m->n * 4 >= m->nslots * 3) {
		grow(m);
	}
	struct map_slot *slot = find(m, key);
	m->n += !slot->is_used;
	*slot = (struct map_slot){ key, value, true };
}

void map_release(struct map *m)
{
	free(m->slots);
	*m = (struct map)MAP_INIT;
}

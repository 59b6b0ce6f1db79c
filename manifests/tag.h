/* PEP 425 compatibility tags of a target, best first, in the order of packaging 26.2 and uv:
 * plain "linux_x86_64" is the last of its platforms (packaging 26.3 moved it to the front). */
#ifndef MANIFESTS_TAG_H
#define MANIFESTS_TAG_H

#include "manifests/dist_name.h"
#include "manifests/target.h"

struct tag {
	struct str python, abi, platform;
};

struct tag_list {
	struct tag *v;
	size_t n;
	uint32_t *slots; /* private to tag_rank: ranks + 1 by hash, 0 is empty */
	size_t nslots;   /* a power of two */
};

/* All tags that the target accepts. Belongs to the arena. */
void tag_list_of(struct arena *a, const struct target *t, struct tag_list *out);
/* Rank of the wheel's best tag: 0 is best, -1 fits not at all. */
int tag_rank(const struct tag_list *tags, const struct dist_name *wheel);

#endif

/* One partial file of the cache while it grows: locked, hashed, appended to. Private to
 * bundle/fetch.h. */
#ifndef BUNDLE_FETCH_PART_H
#define BUNDLE_FETCH_PART_H

#include "bundle/fetch.h"

struct part {
	struct arena arena;
	struct cache *cache;
	struct fetch_item *item;
	struct log_progress *progress;
	char *path;
	int fd; /* holds the lock */
	struct hash *hash;
	uint64_t have; /* bytes in the file, all of them hashed */
};

/* Opens and locks the partial file of an item and hashes what it already has; *out is NULL where
 * another process (or another item of this one) holds it. */
int part_open(struct cache *c, struct fetch_item *item, struct log_progress *progress,
	struct part **out, struct err *e);
/* RC_HASH where it grows longer than the item should be. */
int part_add(struct part *p, const void *bytes, size_t n, struct err *e);
int part_empty(struct part *p, struct err *e); /* back to byte 0 */
bool part_is_full(const struct part *p);       /* as long as the item should be */
/* Compares size and digest and makes it a cached file. A mismatch empties it, and is RC_HASH. */
int part_commit(struct part *p, struct err *e);
void part_close(struct part *p); /* the file stays for the next run; an empty one is removed */

/* Bytes that an earlier run has left for an item. */
uint64_t part_bytes_kept(struct cache *c, const struct fetch_item *item);

#endif

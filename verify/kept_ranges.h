/* The parts of a stream that are needed later. Ranges of it are wanted, bytes come in once and in
 * order, and those in a wanted range are kept. */
#ifndef VERIFY_KEPT_RANGES_H
#define VERIFY_KEPT_RANGES_H

#include "manifests/base/buf.h"
#include "manifests/base/vec.h"

struct kept_range {
	uint64_t begin, end; /* offsets in the stream */
};
struct kept_run { /* neighbours in the stream and in memory */
	uint64_t offset;
	size_t at, n; /* in kept_ranges.bytes */
};

struct kept_ranges {
	uint64_t at;                   /* bytes that came in */
	size_t limit;                  /* more is not kept */
	VEC(struct kept_range) wanted; /* in any order; they may overlap */
	VEC(struct kept_run) runs;
	struct buf bytes;
};

/* What has already passed is not had by it. */
void kept_want(struct kept_ranges *k, uint64_t offset, uint64_t size);
void kept_add(struct kept_ranges *k, const void *bytes, size_t n);
/* What is kept from that offset on, up to the first gap; empty where nothing is. Valid until the
 * next kept_add. */
struct str kept_from(const struct kept_ranges *k, uint64_t offset);
/* Nothing more is wanted. */
void kept_stop(struct kept_ranges *k);
/* The stream begins anew: nothing is kept, nothing is wanted. */
void kept_restart(struct kept_ranges *k);
void kept_release(struct kept_ranges *k);

#endif

/* A remote wheel of which only some ranges are here. Reading it asks for bytes; what is missing is
 * noted, the caller gets it - for many wheels in parallel - and reads anew. Private to
 * bundle/index.h. */
#ifndef BUNDLE_RANGE_FILE_H
#define BUNDLE_RANGE_FILE_H

#include "manifests/base/arena.h"
#include "manifests/base/err.h"
#include "manifests/base/vec.h"

struct range_piece {
	uint64_t first;
	struct str bytes;
};

struct range_file {
	struct arena arena; /* owns the bytes */
	uint64_t size;
	VEC(struct range_piece) pieces;
	bool is_missing; /* the last reading stopped for want of these bytes (inclusive) */
	uint64_t need_first, need_last;
};

enum { RANGE_TAIL = 64 * 1024 }; /* what verify/zip_dir.c reads first */

void range_file_add(struct range_file *f, uint64_t first, struct str bytes); /* copies */
/* METADATA, byte-exact, into the arena. An error with is_missing set is no error of the wheel. */
int range_file_metadata(struct range_file *f, struct str file_name, struct arena *a,
	struct str *out, struct err *e);
void range_file_release(struct range_file *f);

#endif

/* Writing a bundle's zstd frames (RFC 8878): metadata as one compressed frame, each file as a frame of
 * raw blocks. Every frame declares its size, carries a checksum and needs a window of at most 8 MiB. */
#ifndef BUNDLE_ZSTD_OUT_H
#define BUNDLE_ZSTD_OUT_H

#include "manifests/base/err.h"
#include "manifests/base/str.h"

struct zstd_out; /* writes to a descriptor that stays the caller's */

struct zstd_out *zstd_out_new(int fd, const char *name);
void zstd_out_free(struct zstd_out *z);
int zstd_out_compressed(struct zstd_out *z, struct str content, struct err *e); /* a whole frame */
/* A frame of raw blocks: begin with its size, then add pieces that sum up to it. Each piece is cut into
 * blocks by itself: equal pieces give equal bytes. */
int zstd_out_begin(struct zstd_out *z, uint64_t size, struct err *e);
int zstd_out_add(struct zstd_out *z, const void *bytes, size_t n, struct err *e);

#endif

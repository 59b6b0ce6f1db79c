/* Writing a bundle's zstd frames of raw blocks (manifests/zstd_frame.h), at copying speed. */
#ifndef BUNDLE_ZSTD_OUT_H
#define BUNDLE_ZSTD_OUT_H

#include "manifests/base/err.h"
#include "manifests/base/str.h"

struct zstd_out; /* writes to a descriptor that stays the caller's */

struct zstd_out *zstd_out_new(int fd, const char *name);
void zstd_out_free(struct zstd_out *z);
/* A frame: begin with its size, then add pieces that sum up to it. Each piece is cut into
 * blocks by itself: equal pieces give equal bytes. */
int zstd_out_begin(struct zstd_out *z, uint64_t size, struct err *e);
int zstd_out_add(struct zstd_out *z, const void *bytes, size_t n, struct err *e);

#endif

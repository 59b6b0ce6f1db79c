/* The outer layer of a bundle: zstd frames of raw blocks (manifests/zstd_frame.h), read into one small
 * buffer that stays in the processor's cache, and handed on without copying. No decoder ever runs: a frame
 * that is not in the one form that bundles have is refused (RC_BUNDLE_DAMAGED), so are bytes between frames
 * and a checksum that does not fit; a stream that stops inside a frame is RC_BUNDLE_CUT, one that does not
 * begin as a frame RC_BUNDLE_NOT. */
#ifndef VERIFY_ZSTD_IN_H
#define VERIFY_ZSTD_IN_H

#include "manifests/base/err.h"
#include "manifests/base/str.h"

struct zstd_in;

/* From the descriptor's present place (a file or a pipe) to its end. */
struct zstd_in *zstd_in_open(int fd);
/* From a frame that begins at `offset` of a regular file; the descriptor's own place is not used. */
struct zstd_in *zstd_in_open_at(int fd, uint64_t offset);
void zstd_in_close(struct zstd_in *z);
/* At most `max` bytes; the slice is valid until the next call. An empty slice is the stream's end. */
int zstd_in_piece(struct zstd_in *z, size_t max, struct str *out, struct err *e);
/* Exactly n bytes, or RC_BUNDLE_CUT. */
int zstd_in_exact(struct zstd_in *z, void *to, size_t n, struct err *e);
/* Reads on to the end of the frame that it is in, so that its checksum has been compared. */
int zstd_in_end_frame(struct zstd_in *z, struct err *e);

#endif

/* The outer layer of a bundle: zstd frames (RFC 8878), read by a thread of its own while the caller works
 * on what came before. The first frame holds the metadata, compressed; every later frame must consist
 * of raw blocks, which are handed on without copying. Refused: a frame without a content checksum or
 * size, with a dictionary or a window over 8 MiB, a skippable frame, bytes between frames, a stream that
 * stops inside a frame (RC_BUNDLE_CUT), a checksum that does not fit (RC_BUNDLE_DAMAGED). */
#ifndef VERIFY_ZSTD_IN_H
#define VERIFY_ZSTD_IN_H

#include "manifests/base/err.h"
#include "manifests/base/str.h"

struct zstd_in;

int zstd_in_open(int fd, const char *name, struct zstd_in **out, struct err *e);
void zstd_in_close(struct zstd_in *z);
/* At most `max` bytes; the slice is valid until the next call. An empty slice is the stream's end. */
int zstd_in_piece(struct zstd_in *z, size_t max, struct str *out, struct err *e);
/* Exactly n bytes, or RC_BUNDLE_CUT. */
int zstd_in_exact(struct zstd_in *z, void *to, size_t n, struct err *e);

#endif

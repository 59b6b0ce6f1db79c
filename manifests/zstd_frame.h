/* The zstd frames of a bundle (RFC 8878), in one form: a header of 14 bytes (magic, descriptor 0xC4: an
 * 8-byte content size and a checksum; a window of 128 KiB; the size), raw blocks of at most 128 KiB, and the
 * low four bytes of the content's XXH64. Stock zstd reads it; wheels are deflated already, so nothing is lost,
 * and a reader needs no decoder for bytes that nobody has vouched for yet. */
#ifndef MANIFESTS_ZSTD_FRAME_H
#define MANIFESTS_ZSTD_FRAME_H

#include <stdint.h>

#define ZSTD_FRAME_MAGIC UINT64_C(0xFD2FB528)

enum { ZSTD_FRAME_HEADER = 14, ZSTD_FRAME_BLOCK = 128 * 1024 };

void zstd_frame_header(uint64_t content, unsigned char out[ZSTD_FRAME_HEADER]);

#endif

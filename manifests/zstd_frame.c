#include "manifests/zstd_frame.h"

static void put_little(unsigned char *to, uint64_t value, int n)
{
	for (int i = 0; i < n; i++) {
		to[i] = (unsigned char)(value >> (8 * i));
	}
}

void zstd_frame_header(uint64_t content, unsigned char out[ZSTD_FRAME_HEADER])
{
	put_little(out, ZSTD_FRAME_MAGIC, 4);
	out[4] = 3 << 6 | 1 << 2; /* 3.1.1.1.1: content size in 8 bytes, content checksum */
	out[5] = 7 << 3;          /* 3.1.1.1.2: exponent 7, mantissa 0: 128 KiB */
	put_little(out + 6, content, 8);
}

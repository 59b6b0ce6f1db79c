/* SHA-512 and SHA-384 (FIPS 180-4 section 6.4), which RECORD may use beside SHA-256. Rare, and
 * never over much data: plain code, no library. */
#ifndef VERIFY_SHA512_H
#define VERIFY_SHA512_H

#include <stddef.h>
#include <stdint.h>

enum { SHA512_SIZE = 64, SHA384_SIZE = 48, SHA512_BLOCK = 128 };

struct sha512 {
	uint64_t state[8];
	uint64_t length; /* bytes so far: under 2^61 */
	uint8_t block[SHA512_BLOCK];
};

void sha512_init(struct sha512 *s);
void sha384_init(struct sha512 *s); /* the same function from another start */
void sha512_add(struct sha512 *s, const void *bytes, size_t n);
void sha512_final(struct sha512 *s, uint8_t out[SHA512_SIZE]); /* SHA-384: the first SHA384_SIZE */

#endif

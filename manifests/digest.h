/* A SHA-256 digest as a type (FIPS 180-4). Computing one is verify/hash.h's work. */
#ifndef MANIFESTS_DIGEST_H
#define MANIFESTS_DIGEST_H

#include "manifests/base/err.h"
#include "manifests/base/str.h"

enum { DIGEST_SIZE = 32, DIGEST_HEX = 64 };

struct digest {
	uint8_t b[DIGEST_SIZE];
};

/* Exactly 64 hexadecimal digits; upper case is taken from others' files, never written. RC_INVALID. */
int digest_parse(struct str hex, struct digest *out, struct err *e);
const char *digest_hex(const struct digest *d, char out[DIGEST_HEX + 1]); /* returns out */
bool digest_eq(const struct digest *a, const struct digest *b);
int digest_cmp(const struct digest *a, const struct digest *b);

#endif

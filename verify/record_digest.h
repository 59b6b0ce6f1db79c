/* One file against its digest in RECORD: "sha256=" and unpadded base64url (RFC 4648 section 5), or
 * sha384, sha512. */
#ifndef VERIFY_RECORD_DIGEST_H
#define VERIFY_RECORD_DIGEST_H

#include "verify/hash.h"
#include "verify/sha512.h"

enum record_algorithm { RECORD_SHA256, RECORD_SHA384, RECORD_SHA512 };

struct record_digest { /* for any number of files, one after the other; for one thread */
	struct hash *sha256;
	struct sha512 sha512;
	enum record_algorithm algorithm;
	size_t size; /* of the digest */
	uint8_t want[SHA512_SIZE];
};

void record_digest_init(struct record_digest *d);
void record_digest_release(struct record_digest *d);
/* NULL, or what is wrong with the text: "has no digest". Nothing is begun then. */
const char *record_digest_begin(struct record_digest *d, struct str text);
void record_digest_add(struct record_digest *d, const void *bytes, size_t n);
/* Is it the file's? To be asked also where nobody wants to know any more: ends what was begun. */
bool record_digest_end(struct record_digest *d);

#endif

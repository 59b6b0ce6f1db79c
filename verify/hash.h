/* SHA-256 (FIPS 180-4) by libcrypto, which uses the processor's SHA instructions. */
#ifndef VERIFY_HASH_H
#define VERIFY_HASH_H

#include "manifests/digest.h"

struct hash; /* a running digest; reusable after hash_final */

struct hash *hash_new(void);
void hash_add(struct hash *h, const void *bytes, size_t n);
void hash_final(struct hash *h, struct digest *out); /* and starts anew */
void hash_free(struct hash *h);                      /* NULL is allowed */
#define CLEANUP_HASH __attribute__((cleanup(cleanup_hash)))
void cleanup_hash(struct hash **h);

void hash_bytes(struct str bytes, struct digest *out);
/* From the descriptor's start, by pread; its offset does not move. */
int hash_fd(int fd, const char *name, struct digest *out, uint64_t *size, struct err *e);

#endif

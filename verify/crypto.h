/* The algorithms that minisign's formats are made of, under the names of their standards, and
 * memory for secrets. The one file that sees libsodium. Nothing here knows a file format. */
#ifndef VERIFY_CRYPTO_H
#define VERIFY_CRYPTO_H

#include "manifests/base/str.h"

enum {
	ED25519_SEED = 32,
	ED25519_SECRET = 64, /* seed, then public key */
	ED25519_PUBLIC = 32,
	ED25519_SIGNATURE = 64,
	SCRYPT_SALT = 32,
};

/* Zeroed memory between guard pages, locked where the system allows it. As with mem_alloc, running
 * out ends the program. Freeing wipes; NULL is allowed. */
void *guarded_alloc(size_t size);
void guarded_free(void *memory);
#define CLEANUP_GUARDED __attribute__((cleanup(cleanup_guarded)))
void cleanup_guarded(void *pointer); /* the address of any pointer that guarded_alloc made */

void random_bytes(void *to, size_t n);

/* Base64 (RFC 4648 section 4) with one spelling for each value: padding present, spare bits zero,
 * no white space. True when `text` is that of exactly n bytes; out is written only then. */
bool base64_exact(struct str text, void *out, size_t n);
#define BASE64_LENGTH(n) (((n) + 2) / 3 * 4)
/* Writes BASE64_LENGTH(n) characters and a NUL; returns out. */
const char *base64_format(const void *bytes, size_t n, char *out);

/* Unkeyed BLAKE2b (RFC 7693) of 16 to 64 bytes. */
void blake2b(struct str message, uint8_t *out, size_t n);

/* Ed25519 (RFC 8032 section 5.1). */
void ed25519_from_seed(const uint8_t seed[ED25519_SEED], uint8_t secret[ED25519_SECRET]);
/* A canonical point of the prime-order group: what a seed can lead to. */
bool ed25519_is_key(const uint8_t key[ED25519_PUBLIC]);
void ed25519_sign(
	const uint8_t secret[ED25519_SECRET], struct str message, uint8_t out[ED25519_SIGNATURE]);
/* Refuses keys and points of small order and an S that is not reduced. */
bool ed25519_verify(const uint8_t key[ED25519_PUBLIC], struct str message,
	const uint8_t sig[ED25519_SIGNATURE]);

/* n bytes of scrypt (RFC 7914) with libsodium's two limits in place of N, r and p. False where
 * there is not that much memory. */
struct scrypt_limits {
	uint64_t operations, memory;
};
bool scrypt_stream(struct str password, const uint8_t salt[SCRYPT_SALT],
	struct scrypt_limits limits, uint8_t *out, size_t n);

#endif

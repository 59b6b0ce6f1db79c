#include "verify/crypto.h"

#include <sodium.h>
#include <string.h>
#include <unistd.h>

static void need(bool ok)
{
	if (!ok) {
		static const char text[] = "gpkg-bundle: no guarded memory for a secret\n";
		ssize_t n = write(STDERR_FILENO, text, sizeof(text) - 1);

		(void)n;
		_exit(3);
	}
}

void *guarded_alloc(size_t size)
{
	need(sodium_init() >= 0); /* may be called again and from any thread */
	void *memory = sodium_malloc(size);

	need(memory != NULL);
	memset(memory, 0, size);
	return memory;
}

void guarded_free(void *memory)
{
	sodium_free(memory);
}

void cleanup_guarded(void *pointer)
{
	void *memory;

	memcpy(&memory, pointer, sizeof(memory));
	guarded_free(memory);
}

void random_bytes(void *to, size_t n)
{
	need(sodium_init() >= 0);
	randombytes_buf(to, n);
}

bool base64_exact(struct str text, void *out, size_t n)
{
	unsigned char bytes[256];
	size_t got = 0;

	if (n > sizeof(bytes) || text.n != BASE64_LENGTH(n)) {
		return false;
	}
	bool ok = sodium_base642bin(bytes, n, text.p, text.n, NULL, &got, NULL,
			  sodium_base64_VARIANT_ORIGINAL) == 0 &&
		  got == n;
	if (ok) {
		memcpy(out, bytes, n);
	}
	sodium_memzero(bytes, sizeof(bytes)); /* a secret key passes here too */
	return ok;
}

const char *base64_format(const void *bytes, size_t n, char *out)
{
	return sodium_bin2base64(
		out, BASE64_LENGTH(n) + 1, bytes, n, sodium_base64_VARIANT_ORIGINAL);
}

static const unsigned char *bytes_of(struct str s)
{
	return (const unsigned char *)(s.p ? s.p : "");
}

void blake2b(struct str message, uint8_t *out, size_t n)
{
	need(sodium_init() >= 0); /* it picks the code for this processor */
	crypto_generichash_blake2b(out, n, bytes_of(message), message.n, NULL, 0);
}

void ed25519_from_seed(const uint8_t seed[ED25519_SEED], uint8_t secret[ED25519_SECRET])
{
	uint8_t key[ED25519_PUBLIC]; /* secret ends in the same bytes */

	crypto_sign_ed25519_seed_keypair(key, secret, seed);
}

bool ed25519_is_key(const uint8_t key[ED25519_PUBLIC])
{
	return crypto_core_ed25519_is_valid_point(key) == 1;
}

void ed25519_sign(
	const uint8_t secret[ED25519_SECRET], struct str message, uint8_t out[ED25519_SIGNATURE])
{
	crypto_sign_ed25519_detached(out, NULL, bytes_of(message), message.n, secret);
}

bool ed25519_verify(
	const uint8_t key[ED25519_PUBLIC], struct str message, const uint8_t sig[ED25519_SIGNATURE])
{
	return crypto_sign_ed25519_verify_detached(sig, bytes_of(message), message.n, key) == 0;
}

bool scrypt_stream(struct str password, const uint8_t salt[SCRYPT_SALT],
	struct scrypt_limits limits, uint8_t *out, size_t n)
{
	need(sodium_init() >= 0);
	return crypto_pwhash_scryptsalsa208sha256(
		       out, n, password.p, password.n, salt, limits.operations, limits.memory) == 0;
}

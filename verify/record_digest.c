#include "verify/record_digest.h"

#include "verify/crypto.h"

#include <string.h>

void record_digest_init(struct record_digest *d)
{
	*d = (struct record_digest){ .sha256 = hash_new() };
}

void record_digest_release(struct record_digest *d)
{
	hash_free(d->sha256);
	d->sha256 = NULL;
}

/* Base64 for URLs without padding, of exactly n bytes. */
static bool base64url_exact(struct str text, uint8_t *out, size_t n)
{
	char standard[BASE64_LENGTH(SHA512_SIZE)];
	size_t length = BASE64_LENGTH(n);

	if (text.n != (n * 4 + 2) / 3) {
		return false;
	}
	for (size_t i = 0; i < length; i++) {
		char c = i < text.n ? text.p[i] : '=';

		if (i < text.n && (c == '+' || c == '/' || c == '=')) {
			return false;
		}
		standard[i] = c == '-' ? '+' : c == '_' ? '/' : c;
	}
	return base64_exact((struct str){ standard, length }, out, n);
}

static bool algorithm_find(struct str name, enum record_algorithm *algorithm, size_t *size)
{
	static const struct {
		const char *name;
		enum record_algorithm algorithm;
		size_t size;
	} known[] = {
		{ "sha256", RECORD_SHA256, DIGEST_SIZE },
		{ "sha384", RECORD_SHA384, SHA384_SIZE },
		{ "sha512", RECORD_SHA512, SHA512_SIZE },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (str_is(name, known[i].name)) {
			*algorithm = known[i].algorithm;
			*size = known[i].size;
			return true;
		}
	}
	return false;
}

const char *record_digest_begin(struct record_digest *d, struct str text)
{
	struct str rest = text, name;

	if (text.n == 0) {
		return "has no digest";
	}
	str_cut(&rest, '=', &name);
	if (!algorithm_find(name, &d->algorithm, &d->size)) {
		return "has a digest that is none of sha256, sha384 and sha512";
	}
	if (!base64url_exact(rest, d->want, d->size)) {
		return "has a digest that is no unpadded base64url of its length";
	}
	if (d->algorithm == RECORD_SHA384) {
		sha384_init(&d->sha512);
	} else if (d->algorithm == RECORD_SHA512) {
		sha512_init(&d->sha512);
	}
	return NULL;
}

void record_digest_add(struct record_digest *d, const void *bytes, size_t n)
{
	if (d->algorithm == RECORD_SHA256) {
		hash_add(d->sha256, bytes, n);
	} else {
		sha512_add(&d->sha512, bytes, n);
	}
}

bool record_digest_end(struct record_digest *d)
{
	uint8_t is[SHA512_SIZE];
	struct digest digest;

	if (d->algorithm == RECORD_SHA256) {
		hash_final(d->sha256, &digest);
		memcpy(is, digest.b, DIGEST_SIZE);
	} else {
		sha512_final(&d->sha512, is);
	}
	return memcmp(d->want, is, d->size) == 0;
}

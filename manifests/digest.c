#include "manifests/digest.h"

#include <string.h>

static int nibble(char c)
{
	if (c >= '0' && c <= '9') {
		return c - '0';
	}
	if (c >= 'a' && c <= 'f') {
		return c - 'a' + 10;
	}
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

int digest_parse(struct str hex, struct digest *out, struct err *e)
{
	struct digest d;

	if (hex.n != DIGEST_HEX) {
		return err_set(e, RC_INVALID, "\"%.*s\": a sha256 has 64 hexadecimal digits",
			STR_ARG(str_first(hex, 80)));
	}
	for (size_t i = 0; i < DIGEST_SIZE; i++) {
		int high = nibble(hex.p[2 * i]), low = nibble(hex.p[2 * i + 1]);

		if (high < 0 || low < 0) {
			return err_set(e, RC_INVALID, "\"%.*s\": a sha256 has 64 hexadecimal digits",
				STR_ARG(hex));
		}
		d.b[i] = (uint8_t)(high << 4 | low);
	}
	*out = d;
	return 0;
}

const char *digest_hex(const struct digest *d, char out[DIGEST_HEX + 1])
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < DIGEST_SIZE; i++) {
		out[2 * i] = digits[d->b[i] >> 4];
		out[2 * i + 1] = digits[d->b[i] & 15];
	}
	out[DIGEST_HEX] = '\0';
	return out;
}

bool digest_eq(const struct digest *a, const struct digest *b)
{
	return memcmp(a->b, b->b, DIGEST_SIZE) == 0;
}

int digest_cmp(const struct digest *a, const struct digest *b)
{
	return memcmp(a->b, b->b, DIGEST_SIZE);
}

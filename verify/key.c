#include "verify/key.h"
#include "manifests/base/fs.h"
#include "manifests/limits.h"
#include "verify/crypto.h"
#include "verify/minisign_text.h"

#include <stdio.h>
#include <string.h>

/* minisign.h of minisign 0.11: algorithm, key number, key. */
struct public_key_bytes {
	uint8_t algorithm[2];
	uint8_t number[8];
	uint8_t key[ED25519_PUBLIC];
};
_Static_assert(sizeof(struct public_key_bytes) == 42, "the layout is the file format");
_Static_assert(PUBLIC_KEY_LINE == BASE64_LENGTH(sizeof(struct public_key_bytes)), "");

enum { SECRET_KEY_LINE = BASE64_LENGTH(158) };

static int not_a_line(struct str line, const char *name, struct err *e)
{
	err_set(e, RC_KEY, "%s: not a minisign public key", name);
	if (line.n == SECRET_KEY_LINE) {
		err_hint(e, "this is a secret key: give the .pub file that was made with it");
	} else {
		err_hint(e, "its second line must be %d characters of base64 that begin with RW",
			PUBLIC_KEY_LINE);
	}
	return -RC_KEY;
}

int public_key_parse(struct str text, const char *name, struct public_key *out, struct err *e)
{
	struct public_key_bytes bytes;
	struct str comment, line = STR_NULL;

	if (!minisign_comment(&text, MINISIGN_UNTRUSTED, false, &comment)) {
		err_set(e, RC_KEY, "%s: not a minisign public key", name);
		return err_hint(e, "its first line must be \"" MINISIGN_UNTRUSTED
				   "...\", without control characters");
	}
	if (!minisign_line(&text, &line) || !base64_exact(line, &bytes, sizeof(bytes)) ||
		memcmp(bytes.algorithm, "Ed", 2) != 0) {
		return not_a_line(line, name, e);
	}
	if (text.n) {
		return err_set(e, RC_KEY, "%s: something follows the key's two lines", name);
	}
	if (!ed25519_is_key(bytes.key)) {
		return err_set(e, RC_KEY, "%s: damaged: its bytes are not an Ed25519 key", name);
	}
	memcpy(out->number, bytes.number, sizeof(out->number));
	memcpy(out->key, bytes.key, sizeof(out->key));
	return 0;
}

int public_key_read(const char *path, struct public_key *out, struct err *e)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	int r = fs_read(path, LIMIT_SIGNATURE, &text, e);

	return r ? r : public_key_parse(buf_str(&text), path, out, e);
}

struct str public_key_comment(struct str text)
{
	struct str comment = STR_NULL;

	minisign_comment(&text, MINISIGN_UNTRUSTED, false, &comment);
	return comment;
}

const char *public_key_line(const struct public_key *k, char out[PUBLIC_KEY_LINE + 1])
{
	struct public_key_bytes bytes = { .algorithm = "Ed" };

	memcpy(bytes.number, k->number, sizeof(bytes.number));
	memcpy(bytes.key, k->key, sizeof(bytes.key));
	return base64_format(&bytes, sizeof(bytes), out);
}

void public_key_format_as(const struct public_key *k, struct str comment, struct buf *out)
{
	char line[PUBLIC_KEY_LINE + 1];

	buf_addf(out, MINISIGN_UNTRUSTED "%.*s\n%s\n", STR_ARG(comment), public_key_line(k, line));
}

void public_key_format(const struct public_key *k, struct buf *out)
{
	char comment[64], id[KEY_ID_HEX + 1];

	snprintf(comment, sizeof(comment), "minisign public key %s", public_key_id(k, id));
	public_key_format_as(k, str_of(comment), out);
}

const char *public_key_id(const struct public_key *k, char out[KEY_ID_HEX + 1])
{
	return key_number_format(k->number, out);
}

const char *key_number_format(const uint8_t number[8], char out[KEY_ID_HEX + 1])
{
	static const char digits[] = "0123456789ABCDEF";

	for (size_t i = 0; i < 8; i++) { /* a little-endian number, written the usual way round */
		out[2 * i] = digits[number[7 - i] >> 4];
		out[2 * i + 1] = digits[number[7 - i] & 15];
	}
	out[KEY_ID_HEX] = '\0';
	return out;
}

bool public_key_eq(const struct public_key *a, const struct public_key *b)
{
	return memcmp(a->key, b->key, sizeof(a->key)) == 0;
}

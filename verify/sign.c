#include "verify/sign.h"
#include "manifests/limits.h"
#include "verify/crypto.h"
#include "verify/minisign_text.h"

#include <string.h>

enum { COMMENT_MAX = 900 }; /* minisign's own writer stays below 1024 with the prefix */

/* minisign.h of minisign 0.11: the second line. */
struct signature_bytes {
	uint8_t algorithm[2];
	uint8_t number[8];
	uint8_t sig[ED25519_SIGNATURE];
};
_Static_assert(sizeof(struct signature_bytes) == 74, "the layout is the file format");

void message_hash(struct str message, struct message_hash *out)
{
	blake2b(message, out->b, sizeof(out->b));
}

bool signature_fits(
	const struct signature *s, const struct public_key *k, const struct message_hash *hash)
{
	CLEANUP_BUF struct buf covered = BUF_INIT;

	if (!ed25519_verify(
		    k->key, (struct str){ (const char *)hash->b, sizeof(hash->b) }, s->sig)) {
		return false;
	}
	buf_add(&covered, s->sig, sizeof(s->sig));
	buf_addstr(&covered, s->trusted_comment);
	return ed25519_verify(k->key, buf_str(&covered), s->global);
}

int signature_check(
	const struct signature *s, const struct public_key *k, struct str message, struct err *e)
{
	struct message_hash hash;
	char id[KEY_ID_HEX + 1];

	message_hash(message, &hash);
	if (!signature_fits(s, k, &hash)) {
		return err_set(e, RC_BUNDLE_SIGNATURE,
			"the signature is not by key %s, or not of this text",
			public_key_id(k, id));
	}
	return 0;
}

static int bad(const char *name, const char *what, struct err *e)
{
	return err_set(e, RC_BUNDLE_SIGNATURE, "%s: not a minisign signature: %s", name, what);
}

static int take_signature(struct str *rest, const char *name, struct signature *s, struct err *e)
{
	struct signature_bytes bytes;
	struct str line;

	if (!minisign_line(rest, &line) || !base64_exact(line, &bytes, sizeof(bytes))) {
		return bad(name, "line 2 is not the base64 of 74 bytes", e);
	}
	if (memcmp(bytes.algorithm, "Ed", 2) == 0) {
		err_set(e, RC_BUNDLE_SIGNATURE, "%s: a signature of minisign's legacy kind", name);
		return err_hint(e, "sign again without minisign's option -l");
	}
	if (memcmp(bytes.algorithm, "ED", 2) != 0) {
		return bad(name, "its algorithm is not known", e);
	}
	memcpy(s->number, bytes.number, sizeof(s->number));
	memcpy(s->sig, bytes.sig, sizeof(s->sig));
	return 0;
}

int signature_parse(struct str text, const char *name, struct signature *out, struct err *e)
{
	struct signature s = { .number = { 0 } };
	struct str untrusted, line;

	if (text.n > LIMIT_SIGNATURE) {
		return bad(name, "too long", e);
	}
	if (!minisign_comment(&text, MINISIGN_UNTRUSTED, false, &untrusted)) {
		return bad(name, "line 1 is no printable \"" MINISIGN_UNTRUSTED "...\"", e);
	}
	int r = take_signature(&text, name, &s, e);
	if (r) {
		return r;
	}
	if (!minisign_comment(&text, MINISIGN_TRUSTED, true, &s.trusted_comment)) {
		return bad(name, "line 3 is no \"" MINISIGN_TRUSTED "...\" in printable ASCII", e);
	}
	if (!minisign_line(&text, &line) || !base64_exact(line, s.global, sizeof(s.global))) {
		return bad(name, "line 4 is not the base64 of 64 bytes", e);
	}
	if (text.n) {
		return bad(name, "something follows its four lines", e);
	}
	*out = s;
	return 0;
}

static int check_comment(const char *which, const char *comment, struct err *e)
{
	if (strlen(comment) > COMMENT_MAX) {
		return err_set(
			e, RC_LIMIT, "the %s comment is longer than %d bytes", which, COMMENT_MAX);
	}
	if (!minisign_is_printable(str_of(comment), true)) {
		return err_set(e, RC_INVALID,
			"the %s comment may hold printable ASCII characters and TAB only", which);
	}
	return 0;
}

static void format(const struct signature *s, const char *untrusted_comment, struct buf *out)
{
	struct signature_bytes bytes = { .algorithm = "ED" };
	char sig[BASE64_LENGTH(sizeof(bytes)) + 1], global[BASE64_LENGTH(ED25519_SIGNATURE) + 1];

	memcpy(bytes.number, s->number, sizeof(bytes.number));
	memcpy(bytes.sig, s->sig, sizeof(bytes.sig));
	buf_addf(out, MINISIGN_UNTRUSTED "%s\n%s\n" MINISIGN_TRUSTED "%.*s\n%s\n",
		untrusted_comment, base64_format(&bytes, sizeof(bytes), sig),
		STR_ARG(s->trusted_comment), base64_format(s->global, sizeof(s->global), global));
}

static void make(const struct secret_key *k, const struct public_key *key,
	const struct message_hash *hash, const char *trusted_comment, struct signature *s)
{
	CLEANUP_BUF struct buf covered = BUF_INIT;

	memcpy(s->number, key->number, sizeof(s->number));
	s->trusted_comment = str_of(trusted_comment);
	secret_key_sign(k, hash->b, sizeof(hash->b), s->sig);
	buf_add(&covered, s->sig, sizeof(s->sig));
	buf_addstr(&covered, s->trusted_comment);
	secret_key_sign(k, covered.p, covered.n, s->global);
}

int sign_message(const struct secret_key *k, struct str message, const char *untrusted_comment,
	const char *trusted_comment, struct buf *out, struct err *e)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct message_hash hash;
	struct public_key key;
	struct signature s;
	int r = check_comment("untrusted", untrusted_comment, e);

	if (!r) {
		r = check_comment("trusted", trusted_comment, e);
	}
	if (r) {
		return r;
	}
	secret_key_public(k, &key);
	message_hash(message, &hash);
	make(k, &key, &hash, trusted_comment, &s);
	format(&s, untrusted_comment, &text);
	if (signature_parse(buf_str(&text), "the new signature", &s, e) ||
		!signature_fits(&s, &key, &hash)) {
		return err_set(e, RC_BUG, "the new signature does not verify");
	}
	buf_addstr(out, buf_str(&text));
	return 0;
}

/* minisign signatures: the prehashed form "ED" only (Ed25519 over BLAKE2b-512 of the message, and a
 * second signature over signature and trusted comment). The legacy form "Ed" is refused: its
 * algorithm bytes are not signed, so the one can be passed off as the other. */
#ifndef VERIFY_SIGN_H
#define VERIFY_SIGN_H

#include "verify/key.h"

struct signature {
	uint8_t number[8]; /* the key number it claims */
	uint8_t sig[64], global[64];
	struct str trusted_comment; /* a slice of the parsed text; printable ASCII and TAB */
};

/* Appends a .minisig file for the message. Comments: printable ASCII and TAB, at most 900 bytes.
 * The result is checked against the public key before it is returned. */
int sign_message(const struct secret_key *k, struct str message, const char *untrusted_comment,
	const char *trusted_comment, struct buf *out, struct err *e);
/* Strict: four lines ended by LF or CRLF (the last may lack it), ED, strict base64, nothing behind;
 * at most LIMIT_SIGNATURE; no control bytes. RC_BUNDLE_SIGNATURE. */
int signature_parse(struct str text, const char *name, struct signature *out, struct err *e);
/* Does this key's signature fit the message, trusted comment included? RC_BUNDLE_SIGNATURE. */
int signature_check(
	const struct signature *s, const struct public_key *k, struct str message, struct err *e);

/* The same in two steps, so that a message is read once however many keys are tried. */
struct message_hash {
	uint8_t b[64]; /* BLAKE2b-512 */
};
void message_hash(struct str message, struct message_hash *out);
bool signature_fits(
	const struct signature *s, const struct public_key *k, const struct message_hash *hash);

#endif

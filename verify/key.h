/* minisign's keys, byte for byte (Ed25519; key files of stock minisign 0.11).
 * Public keys are plain values. A secret key lives in guarded memory, wiped when it is freed. */
#ifndef VERIFY_KEY_H
#define VERIFY_KEY_H

#include "manifests/base/buf.h"
#include "manifests/base/err.h"

enum { KEY_ID_HEX = 16, PUBLIC_KEY_LINE = 56, PASSWORD_MAX = 1023 };

struct public_key {
	uint8_t number[8]; /* a hint, not an identity: two keys may share it */
	uint8_t key[32];
};

/* RC_KEY, RC_NOT_FOUND. */
int public_key_read(const char *path, struct public_key *out, struct err *e);
/* The file's text: comment line and base64 line, strict base64, a key that a seed can lead to,
 * nothing behind. `name` is for messages. */
int public_key_parse(struct str text, const char *name, struct public_key *out, struct err *e);
void public_key_format(const struct public_key *k, struct buf *out); /* the whole .pub file */
/* The same with another comment: printable UTF-8 and TAB. */
void public_key_format_as(const struct public_key *k, struct str comment, struct buf *out);
/* The base64 line alone, as `minisign -P` takes it. Returns out. */
const char *public_key_line(const struct public_key *k, char out[PUBLIC_KEY_LINE + 1]);
/* The untrusted comment of a text that public_key_parse took. */
struct str public_key_comment(struct str text);
/* The key number as minisign prints it: 16 upper-case hexadecimal digits. Returns out. */
const char *public_key_id(const struct public_key *k, char out[KEY_ID_HEX + 1]);
const char *key_number_format(const uint8_t number[8], char out[KEY_ID_HEX + 1]);
bool public_key_eq(const struct public_key *a, const struct public_key *b); /* the 32 bytes */

struct secret_key;

/* Where a password comes from: asked for only when the key file is encrypted. */
struct password_source {
	const char *file; /* --password-file, or NULL */
	bool confirm;     /* ask twice (a new key) */
};
/* The first line of the file when one is named; else the terminal (no echo); else one line of
 * standard input, of which no byte behind the line is taken. 1 to PASSWORD_MAX bytes without NUL,
 * in guarded memory: free with password_free. RC_USAGE where there is none. */
int password_read(
	const struct password_source *from, const char *prompt, char **out, struct err *e);
void password_free(char *password);

int secret_key_generate(struct secret_key **out, struct err *e);
/* From a 32-byte seed and a key number: for tests and known answers. */
int secret_key_from_seed(
	const uint8_t seed[32], const uint8_t number[8], struct secret_key **out, struct err *e);
/* RC_CONFLICT where BASE.key or BASE.pub exists: to be asked before the user is asked for a
 * password. */
int secret_key_check_base(const char *base, struct err *e);
/* Writes BASE.key (0600) and BASE.pub (0644); refuses to replace either. password NULL: unencrypted
 * (-W); else scrypt with minisign's limits (1 GiB), halved until the memory is there. */
int secret_key_write(
	const struct secret_key *k, const char *base, const char *password, struct err *e);
/* Refuses a file that others can read (RC_PERMISSION), and work limits over 2^30 bytes or 2^28
 * operations. RC_NOT_FOUND, RC_KEY: damaged, or the password is wrong. `password` NULL: an
 * encrypted file is RC_KEY. */
int secret_key_read(const char *path, const struct password_source *password,
	struct secret_key **out, struct err *e);
void secret_key_public(const struct secret_key *k, struct public_key *out);
void secret_key_free(struct secret_key *k);
void cleanup_secret_key(struct secret_key **k);
#define CLEANUP_SECRET_KEY __attribute__((cleanup(cleanup_secret_key)))

/* Ed25519 over `message` (sign.c is its only user). */
void secret_key_sign(const struct secret_key *k, const void *message, size_t n, uint8_t out[64]);

#endif

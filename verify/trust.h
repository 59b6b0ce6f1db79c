/* The public keys that a site accepts. A site keeps them as STORE/trust/<64 hex of the key>.pub:
 * the file name is the key, never its number. A key that is there twice counts once. */
#ifndef VERIFY_TRUST_H
#define VERIFY_TRUST_H

#include "manifests/base/arena.h"
#include "verify/sign.h"

struct trust_key {
	struct public_key key;
	struct str from;    /* the file it was read from */
	struct str comment; /* that file's untrusted comment: printable UTF-8 */
};

struct trust {
	struct arena arena;
	struct trust_key *v;
	size_t n, cap;
};
#define TRUST_INIT                  \
	{                           \
		.arena = ARENA_INIT \
	}

void trust_release(struct trust *t);
int trust_load_file(struct trust *t, const char *path, struct err *e); /* one --pub */
/* An absent folder holds no keys. RC_STORE: a .pub file that is damaged or not named after its key,
 * or a folder that everybody may write to. */
int trust_load_store(struct trust *t, const char *store, struct err *e);
/* Makes the store's folder where it is missing; a key that is there already is written anew. */
int trust_add(const char *store, const char *pub_path, struct public_key *added, struct err *e);
/* By key number (16 hex) or whole key (64 hex); an ambiguous number is RC_AMBIGUOUS, another form
 * RC_USAGE, a key that is not there RC_NOT_FOUND. By the whole key a damaged file goes too. */
int trust_remove(const char *store, const char *id, struct public_key *removed, struct err *e);

/* Is one of the signatures by a trusted key and right? Then *who and *which (index) say so.
 * RC_BUNDLE_UNSIGNED: no signature; RC_BUNDLE_STRANGER: none by a trusted key (names the ids);
 * RC_BUNDLE_SIGNATURE: one claims a trusted key and does not fit. Key numbers only pick the order
 * of trying; a signature counts for the key that it verifies with. */
int trust_check(const struct trust *t, struct str message, const struct signature *sigs, size_t n,
	const struct trust_key **who, size_t *which, struct err *e);

#endif

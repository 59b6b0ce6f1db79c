/* Who asks: which credential goes with a request, and what messages call it. In this order: the one
 * in the URL, that of the configured index of the same origin, a token of the host from the
 * environment, netrc.
 *
 * GPKG_BUNDLE_TOKEN_<HOST> (or UVFORGE_TOKEN_<HOST>, the name that gpkg gave it) is the token of
 * one host, whatever its port: upper case, '.' and '-' as '_'. It goes out as RFC 6750 section 2.1
 * writes it, over https alone. Names that the field has agreed on stand in
 * manifests/data/tokens.def. A password from netrc goes over https, and over http to this machine
 * alone, and only from a file that nobody else can read. Private to the client. */
#ifndef BUNDLE_HTTP_LOGIN_H
#define BUNDLE_HTTP_LOGIN_H

#include "manifests/base/arena.h"
#include "manifests/base/buf.h"
#include "manifests/base/err.h"
#include "manifests/base/vec.h"

struct http_login {
	const char *user, *password; /* Basic; NULL: none */
	const char *token;           /* Bearer; NULL: none */
	const char *place;    /* "the token in GITHUB_TOKEN", "the login in /home/me/.netrc"; "" no
				 credential */
	const char *withheld; /* the same for one that is not sent over plain http; "" none */
};

struct http_token_use { /* the one host that a variable stands for in this run */
	const char *variable, *host;
};

struct http_keyring {
	struct arena arena;
	const char *const *urls; /* the configured indexes, with or without a login */
	size_t nurls;
	const char *netrc;                   /* the file; NULL: none */
	bool is_netrc_read, is_netrc_shared; /* shared: others can read it */
	struct buf netrc_text;
	VEC(struct http_token_use) uses;
};

/* Keeps pointers to the texts. netrc NULL: ~/.netrc. RC_INVALID where two configured indexes have
 * one variable. */
int http_keyring_init(struct http_keyring *k, const char *const *urls, size_t nurls,
	const char *netrc, struct err *e);
void http_keyring_release(struct http_keyring *k);

/* The credential for an http or https URL; texts live as long as `a` and the keyring. RC_INVALID
 * where the variable was the token of another host in this run ("a-b.c" and "a.b.c" have one
 * spelling), or holds what is no token; RC_PERMISSION where the password stands in a file that
 * others can read. */
int http_login_choose(struct http_keyring *k, struct arena *a, struct str url,
	struct http_login *out, struct err *e);

/* "GPKG_BUNDLE_TOKEN_EXAMPLE_ORG" for "https://example.org/x"; NULL where the host has no such
 * spelling. */
const char *http_token_variable(struct arena *a, struct str url);
/* The variable to name in advice: that of tokens.def where the host stands there. NULL: none. */
const char *http_token_advice(struct arena *a, struct str url);

#endif

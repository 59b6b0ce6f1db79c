/* The only HTTP client (libcurl): HTTP/2 where offered, parallel, redirects followed (at most 10;
 * never to file: or from https to http), retried on 408, 425, 429, 5xx and cut connections with
 * growing pauses (0.25 s, doubling, at most 8 s; Retry-After up to 60 s), certificates and proxies
 * as pip is configured. Credentials (bundle/http_login.h) go only to the host they belong to, and
 * each redirect is a request of its own that gets its own credentials and its own certificate
 * check. Where a host says that the requests of this hour are used up, or asks for a pause of over
 * 60 s, nothing is retried. No request ever leaves for an address that configuration or a page did
 * not name. One `struct http` belongs to one thread. */
#ifndef BUNDLE_HTTP_GET_H
#define BUNDLE_HTTP_GET_H

#include "manifests/base/buf.h"
#include "manifests/base/err.h"
#include "manifests/base/vec.h"

struct http_options {
	const char *cert;        /* CA bundle or folder; NULL: $REQUESTS_CA_BUNDLE, $CURL_CA_BUNDLE,
				  * $SSL_CERT_FILE, $SSL_CERT_DIR, else libcurl's default */
	const char *client_cert; /* PEM with key, or NULL */
	const char *proxy;       /* NULL: the environment decides */
	const char *const *trusted_hosts; /* host or host:port whose certificate is not checked */
	size_t ntrusted_hosts;
	unsigned timeout;  /* seconds without a byte; 0: 15 */
	unsigned retries;  /* pip's --retries; default 5 */
	const char *netrc; /* file; NULL: $NETRC, ~/.netrc where present */
	/* URLs with user:password@ (a configured index): requests to the same scheme, host and port
	 * that carry no credentials of their own use these, before netrc. Others in the list are
	 * ignored. */
	const char *const *logins;
	size_t nlogins;
};

struct http;
/* RC_INVALID where a certificate file that was named does not exist, or where one variable would be
 * the token of two configured indexes. */
int http_new(const struct http_options *options, struct http **out, struct err *e);
void http_free(struct http *h);

struct http_request {
	const char *url;                               /* http, https */
	const char *accept;                            /* NULL: any */
	bool identity;                                 /* ask for no content coding (files) */
	const char *if_none_match, *if_modified_since; /* NULL: none */
	bool head;
	bool has_range;
	uint64_t range_first, range_last; /* inclusive; range_last UINT64_MAX: to the end */
	bool range_is_suffix;             /* the last `range_last` bytes */
	uint64_t max; /* more than this many body bytes, decoded, is an error (RC_INDEX) */
	/* Where the body goes: called in order, or NULL to collect it in response.body. An error
	 * stops. Only bodies of 200 and 206 get there; the first 64 KiB of any other are in
	 * response.body. */
	int (*take)(void *context, const void *bytes, size_t n, struct err *e);
	void *context;
	/* With take: a cut transfer goes on where it stopped (Range, If-Range). Called when that is
	 * not possible - the bytes taken so far, also those before range_first, are void and byte 0
	 * comes next. NULL: a request that has handed on bytes is not retried, and a server that
	 * ignores a range answers status 200 with an empty body, unless the whole is no longer than
	 * `max`. */
	int (*restart)(void *context, struct err *e);
};

struct http_response {
	long status;                /* 200, 206, 304, 404 ... */
	char *url;                  /* after redirects, without credentials */
	char *content_type;         /* without parameters, lower case; "" unknown */
	char *etag, *last_modified; /* "" unknown */
	char *next; /* where the Link header says that this goes on (rel="next"), as sent; "" */
	bool accepts_ranges;
	bool has_total;
	uint64_t total;    /* of the whole resource: Content-Length, or Content-Range's size */
	uint64_t first;    /* 206: first byte of Content-Range */
	uint64_t age_left; /* seconds that Cache-Control allows, 0 none said */
	struct buf body;
	bool no_cache, no_store; /* Cache-Control: ask again before each use; do not keep */
	/* What said who asks - "the token in GITHUB_TOKEN", "the login in /home/me/.netrc" - and what
	 * was there but does not go over plain http; "" nothing. Never a secret. */
	char *login, *withheld;
};
void http_response_release(struct http_response *r);

/* A status is not an error; what never got a status is RC_NETWORK and names host and cause in plain
 * words (name not found, refused, certificate, time-out). A rate limit (403 or 429 with nothing
 * left, or with a longer pause than is waited for) is RC_INDEX and says when it ends. Many at once,
 * at most `parallel` (0: 8). done() is called on this thread as each ends, in any order; its error
 * stops all and is returned. `failed` is non-NULL where the request itself failed. done() may move
 * the response out, and must not start requests on the same `h`. */
typedef int http_done(void *context, size_t i, struct http_response *response,
	const struct err *failed, struct err *e);
int http_get_many(struct http *h, const struct http_request *requests, size_t n, unsigned parallel,
	http_done *done, void *context, struct err *e);

/* The same where requests are made as there is room for them: next() fills *out and *i and returns
 * 1, or 0 when there is none now (it is asked again after each done()), or an error, which stops
 * all. */
typedef int http_next(void *context, struct http_request *out, size_t *i, struct err *e);
int http_get_stream(struct http *h, unsigned parallel, http_next *next, http_done *done,
	void *context, struct err *e);

/* An answer that is of no use, as RC_INDEX: "url: HOST answers 403 Forbidden (sent: the token in
 * GITHUB_TOKEN)" and what to do. `url` is what messages call the thing, without credentials. */
int http_refuse(const struct http_response *r, const char *url, struct err *e);
/* 401, 403, 407: the host wants to know who asks, or knows and does not allow it. */
bool http_status_is_refusal(long status);

/* The reason phrase of a status ("Not Found"), for messages. */
const char *http_status_text(long status);

#endif

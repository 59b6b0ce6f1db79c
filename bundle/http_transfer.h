/* One request on its way through tries, ranges and redirects, without the library that moves its
 * bytes: what becomes of an answer. Private to the client: http_get.c drives it. */
#ifndef BUNDLE_HTTP_TRANSFER_H
#define BUNDLE_HTTP_TRANSFER_H

#include "bundle/http_get.h"
#include "bundle/http_login.h"
#include "bundle/http_wire.h"

struct transfer {
	const struct http_options *options;
	size_t id;
	struct http_request request;
	struct arena arena;
	const char *url; /* of this hop */
	unsigned hops, tries;
	uint64_t wake_ms; /* not before */
	bool is_running;

	/* What the taker has: `given` bytes from `base` on. */
	uint64_t base, given;
	uint64_t reached; /* the furthest byte of any try: progress is what goes beyond it */
	char *validator;  /* a strong ETag of those bytes */
	bool has_size;
	uint64_t size; /* of the whole resource, once an answer has said it */

	/* This try. */
	struct http_login login;
	struct http_head head;
	bool asked_range;   /* its request had a Range field */
	bool is_begun;      /* the head is complete and was judged */
	bool is_delivering; /* the body goes to the taker, or is kept as the answer */
	bool is_stopped;    /* no more of the body is wanted: not an error */
	bool is_rewound;    /* to be asked again from byte 0 */
	struct buf body;

	bool is_failed;
	struct err err;

	void *easy, *headers; /* the library's handle and list */
};

/* Prepares the next try. */
void transfer_reset(struct transfer *t);
/* The range to ask for now as the value of the Range field, or NULL. */
const char *transfer_range(struct transfer *t);
/* The head is complete, or a piece of the body is there. Negative: stop; is_failed, is_stopped say
 * why. */
int transfer_begin_body(struct transfer *t);
int transfer_take(struct transfer *t, const char *bytes, size_t n);
/* The try is over with an answer: true where another one must follow (a redirect, a retried status,
 * a new start), false where it is the result or has failed. */
bool transfer_goes_on(struct transfer *t, uint64_t retry_after, uint64_t now_ms);
/* The try was cut: true where another one follows, at most `limit` in a row without a byte. */
bool transfer_retries(struct transfer *t, unsigned limit, uint64_t now_ms);
int transfer_fail(struct transfer *t, int r);
/* For messages: what was asked for and where a redirect has led. Never credentials, and of a
 * redirect only the host, because its query may be a signature. */
const char *transfer_where(struct transfer *t);
void transfer_response(struct transfer *t, struct http_response *out); /* moves texts and body */
void transfer_release(struct transfer *t);

#endif

/* What a request is answered with: a pure function of the request and of one site. No socket, no
 * file: an object is named, the server opens it. RFC 9110; PEP 503, 691, 658. */
#ifndef MIRROR_RESPOND_H
#define MIRROR_RESPOND_H

#include "mirror/client_text.h"
#include "mirror/metrics.h"
#include "mirror/range.h"
#include "mirror/site.h"

enum { REQUEST_ACCEPT_MAX = 4, RESPONSE_HEADERS_MAX = 12, RESPONSE_TEXT = 640 };

struct request {
	struct str method, target;             /* as they came: nothing decoded */
	struct str accept[REQUEST_ACCEPT_MAX]; /* header lines */
	size_t naccept;
	struct str if_none_match, if_range, range, host; /* empty: absent */
	size_t nhosts, nranges;                          /* how many header lines there were */
	bool has_body;      /* Content-Length or Transfer-Encoding, whatever they say */
	bool has_bad_field; /* a header name that is no token: "Content-Length : 5" */
};

/* What does not change from request to request. */
struct respond_setting {
	struct str url; /* the mirror's address for clients; "" = http:// and the Host header */
	const struct str *hosts; /* the names that Host may give; none: all */
	size_t nhosts;
	struct metrics *metrics;
};

struct response_header {
	const char *name, *value;
};

struct response {
	unsigned status;
	struct response_header headers[RESPONSE_HEADERS_MAX];
	size_t nheaders;
	bool close; /* the connection, after this */
	/* The body is one of these, and for HEAD just its length: */
	struct page *page; /* a prepared page; with status 304 without its body */
	bool is_object; /* `length` bytes at `offset` of this object, which must have `total` bytes
			 */
	struct digest object;
	uint64_t offset, length, total; /* with status 304 `total` is what 200 would have sent */
	struct buf made;                /* else: made for this request */
	char text[RESPONSE_TEXT];       /* where header values point to */
	size_t text_used;
};

/* Is it a token (RFC 9110 section 5.6.2), as every header name must be? */
bool request_is_token(struct str name);

/* `out` must stay where it is until response_release; it points into itself and into the site. */
void respond(const struct site *site, const struct respond_setting *setting,
	const struct request *request, struct response *out);
void response_release(struct response *r);
/* An answer without a site: 500 and the like. */
void respond_failure(unsigned status, const char *text, struct response *out);

#endif

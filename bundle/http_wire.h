/* HTTP without the moving of bytes: what a response head says, which answers are tried again and
 * when, how URLs are written on the wire and compared. Pure functions; private to the client
 * (bundle/http_get.c). */
#ifndef BUNDLE_HTTP_WIRE_H
#define BUNDLE_HTTP_WIRE_H

#include "manifests/base/arena.h"

/* The fields of one response head that matter here (RFC 9110, RFC 9111). Texts belong to the head.
 */
struct http_head {
	long status;
	char *location, *content_type, *etag, *last_modified; /* NULL: not sent */
	char *next; /* Link with rel="next" (RFC 8288), as it was sent; NULL: not sent */
	bool accepts_ranges, no_cache, no_store;
	bool has_length, has_first,
		has_size; /* Content-Length; Content-Range's first byte and size */
	bool is_used_up;   /* X-RateLimit-Remaining: 0 */
	uint64_t reset;    /* X-RateLimit-Reset: seconds since 1970 when it is more again; 0 unknown */
	uint64_t length, first, size;
	uint64_t max_age, age;
};
void http_head_clear(struct http_head *h);
/* One line of a head; a status line starts a new head (an interim 1xx is followed by the real one).
 * Unknown and malformed fields are passed over. */
void http_head_line(struct http_head *h, struct str line);

bool http_status_is_retried(long status);
/* No more requests for now: 403 or 429 with nothing left, or with a pause that is not worth waiting for. */
bool http_head_is_limit(const struct http_head *h, uint64_t retry_after_seconds);
enum { HTTP_RETRY_AFTER_MAX = 60 }; /* the longest pause, in seconds, that is waited for */
bool http_status_is_redirect(long status);
/* The pause before the try after `tries` failed ones (from 1), with what Retry-After asked for. */
uint64_t http_pause_ms(unsigned tries, uint64_t retry_after_seconds);

/* The URL as it goes out: no fragment, bytes that RFC 3986 does not allow as %XX, and '+' in the
 * path as %2B, because some stores read a bare '+' as a space (their own redirects are left alone:
 * they may be signed). */
char *http_url_wire(struct arena *a, struct str url, bool is_redirect);
/* "https://host:443" in lower case, always with a port and never with credentials; NULL where the
 * URL has no host. */
char *http_url_origin(struct arena *a, struct str url);
/* user and password of a URL, decoded; false where it has none. */
bool http_url_login(struct arena *a, struct str url, const char **user, const char **password);
char *http_url_without_login(struct arena *a, struct str url);
/* pip's trusted-host: "host", "host:port" or "[v6]" against a URL. */
bool http_host_is_trusted(struct str url, const char *const *hosts, size_t n);
/* Where pip takes plain http without a trusted-host: localhost, 127.0.0.0/8, [::1]. */
bool http_host_is_loopback(struct str url);

#endif

/* Percent-encoding (RFC 3986 section 2.1) and references (section 5), for paths and http(s)/file URLs. */
#ifndef BASE_URI_H
#define BASE_URI_H

#include "manifests/base/arena.h"
#include "manifests/base/buf.h"

/* Appends `s` with everything but unreserved characters (and '/') as %XX, upper-case: '+' is %2B. */
void uri_encode(struct buf *out, struct str s);
/* Decodes once. NULL where an escape is malformed or gives NUL. '+' stays '+'. */
char *uri_decode(struct arena *a, struct str s);
/* What a link in a document at `base` points to (RFC 3986 section 5.2, without userinfo tricks):
 * absolute, //host/path, /path, ./x, ../x, x. The fragment stays. NULL where `base` is not absolute. */
char *uri_resolve(struct arena *a, struct str base, struct str link);
/* Last path segment without query and fragment, still encoded. */
struct str uri_last_segment(struct str url);
struct str uri_without_fragment(struct str url);
/* "https", "file", ... or empty. */
struct str uri_scheme(struct str url);
/* Host without userinfo and port; empty where there is none. */
struct str uri_host(struct str url);
/* The path without query and fragment, still encoded; empty where there is none. */
struct str uri_path(struct str url);
/* The URL with "user:password@" replaced by "***@": for messages and manifests. */
char *uri_redact(struct arena *a, struct str url);
/* The URL without "user:password@": for locks, which others are to use. */
char *uri_without_login(struct arena *a, struct str url);

#endif

/* Why a transfer got no answer, in plain words (libcurl's error codes). */
#ifndef BUNDLE_HTTP_CAUSE_H
#define BUNDLE_HTTP_CAUSE_H

#include <curl/curl.h>
#include <stdbool.h>

struct http_cause {
	CURLcode code;
	bool is_transient; /* worth another try */
	const char *text, *hint; /* hint NULL: just run it again */
};

const struct http_cause *http_cause_of(CURLcode code); /* NULL: libcurl's own words must do */

#endif

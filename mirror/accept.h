/* Which form of an index page a client wants (RFC 9110 section 12.5.1, PEP 691 "Version + Format
 * Selection"). */
#ifndef MIRROR_ACCEPT_H
#define MIRROR_ACCEPT_H

#include "manifests/base/str.h"

enum page_form {
	FORM_JSON,    /* application/vnd.pypi.simple.v1+json */
	FORM_V1_HTML, /* application/vnd.pypi.simple.v1+html */
	FORM_HTML,    /* text/html */
	FORMS
};

/* The form with the greatest q; among equals the more specific range, then JSON before v1+html
 * before text/html - but text/html first where only wildcards ask. No header at all is text/html.
 * `values` are the Accept header lines. False: nothing that we have is acceptable (406). */
bool accept_choose(const struct str *values, size_t n, enum page_form *out);

#endif

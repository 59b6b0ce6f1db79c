/* Texts with {placeholders}, as the URLs and file names of sources are written. For source*.c
 * alone. */
#ifndef MANIFESTS_SOURCE_TEMPLATE_H
#define MANIFESTS_SOURCE_TEMPLATE_H

#include "manifests/base/err.h"
#include "manifests/base/str.h"

struct template_piece {
	struct str text; /* a literal, or a placeholder's name without its braces */
	bool is_placeholder;
};

/* Takes the next piece off *rest; false at the end. A brace without its partner is a literal of its
 * own. */
bool template_next(struct str *rest, struct template_piece *out);
/* RC_INVALID: a placeholder that is not among `known` (ends in NULL), or a stray brace. */
int template_check(struct str text, const char *const *known, struct err *e);

#endif

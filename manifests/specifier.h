/* PEP 440 version specifiers: "~=1.4, !=1.5.*". */
#ifndef MANIFESTS_SPECIFIER_H
#define MANIFESTS_SPECIFIER_H

#include "manifests/version.h"

enum specifier_op {
	SPECIFIER_EQ = 1, SPECIFIER_NE, SPECIFIER_LE, SPECIFIER_GE, SPECIFIER_LT, SPECIFIER_GT,
	SPECIFIER_COMPATIBLE, SPECIFIER_ARBITRARY
};

struct specifier {
	enum specifier_op op;
	bool wildcard; /* "==1.5.*" */
	struct str raw; /* the version as written, with its ".*" */
	struct version version; /* without ".*"; nrelease == 0: SPECIFIER_ARBITRARY that is no version */
};

struct specifier_set {
	struct specifier *v;
	size_t n; /* 0: everything fits */
};

/* Between commas; empty pieces are skipped, so "" is the empty set. RC_INVALID */
int specifier_parse(struct arena *a, struct str text, struct specifier_set *out, struct err *e);
/* Does the version fit, pre-releases judged like finals (their policy is the chooser's)?
 * "===" compares its text with the version's normal form, any case, as pip does. */
bool specifier_contains(const struct specifier_set *s, const struct version *v);
/* Does one of them name a pre-release, so that pre-releases are meant? */
bool specifier_admits_prereleases(const struct specifier_set *s);
/* The set is one "==" (not ".*") or "===" and nothing else: that pin, else NULL. */
const struct specifier *specifier_pin(const struct specifier_set *s);
void specifier_format(const struct specifier_set *s, struct buf *out); /* "!=1.5.*,~=1.4", as written order */

#endif

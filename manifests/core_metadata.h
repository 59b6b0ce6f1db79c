/* Core metadata: METADATA of a wheel, PKG-INFO of an sdist ("Core metadata specifications" 2.4).
 * Header fields only; the description is skipped. */
#ifndef MANIFESTS_CORE_METADATA_H
#define MANIFESTS_CORE_METADATA_H

#include "manifests/requirement.h"

struct core_metadata {
	struct str name, version, requires_python; /* as written; requires_python may be empty */
	struct str license, summary; /* License-Expression, else License's first line; may be empty */
	struct str *requires_dist; /* PEP 508 text, in METADATA's order */
	size_t nrequires_dist;
	struct str *provides_extra; /* as written */
	size_t nprovides_extra;
	bool is_dynamic_requires; /* an sdist that says its dependencies are known only after building */
	struct str metadata_version; /* "2.1"; may be empty. Before 2.2 PKG-INFO's lists are guesses */
};

/* Name and Version must be there; two different values of a field that stands once are refused
 * (RC_WHEEL); at most LIMIT_METADATA bytes (RC_LIMIT). Field names in any case; LF, CR LF or CR;
 * the header ends at the first line that is no field; "UNKNOWN" in License or Summary is
 * nothing. Values are slices of `text`, or of the arena where lines were folded: those are
 * joined by one space. */
int core_metadata_parse(struct arena *a, struct str text, struct core_metadata *out, struct err *e);

#endif

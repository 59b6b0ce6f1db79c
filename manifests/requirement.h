/* Requirements (PEP 508): name[extra,...] (specifiers | @ URL) ; marker. */
#ifndef MANIFESTS_REQUIREMENT_H
#define MANIFESTS_REQUIREMENT_H

#include "manifests/marker.h"
#include "manifests/specifier.h"

struct requirement {
	struct str raw;  /* as written, trimmed */
	struct str name; /* normalised */
	struct str *extras; /* normalised, in order of writing, no duplicates */
	size_t nextras;
	struct specifier_set specifiers; /* empty when url is set */
	struct str url; /* n == 0: none */
	const struct marker *marker; /* NULL: none */
};

/* One line, blanks around it; nothing of *out points into `text`. RC_SYNTAX. */
int requirement_parse(struct arena *a, struct str text, struct requirement *out, struct err *e);
/* As `packaging` writes it: extras and specifiers sorted, each once. */
void requirement_format(const struct requirement *r, struct buf *out);

#endif

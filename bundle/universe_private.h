/* What the two halves of the universe share: projects and their candidates (universe.c), and what a candidate
 * needs (universe_needs.c). */
#ifndef BUNDLE_UNIVERSE_PRIVATE_H
#define BUNDLE_UNIVERSE_PRIVATE_H

#include "bundle/universe.h"

/* The name whose one need nobody can meet: "a 1.0 needs Python >=3.12, ..." stands as a need on it. */
enum { UNIVERSE_NOTHING = 0 };

/* The project, made where it is new; its page has been read. */
struct universe_project *universe_open_project(struct universe *u, struct str name);
/* The solver's number of a project or of an extra of it, given out where it is new. */
size_t universe_name(struct universe *u, struct str project, struct str extra);
const struct index_file *universe_file(const struct universe_project *p, size_t candidate);
/* The candidates that specifiers admit, and only the file of that URL where there is one. */
struct bits universe_admitted(struct universe *u, const struct universe_project *p,
	const struct specifier_set *set, struct str url);
/* Those that a requirement admits: what the lock overrides, its metadata does not say. */
struct bits universe_admits(struct universe *u, struct universe_project *p, const struct requirement *req);
bool universe_is_dropped(const struct universe *u, struct str project);

int universe_needs(void *context, struct solve_candidate of, const struct solve_candidate *likely,
	size_t nlikely, const struct solve_need **out, size_t *n, struct err *e);
struct str universe_empty_text(void *context, const struct solve_need *need);

#endif

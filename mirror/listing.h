/* Which files an index shows and under which names: for one target, or for all of them together. */
#ifndef MIRROR_LISTING_H
#define MIRROR_LISTING_H

#include "mirror/store.h"

struct listing_file {
	const struct store_file *file;
	struct str shown; /* its own name, or its alias (wheel_alias.h) */
};

struct listing_project {
	struct str name;
	struct listing_file *files; /* newest version first */
	size_t nfiles;
};

struct listing {
	struct listing_project *projects; /* by name */
	size_t nprojects;
};

/* Every listed file of the target: for running and for building, the toolkit's too, and what was
 * built here beside its source. One that is not meant to be run with is left out where it is newer
 * than the one that is, unless pip needs it to build a source. Slices belong to the arena or to the
 * view. */
void listing_of_target(struct arena *a, const struct store_target *t, struct listing *out);

/* The projects that mean the same whatever target asks. A project is left out where two of its
 * wheels that fit one machine differ in their local version, or two files of one name in their
 * bytes. What was built here belongs to its target and is not in it. */
void listing_of_all(struct arena *a, const struct store_view *v, struct listing *out);

#endif

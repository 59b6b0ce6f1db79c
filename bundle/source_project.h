/* What a source (manifests/source.h) offers of a project to a target: its pages fetched and read by
 * its kind. Pages are cached as those of indexes are (bundle/index.h). Only that source is asked:
 * what it lacks is missing, and `why` says how; no other place may have a file of that name by
 * accident. */
#ifndef BUNDLE_SOURCE_PROJECT_H
#define BUNDLE_SOURCE_PROJECT_H

#include "bundle/index.h"
#include "manifests/source.h"

struct source_answer { /* in the arena */
	/* Files in the order of their pages: of releases the newest first. Those of one name in
	 * several releases are one file, or a `conflict`. */
	struct index_project project;
	struct str where; /* "the source pyg at https://host/page", without credentials */
	/* No files: "the source pyg has no page for the target a: https://host/page does not
	 * exist"; else "". */
	struct str why;
};

/* A page that does not exist is no error. Errors: as of index_projects; RC_INVALID where the
 * source's place depends on what the target does not state; RC_LIMIT and RC_INDEX for releases that
 * go on for ever or lead to another host. GitHub's API is at $GPKG_BUNDLE_GITHUB_API where that is
 * set. */
struct str source_github_api(void); /* that variable, for source_locate; "" where it is not set */
int source_project(struct index *x, const struct source *s, const struct target *t,
	struct str project, struct arena *a, struct source_answer *out, struct err *e);

#endif

/* Links of pages become the files of one project. Private to bundle/index.h and
 * bundle/source_project.h. */
#ifndef BUNDLE_INDEX_MERGE_H
#define BUNDLE_INDEX_MERGE_H

#include "bundle/index_page.h"

struct index_merge {
	struct arena *a;
	struct str project; /* normalised */
	VEC(struct index_file) files;
	size_t nunreadable;
};

/* Those links of a page that are files of the project; is_flat: the page is for other projects,
 * too, and their links are nothing to count. Links must have a `source`. */
void index_merge_add(struct index_merge *m, const struct index_page *page, bool is_flat);
/* Of each name one file stays, the first, or the first whose digest is known; where two of them say
 * that they are different files, it has a `conflict`. Releases the merge. */
void index_merge_end(struct index_merge *m, struct index_project *out);

#endif

/* A page of an index as a list of links: what the two formats (PEP 503 HTML, PEP 691 JSON) and
 * folders have in common. Private to bundle/index.h. Readers are pure: bytes in, links out. */
#ifndef BUNDLE_INDEX_PAGE_H
#define BUNDLE_INDEX_PAGE_H

#include "bundle/index.h"

/* A link: an index_file whose `name` has only `file` (decoded), which nobody has parsed yet. */
struct index_page {
	VEC(struct index_file) links;
	size_t nunreadable; /* links without a file name that could be one */
	bool is_index;      /* it is an index page, even where it has no link */
	char title[96];     /* of an HTML page, for messages */
};
#define INDEX_PAGE_INIT           \
	{                         \
		.links = VEC_INIT \
	}
void index_page_release(struct index_page *p); /* texts belong to the arena */

/* `url` is where the page came from, without credentials; links are resolved against it. Errors are
 * RC_INDEX without the URL: the caller wraps it. */
typedef int index_page_reader(
	struct arena *a, struct str text, const char *url, struct index_page *out, struct err *e);
index_page_reader index_html_read, index_json_read;

/* One folder, not its sub-folders: wheels and sdists by name and size, and the links of its *.html
 * files. A folder that is missing or empty has no links: pip does not mind either. `path` may also
 * be one HTML file. */
int index_dir_read(struct arena *a, const char *path, struct index_page *out, struct err *e);

/* "sha256=<hex>" among the '&'-separated parts of a fragment; anything else is no hash. */
bool index_fragment_sha256(struct str url, struct digest *out);
/* ".whl", ".tar.gz", ".zip": what can be a distribution at all. */
bool index_is_dist_file(struct str file);
/* "/a b" -> "file:///a%20b"; relative paths are made absolute. */
char *index_file_url(struct arena *a, const char *path);
/* The path of a file: URL of this machine, decoded; NULL where it is none. */
char *index_file_path(struct arena *a, struct str url);

#endif

/* The pages of the simple repository API, as bytes: HTML of PEP 503 with PEP 592, 658/714 and
 * Requires-Python, JSON of PEP 691 with PEP 700 (api-version 1.1, without upload-time). Pure.
 *
 * Every link is relative: the tree works below any prefix, over file:// and under any host name.
 * METADATA is announced as core-metadata alone: the older twin makes pip 22.3 fetch each wheel
 * twice. */
#ifndef MIRROR_SIMPLE_PAGE_H
#define MIRROR_SIMPLE_PAGE_H

#include "manifests/base/buf.h"
#include "mirror/listing.h"

void simple_root_html(const struct listing *l, struct buf *out);
void simple_root_json(const struct listing *l, struct buf *out);
/* `up` leads from the page to the root of the tree: "../../" for /simple/NAME/. */
void simple_project_html(const struct listing_project *p, const char *up, struct buf *out);
void simple_project_json(const struct listing_project *p, const char *up, struct buf *out);
/* All files on one page, for --find-links. */
void simple_flat_html(const struct listing *l, const char *up, struct buf *out);

/* Text for HTML, safe between tags and inside double quotes. */
void html_escape(struct str text, struct buf *out);
/* "UPfiles/<sha256>/<name>", percent-encoded; '+' as %2B. */
void simple_file_link(const struct listing_file *f, const char *up, struct buf *out);

#endif

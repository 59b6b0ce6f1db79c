/* The form in which the cache keeps a page of links: what a reader of index_page.h made of it, so
 * that a page of megabytes is parsed once. Private to bundle/index_load.c.
 *
 * "links-1\n", the number of links and of unreadable ones (32 bits each), then the links in page
 * order: a byte of flags, what they announce of SHA-256 digests (32 bytes each) and the size (64
 * bits), then texts: the URL, the file name where the URL does not end in it (else its length),
 * Requires-Python where it is not that of the link before, the reason of a yanked file. A text is
 * its length (32 bits), its bytes and a NUL. Integers are little-endian. */
#ifndef BUNDLE_INDEX_KEPT_H
#define BUNDLE_INDEX_KEPT_H

#include "bundle/index_page.h"

/* `source` and what a source knows of its place are not kept: whoever loads the page sets them
 * again. */
void index_kept_write(const struct index_page *page, struct buf *out);
/* The texts of the links are slices of `kept`, which must live as long as they do. False where the
 * bytes are not exactly such a page: another layout, damaged or cut short. `out` is then untouched.
 */
bool index_kept_read(struct str kept, struct index_page *out);

#endif

/* An inspection as one page for people: whom it is from, for which machines, what the audit found,
 * what was waived and why, the coverage matrix, every file with its digest. No script and nothing
 * from elsewhere, so that it can be mailed and kept; follows the reader's light or dark setting and
 * fits a phone. */
#ifndef MIRROR_INSPECT_HTML_H
#define MIRROR_INSPECT_HTML_H

#include "mirror/inspect.h"

void inspection_html(const struct inspection *x, struct buf *out);

#endif

/* The page for people at "/": what there is for which machine, and the lines to paste. It needs no
 * script and nothing from elsewhere, follows the reader's light or dark setting, and fits a phone.
 * Pure; with the marks of client_text.h. */
#ifndef MIRROR_HOME_PAGE_H
#define MIRROR_HOME_PAGE_H

#include "manifests/base/buf.h"
#include "mirror/store.h"

void home_page_html(const struct store_view *v, struct buf *out);
/* What stands between <style> and </style>: its hash goes into the Content-Security-Policy. */
struct str home_page_style(void);

#endif

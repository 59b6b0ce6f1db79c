/* The site in force. Taking it looks whether another catalogue was published since (one fstatat a
 * tick), loads that and swaps; while one thread loads, the others go on with the old one. A site
 * lives until its last user has given it back. Safe for several threads. */
#ifndef MIRROR_SITE_SOURCE_H
#define MIRROR_SITE_SOURCE_H

#include "mirror/metrics.h"
#include "mirror/site.h"

struct site_source;

/* The store stays the caller's. `forget`: see site_free. */
int site_source_open(struct store *store, struct metrics *metrics, void (*forget)(void *prepared),
	struct site_source **out, struct err *e);
struct site *site_source_take(struct site_source *s);
void site_source_give(struct site_source *s, struct site *site);
void site_source_close(struct site_source *s); /* after everything was given back */

#endif

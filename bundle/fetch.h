/* Files into the cache: several at once, hashed while they arrive, resumed after a cut (also by a
 * later process: partial/<key> keeps bytes, ranges are asked from its end, the whole is hashed),
 * committed by rename only when size and sha256 are right. */
#ifndef BUNDLE_FETCH_H
#define BUNDLE_FETCH_H

#include "bundle/cache.h"
#include "bundle/http_get.h"
#include "manifests/base/log.h"

struct fetch_item {
	const char *url;  /* http, https or file */
	const char *file; /* its name, for messages */
	bool has_sha256;  /* false: trust on first use; then sha256 is an output */
	struct digest sha256;
	bool has_size;
	uint64_t size;   /* an output too */
	bool was_cached; /* output: nothing was transferred; only the size was looked at, so hash it
			  */
};

/* All items are in the cache when this returns 0. An item whose bytes differ from its size or hash
 * is fetched once more from byte 0, then RC_HASH names url, expected and found digest. A full disk
 * (RC_NO_SPACE) names the bytes needed; where sizes are known, before anything is transferred. What
 * was transferred before an error or a kill is used by the next run. An item without a sha256
 * always starts at byte 0. `progress` (NULL: none) gets the bytes of every item, transferred or
 * found. `parallel` 0: 8. */
int fetch_files(struct cache *c, struct http *h, struct fetch_item *items, size_t n,
	unsigned parallel, struct log_progress *progress, struct err *e);

#endif

/* A finished manifest and its files become one signed bundle file: written beside, flushed, renamed.
 * The bytes depend on nothing but the input: not on umask, time zone, locale, folder or core count. */
#ifndef BUNDLE_PACK_H
#define BUNDLE_PACK_H

#include "bundle/cache.h"
#include "manifests/base/log.h"
#include "manifests/bundle_format.h"
#include "verify/key.h"

struct pack {
	const struct manifest *manifest;
	/* Members behind the sums, in the order of bundle_later_names; digests are filled in here. */
	struct bundle_texts later;
	const struct secret_key *key;
	struct cache *cache; /* holds every file of the manifest */
};

/* Each file is hashed again while it is packed: RC_HASH sets *damaged to its index (the entry is evicted), and nothing
 * is left at `path`. */
int pack_bundle(const struct pack *p, const char *path, struct log_progress *progress, size_t *damaged,
	struct err *e);

#endif

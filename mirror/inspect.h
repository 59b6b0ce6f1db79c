/* What a bundle or a store holds, as one table: targets, the files each has, what the audit found of them. */
#ifndef MIRROR_INSPECT_H
#define MIRROR_INSPECT_H

#include "manifests/base/json.h"
#include "manifests/manifest.h"
#include "mirror/store.h"
#include "verify/bundle_check.h"

struct inspect_file { /* a file as one target has it */
	const struct manifest_file *file;
	unsigned use;
	bool is_built; /* compiled at this site */
	struct str audit; /* as in struct manifest_pick */
	const struct manifest_finding *findings;
	size_t nfindings;
};

struct inspect_target {
	const struct target *target;
	struct inspect_file *files;
	size_t nfiles;
};

struct inspect_bundle { /* where it came from */
	struct str channel, tool;
	uint64_t serial, created, expires;
	uint64_t imported; /* 0: it is not in a store */
	struct digest manifest;
	struct str signer, trusted_from; /* a key's id, or the key; the file that says so, or "" */
};

struct inspection { /* points into what it was made from; the arrays belong to the arena */
	struct str name; /* of the bundle's file or the store's folder */
	bool is_store;
	struct inspect_bundle *bundles;
	size_t nbundles;
	struct inspect_target *targets;
	size_t ntargets;
	const struct manifest_waiver *waivers; /* of the newest bundle of each channel */
	size_t nwaivers;
};

void inspection_of_bundle(struct arena *a, const struct verified *v, struct inspection *out);
/* The published view, with what the store's manifests say of it beyond that: read newest first, one at a
 * time, until every file is told of. Bundles whose manifest is lost or damaged are passed over. */
void inspection_of_store(struct arena *a, struct store *s, const struct store_view *v, struct inspection *out);

void inspection_targets(const struct inspection *x, struct buf *out); /* each target and its files */
void inspection_files(const struct inspection *x, struct buf *out);   /* "SHA256  SIZE  FILE", each once */
/* Members distinct_files and plans, and of a store also waivers, inside an object that the caller has opened. */
void inspection_json(const struct inspection *x, struct json_out *o);

/* Each distinct file once, in the order of manifests; the array belongs to the arena. */
const struct manifest_file **inspection_distinct(struct arena *a, const struct inspection *x, size_t *n);
/* "run", "build+toolkit", "built here": why the target has it. */
const char *inspect_use(const struct inspect_file *f);

#endif

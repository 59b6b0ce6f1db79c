/* What a bundle or a store holds, as one table: targets and the files each has. */
#ifndef MIRROR_INSPECT_H
#define MIRROR_INSPECT_H

#include "manifests/base/json.h"
#include "manifests/manifest.h"
#include "mirror/store.h"

struct inspect_file { /* a file as one target has it */
	const struct manifest_file *file;
	unsigned use;
	bool is_built; /* compiled at this site */
};

struct inspect_target {
	const struct target *target;
	struct inspect_file *files;
	size_t nfiles;
};

struct inspection { /* points into what it was made from; the arrays belong to the arena */
	struct inspect_target *targets;
	size_t ntargets;
};

void inspection_of_manifest(struct arena *a, const struct manifest *m, struct inspection *out);
void inspection_of_view(struct arena *a, const struct store_view *v, struct inspection *out);

void inspection_targets(const struct inspection *x, struct buf *out); /* each target and its files */
void inspection_files(const struct inspection *x, struct buf *out);   /* "SHA256  SIZE  FILE", each once */
void inspection_matrix(const struct inspection *x, struct buf *out);  /* projects by targets */
/* Members files and plans, inside an object that the caller has opened. */
void inspection_json(const struct inspection *x, struct json_out *o);

#endif

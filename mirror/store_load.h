/* One load of the published catalogue: what store_view.c and store_load_target.c share while it
 * runs. */
#ifndef MIRROR_STORE_LOAD_H
#define MIRROR_STORE_LOAD_H

#include "mirror/store_private.h"

struct known_file {
	uint64_t id;
	struct manifest_file file;
	struct dist_name parts;
	struct version version;
	bool has_parts, has_version;
	size_t rank;
};

struct load {
	struct store *store;
	struct db *db;
	struct arena *a;          /* the view's */
	struct known_file *files; /* by id */
	size_t nfiles;
};

/* A column's text, in the view's arena. */
struct str load_text(struct load *l, struct db_query *q, int column);
int load_damaged(struct load *l, const char *table, struct err *e); /* RC_STORE */
/* All targets with their files and recipes, by name. */
int load_all_targets(struct load *l, struct store_view *v, struct err *e);

#endif

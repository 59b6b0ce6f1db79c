/* The inside of the store, for the files store*.c and publish.c only. */
#ifndef MIRROR_STORE_PRIVATE_H
#define MIRROR_STORE_PRIVATE_H

#include "manifests/base/vec.h"
#include "mirror/db.h"
#include "mirror/store.h"

#define STORE_OBJECTS "objects"
#define STORE_PUBLISHED "published"
#define STORE_STAGING "staging"
#define STORE_CURRENT "current"

struct store {
	char *dir;
	enum store_mode mode;
	int dir_fd, objects_fd, lock_fd;
	struct db *db;     /* STORE_WRITE */
	bool touched[256]; /* folders of objects/ with names that are not flushed yet */
	/* Objects and folders that this writer made and no commit has claimed: closing removes
	 * them, so that a refused import leaves the tree as it was. */
	VEC(struct digest) fresh;
	bool made_folder[256];
};

/* A path inside the store, in the arena. */
char *store_path(const struct store *s, struct arena *a, const char *name);

/* Flushes the folders that objects were linked into (store_object.c): before every commit. */
int store_sync_objects(struct store *s, struct err *e);
/* A commit is about to claim what was written: closing keeps it from here on, whatever the outcome.
 */
void store_keep_objects(struct store *s);
void store_drop_objects(struct store *s); /* what no commit claimed */
/* Makes the committed catalogue the published one (publish.c). */
int store_publish(struct store *s, struct err *e);
/* The same, if a killed writer left that undone; removes what is half made. */
int store_publish_repair(struct store *s, struct err *e);

/* Lists of text in one column: a JSON array. */
void store_list_write(const struct str *list, size_t n, struct buf *out);
int store_list_read(struct arena *a, struct str text, struct str **out, size_t *n, struct err *e);

/* What a reader has loaded of one target, before it is a store_target (store_view.c). */
struct store_row {
	struct store_file file;
	uint64_t id;                   /* of the file */
	uint64_t bundle;               /* the newest that picked it; built here: 0 */
	size_t rank;                   /* in the order of names, versions and files */
	const struct dist_name *parts; /* of the file name; NULL where it has none */
};
/* Sets is_listed for the sorted rows of one target by the two rules of store.h (store_listing.c).
 */
void store_mark_listed(struct store_row *rows, size_t n);

/* Row id of the file, made or brought up to date (store_commit.c). */
int store_save_file(struct store *s, const struct manifest_file *f, uint64_t *id, struct err *e);

#endif

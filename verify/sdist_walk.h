/* The members of an sdist below its one top folder: for sdist_in.c and sdist_extract.c only. */
#ifndef VERIFY_SDIST_WALK_H
#define VERIFY_SDIST_WALK_H

#include "manifests/base/arena.h"
#include "manifests/base/vec.h"
#include "verify/archive_in.h"

struct sdist_walk {
	struct archive_in *archive;
	struct arena arena;
	struct str top;        /* "demo-1.0"; empty before the first member */
	VEC(struct str) files; /* names so far */
};
#define SDIST_WALK_INIT             \
	{                           \
		.arena = ARENA_INIT \
	}

/* By the file name's ending: .tar.gz, .zip; RC_UNSUPPORTED for others. */
int sdist_walk_open(struct sdist_walk *w, int fd, struct str file_name, struct err *e);
/* *below is the name inside the top folder (empty for the folder itself), a slice of out->name.
 * *found is false behind the last member; then no file was named twice, and there was one. */
int sdist_walk_next(struct sdist_walk *w, struct archive_member *out, struct str *below,
	bool *found, struct err *e);
void sdist_walk_release(struct sdist_walk *w);
#define CLEANUP_SDIST_WALK __attribute__((cleanup(sdist_walk_release)))

#endif

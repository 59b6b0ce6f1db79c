/* The folder in which a target's sources are built, and how programs are run in it.
 *
 * Inside namespaces every build finds the same paths, so that equal input gives equal bytes:
 *
 *	/gpkg-build        the build's own folder, writable: src, out, home, tmp
 *	/gpkg-build/env    the Python environment, read-only
 *	/gpkg-build/cuda   the CUDA toolkit, read-only
 *	/tmp               /gpkg-build/tmp
 *
 * Where there are no namespaces the paths are those outside. The store is out of sight inside. */
#ifndef MIRROR_WORKSHOP_H
#define MIRROR_WORKSHOP_H

#include "mirror/child.h"
#include "manifests/base/arena.h"

struct workshop_folder {
	char *outside, *inside;
};

struct workshop {
	struct arena arena;
	enum child_way way;
	char *base; /* a new folder in $TMPDIR or /var/tmp */
	char *root;
	struct workshop_folder work;
	struct workshop_folder env, cuda; /* outside NULL: none yet */
	const char *hidden[2];
	bool shows_tmp; /* a toolkit or Python lives in /tmp: then it is not replaced */
	unsigned count;
};

/* `store` is hidden from what runs inside. RC_TOOL where builds cannot be confined. */
int workshop_open(struct workshop *w, const char *store, struct err *e);
void workshop_close(struct workshop *w); /* removes everything */
/* Empties the build's own folder, for the next build. */
int workshop_clean(struct workshop *w, struct err *e);
/* A new folder beside it, that lasts until the end: an environment, a toolkit. */
int workshop_new_folder(
	struct workshop *w, const char *name, struct workshop_folder *out, struct err *e);
/* A folder of the machine as the toolkit, seen under its own path. */
void workshop_use_cuda(struct workshop *w, const char *home);
/* Something outside that must be seen inside under its own path: a Python's prefix. */
void workshop_show(struct workshop *w, const char *path);

char *workshop_outside(
	struct workshop *w, struct arena *a, const char *name); /* of the build's folder */
char *workshop_inside(struct workshop *w, struct arena *a, const char *name);

struct workshop_job {
	const char *const *argv, *const *env;
	const char *folder; /* inside */
	int output;
	bool makes_env; /* the environment is writable: it is being made */
	struct child_limits limits;
};
int workshop_run(struct workshop *w, const struct workshop_job *job, struct child_result *out,
	struct err *e);

#endif

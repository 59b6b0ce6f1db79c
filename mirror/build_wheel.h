/* What came out of a build: one wheel, of the right project and version, for the right target,
 * whole, and with the device code that was asked for. An exit status and a file name prove none of
 * that. */
#ifndef MIRROR_BUILD_WHEEL_H
#define MIRROR_BUILD_WHEEL_H

#include "mirror/store.h"

struct build_wheel {
	int fd;                    /* the caller closes it */
	struct manifest_file file; /* in the arena */
	struct str metadata;       /* METADATA's bytes, in the arena */
	char *newer_glibc; /* NULL, or in words: it needs a newer glibc than the target has */
};

/* The one wheel in folder `out`, opened without following links: the folder was in somebody else's
 * hands. `device_code`: the recipe demands it. RC_BUILD, RC_WHEEL, RC_NO_DEVICE_CODE. */
int build_wheel_take(struct arena *a, const char *folder, const struct manifest_file *sdist,
	const struct target *t, bool device_code, struct build_wheel *out, struct err *e);

#endif

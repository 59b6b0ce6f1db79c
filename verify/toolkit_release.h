/* The release of the CUDA toolkit that made device code, as its compilers write it there. */
#ifndef VERIFY_TOOLKIT_RELEASE_H
#define VERIFY_TOOLKIT_RELEASE_H

#include "manifests/base/buf.h"

struct toolkit_release { /* 13.2.86; patch 0: only 12.8 is known; major 0: nothing is */
	unsigned major, minor, patch;
};

/* The newest that the text names, in words like "release 13.2, V13.2.86". False: none. */
bool toolkit_release_find(struct str text, struct toolkit_release *out);
int toolkit_release_cmp(struct toolkit_release a, struct toolkit_release b); /* <0, 0, >0 */
/* "13.2.86", "12.8"; "unknown". */
void toolkit_release_format(struct toolkit_release r, struct buf *out);

#endif

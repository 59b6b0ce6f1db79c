/* The central directory of a zip file from somebody else (APPNOTE 6.3.10, 4.3.12), with the
 * stricter rules of PyPI. It is read in one or two pieces from the end of the file. */
#ifndef VERIFY_ZIP_DIR_H
#define VERIFY_ZIP_DIR_H

#include "verify/wheel_in.h"

struct zip_dir {
	struct arena arena;           /* owns everything */
	struct wheel_member *members; /* in the directory's order */
	size_t n;
	const struct wheel_member **by_name;   /* sorted by bytes */
	const struct wheel_member **by_offset; /* as they lie in the file */
	struct str tail;                       /* what was read: the last part of the file, */
	uint64_t tail_offset;                  /* which begins here */
};
#define ZIP_DIR_INIT                \
	{                           \
		.arena = ARENA_INIT \
	}

/* RC_WHEEL for everything that wheel_open promises about the zip format, RC_LIMIT over the maxima.
 */
int zip_dir_read(const struct wheel_source *source, struct zip_dir *out, struct err *e);
void zip_dir_release(struct zip_dir *d);
const struct wheel_member *zip_dir_find(const struct zip_dir *d, struct str name); /* NULL: none */

#endif

/* The end of a zip file (APPNOTE 6.3.10, 4.3.14 to 4.3.16): the end record, and for ZIP64 its
 * locator and record right before it. */
#ifndef VERIFY_ZIP_END_H
#define VERIFY_ZIP_END_H

#include "manifests/base/err.h"
#include "manifests/base/str.h"

struct zip_end {
	uint64_t count; /* members */
	uint64_t offset,
		size; /* of the central directory, which ends where the end records begin */
};

/* `tail` is the last part of the file and begins at `offset`. RC_WHEEL: no or two end records,
 * bytes behind it, several disks, ZIP64 numbers that contradict, bytes between directory and end
 * record. */
int zip_end_find(struct str tail, uint64_t offset, struct zip_end *out, struct err *e);

#endif

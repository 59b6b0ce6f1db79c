/* What the names in a wheel must look like ("Binary distribution format", "File contents"). */
#ifndef VERIFY_WHEEL_LAYOUT_H
#define VERIFY_WHEEL_LAYOUT_H

#include "verify/wheel_in.h"

/* One .dist-info folder, whose name and public version are the file name's, with METADATA and WHEEL
 * in it; .data folders with installation schemes only; no two names that one file system takes for
 * the same, unless only Linux is meant. *info is the folder's name. RC_WHEEL. */
int wheel_layout_check(const struct dist_name *name, const struct wheel_member *members, size_t n,
	struct str *info, struct err *e);

#endif

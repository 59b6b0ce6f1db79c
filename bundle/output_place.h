/* Where a result is to be written, looked at before the work: hours of downloading should not end
 * at a folder that cannot be written to. */
#ifndef BUNDLE_OUTPUT_PLACE_H
#define BUNDLE_OUTPUT_PLACE_H

#include "manifests/base/err.h"

/* `what` is to be written ("the bundle"), and `option` names the place ("-o"). RC_IO,
 * RC_PERMISSION; RC_USAGE where something stands there that is no file. */
int output_place_check(const char *path, const char *what, const char *option, struct err *e);

#endif

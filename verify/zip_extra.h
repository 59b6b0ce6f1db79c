/* Extra fields of a zip header (APPNOTE 4.5): a list of (id, size, bytes). */
#ifndef VERIFY_ZIP_EXTRA_H
#define VERIFY_ZIP_EXTRA_H

#include "manifests/base/err.h"
#include "manifests/base/str.h"

/* The ZIP64 field's bytes (empty where there is none). RC_WHEEL where the list does not fit its
 * length, holds the field twice, or a second name for the member (0x7075), which some clients use.
 */
int zip_extra_zip64(struct str extra, struct str *zip64, struct err *e);

#endif

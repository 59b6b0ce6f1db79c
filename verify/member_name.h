/* Names of members in archives from somebody else: relative, below the folder of unpacking on every
 * system, and fit to be shown. */
#ifndef VERIFY_MEMBER_NAME_H
#define VERIFY_MEMBER_NAME_H

#include "manifests/base/err.h"
#include "manifests/base/str.h"

enum { MEMBER_NAME_SHOWN = 256 };

/* Where the archive may be unpacked. Windows drops a dot at the end of a name; auditwheel makes folders
 * like "pynvvideocodec.", in wheels that are for Linux alone. */
enum member_name_system { MEMBER_NAME_LINUX = 1, MEMBER_NAME_ANY_SYSTEM };

/* UTF-8, at most LIMIT_MEMBER_NAME bytes; no empty, "." or ".." component, none that ends in a space
 * or, on any system, in a dot; no backslash, control byte, leading '/' or drive. One '/' at the end
 * marks a folder. RC_WHEEL. */
int member_name_check(struct str name, enum member_name_system on, struct err *e);
/* For messages: unprintable bytes as \xNN, cut with "..." where it is too long. Returns out. */
const char *member_name_show(struct str name, char out[MEMBER_NAME_SHOWN]);

#endif

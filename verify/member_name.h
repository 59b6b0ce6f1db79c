/* Names of members in archives from somebody else: relative, below the folder of unpacking on every
 * system, and fit to be shown. */
#ifndef VERIFY_MEMBER_NAME_H
#define VERIFY_MEMBER_NAME_H

#include "manifests/base/err.h"
#include "manifests/base/str.h"

enum { MEMBER_NAME_SHOWN = 256 };

/* UTF-8, at most LIMIT_MEMBER_NAME bytes; no empty, "." or ".." component, none that ends in a dot
 * or a space (Windows drops them); no backslash, control byte, leading '/' or drive. One '/' at the
 * end marks a folder. RC_WHEEL. */
int member_name_check(struct str name, struct err *e);
/* For messages: unprintable bytes as \xNN, cut with "..." where it is too long. Returns out. */
const char *member_name_show(struct str name, char out[MEMBER_NAME_SHOWN]);

#endif

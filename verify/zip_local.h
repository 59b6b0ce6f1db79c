/* What stands around a member's bytes in the file: its local header (APPNOTE 4.3.7) and its data
 * descriptor (4.3.9). Both must say what the central directory says. */
#ifndef VERIFY_ZIP_LOCAL_H
#define VERIFY_ZIP_LOCAL_H

#include "verify/wheel_in.h"

/* The longest header: fixed part, name, extra fields. */
enum { ZIP_LOCAL_MAX = 30 + 2 * UINT16_MAX, ZIP_DESCRIPTOR_MAX = 24 };

/* `bytes` begin at the header; ZIP_LOCAL_MAX of them, or all up to m->next. *header is its length.
 * Header, packed bytes and descriptor must reach exactly to m->next. RC_WHEEL. */
int zip_local_check(const struct wheel_member *m, struct str bytes, size_t *header, struct err *e);
/* All bytes between the packed ones and m->next. RC_WHEEL. */
int zip_descriptor_check(const struct wheel_member *m, struct str bytes, struct err *e);

#endif

/* Unpacks part of a wheel into a folder. */
#ifndef MIRROR_WHEEL_UNPACK_H
#define MIRROR_WHEEL_UNPACK_H

#include "verify/wheel_in.h"

/* Every file below `prefix` ("nvidia/cu13/"; "" = all), each to its path without the prefix under
 * `into`. Programs keep their execute bit; other mode bits are not taken over. Files that exist
 * already are RC_CONFLICT unless their bytes are the same. wheel_open has refused names that lead
 * outside. */
int wheel_unpack(struct wheel *w, const char *prefix, const char *into, struct err *e);

#endif

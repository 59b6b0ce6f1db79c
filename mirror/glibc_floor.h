/* The oldest glibc that a wheel's libraries can be loaded with: the highest GLIBC_ version that they
 * refer to (System V gABI, "Symbol Versioning"; Linux Standard Base 5.0, section 10.7). What was
 * linked on a newer machine silently asks for its newer glibc. */
#ifndef MIRROR_GLIBC_FLOOR_H
#define MIRROR_GLIBC_FLOOR_H

#include "verify/wheel_in.h"

struct glibc_floor {
	unsigned major, minor; /* 0.0: no library needs any */
	struct str member;     /* the first that needs this; belongs to the wheel */
};

/* Members named like libraries; those over 4 GiB and damaged ones are left out. */
int glibc_floor_of_wheel(struct wheel *w, struct glibc_floor *out, struct err *e);
/* The same for the bytes of one ELF file. False: it refers to none, or cannot be read. */
bool glibc_floor_of_elf(struct str bytes, unsigned *major, unsigned *minor);

#endif

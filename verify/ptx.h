/* PTX as text: the two directives that every module begins with (PTX ISA, ".version" and
 * ".target"). */
#ifndef VERIFY_PTX_H
#define VERIFY_PTX_H

#include "manifests/base/str.h"

struct ptx_arch {
	unsigned isa_major, isa_minor, sm;
	char suffix; /* 0, 'a', 'f' */
};

/* `text` may be the beginning only. False: not PTX. */
bool ptx_arch_read(struct str text, struct ptx_arch *out);

#endif

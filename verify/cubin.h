/* A cubin outside of a container: an ELF file with e_machine 190. */
#ifndef VERIFY_CUBIN_H
#define VERIFY_CUBIN_H

#include "verify/elf.h"

enum { CUBIN_MACHINE = 190 };

struct cubin_arch {
	unsigned sm;
	char suffix; /* 0, 'a', 'f' */
};

/* ELF ABI version 7 (CUDA up to 12) tells everything in e_flags. Version 8 tells the number there,
 * and the suffix only in the options that .note.nv.tkinfo quotes; without that note 'a' is assumed,
 * which promises least. RC_WHEEL. */
int cubin_arch_read(struct str bytes, struct cubin_arch *out, struct err *e);

#endif

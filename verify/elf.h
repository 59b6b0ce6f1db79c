/* ELF64 little-endian files from somebody else (System V gABI chapter 4), as far as device code
 * needs: sections when there are any, bounds always checked. */
#ifndef VERIFY_ELF_H
#define VERIFY_ELF_H

#include "manifests/base/err.h"
#include "manifests/base/str.h"

struct elf {
	struct str bytes;
	uint16_t type, machine; /* e_type, e_machine: 62 x86_64, 183 aarch64, 190 CUDA */
	size_t nsections;
};

bool elf_is(struct str bytes);                                  /* the magic */
int elf_open(struct str bytes, struct elf *out, struct err *e); /* RC_WHEEL */
/* Name and contents of section i (empty for SHT_NOBITS). RC_WHEEL where it leaves the file. */
int elf_section(
	const struct elf *elf, size_t i, struct str *name, struct str *contents, struct err *e);

#endif

/* Makes device code in memory: fat binary containers and small ELF files. */
#ifndef TESTS_DEVICE_MAKER_H
#define TESTS_DEVICE_MAKER_H

#include "manifests/base/buf.h"

enum { FLAG_A = 0x100000, FLAG_F = 0x200000 };

struct made_entry {
	uint16_t kind; /* 1 PTX, 2 cubin, 8 LTO */
	uint32_t sm;
	uint64_t flags; /* 0x11 is added */
	uint16_t isa_major, isa_minor;
	uint32_t header; /* 0: 64 */
	uint64_t stored; /* payload bytes; more than those below are made up */
	struct str payload;
	uint32_t packed; /* what the entry says of it: bytes that are compressed, bytes in them */
	uint64_t size;
};

/* A container of n entries, padded to 8 behind; `total_add` lies about its size. */
void fatbin_make(const struct made_entry *v, size_t n, int64_t total_add, struct buf *out);

struct made_elf {
	uint16_t machine; /* 62, 190 */
	uint8_t abi;
	uint32_t version; /* 0: 1 */
	uint32_t flags;
	const char *section; /* its name, ".nv_fatbin" */
	struct str contents;
};
/* An ELF64 file with that section and .shstrtab. */
void elf_make(const struct made_elf *elf, struct buf *out);
/* A note of NVIDIA's (2000 is tkinfo) as it stands in a section. */
void note_make(uint32_t type, const char *text, struct buf *out);
/* A cubin for sm_100 of ABI 8 whose note stands behind `before` bytes. */
void cubin_make(const char *release, size_t before, struct buf *out);

#endif

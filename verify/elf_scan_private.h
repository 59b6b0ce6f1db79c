/* What elf_scan.c (the stream, the program headers), elf_dynamic.c (names and versions) and
 * elf_symbols.c share.
 *
 * Readers of tables return 0, an error, or ELF_NOT_KEPT: these bytes passed by unseen, and the file
 * must come in once more. */
#ifndef VERIFY_ELF_SCAN_PRIVATE_H
#define VERIFY_ELF_SCAN_PRIVATE_H

#include "verify/elf_scan.h"
#include "verify/kept_ranges.h"

enum { ELF_NOT_KEPT = 1, ELF_SYMBOL_SIZE = 24 };

struct elf_load { /* the part of a segment that the file has */
	uint64_t address, offset, size;
};

struct elf_scan {
	uint64_t size;
	struct kept_ranges kept;
	bool is_planned;            /* what comes in is kept or not by the program headers */
	bool is_second;             /* the file comes in once more */
	VEC(struct elf_load) loads; /* by address; they do not overlap */
	struct elf_load dynamic;    /* PT_DYNAMIC; size 0: none */
};

/* ---- addresses ---- */

/* From the address on, `min` bytes or more: all that are kept and in the segment. */
int elf_span(
	const struct elf_scan *s, uint64_t address, uint64_t min, struct str *out, struct err *e);
/* Bytes of the file from the address to the end of its segment; 0: the file has none there. */
uint64_t elf_left(const struct elf_scan *s, uint64_t address, uint64_t *offset);

/* ---- the dynamic section ---- */

struct elf_dynamic {
	struct str entries;  /* up to DT_NULL */
	struct str strings;  /* DT_STRTAB */
	uint64_t names_left; /* bytes of names that may still be taken: LIMIT_ELF_NAMES */
};
int elf_dynamic_entries(const struct elf_scan *s, struct str *out, struct err *e);
/* The value of the last entry with that tag, as the loader takes it; false: none. */
bool elf_dynamic_find(struct str entries, uint64_t tag, uint64_t *out);
/* Everything but symbols. */
int elf_dynamic_read(const struct elf_scan *s, struct elf_dynamic *d, struct arena *a,
	struct native_module *out, struct err *e);
/* The text at `offset` of the strings, in place. */
int elf_name(struct elf_dynamic *d, uint64_t offset, struct str *out, struct err *e);
/* Wants every table that is read, as far as it may reach. */
int elf_tables_want(struct elf_scan *s, struct str entries, struct err *e);

/* ---- symbols ---- */

int elf_symbols_read(const struct elf_scan *s, struct elf_dynamic *d, struct arena *a,
	struct native_module *out, struct err *e);

#endif

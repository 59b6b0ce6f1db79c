/* Makes shared libraries in memory: what a loader reads of an ELF file, and of a PE file. */
#ifndef TESTS_LIBRARY_MAKER_H
#define TESTS_LIBRARY_MAKER_H

#include "manifests/base/buf.h"

struct made_symbol {
	const char *name;
	uint8_t info, other; /* 0x10 global function, 0x20 weak, 0xa0 unique */
	uint16_t section;    /* 0: undefined */
};

struct made_version {
	const char *library, *name;
	uint16_t flags;
};

enum made_hash { MADE_NO_HASH, MADE_GNU_HASH, MADE_GNU_HASH_EMPTY, MADE_SYSV_HASH };

struct made_library {
	const char *const *needed; /* up to NULL, as all lists here */
	const char *soname, *rpath, *runpath;
	const struct made_version *versions;
	const struct made_symbol *symbols; /* undefined ones first */
	enum made_hash hash;
	bool has_relr;
	uint64_t
		gap; /* unused bytes before the dynamic section, before the names and behind them */
};

/* Where things are in the file. The second segment, with the dynamic section and the names, stands
 * in memory MADE_SHIFT behind its place in the file. */
struct made_places {
	size_t rows, symbols, hash, versions, dynamic, strings;
};
enum { MADE_SHIFT = 0x1000 };

void library_make(const struct made_library *l, struct buf *out, struct made_places *at);

/* A PE32+ file that imports `needed`, and `delayed` when it calls them; `gap` bytes stand in front
 * of the section of tables, and in front of that of names. */
struct made_dll {
	const char *const *needed, *const *delayed;
	uint16_t machine;
	uint32_t gap;
};
struct made_dll_places {
	size_t pe, sections, tables, names;
};
void dll_make(const struct made_dll *d, struct buf *out, struct made_dll_places *at);

void put_le(struct buf *out, uint64_t value, unsigned bytes);
void poke_le(struct buf *b, size_t at, uint64_t value, unsigned bytes);

#endif

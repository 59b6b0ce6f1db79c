#include "tests/unit/library_maker.h"

#include <elf.h>
#include <string.h>

enum { ROWS = 3, ROWS_AT = 64, SECOND = 2 /* PT_LOAD, PT_DYNAMIC, PT_LOAD */ };

void put_le(struct buf *out, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++) {
		buf_addc(out, (char)(value >> (8 * i) & 0xff));
	}
}

void poke_le(struct buf *b, size_t at, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++) {
		b->p[at + i] = (char)(value >> (8 * i) & 0xff);
	}
}

static void put_zeros(struct buf *out, uint64_t n)
{
	memset(buf_room(out, (size_t)n), 0, (size_t)n);
	out->n += (size_t)n;
}

static void align(struct buf *out, size_t to)
{
	put_zeros(out, (to - out->n % to) % to);
}

/* Each text again, as if it were new. */
static uint32_t add_text(struct buf *strings, const char *text)
{
	uint32_t at = (uint32_t)strings->n;

	buf_add(strings, text, strlen(text) + 1);
	return at;
}

static size_t count_symbols(const struct made_library *l, size_t *nundefined)
{
	size_t n = 0;

	*nundefined = 0;
	for (const struct made_symbol *s = l->symbols; s && s->name; s++, n++) {
		*nundefined += s->section == 0;
	}
	return n;
}

static void put_symbols(const struct made_library *l, struct buf *out, struct buf *strings)
{
	put_zeros(out, sizeof(Elf64_Sym));
	for (const struct made_symbol *s = l->symbols; s && s->name; s++) {
		put_le(out, add_text(strings, s->name), 4);
		put_le(out, s->info, 1);
		put_le(out, s->other, 1);
		put_le(out, s->section, 2);
		put_zeros(out, 16);
	}
}

static void put_hash(const struct made_library *l, struct buf *out)
{
	size_t nundefined, n = 1 + count_symbols(l, &nundefined);
	size_t first = 1 + nundefined;

	if (l->hash == MADE_SYSV_HASH) {
		put_le(out, 1, 4);
		put_le(out, n, 4);
		put_zeros(out, 4 + 4 * n);
	} else if (l->hash == MADE_GNU_HASH_EMPTY || first == n) {
		put_le(out, 1, 4);
		put_le(out, 1, 4);
		put_le(out, 1, 4);
		put_zeros(out, 4 + 8 + 4);
	} else {
		put_le(out, 2, 4); /* buckets: one empty, one with all in one chain */
		put_le(out, first, 4);
		put_le(out, 1, 4);
		put_zeros(out, 4 + 8 + 4);
		put_le(out, first, 4);
		for (size_t i = first; i < n; i++) {
			put_le(out, i + 1 == n, 4);
		}
	}
}

/* One library after the other, each with one version. */
static void put_versions(const struct made_library *l, struct buf *out, struct buf *strings)
{
	for (const struct made_version *v = l->versions; v && v->library; v++) {
		put_le(out, 1, 2);
		put_le(out, 1, 2);
		put_le(out, add_text(strings, v->library), 4);
		put_le(out, 16, 4);
		put_le(out, v[1].library ? 32 : 0, 4);
		put_le(out, 0, 4);
		put_le(out, v->flags, 2);
		put_le(out, 2, 2);
		put_le(out, add_text(strings, v->name), 4);
		put_le(out, 0, 4);
	}
}

static void put_tag(struct buf *out, uint64_t tag, uint64_t value)
{
	put_le(out, tag, 8);
	put_le(out, value, 8);
}

static void put_text_tag(struct buf *out, uint64_t tag, const char *text, struct buf *strings)
{
	if (text) {
		put_tag(out, tag, add_text(strings, text));
	}
}

static size_t put_dynamic(const struct made_library *l, const struct made_places *at,
	struct buf *out, struct buf *strings)
{
	for (const char *const *name = l->needed; name && *name; name++) {
		put_text_tag(out, DT_NEEDED, *name, strings);
	}
	put_text_tag(out, DT_SONAME, l->soname, strings);
	put_text_tag(out, DT_RPATH, l->rpath, strings);
	put_text_tag(out, DT_RUNPATH, l->runpath, strings);
	put_tag(out, DT_SYMTAB, at->symbols);
	if (l->hash != MADE_NO_HASH) {
		put_tag(out, l->hash == MADE_SYSV_HASH ? DT_HASH : DT_GNU_HASH, at->hash);
	}
	if (l->versions) {
		put_tag(out, DT_VERNEED, at->versions);
	}
	if (l->has_relr) {
		put_tag(out, DT_RELR, at->hash);
	}
	put_tag(out, DT_STRSZ, strings->n);
	put_tag(out, DT_STRTAB, 0);
	size_t strtab = out->n - 8;
	put_zeros(out, 16);
	return strtab;
}

static void put_row(
	struct buf *b, size_t i, uint32_t type, uint64_t offset, uint64_t shift, uint64_t size)
{
	size_t at = ROWS_AT + i * sizeof(Elf64_Phdr);

	poke_le(b, at, type, 4);
	poke_le(b, at + 8, offset, 8);
	poke_le(b, at + 16, offset + shift, 8);
	poke_le(b, at + 32, size, 8);
	poke_le(b, at + 40, size, 8);
}

static void put_header(struct buf *out)
{
	buf_add(out, "\177ELF\2\1\1\0\0\0\0\0\0\0\0\0", 16);
	put_le(out, ET_DYN, 2);
	put_le(out, EM_X86_64, 2);
	put_le(out, 1, 4);
	put_le(out, 0, 8);
	put_le(out, ROWS_AT, 8);
	put_zeros(out, 8 + 4);
	put_le(out, 64, 2);
	put_le(out, sizeof(Elf64_Phdr), 2);
	put_le(out, ROWS, 2);
	put_zeros(out, 6 + ROWS * sizeof(Elf64_Phdr));
}

void library_make(const struct made_library *l, struct buf *out, struct made_places *at)
{
	CLEANUP_BUF struct buf strings = BUF_INIT;

	put_zeros(&strings, 1);
	put_header(out);
	at->rows = ROWS_AT;
	at->symbols = out->n;
	put_symbols(l, out, &strings);
	at->versions = out->n;
	put_versions(l, out, &strings);
	align(out, 8);
	at->hash = out->n;
	put_hash(l, out);
	size_t first_end = out->n;
	put_zeros(out, l->gap);
	align(out, 8);
	at->dynamic = out->n;
	size_t strtab = put_dynamic(l, at, out, &strings);
	size_t dynamic_end = out->n;
	put_zeros(out, l->gap);
	at->strings = out->n;
	buf_addstr(out, buf_str(&strings));
	put_zeros(out, l->gap);
	poke_le(out, strtab, at->strings + MADE_SHIFT, 8);
	put_row(out, 0, PT_LOAD, 0, 0, first_end);
	put_row(out, 1, PT_DYNAMIC, at->dynamic, MADE_SHIFT, dynamic_end - at->dynamic);
	put_row(out, SECOND, PT_LOAD, at->dynamic, MADE_SHIFT, out->n - at->dynamic);
}

/* ---- PE ---- */

enum {
	PE_AT = 128,
	OPTIONAL_SIZE = 112 + 16 * 8,
	TABLES_ADDRESS = 0x10000,
	NAMES_ADDRESS = 0x40000
};

static void put_imports(
	const char *const *list, unsigned row, unsigned name, struct buf *out, struct buf *names)
{
	for (; list && *list; list++) {
		size_t begin = out->n;

		put_zeros(out, row);
		poke_le(out, begin + name, NAMES_ADDRESS + add_text(names, *list), 4);
	}
	put_zeros(out, row);
}

static void put_section(struct buf *b, size_t at, uint32_t address, size_t begin, size_t n)
{
	poke_le(b, at + 8, n, 4);
	poke_le(b, at + 12, address, 4);
	poke_le(b, at + 16, n, 4);
	poke_le(b, at + 20, begin, 4);
}

void dll_make(const struct made_dll *d, struct buf *out, struct made_dll_places *at)
{
	CLEANUP_BUF struct buf names = BUF_INIT;

	buf_add(out, "MZ", 2);
	put_zeros(out, PE_AT - 2);
	poke_le(out, 60, PE_AT, 4);
	at->pe = out->n;
	buf_add(out, "PE\0\0", 4);
	put_le(out, d->machine, 2);
	put_le(out, 2, 2);
	put_zeros(out, 12);
	put_le(out, OPTIONAL_SIZE, 2);
	put_zeros(out, 2 + OPTIONAL_SIZE);
	poke_le(out, at->pe + 24, 0x20b, 2);
	poke_le(out, at->pe + 24 + 108, 16, 4);
	at->sections = out->n;
	put_zeros(out, 2 * 40 + d->gap);
	at->tables = out->n;
	poke_le(out, at->pe + 24 + 112 + 8, TABLES_ADDRESS, 4);
	put_imports(d->needed, 20, 12, out, &names);
	poke_le(out, at->pe + 24 + 112 + 13 * 8, TABLES_ADDRESS + out->n - at->tables, 4);
	put_imports(d->delayed, 32, 4, out, &names);
	put_section(out, at->sections, TABLES_ADDRESS, at->tables, out->n - at->tables);
	put_zeros(out, d->gap);
	at->names = out->n;
	buf_addstr(out, buf_str(&names));
	put_section(out, at->sections + 40, NAMES_ADDRESS, at->names, names.n);
}

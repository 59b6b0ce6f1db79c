#include "verify/elf_scan_private.h"

#include "verify/le.h"

#include <elf.h>
#include <inttypes.h>
#include <stddef.h>

/* No kind of native_symbol_kind() needs more of a name. */
enum { KIND_PREFIX = 256 };

typedef VEC(struct str) names;

struct symbols {
	struct elf_dynamic *d;
	bool is_guessed; /* behind some row, what follows may be something else */
	names undefined, exported;
};

/* ---- how many: no entry of the dynamic section says it ---- */

/* The last symbol of the last chain ends the table. An empty hash table says nothing: *out is 0. */
static int gnu_hash_count(const struct elf_scan *s, uint64_t table, uint64_t *out, struct err *e)
{
	struct str bytes = STR_NULL;
	int rc = elf_span(s, table, 16, &bytes, e);

	if (rc) {
		return rc;
	}
	uint64_t nbuckets = le32(bytes.p), first = le32(bytes.p + 4), last = 0;
	uint64_t buckets = 16 + 8 * (uint64_t)le32(bytes.p + 8);
	uint64_t chains = buckets + 4 * nbuckets;

	rc = elf_span(s, table, chains, &bytes, e);
	if (rc) {
		return rc;
	}
	for (uint64_t i = 0; i < nbuckets; i++) {
		uint64_t bucket = le32(bytes.p + buckets + 4 * i);

		last = bucket > last ? bucket : last;
	}
	if (last == 0) {
		*out = 0;
		return 0;
	}
	if (last < first) {
		return err_set(e, RC_WHEEL, "ELF: a hash chain begins before the first symbol");
	}
	/* Each element but the last of a chain has its lowest bit clear. */
	for (uint64_t at = chains + 4 * (last - first);; at += 4, last++) {
		if (at + 4 > bytes.n) {
			return elf_span(s, table, at + 4, &bytes, e);
		}
		if (le32(bytes.p + at) & 1) {
			break;
		}
	}
	*out = last + 1;
	return 0;
}

/* At most as many as fit in front of the next table, or of the end of the segment. */
static uint64_t guess_count(const struct elf_scan *s, struct str entries, uint64_t symbols)
{
	static const uint64_t tables[] = { DT_STRTAB, DT_HASH, DT_GNU_HASH, DT_VERSYM, DT_VERNEED,
		DT_VERDEF, DT_RELA, DT_REL, DT_JMPREL, DT_RELR, DT_INIT_ARRAY };
	uint64_t offset = 0, room = elf_left(s, symbols, &offset), address = 0;

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		if (elf_dynamic_find(entries, tables[i], &address) && address > symbols &&
			address - symbols < room) {
			room = address - symbols;
		}
	}
	return room / ELF_SYMBOL_SIZE;
}

static int count_find(
	const struct elf_scan *s, struct symbols *t, uint64_t symbols, uint64_t *out, struct err *e)
{
	struct str entries = t->d->entries, bytes = STR_NULL;
	uint64_t table = 0, n = 0;
	int rc = 0;

	if (elf_dynamic_find(entries, DT_HASH, &table)) {
		rc = elf_span(s, table, 8, &bytes, e);
		n = rc ? 0 : le32(bytes.p + 4); /* nchain: one for each symbol */
	} else if (elf_dynamic_find(entries, DT_GNU_HASH, &table)) {
		rc = gnu_hash_count(s, table, &n, e);
	}
	if (!rc && n == 0) {
		n = guess_count(s, entries, symbols);
		t->is_guessed = true;
	}
	*out = n;
	return rc;
}

/* ---- what they are ---- */

/* Where it belongs; NULL: nowhere. */
static names *list_of(struct symbols *t, const char *row)
{
	unsigned info = (unsigned char)row[offsetof(Elf64_Sym, st_info)];
	unsigned other = (unsigned char)row[offsetof(Elf64_Sym, st_other)];
	unsigned binding = ELF64_ST_BIND(info), visibility = ELF64_ST_VISIBILITY(other);

	if (le16(row + offsetof(Elf64_Sym, st_shndx)) == SHN_UNDEF) {
		return binding == STB_GLOBAL ? &t->undefined : NULL;
	}
	if (visibility == STV_HIDDEN || visibility == STV_INTERNAL) {
		return NULL;
	}
	return binding == STB_GLOBAL || binding == STB_WEAK || binding == STB_GNU_UNIQUE
		       ? &t->exported
		       : NULL;
}

static int rows_read(struct symbols *t, struct str rows, struct err *e)
{
	struct str strings = t->d->strings;

	for (; rows.n; rows = str_skip(rows, ELF_SYMBOL_SIZE)) {
		names *list = list_of(t, rows.p);
		uint32_t at = le32(rows.p);
		struct str name = str_first(str_skip(strings, at), KIND_PREFIX);

		if (!list) {
			continue;
		}
		if (at >= strings.n && t->is_guessed) {
			return 0;
		}
		if (at < strings.n && native_symbol_kind(str_first(name, str_find(name, '\0'))) ==
					      NATIVE_SYMBOL_OTHER) {
			continue;
		}
		int rc = elf_name(t->d, at, &name, e);
		if (rc) {
			return rc;
		}
		vec_push(list, name);
	}
	return 0;
}

static int name_cmp(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

/* Sorted, each once, and out of the kept bytes. */
static struct str *names_take(names *found, struct arena *a, size_t *n)
{
	size_t kept = 0;

	if (found->n) {
		qsort(found->v, found->n, sizeof(found->v[0]), name_cmp);
	}
	for (size_t i = 0; i < found->n; i++) {
		if (kept == 0 || !str_eq(found->v[i], found->v[kept - 1])) {
			found->v[kept++] = found->v[i];
		}
	}
	*n = kept;
	return arena_strs(a, found->v, kept);
}

int elf_symbols_read(const struct elf_scan *s, struct elf_dynamic *d, struct arena *a,
	struct native_module *out, struct err *e)
{
	struct symbols t = { .d = d };
	struct str rows = STR_NULL;
	uint64_t table = 0, n = 0;

	if (!elf_dynamic_find(d->entries, DT_SYMTAB, &table)) {
		return 0;
	}
	int rc = count_find(s, &t, table, &n, e);
	rc = rc || n == 0 ? rc : elf_span(s, table, n * ELF_SYMBOL_SIZE, &rows, e);
	rc = rc ? rc : rows_read(&t, str_first(rows, (size_t)n * ELF_SYMBOL_SIZE), e);
	if (!rc) {
		out->undefined = names_take(&t.undefined, a, &out->nundefined);
		out->exported = names_take(&t.exported, a, &out->nexported);
	}
	vec_release(&t.undefined);
	vec_release(&t.exported);
	return rc;
}

#include "verify/elf_scan.h"

#include "manifests/limits.h"
#include "verify/kept_ranges.h"
#include "verify/le.h"
#include "verify/loader_name.h"

#include <inttypes.h>

/* Linkers put names close behind the table that asks for them. */
#define HEAD_KEPT (8 * MIB)
#define TABLE_KEPT (4 * MIB)

enum { NOT_KEPT = 1, NAME_SIZE = LIMIT_FILE_NAME + 1 };
/* Offsets in the headers, from the PE signature on. */
enum { DOS_PE_AT = 60, DOS_SIZE = 64 };
enum { MACHINE = 4, NSECTIONS = 6, OPTIONAL_SIZE = 20, OPTIONAL = 24 };
enum { OPTIONAL_MIN = 112 }; /* a PE32+ header without directories */
enum { MAGIC_PE64 = 0x20b, NDIRECTORIES = OPTIONAL + 108, DIRECTORIES = OPTIONAL + 112 };
enum {
	DIRECTORY_SIZE = 8,
	SECTION_SIZE = 40,
	SECTION_AT = 12,
	SECTION_RAW = 16,
	SECTION_RAW_AT = 20
};
enum { MACHINE_AMD64 = 0x8664, MACHINE_ARM64 = 0xaa64 };

/* The two tables of imported libraries: rows until one has no name. */
static const struct pe_table {
	unsigned directory, row, name;
} tables[] = { { 1, 20, 12 }, { 13, 32, 4 /* delayed */ } };

struct pe_scan {
	uint64_t size;
	struct kept_ranges kept;
	bool is_planned, is_second;
};

struct pe_scan *pe_scan_new(uint64_t size)
{
	struct pe_scan *s = mem_alloc(sizeof(*s));

	s->size = size;
	s->kept.limit = LIMIT_ELF_KEPT;
	kept_want(&s->kept, 0, HEAD_KEPT);
	return s;
}

void pe_scan_free(struct pe_scan *s)
{
	if (s) {
		kept_release(&s->kept);
		free(s);
	}
}

/* ---- headers ---- */

/* From the signature on to the end of the section table; empty: this is no PE file, or its headers
 * do not lie where a loader would find them. */
static struct str headers(const struct pe_scan *s)
{
	struct str head = kept_from(&s->kept, 0);

	if (head.n < DOS_SIZE || !str_starts(head, "MZ")) {
		return STR_NULL;
	}
	struct str pe = str_skip(head, le32(head.p + DOS_PE_AT));
	if (pe.n < OPTIONAL || !str_starts(pe, "PE") || pe.p[2] || pe.p[3]) {
		return STR_NULL;
	}
	size_t n = OPTIONAL + (size_t)le16(pe.p + OPTIONAL_SIZE) +
		   (size_t)le16(pe.p + NSECTIONS) * SECTION_SIZE;
	return pe.n < n ? STR_NULL : str_first(pe, n);
}

static bool is_pe64(struct str pe)
{
	return le16(pe.p + OPTIONAL_SIZE) >= OPTIONAL_MIN && le16(pe.p + OPTIONAL) == MAGIC_PE64;
}

/* The address that a directory has in memory; 0: it is not there. */
static uint32_t directory_address(struct str pe, unsigned i)
{
	size_t at = DIRECTORIES + (size_t)i * DIRECTORY_SIZE;
	size_t end = OPTIONAL + (size_t)le16(pe.p + OPTIONAL_SIZE);

	return i < le32(pe.p + NDIRECTORIES) && at + DIRECTORY_SIZE <= end ? le32(pe.p + at) : 0;
}

/* Bytes of the file from an address to the end of its section; 0: none. */
static uint64_t left_at(const struct pe_scan *s, struct str pe, uint32_t address, uint64_t *offset)
{
	struct str rows = str_skip(pe, OPTIONAL + (size_t)le16(pe.p + OPTIONAL_SIZE));

	for (; rows.n; rows = str_skip(rows, SECTION_SIZE)) {
		uint32_t begin = le32(rows.p + SECTION_AT), raw = le32(rows.p + SECTION_RAW);

		if (address >= begin && address - begin < raw) {
			uint64_t left = raw - (address - begin);

			*offset = (uint64_t)le32(rows.p + SECTION_RAW_AT) + (address - begin);
			return *offset <= s->size && left <= s->size - *offset ? left : 0;
		}
	}
	return 0;
}

static int span_at(
	const struct pe_scan *s, uint32_t address, uint64_t min, struct str *out, struct err *e)
{
	uint64_t offset = 0, left = left_at(s, headers(s), address, &offset);

	if (left < min) {
		return err_set(e, RC_WHEEL, "PE: the file does not have the bytes at address 0x%x",
			address);
	}
	struct str kept = str_first(kept_from(&s->kept, offset), (size_t)left);
	if (kept.n < min) {
		return NOT_KEPT;
	}
	*out = kept;
	return 0;
}

/* ---- libraries ---- */

typedef VEC(uint32_t) addresses;

/* Of the names of all imported libraries. */
static int names_find(const struct pe_scan *s, addresses *out, struct err *e)
{
	struct str row = STR_NULL;

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		uint32_t at = directory_address(headers(s), tables[i].directory);

		for (; at; at += tables[i].row) {
			int rc = span_at(s, at, tables[i].row, &row, e);

			if (rc) {
				return rc;
			}
			uint32_t name = le32(row.p + tables[i].name);
			if (name == 0) {
				break;
			}
			if (out->n == LIMIT_LIST) {
				return err_set(e, RC_LIMIT, "PE: it imports more than %d libraries",
					LIMIT_LIST);
			}
			vec_push(out, name);
		}
	}
	return 0;
}

static int name_read(
	const struct pe_scan *s, uint32_t address, struct arena *a, struct str *out, struct err *e)
{
	uint64_t offset = 0, left = left_at(s, headers(s), address, &offset);
	uint64_t max = left < NAME_SIZE ? left : NAME_SIZE;
	struct str text = STR_NULL;
	int rc = span_at(s, address, max ? max : 1, &text, e);

	if (rc) {
		return rc;
	}
	text = str_first(text, (size_t)max);
	size_t n = str_find(text, '\0');
	if (n == text.n) {
		return err_set(e, RC_WHEEL, "PE: the name of a library does not end");
	}
	rc = loader_name_check(str_first(text, n), e);
	if (rc) {
		return err_wrap(e, "PE");
	}
	*out = arena_str(a, str_first(text, n));
	return 0;
}

static int names_read(const struct pe_scan *s, const addresses *names, struct arena *a,
	struct native_module *out, struct err *e)
{
	int rc = 0;

	out->needed = arena_array(a, names->n, sizeof(out->needed[0]));
	for (; !rc && out->nneeded < names->n; out->nneeded++) {
		rc = name_read(s, names->v[out->nneeded], a, &out->needed[out->nneeded], e);
	}
	return rc;
}

/* ---- what is kept ---- */

static void want(struct pe_scan *s, struct str pe, uint32_t address, uint64_t max)
{
	uint64_t offset = 0, left = left_at(s, pe, address, &offset);

	kept_want(&s->kept, offset, left < max ? left : max);
}

/* Once the headers are there. */
static void plan_make(struct pe_scan *s)
{
	struct str pe = headers(s);

	if (s->is_planned || (pe.n == 0 && s->kept.at < HEAD_KEPT)) {
		return;
	}
	s->is_planned = true;
	if (pe.n == 0 || !is_pe64(pe)) {
		kept_stop(&s->kept);
		return;
	}
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		want(s, pe, directory_address(pe, tables[i].directory), TABLE_KEPT);
	}
}

/* The head and the tables, as in the first pass, and each name. */
static void plan_again(struct pe_scan *s, const addresses *names)
{
	CLEANUP_BUF struct buf copy = BUF_INIT;

	buf_addstr(&copy, headers(s));
	kept_restart(&s->kept);
	s->is_second = true;
	s->is_planned = false;
	kept_want(&s->kept, 0, HEAD_KEPT);
	vec_each(const uint32_t, name, names) {
		want(s, buf_str(&copy), *name, NAME_SIZE);
	}
}

int pe_scan_add(struct pe_scan *s, const void *bytes, size_t n, struct err *e)
{
	if (n > s->size - s->kept.at) {
		return err_set(e, RC_WHEEL, "PE: more bytes than its %" PRIu64, s->size);
	}
	kept_add(&s->kept, bytes, n);
	plan_make(s);
	return 0;
}

/* ---- the end ---- */

static int module_read(
	struct pe_scan *s, struct str pe, struct arena *a, struct native_module *out, struct err *e)
{
	addresses names = VEC_INIT;
	unsigned machine = le16(pe.p + MACHINE);

	out->is_readable = true;
	out->machine = machine == MACHINE_AMD64   ? NATIVE_X86_64
		       : machine == MACHINE_ARM64 ? NATIVE_AARCH64
						  : NATIVE_MACHINE_OTHER;
	int rc = names_find(s, &names, e);
	if (rc == NOT_KEPT) {
		rc = err_set(e, RC_LIMIT, "PE: its tables of imports are too large");
	}
	rc = rc ? rc : names_read(s, &names, a, out, e);
	if (rc == NOT_KEPT && s->is_second) {
		rc = err_set(e, RC_LIMIT, "PE: the names of its imports are too far apart");
	} else if (rc == NOT_KEPT) {
		plan_again(s, &names);
	}
	vec_release(&names);
	return rc;
}

int pe_scan_end(struct pe_scan *s, struct arena *a, struct native_module *out, struct err *e)
{
	struct native_module m = { .member = out->member,
		.name = out->name,
		.format = NATIVE_PE,
		.toolkits = out->toolkits,
		.ntoolkits = out->ntoolkits };
	struct str pe = headers(s);
	int rc = 0;

	if (s->kept.at != s->size) {
		return err_set(e, RC_WHEEL, "PE: it is cut at byte %" PRIu64, s->kept.at);
	}
	if (pe.n && is_pe64(pe)) {
		rc = module_read(s, pe, a, &m, e);
	}
	if (!rc) {
		*out = m;
	}
	return rc;
}

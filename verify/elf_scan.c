#include "verify/elf_scan_private.h"

#include "manifests/limits.h"
#include "verify/elf.h"
#include "verify/le.h"

#include <elf.h>
#include <inttypes.h>
#include <stddef.h>

/* Linkers put the tables in front, but nvcc's device code may stand before them in their segment;
 * patchelf appends small segments. */
#define HEAD_KEPT (24 * MIB)
#define LOAD_KEPT (16 * MIB) /* a whole segment */
#define TAIL_KEPT (4 * MIB)  /* the end of a larger one */
#define LOADS_KEPT (48 * MIB)
#define DYNAMIC_MAX MIB
enum { LOADS_MAX = 256 }; /* each address is looked up in all of them */

enum { HEADER_SIZE = sizeof(Elf64_Ehdr), ROW_SIZE = sizeof(Elf64_Phdr), MACHINE_AT = 18 };

#define HEADER(field) offsetof(Elf64_Ehdr, field)
#define ROW(field) offsetof(Elf64_Phdr, field)

struct elf_scan *elf_scan_new(uint64_t size)
{
	struct elf_scan *s = mem_alloc(sizeof(*s));

	s->size = size;
	s->kept.limit = LIMIT_ELF_KEPT;
	kept_want(&s->kept, 0, HEAD_KEPT);
	return s;
}

void elf_scan_free(struct elf_scan *s)
{
	if (s) {
		kept_release(&s->kept);
		vec_release(&s->loads);
		free(s);
	}
}

uint64_t elf_left(const struct elf_scan *s, uint64_t address, uint64_t *offset)
{
	vec_each(const struct elf_load, load, &s->loads) {
		if (address >= load->address && address - load->address < load->size) {
			*offset = load->offset + (address - load->address);
			return load->size - (address - load->address);
		}
	}
	return 0;
}

int elf_span(
	const struct elf_scan *s, uint64_t address, uint64_t min, struct str *out, struct err *e)
{
	uint64_t offset = 0, left = elf_left(s, address, &offset);

	if (left == 0 || left < min) {
		return err_set(e, RC_WHEEL,
			"ELF: the file does not have the %" PRIu64 " bytes at address 0x%" PRIx64,
			min, address);
	}
	struct str kept = str_first(kept_from(&s->kept, offset), (size_t)left);
	if (kept.n == 0 || kept.n < min) {
		return ELF_NOT_KEPT;
	}
	*out = kept;
	return 0;
}

/* ---- headers ---- */

static bool is_elf64_little(struct str header)
{
	return header.p[EI_CLASS] == ELFCLASS64 && header.p[EI_DATA] == ELFDATA2LSB;
}

static bool is_inside(uint64_t size, uint64_t offset, uint64_t n)
{
	return offset <= size && n <= size - offset;
}

static int load_add(struct elf_scan *s, const char *row, struct err *e)
{
	struct elf_load load = { le64(row + ROW(p_vaddr)), le64(row + ROW(p_offset)),
		le64(row + ROW(p_filesz)) };
	const struct elf_load *last = s->loads.n ? &s->loads.v[s->loads.n - 1] : NULL;

	if (load.size == 0) {
		return 0;
	}
	if (!is_inside(s->size, load.offset, load.size)) {
		return err_set(e, RC_WHEEL, "ELF: a segment leaves the file");
	}
	if (load.size > UINT64_MAX - load.address ||
		(last && load.address < last->address + last->size)) {
		return err_set(e, RC_WHEEL, "ELF: its segments overlap or are out of order");
	}
	if (s->loads.n == LOADS_MAX) {
		return err_set(e, RC_LIMIT, "ELF: more than %d segments", LOADS_MAX);
	}
	vec_push(&s->loads, load);
	return 0;
}

static int loads_read(struct elf_scan *s, struct str rows, struct err *e)
{
	int rc = 0;

	s->loads.n = 0;
	for (; !rc && rows.n; rows = str_skip(rows, ROW_SIZE)) {
		if (le32(rows.p + ROW(p_type)) == PT_LOAD) {
			rc = load_add(s, rows.p, e);
		}
	}
	return rc;
}

/* Where the program headers are; *n 0: there are none. */
static int rows_place(const struct elf_scan *s, uint64_t *offset, uint64_t *n, struct err *e)
{
	const char *header = kept_from(&s->kept, 0).p;
	uint64_t at = le64(header + HEADER(e_phoff));
	uint64_t size = (uint64_t)le16(header + HEADER(e_phnum)) * ROW_SIZE;

	if (size &&
		(le16(header + HEADER(e_phentsize)) != ROW_SIZE || !is_inside(s->size, at, size))) {
		return err_set(e, RC_WHEEL, "ELF: its program headers lie outside of it");
	}
	*offset = at;
	*n = size;
	return 0;
}

/* Segments only matter where a loader has something to do: a cubin's follow rules of their own. */
static int rows_read(struct elf_scan *s, struct err *e)
{
	uint64_t at = 0, n = 0;
	int rc = rows_place(s, &at, &n, e);

	if (rc || n == 0) {
		return rc;
	}
	struct str rows = str_first(kept_from(&s->kept, at), (size_t)n);
	if (rows.n < n) {
		return ELF_NOT_KEPT;
	}
	for (struct str rest = rows; rest.n; rest = str_skip(rest, ROW_SIZE)) {
		if (le32(rest.p + ROW(p_type)) == PT_DYNAMIC) {
			s->dynamic = (struct elf_load){ le64(rest.p + ROW(p_vaddr)),
				le64(rest.p + ROW(p_offset)), le64(rest.p + ROW(p_filesz)) };
		}
	}
	if (s->dynamic.size > DYNAMIC_MAX) {
		return err_set(e, RC_WHEEL, "ELF: a dynamic section of %" PRIu64 " bytes",
			s->dynamic.size);
	}
	return s->dynamic.size ? loads_read(s, rows, e) : 0;
}

/* ---- what is kept ---- */

static void loads_want(struct elf_scan *s)
{
	uint64_t left = LOADS_KEPT;

	kept_want(&s->kept, s->dynamic.offset, s->dynamic.size);
	vec_each(const struct elf_load, load, &s->loads) {
		uint64_t n = load->size <= LOAD_KEPT ? load->size : TAIL_KEPT;

		if (n <= left) {
			kept_want(&s->kept, load->offset + (load->size - n), n);
			left -= n;
		}
	}
}

/* Once the program headers are there; until then, the head of the file is kept. */
static int plan_make(struct elf_scan *s, struct err *e)
{
	struct str head = kept_from(&s->kept, 0);
	uint64_t at = 0, n = 0;

	if (head.n < HEADER_SIZE) {
		return 0;
	}
	if (!elf_is(head) || !is_elf64_little(head)) {
		kept_stop(&s->kept);
		s->is_planned = true;
		return 0;
	}
	int rc = rows_place(s, &at, &n, e);
	rc = rc ? rc : rows_read(s, e);
	if (rc == ELF_NOT_KEPT) {
		if (at + n > HEAD_KEPT) {
			kept_want(&s->kept, at, n);
			s->is_planned = true;
		}
		return 0;
	}
	if (!rc && s->dynamic.size) {
		loads_want(s);
	} else if (!rc) {
		kept_stop(&s->kept);
	}
	s->is_planned = true;
	return rc;
}

int elf_scan_add(struct elf_scan *s, const void *bytes, size_t n, struct err *e)
{
	if (n > s->size - s->kept.at) {
		return err_set(e, RC_WHEEL, "ELF: more bytes than its %" PRIu64, s->size);
	}
	kept_add(&s->kept, bytes, n);
	return s->is_planned ? 0 : plan_make(s, e);
}

/* For the second pass: the tables where they are known by now, else what the first pass would have
 * kept, had it met the program headers in time. */
static int plan_again(struct elf_scan *s, struct err *e)
{
	struct str entries = STR_NULL;
	CLEANUP_BUF struct buf copy = BUF_INIT;
	int rc = elf_dynamic_entries(s, &entries, e);

	if (rc < 0) {
		return rc;
	}
	buf_addstr(&copy, entries);
	kept_restart(&s->kept);
	s->is_planned = s->is_second = true;
	if (rc == ELF_NOT_KEPT) {
		kept_want(&s->kept, 0, HEAD_KEPT);
		loads_want(s);
		return 0;
	}
	kept_want(&s->kept, 0, HEADER_SIZE);
	kept_want(&s->kept, s->dynamic.offset, s->dynamic.size);
	return elf_tables_want(s, buf_str(&copy), e);
}

/* ---- the end ---- */

static int header_read(const struct elf_scan *s, struct native_module *out, struct err *e)
{
	struct str header = kept_from(&s->kept, 0);

	if (s->kept.at != s->size) {
		return err_set(e, RC_WHEEL, "ELF: it is cut at byte %" PRIu64, s->kept.at);
	}
	if (!elf_is(header)) {
		return err_set(e, RC_WHEEL, "ELF: no magic number");
	}
	if (header.n < HEADER_SIZE) {
		return err_set(e, RC_WHEEL, "ELF: its header is cut");
	}
	unsigned low = (unsigned char)header.p[MACHINE_AT];
	unsigned high = (unsigned char)header.p[MACHINE_AT + 1];
	bool is_big = header.p[EI_DATA] == ELFDATA2MSB;

	out->elf_machine = is_big ? low << 8 | high : high << 8 | low;
	out->is_readable = is_elf64_little(header);
	if (out->is_readable && out->elf_machine == EM_X86_64) {
		out->machine = NATIVE_X86_64;
	} else if (out->is_readable && out->elf_machine == EM_AARCH64) {
		out->machine = NATIVE_AARCH64;
	}
	return 0;
}

static int module_read(
	const struct elf_scan *s, struct arena *a, struct native_module *out, struct err *e)
{
	struct elf_dynamic d = { .names_left = LIMIT_ELF_NAMES };
	int rc = elf_dynamic_entries(s, &d.entries, e);

	rc = rc ? rc : elf_dynamic_read(s, &d, a, out, e);
	return rc ? rc : elf_symbols_read(s, &d, a, out, e);
}

int elf_scan_end(struct elf_scan *s, struct arena *a, struct native_module *out, struct err *e)
{
	struct native_module m = { .member = out->member,
		.name = out->name,
		.format = NATIVE_ELF,
		.toolkits = out->toolkits,
		.ntoolkits = out->ntoolkits };
	int rc = header_read(s, &m, e);

	if (!rc && m.is_readable && !s->is_second) {
		rc = rows_read(s, e);
	}
	if (!rc && s->dynamic.size) {
		rc = module_read(s, a, &m, e);
	}
	if (rc == ELF_NOT_KEPT && s->is_second) {
		return err_set(e, RC_LIMIT,
			"ELF: the tables for the loader are too large or too far apart");
	}
	if (rc == ELF_NOT_KEPT) {
		rc = plan_again(s, e);
		return rc ? rc : ELF_NOT_KEPT;
	}
	if (!rc) {
		*out = m;
	}
	return rc;
}

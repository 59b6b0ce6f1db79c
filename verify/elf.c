#include "verify/elf.h"

#include "verify/le.h"

#include <elf.h>
#include <inttypes.h>

/* The file's structs are read by their offsets: nothing promises alignment. */
enum { HEADER_SIZE = 64, SECTION_SIZE = 64 };
#define SECTIONS_AT 40 /* e_shoff */

bool elf_is(struct str bytes)
{
	return bytes.n >= SELFMAG && str_eq(str_first(bytes, SELFMAG), STR(ELFMAG));
}

static bool is_inside(struct str bytes, uint64_t offset, uint64_t size)
{
	return offset <= bytes.n && size <= bytes.n - offset;
}

static const char *section_header(const struct elf *elf, size_t i)
{
	return elf->bytes.p + le64(elf->bytes.p + SECTIONS_AT) + i * SECTION_SIZE;
}

/* e_shnum 0 with a table: the number did not fit, and section 0's sh_size holds it. */
static int sections_check(struct elf *elf, struct err *e)
{
	const char *p = elf->bytes.p;
	uint64_t table = le64(p + SECTIONS_AT), n = le16(p + 60);

	if (table == 0) {
		return 0;
	}
	if (le16(p + 58) != SECTION_SIZE || !is_inside(elf->bytes, table, SECTION_SIZE)) {
		return err_set(e, RC_WHEEL, "ELF: its section table lies outside of it");
	}
	n = n ? n : le64(p + table + 32);
	if (n > (elf->bytes.n - table) / SECTION_SIZE) {
		return err_set(e, RC_WHEEL, "ELF: its table of %" PRIu64 " sections leaves it", n);
	}
	elf->nsections = (size_t)n;
	return 0;
}

int elf_open(struct str bytes, struct elf *out, struct err *e)
{
	if (!elf_is(bytes)) {
		return err_set(e, RC_WHEEL, "ELF: no magic number");
	}
	if (bytes.n < HEADER_SIZE) {
		return err_set(e, RC_WHEEL, "ELF: its header is cut");
	}
	if (bytes.p[EI_CLASS] != ELFCLASS64 || bytes.p[EI_DATA] != ELFDATA2LSB) {
		return err_set(e, RC_WHEEL, "ELF: not 64-bit little-endian");
	}
	struct elf elf = {
		.bytes = bytes,
		.type = le16(bytes.p + 16),
		.machine = le16(bytes.p + 18),
	};
	int rc = sections_check(&elf, e);
	if (!rc) {
		*out = elf;
	}
	return rc;
}

static int section_contents(const struct elf *elf, size_t i, struct str *out, struct err *e)
{
	const char *p = section_header(elf, i);
	uint64_t offset = le64(p + 24), size = le64(p + 32);
	uint32_t type = le32(p + 4);

	/* Section 0 is no section; its numbers may mean something else. */
	if (type == SHT_NOBITS || type == SHT_NULL) {
		*out = STR_NULL;
		return 0;
	}
	if (!is_inside(elf->bytes, offset, size)) {
		return err_set(e, RC_WHEEL, "ELF: section %zu leaves the file", i);
	}
	*out = (struct str){ elf->bytes.p + offset, (size_t)size };
	return 0;
}

static int section_name(const struct elf *elf, size_t i, struct str *out, struct err *e)
{
	size_t names = le16(elf->bytes.p + 62);
	struct str text = STR_NULL;

	/* SHN_XINDEX: the number did not fit, and section 0's sh_link holds it. */
	names = names == SHN_XINDEX ? le32(section_header(elf, 0) + 40) : names;
	if (names == SHN_UNDEF) {
		*out = STR_NULL;
		return 0;
	}
	if (names >= elf->nsections) {
		return err_set(e, RC_WHEEL, "ELF: there is no section %zu, which should hold names",
			names);
	}
	int rc = section_contents(elf, names, &text, e);
	if (rc) {
		return rc;
	}
	struct str rest = str_skip(text, le32(section_header(elf, i)));
	size_t n = str_find(rest, '\0');
	if (n == rest.n) {
		return err_set(e, RC_WHEEL, "ELF: the name of section %zu leaves the names", i);
	}
	*out = str_first(rest, n);
	return 0;
}

int elf_section(
	const struct elf *elf, size_t i, struct str *name, struct str *contents, struct err *e)
{
	struct str text = STR_NULL, bytes = STR_NULL;

	if (i >= elf->nsections) {
		return err_set(e, RC_WHEEL, "ELF: there is no section %zu", i);
	}
	int rc = section_contents(elf, i, &bytes, e);
	rc = rc ? rc : section_name(elf, i, &text, e);
	if (!rc) {
		*name = text;
		*contents = bytes;
	}
	return rc;
}

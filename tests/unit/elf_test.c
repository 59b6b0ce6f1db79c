/* ELF files: sections of good ones, and every number of a bad one. */
#include "tests/unit/device_maker.h"
#include "tests/unit/unit.h"

#include "verify/elf.h"

static void demo_make(struct buf *out)
{
	elf_make(
		&(struct made_elf){
			.machine = 62, .section = ".nv_fatbin", .contents = STR("contents") },
		out);
}

UNIT(elf_gives_names_and_contents)
{
	struct buf bytes = BUF_INIT;
	struct err e = ERR_INIT;
	struct elf elf;
	struct str name, contents;

	demo_make(&bytes);
	ck_assert(elf_is(buf_str(&bytes)));
	ck_assert_int_eq(elf_open(buf_str(&bytes), &elf, &e), 0);
	ck_assert_uint_eq(elf.machine, 62);
	ck_assert_uint_eq(elf.type, 3);
	ck_assert_uint_eq(elf.nsections, 3);
	ck_assert_int_eq(elf_section(&elf, 2, &name, &contents, &e), 0);
	ck_assert(str_is(name, ".nv_fatbin"));
	ck_assert(str_is(contents, "contents"));
	ck_assert_int_eq(elf_section(&elf, 0, &name, &contents, &e), 0);
	ck_assert_uint_eq(name.n + contents.n, 0);
	ck_assert_int_eq(elf_section(&elf, 3, &name, &contents, &e), -RC_WHEEL);
	buf_release(&bytes);
}

static void poke(struct buf *b, size_t at, uint64_t value, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		b->p[at + i] = (char)(value >> (8 * i) & 0xff);
	}
}

static uint64_t peek(const struct buf *b, size_t at)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < 8; i++) {
		value |= (uint64_t)(unsigned char)b->p[at + i] << (8 * i);
	}
	return value;
}

/* Opens it and asks for every section. */
static int read_all(struct str bytes, struct err *e)
{
	struct str name, contents;
	struct elf elf;
	int rc = elf_open(bytes, &elf, e);

	for (size_t i = 0; !rc && i < elf.nsections; i++) {
		rc = elf_section(&elf, i, &name, &contents, e);
	}
	return rc;
}

UNIT(elf_refuses_numbers_that_leave_the_file)
{
	/* `at` counts from the file's header, or from that of a section. */
	static const struct {
		size_t section, at;
		uint64_t value;
		unsigned n;
		const char *text;
	} cases[] = {
		{ 0, 0, 0, 1, "no magic number" },
		{ 0, 4, 1, 1, "not 64-bit little-endian" },
		{ 0, 5, 2, 1, "not 64-bit little-endian" },
		{ 0, 40, 1 << 20, 8, "its section table lies outside of it" },
		{ 0, 40, UINT64_MAX, 8, "its section table lies outside of it" },
		{ 0, 40, UINT64_MAX - 63, 8, "its section table lies outside of it" },
		{ 0, 58, 40, 2, "its section table lies outside of it" },
		{ 0, 60, 4, 2, "its table of 4 sections leaves it" },
		{ 0, 60, 65535, 2, "its table of 65535 sections leaves it" },
		{ 0, 62, 3, 2, "there is no section 3, which should hold names" },
		{ 2, 24, 1 << 20, 8, "section 2 leaves the file" },
		{ 2, 24, UINT64_MAX, 8, "section 2 leaves the file" },
		{ 2, 32, UINT64_MAX, 8, "section 2 leaves the file" },
		{ 2, 0, 1000, 4, "the name of section 2 leaves the names" },
		{ 2, 0, UINT32_MAX, 4, "the name of section 2 leaves the names" },
		{ 1, 32, UINT64_C(1) << 62, 8, "leaves the file" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf bytes = BUF_INIT;
		struct err e = ERR_INIT;

		demo_make(&bytes);
		size_t base =
			cases[i].section ? (size_t)peek(&bytes, 40) + 64 * cases[i].section : 0;
		poke(&bytes, base + cases[i].at, cases[i].value, cases[i].n);
		ck_assert_msg(read_all(buf_str(&bytes), &e) == -RC_WHEEL, "%zu", i);
		ck_assert_msg(str_has(str_of(e.text), cases[i].text), "%zu: %s", i, e.text);
		buf_release(&bytes);
	}
}

UNIT(elf_knows_extended_numbering_and_files_without_sections)
{
	struct buf bytes = BUF_INIT;
	struct err e = ERR_INIT;
	struct str name, contents;
	struct elf elf;

	demo_make(&bytes);
	size_t table = (size_t)peek(&bytes, 40);
	poke(&bytes, 60, 0, 2);
	poke(&bytes, 62, 0xffff, 2);
	poke(&bytes, table + 32, 3, 8);
	poke(&bytes, table + 40, 1, 4);
	ck_assert_int_eq(elf_open(buf_str(&bytes), &elf, &e), 0);
	ck_assert_uint_eq(elf.nsections, 3);
	ck_assert_int_eq(elf_section(&elf, 2, &name, &contents, &e), 0);
	ck_assert(str_is(name, ".nv_fatbin"));
	poke(&bytes, table + 32, UINT64_MAX, 8);
	ck_assert_int_eq(elf_open(buf_str(&bytes), &elf, &e), -RC_WHEEL);
	poke(&bytes, 40, 0, 8);
	ck_assert_int_eq(elf_open(buf_str(&bytes), &elf, &e), 0);
	ck_assert_uint_eq(elf.nsections, 0);
	buf_release(&bytes);
}

UNIT(elf_survives_every_cut)
{
	struct buf bytes = BUF_INIT;

	demo_make(&bytes);
	for (size_t n = 0; n < bytes.n; n++) {
		struct err e = ERR_INIT;

		ck_assert_int_eq(read_all((struct str){ bytes.p, n }, &e), -RC_WHEEL);
	}
	buf_release(&bytes);
}

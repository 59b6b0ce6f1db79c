/* What the loader reads of ELF files: of good ones, however they come in, and of every kind of bad
 * one. */
#include "tests/unit/library_maker.h"
#include "tests/unit/unit.h"

#include "verify/elf_scan.h"

#include "manifests/limits.h"
#include "manifests/base/mem.h"

#include <string.h>

static const struct made_library demo = {
	.needed = (const char *const[]){ "libc10.so", "libc.so.6", NULL },
	.soname = "_C.so",
	.rpath = "/old",
	.runpath = "$ORIGIN/../torch/lib",
	.versions = (const struct made_version[]){ { "libc.so.6", "GLIBC_2.28", 0 },
		{ "libc.so.6", "GLIBC_2.99", 2 /* weak */ }, { "libm.so.6", "GLIBC_2.2.5", 0 },
		{ NULL, NULL, 0 } },
	.symbols = (const struct made_symbol[]){ { "_ZN3c105ErrorC1Ev", 0x12, 0, 0 },
		{ "printf", 0x12, 0, 0 }, { "aoti_torch_new", 0x12, 0, 0 },
		{ "PyList_New", 0x12, 0, 0 }, { "_ZN2at4weakEv", 0x22, 0, 0 },
		{ "PyList_New", 0x12, 0, 0 }, { "_ZN5torch5localEv", 0x02, 0, 7 },
		{ "_ZN5torch6hiddenEv", 0x12, 2, 7 }, { "PyInit__C", 0x12, 0, 7 },
		{ "_ZN5torch4mineEv", 0x22, 0, 7 }, { "_ZGVN2at1xE", 0xa1, 0, 7 },
		{ "helper", 0x12, 0, 7 }, { NULL, 0, 0, 0 } },
	.hash = MADE_GNU_HASH,
	.has_relr = true,
};

/* Returns what elf_scan_end did last. */
static int scan(struct str bytes, size_t piece, struct arena *a, struct native_module *out,
	int *passes, struct err *e)
{
	struct elf_scan *s = elf_scan_new(bytes.n);
	int rc = 1;

	for (*passes = 0; rc == 1; ++*passes) {
		rc = 0;
		for (struct str rest = bytes; !rc && rest.n; rest = str_skip(rest, piece)) {
			struct str part = str_first(rest, piece);

			rc = elf_scan_add(s, part.p, part.n, e);
		}
		rc = rc ? rc : elf_scan_end(s, a, out, e);
	}
	elf_scan_free(s);
	return rc;
}

/* Its own bytes once more, at its end. */
static void repeat(struct buf *b, size_t at, size_t n)
{
	char *room = buf_room(b, n);

	memcpy(room, b->p + at, n);
	b->n += n;
}

static void expect_names(const struct str *v, size_t n, const char *names)
{
	CLEANUP_BUF struct buf all = BUF_INIT;

	for (size_t i = 0; i < n; i++) {
		buf_addf(&all, "%.*s ", STR_ARG(v[i]));
	}
	ck_assert_str_eq(all.n ? all.p : "", names);
}

static void expect_demo(const struct native_module *m)
{
	ck_assert(m->is_readable && m->has_relr);
	ck_assert_int_eq(m->format, NATIVE_ELF);
	ck_assert_int_eq(m->machine, NATIVE_X86_64);
	ck_assert(str_is(m->soname, "_C.so"));
	ck_assert(str_is(m->rpath, "$ORIGIN/../torch/lib"));
	expect_names(m->needed, m->nneeded, "libc10.so libc.so.6 ");
	ck_assert_uint_eq(m->nversions, 2);
	ck_assert(str_is(m->versions[0].library, "libc.so.6"));
	ck_assert(str_is(m->versions[0].name, "GLIBC_2.28"));
	ck_assert(str_is(m->versions[1].library, "libm.so.6"));
	ck_assert(str_is(m->versions[1].name, "GLIBC_2.2.5"));
	expect_names(m->undefined, m->nundefined, "PyList_New _ZN3c105ErrorC1Ev aoti_torch_new ");
	expect_names(m->exported, m->nexported, "PyInit__C _ZGVN2at1xE _ZN5torch4mineEv ");
}

UNIT(elf_scan_reads_what_the_loader_reads)
{
	static const enum made_hash hashes[] = { MADE_NO_HASH, MADE_GNU_HASH, MADE_GNU_HASH_EMPTY,
		MADE_SYSV_HASH };

	for (size_t i = 0; i < sizeof(hashes) / sizeof(hashes[0]); i++) {
		for (size_t piece = 1; piece < 5000; piece = piece * 7 + 1) {
			struct made_library l = demo;
			struct buf bytes = BUF_INIT;
			struct arena a = ARENA_INIT;
			struct native_module m = { .member = 7, .name = STR("x") };
			struct made_places at;
			struct err e = ERR_INIT;
			int passes;

			l.hash = hashes[i];
			library_make(&l, &bytes, &at);
			ck_assert_msg(scan(buf_str(&bytes), piece, &a, &m, &passes, &e) == 0, "%s",
				e.text);
			buf_release(&bytes);
			ck_assert_int_eq(passes, 1);
			ck_assert(m.member == 7 && str_is(m.name, "x"));
			expect_demo(&m);
			arena_release(&a);
		}
	}
}

UNIT(elf_scan_takes_a_second_pass_where_tables_are_far_apart)
{
	static const struct {
		uint64_t gap;
		int passes;
	} cases[] = { { 10 * MIB, 1 }, { 25 * MIB, 2 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct made_library l = demo;
		struct buf bytes = BUF_INIT;
		struct arena a = ARENA_INIT;
		struct native_module m = { .member = 0 };
		struct made_places at;
		struct err e = ERR_INIT;
		int passes;

		l.gap = cases[i].gap;
		library_make(&l, &bytes, &at);
		ck_assert_msg(
			scan(buf_str(&bytes), 256 * KIB, &a, &m, &passes, &e) == 0, "%s", e.text);
		ck_assert_int_eq(passes, cases[i].passes);
		expect_demo(&m);
		/* With program headers at the end, the second pass cannot know all tables either.
		 */
		poke_le(&bytes, 32, bytes.n, 8);
		repeat(&bytes, at.rows, 3 * 56);
		ck_assert_int_eq(scan(buf_str(&bytes), 256 * KIB, &a, &m, &passes, &e),
			cases[i].passes == 1 ? 0 : -RC_LIMIT);
		arena_release(&a);
		buf_release(&bytes);
	}
}

UNIT(elf_scan_keeps_small_segments_of_the_first_pass)
{
	struct made_library l = demo;
	struct buf bytes = BUF_INIT;
	struct arena a = ARENA_INIT;
	struct native_module m = { .member = 0 };
	struct made_places at;
	struct err e = ERR_INIT;
	int passes;

	/* The second segment alone is small; only zeros stand in front of it. */
	library_make(&l, &bytes, &at);
	CLEANUP_BUF struct buf moved = BUF_INIT;
	size_t gap = 40 * MIB;
	buf_add(&moved, bytes.p, at.dynamic);
	while (moved.n < at.dynamic + gap) {
		buf_addc(&moved, 0);
	}
	buf_add(&moved, bytes.p + at.dynamic, bytes.n - at.dynamic);
	poke_le(&moved, at.rows + 56 + 8, at.dynamic + gap, 8);
	poke_le(&moved, at.rows + 112 + 8, at.dynamic + gap, 8);
	ck_assert_int_eq(scan(buf_str(&moved), 256 * KIB, &a, &m, &passes, &e), 0);
	ck_assert_int_eq(passes, 1);
	expect_demo(&m);
	/* Program headers at the end, which come too late for that. */
	poke_le(&moved, 32, moved.n, 8);
	repeat(&moved, at.rows, 3 * 56);
	ck_assert_msg(scan(buf_str(&moved), 256 * KIB, &a, &m, &passes, &e) == 0, "%s", e.text);
	ck_assert_int_eq(passes, 2);
	expect_demo(&m);
	arena_release(&a);
	buf_release(&bytes);
}

UNIT(elf_scan_says_whose_it_is)
{
	static const struct {
		size_t at;
		uint64_t value;
		unsigned n;
		bool is_readable;
		enum native_machine machine;
		unsigned number;
	} cases[] = {
		{ 18, 183, 2, true, NATIVE_AARCH64, 183 },
		{ 18, 21, 2, true, NATIVE_MACHINE_OTHER, 21 },
		{ 4, 1, 1, false, NATIVE_MACHINE_OTHER, 62 },
		{ 5, 2, 1, false, NATIVE_MACHINE_OTHER, 62 << 8 },
		{ 5, 0, 1, false, NATIVE_MACHINE_OTHER, 62 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf bytes = BUF_INIT;
		struct arena a = ARENA_INIT;
		struct native_module m = { .member = 0 };
		struct made_places at;
		struct err e = ERR_INIT;
		int passes;

		library_make(&demo, &bytes, &at);
		poke_le(&bytes, cases[i].at, cases[i].value, cases[i].n);
		ck_assert_int_eq(scan(buf_str(&bytes), 100, &a, &m, &passes, &e), 0);
		ck_assert_int_eq(m.is_readable, cases[i].is_readable);
		ck_assert_int_eq(m.machine, cases[i].machine);
		ck_assert_uint_eq(m.elf_machine, cases[i].number);
		ck_assert_uint_eq(m.nneeded, cases[i].is_readable ? 2 : 0);
		arena_release(&a);
		buf_release(&bytes);
	}
}

UNIT(elf_scan_finds_nothing_where_a_loader_has_nothing_to_do)
{
	static const struct { /* of the row of PT_DYNAMIC, but for the first */
		size_t at;
		uint64_t value;
		unsigned n;
	} cases[] = { { 56, 0, 2 /* e_phnum */ }, { 64 + 56, 4, 4 /* PT_NOTE */ },
		{ 64 + 56 + 32, 0, 8 /* a file with debugging information alone */ } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf bytes = BUF_INIT;
		struct arena a = ARENA_INIT;
		struct native_module m = { .member = 0 };
		struct made_places at;
		struct err e = ERR_INIT;
		int passes;

		library_make(&demo, &bytes, &at);
		poke_le(&bytes, cases[i].at, cases[i].value, cases[i].n);
		ck_assert_int_eq(scan(buf_str(&bytes), 100, &a, &m, &passes, &e), 0);
		ck_assert(m.is_readable && !m.has_relr);
		ck_assert_uint_eq(m.nneeded + m.nversions + m.nundefined + m.nexported, 0);
		arena_release(&a);
		buf_release(&bytes);
	}
}

enum place { WHOLE, ROWS, SYMBOLS, HASH, VERSIONS, DYNAMIC };

static size_t place_of(const struct made_places *at, enum place p)
{
	const size_t places[] = { 0, at->rows, at->symbols, at->hash, at->versions, at->dynamic };

	return places[p];
}

static const struct {
	enum place place;
	size_t at;
	uint64_t value;
	unsigned n;
	enum rc rc;
	const char *text;
} wrong_numbers[] = {
	{ WHOLE, 0, 0, 1, RC_WHEEL, "no magic number" },
	{ WHOLE, 32, UINT64_MAX, 8, RC_WHEEL, "its program headers lie outside of it" },
	{ WHOLE, 54, 32, 2, RC_WHEEL, "its program headers lie outside of it" },
	{ WHOLE, 56, 0xffff, 2, RC_WHEEL, "its program headers lie outside of it" },
	/* PT_LOAD: offset, address, size in the file */
	{ ROWS, 8, UINT64_MAX, 8, RC_WHEEL, "a segment leaves the file" },
	{ ROWS, 32, UINT64_MAX, 8, RC_WHEEL, "a segment leaves the file" },
	{ ROWS, 16, UINT64_MAX - 10, 8, RC_WHEEL, "overlap or are out of order" },
	{ ROWS, 16, 0x100000, 8, RC_WHEEL, "overlap or are out of order" },
	{ ROWS, 112 + 16, 0x10, 8, RC_WHEEL, "overlap or are out of order" },
	/* PT_DYNAMIC */
	{ ROWS, 56 + 16, 0, 8, RC_WHEEL, "leaves the table of names" },
	{ ROWS, 56 + 16, UINT64_MAX, 8, RC_WHEEL, "does not have the " },
	{ ROWS, 56 + 32, 0x10000, 8, RC_WHEEL, "does not have the 65536 bytes" },
	{ ROWS, 56 + 32, UINT64_MAX, 8, RC_WHEEL, "a dynamic section of" },
	/* entries: 0, 1 DT_NEEDED, 2 DT_SONAME, 5 DT_SYMTAB, 6 DT_GNU_HASH, 7 DT_VERNEED, 9
	   DT_STRSZ, 10 DT_STRTAB */
	{ DYNAMIC, 8, 0x10000, 8, RC_WHEEL, "a name leaves the table of names" },
	{ DYNAMIC, 16 * 2 + 8, UINT64_MAX, 8, RC_WHEEL, "leaves the table of names" },
	{ DYNAMIC, 16 * 5 + 8, UINT64_MAX, 8, RC_WHEEL, "does not have the " },
	{ DYNAMIC, 16 * 6 + 8, 0x100000, 8, RC_WHEEL, "does not have the 16 bytes" },
	{ DYNAMIC, 16 * 7 + 8, 0x100000, 8, RC_WHEEL, "does not have the 16 bytes" },
	{ DYNAMIC, 16 * 9, 0x70000000, 8, RC_WHEEL, "the size of the table of names" },
	{ DYNAMIC, 16 * 9 + 8, 0, 8, RC_WHEEL, "leaves the table of names" },
	{ DYNAMIC, 16 * 9 + 8, UINT64_MAX, 8, RC_WHEEL, "does not have the " },
	{ DYNAMIC, 16 * 10, 0x70000000, 8, RC_WHEEL, "leaves the table of names" },
	{ DYNAMIC, 16 * 10 + 8, UINT64_MAX, 8, RC_WHEEL, "does not have the " },
	/* buckets, first symbol, bloom words; the bucket in use; the end of the chain */
	{ HASH, 0, UINT32_MAX, 4, RC_WHEEL, "does not have the " },
	{ HASH, 4, 50, 4, RC_WHEEL, "a hash chain begins before the first symbol" },
	{ HASH, 8, UINT32_MAX, 4, RC_WHEEL, "does not have the " },
	{ HASH, 28, 0x100000, 4, RC_WHEEL, "does not have the " },
	{ HASH, 28, UINT32_MAX, 4, RC_WHEEL, "does not have the " },
	{ HASH, 32 + 4 * 5, 0, 4, RC_WHEEL, "does not have the " },
	/* st_name of a strong undefined symbol */
	{ SYMBOLS, 24, UINT32_MAX, 4, RC_WHEEL, "a name leaves the table of names" },
	/* vn_file, vn_aux, vn_next; vna_name, vna_next */
	{ VERSIONS, 4, UINT32_MAX, 4, RC_WHEEL, "a name leaves the table of names" },
	{ VERSIONS, 8, UINT32_MAX, 4, RC_WHEEL, "does not have the 16 bytes" },
	{ VERSIONS, 12, UINT32_MAX, 4, RC_WHEEL, "does not have the 16 bytes" },
	{ VERSIONS, 12, 1, 4, RC_WHEEL, "needed versions overlap" },
	{ VERSIONS, 24, UINT32_MAX, 4, RC_WHEEL, "a name leaves the table of names" },
	{ VERSIONS, 28, 15, 4, RC_WHEEL, "needed versions overlap" },
	{ VERSIONS, 28, UINT32_MAX, 4, RC_WHEEL, "does not have the 16 bytes" },
};

UNIT(elf_scan_refuses_what_leaves_its_table)
{
	for (size_t i = 0; i < sizeof(wrong_numbers) / sizeof(wrong_numbers[0]); i++) {
		struct buf bytes = BUF_INIT;
		struct arena a = ARENA_INIT;
		struct native_module m = { .member = 0 };
		struct made_places at;
		struct err e = ERR_INIT;
		int passes;

		library_make(&demo, &bytes, &at);
		poke_le(&bytes, place_of(&at, wrong_numbers[i].place) + wrong_numbers[i].at,
			wrong_numbers[i].value, wrong_numbers[i].n);
		int rc = scan(buf_str(&bytes), 4096, &a, &m, &passes, &e);
		ck_assert_msg(rc == -(int)wrong_numbers[i].rc, "%zu: %d %s", i, rc, e.text);
		ck_assert_msg(str_has(str_of(e.text), wrong_numbers[i].text), "%zu: %s", i, e.text);
		ck_assert_int_eq(m.format, 0);
		arena_release(&a);
		buf_release(&bytes);
	}
}

UNIT(elf_scan_refuses_names_that_are_no_text)
{
	static const char *const names[] = { "lib\033[31m.so", "lib\x7f.so", "lib\xff.so",
		"lib\n.so" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct made_library l = { .needed = (const char *const[]){ names[i], NULL } };
		struct buf bytes = BUF_INIT;
		struct arena a = ARENA_INIT;
		struct native_module m = { .member = 0 };
		struct made_places at;
		struct err e = ERR_INIT;
		int passes;

		library_make(&l, &bytes, &at);
		ck_assert_int_eq(scan(buf_str(&bytes), 4096, &a, &m, &passes, &e), -RC_WHEEL);
		arena_release(&a);
		buf_release(&bytes);
	}
}

/* A table of names of one long text, which a hundred thousand symbols take from another byte on. */
UNIT(elf_scan_bounds_names_that_share_bytes)
{
	enum { SYMBOLS_N = 100000, TEXT_N = 3 * SYMBOLS_N };
	struct buf bytes = BUF_INIT;
	struct arena a = ARENA_INIT;
	struct native_module m = { .member = 0 };
	struct made_places at;
	struct err e = ERR_INIT;
	int passes;

	CLEANUP(free) char *text = mem_alloc(TEXT_N + 1);
	for (size_t i = 0; i < TEXT_N; i++) {
		text[i] = "PyX"[i % 3];
	}
	CLEANUP(free) struct made_symbol *symbols = mem_array(SYMBOLS_N + 1, sizeof(*symbols));
	for (size_t i = 0; i < SYMBOLS_N; i++) {
		symbols[i] = (struct made_symbol){ "", 0x12, 0, 0 };
	}
	struct made_library l = { .needed = (const char *const[]){ text, NULL },
		.symbols = symbols };
	library_make(&l, &bytes, &at);
	/* Behind the empty names comes that of DT_NEEDED. */
	for (size_t i = 0; i < SYMBOLS_N; i++) {
		poke_le(&bytes, at.symbols + 24 * (i + 1), 1 + SYMBOLS_N + 3 * i, 4);
	}
	ck_assert_int_eq(scan(buf_str(&bytes), 1 << 20, &a, &m, &passes, &e), -RC_LIMIT);
	ck_assert(str_has(str_of(e.text), "its names have more than"));
	arena_release(&a);
	buf_release(&bytes);
}

UNIT(elf_scan_bounds_segments)
{
	for (unsigned n = 256; n <= 257; n++) {
		struct buf bytes = BUF_INIT;
		struct arena a = ARENA_INIT;
		struct native_module m = { .member = 0 };
		struct made_places at;
		struct err e = ERR_INIT;
		int passes;

		/* The two that there are, and more of one byte each behind them. */
		library_make(&demo, &bytes, &at);
		size_t rows = bytes.n;
		repeat(&bytes, at.rows, 3 * 56);
		for (unsigned i = 2; i < n; i++) {
			size_t row = bytes.n;

			repeat(&bytes, at.rows, 56);
			poke_le(&bytes, row + 16, 0x1000000 + i, 8);
			poke_le(&bytes, row + 32, 1, 8);
		}
		poke_le(&bytes, 32, rows, 8);
		poke_le(&bytes, 56, n + 1, 2);
		int rc = scan(buf_str(&bytes), 4096, &a, &m, &passes, &e);
		ck_assert_msg(rc == (n == 256 ? 0 : -RC_LIMIT), "%s", e.text);
		arena_release(&a);
		buf_release(&bytes);
	}
}

UNIT(elf_scan_survives_every_cut)
{
	struct buf bytes = BUF_INIT;
	struct made_places at;

	library_make(&demo, &bytes, &at);
	for (size_t n = 0; n < bytes.n; n++) {
		struct arena a = ARENA_INIT;
		struct native_module m = { .member = 0 };
		struct err e = ERR_INIT;
		int passes;

		ck_assert_int_eq(
			scan((struct str){ bytes.p, n }, 64, &a, &m, &passes, &e), -RC_WHEEL);
		arena_release(&a);
	}
	buf_release(&bytes);
}

UNIT(elf_scan_wants_as_many_bytes_as_it_was_told)
{
	struct buf bytes = BUF_INIT;
	struct arena a = ARENA_INIT;
	struct native_module m = { .member = 0 };
	struct made_places at;
	struct err e = ERR_INIT;

	library_make(&demo, &bytes, &at);
	struct elf_scan *s = elf_scan_new(bytes.n + 1);
	ck_assert_int_eq(elf_scan_add(s, bytes.p, bytes.n, &e), 0);
	ck_assert_int_eq(elf_scan_end(s, &a, &m, &e), -RC_WHEEL);
	ck_assert(str_has(str_of(e.text), "it is cut at byte"));
	elf_scan_free(s);
	s = elf_scan_new(bytes.n - 1);
	ck_assert_int_eq(elf_scan_add(s, bytes.p, bytes.n, &e), -RC_WHEEL);
	elf_scan_free(s);
	elf_scan_free(NULL);
	arena_release(&a);
	buf_release(&bytes);
}

UNIT(macho_is_told_by_its_magic)
{
	static const struct {
		struct str head;
		bool is;
	} cases[] = {
#define HEAD(text) { text, sizeof(text) - 1 }
		{ HEAD("\xcf\xfa\xed\xfe\x07\0\0\1"), true },
		{ HEAD("\xce\xfa\xed\xfe\x07\0\0\0"), true },
		{ HEAD("\xfe\xed\xfa\xcf\1\0\0\x07"), true },
		{ HEAD("\xfe\xed\xfa\xce\0\0\0\x07"), true },
		{ HEAD("\xca\xfe\xba\xbe\0\0\0\2"), true },
		{ HEAD("\xca\xfe\xba\xbf\0\0\0\2"), true },
		{ HEAD("\xca\xfe\xba\xbe\0\0\0\x34"), false }, /* Java 8 */
		{ HEAD("\xca\xfe\xba\xbe\0"), false },
		{ HEAD("\177ELF\2\1\1\0"), false },
		{ HEAD(""), false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert_msg(macho_is(cases[i].head) == cases[i].is, "%zu", i);
	}
}

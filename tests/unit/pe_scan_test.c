/* The imports of PE files: of good ones, however they come in, and of bad ones. */
#include "tests/unit/library_maker.h"
#include "tests/unit/unit.h"

#include "verify/elf_scan.h"

#include "manifests/limits.h"

static const struct made_dll demo = {
	.needed = (const char *const[]){ "KERNEL32.dll", "c10.dll", NULL },
	.delayed = (const char *const[]){ "cudnn64_9.dll", NULL },
	.machine = 0x8664,
};

static int scan(struct str bytes, size_t piece, struct arena *a, struct native_module *out,
	int *passes, struct err *e)
{
	struct pe_scan *s = pe_scan_new(bytes.n);
	int rc = 1;

	for (*passes = 0; rc == 1; ++*passes) {
		rc = 0;
		for (struct str rest = bytes; !rc && rest.n; rest = str_skip(rest, piece)) {
			struct str part = str_first(rest, piece);

			rc = pe_scan_add(s, part.p, part.n, e);
		}
		rc = rc ? rc : pe_scan_end(s, a, out, e);
	}
	pe_scan_free(s);
	return rc;
}

static void expect_demo(const struct native_module *m)
{
	ck_assert(m->is_readable);
	ck_assert_int_eq(m->format, NATIVE_PE);
	ck_assert_int_eq(m->machine, NATIVE_X86_64);
	ck_assert_uint_eq(m->nneeded, 3);
	ck_assert(str_is(m->needed[0], "KERNEL32.dll"));
	ck_assert(str_is(m->needed[1], "c10.dll"));
	ck_assert(str_is(m->needed[2], "cudnn64_9.dll"));
}

UNIT(pe_scan_reads_imports_however_they_come)
{
	static const struct {
		uint32_t gap;
		size_t piece;
		int passes;
	} cases[] = { { 0, 1, 1 }, { 0, 61, 1 }, { 0, 100000, 1 }, { 3 << 20, 100000, 1 },
		{ 9 << 20, 100000, 2 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct made_dll d = demo;
		struct buf bytes = BUF_INIT;
		struct arena a = ARENA_INIT;
		struct native_module m = { .member = 3 };
		struct made_dll_places at;
		struct err e = ERR_INIT;
		int passes;

		d.gap = cases[i].gap;
		dll_make(&d, &bytes, &at);
		ck_assert_msg(scan(buf_str(&bytes), cases[i].piece, &a, &m, &passes, &e) == 0, "%s",
			e.text);
		ck_assert_int_eq(passes, cases[i].passes);
		ck_assert_uint_eq(m.member, 3);
		expect_demo(&m);
		arena_release(&a);
		buf_release(&bytes);
	}
}

enum place { WHOLE, PE, SECTIONS, TABLES, NAMES };

static size_t place_of(const struct made_dll_places *at, enum place p)
{
	const size_t places[] = { 0, at->pe, at->sections, at->tables, at->names };

	return places[p];
}

UNIT(pe_scan_tells_others_and_damage_apart)
{
	enum { UNREADABLE = 0, ARM = 1, EMPTY = 2 }; /* what it is, where there is no text */
	static const struct {
		enum place place;
		size_t at;
		uint64_t value;
		unsigned n;
		const char *text;
		int kind;
	} cases[] = {
		{ PE, 4, 0xaa64, 2, NULL, ARM },
		{ WHOLE, 60, UINT32_MAX, 4, NULL, UNREADABLE },
		{ WHOLE, 0, 0, 2, NULL, UNREADABLE },
		{ PE, 0, 0, 4, NULL, UNREADABLE },
		{ PE, 24, 0x10b, 2, NULL, UNREADABLE },
		{ PE, 20, 0xffff, 2, NULL, UNREADABLE },
		{ PE, 6, 0xffff, 2, NULL, UNREADABLE },
		{ PE, 24 + 108, 0, 4, NULL, EMPTY },
		{ PE, 24 + 112 + 8, 1, 4, "does not have the bytes at address 0x1", 0 },
		{ PE, 24 + 112 + 8, UINT32_MAX, 4, "does not have the bytes", 0 },
		{ SECTIONS, 20, UINT32_MAX, 4, "does not have the bytes", 0 },
		{ SECTIONS, 16, 19, 4, "does not have the bytes", 0 },
		{ TABLES, 12, UINT32_MAX, 4, "does not have the bytes", 0 },
		{ NAMES, 0, '\n', 1, "a control byte", 0 },
		{ NAMES, 0, 0xff, 1, "not UTF-8", 0 },
		{ SECTIONS, 40 + 16, 5, 4, "the name of a library does not end", 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf bytes = BUF_INIT;
		struct arena a = ARENA_INIT;
		struct native_module m = { .member = 0 };
		struct made_dll_places at;
		struct err e = ERR_INIT;
		int passes;

		dll_make(&demo, &bytes, &at);
		poke_le(&bytes, place_of(&at, cases[i].place) + cases[i].at, cases[i].value,
			cases[i].n);
		int rc = scan(buf_str(&bytes), 4096, &a, &m, &passes, &e);
		ck_assert_msg(rc == (cases[i].text ? -RC_WHEEL : 0), "%zu: %d %s", i, rc, e.text);
		if (cases[i].text) {
			ck_assert_msg(str_has(str_of(e.text), cases[i].text), "%zu: %s", i, e.text);
		} else {
			ck_assert_int_eq(m.is_readable, cases[i].kind != UNREADABLE);
			ck_assert_uint_eq(m.nneeded, cases[i].kind == ARM ? 3 : 0);
			ck_assert_msg(
				(m.machine == NATIVE_AARCH64) == (cases[i].kind == ARM), "%zu", i);
		}
		arena_release(&a);
		buf_release(&bytes);
	}
}

UNIT(pe_scan_survives_every_cut)
{
	struct buf bytes = BUF_INIT;
	struct made_dll_places at;

	dll_make(&demo, &bytes, &at);
	for (size_t n = 0; n < bytes.n; n++) {
		struct arena a = ARENA_INIT;
		struct native_module m = { .member = 0 };
		struct err e = ERR_INIT;
		int passes, rc = scan((struct str){ bytes.p, n }, 64, &a, &m, &passes, &e);

		ck_assert_msg(rc == -RC_WHEEL || !m.is_readable, "%zu", n);
		arena_release(&a);
	}
	struct arena a = ARENA_INIT;
	struct native_module m = { .member = 0 };
	struct err e = ERR_INIT;
	struct pe_scan *s = pe_scan_new(bytes.n + 1);
	ck_assert_int_eq(pe_scan_add(s, bytes.p, bytes.n, &e), 0);
	ck_assert_int_eq(pe_scan_end(s, &a, &m, &e), -RC_WHEEL);
	pe_scan_free(s);
	pe_scan_free(NULL);
	arena_release(&a);
	buf_release(&bytes);
}

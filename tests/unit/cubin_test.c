/* Cubins in pieces: architecture and toolkit, from the header of old ones and the notes of new. */
#include "tests/unit/device_maker.h"
#include "tests/unit/unit.h"

#include "verify/cubin.h"

#include <string.h>

/* The whole file in pieces. */
static int facts_of(struct str bytes, size_t piece, struct cubin_facts *out, struct err *e)
{
	static struct cubin_scan s;
	struct str rest = bytes;

	cubin_scan_init(&s, bytes.n);
	while (rest.n && cubin_scan_add(&s, rest.p, piece < rest.n ? piece : rest.n)) {
		rest = str_skip(rest, piece);
	}
	return cubin_scan_end(&s, out, e);
}

static void check_facts(
	struct str bytes, size_t piece, unsigned sm, char suffix, const char *toolkit)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct cubin_facts facts = { 0 };
	struct err e = ERR_INIT;

	ck_assert_msg(facts_of(bytes, piece, &facts, &e) == 0, "%s", e.text);
	toolkit_release_format(facts.toolkit, &text);
	ck_assert_uint_eq(facts.sm, sm);
	ck_assert_int_eq(facts.suffix, suffix);
	ck_assert_str_eq(text.p, toolkit);
}

static const struct {
	uint8_t abi;
	uint32_t version, flags;
	const char *note;
	unsigned sm;
	char suffix;
	const char *toolkit;
} kinds[] = {
	/* nvcc 13.0's own flags; sm_90a's are those of sm_90 */
	{ 8, 1, 0x6005a04, "ptxas, release 13.0, V13.0.88. -arch sm_90a -m 64 ", 90, 'a',
		"13.0.88" },
	{ 8, 1, 0x6005a04, "ptxas -arch sm_90 -m 64 , V12.8.93", 90, 0, "12.8.93" },
	{ 8, 1, 0x6006402, "-arch sm_100f -m 64 ", 100, 'f', "unknown" },
	{ 8, 1, 0x6005004, "-arch sm_80", 80, 0, "unknown" },
	{ 8, 128, 0x6005a04, "no options", 90, 'a', "unknown" },
	{ 7, 118, 0x500550, "", 80, 0, "11.8" },
	{ 7, 128, 0x5a0d5a, "", 90, 'a', "12.8" },
	{ 7, 1, 0x5a055a, "-arch sm_90a, V13.0.88", 90, 0, "unknown" },
	{ 7, 4000000000, 0x5a055a, "", 90, 0, "unknown" },
};

UNIT(cubin_tells_architecture_and_toolkit)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		CLEANUP_BUF struct buf note = BUF_INIT, bytes = BUF_INIT;

		note_make(2000, kinds[i].note, &note);
		elf_make(&(struct made_elf){ .machine = 190,
				 .abi = kinds[i].abi,
				 .version = kinds[i].version,
				 .flags = kinds[i].flags,
				 .section = ".note.nv.tkinfo",
				 .contents = buf_str(&note) },
			&bytes);
		for (size_t piece = 1; piece <= bytes.n; piece += 13) {
			check_facts(buf_str(&bytes), piece, kinds[i].sm, kinds[i].suffix,
				kinds[i].toolkit);
		}
	}
}

UNIT(cubin_note_is_found_far_behind_the_beginning)
{
	static const size_t before[] = { 0, 100, CUBIN_WINDOW - 88, CUBIN_WINDOW - 64,
		CUBIN_WINDOW - 60, CUBIN_WINDOW, 300000 };
	static const size_t pieces[] = { 3, 64, 4095, CUBIN_WINDOW, 100000, 1000000 };

	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		CLEANUP_BUF struct buf bytes = BUF_INIT;

		cubin_make("13.2.86", before[i], &bytes);
		for (size_t k = 0; k < sizeof(pieces) / sizeof(pieces[0]); k++) {
			check_facts(buf_str(&bytes), pieces[k], 100, 'f', "13.2.86");
		}
	}
}

/* What is linked has a note of each object, and the linker's. */
UNIT(cubin_takes_the_newest_of_its_notes)
{
	CLEANUP_BUF struct buf notes = BUF_INIT, bytes = BUF_INIT;

	note_make(2000, "ptxas, V13.0.100 -arch sm_90a ", &notes);
	note_make(2000, "nvlink, V13.2.86", &notes);
	note_make(1000, "cuinfo, V99.0.1", &notes);
	note_make(2000, "ptxas, V13.0.90", &notes);
	elf_make(&(struct made_elf){ .machine = 190,
			 .abi = 8,
			 .flags = 0x6005a04,
			 .section = ".note.nv.tkinfo",
			 .contents = buf_str(&notes) },
		&bytes);
	check_facts(buf_str(&bytes), 50, 90, 'a', "13.2.86");
}

UNIT(cubin_lies_in_notes_tell_nothing)
{
	for (int i = 0; i < 4; i++) {
		CLEANUP_BUF struct buf note = BUF_INIT, bytes = BUF_INIT;

		note_make(2000, "ptxas, V13.0.88", &note);
		if (i == 0) {
			memset(note.p + 4, 0xff, 4); /* the length of its contents */
		} else if (i == 1) {
			note.p[8]++; /* its type */
		} else {
			note.p[i == 2 ? 0 : 12]++; /* its owner, by length and by name */
		}
		elf_make(&(struct made_elf){ .machine = 190,
				 .abi = 8,
				 .section = ".note.nv.tkinfo",
				 .contents = buf_str(&note) },
			&bytes);
		check_facts(buf_str(&bytes), 50, 0, 'a', "unknown");
	}
}

UNIT(cubin_refuses_other_and_cut_files)
{
	CLEANUP_BUF struct buf library = BUF_INIT, bytes = BUF_INIT;
	struct err e = ERR_INIT;
	struct cubin_facts facts;

	elf_make(&(struct made_elf){ .machine = 62, .section = "x" }, &library);
	ck_assert(!cubin_is(buf_str(&library)));
	ck_assert_int_eq(facts_of(buf_str(&library), 64, &facts, &e), -RC_WHEEL);
	ck_assert_str_eq(e.text, "no cubin: not an ELF file for a CUDA GPU");
	cubin_make("13.2.86", 0, &bytes);
	ck_assert(cubin_is(buf_str(&bytes)));
	for (size_t n = 0; n < bytes.n; n++) {
		err_clear(&e);
		ck_assert_int_eq(
			facts_of(str_first(buf_str(&bytes), n), 64, &facts, &e), -RC_WHEEL);
		ck_assert_str_eq(e.text, n < 64 ? "cubin: its header is cut"
						: "cubin: its tables lie outside of it");
	}
	/* Program headers behind everything, as nvcc 13 has them. */
	bytes.p[32] = (char)(bytes.n - 8);
	bytes.p[33] = (char)((bytes.n - 8) >> 8);
	bytes.p[54] = 56;
	bytes.p[56] = 1;
	ck_assert_int_eq(facts_of(buf_str(&bytes), 64, &facts, &e), -RC_WHEEL);
}

UNIT(cubin_abi_is_told_by_osabi_where_it_is_known)
{
	static const struct {
		char osabi, version;
		unsigned sm; /* of e_flags 0x6005a50: 80 by the low byte, 90 by the next */
	} cases[] = { { 0x33, 7, 80 }, { 0x33, 8, 80 }, { 0x41, 0, 90 }, { 0x41, 8, 90 },
		{ 0, 8, 90 }, { 0, 7, 80 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CLEANUP_BUF struct buf bytes = BUF_INIT;
		struct cubin_facts facts = { 0 };
		struct err e = ERR_INIT;

		elf_make(&(struct made_elf){ .machine = 190, .flags = 0x6005a50, .section = "x" },
			&bytes);
		bytes.p[7] = cases[i].osabi;
		bytes.p[8] = cases[i].version;
		ck_assert_int_eq(facts_of(buf_str(&bytes), 1000, &facts, &e), 0);
		ck_assert_uint_eq(facts.sm, cases[i].sm);
	}
}

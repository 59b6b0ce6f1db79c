/* Fat binary containers in streams: found wherever they may stand, in pieces of any size. */
#include "tests/unit/device_maker.h"
#include "tests/unit/unit.h"

#include "verify/fatbin.h"

#include <stdio.h>
#include <string.h>

static int entry_write(void *context, const struct fatbin_entry *entry, struct err *e)
{
	(void)e;
	buf_addf(context, "%u:%u%.1s:%u.%u ", entry->kind, entry->sm,
		entry->suffix ? &entry->suffix : "", entry->isa_major, entry->isa_minor);
	return 0;
}

/* The whole stream in pieces of `piece` bytes; what was found is appended to *found. */
static int scanned(struct str bytes, size_t piece, unsigned step, bool is_certain,
	struct buf *found, size_t *nunreadable, struct err *e)
{
	struct fatbin_scan s;
	int rc = 0;

	fatbin_scan_init(&s, bytes.n, step, entry_write, found);
	s.is_certain = is_certain;
	while (!rc && bytes.n) {
		struct str part = str_first(bytes, piece);

		rc = fatbin_scan_add(&s, part.p, part.n, e);
		bytes = str_skip(bytes, part.n);
	}
	*nunreadable = s.nunreadable;
	return rc ? rc : fatbin_scan_end(&s, e);
}

static const struct made_entry two[] = {
	{ .kind = 2, .sm = 90, .flags = FLAG_A, .header = 112, .stored = 200 },
	{ .kind = 1, .sm = 120, .isa_major = 9, .isa_minor = 0, .header = 72, .stored = 40 },
};
static const struct made_entry family[] = { { .kind = 2, .sm = 100, .flags = FLAG_F | 0x1000000 } };
#define TWO_TEXT "2:90a:0.0 1:120:9.0 "
#define FAMILY_TEXT "2:100f:0.0 "

static void library_make(struct buf *out)
{
	buf_addf(out, "%-48s", "\177ELF and other bytes");
	fatbin_make(two, 2, 0, out);
	buf_add(out, "\0\0\0\0\0\0\0\0", 8);
	fatbin_make(family, 1, 0, out);
	fatbin_make(NULL, 0, 0, out); /* an empty one */
	fatbin_make(two, 1, 0, out);
	buf_adds(out, "tail");
}

UNIT(fatbin_scan_finds_entries_in_pieces_of_any_size)
{
	struct buf library = BUF_INIT;

	library_make(&library);
	for (size_t piece = 1; piece <= library.n; piece += piece < 200 ? 1 : 97) {
		struct buf found = BUF_INIT;
		struct err e = ERR_INIT;
		size_t nunreadable = 9;

		ck_assert_int_eq(
			scanned(buf_str(&library), piece, 8, false, &found, &nunreadable, &e), 0);
		ck_assert_str_eq(found.p, TWO_TEXT FAMILY_TEXT "2:90a:0.0 ");
		ck_assert_uint_eq(nunreadable, 0);
		buf_release(&found);
	}
	buf_release(&library);
}

UNIT(fatbin_scan_looks_at_its_steps_only)
{
	for (size_t shift = 0; shift < 16; shift++) {
		for (unsigned step = 2; step <= 8; step += 6) {
			struct buf bytes = BUF_INIT, container = BUF_INIT, found = BUF_INIT;
			struct err e = ERR_INIT;
			size_t nunreadable;

			buf_add(&bytes, "................", shift);
			fatbin_make(two, 2, 0, &container);
			buf_addstr(&bytes, buf_str(&container));
			buf_adds(&found, "");
			ck_assert_int_eq(
				scanned(buf_str(&bytes), 33, step, false, &found, &nunreadable, &e),
				0);
			ck_assert_str_eq(found.p ? found.p : "", shift % step ? "" : TWO_TEXT);
			buf_release(&bytes);
			buf_release(&container);
			buf_release(&found);
		}
	}
}

UNIT(fatbin_scan_passes_over_what_only_looks_like_a_container)
{
	static const struct {
		const char *bytes;
		size_t n, nunreadable;
	} fakes[] = {
		{ "\x50\xed\x55\xba\1\0\x10\0\xff\xff\xff\xff\xff\xff\xff\xff", 16, 1 },
		{ "\x50\xed\x55\xba\1\0\x10\0 \0\0\0\0\0\0\0", 16, 1 },
		{ "\x50\xed\x55\xba\1\0\x10\0\x40\0\0\0\0\0\0\0not an entry....", 32, 1 },
		{ "\x50\xed\x55\xba\2\0\x10\0\x40\0\0\0\0\0\0\0", 16, 0 }, /* another version */
		{ "\x50\xed\x55\xba\1\0\x10\0\0\0\0\0\0\0\0\0", 16, 0 },   /* empty */
		{ "\x50\xed\x55\xba\x50\xed\x55\xba", 8, 0 },
	};

	for (size_t i = 0; i < sizeof(fakes) / sizeof(fakes[0]); i++) {
		for (size_t piece = 1; piece < 300; piece += 7) {
			struct buf bytes = BUF_INIT, found = BUF_INIT;
			struct err e = ERR_INIT;
			size_t nunreadable = 9;

			buf_add(&bytes, fakes[i].bytes, fakes[i].n);
			fatbin_make(two, 2, 0, &bytes);
			ck_assert_int_eq(
				scanned(buf_str(&bytes), piece, 8, false, &found, &nunreadable, &e),
				0);
			ck_assert_str_eq(found.p, TWO_TEXT);
			ck_assert_uint_eq(nunreadable, fakes[i].nunreadable);
			if (fakes[i].nunreadable) {
				ck_assert_int_eq(scanned(buf_str(&bytes), piece, 8, true, &found,
							 &nunreadable, &e),
					-RC_WHEEL);
				ck_assert(str_has(str_of(e.text), "container at offset 0: "));
			}
			buf_release(&bytes);
			buf_release(&found);
		}
	}
}

UNIT(fatbin_scan_refuses_a_container_that_goes_wrong)
{
	struct made_entry bad[2] = { two[0], two[1] };
	struct buf bytes = BUF_INIT, found = BUF_INIT;
	struct err e = ERR_INIT;
	size_t nunreadable;

	/* The second entry's header is too short, too long; the container ends inside it; trailing
	 * bytes. */
	static const struct {
		uint32_t header;
		int64_t total_add;
	} faults[] = { { 48, 0 }, { 0xffffffff, 0 }, { 0, -8 }, { 0, 8 } };
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		buf_clear(&bytes);
		buf_clear(&found);
		err_clear(&e);
		fatbin_make(bad, 2, faults[i].total_add, &bytes);
		if (faults[i].header) {
			memcpy(bytes.p + 16 + 112 + 200 + 4, &faults[i].header, 4);
		}
		buf_adds(&bytes, "12345678");
		ck_assert_int_eq(scanned(buf_str(&bytes), 64, 8, false, &found, &nunreadable, &e),
			-RC_WHEEL);
		ck_assert_msg(str_has(str_of(e.text), "leaves it"), "%s", e.text);
	}
	buf_release(&bytes);
	buf_release(&found);
}

UNIT(fatbin_scan_reports_a_stream_that_ends_early)
{
	struct buf bytes = BUF_INIT, found = BUF_INIT;
	struct err e = ERR_INIT;
	struct fatbin_scan s;

	fatbin_make(two, 2, 0, &bytes);
	fatbin_scan_init(&s, bytes.n, 8, entry_write, &found);
	ck_assert_int_eq(fatbin_scan_add(&s, bytes.p, bytes.n - 1, &e), 0);
	ck_assert_int_eq(fatbin_scan_end(&s, &e), -RC_WHEEL);
	ck_assert_int_eq(fatbin_scan_add(&s, bytes.p, 2, &e), -RC_BUG);
	buf_release(&bytes);
	buf_release(&found);
}

static int entry_stop(void *context, const struct fatbin_entry *entry, struct err *e)
{
	(void)entry;
	(void)context;
	return err_set(e, RC_HOLE, "stop");
}

UNIT(fatbin_scan_stops_when_told)
{
	struct buf bytes = BUF_INIT;
	struct err e = ERR_INIT;
	struct fatbin_scan s;

	fatbin_make(two, 2, 0, &bytes);
	fatbin_scan_init(&s, bytes.n, 8, entry_stop, NULL);
	ck_assert_int_eq(fatbin_scan_add(&s, bytes.p, bytes.n, &e), -RC_HOLE);
	ck_assert(fatbin_is(buf_str(&bytes)));
	ck_assert(!fatbin_is(str_first(buf_str(&bytes), 7)));
	buf_release(&bytes);
}

/* ---- payloads ---- */

struct payloads {
	struct buf got;
	size_t first; /* bytes of each that are wanted */
	size_t came;  /* of the one that comes in */
};

static int entry_want(void *context, const struct fatbin_entry *entry, struct err *e)
{
	struct payloads *p = context;

	(void)e;
	buf_addf(&p->got, "%u:", entry->sm);
	p->came = 0;
	return entry->kind == 2 ? FATBIN_WANT : FATBIN_SKIP;
}

static int payload_take(void *context, const void *bytes, size_t n, struct err *e)
{
	struct payloads *p = context;
	size_t wanted = p->first - p->came;

	(void)e;
	buf_add(&p->got, bytes, n < wanted ? n : wanted);
	p->came += n;
	return p->came < p->first ? FATBIN_WANT : FATBIN_SKIP;
}

UNIT(fatbin_scan_hands_on_what_is_wanted_of_payloads)
{
	static const struct made_entry three[] = {
		{ .kind = 2, .sm = 90, .header = 80, .payload = { "<abcdefgh>......", 16 } },
		{ .kind = 1, .sm = 80, .payload = { "not wanted......", 16 } },
		{ .kind = 2, .sm = 100, .payload = { "<ijklmnop>......", 16 } },
	};
	static const struct {
		size_t first;
		const char *got;
	} cases[] = {
		{ 1, "90:<80:100:<90:<" },
		{ 10, "90:<abcdefgh>80:100:<ijklmnop>90:<abcdefgh>" },
		{ 100, "90:<abcdefgh>......80:100:<ijklmnop>......90:<abcdefgh>......" },
	};
	CLEANUP_BUF struct buf bytes = BUF_INIT;

	fatbin_make(three, 3, 0, &bytes);
	fatbin_make(three, 1, 0, &bytes);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (size_t piece = 1; piece < bytes.n + 10; piece++) {
			struct payloads p = { .first = cases[i].first };
			struct str rest = buf_str(&bytes);
			struct err e = ERR_INIT;
			struct fatbin_scan s;

			fatbin_scan_init(&s, bytes.n, 8, entry_want, &p);
			s.payload = payload_take;
			for (; rest.n; rest = str_skip(rest, piece)) {
				struct str part = str_first(rest, piece);

				ck_assert_int_eq(fatbin_scan_add(&s, part.p, part.n, &e), 0);
			}
			ck_assert_int_eq(fatbin_scan_end(&s, &e), 0);
			ck_assert_str_eq(p.got.p, cases[i].got);
			buf_release(&p.got);
		}
	}
}

/* CUDA 2 and 3: a magic and a version of 8 bytes each, then pointers. */
UNIT(fatbin_scan_knows_the_old_form)
{
	static const struct {
		const char *bytes;
		size_t nold;
	} cases[] = {
		{ "\1\x5a\xe5\x1e\0\0\0\0\4\0\0\0\0\0\0\0", 1 },
		{ "\1\x5a\xe5\x1e\0\0\0\0\0\0\0\0\0\0\0\0", 0 },
		{ "\1\x5a\xe5\x1e\0\0\0\0\4\0\0\0\1\0\0\0", 0 },
		{ "\1\x5a\xe5\x1e\1\0\0\0\4\0\0\0\0\0\0\0", 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (size_t piece = 1; piece < 400; piece += 3) {
			CLEANUP_BUF struct buf bytes = BUF_INIT, found = BUF_INIT;
			struct err e = ERR_INIT;
			size_t nunreadable = 9;

			buf_add(&bytes, cases[i].bytes, 16);
			fatbin_make(two, 2, 0, &bytes);
			ck_assert_int_eq(
				scanned(buf_str(&bytes), piece, 8, false, &found, &nunreadable, &e),
				0);
			ck_assert_str_eq(found.p, TWO_TEXT);
			ck_assert_uint_eq(nunreadable, cases[i].nold);
		}
	}
}

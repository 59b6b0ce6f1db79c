/* Wheels that lie: one row each; every one is refused with its own reason, by the first step that
 * can. */
#include "tests/unit/unit.h"
#include "tests/unit/wheel_maker.h"

#include <stdio.h>

enum {
	INIT,
	DATA,
	METADATA,
	WHEEL,
	RECORD
}; /* the members of the honest wheel that a lie changes */

static void honest(struct wheel_maker *m)
{
	struct buf text = BUF_INIT;

	for (int i = 0; i < 2000; i++) {
		buf_adds(&text, "many words that repeat; ");
	}
	wheel_maker_add(m, "demo/__init__.py", STR("x = 1\n"));
	wheel_maker_add(m, "demo/data.txt", buf_str(&text));
	wheel_maker_info(m, "");
	wheel_maker_record(m);
	buf_release(&text);
}

#define V(index) m->members.v[index]

/* Another member before RECORD is made anew. */
static struct made_member *add_listed(struct wheel_maker *m, const char *name, struct str bytes)
{
	m->members.n = RECORD;
	size_t i = m->members.n;
	wheel_maker_add(m, name, bytes);
	wheel_maker_record(m);
	return &m->members.v[i];
}

static void same_bytes_twice_make(struct wheel_maker *m)
{
	struct made_member *twin = wheel_maker_add(m, "demo/twin.py", V(INIT).bytes);

	twin->is_virtual = true;
	twin->packed = STR("");
	twin->packed_add = 8;
}

static void unlisted_large_make(struct wheel_maker *m)
{
	V(DATA).is_unlisted = true;
	V(DATA).packed = (struct str){ arena_alloc(&m->arena, 70000), 70000 };
}

/* The first member's bytes begin at offset 31, and hold a tar header's checksum where tar has it:
 * the octal sum of the first 512 bytes of the file, its own place (148 to 155) counted as spaces.
 * Its CRC stands in a descriptor, behind them. */
static void also_a_tar_make(struct wheel_maker *m)
{
	enum { AT = 31, SIZE = 600, SUM_AT = 148 };
	char *p = arena_alloc(&m->arena, SIZE), text[8];
	struct buf bytes = BUF_INIT;
	unsigned sum = 8 * ' ';

	for (size_t i = RECORD; i > 0; i--) {
		V(i) = V(i - 1);
	}
	V(0) = (struct made_member){ .name = STR("a"), .bytes = { p, SIZE }, .descriptor = 16 };
	wheel_maker_write(m, &bytes);
	for (size_t i = 0; i < 512; i++) {
		sum += i >= SUM_AT && i < SUM_AT + 8 ? 0 : (unsigned char)bytes.p[i];
	}
	snprintf(text, sizeof(text), "%06o", sum);
	for (size_t i = 0; i < 6; i++) {
		p[SUM_AT - AT + i] = text[i];
	}
	wheel_maker_record(m);
	buf_release(&bytes);
}

enum step { OPEN = 1, READ_METADATA, CHECK };

#define LIE(step, name, text, ...)              \
	static void name(struct wheel_maker *m) \
	{                                       \
		__VA_ARGS__;                    \
	}
#include "tests/unit/wheel_lies.def"
#undef LIE

static const struct hostile {
	const char *name;
	void (*lie)(struct wheel_maker *m);
	enum step step;
	const char *text; /* part of the message */
} cases[] = {
#define LIE(step, name, text, ...) { #name, name, step, text },
#include "tests/unit/wheel_lies.def"
#undef LIE
};

static enum step refused_at(struct str file, struct wheel_source *source, struct err *e)
{
	const struct wheel_metadata *md;
	struct wheel *w = NULL;
	enum step at = 0;

	if (wheel_open(source, file, &w, e)) {
		return OPEN;
	}
	if (wheel_metadata(w, &md, e)) {
		at = READ_METADATA;
	} else if (wheel_check_record(w, e)) {
		at = CHECK;
	}
	wheel_close(w);
	return at;
}

UNIT(wheel_refuses_every_lie)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct wheel_maker m = WHEEL_MAKER("demo-1.0-py3-none-any.whl");
		struct buf bytes = BUF_INIT;
		struct err e = ERR_INIT;
		struct made_source s = { .reads = 0 };

		honest(&m);
		cases[i].lie(&m);
		wheel_maker_write(&m, &bytes);
		s.bytes = buf_str(&bytes);
		struct wheel_source source = made_source_open(&s);
		enum step at = refused_at(m.file, &source, &e);
		ck_assert_msg(at == cases[i].step, "%s: refused at step %d, not %d: %s",
			cases[i].name, at, cases[i].step, e.text);
		ck_assert_msg(
			e.rc == RC_WHEEL, "%s: rc %s: %s", cases[i].name, err_reason(e.rc), e.text);
		ck_assert_msg(str_has(str_of(e.text), cases[i].text), "%s: \"%s\" lacks \"%s\"",
			cases[i].name, e.text, cases[i].text);
		ck_assert_msg(
			str_starts(str_of(e.text), arena_dup(&m.arena, m.file)), "%s", e.text);
		buf_release(&bytes);
		wheel_maker_release(&m);
	}
}

/* A wheel cut at any byte, and with any one byte of its structure changed, is refused or means the
 * same. */
UNIT(wheel_survives_every_cut)
{
	struct wheel_maker m = WHEEL_MAKER("demo-1.0-py3-none-any.whl");
	struct buf bytes = BUF_INIT;

	honest(&m);
	wheel_maker_write(&m, &bytes);
	for (size_t n = 0; n < bytes.n; n++) {
		struct made_source s = { .bytes = { bytes.p, n } };
		struct wheel_source source = made_source_open(&s);
		struct err e = ERR_INIT;

		ck_assert_int_eq(refused_at(m.file, &source, &e), OPEN);
		ck_assert_int_eq(e.rc, RC_WHEEL);
	}
	buf_release(&bytes);
	wheel_maker_release(&m);
}

UNIT(wheel_contents_are_bound_by_every_byte)
{
	struct wheel_maker m = WHEEL_MAKER("demo-1.0-py3-none-any.whl");
	struct buf bytes = BUF_INIT;
	size_t accepted = 0;

	honest(&m);
	wheel_maker_write(&m, &bytes);
	for (size_t i = 0; i < bytes.n; i++) {
		struct made_source s = { .bytes = buf_str(&bytes) };
		struct wheel_source source = made_source_open(&s);
		struct err e = ERR_INIT;

		bytes.p[i] ^= 0x10;
		accepted += refused_at(m.file, &source, &e) == 0;
		bytes.p[i] ^= 0x10;
	}
	/* Versions, times, levels and attributes may change: per member 10 bytes of the local
	 * header (of which nothing is used) and 18 of the central record, plus the bytes of deflate
	 * that mean nothing. */
	ck_assert_uint_lt(accepted, m.members.n * 32);
	buf_release(&bytes);
	wheel_maker_release(&m);
}

UNIT(wheel_refuses_over_the_limits)
{
	struct wheel_maker m = WHEEL_MAKER("demo-1.0-py3-none-any.whl");
	struct buf bytes = BUF_INIT;
	struct err e = ERR_INIT;
	struct made_source s = { .reads = 0 };

	honest(&m);
	m.zip64 = m.is_saturated = true;
	m.count64_add = 300000;
	wheel_maker_write(&m, &bytes);
	s.bytes = buf_str(&bytes);
	struct wheel_source source = made_source_open(&s);
	ck_assert_int_eq(refused_at(m.file, &source, &e), OPEN);
	ck_assert_int_eq(e.rc, RC_LIMIT);
	buf_release(&bytes);
	wheel_maker_release(&m);
}

UNIT(wheel_refuses_a_decompression_bomb)
{
	struct wheel_maker m = WHEEL_MAKER("demo-1.0-py3-none-any.whl");
	struct buf bytes = BUF_INIT;
	struct err e = ERR_INIT;
	struct made_source s = { .reads = 0 };
	size_t n = 65 << 20;

	wheel_maker_add(&m, "demo/zeros", (struct str){ arena_alloc(&m.arena, n), n });
	wheel_maker_info(&m, "");
	wheel_maker_write(&m, &bytes);
	s.bytes = buf_str(&bytes);
	struct wheel_source source = made_source_open(&s);
	ck_assert_int_eq(refused_at(m.file, &source, &e), OPEN);
	ck_assert_int_eq(e.rc, RC_WHEEL);
	ck_assert_msg(str_has(str_of(e.text), "a decompression bomb"), "%s", e.text);
	buf_release(&bytes);
	wheel_maker_release(&m);
}

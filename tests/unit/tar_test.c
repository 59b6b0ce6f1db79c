#include "manifests/tar.h"
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

static int read_back(struct str blocks, struct tar_member *m, struct err *e)
{
	size_t more = 0;
	int r = tar_read_header(str_first(blocks, TAR_BLOCK), &more, m, e);

	if (!r && more) {
		ck_assert_uint_eq(TAR_BLOCK + more, blocks.n);
		r = tar_read_header(blocks, &more, m, e);
	}
	return r;
}

static void check_round_trip(struct str path, uint64_t size, size_t blocks)
{
	CLEANUP_BUF struct buf b = BUF_INIT;
	struct tar_member m;
	struct err e = ERR_INIT;

	tar_put_header(&b, path, size, 1764500000);
	ck_assert_uint_eq(b.n, blocks * TAR_BLOCK);
	ck_assert_msg(read_back(buf_str(&b), &m, &e) == 0, "%s", e.text);
	ck_assert(str_eq(m.path, path));
	ck_assert_uint_eq(m.size, size);
	ck_assert_uint_eq(m.mtime, 1764500000);
	ck_assert(!m.is_end);
}

UNIT(tar_headers_round_trip)
{
	char name[401];

	memset(name, 'n', sizeof(name));
	check_round_trip(STR("manifest.json"), 0, 1);
	check_round_trip(STR("a/b"), 123456789, 1);
	check_round_trip((struct str){ name, 100 }, 1, 1);
	check_round_trip((struct str){ name, 101 }, 1, 3);
	check_round_trip((struct str){ name, 400 }, 1, 3);
	check_round_trip(STR("big"), (UINT64_C(1) << 33) - 1, 1);
	check_round_trip(STR("big"), UINT64_C(1) << 33, 3);
	check_round_trip((struct str){ name, 399 }, UINT64_C(1) << 39, 3);
	name[70] = '/'; /* fits as prefix and name */
	check_round_trip((struct str){ name, 171 }, 5, 1);
	check_round_trip((struct str){ name, 172 }, 5, 3);
}

/* Any single changed byte of a header is refused, or is a header that says something else. */
UNIT(tar_refuses_every_changed_byte)
{
	CLEANUP_BUF struct buf b = BUF_INIT;
	size_t refused = 0;

	tar_put_header(&b, STR("files/x"), 77, 1764500000);
	for (size_t i = 0; i < TAR_BLOCK; i++) {
		struct tar_member m;
		struct err e = ERR_INIT;
		char old = b.p[i];

		b.p[i] = (char)(old ^ 1);
		if (read_back(buf_str(&b), &m, &e)) {
			ck_assert_int_eq(e.rc, RC_BUNDLE_MEMBER);
			refused++;
		}
		b.p[i] = old;
	}
	ck_assert_uint_eq(refused, TAR_BLOCK); /* the checksum covers all of them */
}

UNIT(tar_refuses_other_kinds)
{
	static const struct {
		size_t at;
		const char *bytes;
	} cases[] = {
		{ 156, "1" }, { 156, "2" }, { 156, "5" }, { 156, "L" }, { 156, "g" }, { 156, "S" },
		{ 100, "0000755" }, { 108, "0001750" }, { 265, "root" }, { 157, "target" },
		{ 124, "-0000000001" }, { 124, "\x80" }, { 136, "99999999999" }, { 257, "ustar  " },
	};

	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		CLEANUP_BUF struct buf b = BUF_INIT;
		struct tar_member m;
		struct err e = ERR_INIT;
		unsigned sum = 0;
		char text[8];

		tar_put_header(&b, STR("files/x"), 77, 1764500000);
		memcpy(b.p + cases[c].at, cases[c].bytes, strlen(cases[c].bytes));
		memset(b.p + 148, ' ', 8);
		for (size_t i = 0; i < TAR_BLOCK; i++) {
			sum += (unsigned char)b.p[i];
		}
		snprintf(text, sizeof(text), "%06o", sum & 0777777);
		memcpy(b.p + 148, text, 7);
		ck_assert_msg(read_back(buf_str(&b), &m, &e) != 0, "case %zu is taken", c);
		ck_assert_int_eq(e.rc, RC_BUNDLE_MEMBER);
	}
}

UNIT(tar_refuses_other_pax_records)
{
	static const char *const records[] = { "30 mtime=1350244992.023960108\n", "14 path=/etc/x\n",
		"11 path=ab\n", "x", "9999 path=abc\n", "12 size=999\n", "13 comment=x\n" };

	for (size_t c = 0; c < sizeof(records) / sizeof(records[0]); c++) {
		CLEANUP_BUF struct buf b = BUF_INIT, file = BUF_INIT;
		struct tar_member m;
		struct err e = ERR_INIT;
		char name[200], zero[TAR_BLOCK] = { 0 };

		memset(name, 'p', sizeof(name));
		tar_put_header(&file, (struct str){ name, 150 }, 1, 1); /* pax, its data, the file's own */
		buf_addstr(&b, str_first(buf_str(&file), TAR_BLOCK));
		buf_adds(&b, records[c]);
		buf_add(&b, zero, TAR_BLOCK - strlen(records[c]));
		buf_addstr(&b, str_skip(buf_str(&file), 2 * TAR_BLOCK));
		ck_assert_msg(read_back(buf_str(&b), &m, &e) != 0, "record %zu is taken", c);
	}
}

UNIT(tar_knows_the_end_marker)
{
	char zero[TAR_BLOCK] = { 0 };
	struct tar_member m;
	struct err e = ERR_INIT;
	size_t more;

	ck_assert_int_eq(tar_read_header((struct str){ zero, TAR_BLOCK }, &more, &m, &e), 0);
	ck_assert(m.is_end);
}

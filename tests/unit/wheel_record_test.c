/* RECORD: the rows it may have, and every way in which it can be wrong. */
#include "tests/unit/unit.h"
#include "tests/unit/wheel_maker.h"

#include "verify/record_csv.h"
#include "verify/sha512.h"

#include <stdio.h>
#include <string.h>

/* Digests of "x = 1\n". */
#define SHA256 "sha256=nia_NpkRxFwkPGhBR7I_yeHc_PJX0pmhxjIBam_NM_Q"
#define SHA512                                                      \
	"sha512=e73veyKgykOKZRFOeqVV-RiHar0CPb8GFYkM-jCLUlHBkx-rU_" \
	"sUNgozT0yN7lCJ48E3W_3uNVShst_MuAk21g"

static int csv_of(
	const char *text, struct arena *a, struct record_row **rows, size_t *n, struct err *e)
{
	return record_csv_parse(a, str_of(text), rows, n, e);
}

UNIT(record_csv_reads_rows)
{
	struct arena a = ARENA_INIT;
	struct record_row *rows = NULL;
	struct err e = ERR_INIT;
	size_t n = 0;

	ck_assert_int_eq(csv_of("a,b,1\r\n\n\"c,\"\"d\"\"\",,\nlast,h,", &a, &rows, &n, &e), 0);
	ck_assert_uint_eq(n, 3);
	ck_assert(str_is(rows[0].path, "a") && str_is(rows[0].hash, "b") &&
		  str_is(rows[0].size, "1"));
	ck_assert(str_is(rows[1].path, "c,\"d\"") && rows[1].hash.n == 0 && rows[1].line == 3);
	ck_assert(str_is(rows[2].path, "last") && str_is(rows[2].hash, "h") && rows[2].line == 4);
	ck_assert_int_eq(csv_of("", &a, &rows, &n, &e), 0);
	ck_assert_uint_eq(n, 0);
	arena_release(&a);
}

UNIT(record_csv_refuses_what_is_no_row)
{
	static const char *const texts[] = {
		"a,b",
		"a",
		"a,b,1,2\n",
		"\"a,b,1\n",
		"a\"b,c,1\n",
		"\"a\"b,c,1\n",
		"a,b,1\rc,d,2\n",
		"\"",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct arena a = ARENA_INIT;
		struct record_row *rows = NULL;
		struct err e = ERR_INIT;
		size_t n = 0;

		ck_assert_msg(csv_of(texts[i], &a, &rows, &n, &e) == -RC_WHEEL, "%s", texts[i]);
		ck_assert(str_starts(str_of(e.text), "line 1: "));
		arena_release(&a);
	}
}

/* RECORD of a wheel whose other members are demo.py ("x = 1\n"), METADATA and WHEEL; %s is
 * demo.py's row, those of the others are right. */
static int record_verdict(const char *rows, bool only_these, struct err *e)
{
	struct wheel_maker m = WHEEL_MAKER("demo-1.0-py3-none-any.whl");
	struct buf text = BUF_INIT, bytes = BUF_INIT;
	struct made_source s = { .reads = 0 };
	struct wheel *w = NULL;

	wheel_maker_add(&m, "demo/", STR(""));
	wheel_maker_add(&m, "demo.py", STR("x = 1\n"));
	wheel_maker_info(&m, "");
	struct str whole = wheel_maker_record(&m)->bytes, line;
	str_cut(&whole, '\n', &line);
	ck_assert(str_has(line, SHA256));
	buf_adds(&text, rows);
	if (!only_these) {
		buf_addstr(&text, whole);
	}
	m.members.v[m.members.n - 1].bytes = buf_str(&text);
	wheel_maker_write(&m, &bytes);
	s.bytes = buf_str(&bytes);
	struct wheel_source source = made_source_open(&s);
	ck_assert_msg(wheel_open(&source, m.file, &w, e) == 0, "%s", e->text);
	int rc = wheel_check_record(w, e);
	wheel_close(w);
	buf_release(&text);
	buf_release(&bytes);
	wheel_maker_release(&m);
	return rc;
}

UNIT(record_accepts_what_the_specification_allows)
{
	static const char *const rows[] = {
		"demo.py," SHA256 ",6\n",
		"\"demo.py\",\"" SHA256 "\",\"6\"\r\n",
		"demo.py," SHA256 ",\n",
		"\n\ndemo.py," SHA256 ",6\n\n",
		"demo.py,sha384=2Ce4lYIFgerCBE9pWgSgz-9mHzfuOwRgpljykGGUIg6xgKQz2N-zpYv47plg8Bkn,"
		"6\n",
		"demo.py," SHA512 ",6\n",
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct err e = ERR_INIT;

		ck_assert_msg(record_verdict(rows[i], false, &e) == 0, "%zu: %s", i, e.text);
	}
}

UNIT(record_refuses_every_wrong_row)
{
	static const struct {
		const char *rows, *text;
	} cases[] = {
		{ "", "RECORD does not list \"demo.py\"" },
		{ "demo.py," SHA256 ",6\ndemo.py," SHA256 ",6\n",
			"line 2: \"demo.py\" is listed twice" },
		{ "demo.py," SHA256 ",7\n", "\"demo.py\" has another size than the file" },
		{ "demo.py," SHA256 ",six\n", "has a size that is no number" },
		{ "demo.py," SHA256 ",-6\n", "has a size that is no number" },
		{ "demo.py,sha256=Aia_NpkRxFwkPGhBR7I_yeHc_PJX0pmhxjIBam_NM_Q,6\n",
			"\"demo.py\" has another digest than the file" },
		{ "demo.py,sha512=A73veyKgykOKZRFOeqVV-RiHar0CPb8GFYkM-jCLUlHBkx-rU_sUNgozT0yN"
		  "7lCJ48E3W_3uNVShst_MuAk21g,6\n",
			"\"demo.py\" has another digest than the file" },
		{ "demo.py,,6\n", "\"demo.py\" has no digest" },
		{ "demo.py,,\n", "\"demo.py\" has no digest" },
		{ "demo.py,md5=3q2-7w,6\n", "none of sha256, sha384 and sha512" },
		{ "demo.py,sha1=3q2-7w,6\n", "none of sha256, sha384 and sha512" },
		{ "demo.py,SHA256=nia_NpkRxFwkPGhBR7I_yeHc_PJX0pmhxjIBam_NM_Q,6\n",
			"none of sha256" },
		{ "demo.py,nia_NpkRxFwkPGhBR7I_yeHc_PJX0pmhxjIBam_NM_Q,6\n", "none of sha256" },
		{ "demo.py," SHA256 "=,6\n", "no unpadded base64url" },
		{ "demo.py,sha256=nia_NpkRxFwkPGhBR7I_/eHc_PJX0pmhxjIBam_NM_Q,6\n",
			"no unpadded base64url" },
		{ "demo.py,sha256=K9VZ,6\n", "no unpadded base64url" },
		{ "demo.py,sha256=,6\n", "no unpadded base64url" },
		{ "demo.py," SHA256 ",6\nother.py," SHA256 ",6\n",
			"\"other.py\" is not a file of the wheel" },
		{ "demo.py," SHA256 ",6\ndemo/,,\n", "\"demo/\" is not a file of the wheel" },
		{ "../demo.py," SHA256 ",6\n", "\"../demo.py\": unsafe name" },
		{ "/demo.py," SHA256 ",6\n", "\"/demo.py\": unsafe name" },
		{ "a\\demo.py," SHA256 ",6\n", "unsafe name: it has a backslash" },
		{ "demo.py," SHA256 "\n", "line 1: not three fields" },
		{ "demo.py\n", "line 1: not three fields" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err e = ERR_INIT;

		ck_assert_msg(record_verdict(cases[i].rows, false, &e) == -RC_WHEEL, "%zu", i);
		ck_assert_msg(str_has(str_of(e.text), cases[i].text), "%zu: \"%s\" lacks \"%s\"", i,
			e.text, cases[i].text);
		ck_assert(str_starts(str_of(e.text), "demo-1.0-py3-none-any.whl: RECORD"));
	}
	struct err e = ERR_INIT;
	ck_assert_int_eq(
		record_verdict("demo-1.0.dist-info/RECORD," SHA256 ",6\n", true, &e), -RC_WHEEL);
	ck_assert(str_has(str_of(e.text), "cannot have its own digest"));
}

UNIT(record_must_be_there)
{
	struct wheel_maker m = WHEEL_MAKER("demo-1.0-py3-none-any.whl");
	struct buf bytes = BUF_INIT;
	struct made_source s = { .reads = 0 };
	struct err e = ERR_INIT;
	struct wheel *w = NULL;

	wheel_maker_info(&m, "");
	wheel_maker_write(&m, &bytes);
	s.bytes = buf_str(&bytes);
	struct wheel_source source = made_source_open(&s);
	ck_assert_int_eq(wheel_open(&source, m.file, &w, &e), 0);
	ck_assert_int_eq(wheel_check_record(w, &e), -RC_WHEEL);
	ck_assert_str_eq(e.text, "demo-1.0-py3-none-any.whl: it has no RECORD");
	wheel_close(w);
	buf_release(&bytes);
	wheel_maker_release(&m);
}

UNIT(record_signatures_need_no_row)
{
	struct wheel_maker m = WHEEL_MAKER("demo-1.0-py3-none-any.whl");
	struct buf bytes = BUF_INIT;
	struct made_source s = { .reads = 0 };
	struct err e = ERR_INIT;
	struct wheel *w = NULL;

	wheel_maker_info(&m, "");
	wheel_maker_record(&m);
	wheel_maker_add(&m, "demo-1.0.dist-info/RECORD.jws", STR("{}"));
	wheel_maker_add(&m, "demo-1.0.dist-info/RECORD.p7s", STR("x"));
	wheel_maker_write(&m, &bytes);
	s.bytes = buf_str(&bytes);
	struct wheel_source source = made_source_open(&s);
	ck_assert_int_eq(wheel_open(&source, m.file, &w, &e), 0);
	ck_assert_msg(wheel_check_record(w, &e) == 0, "%s", e.text);
	wheel_close(w);
	buf_release(&bytes);
	wheel_maker_release(&m);
}

static void hex_of(const uint8_t *p, size_t n, char *out)
{
	for (size_t i = 0; i < n; i++) {
		snprintf(out + 2 * i, 3, "%02x", p[i]);
	}
}

/* FIPS 180-4's examples, and lengths around the padding's edge, against another implementation. */
static const struct {
	size_t n; /* of "a"; 0: "abc" */
	const char *sha512, *sha384;
} known_answers[] = {
	{ 0,
		"ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a27"
		"4fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
		"cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1"
		"e7cc2358baeca134c825a7" },
	{ 1,
		"1f40fc92da241694750979ee6cf582f2d5d7d28e18335de05abc54d0560e0f5302860c652b"
		"f08d560252aa5e74210546f369fbbbce8c12cfc7957b2652fe9a75",
		"54a59b9f22b0b80880d8427e548b7c23abd873486e1f035dce9cd697e85175033caa88e6d5"
		"7bc35efae0b5afd3145f31" },
	{ 111,
		"fa9121c7b32b9e01733d034cfc78cbf67f926c7ed83e82200ef86818196921760b4beff484"
		"04df811b953828274461673c68d04e297b0eb7b2b4d60fc6b566a2",
		"3c37955051cb5c3026f94d551d5b5e2ac38d572ae4e07172085fed81f8466b8f90dc23a8ff"
		"cdea0b8d8e58e8fdacc80a" },
	{ 112,
		"c01d080efd492776a1c43bd23dd99d0a2e626d481e16782e75d54c2503b5dc32bd05f0f1ba"
		"33e568b88fd2d970929b719ecbb152f58f130a407c8830604b70ca",
		"187d4e07cb306103c69967bf544d0dfbe9042577599c73c330abc0cb64c61236d5ed565ee1"
		"9119d8c31779a38f791fcd" },
	{ 127,
		"828613968b501dc00a97e08c73b118aa8876c26b8aac93df128502ab360f91bab50a51e088"
		"769a5c1eff4782ace147dce3642554199876374291f5d921629502",
		"9bd06b1763c2cf7aef40e795dc65bc96d59c41b537f3ad72ebdefd485476b5717c1aeb37c3"
		"27fe9c1831b12b9efd08ae" },
	{ 128,
		"b73d1929aa615934e61a871596b3f3b33359f42b8175602e89f7e06e5f658a243667807ed3"
		"00314b95cacdd579f3e33abdfbe351909519a846d465c59582f321",
		"edb12730a366098b3b2beac75a3bef1b0969b15c48e2163c23d96994f8d1bef760c7e27f3c"
		"464d3829f56c0d53808b0b" },
	{ 129,
		"4f681e0bd53cda4b5a2041cc8a06f2eabde44fb16c951fbd5b87702f07aeab611565b19c47"
		"fde30587177ebb852e3971bbd8d3fd30da18d71037dfbd98420429",
		"39b6f5a7b0e781dbc419f72e49b30eaac10f2c98c4403bc610da31067fd1b48f324138c861"
		"5d2b496d08d73d5e865326" },
	{ 240,
		"4c296d90c61052a62ffb1dd196f1b7b09373b1f93e71836baebf89690546b7595684dbe946"
		"7a8e484fa0d1094272b4344a7c24f5fee8daedeb0bf549c985ab5f",
		"4d86957beab348a29180f02d02564ac1d32f5b4c217ece2b038f7c184f0cafc8c8e438eb82"
		"aa03796170e0a7ce8c0675" },
	{ 300,
		"a6a77010dd9696c23831e6549de51724df332c2075039b75fcfe6c2e6de42fbd3c80ed4073"
		"267e00c8c320712c3cdd9d65a96f90a3fe4a58a6b70a103be08e83",
		"0541e349b6d06749a852ae0a68db73f98620879de6b5b3743d7fca7dda0f81d83b0ca596f7"
		"10542ed343f1b4214d508c" },
};

UNIT(sha512_fits_known_answers)
{
	char text[300], hex[2 * SHA512_SIZE + 1];
	uint8_t out[SHA512_SIZE];
	struct sha512 s;

	memset(text, 'a', sizeof(text));
	for (size_t i = 0; i < sizeof(known_answers) / sizeof(known_answers[0]); i++) {
		const char *p = known_answers[i].n ? text : "abc";
		size_t n = known_answers[i].n ? known_answers[i].n : 3;

		sha512_init(&s);
		for (size_t k = 0; k < n; k++) { /* byte by byte */
			sha512_add(&s, p + k, 1);
		}
		sha512_final(&s, out);
		hex_of(out, SHA512_SIZE, hex);
		ck_assert_str_eq(hex, known_answers[i].sha512);
		sha384_init(&s);
		sha512_add(&s, p, n);
		sha512_final(&s, out);
		hex_of(out, SHA384_SIZE, hex);
		ck_assert_str_eq(hex, known_answers[i].sha384);
	}
}

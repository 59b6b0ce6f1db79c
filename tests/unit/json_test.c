#include "manifests/base/json.h"
#include "tests/unit/unit.h"

UNIT(json_refuses)
{
	static const char *const bad[] = { "", "{", "{\"a\":1,\"a\":2}", "{\"a\":{\"b\":1,\"c\":2,\"b\":3}}", "[1] x",
		"\xEF\xBB\xBF[]x", "[\"\xFF\"]", "[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]", "nul", "[1,]", "{'a':1}", "[1e999]", "[\"\\u0000\"]", "[\"\\ud800\"]", "[01]" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct json *v = NULL;
		struct err e = ERR_INIT;

		ck_assert_msg(json_parse(str_of(bad[i]), &v, &e) != 0, "taken: %s", bad[i]);
		ck_assert_int_eq(e.rc, RC_SYNTAX);
	}
}

UNIT(json_numbers_are_exact)
{
	static const struct {
		const char *text;
		int ok;
		uint64_t value;
	} cases[] = { { "[0]", 1, 0 }, { "[9007199254740992]", 1, UINT64_C(1) << 53 },
		{ "[9007199254740994]", 0, 0 }, { "[-1]", 0, 0 }, { "[1.5]", 0, 0 }, { "[1e3]", 0, 0 },
		{ "[\"1\"]", 0, 0 }, { "[true]", 0, 0 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CLEANUP_JSON struct json *v = NULL;
		struct err e = ERR_INIT;
		uint64_t n = 0;

		ck_assert_int_eq(json_parse(str_of(cases[i].text), &v, &e), 0);
		ck_assert_msg((json_to_u64(json_first(v), "n", &n, &e) == 0) == cases[i].ok, "%s",
			cases[i].text);
		ck_assert_uint_eq(n, cases[i].value);
	}
}

UNIT(json_members_have_types)
{
	CLEANUP_JSON struct json *v = NULL;
	struct err e = ERR_INIT;
	struct str s = STR_NULL;
	bool b = false;

	ck_assert_int_eq(json_parse(STR("{\"s\":\"x\\u00e9\",\"b\":true,\"n\":null}"), &v, &e), 0);
	ck_assert_int_eq(json_need_str(v, "s", &s, &e), 0);
	ck_assert(str_is(s, "x\xC3\xA9"));
	ck_assert_int_eq(json_need_bool(v, "b", &b, &e), 0);
	ck_assert(b);
	ck_assert_int_eq(json_opt_str(v, "n", &s, &e), 0);
	ck_assert_int_eq(json_opt_str(v, "absent", &s, &e), 0);
	ck_assert(json_need_str(v, "absent", &s, &e) != 0);
	ck_assert(json_need_str(v, "b", &s, &e) != 0);
	ck_assert(json_opt_bool(v, "s", &b, &e) != 0);
}

UNIT(json_writes_what_it_reads)
{
	CLEANUP_BUF struct buf b = BUF_INIT;
	CLEANUP_JSON struct json *v = NULL;
	struct err e = ERR_INIT;
	struct json_out o;
	struct str s;

	json_out_init(&o, &b, true);
	json_begin_object(&o);
	json_put_key(&o, "a");
	json_begin_array(&o);
	json_put_u64(&o, 7);
	json_put_null(&o);
	json_begin_array(&o);
	json_end_array(&o);
	json_end_array(&o);
	json_str(&o, "b", STR("\"\\\b\f\n\r\t\x01\x7F/\xC3\xA9"));
	json_str(&o, "c", STR("\xFF"));
	json_bool(&o, "d", true);
	json_end_object(&o);
	ck_assert_str_eq(b.p, "{\"a\":[7,null,[]],\"b\":\"\\\"\\\\\\b\\f\\n\\r\\t\\u0001\x7F/\xC3\xA9\","
			      "\"c\":\"\xEF\xBF\xBD\",\"d\":true}");
	ck_assert_int_eq(json_parse(buf_str(&b), &v, &e), 0);
	ck_assert_int_eq(json_need_str(v, "b", &s, &e), 0);
	ck_assert(str_is(s, "\"\\\b\f\n\r\t\x01\x7F/\xC3\xA9"));
}

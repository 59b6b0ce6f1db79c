/* Lists of names out of binaries, as text and back. */
#include "tests/unit/unit.h"

#include "verify/name_list.h"

UNIT(name_list_survives_any_bytes)
{
	static const struct {
		struct str names[4];
		size_t n;
		const char *text;
	} cases[] = {
		{ { { NULL, 0 } }, 0, "" },
		{ { { "", 0 } }, 1, " " },
		{ { { "a", 1 }, { "", 0 }, { "b", 1 } }, 3, "a  b " },
		{ { { "_ZN2at6TensorC1Ev", 17 } }, 1, "_ZN2at6TensorC1Ev " },
		{ { { "a b", 3 }, { "100%", 4 } }, 2, "a%20b 100%25 " },
		{ { { "\n\t\x7f", 3 }, { "\xff\xc3\xa4", 3 } }, 2, "%0a%09%7f %ff%c3%a4 " },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CLEANUP_BUF struct buf text = BUF_INIT;
		struct arena a = ARENA_INIT;
		struct err e = ERR_INIT;
		struct str *names = NULL;
		size_t n = 99;

		name_list_write(cases[i].names, cases[i].n, &text);
		ck_assert_msg(
			str_is(buf_str(&text), cases[i].text), "%zu: \"%s\"", i, cases[i].text);
		ck_assert_int_eq(name_list_read(buf_str(&text), &a, &names, &n, &e), 0);
		ck_assert_uint_eq(n, cases[i].n);
		for (size_t k = 0; k < n; k++) {
			ck_assert(str_eq(names[k], cases[i].names[k]));
		}
		arena_release(&a);
	}
}

UNIT(name_list_refuses_other_spellings)
{
	static const char *const wrong[] = { "a", "a b", "%", "% ", "%4 ", "%41 ", "%2", "%2 ",
		"%2g ", "%2F ", "%FF ", "%00 ", "%0 0 ", "\n ", "a\tb ", "\xc3\xa4 " };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct arena a = ARENA_INIT;
		struct err e = ERR_INIT;
		struct str *names = NULL;
		size_t n = 99;

		ck_assert_msg(name_list_read(str_of(wrong[i]), &a, &names, &n, &e) == -RC_SYNTAX,
			"\"%s\" is taken", wrong[i]);
		ck_assert(!names && n == 99);
		arena_release(&a);
	}
}

UNIT(name_list_sorts_and_drops_doubles)
{
	struct str names[] = { STR("b"), STR("a"), STR("ba"), STR("a"), STR("b"), STR("") };
	const struct str equal[] = { STR("a"), STR("a") };

	ck_assert(!name_list_is_sorted(names, 6));
	ck_assert_uint_eq(name_list_sort(names, 6), 4);
	ck_assert(name_list_is_sorted(names, 4));
	ck_assert(str_is(names[0], "") && str_is(names[1], "a"));
	ck_assert(str_is(names[2], "b") && str_is(names[3], "ba"));
	ck_assert(!name_list_is_sorted(equal, 2));
	ck_assert_uint_eq(name_list_sort(NULL, 0), 0);
}

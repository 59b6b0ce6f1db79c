/* Names of members: which are safe, and how they are shown. */
#include "tests/unit/unit.h"

#include "verify/member_name.h"

#include <string.h>

UNIT(member_name_check_knows_safe_names)
{
	static const char *const good[] = {
		"a",
		"a/b",
		"a/",
		".hidden",
		"a/...x",
		"a b/c",
		"ab:c",
		"1:x",
		"\303\244/\342\202\254",
		"..a",
		"a..b",
	};
	static const struct {
		const char *name, *fault;
	} bad[] = {
		{ "", "it is empty" },
		{ "/", "it is absolute" },
		{ "/a", "it is absolute" },
		{ "c:", "it is absolute" },
		{ "a:b", "it is absolute" },
		{ "Z:/a", "it is absolute" },
		{ "a//b", "empty component" },
		{ "a//", "empty component" },
		{ "..", "\"..\" component" },
		{ "a/..", "\"..\" component" },
		{ "a/./b", "\".\"" },
		{ "./", "\".\"" },
		{ "a/b.", "a dot or a space" },
		{ "a /b", "a dot or a space" },
		{ "a\\b", "a backslash" },
		{ "a\177", "control character" },
		{ "a\x1b[0m", "control character" },
		{ "\300\200", "not UTF-8" },
		{ "\355\240\200", "not UTF-8" },
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct err e = ERR_INIT;

		ck_assert_msg(member_name_check(str_of(good[i]), MEMBER_NAME_ANY_SYSTEM, &e) == 0, "%s", e.text);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct err e = ERR_INIT;

		ck_assert_msg(
			member_name_check(str_of(bad[i].name), MEMBER_NAME_ANY_SYSTEM, &e) == -RC_WHEEL,
			"%s", bad[i].name);
		ck_assert_msg(str_has(str_of(e.text), bad[i].fault), "%s", e.text);
	}
}

UNIT(member_name_may_end_in_a_dot_on_linux)
{
	struct err e = ERR_INIT;

	ck_assert_int_eq(member_name_check(STR("pynvvideocodec./libxcb.so"), MEMBER_NAME_LINUX, &e), 0);
	ck_assert_int_eq(member_name_check(STR("a."), MEMBER_NAME_LINUX, &e), 0);
	ck_assert_int_eq(member_name_check(STR("a/./b"), MEMBER_NAME_LINUX, &e), -RC_WHEEL);
	ck_assert_int_eq(member_name_check(STR("a/.."), MEMBER_NAME_LINUX, &e), -RC_WHEEL);
	ck_assert_int_eq(member_name_check(STR("a "), MEMBER_NAME_LINUX, &e), -RC_WHEEL);
}

UNIT(member_name_is_shown_whole_or_cut_and_always_printable)
{
	char shown[MEMBER_NAME_SHOWN], name[2000];
	struct err e = ERR_INIT;

	ck_assert_str_eq(member_name_show(STR("a\tb\303\244"), shown), "a\\x09b\303\244");
	ck_assert_str_eq(member_name_show(STR("\377\0x"), shown), "\\xff\\x00x");
	for (size_t n = 0; n < sizeof(name); n++) {
		memset(name, 'a', n);
		for (size_t i = n % 3; i + 1 < n; i += 2) {
			memcpy(name + i, "\303\244", 2);
		}
		const char *text = member_name_show((struct str){ name, n }, shown);
		ck_assert_uint_lt(strlen(text), MEMBER_NAME_SHOWN);
		ck_assert(str_is_utf8(str_of(text)));
		ck_assert_int_eq(str_ends(str_of(text), "..."),
			!str_eq(str_of(text), (struct str){ name, n }));
	}
	memset(name, 'a', sizeof(name));
	ck_assert_int_eq(member_name_check((struct str){ name, 1024 }, MEMBER_NAME_LINUX, &e), 0);
	ck_assert_int_eq(member_name_check((struct str){ name, 1025 }, MEMBER_NAME_LINUX, &e), -RC_WHEEL);
	ck_assert(str_has(str_of(e.text), "it is too long"));
}

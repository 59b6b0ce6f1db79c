#include "tests/unit/unit.h"
#include "verify/egg_requires.h"

UNIT(egg_requires_sections_become_markers)
{
	static const char *const expected[] = { "six>=1.9", "numpy ; python_version < \"3.8\"",
		"PySocks!=1.5.7 ; extra == \"socks\"",
		"win-inet-pton ; (sys_platform == \"win32\") and extra == \"socks\"",
		"a ; (os_name == \"nt\") and (extra == \"z\")" };
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct str *list;
	size_t n = 0;

	ck_assert_int_eq(egg_requires_parse(&a, STR("six>=1.9\r\n\n[:python_version < \"3.8\"]\nnumpy\n"
		"[socks]\n# why\nPySocks!=1.5.7\n\n[socks:sys_platform == \"win32\"]\nwin-inet-pton\n"
		"[z]\na ; os_name == \"nt\""), &list, &n, &e), 0);
	ck_assert_uint_eq(n, 5);
	for (size_t i = 0; i < n; i++) {
		ck_assert_msg(str_is(list[i], expected[i]), "%.*s", STR_ARG(list[i]));
	}
	ck_assert_int_eq(egg_requires_parse(&a, STR(""), &list, &n, &e), 0);
	ck_assert_uint_eq(n, 0);
	ck_assert(egg_requires_parse(&a, STR("[socks\nx\n"), &list, &n, &e) != 0);
	arena_release(&a);
}

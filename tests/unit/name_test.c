#include "manifests/name.h"
#include "manifests/limits.h"
#include "tests/unit/unit.h"

#include <string.h>

UNIT(name_valid_and_normal_form)
{
	static const struct {
		const char *name, *normal;
		bool valid;
	} cases[] = {
		{ "torch", "torch", true },
		{ "PyYAML", "pyyaml", true },
		{ "zope.interface", "zope-interface", true },
		{ "flash_attn", "flash-attn", true },
		{ "a-_.B", "a-b", true },
		{ "7zip", "7zip", true },
		{ "A", "a", true },
		{ "0", "0", true },
		{ "", "", false },
		{ "-a", "-a", false },
		{ "a_", "a-", false },
		{ "_.-", "-", false },
		{ "a b", "a b", false },
		{ "a/b", "a/b", false },
		{ "caf\xc3\xa9x", "caf\xc3\xa9x", false },
	};
	struct arena a = ARENA_INIT;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str name = str_of(cases[i].name);

		ck_assert_msg(name_is_valid(name) == cases[i].valid, "%s", cases[i].name);
		ck_assert_str_eq(name_normalize(&a, name), cases[i].normal);
	}
	ck_assert_str_eq(name_normalize(&a, STR_NULL), "");
	ck_assert(!name_is_valid(STR_NULL));
	ck_assert(!name_is_valid((struct str){ "a\0b", 3 }));
	arena_release(&a);
}

UNIT(name_length_is_limited)
{
	char text[LIMIT_NAME + 1];

	memset(text, 'a', sizeof(text));
	ck_assert(name_is_valid((struct str){ text, LIMIT_NAME }));
	ck_assert(!name_is_valid((struct str){ text, LIMIT_NAME + 1 }));
}

UNIT(name_equality_is_of_normal_forms)
{
	static const struct {
		const char *a, *b;
		bool equal;
	} cases[] = {
		{ "PyYAML", "pyyaml", true },
		{ "zope.interface", "zope__interface", true },
		{ "a-.b", "a.b", true },
		{ "", "", true },
		{ "a-", "a_", true },
		{ "a", "a-", false },
		{ "ab", "a-b", false },
		{ "a", "", false },
		{ "torch", "torchvision", false },
		{ "torch", "torcx", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str a = str_of(cases[i].a), b = str_of(cases[i].b);

		ck_assert_msg(name_eq(a, b) == cases[i].equal, "%s %s", cases[i].a, cases[i].b);
		ck_assert_msg(name_eq(b, a) == cases[i].equal, "%s %s", cases[i].b, cases[i].a);
	}
}

/* Releases of the CUDA toolkit in the words of its compilers. */
#include "tests/unit/unit.h"

#include "verify/toolkit_release.h"

UNIT(toolkit_release_is_found_in_text)
{
	static const struct {
		const char *text, *release; /* NULL: none */
	} cases[] = {
		{ "Cuda compilation tools, release 13.2, V13.2.86", "13.2.86" },
		{ "tools, release 12.8, V12.8.0)", "12.8" },
		{ "x, V13.0.88 and, V13.2.9 and, V12.9.100", "13.2.9" },
		{ ", V1.2.3", "1.2.3" },
		{ ", V13.0.", NULL },
		{ ", V13.0", NULL },
		{ ", V13.x.1", NULL },
		{ ", V0.1.1", NULL },
		{ ", V99999.1.1", NULL },
		{ "V13.0.88", NULL },
		{ ",", NULL },
		{ "", NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct toolkit_release r = { .major = 7 };
		CLEANUP_BUF struct buf text = BUF_INIT;
		bool is_found = toolkit_release_find(str_of(cases[i].text), &r);

		toolkit_release_format(r, &text);
		ck_assert_msg(is_found == (cases[i].release != NULL), "%s", cases[i].text);
		ck_assert_str_eq(text.p, cases[i].release ? cases[i].release : "7.0");
	}
}

UNIT(toolkit_release_has_an_order)
{
	static const struct toolkit_release order[] = { { 0, 0, 0 }, { 11, 8, 0 }, { 12, 0, 140 },
		{ 12, 8, 0 }, { 12, 8, 93 }, { 13, 0, 48 } };
	enum { N = sizeof(order) / sizeof(order[0]) };

	for (int i = 0; i < N; i++) {
		for (int k = 0; k < N; k++) {
			ck_assert_int_eq(
				toolkit_release_cmp(order[i], order[k]), (i > k) - (i < k));
		}
	}
}

#include "manifests/dotted.h"
#include "tests/unit/unit.h"

UNIT(dotted_numbers_are_compared_as_numbers)
{
	static const struct {
		const char *a, *b;
		int order;
	} cases[] = {
		{ "2.9", "2.17", -1 },
		{ "3.4.30", "3.4.9", 1 },
		{ "580", "580.65.06", -1 },
		{ "580.65.06", "580.65.6", 0 },
		{ "590", "580.65.06", 1 },
		{ "535.104.05", "535.54.03", 1 },
		{ "", "1", -1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str a = str_of(cases[i].a), b = str_of(cases[i].b);

		ck_assert_msg(dotted_cmp(a, b) == cases[i].order, "%s %s", cases[i].a, cases[i].b);
		ck_assert_msg(dotted_cmp(b, a) == -cases[i].order, "%s %s", cases[i].b, cases[i].a);
	}
}

UNIT(dotted_numbers_are_told_from_words)
{
	ck_assert(dotted_is(STR("2.28")) && dotted_is(STR("3")));
	ck_assert(!dotted_is(STR("")) && !dotted_is(STR("PRIVATE")) && !dotted_is(STR("2.")));
	ck_assert(
		!dotted_is(STR("ABI_DT_RELR")) && !dotted_is(STR("1..2")) && !dotted_is(STR_NULL));
	ck_assert(!dotted_is(STR("99999999999999999999")));
	ck_assert(dotted_begins(STR("580.65.06"), STR("580")) &&
		  dotted_begins(STR("580.65.06"), STR("580.65.6")));
	ck_assert(!dotted_begins(STR("580.65.06"), STR("58")) &&
		  !dotted_begins(STR("580"), STR("580.65")));
}

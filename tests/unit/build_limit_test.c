#include "manifests/build_limit.h"
#include "manifests/specifier.h"
#include "tests/unit/unit.h"

UNIT(build_limits_follow_the_torch_of_the_target)
{
	static const struct {
		const char *torch;
		size_t n;
	} cases[] = { { "", 0 }, { "2.6.0+cu124", 1 }, { "2.8.0", 1 }, { "2.9.0a0+145a3a7", 1 },
		{ "2.9.0+cu128", 0 }, { "2.10.0", 0 }, { "2.11.0+cu130", 0 }, { "1.13.1", 1 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct target t = { .torch = str_of(cases[i].torch) };
		struct build_limit out[BUILD_LIMITS_MAX];

		ck_assert_msg(build_limits(&t, out) == cases[i].n, "%s", cases[i].torch);
		ck_assert(cases[i].n == 0 ||
			  (str_is(out[0].project, "setuptools") && out[0].reason.n));
	}
}

UNIT(build_limits_let_older_tools_through)
{
	struct arena a = ARENA_INIT;
	struct target t = { .torch = STR("2.6.0+cu124") };
	struct build_limit out[BUILD_LIMITS_MAX];
	struct specifier_set set;
	struct version old, new;
	struct err e = ERR_INIT;

	ck_assert_uint_eq(build_limits(&t, out), 1);
	ck_assert_int_eq(specifier_parse(&a, out[0].specifiers, &set, &e), 0);
	ck_assert_int_eq(version_parse(&a, STR("70.2.0"), &old, &e), 0);
	ck_assert_int_eq(version_parse(&a, STR("82.0.1"), &new, &e), 0);
	ck_assert(specifier_contains(&set, &old) && !specifier_contains(&set, &new));
	arena_release(&a);
}

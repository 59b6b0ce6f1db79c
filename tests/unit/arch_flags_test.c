#include "mirror/arch_flags.h"

#include "tests/unit/unit.h"

#include <string.h>

static void check_str(struct str got, const char *want)
{
	ck_assert_msg(str_is(got, want), "got \"%.*s\", want \"%s\"", STR_ARG(got), want);
}

UNIT(arch_flags_spell_every_tool)
{
	static const struct {
		struct gpu gpus[4];
		size_t n;
		const char *torch, *sm, *base, *cmake, *gencode;
	} rows[] = {
		{ { { 9, 0 } }, 1, "9.0", "90", "90", "90-real",
			"-gencode=arch=compute_90,code=sm_90" },
		{ { { 9, 0 }, { 8, 0 } }, 2, "8.0;9.0", "80;90", "80;90", "80-real;90-real",
			"-gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=sm_90" },
		/* Twice the same; the older generation's first stands for 8.6 and 8.9. */
		{ { { 8, 9 }, { 12, 1 }, { 8, 6 }, { 8, 9 } }, 4, "8.6;8.9;12.1", "86;89;121",
			"80;120", "86-real;89-real;121-real",
			"-gencode=arch=compute_86,code=sm_86 -gencode=arch=compute_89,code=sm_89 "
			"-gencode=arch=compute_121,code=sm_121" },
		{ { { 0, 0 } }, 0, "", "", "", "", "" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct arena a = ARENA_INIT;
		struct arch_flags f;

		arch_flags_of(&a, rows[i].gpus, rows[i].n, 2, &f);
		check_str(f.torch, rows[i].torch);
		check_str(f.sm, rows[i].sm);
		check_str(f.base, rows[i].base);
		check_str(f.cmake, rows[i].cmake);
		check_str(f.gencode, rows[i].gencode);
		arena_release(&a);
	}
}

UNIT(arch_flags_fill_values_in)
{
	static const struct {
		const char *pattern, *want; /* NULL: refused */
	} rows[] = {
		{ "", "" },
		{ "TRUE", "TRUE" },
		{ "${arch_list}", "8.0;9.0" },
		{ "-DCMAKE_CUDA_ARCHITECTURES=${cmake_list} -j${jobs}",
			"-DCMAKE_CUDA_ARCHITECTURES=80-real;90-real -j3" },
		{ "${sm_list}/${sm_base_list}", "80;90/80;90" },
		{ "$HOME $ $$ {gencode} }", "$HOME $ $$ {gencode} }" },
		{ "$${jobs}", "$3" },
		{ "${arch_list", NULL },
		{ "${ARCH_LIST}", NULL },
		{ "${}", NULL },
		{ "${jobs}${", NULL },
	};
	const struct gpu gpus[] = { { 8, 0 }, { 9, 0 } };
	struct arena a = ARENA_INIT;
	struct arch_flags f;

	arch_flags_of(&a, gpus, 2, 3, &f);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct err e = ERR_INIT;
		struct str got = STR("untouched");
		int r = arch_flags_fill(&a, &f, str_of(rows[i].pattern), &got, &e);

		if (rows[i].want) {
			ck_assert_msg(r == 0, "%s: %s", rows[i].pattern, e.text);
			check_str(got, rows[i].want);
		} else {
			ck_assert_msg(r == -RC_INVALID, "%s is taken", rows[i].pattern);
			ck_assert_ptr_nonnull(strstr(e.text, "${"));
			check_str(got, "untouched");
		}
	}
	arena_release(&a);
}

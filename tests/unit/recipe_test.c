#include "manifests/recipe.h"

#include "manifests/name.h"
#include "mirror/arch_flags.h"
#include "tests/unit/unit.h"

#include <string.h>

static const char *value_of(const struct recipe *r, const char *name)
{
	for (const struct recipe_env *v = r->env; v->name; v++) {
		if (strcmp(v->name, name) == 0) {
			return v->value;
		}
	}
	return "(unset)";
}

static bool is_needed(const struct recipe *r, const char *project)
{
	for (const char *const *n = r->needs; *n; n++) {
		if (strcmp(*n, project) == 0) {
			return true;
		}
	}
	return false;
}

UNIT(recipe_find_knows_the_exact_words)
{
	static const struct {
		const char *project, *name, *value;
	} rows[] = {
		{ "cuda-kernels", "NVCC_APPEND_FLAGS", "${gencode}" },
		{ "torch-scatter", "FORCE_CUDA", "1" },
		{ "flash-attn", "FLASH_ATTENTION_FORCE_BUILD", "TRUE" },
		{ "flash-attn", "FLASH_ATTN_CUDA_ARCHS", "${sm_base_list}" },
		{ "causal-conv1d", "CAUSAL_CONV1D_FORCE_BUILD", "TRUE" },
		{ "mamba-ssm", "MAMBA_KEEP_CUDA_BUILD", "TRUE" },
		{ "natten", "NATTEN_CUDA_ARCH", "${arch_list}" },
		{ "nv-grouped-gemm", "GROUPED_GEMM_FORCE_BUILD", "TRUE" },
		{ "pygpukit", "CMAKE_CUDA_ARCHITECTURES", "${cmake_list}" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct recipe *r = recipe_find(str_of(rows[i].project));

		ck_assert_str_eq(r->project, rows[i].project);
		ck_assert_str_eq(value_of(r, rows[i].name), rows[i].value);
		ck_assert_int_eq(r->device, RECIPE_DEVICE_YES);
	}
	ck_assert(is_needed(recipe_find(STR("flash-attn")), "psutil"));
	ck_assert(is_needed(recipe_find(STR("torch-scatter")), "torch"));
	ck_assert(is_needed(recipe_find(STR("natten")), "cmake"));
	ck_assert(!is_needed(recipe_find(STR("cuda-kernels")), "torch"));
}

UNIT(recipe_find_falls_back_to_the_general_one)
{
	static const char *const names[] = { "leftpad", "", "flash_attn", "Flash-Attn", "flash" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct recipe *r = recipe_find(str_of(names[i]));

		ck_assert_str_eq(r->project, "");
		ck_assert_int_eq(r->device, RECIPE_DEVICE_IF_CUDA_SOURCES);
		ck_assert_ptr_null(r->needs[0]);
		ck_assert_ptr_null(r->env[0].name);
	}
}

/* What the manifest's canonical form and the building side rely on. */
UNIT(recipe_rows_are_well_formed)
{
	struct arena a = ARENA_INIT;
	struct arch_flags flags;
	const struct gpu gpu = { 9, 0 };
	size_t n = 0;
	const struct recipe *all = recipe_list(&n);

	ck_assert_uint_ge(n, 10);
	arch_flags_of(&a, &gpu, 1, 1, &flags);
	for (size_t i = 0; i < n; i++) {
		ck_assert(i == 0 || str_is(str_of(all[i].project),
					    name_normalize(&a, str_of(all[i].project))));
		ck_assert_uint_gt(strlen(all[i].source), 0);
		for (size_t k = 0; k < i; k++) {
			ck_assert_str_ne(all[i].project, all[k].project);
		}
		for (const char *const *need = all[i].needs; need[0] && need[1]; need++) {
			ck_assert_msg(
				strcmp(need[0], need[1]) < 0, "%s: %s", all[i].project, need[1]);
		}
		for (const struct recipe_env *v = all[i].env; v->name; v++) {
			struct err e = ERR_INIT;
			struct str filled;

			ck_assert_msg(!v[1].name || strcmp(v[0].name, v[1].name) < 0, "%s: %s",
				all[i].project, v[0].name);
			ck_assert_msg(
				arch_flags_fill(&a, &flags, str_of(v->value), &filled, &e) == 0,
				"%s: %s", all[i].project, e.text);
		}
	}
	arena_release(&a);
}

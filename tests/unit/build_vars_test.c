#include "mirror/build_vars.h"

#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

static struct manifest_recipe recipe_of(struct str *names, struct str *values, size_t n)
{
	return (struct manifest_recipe){ .env_names = names, .env_values = values, .nenv = n };
}

UNIT(build_vars_are_fixed_and_sorted)
{
	struct arena a = ARENA_INIT;
	struct build_vars vars;

	setenv("PYTHONPATH", "/evil", 1);
	setenv("https_proxy", "http://proxy/", 1);
	setenv("PIP_INDEX_URL", "http://index/", 1);
	unsetenv("CC");
	setenv("CXX", "/opt/bin/g++", 1);
	build_vars_init(&vars, &a, "/w", "/w/env", "/w/cuda");
	const char *const *list = build_vars_list(&vars);

	ck_assert_str_eq(build_vars_get(&vars, "PATH"),
		"/w/env/bin:/w/cuda/bin:/usr/local/bin:/usr/bin:/bin");
	ck_assert_str_eq(build_vars_get(&vars, "CUDA_HOME"), "/w/cuda");
	ck_assert_str_eq(build_vars_get(&vars, "HOME"), "/w/home");
	ck_assert_str_eq(build_vars_get(&vars, "SOURCE_DATE_EPOCH"), BUILD_EPOCH);
	ck_assert_str_eq(build_vars_get(&vars, "PIP_CONFIG_FILE"), "/dev/null");
	ck_assert_str_eq(build_vars_get(&vars, "CXX"), "/opt/bin/g++");
	for (const char *name = NULL; *list; name = *list++) {
		ck_assert(!name || strcmp(name, *list) < 0);
		ck_assert_ptr_null(strstr(*list, "evil"));
		ck_assert_ptr_null(strstr(*list, "proxy"));
		ck_assert_ptr_null(strstr(*list, "http:"));
		ck_assert(strncmp(*list, "CC=", 3) != 0);
	}
	build_vars_release(&vars);
	build_vars_init(&vars, &a, "/w", "/w/env", NULL);
	ck_assert_ptr_null(build_vars_get(&vars, "CUDA_HOME"));
	ck_assert_str_eq(build_vars_get(&vars, "PATH"), "/w/env/bin:/usr/local/bin:/usr/bin:/bin");
	build_vars_release(&vars);
	arena_release(&a);
}

UNIT(build_vars_take_the_recipe_last)
{
	struct str names[] = { STR("FORCE_CUDA"), STR("MAX_JOBS"), STR("NVCC_APPEND_FLAGS") };
	struct str values[] = { STR("1"), STR("1"), STR("${gencode}") };
	struct manifest_recipe recipe = recipe_of(names, values, 3);
	const struct gpu gpus[] = { { 9, 0 }, { 8, 0 } };
	struct arena a = ARENA_INIT;
	struct arch_flags flags;
	struct build_vars vars;
	struct err e = ERR_INIT;

	arch_flags_of(&a, gpus, 2, 4, &flags);
	build_vars_init(&vars, &a, "/w", "/w/env", "/c");
	ck_assert_msg(build_vars_add_recipe(&vars, &recipe, &flags, &e) == 0, "%s", e.text);
	ck_assert_str_eq(build_vars_get(&vars, "TORCH_CUDA_ARCH_LIST"), "8.0;9.0");
	ck_assert_str_eq(build_vars_get(&vars, "CMAKE_CUDA_ARCHITECTURES"), "80-real;90-real");
	ck_assert_str_eq(build_vars_get(&vars, "FORCE_CUDA"), "1");
	ck_assert_str_eq(
		build_vars_get(&vars, "MAX_JOBS"), "1"); /* the recipe's word is over ours */
	ck_assert_str_eq(build_vars_get(&vars, "MAKEFLAGS"), "-j4");
	ck_assert_str_eq(build_vars_get(&vars, "NVCC_APPEND_FLAGS"),
		"-gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=sm_90");
	values[0] = STR("${what}");
	ck_assert_int_eq(build_vars_add_recipe(&vars, &recipe, &flags, &e), -RC_INVALID);
	ck_assert_ptr_nonnull(strstr(e.text, "FORCE_CUDA"));
	build_vars_release(&vars);
	arena_release(&a);
}

UNIT(build_vars_name_no_architecture_without_gpus)
{
	struct manifest_recipe recipe = recipe_of(NULL, NULL, 0);
	struct arena a = ARENA_INIT;
	struct arch_flags flags;
	struct build_vars vars;
	struct err e = ERR_INIT;

	arch_flags_of(&a, NULL, 0, 1, &flags);
	build_vars_init(&vars, &a, "/w", "/w/env", NULL);
	ck_assert_int_eq(build_vars_add_recipe(&vars, &recipe, &flags, &e), 0);
	ck_assert_ptr_null(build_vars_get(&vars, "TORCH_CUDA_ARCH_LIST"));
	ck_assert_ptr_null(build_vars_get(&vars, "CUDAARCHS"));
	build_vars_release(&vars);
	arena_release(&a);
}

#include "mirror/build_vars.h"

#include "manifests/base/mem.h"

#include <stdlib.h>
#include <string.h>

void build_vars_set(struct build_vars *vars, const char *name, const char *value)
{
	for (size_t i = 0; i < vars->n; i++) {
		if (strcmp(vars->v[i].name, name) == 0) {
			vars->v[i].value = value;
			return;
		}
	}
	if (vars->n == vars->cap) {
		vars->cap = vars->cap ? vars->cap * 2 : 32;
		vars->v = mem_grow(vars->v, vars->cap, sizeof(*vars->v));
	}
	vars->v[vars->n].name = name;
	vars->v[vars->n++].value = value;
}

void build_vars_release(struct build_vars *vars)
{
	free(vars->v);
	*vars = (struct build_vars){ .v = NULL };
}

static void set_cuda(struct build_vars *vars, const char *cuda)
{
	build_vars_set(vars, "CUDA_HOME", cuda);
	build_vars_set(vars, "CUDA_PATH", cuda);
	build_vars_set(vars, "CUDACXX", arena_printf(vars->arena, "%s/bin/nvcc", cuda));
}

/* Which compiler of the machine is to be used is the site's to say. */
static void hand_on(struct build_vars *vars, const char *name)
{
	const char *value = getenv(name);

	if (value && *value) {
		build_vars_set(vars, name, arena_dup(vars->arena, str_of(value)));
	}
}

void build_vars_init(struct build_vars *vars, struct arena *a, const char *root, const char *env,
	const char *cuda)
{
	*vars = (struct build_vars){ .arena = a };
	build_vars_set(vars, "PATH",
		arena_printf(a, "%s/bin:%s%s/usr/local/bin:/usr/bin:/bin", env, cuda ? cuda : "",
			cuda ? "/bin:" : ""));
	build_vars_set(vars, "HOME", arena_printf(a, "%s/home", root));
	build_vars_set(vars, "TMPDIR", arena_printf(a, "%s/tmp", root));
	build_vars_set(vars, "LANG", "C.UTF-8");
	build_vars_set(vars, "SOURCE_DATE_EPOCH", BUILD_EPOCH);
	build_vars_set(vars, "PIP_CONFIG_FILE", "/dev/null");
	build_vars_set(vars, "PIP_NO_INDEX", "1");
	build_vars_set(vars, "PIP_NO_CACHE_DIR", "1");
	build_vars_set(vars, "PIP_DISABLE_PIP_VERSION_CHECK", "1");
	build_vars_set(vars, "PIP_ROOT_USER_ACTION", "ignore");
	build_vars_set(vars, "PYTHONHASHSEED", "0");
	build_vars_set(vars, "PYTHONNOUSERSITE", "1");
	build_vars_set(vars, "PYTHONUNBUFFERED", "1");
	if (cuda) {
		set_cuda(vars, cuda);
	}
	hand_on(vars, "CC");
	hand_on(vars, "CXX");
	hand_on(vars, "NVCC_CCBIN");
}

int build_vars_add_recipe(struct build_vars *vars, const struct manifest_recipe *recipe,
	const struct arch_flags *flags, struct err *e)
{
	struct arena *a = vars->arena;
	const char *jobs = arena_printf(a, "%u", flags->jobs);

	build_vars_set(vars, "MAX_JOBS", jobs);
	build_vars_set(vars, "CMAKE_BUILD_PARALLEL_LEVEL", jobs);
	build_vars_set(vars, "MAKEFLAGS", arena_printf(a, "-j%s", jobs));
	if (flags->sm.n) {
		build_vars_set(vars, "TORCH_CUDA_ARCH_LIST", arena_dup(a, flags->torch));
		build_vars_set(vars, "CMAKE_CUDA_ARCHITECTURES", arena_dup(a, flags->cmake));
		build_vars_set(vars, "CUDAARCHS", arena_dup(a, flags->cmake));
	}
	for (size_t i = 0; i < recipe->nenv; i++) {
		struct str value;

		if (arch_flags_fill(a, flags, recipe->env_values[i], &value, e)) {
			return err_wrap(e, "recipe: variable %.*s", STR_ARG(recipe->env_names[i]));
		}
		build_vars_set(vars, arena_dup(a, recipe->env_names[i]), arena_dup(a, value));
	}
	return 0;
}

const char *build_vars_get(const struct build_vars *vars, const char *name)
{
	for (size_t i = 0; i < vars->n; i++) {
		if (strcmp(vars->v[i].name, name) == 0) {
			return vars->v[i].value;
		}
	}
	return NULL;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char *const *build_vars_list(const struct build_vars *vars)
{
	const char **list = arena_array(vars->arena, vars->n + 1, sizeof(*list));

	for (size_t i = 0; i < vars->n; i++) {
		list[i] = arena_printf(vars->arena, "%s=%s", vars->v[i].name, vars->v[i].value);
	}
	qsort(list, vars->n, sizeof(*list), by_text);
	return list;
}

#include "manifests/recipe.h"

#include <stddef.h>

#define NEEDS(...)                \
	(const char *const[])     \
	{                         \
		__VA_ARGS__, NULL \
	}
#define ENV(...)                    \
	(const struct recipe_env[]) \
	{                           \
		__VA_ARGS__,        \
		{                   \
			NULL, NULL  \
		}                   \
	}
#define RECIPE(project, needs, device, env, source) { project, needs, device, env, source },

static const struct recipe recipes[] = {
#include "manifests/data/recipes.def"
};

const struct recipe *recipe_list(size_t *n)
{
	*n = sizeof(recipes) / sizeof(recipes[0]);
	return recipes;
}

const struct recipe *recipe_find(struct str project)
{
	for (size_t i = 1; i < sizeof(recipes) / sizeof(recipes[0]); i++) {
		if (str_is(project, recipes[i].project)) {
			return &recipes[i];
		}
	}
	return &recipes[0];
}

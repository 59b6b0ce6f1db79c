#include "manifests/cuda_library.h"

#define CUDA_LIBRARY(soname, min_cuda, max_cuda, project) { soname, min_cuda, max_cuda, project },

static const struct cuda_library rows[] = {
#include "manifests/data/cuda_library.def"
};

const struct cuda_library *cuda_library_find(struct str soname)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct str name = str_of(rows[i].soname);

		if (str_ends(name, ".dll") ? str_eq_nocase(soname, name) : str_eq(soname, name)) {
			return &rows[i];
		}
	}
	return NULL;
}

const char *cuda_library_project(struct arena *a, const struct cuda_library *l, unsigned cuda_major)
{
	struct str name = str_of(l->project);

	if (cuda_major < l->min_cuda || cuda_major > l->max_cuda) {
		cuda_major = l->max_cuda;
	}
	if (cuda_major >= 13) {
		return l->project;
	}
	if (str_ends(name, "-cu13")) {
		name.n -= sizeof("-cu13") - 1;
	}
	return arena_printf(a, "%.*s-cu%u", STR_ARG(name), cuda_major);
}

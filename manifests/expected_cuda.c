#include "manifests/expected_cuda.h"

#define MUST true
#define SHOULD false
#define EXPECTED_CUDA(...) \
	EXPECTED_ROW(__VA_ARGS__) /* once MUST and SHOULD are what they stand for */
#define EXPECTED_ROW(project, is_needed, module, also, without, source) \
	{ project, is_needed, module, also, without, source },

static const struct expected_cuda rows[] = {
#include "manifests/data/expected_cuda.def"
};

const struct expected_cuda *expected_cuda_list(size_t *n)
{
	*n = sizeof(rows) / sizeof(rows[0]);
	return rows;
}

const struct expected_cuda *expected_cuda_find(struct str project)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (str_is(project, rows[i].project)) {
			return &rows[i];
		}
	}
	return NULL;
}

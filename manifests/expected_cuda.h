/* Projects that are expected to bring device code (manifests/data/expected_cuda.def). */
#ifndef MANIFESTS_EXPECTED_CUDA_H
#define MANIFESTS_EXPECTED_CUDA_H

#include "manifests/base/str.h"

struct expected_cuda {       /* static texts */
	const char *project; /* normalised */
	bool is_needed;      /* without it the project is of no use on a GPU; else it is slower, or
				compiles later */
	const char *module;  /* how the file name of the module with the kernels begins; "" = any */
	const char *also;    /* how another begins, without which it works in part; "" = none */
	const char *without; /* what a build without does */
	const char *source;
};

const struct expected_cuda *expected_cuda_list(size_t *n);
const struct expected_cuda *expected_cuda_find(struct str project); /* NULL: none */

#endif

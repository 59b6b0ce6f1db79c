/* Which CUDA a library belongs to, by its soname, and who brings it
 * (manifests/data/cuda_library.def). */
#ifndef MANIFESTS_CUDA_LIBRARY_H
#define MANIFESTS_CUDA_LIBRARY_H

#include "manifests/base/arena.h"

struct cuda_library {
	const char *soname;
	unsigned min_cuda,
		max_cuda; /* majors that have it: cuRAND's and cuDNN's are the same for several */
	const char *project;
};

/* DLLs in any case. NULL: not one of CUDA's. */
const struct cuda_library *cuda_library_find(struct str soname);
/* The project on PyPI that brings it for a CUDA major: "nvidia-cublas-cu12", "nvidia-cublas". A
 * major that it does not belong to counts as its newest. */
const char *cuda_library_project(
	struct arena *a, const struct cuda_library *l, unsigned cuda_major);

#endif

/* The GPUs of a target in the spellings of the build tools, and the filling-in of a recipe's
 * values. */
#ifndef MIRROR_ARCH_FLAGS_H
#define MIRROR_ARCH_FLAGS_H

#include "manifests/target.h"

struct arch_flags {       /* each GPU once, ascending; all empty where the target has none */
	struct str torch; /* "8.0;9.0": TORCH_CUDA_ARCH_LIST, NATTEN_CUDA_ARCH */
	struct str sm;    /* "80;90" */
	struct str base;  /* "80;120" for 8.6 and 12.1: the first of each generation, fit for all of it */
	struct str cmake; /* "80-real;90-real": CMAKE_CUDA_ARCHITECTURES, machine code and no PTX */
	struct str gencode; /* "-gencode=arch=compute_80,code=sm_80 -gencode=..." for nvcc */
	unsigned jobs;      /* compilers at once */
};

void arch_flags_of(
	struct arena *a, const struct gpu *gpus, size_t n, unsigned jobs, struct arch_flags *out);
/* Fills ${arch_list}, ${sm_list}, ${sm_base_list}, ${cmake_list}, ${gencode} and ${jobs} in.
 * RC_INVALID names what is in braces and is none of these, or is not closed. */
int arch_flags_fill(struct arena *a, const struct arch_flags *f, struct str pattern,
	struct str *out, struct err *e);

#endif

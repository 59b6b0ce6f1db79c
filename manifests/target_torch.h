/* What the version of a torch build says: "2.11.0+cu130" is for CUDA 13.0 and has the C++11 ABI. */
#ifndef MANIFESTS_TARGET_TORCH_H
#define MANIFESTS_TARGET_TORCH_H

#include "manifests/target.h"

struct torch_build {
	bool is_official;   /* a local label that torch's publishers use (cu130, cpu, rocm6.4, xpu,
			       nv25.5) */
	bool is_cuda_known; /* cuda is what the label says; major 0: built without CUDA */
	struct cuda_version cuda;
};

void torch_build_of(const struct version *torch, struct torch_build *out);
/* The C++ ABI; -1: not certain. `t` with os, machine and CUDA set: the same version differs between
 * platforms, and 2.6.0 between the builds for CUDA 12.4 and 12.6. */
int torch_abi_of(const struct version *torch, const struct target *t);

/* NVIDIA's label of a container, "nv24.10": its year and month. */
bool torch_container_of(const struct version *torch, unsigned *year, unsigned *month);

#endif

/* What the version of a torch build says: "2.11.0+cu130" is for CUDA 13.0 and has the C++11 ABI. */
#ifndef MANIFESTS_TARGET_TORCH_H
#define MANIFESTS_TARGET_TORCH_H

#include "manifests/target.h"

struct torch_build {
	bool is_official;   /* a local label that torch's publishers use (cu130, cpu, rocm6.4, xpu,
			       nv25.5) */
	bool is_cuda_known; /* cuda is what the label says; major 0: built without CUDA */
	struct cuda_version cuda;
	int cxx11_abi; /* -1: not certain */
};

/* `t` with os and machine set: the same version differs between platforms. */
void torch_build_of(const struct version *torch, const struct target *t, struct torch_build *out);

#endif

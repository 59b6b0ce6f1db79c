/* Views of a wheel's device code, for the checks of GPU code and driver. */
#ifndef VERIFY_DEVICE_NEED_H
#define VERIFY_DEVICE_NEED_H

#include "verify/audit_checks.h"

/* Without that of modules which the target does not load. In the arena, in the same order. */
struct device_code device_code_used(const struct audit_wheel *w, struct audit *a);
/* The oldest CUDA whose driver compiles one of the PTX that serve the GPU. False: none, or newer
 * than is known. */
bool device_ptx_cuda(const struct device_code *d, struct gpu gpu, struct cuda_version *out);

#endif

/* Drivers of NVIDIA: which one runs what (manifests/data/cuda_driver.def). Cubins of a CUDA major
 * run on every driver from its family's floor on ("minor version compatibility"); PTX does not, it
 * is compiled by the driver and needs the one of its own toolkit; and a GPU needs a driver that
 * knows it. */
#ifndef MANIFESTS_CUDA_DRIVER_H
#define MANIFESTS_CUDA_DRIVER_H

#include "manifests/target.h"

/* Each NULL where the table does not know: a CUDA newer than it. */
const char *cuda_family_driver(unsigned cuda_major, enum target_os os);
const char *cuda_toolkit_driver(struct cuda_version cuda, enum target_os os);
/* NULL: a capability that every driver in the table knows. */
const char *gpu_driver(struct gpu gpu, enum target_os os);
/* The CUDA that brought a PTX ISA version; older than the table is its oldest. False: newer. */
bool ptx_isa_cuda(unsigned isa_major, unsigned isa_minor, struct cuda_version *out);

enum driver_verdict { DRIVER_ENOUGH = 1, DRIVER_UNSURE, DRIVER_TOO_OLD };
/* `have` as targets say it, "580.65.06" or its beginning: "580" may or may not be 580.65.06
 * (UNSURE). */
enum driver_verdict driver_judge(struct str have, const char *need);

#endif

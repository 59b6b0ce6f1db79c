/* CPython's stable ABI (PEP 384; manifests/data/stable_abi.def): what an extension tagged abi3 may
 * import. */
#ifndef MANIFESTS_STABLE_ABI_H
#define MANIFESTS_STABLE_ABI_H

#include "manifests/base/str.h"

/* The minor of the Python 3 whose stable ABI first had the function or variable; 0: it is not part
 * of it. */
unsigned stable_abi_since(struct str symbol);

/* The stable ABI of torch: the major and minor release that first had a C function of it
 * (manifests/data/torch_stable.def). Those that are not listed are as old as that ABI, 2.9. */
void torch_stable_since(struct str symbol, unsigned *major, unsigned *minor);

#endif

/* What a module of a wheel is to a target. Wheels bring the same library several times, for other
 * processors, systems and kinds of GPU, and pick one when they are imported; only that one has to
 * fit. */
#ifndef VERIFY_MODULE_PART_H
#define VERIFY_MODULE_PART_H

#include "verify/audit.h"

enum module_part {
	MODULE_USED = 0, /* the target loads it, or may */
	MODULE_FOREIGN,  /* of another processor or system */
	MODULE_SPARE,    /* for other GPU software, and another module of the same name is for the
			    target's:    libx_cuda118.so beside libx_cuda126.so, libx_xpu.so beside
			    libx_cpu.so */
	MODULE_OBJECT,   /* .a: builds link it, nothing loads it */
};

/* Of each module (enum module_part), in the arena. `cuda`: the target's; major 0 with
 * is_cuda_known: it has none. */
int *module_parts(struct arena *a, const struct native *n, const struct target *t,
	struct cuda_version cuda, bool is_cuda_known);

/* ELF on Linux, PE on Windows, and the processor: may the target load it? */
bool module_runs(const struct native_module *m, const struct target *t);
struct str module_file_name(const struct native_module *m); /* without folders */
/* By its name: what Python or the loader loads. Others are programs of their own, like the launchers that
 * setuptools has for every Windows. */
bool module_is_library(const struct native_module *m);
/* The CUDA that the file name says: "libx_cuda126.so", "native_cu131.so". */
bool module_name_cuda(const struct native_module *m, struct cuda_version *out, bool *has_minor);
/* Can Python import it, under that name? "" = under any. ELF only: exports of PE files are not
 * read. */
bool module_exports_init(const struct native_module *m, struct str name);
/* The module of that member; NULL: it is none. Modules are in the order of members. */
const struct native_module *module_of_member(const struct native *n, size_t member);

/* libtorch*.so, libc10*.so and their DLLs. */
bool is_torch_library(struct str soname);
/* Is it linked with torch, or does it want symbols of it? */
bool module_uses_torch(const struct native_module *m);
bool module_uses_torch_cxx(const struct native_module *m); /* more than the stable C ABI */

#endif

/* The CUDA toolkit that a target is built with: assembled from the nvcc wheels that the bundle
 * carries, or the site's own. */
#ifndef MIRROR_TOOLKIT_H
#define MIRROR_TOOLKIT_H

#include "manifests/target.h"

struct toolkit {
	char *home; /* CUDA_HOME: holds bin/nvcc */
	struct cuda_version version;
	char *release;    /* "13.0.88" */
	struct gpu *gpus; /* virtual architectures that its nvcc knows */
	size_t ngpus;
	bool is_site;
};

struct toolkit_wheel { /* an open wheel file and its name */
	int fd;
	struct str file;
};

/* Unpacks the wheels into one tree below `into` (an existing folder), with the links that compilers
 * look for: lib64, libX.so beside libX.so.N. RC_TOOL: no nvcc is in them, or it does not run. */
int toolkit_unpack(struct arena *a, const struct toolkit_wheel *wheels, size_t n, const char *into,
	struct toolkit *out, struct err *e);
/* The site's: the one that $CUDA_HOME or $CUDA_PATH names, else that of the nvcc in $PATH, else
 * /usr/local/cuda. It must have version `want` ("13.0", from the manifest's "site:13.0"; empty:
 * any). RC_TOOL says where it looked or what was found there. */
int toolkit_find(struct arena *a, struct str want, struct toolkit *out, struct err *e);
/* Asks home/bin/nvcc what it is and which architectures it compiles for. */
int toolkit_ask(struct arena *a, const char *home, struct toolkit *out, struct err *e);
/* Every GPU of the target must be known to nvcc, and CUDA's major version be the target's: RC_TOOL,
 * before anything is compiled. Another minor version is no error (PyTorch's rule): *is_minor_off
 * says so. */
int toolkit_check(
	const struct toolkit *k, const struct target *t, bool *is_minor_off, struct err *e);

/* From the text of `nvcc --version` and `nvcc --list-gpu-arch`. False: not understood. */
bool toolkit_parse_version(struct arena *a, struct str text, struct toolkit *out);
void toolkit_parse_gpus(struct arena *a, struct str text, struct toolkit *out);

#endif

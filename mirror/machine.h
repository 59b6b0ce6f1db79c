/* This machine, as far as it decides what can be built or installed on it. */
#ifndef MIRROR_MACHINE_H
#define MIRROR_MACHINE_H

#include "manifests/target.h"

struct machine {
	struct str platform; /* "linux_x86_64" */
	enum target_libc libc;
	unsigned libc_major, libc_minor;
	unsigned cores;  /* that this process may use */
	uint64_t memory; /* bytes: of the machine, or of the narrowest cgroup around this process */
};

void machine_look(struct arena *a, struct machine *out);
/* Would what is made for the target run here? RC_TOOL says why not: another platform or C library,
 * or a C library that is older than what the target promises. */
int machine_fits(const struct machine *m, const struct target *t, struct err *e);
/* Compilers at once: as many as there are cores, but 5 GiB of memory for each (cicc and ptxas of
 * large kernels), and at least one. */
unsigned machine_jobs(const struct machine *m);

/* The smallest limit that the control groups in /proc/self/cgroup's text set, or `none`: their
 * files lie under `mounted` (cgroups(7), both versions). */
uint64_t machine_cgroup_memory(struct str cgroups, const char *mounted, uint64_t none);

/* The absolute path of a program in a PATH-like list, or NULL. Relative entries of the list are not
 * looked into. */
char *machine_program(struct arena *a, struct str path, const char *name);
/* $PATH, or what execvp takes when there is none. */
struct str machine_path(void);

#endif

/* What goes with a glibc (manifests/data/libc_policy.def): the libstdc++ and libgcc that a
 * manylinux tag allows, and those that a machine with that glibc has. */
#ifndef MANIFESTS_LIBC_POLICY_H
#define MANIFESTS_LIBC_POLICY_H

#include "manifests/base/str.h"

struct libc_policy { /* newest symbol versions, static texts: "3.4.30", "1.3.13", "12.0.0" */
	const char *glibcxx, *cxxabi, *gcc; /* gcc: NULL where it is not said */
	const char *whose;                  /* "RHEL 9"; NULL: of a tag */
};

/* Of manylinux_2_<minor> on a machine ("x86_64", "aarch64"). False: older than all. */
bool manylinux_policy(unsigned glibc_minor, struct str machine, struct libc_policy *out);
/* Of a machine with glibc 2.<minor>. */
bool distribution_policy(unsigned glibc_minor, struct libc_policy *out);

#endif

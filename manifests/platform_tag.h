/* One platform tag of a wheel ("Platform compatibility tags"): what it promises. */
#ifndef MANIFESTS_PLATFORM_TAG_H
#define MANIFESTS_PLATFORM_TAG_H

#include "manifests/base/str.h"

enum platform_kind {
	PLATFORM_OTHER = 0,
	PLATFORM_ANY,
	PLATFORM_LINUX, /* linux_x86_64: promises nothing of the C library */
	PLATFORM_MANYLINUX,
	PLATFORM_MUSLLINUX,
	PLATFORM_WINDOWS,
	PLATFORM_MACOS,
};

struct platform_tag {
	enum platform_kind kind;
	unsigned libc_major, libc_minor; /* of MANYLINUX, MUSLLINUX */
	struct str machine;              /* "x86_64", "amd64"; "" of ANY */
};

/* In lower case, as dist_name has them: "manylinux_2_28_x86_64", "manylinux2014_aarch64". */
void platform_tag_parse(struct str text, struct platform_tag *out);

#endif

#include "manifests/libc_policy.h"

struct tag_row {
	unsigned glibc_minor;
	struct libc_policy x86, arm;
};

struct distribution_row {
	unsigned glibc_minor;
	struct libc_policy policy;
};

#define DISTRIBUTION(...)
#define MANYLINUX(minor, x, x_abi, x_gcc, a, a_abi, a_gcc) \
	{ minor, { x, x_abi, x_gcc, NULL }, { a, a_abi, a_gcc, NULL } },
static const struct tag_row tags[] = {
#include "manifests/data/libc_policy.def"
};
#undef MANYLINUX
#undef DISTRIBUTION

#define MANYLINUX(...)
#define DISTRIBUTION(minor, glibcxx, cxxabi, whose) { minor, { glibcxx, cxxabi, NULL, whose } },
static const struct distribution_row distributions[] = {
#include "manifests/data/libc_policy.def"
};

bool manylinux_policy(unsigned glibc_minor, struct str machine, struct libc_policy *out)
{
	bool is_found = false;

	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
		if (tags[i].glibc_minor <= glibc_minor) {
			*out = str_is(machine, "aarch64") ? tags[i].arm : tags[i].x86;
			is_found = true;
		}
	}
	return is_found;
}

bool distribution_policy(unsigned glibc_minor, struct libc_policy *out)
{
	bool is_found = false;

	for (size_t i = 0; i < sizeof(distributions) / sizeof(distributions[0]); i++) {
		if (distributions[i].glibc_minor <= glibc_minor) {
			*out = distributions[i].policy;
			is_found = true;
		}
	}
	return is_found;
}

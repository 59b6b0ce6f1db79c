#include "manifests/platform_tag.h"

/* Names from before PEP 600. */
static const struct {
	const char *prefix;
	unsigned glibc_minor;
} legacy[] = { { "manylinux1_", 5 }, { "manylinux2010_", 12 }, { "manylinux2014_", 17 } };

/* "2_28_x86_64" */
static bool read_libc(struct str text, struct platform_tag *out)
{
	struct str major, minor;
	uint64_t x, y;

	if (!str_cut(&text, '_', &major) || !str_cut(&text, '_', &minor) ||
		!str_to_u64(major, &x) || !str_to_u64(minor, &y) || x > 99 || y > 999) {
		return false;
	}
	out->libc_major = (unsigned)x;
	out->libc_minor = (unsigned)y;
	out->machine = text;
	return true;
}

static bool take(struct str text, const char *prefix, struct str *rest)
{
	*rest = str_skip(text, str_of(prefix).n);
	return str_starts(text, prefix);
}

void platform_tag_parse(struct str text, struct platform_tag *out)
{
	struct str rest;

	*out = (struct platform_tag){ .kind = PLATFORM_OTHER };
	for (size_t i = 0; i < sizeof(legacy) / sizeof(legacy[0]); i++) {
		if (take(text, legacy[i].prefix, &rest)) {
			*out = (struct platform_tag){ PLATFORM_MANYLINUX, 2, legacy[i].glibc_minor,
				rest };
			return;
		}
	}
	if (str_is(text, "any")) {
		out->kind = PLATFORM_ANY;
	} else if (take(text, "manylinux_", &rest) && read_libc(rest, out)) {
		out->kind = PLATFORM_MANYLINUX;
	} else if (take(text, "musllinux_", &rest) && read_libc(rest, out)) {
		out->kind = PLATFORM_MUSLLINUX;
	} else if (take(text, "linux_", &rest)) {
		out->kind = PLATFORM_LINUX;
		out->machine = rest;
	} else if (take(text, "win_", &rest) || str_is(text, "win32")) {
		out->kind = PLATFORM_WINDOWS;
		out->machine = str_is(text, "win32") ? STR("x86") : rest;
	} else if (take(text, "macosx_", &rest) && read_libc(rest, out)) {
		out->kind = PLATFORM_MACOS;
	}
}

#include "manifests/platform_tag.h"
#include "tests/unit/unit.h"

UNIT(platform_tags_are_taken_apart)
{
	static const struct {
		const char *text;
		enum platform_kind kind;
		unsigned minor;
		const char *machine;
	} cases[] = {
		{ "any", PLATFORM_ANY, 0, "" },
		{ "linux_x86_64", PLATFORM_LINUX, 0, "x86_64" },
		{ "manylinux_2_28_x86_64", PLATFORM_MANYLINUX, 28, "x86_64" },
		{ "manylinux_2_5_i686", PLATFORM_MANYLINUX, 5, "i686" },
		{ "manylinux1_i686", PLATFORM_MANYLINUX, 5, "i686" },
		{ "manylinux2010_x86_64", PLATFORM_MANYLINUX, 12, "x86_64" },
		{ "manylinux2014_aarch64", PLATFORM_MANYLINUX, 17, "aarch64" },
		{ "musllinux_1_2_aarch64", PLATFORM_MUSLLINUX, 2, "aarch64" },
		{ "win_amd64", PLATFORM_WINDOWS, 0, "amd64" },
		{ "win32", PLATFORM_WINDOWS, 0, "x86" },
		{ "macosx_11_0_arm64", PLATFORM_MACOS, 0, "arm64" },
		{ "manylinux_x_y_z", PLATFORM_OTHER, 0, "" },
		{ "", PLATFORM_OTHER, 0, "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct platform_tag tag;

		platform_tag_parse(str_of(cases[i].text), &tag);
		ck_assert_msg(tag.kind == cases[i].kind && tag.libc_minor == cases[i].minor &&
				      str_is(tag.machine, cases[i].machine),
			"%s", cases[i].text);
	}
}

/* The map of a wheel's native code, as it is shown. */
#include "tests/unit/unit.h"

#include "verify/native_text.h"

UNIT(native_floors_are_the_highest_of_each_kind)
{
	static const struct {
		const char *versions, *floors;
	} cases[] = {
		{ "", "" },
		{ "GLIBC_2.2.5", "GLIBC_2.2.5" },
		{ "GLIBC_2.9 GLIBC_2.28 GLIBC_2.17", "GLIBC_2.28" },
		{ "GLIBC_2.14 GLIBCXX_3.4.9 GLIBCXX_3.4.30 CXXABI_1.3.8 GLIBC_2.4",
			"GLIBC_2.14 GLIBCXX_3.4.30 CXXABI_1.3.8" },
		{ "GLIBC_2.34 GLIBC_ABI_DT_RELR libcudart.so.13",
			"GLIBC_2.34 GLIBC_ABI_DT_RELR libcudart.so.13" },
		{ "GLIBC_PRIVATE GLIBC_2.17", "GLIBC_PRIVATE GLIBC_2.17" },
		{ "ODD\033_1.0", "ODD\\x1b_1.0" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct native_version versions[8];
		struct native_module m = { .versions = versions };
		struct str rest = str_of(cases[i].versions), name;
		CLEANUP_BUF struct buf text = BUF_INIT;

		while (rest.n && str_cut(&rest, ' ', &name)) {
			versions[m.nversions++] = (struct native_version){ .name = name };
		}
		native_floors_format(&m, &text);
		ck_assert_str_eq(text.n ? text.p : "", cases[i].floors);
	}
}

UNIT(native_text_shows_what_a_module_has)
{
	struct str needed[] = { STR("libc10.so"), STR("lib\nodd.so") },
		   toolkits[] = { STR("13.2.86") };
	struct str undefined[] = { STR("PyList_New"), STR("_ZN2at4addEv"), STR("aoti_torch_x") };
	struct native_version versions[] = { { STR("libc.so.6"), STR("GLIBC_2.28") } };
	struct native_module m = { .name = STR("demo/_C.so"),
		.format = NATIVE_ELF,
		.machine = NATIVE_AARCH64,
		.is_readable = true,
		.soname = STR("_C.so"),
		.needed = needed,
		.nneeded = 2,
		.rpath = STR("$ORIGIN"),
		.versions = versions,
		.nversions = 1,
		.has_relr = true,
		.undefined = undefined,
		.nundefined = 3,
		.toolkits = toolkits,
		.ntoolkits = 1 };
	struct native n = {
		.modules = &m, .nmodules = 1, .record_fault = STR("RECORD: line 1: bad")
	};
	CLEANUP_BUF struct buf text = BUF_INIT;

	native_text_write(&n, &text);
	ck_assert_str_eq(text.p, "demo/_C.so\n"
				 "  format   ELF, aarch64\n"
				 "  soname   _C.so\n"
				 "  needs    libc10.so lib\\x0aodd.so\n"
				 "  rpath    $ORIGIN\n"
				 "  floors   GLIBC_2.28 DT_RELR (glibc 2.36)\n"
				 "  wants    1 of torch's C++, 1 of torch's stable C, 1 of Python\n"
				 "  toolkits 13.2.86\n"
				 "GPU code of all files: none\n"
				 "RECORD: line 1: bad\n");
}

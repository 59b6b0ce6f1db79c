/* The tables of the audit: in order, without doubles, readable, and right where a fact is known. */
#include "manifests/advisory.h"
#include "manifests/cuda_driver.h"
#include "manifests/cuda_library.h"
#include "manifests/dotted.h"
#include "manifests/expected_cuda.h"
#include "manifests/libc_policy.h"
#include "manifests/name.h"
#include "manifests/specifier.h"
#include "manifests/stable_abi.h"
#include "manifests/system_library.h"
#include "tests/unit/unit.h"

#include <string.h>
#include <strings.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- the shape of what is looked up by name ---- */

#define S(symbol, minor) #symbol,
static const char *const python_names[] = {
#include "manifests/data/stable_abi.def"
};
#define TORCH_STABLE(symbol, minor) symbol,
static const char *const torch_names[] = {
#include "manifests/data/torch_stable.def"
};
#define SYSTEM(soname) soname,
#define RUNTIME(soname) soname,
#define DRIVER(soname) soname,
static const char *const system_names[] = {
#include "manifests/data/system_library.def"
};
#define CUDA_LIBRARY(soname, min_cuda, max_cuda, project) soname,
static const char *const cuda_names[] = {
#include "manifests/data/cuda_library.def"
};

static void check_sorted(const char *const *names, size_t n, int (*cmp)(const char *, const char *))
{
	for (size_t i = 1; i < n; i++) {
		ck_assert_msg(
			cmp(names[i - 1], names[i]) < 0, "%s before %s", names[i - 1], names[i]);
	}
}

UNIT(tables_are_sorted_and_without_doubles)
{
	size_t n;
	const struct expected_cuda *expected = expected_cuda_list(&n);

	check_sorted(python_names, COUNT(python_names), strcmp);
	check_sorted(torch_names, COUNT(torch_names), strcmp);
	check_sorted(system_names, COUNT(system_names), strcasecmp);
	check_sorted(cuda_names, COUNT(cuda_names), strcasecmp);
	for (size_t i = 1; i < n; i++) {
		ck_assert_int_lt(strcmp(expected[i - 1].project, expected[i].project), 0);
	}
	const struct advisory *known = advisory_list(&n);
	for (size_t i = 1; i < n; i++) {
		ck_assert_int_le(strcmp(known[i - 1].project, known[i].project), 0);
	}
}

UNIT(tables_name_projects_as_they_are_normalised)
{
	struct arena a = ARENA_INIT;
	size_t n;
	const struct expected_cuda *expected = expected_cuda_list(&n);

	for (size_t i = 0; i < n; i++) {
		ck_assert_str_eq(
			name_normalize(&a, str_of(expected[i].project)), expected[i].project);
		ck_assert(expected[i].without[0] && expected[i].source[0]);
	}
	const struct advisory *known = advisory_list(&n);
	for (size_t i = 0; i < n; i++) {
		struct specifier_set set;
		struct err e = ERR_INIT;

		ck_assert_str_eq(name_normalize(&a, str_of(known[i].project)), known[i].project);
		ck_assert_msg(specifier_parse(&a, str_of(known[i].specifiers), &set, &e) == 0, "%s",
			e.text);
		ck_assert(
			set.n > 0 && known[i].what[0] && known[i].remedy[0] && known[i].source[0]);
	}
	arena_release(&a);
}

/* ---- drivers ---- */

#define FAMILY(major, on_linux, on_windows) { on_linux, on_windows },
#define TOOLKIT(major, minor, on_linux, on_windows) { on_linux, on_windows },
#define GPU(major, minor, on_linux, on_windows) { on_linux, on_windows },
#define PTX(...)
static const char *const drivers[][2] = {
#include "manifests/data/cuda_driver.def"
};
#undef FAMILY
#undef TOOLKIT
#undef GPU
#undef PTX

#define FAMILY(...)
#define TOOLKIT(major, minor, on_linux, on_windows) { major, minor },
#define GPU(...)
#define PTX(...)
static const struct cuda_version toolkits[] = {
#include "manifests/data/cuda_driver.def"
};

UNIT(drivers_grow_with_the_toolkit)
{
	for (size_t i = 0; i < COUNT(drivers); i++) {
		ck_assert_msg(dotted_is(str_of(drivers[i][0])) && dotted_is(str_of(drivers[i][1])),
			"row %zu", i);
	}
	for (size_t i = 1; i < COUNT(toolkits); i++) {
		for (int os = TARGET_LINUX; os <= TARGET_WINDOWS; os++) {
			const char *before = cuda_toolkit_driver(toolkits[i - 1], os);
			const char *after = cuda_toolkit_driver(toolkits[i], os);

			ck_assert_msg(dotted_cmp(str_of(before), str_of(after)) < 0, "%s %s",
				before, after);
		}
	}
}

UNIT(drivers_are_those_of_nvidia)
{
	struct cuda_version cuda = { 0, 0 };

	ck_assert_str_eq(cuda_family_driver(11, TARGET_LINUX), "450.80.02");
	ck_assert_str_eq(cuda_family_driver(12, TARGET_WINDOWS), "528.33");
	ck_assert_ptr_null(cuda_family_driver(99, TARGET_LINUX));
	ck_assert_str_eq(
		cuda_toolkit_driver((struct cuda_version){ 12, 8 }, TARGET_LINUX), "570.26");
	ck_assert_ptr_null(cuda_toolkit_driver((struct cuda_version){ 99, 0 }, TARGET_LINUX));
	ck_assert_str_eq(gpu_driver((struct gpu){ 12, 0 }, TARGET_LINUX), "570");
	ck_assert_ptr_null(gpu_driver((struct gpu){ 8, 0 }, TARGET_LINUX));
	ck_assert(ptx_isa_cuda(8, 5, &cuda) && cuda.major == 12 && cuda.minor == 5);
	ck_assert(ptx_isa_cuda(8, 6, &cuda) && cuda.major == 12 && cuda.minor == 7);
	ck_assert(ptx_isa_cuda(9, 0, &cuda) && cuda.major == 13 && cuda.minor == 0);
	ck_assert(ptx_isa_cuda(6, 4, &cuda) && cuda.major == 11 && cuda.minor == 0); /* older */
	ck_assert(!ptx_isa_cuda(9, 99, &cuda));
	ck_assert_int_eq(driver_judge(STR("580"), "580.65.06"), DRIVER_UNSURE);
	ck_assert_int_eq(driver_judge(STR("580.95.05"), "580.65.06"), DRIVER_ENOUGH);
	ck_assert_int_eq(driver_judge(STR("580"), "580"), DRIVER_ENOUGH);
	ck_assert_int_eq(driver_judge(STR("535"), "580"), DRIVER_TOO_OLD);
}

/* ---- C libraries ---- */

UNIT(libc_policies_are_those_of_the_tags)
{
	struct libc_policy p = { NULL, NULL, NULL, NULL };

	ck_assert(manylinux_policy(17, STR("x86_64"), &p));
	ck_assert_str_eq(p.glibcxx, "3.4.19");
	ck_assert(manylinux_policy(30, STR("x86_64"), &p));
	ck_assert_str_eq(p.glibcxx, "3.4.24"); /* as 2.28 */
	ck_assert(manylinux_policy(26, STR("aarch64"), &p));
	ck_assert_str_eq(p.cxxabi, "1.3.11");
	ck_assert(manylinux_policy(41, STR("x86_64"), &p));
	ck_assert_str_eq(p.glibcxx, "3.4.33");
	ck_assert(!manylinux_policy(4, STR("x86_64"), &p));
	ck_assert(distribution_policy(34, &p));
	ck_assert_str_eq(p.glibcxx, "3.4.29");
	ck_assert_str_eq(p.whose, "RHEL 9");
	ck_assert(!distribution_policy(4, &p));
}

UNIT(libc_policies_grow_with_glibc)
{
	struct libc_policy before, after;

	for (unsigned minor = 6; minor < 60; minor++) {
		ck_assert(manylinux_policy(minor - 1, STR("x86_64"), &before));
		ck_assert(manylinux_policy(minor, STR("x86_64"), &after));
		ck_assert(dotted_cmp(str_of(before.glibcxx), str_of(after.glibcxx)) <= 0);
		ck_assert(dotted_cmp(str_of(before.gcc), str_of(after.gcc)) <= 0);
		ck_assert(distribution_policy(minor - 1, &before));
		ck_assert(distribution_policy(minor, &after));
		ck_assert(dotted_cmp(str_of(before.glibcxx), str_of(after.glibcxx)) <= 0);
		ck_assert(dotted_cmp(str_of(before.cxxabi), str_of(after.cxxabi)) <= 0);
	}
}

/* ---- libraries ---- */

UNIT(libraries_have_their_owners)
{
	static const struct {
		const char *soname;
		enum library_owner owner;
	} cases[] = {
		{ "libc.so.6", LIBRARY_SYSTEM },
		{ "LIBC.SO.6", LIBRARY_OTHER },
		{ "libcuda.so.1", LIBRARY_DRIVER },
		{ "libgomp.so.1", LIBRARY_RUNTIME },
		{ "KERNEL32.dll", LIBRARY_SYSTEM },
		{ "API-MS-WIN-CRT-HEAP-L1-1-0.dll", LIBRARY_SYSTEM },
		{ "nvcuda.dll", LIBRARY_DRIVER },
		{ "libpython3.12.so.1.0", LIBRARY_PYTHON },
		{ "python312.dll", LIBRARY_PYTHON },
		{ "libcudart.so.12", LIBRARY_OTHER },
		{ "", LIBRARY_OTHER },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		ck_assert_msg(library_owner(str_of(cases[i].soname)) == cases[i].owner, "%s",
			cases[i].soname);
	}
}

UNIT(cuda_libraries_have_their_projects)
{
	struct arena a = ARENA_INIT;
	const struct cuda_library *l = cuda_library_find(STR("libcudart.so.12"));

	for (size_t i = 0; i < COUNT(cuda_names); i++) {
		const struct cuda_library *row = cuda_library_find(str_of(cuda_names[i]));

		ck_assert(row && row->min_cuda >= 11 && row->min_cuda <= row->max_cuda);
	}
	ck_assert_str_eq(cuda_library_project(&a, l, 12), "nvidia-cuda-runtime-cu12");
	ck_assert_str_eq(cuda_library_project(&a, l, 13), "nvidia-cuda-runtime-cu12");
	l = cuda_library_find(STR("libcudnn.so.9"));
	ck_assert_str_eq(cuda_library_project(&a, l, 13), "nvidia-cudnn-cu13");
	ck_assert_str_eq(cuda_library_project(&a, l, 12), "nvidia-cudnn-cu12");
	l = cuda_library_find(STR("libcufft.so.12"));
	ck_assert(l && l->min_cuda == 13);
	ck_assert_str_eq(cuda_library_project(&a, l, 13), "nvidia-cufft");
	ck_assert_ptr_nonnull(cuda_library_find(STR("CUDART64_12.DLL")));
	ck_assert_ptr_null(cuda_library_find(STR("libfoo.so")));
	arena_release(&a);
}

/* ---- stable ABIs ---- */

UNIT(stable_abis_know_when_names_came)
{
	unsigned major = 0, minor = 0;

	ck_assert_uint_eq(stable_abi_since(STR("PyArg_ParseTuple")), 2);
	ck_assert_uint_eq(stable_abi_since(STR("PyBuffer_Release")), 11);
	ck_assert_uint_eq(stable_abi_since(STR("_Py_Dealloc")), 2);
	ck_assert_uint_eq(stable_abi_since(STR("PyUnicode_AsUTF8AndSize")), 10);
	ck_assert_uint_eq(stable_abi_since(STR("_PyThreadState_UncheckedGet")), 0);
	torch_stable_since(STR("torch_library_impl"), &major, &minor);
	ck_assert(major == 2 && minor == 10);
	torch_stable_since(STR("torch_exception_get_what"), &major, &minor);
	ck_assert(major == 2 && minor == 13);
	torch_stable_since(STR("aoti_torch_empty_strided"), &major, &minor);
	ck_assert(major == 2 && minor == 9);
}

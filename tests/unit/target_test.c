#include "manifests/target.h"
#include "tests/unit/unit.h"

#include <string.h>

#define VALID                                                                                   \
	{                                                                                       \
		.name = STR("h100"), .python = STR("3.12"), .platform = STR("linux_x86_64"),    \
		.glibc = STR("2.28"), .driver = STR("580.65.06"), .torch = STR("2.11.0+cu130"), \
		.cxx11_abi = -1                                                                 \
	}

UNIT(target_make_keeps_and_derives)
{
	const struct str gpus[] = { STR("9.0"), STR("12.0"), STR("9.0") };
	struct target_spec spec = VALID;
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct target t;

	spec.gpus = gpus;
	spec.ngpus = 3;
	ck_assert_msg(target_make(&a, &spec, &t, &e) == 0, "%s", e.text);
	ck_assert(str_is(t.name, "h100"));
	ck_assert_uint_eq(t.python.major, 3);
	ck_assert_uint_eq(t.python.minor, 12);
	ck_assert(!t.python.has_patch && !t.python.free_threaded);
	ck_assert(str_is(t.platform, "linux_x86_64"));
	ck_assert(str_is(t.machine, "x86_64"));
	ck_assert_int_eq(t.os, TARGET_LINUX);
	ck_assert_int_eq(t.libc, TARGET_GLIBC);
	ck_assert_uint_eq(t.libc_major, 2);
	ck_assert_uint_eq(t.libc_minor, 28);
	ck_assert_uint_eq(t.ngpus, 2);
	ck_assert_uint_eq(t.gpus[0].major, 9);
	ck_assert_uint_eq(t.gpus[1].major, 12);
	ck_assert(str_is(t.driver, "580.65.06"));
	ck_assert(str_is(t.torch, "2.11.0+cu130"));
	ck_assert_uint_eq(t.cuda.major, 13);
	ck_assert_uint_eq(t.cuda.minor, 0);
	ck_assert(t.is_cuda_known);
	ck_assert_int_eq(t.cxx11_abi, 1);
	arena_release(&a);
}

enum field { NAME, PYTHON, PLATFORM, GLIBC, MUSL, DRIVER, TORCH, CUDA, GPU };

static struct str *field_of(struct target_spec *spec, enum field field)
{
	struct str *const fields[] = { &spec->name, &spec->python, &spec->platform, &spec->glibc,
		&spec->musl, &spec->driver, &spec->torch, &spec->cuda };

	return fields[field];
}

/* A valid target but for one field. */
static int make_with(enum field field, struct str value, struct err *e)
{
	struct target_spec spec = VALID;
	struct arena a = ARENA_INIT;
	struct target t;

	if (field == GPU) {
		spec.gpus = &value;
		spec.ngpus = 1;
	} else {
		*field_of(&spec, field) = value;
	}
	if (field == MUSL) {
		spec.glibc = STR_NULL;
	}
	if (field == CUDA) {
		spec.torch = STR_NULL;
	}
	int rc = target_make(&a, &spec, &t, e);
	arena_release(&a);
	return rc;
}

UNIT(target_make_accepts)
{
	static const struct {
		enum field field;
		const char *value;
	} table[] = {
		{ NAME, "a" },
		{ NAME, "0" },
		{ NAME, "a-b_c-" },
		{ NAME, "a234567890123456789012345678901234567890123456789012345678901234" },
		{ PYTHON, "3.8" },
		{ PYTHON, "3.15" },
		{ PYTHON, "3.15t" },
		{ PYTHON, "3.13t" },
		{ PYTHON, "3.13.2t" },
		{ PYTHON, "3.12.0" },
		{ PYTHON, "3.9.25" },
		{ PLATFORM, "linux_aarch64" },
		{ GLIBC, "2.5" },
		{ GLIBC, "2.17" },
		{ GLIBC, "2.99" },
		{ MUSL, "1.0" },
		{ MUSL, "1.2" },
		{ DRIVER, "" },
		{ DRIVER, "535" },
		{ DRIVER, "550.54" },
		{ DRIVER, "450.80.02" },
		{ TORCH, "" },
		{ TORCH, "2.6.0" },
		{ TORCH, "2.5.0a0+e000cf0ad9.nv24.10" },
		{ CUDA, "13.0" },
		{ CUDA, "11.8" },
		{ CUDA, "none" },
		{ GPU, "5.0" },
		{ GPU, "7.5" },
		{ GPU, "8.9" },
		{ GPU, "9.0" },
		{ GPU, "10.3" },
		{ GPU, "11.0" },
		{ GPU, "12.1" },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct err e = ERR_INIT;

		ck_assert_msg(make_with(table[i].field, str_of(table[i].value), &e) == 0, "%s: %s",
			table[i].value, e.text);
	}
}

/* The message names target, field, value and what is allowed; the hint has the right spelling. */
static const struct {
	enum field field;
	const char *value, *says, *hint;
} target_make_refuses_rows[] = {
	{ NAME, "", "target: name \"\": ", "" },
	{ NAME, "H100", "name \"H100\": 1 to 64 of a-z", "" },
	{ NAME, "a.b", "name \"a.b\"", "" },
	{ NAME, "-a", "name \"-a\"", "" },
	{ NAME, "_a", "name \"_a\"", "" },
	{ NAME, "a/../b", "name \"a/../b\"", "" },
	{ NAME, "\xC3\xA9", "name", "" },
	{ NAME, "a2345678901234567890123456789012345678901234567890123456789012345", "1 to 64",
		"" },
	{ PYTHON, "", "target h100: python: missing", "3.12" },
	{ PYTHON, "3.1", "target h100: python \"3.1\": CPython \"3.8\" to \"3.15\"",
		"did you mean \"3.10\"?" },
	{ PYTHON, "3.1t", "python \"3.1t\": ", "\"3.13t\"" },
	{ PYTHON, "3", "python \"3\": ", "" },
	{ PYTHON, "2.7", "python \"2.7\": ", "" },
	{ PYTHON, "4.0", "python \"4.0\": ", "" },
	{ PYTHON, "3.7", "python \"3.7\": ", "" },
	{ PYTHON, "3.16", "python \"3.16\": ", "" },
	{ PYTHON, "3.12t", "from \"3.13t\" on", "" },
	{ PYTHON, "3.08", "python \"3.08\": ", "" },
	{ PYTHON, "3.12.", "python \"3.12.\": ", "" },
	{ PYTHON, "3.12.1.1", "python \"3.12.1.1\": ", "" },
	{ PYTHON, "3.12.01", "python", "" },
	{ PYTHON, "3.12 ", "python", "" },
	{ PYTHON, " 3.12", "python", "\"3.12\"" },
	{ PYTHON, "3.13T", "python", "" },
	{ PYTHON, "3.13tt", "python", "" },
	{ PYTHON, "3.99999999999", "python", "" },
	{ PYTHON, "312", "python", "did you mean \"3.12\"?" },
	{ PYTHON, "cp312", "python", "did you mean \"3.12\"?" },
	{ PYTHON, "cp313t", "python", "did you mean \"3.13t\"?" },
	{ PYTHON, "python3.11", "python", "did you mean \"3.11\"?" },
	{ PYTHON, ">=3.10", "python", "did you mean \"3.10\"?" },
	{ PYTHON, "pypy", "python \"pypy\"", "" },
	{ PLATFORM, "", "platform: missing", "linux_x86_64" },
	{ PLATFORM, "linux", "\"linux_x86_64\", \"linux_aarch64\" and \"win_amd64\" are allowed",
		"\"linux_x86_64\"" },
	{ PLATFORM, "macosx_11_0_arm64", "platform \"macosx_11_0_arm64\"", "" },
	{ PLATFORM, "win32", "platform \"win32\"", "" },
	{ PLATFORM, "arm64", "platform", "\"linux_aarch64\"" },
	{ PLATFORM, "Windows", "platform", "\"win_amd64\"" },
	{ PLATFORM, "manylinux_2_28_aarch64", "platform", "linux_aarch64\" and glibc" },
	{ PLATFORM, "LINUX_X86_64", "platform", "" },
	{ GLIBC, "", "glibc: missing", "musl" },
	{ GLIBC, "2", "glibc \"2\"", "" },
	{ GLIBC, "2.4", "glibc \"2.4\": \"2.5\" to \"2.99\" is allowed", "" },
	{ GLIBC, "2.100", "glibc", "" },
	{ GLIBC, "3.0", "glibc", "" },
	{ GLIBC, "2.017", "glibc", "" },
	{ GLIBC, "2.35-0ubuntu3", "glibc", "did you mean \"2.35\"?" },
	{ GLIBC, "manylinux_2_28", "glibc", "did you mean \"2.28\"?" },
	{ MUSL, "2.0", "musl \"2.0\": \"1.0\" to \"1.99\"", "" },
	{ MUSL, "1", "musl", "" },
	{ MUSL, "1.2.5", "musl", "did you mean \"1.2\"?" },
	{ DRIVER, "13.0", "driver \"13.0\"", "Driver Version" },
	{ DRIVER, "580.", "driver", "" },
	{ DRIVER, "R580", "driver", "" },
	{ DRIVER, "580.65.06.1", "driver", "" },
	{ DRIVER, "580.65.06-open", "driver", "" },
	{ TORCH, "==2.11.0", "torch \"==2.11.0\": one exact version", "2.11.0+cu130" },
	{ TORCH, "2.11.*", "torch", "torch.__version__" },
	{ TORCH, ">=2", "torch", "" },
	{ TORCH, "latest", "torch", "" },
	{ CUDA, "cpu", "cuda", "\"none\"" },
	{ CUDA, "99.0", "cuda \"99.0\": a version like \"13.0\" is allowed", "" },
	{ CUDA, "7.5", "cuda", "" },
	{ CUDA, "20", "cuda", "" },
	{ CUDA, "12.10", "cuda", "" },
	{ CUDA, "12.8.", "cuda", "" },
	{ CUDA, "12.8.1.2", "cuda", "" },
	{ CUDA, "1281", "cuda", "" },
	{ CUDA, "013", "cuda", "" },
	{ CUDA, "cu", "cuda", "" },
	{ CUDA, "rocm6.4", "cuda", "" },
	{ GPU, "", "gpus \"\"", "" },
	{ GPU, "90", "gpus \"90\": a compute capability from \"5.0\" to \"12.9\"",
		"did you mean \"9.0\"?" },
	{ GPU, "sm_90", "gpus", "did you mean \"9.0\"?" },
	{ GPU, "sm_90a", "gpus", "did you mean \"9.0\"?" },
	{ GPU, "compute_120", "gpus", "did you mean \"12.0\"?" },
	{ GPU, "9.0a", "gpus", "did you mean \"9.0\"?" },
	{ GPU, "9", "gpus", "did you mean \"9.0\"?" },
	{ GPU, "9.1", "gpus", "" },
	{ GPU, "4.0", "gpus", "" },
	{ GPU, "13.0", "gpus", "" },
	{ GPU, "9.00", "gpus", "" },
	{ GPU, "H100", "gpus \"H100\"", "" },
};

UNIT(target_make_refuses)
{
	for (size_t i = 0;
		i < sizeof(target_make_refuses_rows) / sizeof(target_make_refuses_rows[0]); i++) {
		struct err e = ERR_INIT;

		ck_assert_msg(make_with(target_make_refuses_rows[i].field,
				      str_of(target_make_refuses_rows[i].value), &e) == -RC_INVALID,
			"%s", target_make_refuses_rows[i].value);
		ck_assert_msg(strstr(e.text, target_make_refuses_rows[i].says) != NULL, "%s: %s",
			target_make_refuses_rows[i].value, e.text);
		ck_assert_msg(strstr(e.hint, target_make_refuses_rows[i].hint) != NULL, "%s: %s",
			target_make_refuses_rows[i].value, e.hint);
	}
}

UNIT(target_make_wants_one_libc_on_linux_and_none_on_windows)
{
	static const struct {
		const char *platform, *glibc, *musl, *says; /* "": fine */
	} table[] = {
		{ "linux_x86_64", "2.28", "", "" },
		{ "linux_x86_64", "", "1.2", "" },
		{ "linux_x86_64", "", "", "glibc: missing" },
		{ "linux_x86_64", "2.28", "1.2", "glibc and musl" },
		{ "win_amd64", "", "", "" },
		{ "win_amd64", "2.28", "", "glibc: Windows has none" },
		{ "win_amd64", "", "1.2", "musl: Windows has none" },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct target_spec spec = VALID;
		struct arena a = ARENA_INIT;
		struct err e = ERR_INIT;
		struct target t;

		spec.platform = str_of(table[i].platform);
		spec.glibc = str_of(table[i].glibc);
		spec.musl = str_of(table[i].musl);
		ck_assert_msg((target_make(&a, &spec, &t, &e) == 0) == (table[i].says[0] == '\0'),
			"%zu: %s", i, e.text);
		ck_assert_msg(strstr(e.text, table[i].says) != NULL, "%s", e.text);
		arena_release(&a);
	}
}

UNIT(target_marker_env_of_each_platform)
{
	static const struct {
		const char *python, *platform;
		const char *os_name, *sys_platform, *platform_system, *machine, *version, *full;
	} table[] = {
		{ "3.12", "linux_x86_64", "posix", "linux", "Linux", "x86_64", "3.12", "3.12.0" },
		{ "3.9.21", "linux_aarch64", "posix", "linux", "Linux", "aarch64", "3.9",
			"3.9.21" },
		{ "3.13t", "win_amd64", "nt", "win32", "Windows", "AMD64", "3.13", "3.13.0" },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct target_spec spec = VALID;
		struct arena a = ARENA_INIT;
		struct err e = ERR_INIT;
		struct target t;
		struct marker_env env;

		spec.python = str_of(table[i].python);
		spec.platform = str_of(table[i].platform);
		spec.glibc = str_starts(spec.platform, "win") ? STR_NULL : spec.glibc;
		ck_assert_msg(target_make(&a, &spec, &t, &e) == 0, "%s", e.text);
		target_marker_env(&a, &t, &env);
		ck_assert(str_is(env.value[MARKER_OS_NAME], table[i].os_name));
		ck_assert(str_is(env.value[MARKER_SYS_PLATFORM], table[i].sys_platform));
		ck_assert(str_is(env.value[MARKER_PLATFORM_SYSTEM], table[i].platform_system));
		ck_assert(str_is(env.value[MARKER_PLATFORM_MACHINE], table[i].machine));
		ck_assert(str_is(env.value[MARKER_PYTHON_VERSION], table[i].version));
		ck_assert(str_is(env.value[MARKER_PYTHON_FULL_VERSION], table[i].full));
		ck_assert(str_is(env.value[MARKER_IMPLEMENTATION_VERSION], table[i].full));
		ck_assert(str_is(env.value[MARKER_IMPLEMENTATION_NAME], "cpython"));
		ck_assert(str_is(env.value[MARKER_PLATFORM_PYTHON_IMPLEMENTATION], "CPython"));
		ck_assert_ptr_null(env.value[MARKER_PLATFORM_RELEASE].p);
		ck_assert_ptr_null(env.value[MARKER_PLATFORM_VERSION].p);
		ck_assert_uint_eq(env.nextras + env.ndependency_groups, 0);
		arena_release(&a);
	}
}

UNIT(target_python_text_is_as_given)
{
	static const char *const table[] = { "3.8", "3.12", "3.13t", "3.12.4", "3.12.0",
		"3.13.2t" };

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct target_spec spec = VALID;
		struct arena a = ARENA_INIT;
		struct err e = ERR_INIT;
		struct target t;

		spec.python = str_of(table[i]);
		ck_assert(target_make(&a, &spec, &t, &e) == 0);
		ck_assert_str_eq(target_python_text(&a, &t.python), table[i]);
		arena_release(&a);
	}
}

/* Nothing of a target points into what it was made from. */
UNIT(target_owns_its_texts)
{
	char name[] = "h100", python[] = "3.12", platform[] = "linux_x86_64",
	     torch[] = "2.8.0+cu128";
	char driver[] = "580.65.06";
	struct target_spec spec = VALID;
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct target t;

	spec.name = str_of(name);
	spec.python = str_of(python);
	spec.platform = str_of(platform);
	spec.torch = str_of(torch);
	spec.driver = str_of(driver);
	ck_assert(target_make(&a, &spec, &t, &e) == 0);
	name[0] = python[0] = platform[0] = torch[0] = driver[0] = '#';
	ck_assert(str_is(t.name, "h100"));
	ck_assert(str_is(t.platform, "linux_x86_64"));
	ck_assert(str_is(t.torch, "2.8.0+cu128"));
	ck_assert(str_is(t.driver, "580.65.06"));
	arena_release(&a);
}

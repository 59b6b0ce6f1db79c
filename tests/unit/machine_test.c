#include "mirror/machine.h"

#include "manifests/base/fs.h"
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { GIB_SHIFT = 30 };
#define GIB_OF(n) (UINT64_C(n) << GIB_SHIFT)

UNIT(machine_jobs_follow_cores_and_memory)
{
	static const struct {
		unsigned cores;
		uint64_t memory;
		unsigned want;
	} rows[] = { { 64, GIB_OF(32), 6 }, { 64, GIB_OF(512), 64 }, { 2, GIB_OF(23), 2 },
		{ 8, GIB_OF(4), 1 }, { 1, GIB_OF(100), 1 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct machine m = { .cores = rows[i].cores, .memory = rows[i].memory };

		ck_assert_uint_eq(machine_jobs(&m), rows[i].want);
	}
}

UNIT(machine_fits_only_targets_of_its_kind)
{
	const struct machine here = { .platform = STR("linux_x86_64"),
		.libc = TARGET_GLIBC,
		.libc_major = 2,
		.libc_minor = 28 };
	static const struct {
		const char *platform;
		enum target_libc libc;
		unsigned major, minor;
		bool fits;
	} rows[] = {
		{ "linux_x86_64", TARGET_GLIBC, 2, 28, true },
		{ "linux_x86_64", TARGET_GLIBC, 2, 17, true },
		{ "linux_x86_64", TARGET_GLIBC, 2, 34, false },
		{ "linux_x86_64", TARGET_MUSL, 1, 2, false },
		{ "linux_aarch64", TARGET_GLIBC, 2, 28, false },
		{ "win_amd64", 0, 0, 0, false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct target t = { .name = STR("t"),
			.platform = str_of(rows[i].platform),
			.libc = rows[i].libc,
			.libc_major = rows[i].major,
			.libc_minor = rows[i].minor };
		struct err e = ERR_INIT;

		ck_assert_msg((machine_fits(&here, &t, &e) == 0) == rows[i].fits, "row %zu: %s", i,
			e.text);
		ck_assert(rows[i].fits || e.rc == RC_TOOL);
	}
}

static void write_limit(
	struct arena *a, const char *base, const char *folder, const char *file, const char *text)
{
	struct err e = ERR_INIT;
	char *path = arena_printf(a, "%s%s", base, folder);

	ck_assert_int_eq(fs_mkdirs(path, 0755, &e), 0);
	ck_assert_int_eq(fs_write(arena_printf(a, "%s/%s", path, file), str_of(text), 0644, &e), 0);
}

UNIT(machine_memory_is_the_narrowest_cgroup)
{
	static const struct {
		const char *cgroups;
		uint64_t want;
	} rows[] = {
		{ "0::/a/b\n", 100 }, /* the outer one is narrower */
		{ "0::/a\n", 100 },
		{ "0::/wide\n", 1000 }, /* wider than the machine */
		{ "0::/none\n", 1000 }, /* "max" */
		{ "0::/absent/x\n", 1000 },
		{ "0::/\n", 1000 },
		{ "", 1000 },
		{ "garbage\n:::\n", 1000 },
		{ "4:cpu,memory:/job\n2:pids:/job\n", 300 },
		{ "4:cpuset:/job\n", 1000 },
	};
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	char base[] = "/tmp/gpkg-machine-XXXXXX";

	ck_assert_ptr_nonnull(mkdtemp(base));
	write_limit(&a, base, "/a", "memory.max", "100\n");
	write_limit(&a, base, "/a/b", "memory.max", "200\n");
	write_limit(&a, base, "/wide", "memory.max", "5000\n");
	write_limit(&a, base, "/none", "memory.max", "max\n");
	write_limit(&a, base, "/memory/job", "memory.limit_in_bytes", "300\n");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t got = machine_cgroup_memory(str_of(rows[i].cgroups), base, 1000);

		ck_assert_msg(
			got == rows[i].want, "%s: %llu", rows[i].cgroups, (unsigned long long)got);
	}
	ck_assert_int_eq(fs_remove_tree(base, &e), 0);
	arena_release(&a);
}

UNIT(machine_program_takes_only_programs_of_absolute_folders)
{
	struct arena a = ARENA_INIT;

	ck_assert_ptr_nonnull(machine_program(&a, STR("/nowhere:/bin"), "sh"));
	ck_assert_str_eq(machine_program(&a, STR("/bin:/usr/bin"), "sh"), "/bin/sh");
	ck_assert_ptr_null(machine_program(&a, STR("bin:.:"), "sh"));
	ck_assert_ptr_null(machine_program(&a, STR("/"), "bin")); /* a folder */
	ck_assert_ptr_null(machine_program(&a, STR("/etc"), "passwd"));
	arena_release(&a);
}

UNIT(machine_look_describes_this_one)
{
	struct arena a = ARENA_INIT;
	struct machine m;

	machine_look(&a, &m);
	ck_assert(str_starts(m.platform, "linux_"));
	ck_assert_uint_ge(m.cores, 1);
	ck_assert_uint_gt(m.memory, 1 << 20);
	arena_release(&a);
}

#include "mirror/toolkit.h"

#include "manifests/base/fs.h"
#include "manifests/base/mem.h"
#include "tests/unit/unit.h"
#include "tests/unit/wheel_maker.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What nvcc says, in a shell script. */
#define NVCC(release, archs)                                                                    \
	"#!/bin/sh\n"                                                                           \
	"case \"$1\" in\n"                                                                      \
	"--version) echo 'Built on x'; echo 'Cuda compilation tools, release " release "' ;;\n" \
	"--list-gpu-arch) for a in " archs "; do echo compute_$a; done ;;\n"                    \
	"*) exit 1 ;;\n"                                                                        \
	"esac\n"

struct bench { /* a folder that goes away with its test */
	struct arena a;
	char path[64];
};

static void bench_init(struct bench *b)
{
	*b = (struct bench){ .a = ARENA_INIT, .path = "/tmp/gpkg-toolkit-XXXXXX" };
	ck_assert_ptr_nonnull(mkdtemp(b->path));
	unsetenv("CUDA_HOME");
	unsetenv("CUDA_PATH");
}

static void bench_release(struct bench *b)
{
	struct err e = ERR_INIT;

	ck_assert_msg(fs_remove_tree(b->path, &e) == 0, "%s", e.text);
	arena_release(&b->a);
}

static char *make_home(struct bench *b, const char *name, const char *nvcc)
{
	struct err e = ERR_INIT;
	char *home = arena_printf(&b->a, "%s/%s", b->path, name);
	char *bin = arena_printf(&b->a, "%s/bin", home);

	ck_assert_int_eq(fs_mkdirs(bin, 0755, &e), 0);
	ck_assert_int_eq(fs_write(arena_printf(&b->a, "%s/nvcc", bin), str_of(nvcc), 0755, &e), 0);
	return home;
}

UNIT(toolkit_parses_what_nvcc_says)
{
	static const struct {
		const char *text, *release; /* NULL: not understood */
		unsigned major, minor;
	} rows[] = {
		{ "nvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release 13.0, "
		  "V13.0.88\n"
		  "Build cuda_13.0.r13.0/compiler.36424714_0\n",
			"13.0.88", 13, 0 },
		{ "Cuda compilation tools, release 12.4, V12.4.131", "12.4.131", 12, 4 },
		{ "", NULL, 0, 0 },
		{ "release 13.0", NULL, 0, 0 },
		{ "Cuda compilation tools, release thirteen, V13", NULL, 0, 0 },
		{ "clang version 14.0.6", NULL, 0, 0 },
	};
	struct arena a = ARENA_INIT;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct toolkit k = { .home = NULL };
		bool is_known = toolkit_parse_version(&a, str_of(rows[i].text), &k);

		ck_assert_msg(is_known == (rows[i].release != NULL), "row %zu", i);
		if (is_known) {
			ck_assert_str_eq(k.release, rows[i].release);
			ck_assert_uint_eq(k.version.major, rows[i].major);
			ck_assert_uint_eq(k.version.minor, rows[i].minor);
		}
	}
	struct toolkit k = { .home = NULL };

	toolkit_parse_gpus(
		&a, STR("compute_75\ncompute_90\r\ncompute_121\nsm_90\ncompute_x\n"), &k);
	ck_assert_uint_eq(k.ngpus, 3);
	ck_assert_uint_eq(k.gpus[1].major * 10 + k.gpus[1].minor, 90);
	ck_assert_uint_eq(k.gpus[2].major, 12);
	ck_assert_uint_eq(k.gpus[2].minor, 1);
	arena_release(&a);
}

UNIT(toolkit_find_takes_the_version_that_is_asked_for)
{
	static const struct {
		const char *want;
		int rc;
	} rows[] = { { "13.0", 0 }, { "13.0.88", 0 }, { "", 0 }, { "13", RC_TOOL },
		{ "13.1", RC_TOOL }, { "12.4", RC_TOOL } };
	struct bench b;

	bench_init(&b);
	setenv("CUDA_HOME", make_home(&b, "cuda", NVCC("13.0, V13.0.88", "80 90")), 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct toolkit k = { .home = NULL };
		struct err e = ERR_INIT;

		ck_assert_msg(toolkit_find(&b.a, str_of(rows[i].want), &k, &e) == -rows[i].rc,
			"%s: %s", rows[i].want, e.text);
		if (rows[i].rc) {
			ck_assert_ptr_null(k.home);
			ck_assert_ptr_nonnull(strstr(e.text, "13.0.88"));
			ck_assert_ptr_nonnull(strstr(e.hint, "CUDA_HOME"));
		} else {
			ck_assert(k.is_site);
			ck_assert_str_eq(k.home, getenv("CUDA_HOME"));
		}
	}
	bench_release(&b);
}

UNIT(toolkit_find_looks_where_the_variables_and_path_say)
{
	struct bench b;
	struct toolkit k;
	struct err e = ERR_INIT;
	char *home;

	bench_init(&b);
	home = make_home(&b, "cuda", NVCC("13.0, V13.0.88", "90"));
	setenv("CUDA_HOME", b.path, 1); /* no nvcc there: the user must know */
	ck_assert_int_eq(toolkit_find(&b.a, STR_NULL, &k, &e), -RC_TOOL);
	ck_assert_ptr_nonnull(strstr(e.text, "nvcc not found at"));
	unsetenv("CUDA_HOME");
	setenv("CUDA_PATH", home, 1);
	err_clear(&e);
	ck_assert_msg(toolkit_find(&b.a, STR_NULL, &k, &e) == 0, "%s", e.text);
	ck_assert_str_eq(k.home, home);
	unsetenv("CUDA_PATH");

	/* In PATH: through a link, and only if headers lie beside it. */
	char *links = arena_printf(&b.a, "%s/links", b.path);

	ck_assert_int_eq(mkdir(links, 0755), 0);
	ck_assert_int_eq(symlink(arena_printf(&b.a, "%s/bin/nvcc", home),
				 arena_printf(&b.a, "%s/nvcc", links)),
		0);
	ck_assert_int_eq(fs_mkdirs(arena_printf(&b.a, "%s/include", home), 0755, &e), 0);
	ck_assert_int_eq(
		fs_write(arena_printf(&b.a, "%s/include/cuda_runtime.h", home), STR(""), 0644, &e),
		0);
	setenv("PATH", arena_printf(&b.a, "%s:%s", links, getenv("PATH")), 1);
	ck_assert_msg(toolkit_find(&b.a, STR_NULL, &k, &e) == 0, "%s", e.text);
	ck_assert_str_eq(k.home, home);
	bench_release(&b);
}

UNIT(toolkit_check_asks_before_anything_is_compiled)
{
	static const struct {
		const char *nvcc;
		struct gpu gpu;
		struct cuda_version cuda;
		int rc;
		bool is_minor_off;
		const char *words;
	} rows[] = {
		{ NVCC("13.0, V13.0.88", "80 90"), { 9, 0 }, { 13, 0 }, 0, false, "" },
		{ NVCC("13.0, V13.0.88", "80 90"), { 9, 0 }, { 0, 0 }, 0, false, "" },
		{ NVCC("12.8, V12.8.1", "80 90"), { 9, 0 }, { 12, 6 }, 0, true, "" },
		{ NVCC("13.0, V13.0.88", "80 90"), { 7, 0 }, { 13, 0 }, RC_TOOL, false, "7.0" },
		{ NVCC("12.4, V12.4.1", "80 90"), { 12, 0 }, { 12, 4 }, RC_TOOL, false, "12.0" },
		{ NVCC("13.0, V13.0.88", "80 90"), { 9, 0 }, { 12, 8 }, RC_TOOL, false,
			"CUDA 12.8" },
		{ NVCC("13.0, V13.0.88", ""), { 9, 0 }, { 13, 0 }, RC_TOOL, false, "9.0" },
	};
	struct bench b;

	bench_init(&b);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct gpu gpu = rows[i].gpu;
		struct target t = {
			.name = STR("h100"), .gpus = &gpu, .ngpus = 1, .cuda = rows[i].cuda
		};
		struct err e = ERR_INIT;
		struct toolkit k;
		bool is_minor_off = false;
		char *home = make_home(&b, arena_printf(&b.a, "cuda-%zu", i), rows[i].nvcc);

		ck_assert_msg(toolkit_ask(&b.a, home, &k, &e) == 0, "%s", e.text);
		ck_assert_msg(toolkit_check(&k, &t, &is_minor_off, &e) == -rows[i].rc,
			"row %zu: %s", i, e.text);
		ck_assert(is_minor_off == rows[i].is_minor_off);
		ck_assert_msg(strstr(e.text, rows[i].words) != NULL, "row %zu: %s", i, e.text);
	}
	bench_release(&b);
}

UNIT(toolkit_ask_refuses_what_is_no_nvcc)
{
	static const char *const scripts[] = { "#!/bin/sh\nexit 1\n", "#!/bin/sh\necho hello\n",
		"#!/nowhere/shell\n" };
	struct bench b;

	bench_init(&b);
	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
		struct err e = ERR_INIT;
		struct toolkit k;
		char *home = make_home(&b, arena_printf(&b.a, "cuda-%zu", i), scripts[i]);

		ck_assert_int_eq(toolkit_ask(&b.a, home, &k, &e), -RC_TOOL);
		ck_assert_ptr_nonnull(strstr(e.text, "nvcc"));
	}
	bench_release(&b);
}

/* A wheel with these members, as an open file; mode 0 where the maker of a wheel records none. */
struct part {
	const char *name, *bytes;
	uint32_t mode;
};

static struct toolkit_wheel make_part(
	struct bench *b, const char *file, const struct part *parts, size_t n)
{
	struct wheel_maker m = { .arena = ARENA_INIT, .file = str_of(file) };
	CLEANUP_BUF struct buf bytes = BUF_INIT;
	struct err e = ERR_INIT;
	char *path = arena_printf(&b->a, "%s/%s", b->path, file);

	for (size_t i = 0; i < n; i++) {
		wheel_maker_add(&m, parts[i].name, str_of(parts[i].bytes))->mode = parts[i].mode;
	}
	wheel_maker_info(&m, "");
	wheel_maker_record(&m);
	wheel_maker_write(&m, &bytes);
	wheel_maker_release(&m);
	ck_assert_int_eq(fs_write(path, buf_str(&bytes), 0644, &e), 0);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	return (struct toolkit_wheel){ fd, str_of(arena_dup(&b->a, str_of(file))) };
}

#define NVCC_WHEEL "nvidia_cuda_nvcc-13.0.88-py3-none-any.whl"
#define RUNTIME_WHEEL "nvidia_cuda_runtime-13.0.96-py3-none-any.whl"

UNIT(toolkit_unpack_makes_one_tree)
{
	static const struct part nvcc[] = {
		{ "nvidia/cu13/bin/nvcc", NVCC("13.0, V13.0.88", "90"), 0100744 },
		{ "nvidia/cu13/bin/nvcc.profile", "TOP = x\n", 0100644 },
		{ "nvidia/cu13/bin/ptxas", "#!/bin/sh\n", 0 },
		{ "nvidia/cu13/include/same.h", "same\n", 0100644 },
	};
	static const struct part runtime[] = {
		{ "nvidia/cu13/lib/libcudart.so.13", "elf", 0100644 },
		{ "nvidia/cu13/lib/libcudart_static.a", "ar", 0100644 },
		{ "nvidia/cu13/include/same.h", "same\n", 0100644 },
		{ "nvidia/other/file", "not of the toolkit", 0100644 },
	};
	static const struct {
		const char *path;
		unsigned mode; /* 0: absent */
	} want[] = {
		{ "bin/nvcc", 0755 },
		{ "bin/nvcc.profile", 0644 },
		{ "bin/ptxas", 0755 },
		{ "include/same.h", 0644 },
		{ "lib/libcudart.so", 0644 },
		{ "lib64/libcudart.so.13", 0644 },
		{ "lib/libcudart_static.so", 0 },
		{ "file", 0 },
		{ "nvidia", 0 },
	};
	struct bench b;
	struct toolkit k;
	struct err e = ERR_INIT;

	bench_init(&b);
	struct toolkit_wheel wheels[2] = { make_part(&b, RUNTIME_WHEEL, runtime, 4),
		make_part(&b, NVCC_WHEEL, nvcc, 4) };
	char *into = arena_printf(&b.a, "%s/tree", b.path);

	ck_assert_int_eq(mkdir(into, 0755), 0);
	ck_assert_msg(toolkit_unpack(&b.a, wheels, 2, into, &k, &e) == 0, "%s", e.text);
	ck_assert_str_eq(k.home, into);
	ck_assert_str_eq(k.release, "13.0.88");
	ck_assert(!k.is_site);
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		struct stat st;
		int r = stat(arena_printf(&b.a, "%s/%s", into, want[i].path), &st);

		ck_assert_msg((r == 0) == (want[i].mode != 0), "%s", want[i].path);
		ck_assert_msg(r || (st.st_mode & 0777) == want[i].mode, "%s", want[i].path);
	}
	close(wheels[0].fd);
	close(wheels[1].fd);
	bench_release(&b);
}

UNIT(toolkit_unpack_refuses_what_is_none)
{
	static const struct part runtime[] = { { "nvidia/cu13/include/same.h", "other\n",
		0100644 } };
	static const struct part nvcc[] = {
		{ "nvidia/cu13/bin/nvcc", NVCC("13.0, V13.0.88", "90"), 0100744 },
		{ "nvidia/cu13/include/same.h", "same\n", 0100644 },
	};
	struct bench b;
	struct toolkit k;
	struct err e = ERR_INIT;

	bench_init(&b);
	struct toolkit_wheel wheels[2] = { make_part(&b, RUNTIME_WHEEL, runtime, 1),
		make_part(&b, NVCC_WHEEL, nvcc, 2) };

	ck_assert_int_eq(toolkit_unpack(&b.a, wheels, 1, b.path, &k, &e), -RC_TOOL);
	ck_assert_ptr_nonnull(strstr(e.text, "nvcc"));
	err_clear(&e);
	ck_assert_int_eq(toolkit_unpack(&b.a, wheels, 2, b.path, &k, &e), -RC_CONFLICT);
	ck_assert_ptr_nonnull(strstr(e.text, "same.h"));
	close(wheels[0].fd);
	close(wheels[1].fd);
	bench_release(&b);
}

#include "manifests/specifier.h"
#include "manifests/tag.h"
#include "manifests/variant.h"
#include "tests/unit/unit.h"

#include <string.h>

#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

struct machine_row { /* a target in short; NULL is not given */
	const char *python, *platform, *glibc, *torch, *cuda, *gpu;
};

static void make_machine(struct arena *a, const struct machine_row *row, struct target *out)
{
	struct str gpu = str_of(row->gpu);
	struct target_spec spec = { .name = STR("t"),
		.python = row->python ? str_of(row->python) : STR("3.12"),
		.platform = row->platform ? str_of(row->platform) : STR("linux_x86_64"),
		.torch = str_of(row->torch),
		.cuda = str_of(row->cuda),
		.gpus = &gpu,
		.ngpus = gpu.n > 0,
		.cxx11_abi = -1 };
	struct err e = ERR_INIT;

	if (!str_starts(spec.platform, "win")) {
		spec.glibc = row->glibc ? str_of(row->glibc) : STR("2.28");
	}
	ck_assert_msg(target_make(a, &spec, out, &e) == 0, "%s", e.text);
}

static void make_target(struct arena *a, const char *torch, const char *cuda, struct target *out)
{
	make_machine(a, &(struct machine_row){ .torch = torch, .cuda = cuda }, out);
}

static const struct {
	const char *torch, *cuda, *local, *stage, *why;
} judged[] = {
	/* CUDA */
	{ NULL, "13", "cu130", "", "" },
	{ NULL, "13", "cu131torch2.11", "", "" },
	{ NULL, "13", "cu13", "", "" },
	{ NULL, "13", "cu128", "cuda", "built for CUDA 12.8, the target is for CUDA 13" },
	{ NULL, "13.0.88", "cu130", "", "" },
	{ NULL, "cu130", "cu130", "", "" },
	{ NULL, "13.0", "cu131", "cuda", "built for CUDA 13.1, the target is for CUDA 13.0" },
	{ NULL, "9.2", "cu9", "", "" },
	{ NULL, "9.2", "cu92", "", "" },
	{ NULL, "9.2", "cu90", "cuda", "" },
	{ "2.3.1", "11.8", "cu118torch2.3cxx11abiFALSE", "", "" },
	{ "2.6.0+cu126", NULL, "cu12torch2.6cxx11abiTRUE", "", "" },
	{ "2.6.0+cu126", NULL, "cu124torch2.6", "cuda", "" },
	{ "2.11.0+cu130", NULL, "cu12torch2.11", "cuda",
		"built for CUDA 12, the target is for CUDA 13.0" },
	{ "2.11.0+cu130", NULL, "cpu", "cuda", "built for the CPU, the target is for CUDA 13.0" },
	{ "2.11.0+cu130", NULL, "rocm6.4", "cuda", "built for ROCm" },
	{ "2.11.0+cu130", NULL, "xpu", "cuda", "built for XPU" },
	{ "2.11.0+cu130", NULL, "", "", "" },
	{ "2.8.0+cpu", NULL, "cu128", "cuda", "built for CUDA 12.8, the target is for the CPU" },
	{ "2.8.0+cpu", NULL, "cpu", "", "" },
	{ NULL, "none", "rocm6.4", "cuda", "" },
	{ "2.8.0+rocm6.4", NULL, "rocm6.4", "", "" },
	{ "2.8.0+rocm6.4", NULL, "cpu", "cuda", "built for the CPU, the target is for ROCm" },
	{ "2.8.0+xpu", NULL, "xpu", "", "" },
	{ "2.8.0", NULL, "cu126", "", "" },
	{ NULL, NULL, "rocm6.4torch2.8", "", "" },
	/* torch */
	{ "2.9.0+cu128", NULL, "cu128torch2.8", "torch",
		"built for torch 2.8, the target has 2.9.0+cu128" },
	{ "2.11.0+cu130", NULL, "cu130torch2.9.0andhigher.post4", "", "" },
	{ "2.9.1+cu130", NULL, "cu130torch2.9.0andhigher.post4", "", "" },
	{ "2.8.0+cu130", "13.0", "cu130torch2.9.0andhigher.post4", "torch",
		"torch 2.9.0 or higher" },
	{ "2.8.0+cu128", NULL, "cu128torch2.8.0.post2", "", "" },
	{ "2.9.0+cu128", NULL, "torch291cu128", "", "" },
	{ "2.1.0+cu121", NULL, "cu121.torch210", "torch-ambiguous",
		"built for torch 2.10 or 2.1.0" },
	{ "2.10.0+cu128", NULL, "cu128.torch210", "torch-ambiguous",
		"the target has 2.10.0+cu128" },
	{ "2.9.0+cu128", NULL, "cu128.torch210", "torch", "" },
	{ "2.11.0+cu130", NULL, "torch210andhigher", "", "" },
	{ "2.11.0a0+nightly", NULL, "torch2.11", "", "" },
	{ "2.12.0.dev20260401+cu130", NULL, "cu130torch2.12", "", "" },
	{ NULL, "12.8", "cu128torch2.8", "", "" },
	/* containers */
	{ "2.5.0a0+e000cf0ad9.nv24.10", NULL, "cu12torch2.5cxx11abiTRUE", "", "" },
	{ "2.5.0a0+e000cf0ad9.nv24.10", NULL, "cu12torch2.5cxx11abiFALSE", "abi", "the other" },
	{ "2.5.0a0+e000cf0ad9.nv24.10", NULL, "cu12torch2.6cxx11abiTRUE", "torch", "" },
	{ "2.5.0a0+e000cf0ad9.nv24.10", NULL, "cu12torch24.10cxx11abiTRUE", "", "" },
	{ "2.7.0a0+79aa17489c.nv25.04", NULL, "cu12torch25.04cxx11abiTRUE", "", "" },
	{ "2.7.0a0+79aa17489c.nv25.04", NULL, "cu12torch25.05cxx11abiTRUE", "torch",
		"built for torch 25.05 of NVIDIA's containers" },
	{ "2.7.0+cu126", NULL, "cu12torch25.04cxx11abiTRUE", "torch", "" },
	/* the C++ ABI */
	{ "2.6.0+cu126", NULL, "cu12torch2.6cxx11abiFALSE", "abi", "2.6.0+cu126 has the other" },
	{ "2.6.0+cu124", NULL, "cu12torch2.6cxx11abiTRUE", "abi", "the C++11 ABI" },
	{ "2.6.0+cu124", NULL, "cu12torch2.6cxx11abiFALSE", "", "" },
	{ "2.6.0", NULL, "cu12torch2.6cxx11abiTRUE", "abi", "which one has the target?" },
	{ "2.6.0", NULL, "cu12torch2.6cxx11abiFALSE", "abi", "torch.__version__" },
	{ "2.6.0", "12.4", "cu12torch2.6cxx11abiFALSE", "", "" },
	{ "2.6.0", "12", "cu12torch2.6cxx11abiFALSE", "abi", "which one has the target?" },
	{ "2.6.0+cpu", NULL, "torch2.6cxx11abiTRUE", "abi",
		"which one has the target? State cxx11_abi" },
	{ "2.6.0", NULL, "cu124torch2.6", "", "" },
	{ "2.11.0+cu130", NULL, "20260318.cu130torch2110cxx11abifalse.8afc61", "abi", "" },
	{ NULL, NULL, "cxx11abiFALSE", "", "" },
};

UNIT(variant_judge_by_rule)
{
	for (size_t i = 0; i < ROWS(judged); i++) {
		struct arena a = ARENA_INIT;
		struct variant v;
		struct target t;
		struct str why;

		make_target(&a, judged[i].torch, judged[i].cuda, &t);
		variant_parse(&a, str_of(judged[i].local), VARIANT_TORCH_ANY, &v);
		enum variant_misfit m = variant_judge(&v, &t, &a, &why);
		ck_assert_msg(strcmp(variant_stage(m), judged[i].stage) == 0, "%s on %s: \"%s\"",
			judged[i].local, judged[i].torch ? judged[i].torch : judged[i].cuda,
			variant_stage(m));
		ck_assert_msg(str_has(why, judged[i].why) && (m || !why.n), "%s: %.*s",
			judged[i].local, STR_ARG(why));
		ck_assert_int_eq(variant_judge(&v, &t, &a, NULL), m);
		arena_release(&a);
	}
}

UNIT(variant_judge_asks_no_abi_of_windows)
{
	static const struct machine_row windows = { .platform = "win_amd64", .torch = "2.6.0" };
	struct arena a = ARENA_INIT;
	struct variant v;
	struct target t;

	make_machine(&a, &windows, &t);
	variant_parse(&a, STR("cu124torch2.6.0cxx11abiFALSE"), VARIANT_TORCH_ANY, &v);
	ck_assert_int_eq(variant_judge(&v, &t, &a, NULL), VARIANT_FITS);
	arena_release(&a);
}

UNIT(variant_judge_looks_at_every_gpu)
{
	static const struct {
		const char *local, *gpu;
		bool fits;
	} rows[] = {
		{ "cu130sm89torch2.11", "8.9", true },
		{ "cu130sm80torch2.11", "8.9", true },
		{ "cu130sm89torch2.11", "8.6", false },
		{ "cu130sm89torch2.11", "9.0", false },
		{ "sm80.sm90", "9.0", true },
		{ "sm_100", "12.0", false },
		{ "sm89", NULL, true },
		{ "cu130", "9.0", true },
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct arena a = ARENA_INIT;
		struct variant v;
		struct target t;
		struct str why;

		make_machine(&a,
			&(struct machine_row){ .torch = "2.11.0+cu130", .gpu = rows[i].gpu }, &t);
		variant_parse(&a, str_of(rows[i].local), VARIANT_TORCH_ANY, &v);
		enum variant_misfit m = variant_judge(&v, &t, &a, &why);
		ck_assert_msg(m == (rows[i].fits ? VARIANT_FITS : VARIANT_WRONG_GPU), "%s",
			rows[i].local);
		ck_assert(rows[i].fits || str_has(why, "the target has sm_"));
		arena_release(&a);
	}
}

/* The two builds of one wheel, for the two builds of one torch. */
UNIT(variant_judge_gives_each_torch_its_abi)
{
	static const struct {
		const char *torch;
		bool takes_new, takes_old;
	} rows[] = {
		{ "2.6.0+cu126", true, false },
		{ "2.6.0+cu124", false, true },
		{ "2.6.0", false, false }, /* which build? */
		{ "2.7.0+cu126", false, false },
	};
	struct arena a = ARENA_INIT;
	struct variant is_new, is_old;

	variant_parse(&a, STR("cu12torch2.6cxx11abiTRUE"), VARIANT_TORCH_ANY, &is_new);
	variant_parse(&a, STR("cu12torch2.6cxx11abiFALSE"), VARIANT_TORCH_ANY, &is_old);
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct target t;

		make_target(&a, rows[i].torch, NULL, &t);
		ck_assert_int_eq(
			variant_judge(&is_new, &t, &a, NULL) == VARIANT_FITS, rows[i].takes_new);
		ck_assert_int_eq(
			variant_judge(&is_old, &t, &a, NULL) == VARIANT_FITS, rows[i].takes_old);
	}
	arena_release(&a);
}

/* One page with every accelerator: which files fit, and whether one of them is the best. */
UNIT(variant_choice_of_accelerator)
{
	static const char *const page[] = { "", "cpu", "cu126", "cu128", "rocm6.4", "xpu" };
	static const struct {
		const char *cuda, *best; /* NULL: several fit and nothing speaks for one */
	} rows[] = { { "12.6", "cu126" }, { "none", "cpu" }, { NULL, NULL }, { "12", NULL } };

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct arena a = ARENA_INIT;
		struct variant best = { .cxx11_abi = -1 }, v;
		const char *name = NULL;
		bool is_tied = false;
		struct target t;

		make_target(&a, NULL, rows[i].cuda, &t);
		for (size_t k = 0; k < ROWS(page); k++) {
			variant_parse(&a, str_of(page[k]), VARIANT_TORCH_ANY, &v);
			if (variant_judge(&v, &t, &a, NULL)) {
				continue;
			}
			int order = name ? variant_compare(&v, &best, &t) : 1;
			is_tied = order == 0 || (is_tied && order < 0);
			if (order > 0) {
				best = v;
				name = page[k];
			}
		}
		ck_assert_msg(is_tied == !rows[i].best, "%s", rows[i].cuda);
		ck_assert_msg(
			is_tied || strcmp(name, rows[i].best) == 0, "%s: %s", rows[i].cuda, name);
		arena_release(&a);
	}
}

UNIT(variant_compare_takes_the_one_that_says_more)
{
	static const struct {
		const char *torch, *cuda, *better, *worse;
		bool is_tie;
	} rows[] = {
		{ "2.8.0+cu128", NULL, "cu128torch2.8", "cu12torch2.8", false },
		{ "2.8.0+cu128", NULL, "cu128torch2.8", "", false },
		{ "2.8.0+cu128", NULL, "cu128torch2.8", "cu128", false },
		{ "2.9.1+cu128", NULL, "cu128torch2.9.1", "cu128torch2.9", false },
		{ "2.9.1+cu128", NULL, "cu128torch2.9", "cu128torch2.9.0", false },
		{ "2.11.0+cu130", NULL, "cu130torch2.11", "cu130torch2.9.0andhigher", false },
		{ "2.8.0+cu128", NULL, "cu128torch2.8cxx11abiTRUE", "cu128torch2.8", false },
		{ "2.7.0a0+79aa17489c.nv25.04", NULL, "torch25.04", "torch2.7", false },
		{ "2.11.0+cu130", NULL, "20260330.cu130torch2110", "20260318.cu130torch2110",
			false },
		{ "2.11.0+cu130", NULL, "20260330.cu130torch2110.98024f",
			"20260318.cu130torch2110.ffffff", false },
		{ "2.8.0+cu128", NULL, "cu128torch2.8.0.post2", "cu128torch2.8.0", false },
		{ "2.8.0+cu128", NULL, "cu128torch2.8.0.post10", "cu128torch2.8.0.post9", false },
		{ "2.8.0+cu128", NULL, "cu128torch2.8", "torch28cu128", true },
		{ "2.8.0+cu128", NULL, "cu128torch2.8.dfb664", "cu128torch2.8.58fe37", true },
		{ NULL, NULL, "cu128", "cu126", true }, { NULL, NULL, "cu128", "", true },
		{ NULL, "13", "cu131", "cu130", true },
		{ NULL, "12.8", "cu128torch2.8", "cu128torch2.9", true }, /* whose torch? */
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct arena a = ARENA_INIT;
		struct variant better, worse;
		struct target t;

		make_target(&a, rows[i].torch, rows[i].cuda, &t);
		variant_parse(&a, str_of(rows[i].better), VARIANT_TORCH_ANY, &better);
		variant_parse(&a, str_of(rows[i].worse), VARIANT_TORCH_ANY, &worse);
		int there = variant_compare(&better, &worse, &t),
		    back = variant_compare(&worse, &better, &t);
		ck_assert_msg(rows[i].is_tie ? there == 0 && back == 0 : there > 0 && back < 0,
			"%s, %s: %d %d", rows[i].better, rows[i].worse, there, back);
		arena_release(&a);
	}
}

/* ---- tags and versions of the same names ---- */

UNIT(variant_files_fit_by_parsed_tags)
{
	static const struct {
		struct machine_row machine;
		const char *tag;
		bool fits;
	} rows[] = {
		{ { .python = "3.14", .glibc = "2.39" }, "cp314-cp314-manylinux_2_34_aarch64",
			false },
		{ { .python = "3.14", .glibc = "2.39" }, "cp314-cp314-manylinux_2_34_x86_64",
			true },
		{ { .platform = "linux_aarch64" }, "cp312-cp312-musllinux_1_2_aarch64", false },
		{ { 0 }, "cp312-cp312-manylinux1_i686", false },
		{ { .python = "3.13" }, "cp313-cp313t-linux_x86_64", false },
		{ { .python = "3.13t" }, "cp313-cp313t-linux_x86_64", true },
		{ { .python = "3.12.4" }, "cp312-cp312-linux_x86_64", true },
		{ { .python = "3.12.4" }, "cp39-abi3-linux_x86_64", true },
		{ { 0 }, "py3-none-any", true },
		{ { 0 }, "py2.py3-none-any", true },
		{ { .python = "3.11" }, "cp310.cp311-cp310.cp311-linux_x86_64", true },
		{ { .python = "3.10" }, "cp310-none-linux_x86_64", true },
		{ { 0 }, "1-cp312-cp312-linux_x86_64", true }, /* a build tag */
		{ { 0 }, "cp312-cp312-macosx_11_0_arm64", false },
		{ { 0 }, "cp312-cp312-manylinux_2_34_x86_64.manylinux_2_35_x86_64", false },
		{ { 0 }, "cp312-cp312-manylinux_2_34_x86_64.manylinux_2_28_x86_64", true },
		{ { .platform = "win_amd64" }, "cp312-cp312-win_amd64", true },
		{ { .platform = "win_amd64" }, "cp312-cp312-linux_x86_64", false },
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct arena a = ARENA_INIT;
		struct dist_name wheel;
		struct tag_list tags;
		struct target t;
		struct err e = ERR_INIT;

		make_machine(&a, &rows[i].machine, &t);
		tag_list_of(&a, &t, &tags);
		const char *file = arena_printf(&a, "x-1.0+cu128torch2.8-%s.whl", rows[i].tag);
		ck_assert_msg(dist_name_parse(&a, str_of(file), &wheel, &e) == 0, "%s", e.text);
		ck_assert_msg((tag_rank(&tags, &wheel) >= 0) == rows[i].fits, "%s", rows[i].tag);
		arena_release(&a);
	}
}

UNIT(variant_repaired_wheel_before_a_plain_one)
{
	static const char *const wheels[] = { "flash_attn-2.8.3+cu128torch2.9-cp312-cp312-"
					      "manylinux_2_24_x86_64.manylinux_2_28_x86_64.whl",
		"flash_attn-2.8.3+cu128torch2.9-cp312-cp312-linux_x86_64.whl" };
	struct arena a = ARENA_INIT;
	struct dist_name wheel;
	struct tag_list tags;
	struct target t;
	struct err e = ERR_INIT;
	int rank[2];

	make_machine(&a, &(struct machine_row){ 0 }, &t);
	tag_list_of(&a, &t, &tags);
	for (size_t i = 0; i < 2; i++) {
		ck_assert_int_eq(dist_name_parse(&a, str_of(wheels[i]), &wheel, &e), 0);
		rank[i] = tag_rank(&tags, &wheel);
	}
	ck_assert(rank[0] >= 0 && rank[0] < rank[1]);
	arena_release(&a);
}

/* A source's torch_compat is PEP 440's, and a label changes nothing about order. */
UNIT(variant_versions_by_pep_440)
{
	static const struct {
		const char *specifiers, *version;
		bool fits;
	} rows[] = {
		{ "<=2.6", "2.6.0", true },
		{ "<=2.6", "2.6.0+cu126", true },
		{ "==2.11", "2.11.0", true },
		{ "!=2.10", "2.10.0", false },
		{ "~=2.4", "2.11.0", true },
		{ "~=2.4.0", "2.11.0", false },
		{ ">=2.4", "2.5.0a0+e000cf0ad9.nv24.10", true },
		{ ">=2.8.0", "2.8.0a0+5228986c39.nv25.5", false },
		{ "==2.8.3", "2.8.3+cu12torch2.8cxx11abiTRUE", true },
		{ "==2.8.3+cu12torch2.8cxx11abiTRUE", "2.8.3+CU12Torch2.8cxx11abitrue", true },
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct arena a = ARENA_INIT;
		struct specifier_set set;
		struct version v;
		struct err e = ERR_INIT;

		ck_assert_int_eq(specifier_parse(&a, str_of(rows[i].specifiers), &set, &e), 0);
		ck_assert_int_eq(version_parse(&a, str_of(rows[i].version), &v, &e), 0);
		ck_assert_msg(specifier_contains(&set, &v) == rows[i].fits, "%s %s",
			rows[i].specifiers, rows[i].version);
		arena_release(&a);
	}
}

UNIT(variant_specifier_that_is_none_is_refused)
{
	struct arena a = ARENA_INIT;
	struct specifier_set set;
	struct err e = ERR_INIT;

	ck_assert_int_eq(specifier_parse(&a, STR("=2.4"), &set, &e), -RC_INVALID);
	arena_release(&a);
}

#include "manifests/dist_name.h"
#include "manifests/variant.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

/* What was read, in one line: "cuda=12.8 torch=2.11 abi=1 sm_89 date=20251229 post=2 rest=58fe37".
 */
static const char *variant_text(struct arena *a, const struct variant *v)
{
	static const char *const accelerators[] = { "", "cpu ", "", "rocm ", "xpu " };
	CLEANUP_BUF struct buf b = BUF_INIT;

	buf_adds(&b, accelerators[v->accelerator]);
	if (v->accelerator == VARIANT_CUDA) {
		buf_addf(&b, v->has_cuda_minor ? "cuda=%u.%u " : "cuda=%u ", v->cuda.major,
			v->cuda.minor);
	}
	for (unsigned i = 0; i < v->ntorch; i++) {
		buf_addf(&b, "%s%u.%u",
			i                    ? "|"
			: v->torch_is_calver ? "container="
					     : "torch=",
			v->torch[i].major, v->torch[i].minor);
		if (v->torch[i].has_patch) {
			buf_addf(&b, ".%u", v->torch[i].patch);
		}
	}
	buf_adds(&b, v->torch_or_higher ? "+ " : v->ntorch ? " " : "");
	if (v->cxx11_abi >= 0) {
		buf_addf(&b, "abi=%d ", v->cxx11_abi);
	}
	for (size_t i = 0; i < v->ngpus; i++) {
		buf_addf(&b, "sm_%u%u ", v->gpus[i].major, v->gpus[i].minor);
	}
	if (v->date) {
		buf_addf(&b, "date=%llu ", (unsigned long long)v->date);
	}
	if (v->post) {
		buf_addf(&b, "post=%llu ", (unsigned long long)v->post);
	}
	if (v->rest.n) {
		buf_addf(&b, "rest=%.*s ", STR_ARG(v->rest));
	}
	return arena_dup(a, str_trim(buf_str(&b)));
}

static void ck_label(const char *local, enum variant_torch_style style, const char *expected)
{
	struct arena a = ARENA_INIT;
	struct variant v;

	variant_parse(&a, str_of(local), style, &v);
	const char *got = variant_text(&a, &v);
	ck_assert_msg(strcmp(got, expected) == 0, "%s: \"%s\", not \"%s\"", local, got, expected);
	arena_release(&a);
}

static void variant_of_file(struct arena *a, const char *file, struct variant *out)
{
	CLEANUP_BUF struct buf local = BUF_INIT;
	struct dist_name name;
	struct err e = ERR_INIT;

	ck_assert_msg(dist_name_parse(a, str_of(file), &name, &e) == 0, "%s", e.text);
	version_format_local(&name.version, &local);
	variant_parse(a, buf_str(&local), VARIANT_TORCH_ANY, out);
}

UNIT(variant_of_published_wheels)
{
	static const struct {
		const char *file, *says;
	} rows[] = {
#define PUBLISHED(file, says) { file, says },
#include "tests/unit/published_wheels.def"
#undef PUBLISHED
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct arena a = ARENA_INIT;
		struct variant v;

		variant_of_file(&a, rows[i].file, &v);
		const char *got = variant_text(&a, &v);
		ck_assert_msg(strcmp(got, rows[i].says) == 0, "%s: \"%s\", not \"%s\"",
			rows[i].file, got, rows[i].says);
		arena_release(&a);
	}
}

/* The same in other words, cases and orders, and what looks like it and is not. */
static const struct {
	const char *local, *says;
} labels[] = {
	{ "", "" },
	{ "cu.12.8.torch.2.11", "cuda=12.8 torch=2.11" },
	{ "CU128-Torch2.8_CXX11ABI-False", "cuda=12.8 torch=2.8 abi=0" },
	{ "cu_12_8_torch_2_11_0", "cuda=12.8 torch=2.11.0" },
	{ "torch2.11.cu12.8", "cuda=12.8 torch=2.11" },
	{ "torch2.11cu130", "cuda=13.0 torch=2.11" },
	{ "torch.2110.cu.130", "cuda=13.0 torch=2.11.0" },
	{ "cuda12.8torch2.8", "cuda=12.8 torch=2.8" },
	{ "cuda128", "cuda=12.8" },
	{ "cu12.9.86.torch2.8", "cuda=12.9 torch=2.8" },
	{ "cu1281", "cuda=12.8" },
	{ "cu9", "cuda=9" },
	{ "cu10", "cuda=10" },
	{ "cu13", "cuda=13" },
	{ "cu12.58fe37", "cuda=12 rest=58fe37" },
	{ "cu12.8fe374", "cuda=12 rest=8fe374" },
	{ "cu12.20251229", "cuda=12 date=20251229" },
	{ "cu128.cu130", "cuda=12.8 rest=cu130" },
	{ "cu128full", "cuda=12.8 rest=full" },
	{ "cudnn9.cutlass4", "rest=cudnn9.cutlass4" },
	{ "cu0", "rest=cu0" },
	{ "cu12800", "rest=cu12800" },
	{ "wincu128", "rest=wincu128" },
	{ "ubuntu2204torch2.5", "torch=2.5 rest=ubuntu2204" },
	{ "fa3.cu128.pytorch2.8", "cuda=12.8 torch=2.8 rest=fa3" },
	{ "torch2.8.58fe37", "torch=2.8 rest=58fe37" },
	{ "torch2.8.123456", "torch=2.8 rest=123456" },
	{ "torch2.8.0a1b2c3", "torch=2.8 rest=0a1b2c3" },
	{ "torch2.8.20251229", "torch=2.8 date=20251229" },
	{ "torch2.10.0.post4", "torch=2.10.0 post=4" },
	{ "torch27.post1", "torch=2.7 post=1" },
	{ "torch27.58fe37", "torch=2.7 rest=58fe37" },
	{ "torch2", "rest=torch2" },
	{ "torch", "rest=torch" },
	{ "torchvision0.21", "rest=torchvision0.21" },
	{ "torchnightly.cu128", "cuda=12.8 rest=torchnightly" },
	{ "torch20.1", "container=20.1" },
	{ "torch25.4.cxx11abitrue", "container=25.4 abi=1" },
	{ "torch25.13", "torch=2.5 rest=13" },
	{ "torch27", "torch=2.7" },
	{ "torch271", "torch=2.7.1" },
	{ "torch29.torch28", "torch=2.9 rest=torch28" },
	{ "torch2.9.andhigher", "torch=2.9+" },
	{ "andhigher", "rest=andhigher" },
	{ "cxx11abi0", "abi=0" },
	{ "cxx11abi.1", "abi=1" },
	{ "cxx11abi.1a2b3c", "abi=1 rest=1a2b3c" },
	{ "cxx11abi.dfb664", "abi=1 rest=dfb664" },
	{ "cxx11abi", "abi=1" },
	{ "cxx11abi11", "rest=cxx11abi11" },
	{ "abifalse", "abi=0" },
	{ "abi3.cu128", "cuda=12.8 rest=abi3" },
	{ "sm80.sm_90a.sm120f", "sm_80 sm_90 sm_120" },
	{ "sm_103andhigher", "sm_103 rest=andhigher" },
	{ "sm9", "rest=sm9" },
	{ "cpuonly", "cpu rest=only" },
	{ "cpufast", "rest=cpufast" },
	{ "torch2.8cpu", "cpu torch=2.8" },
	{ "rocm64.torch2.8", "rocm torch=2.8" },
	{ "rocm", "rocm" },
	{ "rocm6.4torch2.8", "rocm torch=2.8" },
	{ "20261332", "rest=20261332" },
	{ "g20251229", "rest=g20251229" },
	{ "gitcu128", "rest=gitcu128" },
	{ "c4e1f0d", "rest=c4e1f0d" },
	{ "post", "rest=post" },
	{ "~!cu128", "cuda=12.8 rest=~!" },
};

UNIT(variant_of_any_label)
{
	for (size_t i = 0; i < ROWS(labels); i++) {
		ck_label(labels[i].local, VARIANT_TORCH_ANY, labels[i].says);
	}
}

UNIT(torch_digits_by_style)
{
	static const struct {
		const char *digits, *any, *full, *minor; /* "": cannot be one */
	} rows[] = {
		{ "20", "torch=2.0", "torch=2.0", "torch=2.0" },
		{ "27", "torch=2.7", "torch=2.7", "torch=2.7" },
		{ "270", "torch=2.7.0", "torch=2.7.0", "torch=2.7.0" },
		{ "291", "torch=2.9.1", "torch=2.9.1", "torch=2.9.1" },
		{ "210", "torch=2.10|2.1.0", "torch=2.1.0", "torch=2.10" },
		{ "211", "torch=2.11|2.1.1", "torch=2.1.1", "torch=2.11" },
		{ "212", "torch=2.12|2.1.2", "torch=2.1.2", "torch=2.12" },
		{ "213", "torch=2.13", "torch=2.13", "torch=2.13" },
		{ "215", "torch=2.15", "torch=2.15", "torch=2.15" },
		{ "2100", "torch=2.10.0", "torch=2.10.0", "torch=2.10.0" },
		{ "2141", "torch=2.14.1", "torch=2.14.1", "torch=2.14.1" },
		{ "113", "torch=1.13", "torch=1.13", "torch=1.13" },
		{ "1131", "torch=1.13.1", "torch=1.13.1", "torch=1.13.1" },
		{ "110", "torch=1.10|1.1.0", "torch=1.1.0", "torch=1.10" },
		{ "201", "torch=2.0.1", "torch=2.0.1", "torch=2.0.1" },
		/* Newer than the table. */
		{ "216", "torch=2.16", "torch=2.16", "torch=2.16" },
		{ "2161", "torch=2.16.1", "torch=2.16.1", "torch=2.16.1" },
		{ "281", "torch=2.8.1", "torch=2.8.1", "torch=2.8.1" },
		{ "300", "torch=3.0.0", "torch=3.0.0", "torch=3.0.0" },
		{ "310", "torch=3.10|3.1.0", "torch=3.1.0", "torch=3.10" },
		{ "2", "rest=torch2", "rest=torch2", "rest=torch2" },
		{ "027", "rest=torch027", "rest=torch027", "rest=torch027" },
		{ "2011", "rest=torch2011", "rest=torch2011", "rest=torch2011" },
		{ "21100", "rest=torch21100", "rest=torch21100", "rest=torch21100" },
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		char label[32];

		snprintf(label, sizeof(label), "torch%s", rows[i].digits);
		ck_label(label, VARIANT_TORCH_ANY, rows[i].any);
		ck_label(label, VARIANT_TORCH_FULL, rows[i].full);
		ck_label(label, VARIANT_TORCH_MINOR, rows[i].minor);
	}
}

/* Sources of wheels: the built-in ones, their pages for a target, and the names that belong to
 * them. */
#include "manifests/name.h"
#include "manifests/source.h"
#include "manifests/specifier.h"
#include "tests/unit/unit.h"

#include <string.h>

#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

static const struct source *built_in(const char *name)
{
	const struct source *s = source_find(source_builtin(), str_of(name));

	ck_assert_msg(s != NULL, "%s", name);
	return s;
}

UNIT(source_builtin_rows_keep_the_rules)
{
	const struct source_list *list = source_builtin();
	struct arena a = ARENA_INIT;

	ck_assert(list->n >= 15);
	for (size_t i = 0; i < list->n; i++) {
		const struct source *s = &list->v[i];
		struct specifier_set set;
		struct err e = ERR_INIT;

		ck_assert_msg(source_url_check(s->kind, s->url, &e) == 0, "%s", e.text);
		ck_assert_msg(specifier_parse(&a, s->torch_compat, &set, &e) == 0, "%s", e.text);
		ck_assert_msg(source_find(list, s->name) == s, "%s: named twice", s->name.p);
		ck_assert(s->description.n && s->origin && source_kind_text(s->kind));
		for (size_t k = 0; k < s->npackages; k++) {
			ck_assert_str_eq(name_normalize(&a, s->packages[k]), s->packages[k].p);
		}
	}
	arena_release(&a);
	ck_assert(source_find(list, STR("pypi")) == NULL);
}

/* ---- names that publishers use ---- */

/* gpkg's patterns for them. */
#define MJUN "flash_attn-{version}+cu{cuda}torch{torch}-{pytag}-{platform}.whl"
#define MJUN3 "flash_attn_3-{version}+cu{cuda}torch{torch}{hash}-{pytag}-{platform}.whl"
#define DAO "flash_attn-{version}+cu{cuda}torch{torch}cxx11abi{abi}-{pytag}-{platform}.whl"
#define CONV "causal_conv1d-{version}+cu{cuda}torch{torch}cxx11abi{abi}-{pytag}-{platform}.whl"
#define MAMBA "mamba_ssm-{version}+cu{cuda}torch{torch}cxx11abi{abi}-{pytag}-{platform}.whl"
#define NATTEN "natten-{version}+torch{torch}cu{cuda}-{pytag}-{platform}.whl"
#define GEMM "nv_grouped_gemm-{version}+cu{cuda}torch{torch}cxx11abi{abi}-{pytag}-{platform}.whl"
#define SAGE "sageattention-{version}+cu{cuda}torch{torch}-{pytag}-{platform}.whl"
#define MOBCAT "sageattention-{version}+cu{cuda}.torch{torch}-{pytag}-{platform}.whl"
#define WINDREAMER \
	"flash_attn_3-{version}+{_}.cu{cuda}torch{torch}cxx11abi{_}-{pytag}-{platform}.whl"
#define PYG(name) name "-{version}+pt{torch}cu{cuda}-{pytag}-{platform}.whl"
#define FORGE(name) name "-{version}+cu{cuda}torch{torch}-{pytag}-{platform}.whl"

static const struct {
	const char *source, *file, *wheel_name; /* NULL: gpkg has no pattern that means this file */
} real_names[] = {
	{ "flash-attention-mjun0812", "flash_attn-2.6.3+cu124torch2.5-cp312-cp312-linux_x86_64.whl",
		MJUN },
	{ "flash-attention-mjun0812", "flash_attn-2.8.3+cu128torch2.9-cp312-cp312-linux_x86_64.whl",
		MJUN },
	{ "flash-attention-mjun0812",
		"flash_attn-2.8.3+cu130torch2.13-cp314-cp314t-manylinux_2_34_aarch64.whl", MJUN },
	{ "flash-attention-mjun0812",
		"flash_attn-2.8.3+cu128torch2.10-cp314-cp314-manylinux_2_24_x86_64.manylinux_2_28_"
		"x86_64.whl",
		MJUN },
	{ "flash-attention-mjun0812",
		"flash_attn-2.7.4.post1+cu126torch2.7-cp311-cp311-win_amd64.whl", MJUN },
	{ "flash-attention-mjun0812", "flash_attn-1.0.9+cu118torch2.0-cp310-cp310-linux_x86_64.whl",
		MJUN },
	{ "flash-attention-mjun0812", "flash_attn-2.8.3+cu126torch2.12-cp313-cp313t-win_amd64.whl",
		MJUN },
	{ "flash-attention-mjun0812",
		"flash_attn-2.8.3+cu130torch2.11-cp314-cp314-manylinux_2_34_aarch64.whl", MJUN },
	{ "flash-attention-mjun0812",
		"flash_attn_3-3.0.0+cu126torch2.10gite2743ab-cp39-abi3-linux_x86_64.whl", MJUN3 },
	{ "flash-attention-mjun0812",
		"flash_attn_3-3.0.0+cu126torch2.9gite2743ab-cp39-abi3-win_amd64.whl", MJUN3 },
	{ "flash-attention",
		"flash_attn-2.8.3+cu12torch2.8cxx11abiTRUE-cp312-cp312-linux_x86_64.whl", DAO },
	{ "flash-attention",
		"flash_attn-2.8.3+cu12torch2.9cxx11abiTRUE-cp312-cp312-linux_x86_64.whl", DAO },
	{ "flash-attention",
		"flash_attn-2.8.1+cu12torch2.8cxx11abiTRUE-cp312-cp312-linux_x86_64.whl", DAO },
	{ "flash-attention",
		"flash_attn-2.8.3+cu12torch2.4cxx11abiFALSE-cp310-cp310-linux_x86_64.whl", DAO },
	{ "flash-attention",
		"flash_attn-2.8.3+cu12torch2.9cxx11abiTRUE-cp312-cp312-linux_aarch64.whl", DAO },
	{ "causal-conv1d",
		"causal_conv1d-1.6.1+cu12torch2.8cxx11abiTRUE-cp312-cp312-linux_x86_64.whl", CONV },
	{ "causal-conv1d",
		"causal_conv1d-1.6.2.post1+cu12torch2.10cxx11abiTRUE-cp312-cp312-linux_x86_64.whl",
		CONV },
	{ "causal-conv1d",
		"causal_conv1d-1.7.0+cu12torch2.10cxx11abiTRUE-cp312-cp312-linux_x86_64.whl",
		CONV },
	{ "causal-conv1d",
		"causal_conv1d-1.4.0+cu122torch2.4cxx11abiFALSE-cp311-cp311-linux_x86_64.whl",
		CONV },
	{ "causal-conv1d",
		"causal_conv1d-1.6.1+cu13torch2.10cxx11abiTRUE-cp313-cp313-linux_x86_64.whl",
		CONV },
	{ "causal-conv1d",
		"causal_conv1d-1.5.3.post1+cu12torch25.04cxx11abiTRUE-cp312-cp312-linux_x86_64.whl",
		CONV },
	{ "mamba", "mamba_ssm-2.3.1+cu13torch2.10cxx11abiTRUE-cp312-cp312-linux_x86_64.whl",
		MAMBA },
	{ "mamba", "mamba_ssm-2.3.0+cu12torch2.6cxx11abiFALSE-cp311-cp311-linux_x86_64.whl",
		MAMBA },
	{ "mamba", "mamba_ssm-2.2.4+cu12torch2.5cxx11abiFALSE-cp311-cp311-linux_x86_64.whl",
		MAMBA },
	{ "mamba", "mamba_ssm-2.2.4+cu11torch2.4cxx11abiFALSE-cp310-cp310-linux_x86_64.whl",
		MAMBA },
	{ "mamba", "mamba_ssm-2.2.2+cu122torch2.4cxx11abiFALSE-cp311-cp311-linux_x86_64.whl",
		MAMBA },
	{ "mamba", "mamba_ssm-2.2.2+cu118torch2.3cxx11abiFALSE-cp310-cp310-linux_x86_64.whl",
		MAMBA },
	{ "mamba", "mamba_ssm-2.2.6.post3+cu12torch25.04cxx11abiTRUE-cp312-cp312-linux_x86_64.whl",
		MAMBA },
	{ "natten", "natten-0.21.0+torch270cu128-cp312-cp312-linux_x86_64.whl", NATTEN },
	{ "natten", "natten-0.21.6+torch2120cu132-cp313-cp313t-linux_x86_64.whl", NATTEN },
	{ "natten", "natten-0.21.6+torch2120cu132-cp313-cp313t-linux_aarch64.whl", NATTEN },
	{ "natten", "natten-0.21.6+torch2110cu130-cp312-cp312-linux_x86_64.whl", NATTEN },
	{ "natten-old", "natten-0.21.1+torch280cu129-cp313-cp313t-linux_x86_64.whl", NATTEN },
	{ "natten-old", "natten-0.17.5+torch260cpu-cp310-cp310-linux_x86_64.whl", NULL },
	{ "natten-releases", "natten-0.21.6-py3-none-any.whl", NULL },
	{ "cuda-wheels", "natten-0.21.0+cu126.torch260-cp310-cp310-linux_x86_64.whl", NULL },
	{ "cuda-wheels", "natten-0.21.6+cu130.torch213-cp313-cp313-linux_aarch64.whl", NULL },
	{ "cuda-wheels", "natten-0.21.6.dev6+cu128.torch210-cp313-cp313-linux_x86_64.whl", NULL },
	{ "grouped-gemm",
		"nv_grouped_gemm-1.1.4.post8+cu12torch2.6cxx11abiFALSE-cp311-cp311-linux_x86_64."
		"whl",
		GEMM },
	{ "grouped-gemm",
		"nv_grouped_gemm-1.1.4.post3+cu12torch2.4cxx11abiFALSE-cp311-cp311-linux_x86_64."
		"whl",
		GEMM },
	{ "grouped-gemm", "nv_grouped_gemm-1.1.4.post4-cp310-cp310-linux_x86_64.whl", NULL },
	{ "grouped-gemm",
		"nv_grouped_gemm-1.1.4.post8+cu12torch2.8cxx11abiTRUE-cp312-cp312-linux_x86_64.whl",
		GEMM },
	{ "grouped-gemm",
		"nv_grouped_gemm-1.1.4.post7+cu12torch2.7cxx11abiTRUE-cp313-cp313-linux_x86_64.whl",
		GEMM },
	{ "sageattention-woct0rdho",
		"sageattention-2.1.1+cu128torch2.7.0-cp310-cp310-win_amd64.whl", SAGE },
	{ "sageattention-woct0rdho",
		"sageattention-2.1.1+cu124torch2.5.1-cp310-cp310-win_amd64.whl", SAGE },
	{ "sageattention-woct0rdho",
		"sageattention-2.1.1+cu126torch2.6.0-cp310-cp310-win_amd64.whl", SAGE },
	{ "sageattention-woct0rdho",
		"sageattention-2.2.0+cu128torch2.8.0-cp312-cp312-win_amd64.whl", SAGE },
	{ "sageattention-woct0rdho",
		"sageattention-2.2.0+cu128torch2.8.0.post2-cp39-abi3-win_amd64.whl", SAGE },
	{ "sageattention-woct0rdho",
		"sageattention-2.2.0+cu130torch2.9.0andhigher.post4-cp39-abi3-win_amd64.whl",
		SAGE },
	{ "sageattention-woct0rdho",
		"sageattention-2.2.0+cu130torch2.10.0andhigher.post6-cp310-abi3-win_amd64.whl",
		SAGE },
	{ "sageattention-mobcat40",
		"sageattention-2.2.0+cu128.torch2.11-cp311-cp311-linux_x86_64.whl", MOBCAT },
	{ "sageattention-mobcat40-windows",
		"sageattention-2.2.0+cu128.torch2.11-cp311-cp311-win_amd64.whl", MOBCAT },
	{ "flash-attention-3-windreamer",
		"flash_attn_3-3.0.0b1+20250911.cu129torch280cxx11abitrue.dfb664-cp39-abi3-linux_"
		"x86_64.whl",
		WINDREAMER },
	{ "flash-attention-3-windreamer",
		"flash_attn_3-3.0.0b1+20251229.cu128torch291cxx11abitrue.58fe37-cp39-abi3-linux_"
		"x86_64.whl",
		WINDREAMER },
	{ "flash-attention-3-windreamer",
		"flash_attn_3-3.0.0+20260318.cu130torch2100cxx11abitrue.8afc61-cp39-abi3-win_amd64."
		"whl",
		WINDREAMER },
	{ "flash-attention-3-windreamer",
		"flash_attn_3-3.0.0+20260330.cu128torch2110cxx11abitrue.98024f-cp39-abi3-linux_x86_"
		"64.whl",
		WINDREAMER },
	{ "flash-attention-3-windreamer",
		"flash_attn_3-3.0.0+20260609.cu130torch2120cxx11abitrue.bc58ab-cp310-abi3-linux_"
		"x86_64.whl",
		WINDREAMER },
	{ "flash-attention-3-windreamer",
		"flash_attn_3-3.0.0+20260427.cu128torch2110cxx11abitrue.c9a560-cp39-abi3-win_amd64."
		"whl",
		WINDREAMER },
	{ "pyg", "torch_scatter-2.1.2+pt23cu121-cp310-cp310-linux_x86_64.whl",
		PYG("torch_scatter") },
	{ "pyg", "torch_scatter-2.1.2+pt28cu126-cp310-cp310-linux_x86_64.whl",
		PYG("torch_scatter") },
	{ "pyg", "torch_sparse-0.6.18+pt23cu121-cp39-cp39-linux_x86_64.whl", PYG("torch_sparse") },
	{ "pyg", "torch_spline_conv-1.2.1+pt113cu116-cp39-cp39-linux_x86_64.whl",
		PYG("torch_spline_conv") },
	{ "pyg", "torch_cluster-1.6.3+pt20cu117-cp39-cp39-linux_x86_64.whl", PYG("torch_cluster") },
	{ "pyg", "pyg_lib-0.4.0+pt25cu118-cp312-cp312-linux_x86_64.whl", PYG("pyg_lib") },
	{ "pyg", "pyg_lib-0.2.0+pt112cpu-cp38-cp38-linux_x86_64.whl", NULL },
	{ "pyg", "torch_scatter-2.0.9-cp39-cp39-linux_x86_64.whl", NULL },
	{ "cuda-wheels",
		"cumm-0.8.2+cu128torch2.11-cp312-cp312-manylinux_2_24_aarch64.manylinux_2_28_"
		"aarch64.whl",
		FORGE("cumm") },
	{ "cuda-wheels",
		"cubvh-0.1.2+cu128torch2.8-cp312-cp312-manylinux_2_27_x86_64.manylinux_2_28_x86_64."
		"whl",
		FORGE("cubvh") },
	{ "cuda-wheels", "sageattention-2.2.0+cu128torch2.8-cp312-cp312-win_amd64.whl", SAGE },
	{ "cuda-wheels",
		"pyg_lib-0.5.0+cu128torch2.11-cp312-cp312-manylinux_2_27_aarch64.manylinux_2_28_"
		"aarch64.whl",
		FORGE("pyg_lib") },
	{ "cuda-wheels", "nunchaku-1.2.1+cu128torch2.8-cp312-cp312-win_amd64.whl",
		FORGE("nunchaku") },
	{ "cuda-wheels-manifest", "vox2seq-0.0.0+cu128torch2.8-cp312-cp312-win_amd64.whl",
		FORGE("vox2seq") },
	{ "cuda-wheels-manifest",
		"torchsparse-2.0.0b0+cu128torch2.11-cp312-cp312-manylinux_2_28_aarch64.whl",
		FORGE("torchsparse") },
	{ "cuda-wheels", "detectron2-0.6+cu128torch2.8-cp312-cp312-win_amd64.whl",
		FORGE("detectron2") },
	{ "cuda-wheels", "cumesh_vb-1.0+cu128torch2.8-cp312-cp312-win_amd64.whl",
		FORGE("cumesh_vb") },
	{ "cuda-wheels", "cc_torch-0.2+cu128torch2.8-cp312-cp312-win_amd64.whl",
		FORGE("cc_torch") },
	{ "cuda-wheels-v2",
		"flash_attn-2.8.3+cu124torch2.4-cp310-cp310-manylinux_2_34_x86_64.manylinux_2_35_"
		"x86_64.whl",
		MJUN },
	{ "cuda-wheels-v2", "flash_attn-2.8.3+cu124torch2.4-cp310-cp310-win_amd64.whl", MJUN },
	{ "cuda-wheels-v2",
		"flash_attn-2.8.3+cu126torch2.10-cp314-cp314-manylinux_2_34_x86_64.manylinux_2_35_"
		"x86_64.whl",
		MJUN },
	{ "cuda-wheels-v2", "flash_attn-2.8.3+cu126torch2.11-cp313-cp313-win_amd64.whl", MJUN },
	{ "cuda-wheels-v2", "flash_attn-2.8.3+cu124torch24-cp310-cp310-win_amd64.whl", MJUN },
	{ "ffpa-attn", "ffpa_attn-0.2.4+cu13-cp312-cp312-manylinux_2_38_x86_64.whl",
		"ffpa_attn-{version}+cu{cuda}-{pytag}-{platform}.whl" },
	{ "ffpa-attn", "ffpa_attn-0.0.2.1-cp310-cp310-linux_aarch64.whl",
		"ffpa_attn-{version}-{pytag}-{platform}.whl" },
	{ "pytorch", "torch-2.9.0+cu128-cp312-cp312-manylinux_2_28_x86_64.whl",
		"torch-{version}+cu{cuda}-{pytag}-{platform}.whl" },
	{ "pytorch", "torch-2.5.1-cp311-cp311-linux_aarch64.whl", NULL },
	{ "pytorch", "flash_attn_3-3.0.0-cp39-abi3-manylinux_2_28_x86_64.whl", NULL },
};

UNIT(source_has_the_names_of_its_publisher)
{
	for (size_t i = 0; i < ROWS(real_names); i++) {
		const struct source *own = built_in(real_names[i].source);
		struct source gpkg = { .wheel_name = str_of(real_names[i].wheel_name) };
		struct str file = str_of(real_names[i].file);
		struct arena a = ARENA_INIT;
		struct err e = ERR_INIT;
		struct dist_name name;

		ck_assert_msg(dist_name_parse(&a, file, &name, &e) == 0, "%s", e.text);
		ck_assert_msg(source_has_package(own, name.name), "%s", file.p);
		ck_assert_msg(source_has_name(own, file), "%s", file.p);
		ck_assert_msg(source_has_name(&gpkg, file), "%s", file.p);
		arena_release(&a);
	}
}

/* No pattern takes the files of another publisher whose names differ. */
UNIT(source_patterns_keep_publishers_apart)
{
	static const char *const patterns[] = { MJUN, MJUN3, DAO, CONV, MAMBA, NATTEN, GEMM, SAGE,
		MOBCAT, WINDREAMER, PYG("pyg_lib") };

	for (size_t p = 0; p < ROWS(patterns); p++) {
		struct source s = { .wheel_name = str_of(patterns[p]) };
		struct err e = ERR_INIT;

		ck_assert_msg(source_wheel_name_check(s.wheel_name, &e) == 0, "%s", e.text);
		for (size_t i = 0; i < ROWS(real_names); i++) {
			struct str own = str_of(real_names[i].wheel_name);
			bool has = source_has_name(&s, str_of(real_names[i].file));

			ck_assert_msg(has == str_eq(own, s.wheel_name), "%s\n%s", patterns[p],
				real_names[i].file);
		}
	}
}

static const struct {
	const char *wheel_name, *file;
	bool fits;
} name_rows[] = {
	/* What gpkg does not see. */
	{ "a-{version}-{pytag}-{platform}.whl", "a-0.2-py3-none-any.whl", true },
	{ "a-{version}-{pytag}-{platform}.whl", "a-1.0.0.0-py2.py3-none-any.whl", true },
	{ "a-{version}-{pytag}-{platform}.whl",
		"a-1!1.0rc1.post2.dev3-cp310.cp311-cp310-linux_x86_64.whl", true },
	{ "a-{version}-{pytag}-{platform}.whl", "a-1.0-1cu12torch2.8-cp312-cp312-linux_x86_64.whl",
		true },
	{ "a-{version}-{pytag}-{platform}.whl", "a-1.0-cp310-none-linux_x86_64.whl", true },
	{ "a-{version}-{pytag}-{platform}.whl", "a-1.0-cp313-cp313t-linux_x86_64.whl", true },
	{ "a-{version}-{pytag}-{platform}.whl", "a-1.0-x-cp312-cp312-linux_x86_64.whl", false },
	{ "a-{version}-{pytag}-{platform}.whl", "a-1.0+cu128-cp312-cp312-linux_x86_64.whl", false },
	{ "a-{version}-{pytag}-{platform}.whl", "a-one-cp312-cp312-linux_x86_64.whl", false },
	{ "a-{version}-{pytag}-{platform}.whl", "a-1.0.tar.gz", false },
	{ "a-{version}-{pytag}-{platform}.whl", "aa-1.0-cp312-cp312-linux_x86_64.whl", false },
	{ "a-{version}-{pytag}-{platform}.whl", "a-1.0-cp312-cp312-linux_x86_64.whl.asc", false },
	/* {_} stays inside its part. */
	{ "a-{_}-{pytag}-{platform}.whl", "a-1.0+x.y-cp312-cp312-linux_x86_64.whl", true },
	{ "a-{version}+{_}-cp312-abi3-{platform}.whl", "a-1.0+x-cp312-cp312-abi3-linux.whl",
		false },
	{ "a-{_}.whl", "a-1.0-cp312-cp312-linux_x86_64.whl", false },
	{ "a{_}-{version}-{pytag}-{platform}.whl", "a-1.0-cp312-cp312-linux_x86_64.whl", true },
	/* Case, CUDA, torch, ABI, hash. */
	{ "a-{version}+cu{cuda}-{pytag}-any.whl", "A-1.0+CU12.8-py3-none-any.whl", true },
	{ "a-{version}+cu{cuda}-{pytag}-any.whl", "a-1.0+cu12.8.1-py3-none-any.whl", true },
	{ "a-{version}+cu{cuda}-{pytag}-any.whl", "a-1.0+cu1281-py3-none-any.whl", false },
	{ "a-{version}+cu{cuda}-{pytag}-any.whl", "a-1.0+cu-py3-none-any.whl", false },
	{ "a-{version}+cu{cuda}-{pytag}-any.whl", "a-1.0+cpu-py3-none-any.whl", false },
	{ "a-{version}+torch{torch}-{pytag}-any.whl", "a-1.0+torch2.11.0a0-py3-none-any.whl",
		true },
	{ "a-{version}+torch{torch}-{pytag}-any.whl", "a-1.0+torch2.9.0ANDHIGHER-py3-none-any.whl",
		true },
	{ "a-{version}+torch{torch}-{pytag}-any.whl",
		"a-1.0+torch2.9.0andhigher.x-py3-none-any.whl", false },
	{ "a-{version}+torch{torch}-{pytag}-any.whl", "a-1.0+torch-py3-none-any.whl", false },
	{ "a-{version}+x{abi}-{pytag}-any.whl", "a-1.0+x0-py3-none-any.whl", true },
	{ "a-{version}+x{abi}-{pytag}-any.whl", "a-1.0+x2-py3-none-any.whl", false },
	{ "a-{version}+x{hash}-{pytag}-any.whl", "a-1.0+x-py3-none-any.whl", true },
	{ "a-{version}+x{hash}-{pytag}-any.whl", "a-1.0+xgitE27-py3-none-any.whl", true },
	{ "a-{version}+x{hash}-{pytag}-any.whl", "a-1.0+xgit-py3-none-any.whl", false },
	{ "a-{version}+x{hash}-{pytag}-any.whl", "a-1.0+xgitxyz-py3-none-any.whl", false },
	{ "", "anything-1.0.tar.gz", true },
};

UNIT(source_has_name_follows_its_pattern)
{
	for (size_t i = 0; i < ROWS(name_rows); i++) {
		struct source s = { .wheel_name = str_of(name_rows[i].wheel_name) };

		ck_assert_msg(source_has_name(&s, str_of(name_rows[i].file)) == name_rows[i].fits,
			"%s\n%s", name_rows[i].wheel_name, name_rows[i].file);
	}
}

/* What would take a backtracking matcher years. */
UNIT(source_has_name_is_fast_with_any_pattern)
{
	struct source s = { .wheel_name =
				    STR("{_}{_}{_}{_}{_}{_}{_}{_}{_}{_}{_}{_}{_}{_}{_}{_}x.whl") };
	char name[256];

	memset(name, 'a', sizeof(name));
	ck_assert(!source_has_name(&s, (struct str){ name, 255 }));
	ck_assert(!source_has_name(&s, (struct str){ name, 256 }));
}

static const struct {
	const char *wheel_name, *message;
} wheel_name_rows[] = {
	{ "a-{version}-{pytag}-{plat}.whl", "{plat} is not filled in" },
	{ "a-{version-{pytag}.whl", "{version-{pytag} is not filled in" },
	{ "a-{version}-{pytag}-{platform.whl", "a '{' without its partner" },
	{ "a-version}.whl", "a '}' without its partner" },
	{ "a-{}.whl", "{} is not filled in" },
	{ "a-{version}.zip", "\"a-{version}.zip\" is not a wheel's name" },
	{ "x/a-{version}.whl", "\"x/a-{version}.whl\" is not a wheel's name" },
};

UNIT(source_refuses_patterns_by_what_is_wrong)
{
	for (size_t i = 0; i < ROWS(wheel_name_rows); i++) {
		struct err e = ERR_INIT;

		ck_assert_int_eq(source_wheel_name_check(str_of(wheel_name_rows[i].wheel_name), &e),
			-(int)RC_INVALID);
		ck_assert_msg(str_starts(str_of(e.text), wheel_name_rows[i].message), "%s", e.text);
	}
}

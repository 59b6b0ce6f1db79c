/* gpkg's registry, as gpkg 0.4.3 ships it and as it has grown since. */
#include "manifests/source.h"
#include "tests/unit/unit.h"

#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

#define HEAD "# sources\n[[sources]]\n"              /* lines 1 and 2 */
#define ROW HEAD "package = \"a\"\nrepo = \"o/r\"\n" /* to line 4 */

/* The ten of gpkg 0.4.3, then those of PyG, which came later. */
static const char registry[] = HEAD
	"package      = \"flash-attn\"\ntype         = \"github\"\n"
	"description  = \"one \u2014 publisher\"\n"
	"repo         = \"mjun0812/flash-attention-prebuild-wheels\"\n"
	"wheel_name   = \"flash_attn-{version}+cu{cuda}torch{torch}-{pytag}-{platform}.whl\"\n"
	"cuda_style   = \"full\"\nscan_tags    = 8\n"
	"[[sources.requires]]\nversions = [\"2.8.3\"]\nrequires_dist = [\"torch>=2.0\", "
	"\"einops\"]\n"
	"[[sources]]\npackage = \"flash-attn\"\ntype = \"github\"\nrepo = "
	"\"Dao-AILab/flash-attention\"\n"
	"wheel_name = "
	"\"flash_attn-{version}+cu{cuda}torch{torch}cxx11abi{abi}-{pytag}-{platform}.whl\"\n"
	"cuda_style = \"short\"\nhas_abi = true\nscan_tags = 3\n"
	"[[sources]]\npackage = \"flash-attn-3\"\ntype = \"github\"\n"
	"repo = \"mjun0812/flash-attention-prebuild-wheels\"\n"
	"wheel_name = "
	"\"flash_attn_3-{version}+cu{cuda}torch{torch}{hash}-{pytag}-{platform}.whl\"\n"
	"cuda_style = \"full\"\nscan_tags = 8\n"
	"[[sources]]\npackage = \"flash-attn-3\"\ntype = \"find-links\"\n"
	"url_template = "
	"\"https://windreamer.github.io/flash-attention3-wheels/cu{cuda}_torch{torch}\"\n"
	"wheel_name = "
	"\"flash_attn_3-{version}+{_}.cu{cuda}torch{torch}cxx11abi{_}-{pytag}-{platform}.whl\"\n"
	"cuda_style = \"full\"\ntorch_format = \"packed\"\n"
	"[[sources]]\npackage = \"causal-conv1d\"\ntype = \"github\"\nrepo = "
	"\"Dao-AILab/causal-conv1d\"\n"
	"wheel_name = "
	"\"causal_conv1d-{version}+cu{cuda}torch{torch}cxx11abi{abi}-{pytag}-{platform}.whl\"\n"
	"cuda_style = \"short\"\nhas_abi = true\n"
	"[[sources]]\npackage = \"mamba-ssm\"\nrepo = \"state-spaces/mamba\"\n"
	"wheel_name = "
	"\"mamba_ssm-{version}+cu{cuda}torch{torch}cxx11abi{abi}-{pytag}-{platform}.whl\"\n"
	"cuda_style = \"short\"\nhas_abi = true\n"
	"[[sources]]\npackage = \"natten\"\ntype = \"github\"\nrepo = \"SHI-Labs/NATTEN\"\n"
	"wheel_name = \"natten-{version}+torch{torch}cu{cuda}-{pytag}-{platform}.whl\"\n"
	"torch_format = \"packed\"\n"
	"[[sources]]\npackage = \"grouped-gemm\"\ntype = \"github\"\nrepo = "
	"\"fanshiqing/grouped_gemm\"\n"
	"wheel_name = "
	"\"nv_grouped_gemm-{version}+cu{cuda}torch{torch}cxx11abi{abi}-{pytag}-{platform}.whl\"\n"
	"cuda_style = \"short\"\nhas_abi = true\n"
	"[[sources]]\npackage = \"sageattention\"\ntype = \"github\"\nrepo = "
	"\"woct0rdho/SageAttention\"\n"
	"wheel_name = \"sageattention-{version}+cu{cuda}torch{torch}-{pytag}-{platform}.whl\"\n"
	"torch_format = \"full\"\n"
	"[[sources]]\npackage = \"sageattention\"\ntype = \"github\"\nrepo = "
	"\"mobcat40/sageattention-blackwell\"\n"
	"wheel_name = \"sageattention-{version}+cu{cuda}.torch{torch}-{pytag}-{platform}.whl\"\n"
	"[[sources]]\npackage = \"torch-scatter\"\ntype = \"find-links\"\n"
	"url_template = \"https://data.pyg.org/whl/torch-{torch}+cu{cuda}.html\"\n"
	"wheel_name = \"torch_scatter-{version}+pt{torch}cu{cuda}-{pytag}-{platform}.whl\"\n"
	"torch_format = \"pyg\"\n";

static const struct {
	const char *name, *package, *known_as;
	enum source_kind kind;
	enum source_cuda_style cuda;
	enum source_torch_style torch;
	enum variant_torch_style names;
	const char *file; /* one of its own */
} sources[] = {
	{ "flash-attn/mjun0812", "flash-attn", "", SOURCE_GITHUB, SOURCE_CUDA_FULL,
		SOURCE_TORCH_MINOR, VARIANT_TORCH_MINOR,
		"flash_attn-2.6.3+cu124torch2.5-cp312-cp312-linux_x86_64.whl" },
	{ "flash-attn/Dao-AILab", "flash-attn", "", SOURCE_GITHUB, SOURCE_CUDA_SHORT,
		SOURCE_TORCH_MINOR, VARIANT_TORCH_MINOR,
		"flash_attn-2.8.3+cu12torch2.8cxx11abiTRUE-cp312-cp312-linux_x86_64.whl" },
	{ "flash-attn-3/mjun0812", "flash-attn-3", "", SOURCE_GITHUB, SOURCE_CUDA_FULL,
		SOURCE_TORCH_MINOR, VARIANT_TORCH_MINOR,
		"flash_attn_3-3.0.0+cu126torch2.10gite2743ab-cp39-abi3-linux_x86_64.whl" },
	{ "flash-attn-3/windreamer.github.io", "flash-attn-3", "", SOURCE_LINKS, SOURCE_CUDA_FULL,
		SOURCE_TORCH_PACKED, VARIANT_TORCH_FULL,
		"flash_attn_3-3.0.0b1+20250911.cu129torch280cxx11abitrue.dfb664-cp39-abi3-linux_"
		"x86_64.whl" },
	{ "causal-conv1d/Dao-AILab", "causal-conv1d", "", SOURCE_GITHUB, SOURCE_CUDA_SHORT,
		SOURCE_TORCH_MINOR, VARIANT_TORCH_MINOR,
		"causal_conv1d-1.6.1+cu13torch2.10cxx11abiTRUE-cp313-cp313-linux_x86_64.whl" },
	{ "mamba-ssm/state-spaces", "mamba-ssm", "", SOURCE_GITHUB, SOURCE_CUDA_SHORT,
		SOURCE_TORCH_MINOR, VARIANT_TORCH_MINOR,
		"mamba_ssm-2.2.2+cu118torch2.3cxx11abiFALSE-cp310-cp310-linux_x86_64.whl" },
	{ "natten/SHI-Labs", "natten", "", SOURCE_GITHUB, SOURCE_CUDA_FULL, SOURCE_TORCH_PACKED,
		VARIANT_TORCH_FULL, "natten-0.21.6+torch2120cu132-cp313-cp313t-linux_x86_64.whl" },
	{ "grouped-gemm/fanshiqing", "nv-grouped-gemm", "grouped-gemm", SOURCE_GITHUB,
		SOURCE_CUDA_SHORT, SOURCE_TORCH_MINOR, VARIANT_TORCH_MINOR,
		"nv_grouped_gemm-1.1.4.post8+cu12torch2.6cxx11abiFALSE-cp311-cp311-linux_x86_64."
		"whl" },
	{ "sageattention/woct0rdho", "sageattention", "", SOURCE_GITHUB, SOURCE_CUDA_FULL,
		SOURCE_TORCH_FULL, VARIANT_TORCH_FULL,
		"sageattention-2.2.0+cu130torch2.9.0andhigher.post4-cp39-abi3-win_amd64.whl" },
	{ "sageattention/mobcat40", "sageattention", "", SOURCE_GITHUB, SOURCE_CUDA_FULL,
		SOURCE_TORCH_MINOR, VARIANT_TORCH_MINOR,
		"sageattention-2.2.0+cu128.torch2.11-cp311-cp311-win_amd64.whl" },
	{ "torch-scatter/data.pyg.org", "torch-scatter", "", SOURCE_LINKS, SOURCE_CUDA_FULL,
		SOURCE_TORCH_PYG, VARIANT_TORCH_MINOR,
		"torch_scatter-2.1.2+pt28cu126-cp310-cp310-linux_x86_64.whl" },
};

UNIT(source_registry_reads_all_of_gpkg)
{
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct source_list list;

	ck_assert_msg(source_registry_parse(str_of(registry), "r.toml", &a, &list, &e) == 0, "%s",
		e.text);
	ck_assert_uint_eq(list.n, ROWS(sources));
	for (size_t i = 0; i < list.n; i++) {
		const struct source *s = &list.v[i];

		ck_assert_msg(str_is(s->name, sources[i].name), "%.*s", STR_ARG(s->name));
		ck_assert(s->npackages == 1 && str_is(s->packages[0], sources[i].package));
		ck_assert(str_is(s->known_as, sources[i].known_as) && s->kind == sources[i].kind);
		ck_assert(s->cuda_style == sources[i].cuda && s->torch_style == sources[i].torch);
		ck_assert(s->names == sources[i].names && s->line > 0);
		ck_assert_str_eq(s->origin, "r.toml");
		ck_assert_msg(source_has_name(s, str_of(sources[i].file)), "%s", sources[i].file);
	}
	ck_assert(str_is(list.v[0].description, "one \u2014 publisher") && list.v[0].line == 2);
	ck_assert(source_has_package(&list.v[7], STR("grouped-gemm")));
	ck_assert(source_has_package(&list.v[7], STR("nv-grouped-gemm")));
	ck_assert(!source_has_package(&list.v[7], STR("natten")));
	arena_release(&a);
}

UNIT(source_registry_makes_names_that_are_free)
{
	static const char text[] =
		"[[sources]]\nname = \"a/o-2\"\npackage = \"a\"\nrepo = \"o/1\"\n"
		"[[sources]]\npackage = \"a\"\nrepo = \"o/2\"\n"
		"[[sources]]\nname = \"a/x\"\npackage = \"b\"\nrepo = \"o/3\"\n"
		"[[sources]]\npackage = \"a\"\nrepo = \"x/4\"\n";
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct source_list list;

	ck_assert_msg(
		source_registry_parse(str_of(text), "r.toml", &a, &list, &e) == 0, "%s", e.text);
	ck_assert_uint_eq(list.n, 4);
	ck_assert_str_eq(list.v[1].name.p, "a/o-3");
	ck_assert_str_eq(list.v[3].name.p, "a/x-2");
	arena_release(&a);
}

UNIT(source_registry_reads_what_gpkg_has_not)
{
	static const char text[] =
		"[[sources]]\nname = \"ours\"\npackage = \"A_b\"\ntype = \"index\"\n"
		"url_template = \"https://example.org/{cuda}/\"\ncuda_style = "
		"\"dotted\"\ntorch_compat = \"~=2.4\"\n"
		"[[sources]]\npackage = \"a-b\"\ntype = \"manifest\"\nurl_template = "
		"\"http://localhost/packages.json\"\n"
		"[[sources]]\npackage = \"a-b\"\ntype = \"file\"\nurl_template = "
		"\"http://localhost/a_b-1-py3-none-any.whl\"\n"
		"[[sources]]\npackage = \"a-b\"\ntype = \"find-links\"\nurl_template = "
		"\"file:///srv/wheels\"\n";
	static const char *const names[] = { "ours", "a-b/localhost", "a-b/localhost-2",
		"a-b/local" };
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct source_list list;

	ck_assert_msg(
		source_registry_parse(str_of(text), "r.toml", &a, &list, &e) == 0, "%s", e.text);
	ck_assert_uint_eq(list.n, ROWS(names));
	for (size_t i = 0; i < list.n; i++) {
		ck_assert_msg(str_is(list.v[i].name, names[i]), "%.*s", STR_ARG(list.v[i].name));
		ck_assert(str_is(list.v[i].packages[0], "a-b"));
	}
	ck_assert(list.v[0].cuda_style == SOURCE_CUDA_DOTTED &&
		  str_is(list.v[0].torch_compat, "~=2.4"));
	ck_assert(list.v[1].kind == SOURCE_MANIFEST && list.v[2].kind == SOURCE_FILE);
	arena_release(&a);
}

static const struct {
	const char *text;
	enum rc rc;
	const char *message;
} refusals[] = {
	{ "", RC_SYNTAX, "line 1, column 1: not a registry: it has no [[sources]]" },
	{ "sources = 1\n", RC_SYNTAX, "line 1, column 11: " },
	{ "[[source]]\n", RC_SYNTAX, "line 1, column 3: unknown key \"source\"" },
	{ HEAD "repo = \"o/r\"\n", RC_SYNTAX, "line 2, column 3: the key \"package\" is missing" },
	{ HEAD "package = \"a\"\n", RC_SYNTAX, "line 2, column 3: the key \"repo\" is missing" },
	{ HEAD "package = \"a\"\ntype = \"find-links\"\n", RC_SYNTAX,
		"line 2, column 3: the key \"url_template\" is missing" },
	{ HEAD "package = 7\nrepo = \"o/r\"\n", RC_SYNTAX, "line 3, column 11: " },
	{ HEAD "package = \"-a\"\nrepo = \"o/r\"\n", RC_INVALID,
		"line 3, column 11: \"-a\" is not a project's name" },
	{ HEAD "package = \"a\"\nrepo = \"o\"\n", RC_INVALID,
		"line 4, column 8: \"o\" is not a GitHub repository" },
	{ ROW "type = \"ftp\"\n", RC_INVALID, "line 5, column 8: type = \"ftp\" is not known" },
	{ ROW "type = \"index\"\n", RC_INVALID, "line 4, column 8: \"repo\" says nothing" },
	{ ROW "url_template = \"https://h/\"\n", RC_INVALID,
		"line 5, column 16: \"url_template\" says nothing" },
	{ ROW "cuda_style = \"long\"\n", RC_INVALID,
		"line 5, column 14: \"long\" is no way to write CUDA" },
	{ ROW "torch_format = \"major\"\n", RC_INVALID,
		"line 5, column 16: \"major\" is no way to write torch" },
	{ ROW "torch_compat = \"=2.4\"\n", RC_INVALID, "line 5, column 16: " },
	{ ROW "torch_compat = \"2.4\"\n", RC_INVALID, "line 5, column 16: " },
	{ ROW "torch_compat = \">=x\"\n", RC_INVALID, "line 5, column 16: " },
	{ ROW "wheel_name = \"a-{version}-{tag}.whl\"\n", RC_INVALID,
		"line 5, column 14: {tag} is not filled in" },
	{ ROW "wheel_name = \"a-{version.whl\"\n", RC_INVALID,
		"line 5, column 14: a '{' without its partner" },
	{ ROW "wheel_name = \"a-(?P<v>.*\"\n", RC_INVALID,
		"line 5, column 14: \"a-(?P<v>.*\" is not a wheel's name" },
	{ ROW "scan_tags = \"8\"\n", RC_SYNTAX, "line 5, column 13: " },
	{ ROW "has_abi = \"yes\"\n", RC_SYNTAX, "line 5, column 11: " },
	{ ROW "requires = \"torch\"\n", RC_SYNTAX, "line 5, column 12: " },
	{ ROW "torch_compatible = \"<2\"\n", RC_SYNTAX,
		"line 5, column 1: unknown key \"torch_compatible\"" },
	{ ROW "name = \"\"\n", RC_INVALID, "line 5, column 8: a name has 1 to 128 bytes" },
	{ ROW "name = \"x\"\n[[sources]]\npackage = \"b\"\nrepo = \"o/r\"\nname = \"x\"\n",
		RC_INVALID, "line 9, column 8: the name \"x\" is taken by the source in line 2" },
	{ ROW "description = \"a \"b\" c\"\n", RC_SYNTAX, "line 5, column 19: " },
};

UNIT(source_registry_refuses_with_place)
{
	for (size_t i = 0; i < ROWS(refusals); i++) {
		struct arena a = ARENA_INIT;
		struct err e = ERR_INIT;
		struct source_list list = { .n = 7 };
		int r = source_registry_parse(str_of(refusals[i].text), "r.toml", &a, &list, &e);

		ck_assert_msg(r == -(int)refusals[i].rc && list.n == 7, "%s: %s", refusals[i].text,
			e.text);
		ck_assert_msg(str_starts(str_of(e.text), "r.toml: ") &&
				      str_starts(str_of(e.text + 8), refusals[i].message),
			"%s\nhave %s\nwant %s", refusals[i].text, e.text, refusals[i].message);
		arena_release(&a);
	}
}

UNIT(source_registry_has_a_limit)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct source_list list;

	for (int i = 0; i < 1000; i++) {
		buf_adds(&text, "[[sources]]\npackage = \"a\"\nrepo = \"o/r\"\n");
	}
	ck_assert_msg(
		source_registry_parse(buf_str(&text), "r.toml", &a, &list, &e) == 0, "%s", e.text);
	ck_assert(list.n == 1000 && str_is(list.v[999].name, "a/o-1000"));
	buf_adds(&text, "[[sources]]\npackage = \"a\"\nrepo = \"o/r\"\n");
	ck_assert_int_eq(
		source_registry_parse(buf_str(&text), "r.toml", &a, &list, &e), -(int)RC_LIMIT);
	arena_release(&a);
}

UNIT(source_registry_names_the_file_that_is_not_there)
{
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct source_list list;

	ck_assert_int_eq(
		source_registry_read("/nonexistent/r.toml", &a, &list, &e), -(int)RC_NOT_FOUND);
	ck_assert_msg(str_has(str_of(e.text), "/nonexistent/r.toml"), "%s", e.text);
	arena_release(&a);
}

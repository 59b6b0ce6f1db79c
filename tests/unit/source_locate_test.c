/* Where a source keeps its files for a target. */
#include "manifests/source.h"
#include "tests/unit/unit.h"

#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

/* torch and cuda as in a [[target]]; NULL: not given. */
static struct target make_target(struct arena *a, const char *torch, const char *cuda)
{
	struct target_spec spec = { .name = STR("h100"),
		.python = STR("3.12"),
		.platform = STR("linux_x86_64"),
		.glibc = STR("2.28"),
		.torch = str_of(torch),
		.cuda = str_of(cuda),
		.cxx11_abi = -1 };
	struct err e = ERR_INIT;
	struct target t = { .ngpus = 0 };

	ck_assert_msg(target_make(a, &spec, &t, &e) == 0, "%s", e.text);
	return t;
}

static const struct {
	const char *source, *torch, *cuda, *url, *second;
} builtin_rows[] = {
	{ "flash-attention-3-windreamer", "2.11.0+cu130", NULL,
		"https://windreamer.github.io/flash-attention3-wheels/cu130_torch2110/", NULL },
	{ "flash-attention-3-windreamer", "2.11", "13.0",
		"https://windreamer.github.io/flash-attention3-wheels/cu130_torch2110/", NULL },
	{ "flash-attention-3-windreamer", "2.9.1+cu128", NULL,
		"https://windreamer.github.io/flash-attention3-wheels/cu128_torch291/", NULL },
	/* A page of its own, or that of the release which it repairs. */
	{ "pyg", "2.11.0+cu130", NULL, "https://data.pyg.org/whl/torch-2.11.0+cu130.html", NULL },
	{ "pyg", "2.11", "13.0", "https://data.pyg.org/whl/torch-2.11.0+cu130.html", NULL },
	{ "pyg", "2.9.1+cu128", NULL, "https://data.pyg.org/whl/torch-2.9.1+cu128.html",
		"https://data.pyg.org/whl/torch-2.9.0+cu128.html" },
	{ "pyg", "2.12.1+cu132", NULL, "https://data.pyg.org/whl/torch-2.12.1+cu132.html",
		"https://data.pyg.org/whl/torch-2.12.0+cu132.html" },
	{ "pyg", "2.5.1+cpu", NULL, "https://data.pyg.org/whl/torch-2.5.1+cpu.html",
		"https://data.pyg.org/whl/torch-2.5.0+cpu.html" },
	{ "pyg", "2.5.0a0+e000cf0ad9.nv24.10", "12.6",
		"https://data.pyg.org/whl/torch-2.5.0+cu126.html", NULL },
	{ "pytorch", "2.11.0+cu130", NULL, "https://download.pytorch.org/whl/cu130", NULL },
	{ "pytorch", "2.9.0+cpu", NULL, "https://download.pytorch.org/whl/cpu", NULL },
	{ "pytorch", "2.9.0+rocm6.4", NULL, "https://download.pytorch.org/whl/rocm6.4", NULL },
	{ "pytorch", "2.9.0+xpu", NULL, "https://download.pytorch.org/whl/xpu", NULL },
	{ "pytorch", NULL, "none", "https://download.pytorch.org/whl/cpu", NULL },
	{ "pytorch", NULL, "9.2", "https://download.pytorch.org/whl/cu92", NULL },
	{ "cuda-wheels", "2.8.0+cu128", NULL,
		"https://comfy-forge.github.io/cuda-wheels/cu128/torch2.8", NULL },
	{ "cuda-wheels-manifest", NULL, NULL,
		"https://comfy-forge.github.io/cuda-wheels/packages.json", NULL },
	{ "ffpa-attn", "2.11.0+cu130", NULL, "https://vipshop.github.io/ffpa-attn/whl/cu13", NULL },
	{ "ffpa-attn", NULL, "13", "https://vipshop.github.io/ffpa-attn/whl/cu13", NULL },
	{ "natten", NULL, NULL, "https://whl.natten.org/", NULL },
	{ "flash-attention", NULL, NULL,
		"https://api.github.com/repos/Dao-AILab/flash-attention/releases?per_page=100",
		NULL },
	{ "sageattention-mobcat40-windows", NULL, NULL,
		"https://github.com/mobcat40/sageattention-blackwell/raw/main/"
		"sageattention-2.2.0%2Bcu128.torch2.11-cp311-cp311-win_amd64.whl",
		NULL },
};

UNIT(source_locates_the_pages_of_a_target)
{
	for (size_t i = 0; i < ROWS(builtin_rows); i++) {
		const struct source *s =
			source_find(source_builtin(), str_of(builtin_rows[i].source));
		struct arena a = ARENA_INIT;
		struct err e = ERR_INIT;
		struct target t = make_target(&a, builtin_rows[i].torch, builtin_rows[i].cuda);
		struct source_pages pages;

		ck_assert_msg(
			s && source_locate(s, &t, STR_NULL, &a, &pages, &e) == 0, "%s", e.text);
		ck_assert_uint_eq(pages.n, builtin_rows[i].second ? 2 : 1);
		ck_assert_str_eq(pages.urls[0].p, builtin_rows[i].url);
		ck_assert_msg(
			!builtin_rows[i].second || str_is(pages.urls[1], builtin_rows[i].second),
			"%s", pages.urls[pages.n - 1].p);
		arena_release(&a);
	}
}

UNIT(source_fills_in_every_placeholder)
{
	static const struct {
		const char *url;
		enum source_cuda_style cuda;
		enum source_torch_style torch;
		const char *want;
	} rows[] = {
		{ "{cuda}/{torch}/{torch_minor}", SOURCE_CUDA_FULL, SOURCE_TORCH_MINOR,
			"128/2.9/2.9" },
		{ "{cuda}/{torch}/{torch_minor}", SOURCE_CUDA_SHORT, SOURCE_TORCH_FULL,
			"12/2.9.1/2.9" },
		{ "{cuda}/{torch}/{torch_minor}", SOURCE_CUDA_DOTTED, SOURCE_TORCH_PACKED,
			"12.8/291/2.9" },
		{ "cp{python}-{platform}", SOURCE_CUDA_FULL, SOURCE_TORCH_MINOR,
			"cp312-linux_x86_64" },
		{ "{torch_minor}", SOURCE_CUDA_FULL, SOURCE_TORCH_PYG, "2.9" },
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct arena a = ARENA_INIT;
		struct err e = ERR_INIT;
		struct target t = make_target(&a, "2.9.1+cu128", NULL);
		struct source s = { .kind = SOURCE_LINKS,
			.url = str_of(rows[i].url),
			.cuda_style = rows[i].cuda,
			.torch_style = rows[i].torch };
		struct source_pages pages;

		ck_assert_msg(source_locate(&s, &t, STR_NULL, &a, &pages, &e) == 0, "%s", e.text);
		ck_assert_uint_eq(pages.n, 1);
		ck_assert_str_eq(pages.urls[0].p, rows[i].want);
		arena_release(&a);
	}
}

UNIT(source_asks_the_github_it_is_told)
{
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct target t = make_target(&a, NULL, NULL);
	struct source s = { .kind = SOURCE_GITHUB, .url = STR("o/r") };
	struct source_pages pages;

	ck_assert_int_eq(
		source_locate(&s, &t, STR("http://127.0.0.1:8080/api/v3"), &a, &pages, &e), 0);
	ck_assert_str_eq(
		pages.urls[0].p, "http://127.0.0.1:8080/api/v3/repos/o/r/releases?per_page=100");
	arena_release(&a);
}

/* What the source needs and the target does not say. */
UNIT(source_asks_for_what_the_target_does_not_say)
{
	static const struct {
		const char *source, *torch, *cuda, *message, *hint;
	} rows[] = {
		{ "pyg", NULL, "13.0",
			"source pyg: where its files are depends on torch's version, and the "
			"target h100 does not say it",
			"torch = " },
		{ "pyg", "2.11.0", NULL,
			"source pyg: where its files are depends on torch's CUDA, ", "cuda = " },
		{ "pytorch", NULL, NULL,
			"source pytorch: where its files are depends on torch's CUDA, ",
			"\"none\"" },
		{ "pytorch", NULL, "13",
			"source pytorch: where its files are depends on the minor version of ",
			"cuda = \"13.0\"" },
		{ "cuda-wheels", "2.8.0", "12",
			"source cuda-wheels: where its files are depends on the minor ",
			"cuda = " },
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		const struct source *s = source_find(source_builtin(), str_of(rows[i].source));
		struct arena a = ARENA_INIT;
		struct err e = ERR_INIT;
		struct target t = make_target(&a, rows[i].torch, rows[i].cuda);
		struct source_pages pages = { .n = 7 };

		ck_assert_int_eq(source_locate(s, &t, STR_NULL, &a, &pages, &e), -(int)RC_INVALID);
		ck_assert_msg(str_starts(str_of(e.text), rows[i].message), "%s", e.text);
		ck_assert_msg(str_has(str_of(e.hint), rows[i].hint), "%s", e.hint);
		ck_assert_uint_eq(pages.n, 7);
		arena_release(&a);
	}
}

UNIT(source_for_cuda_has_nothing_for_a_target_without)
{
	static const char *const names[] = { "cuda-wheels", "ffpa-attn" };

	for (size_t i = 0; i < ROWS(names); i++) {
		const struct source *s = source_find(source_builtin(), str_of(names[i]));
		struct arena a = ARENA_INIT;
		struct err e = ERR_INIT;
		struct target t = make_target(&a, "2.9.0+cpu", NULL);
		struct source_pages pages;

		ck_assert_msg(source_locate(s, &t, STR_NULL, &a, &pages, &e) == 0, "%s", e.text);
		ck_assert_uint_eq(pages.n, 0);
		ck_assert_msg(
			str_ends(pages.why, " has wheels for CUDA alone, the target h100 has none"),
			"%s", pages.why.p);
		arena_release(&a);
	}
}

static const struct {
	const char *compat, *torch;
	bool fits;
} compat_rows[] = {
	{ "", "2.6.0", true },
	{ "<=2.6", "2.6.0+cu124", true },
	{ "<=2.6", "2.6.1", false },
	{ "==2.11", "2.11.0+cu130", true },
	{ "==2.11", "2.11.1", false },
	{ "==2.11.*", "2.11.1+cu130", true },
	{ "!=2.10", "2.10.0+cu128", false },
	{ "!=2.10", "2.10.1", true },
	{ "~=2.4", "2.11.0", true },
	{ "~=2.4", "2.3.1", false },
	{ "~=2.4.0", "2.5.0", false },
	{ ">=2.4,<2.6", "2.5.1+cu124", true },
	{ ">=2.4,<2.6", "2.6.0", false },
	{ ">2.9", "2.10.0", true },
	{ ">=2.9", "2.10.0", true },
	{ ">=2.11", "2.11.0a0", false },
	{ "===2.11.0", "2.11.0", true },
};

UNIT(source_torch_compat_is_pep_440)
{
	for (size_t i = 0; i < ROWS(compat_rows); i++) {
		struct arena a = ARENA_INIT;
		struct err e = ERR_INIT;
		struct target t = make_target(&a, compat_rows[i].torch, NULL);
		struct source s = { .name = STR("s"),
			.kind = SOURCE_GITHUB,
			.url = STR("o/r"),
			.torch_compat = str_of(compat_rows[i].compat) };
		struct source_pages pages;

		ck_assert_msg(source_locate(&s, &t, STR_NULL, &a, &pages, &e) == 0, "%s", e.text);
		ck_assert_msg(
			pages.n == compat_rows[i].fits && (pages.why.n == 0) == compat_rows[i].fits,
			"%s %s", compat_rows[i].compat, compat_rows[i].torch);
		arena_release(&a);
	}
}

UNIT(source_says_why_it_has_nothing)
{
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct target t = make_target(&a, "2.11.0+cu130", NULL);
	struct target silent = make_target(&a, NULL, "13.0");
	struct source s = { .name = STR("s"),
		.kind = SOURCE_GITHUB,
		.url = STR("o/r"),
		.torch_compat = STR("<2.9") };
	struct source_pages pages;

	ck_assert_int_eq(source_locate(&s, &t, STR_NULL, &a, &pages, &e), 0);
	ck_assert_str_eq(
		pages.why.p, "s has wheels for torch <2.9, the target h100 has 2.11.0+cu130");
	ck_assert_int_eq(source_locate(&s, &silent, STR_NULL, &a, &pages, &e), -(int)RC_INVALID);
	s.torch_compat = STR("=2.4");
	ck_assert_int_eq(source_locate(&s, &t, STR_NULL, &a, &pages, &e), -(int)RC_INVALID);
	ck_assert_msg(str_starts(str_of(e.text), "source s: torch_compat: "), "%s", e.text);
	arena_release(&a);
}

static const struct {
	enum source_kind kind;
	const char *url, *message; /* NULL: right */
} url_rows[] = {
	{ SOURCE_INDEX,
		"https://example.org/{cuda}/{torch}/{torch_minor}/{accelerator}/{python}/"
		"{platform}",
		NULL },
	{ SOURCE_LINKS, "file:///srv/wheels", NULL },
	{ SOURCE_FILE, "http://localhost:8080/a.whl", NULL },
	{ SOURCE_GITHUB, "Owner-1/repo_2.x", NULL },
	{ SOURCE_INDEX, "https://example.org/{arch}/", "{arch} is not filled in" },
	{ SOURCE_INDEX, "https://example.org/{cuda/", "a '{' without its partner" },
	{ SOURCE_INDEX, "https://example.org/a b", "white space" },
	{ SOURCE_INDEX, "https://example.org/a\n", "white space or a control character" },
	{ SOURCE_LINKS, "ftp://example.org/", "\"ftp://example.org/\" is not a URL" },
	{ SOURCE_LINKS, "wheels/", "\"wheels/\" is not a URL" },
	{ SOURCE_LINKS, "file://wheels/", "\"file://wheels/\" is not a URL" },
	{ SOURCE_LINKS, "", "\"\" is not a URL" },
	{ SOURCE_GITHUB, "owner", "\"owner\" is not a GitHub repository" },
	{ SOURCE_GITHUB, "owner/", "\"owner/\" is not a GitHub repository" },
	{ SOURCE_GITHUB, "owner/..", "\"owner/..\" is not a GitHub repository" },
	{ SOURCE_GITHUB, "owner/repo/x", "\"owner/repo/x\" is not a GitHub repository" },
	{ SOURCE_GITHUB, "owner/{torch}", "\"owner/{torch}\" is not a GitHub repository" },
	{ SOURCE_GITHUB, "https://example.org/owner/repo", "\"https://" },
};

UNIT(source_refuses_urls_by_what_is_wrong)
{
	for (size_t i = 0; i < ROWS(url_rows); i++) {
		struct err e = ERR_INIT;
		int r = source_url_check(url_rows[i].kind, str_of(url_rows[i].url), &e);

		ck_assert_msg(r == (url_rows[i].message ? -(int)RC_INVALID : 0), "%s: %s",
			url_rows[i].url, e.text);
		ck_assert_msg(
			!url_rows[i].message || str_starts(str_of(e.text), url_rows[i].message),
			"%s", e.text);
	}
}

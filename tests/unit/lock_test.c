/* Native locks; lock_gpkg_test.c has the others. */
#include "manifests/limits.h"
#include "manifests/lock.h"
#include "tests/unit/unit.h"

#include <string.h>

#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

static const char full[] =
	"lock-version = 1\n"
	"name = \"lab\"\n"
	"[[target]]\n"
	"name = \"h100\"\n"
	"python = \"3.12\"\n"
	"platform = \"linux_x86_64\"\n"
	"glibc = \"2.28\"\n"
	"gpus = [\"9.0\", \"8.0\"]\n"
	"driver = \"580.65.06\"\n"
	"torch = \"2.11.0+cu130\"\n"
	"[[target]]\n"
	"name = \"win\"\n"
	"python = \"3.13t\"\n"
	"platform = \"win_amd64\"\n"
	"cuda = \"12.8\"\n"
	"cxx11_abi = true\n"
	"[[package]]\n"
	"name = \"Flash_Attn\"\n"
	"version = \"== 2.8.3\"\n"
	"extras = [\"A.b\", \"a-B\", \"c\"]\n"
	"marker = \"sys_platform == 'linux'\"\n"
	"targets = [\"h100\"]\n"
	"[[package]]\n"
	"name = \"setuptools\"\n"
	"version = \"==80.9.0\"\n"
	"use = \"build\"\n"
	"[[package]]\n"
	"name = \"natten\"\n"
	"url = "
	"\"https://host/x/natten-0.21.0%2Btorch270cu128-cp312-cp312-linux_x86_64.whl?a=1#b\"\n"
	"targets = [\"h100\"]\n"
	"[[file]]\n"
	"url = \"https://host/x/torch-2.11.0%2Bcu130-cp312-cp312-manylinux_2_28_x86_64.whl\"\n"
	"size = 12\n"
	"sha256 = \"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\"\n"
	"[[file]]\n"
	"url = \"file:///srv/blob\"\n"
	"name = \"a-1.tar.gz\"\n"
	"sha256 = \"ff112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\"\n"
	"[toolkit]\n"
	"from = \"wheels\"\n"
	"packages = [\"nvidia-cuda-nvcc\", \"NVIDIA_cuda.crt\"]\n"
	"[recipe.Flash_Attn]\n"
	"requires = [\"psutil\", \"ninja>=1.11\"]\n"
	"env = { FORCE = \"1\", ARCHS = \"${sm_list} ${arch_list}\" }\n"
	"device-code = false\n"
	"reason = \"why\"\n"
	"[recipe.natten]\n"
	"[waive]\n"
	"Triton = \" not for Windows \"\n"
	"\"triton@win\" = \"no wheel\"\n";

static void read_full(struct lock *l)
{
	struct err e = ERR_INIT;
	CLEANUP_BUF struct buf text = BUF_INIT;

	buf_adds(&text, full);
	ck_assert_msg(lock_parse(buf_str(&text), "full.toml", NULL, l, &e) == 0, "%s", e.text);
	memset(text.p, '#', text.n); /* the lock owns all that it points to */
}

UNIT(lock_reads_targets)
{
	struct lock l = LOCK_INIT;

	read_full(&l);
	ck_assert(l.kind == LOCK_NATIVE && str_is(l.path, "full.toml") && str_is(l.name, "lab"));
	ck_assert_uint_eq(l.ntargets, 2);
	const struct target *t = lock_target(&l, STR("h100"));
	ck_assert(t == l.targets && t->ngpus == 2 && t->gpus[1].major == 8);
	ck_assert(str_is(t->torch, "2.11.0+cu130") && t->cuda.major == 13 && t->libc_minor == 28);
	t = lock_target(&l, STR("win"));
	ck_assert(t && t->python.free_threaded && t->os == TARGET_WINDOWS && t->cxx11_abi == 1);
	ck_assert_ptr_null(lock_target(&l, STR("h10")));
	lock_release(&l);
	ck_assert_uint_eq(l.ntargets, 0);
}

UNIT(lock_reads_packages_and_files)
{
	struct lock l = LOCK_INIT;

	read_full(&l);
	ck_assert_uint_eq(l.npackages, 3);
	const struct lock_package *p = l.packages;
	ck_assert(str_is(p->req.name, "flash-attn") && p->line == 17 && p->use == LOCK_RUN);
	ck_assert(str_is(p->req.raw, "flash-attn[a-b,c]==2.8.3; sys_platform == \"linux\""));
	ck_assert(
		p->req.nextras == 2 && p->req.marker && p->req.specifiers.n == 1 && p->url.n == 0);
	ck_assert(lock_package_is_for(p, &l.targets[0]) && !lock_package_is_for(p, &l.targets[1]));
	p = &l.packages[1];
	ck_assert(p->use == LOCK_BUILD && lock_package_is_for(p, &l.targets[1]));
	p = &l.packages[2];
	ck_assert(str_is(p->file, "natten-0.21.0+torch270cu128-cp312-cp312-linux_x86_64.whl"));
	ck_assert(str_is(p->req.raw, "natten==0.21.0") && p->req.url.n == 0);
	ck_assert(str_ends(p->url, ".whl?a=1#b"));
	ck_assert_uint_eq(l.nfiles, 2);
	ck_assert(l.files[0].has_size && l.files[0].size == 12 && l.files[0].sha256.b[1] == 0x11);
	ck_assert(str_is(
		l.files[0].file, "torch-2.11.0+cu130-cp312-cp312-manylinux_2_28_x86_64.whl"));
	ck_assert(!l.files[1].has_size && str_is(l.files[1].file, "a-1.tar.gz"));
	lock_release(&l);
}

UNIT(lock_reads_toolkit_recipes_and_waivers)
{
	struct lock l = LOCK_INIT;

	read_full(&l);
	ck_assert(l.toolkit == LOCK_TOOLKIT_WHEELS && l.ntoolkit_packages == 2);
	ck_assert(str_is(l.toolkit_packages[1], "nvidia-cuda-crt"));
	const struct lock_recipe *r = lock_recipe_of(&l, STR("flash-attn"));
	ck_assert(r && r->nrequires == 2 && str_is(r->requires[1], "ninja>=1.11") && r->nenv == 2);
	ck_assert(str_is(r->env_names[1], "ARCHS") &&
		  str_is(r->env_values[1], "${sm_list} ${arch_list}"));
	ck_assert(
		r->has_device_code && !r->device_code && str_is(r->reason, "why") && r->line == 42);
	ck_assert(!lock_recipe_of(&l, STR("natten"))->has_device_code);
	ck_assert_ptr_null(lock_recipe_of(&l, STR("torch")));
	ck_assert(str_is(lock_waives(&l, STR("triton"), STR("win"))->reason, "no wheel"));
	ck_assert(str_is(lock_waives(&l, STR("triton"), STR("h100"))->reason, "not for Windows"));
	ck_assert_ptr_null(lock_waives(&l, STR("torch"), STR("win")));
	lock_release(&l);
}

/* ---- wrong locks: what is put in place of a part of the smallest right one ---- */

static const char target[] =
	"[[target]]\nname = \"a\"\npython = \"3.12\"\nplatform = \"linux_x86_64\"\n"
	"glibc = \"2.28\"\n"; /* lines 2 to 6 */
static const char second[] =
	"[[target]]\nname = \"b\"\npython = \"3.11\"\nplatform = \"win_amd64\"\n";

struct refusal {
	const char *text; /* follows lock-version and one target: its first line is line 7 */
	enum rc rc;
	const char *message; /* behind "x.toml: " */
	const char *hint;    /* a part of it; NULL: not looked at */
};

#define PACKAGE "[[package]]\nname = \"torch\"\n"
#define SUM "sha256 = \"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\"\n"

static const struct refusal rows_refused[] = {
	{ PACKAGE "version = \"1.2\"\n", RC_INVALID,
		"line 9, column 11: \"1.2\" is a version, not a specifier", "version = \"==1.2\"" },
	{ PACKAGE "version = \"==1,==2\"\n", RC_INVALID,
		"line 9, column 11: \"==1,==2\" contradicts itself", NULL },
	{ PACKAGE "version = \"~=1\"\n", RC_INVALID, "line 9, column 11: ", NULL },
	{ PACKAGE "version = \"==\"\n", RC_INVALID, "line 9, column 11", NULL },
	{ PACKAGE "version = 1.2\n", RC_SYNTAX, "line 9, column 11: \"version\" is a float",
		"quotes" },
	{ PACKAGE "file = \"a\"\n", RC_SYNTAX, "line 9, column 1: unknown key \"file\"", NULL },
	{ "[[file]]\nyanked = \"a\"\n" SUM, RC_SYNTAX, "line 8, column 1: unknown key \"yanked\"",
		NULL },
	{ "[[package]]\nversion = \"==1\"\n", RC_SYNTAX,
		"line 7, column 3: the key \"name\" is missing", NULL },
	{ "[[package]]\nname = \"torch[x]\"\nversion = \"==1\"\n", RC_INVALID,
		"line 8, column 8: \"torch[x]\" is not a project's name", "extras" },
	{ "[[package]]\nname = \"torch==2\"\n", RC_INVALID, "line 8, column 8: \"torch==2\"",
		NULL },
	{ PACKAGE "verison = \"==1\"\n", RC_SYNTAX,
		"line 9, column 1: unknown key \"verison\" in \"package\"; did you mean "
		"\"version\"?",
		"name, " },
	{ PACKAGE "version = \"==1\"\ntargets = []\n", RC_INVALID,
		"line 10, column 11: torch is for no target", "leave" },
	{ PACKAGE "version = \"==1\"\ntargets = [\"c\"]\n", RC_INVALID,
		"line 10, column 11: there is no target \"c\"; the targets are a", NULL },
	{ PACKAGE "version = \"==1\"\nmarker = \"nonsense\"\n", RC_SYNTAX,
		"line 10, column 10: ", NULL },
	{ PACKAGE "version = \"==1\"\nextras = [\"a b\"]\n", RC_INVALID,
		"line 10, column 10: \"a b\" is not the name of an extra", NULL },
	{ PACKAGE "version = \"==1\"\nuse = \"run\"\n", RC_INVALID,
		"line 10, column 7: use = \"run\" is not known", "build" },
	{ PACKAGE "version = \"==1\"\nuse = \"\"\n", RC_INVALID, "line 10, column 7: use = \"\"",
		NULL },
	{ PACKAGE "url = \"torch-1-py3-none-any.whl\"\n", RC_INVALID,
		"line 9, column 7: \"torch-1-py3-none-any.whl\" is not a URL", "https" },
	{ PACKAGE "url = \"https://u:pw@host/\"\n", RC_INVALID,
		"line 9, column 7: \"https://***@host/\" does not end in a file's name", NULL },
	{ PACKAGE "url = \"https:///torch-1-py3-none-any.whl\"\n", RC_INVALID,
		"line 9, column 7: \"https:///torch-1-py3-none-any.whl\" is not a URL", NULL },
	{ PACKAGE "url = \"file:torch-1-py3-none-any.whl\"\n", RC_INVALID,
		"line 9, column 7: ", NULL },
	{ PACKAGE "url = \"git+https://host/torch\"\n", RC_INVALID, "line 9, column 7: ", NULL },
	{ PACKAGE "url = \"https://host/a b/torch-1-py3-none-any.whl\"\n", RC_INVALID,
		"line 9, column 7: white space", "%20" },
	{ PACKAGE "url = \"https://host/\"\n", RC_INVALID, "line 9, column 7: ", NULL },
	{ PACKAGE "url = \"https://host/torch.exe\"\n", RC_INVALID, "line 9, column 7: ", NULL },
	{ PACKAGE "url = \"https://host/numpy-1-py3-none-any.whl\"\n", RC_INVALID,
		"line 9, column 7: the file numpy-1-py3-none-any.whl is of numpy, not of torch",
		NULL },
	{ PACKAGE "version = \"==2\"\nurl = \"https://host/torch-1-py3-none-any.whl\"\n",
		RC_INVALID,
		"line 10, column 7: the version of the file torch-1-py3-none-any.whl is not ==2",
		NULL },
	{ "[package]\nname = \"torch\"\n", RC_SYNTAX, "line 7, column 2: \"package\" is a table",
		"[[package]]" },
	{ "[[file]]\n" SUM, RC_SYNTAX, "line 7, column 3: the key \"url\" is missing", NULL },
	{ "[[file]]\nurl = \"https://host/a-1.tar.gz\"\n", RC_SYNTAX,
		"line 7, column 3: the key \"sha256\" is missing", NULL },
	{ "[[file]]\nurl = \"https://host/a-1.tar.gz\"\nsha256 = \"00\"\n", RC_INVALID,
		"line 9, column 10: ", NULL },
	{ "[[file]]\nurl = \"https://host/a-1.tar.gz\"\nsize = -1\n" SUM, RC_SYNTAX,
		"line 9, column 8: \"size\" is negative", NULL },
	{ "[[file]]\nurl = \"https://host/a-1.tar.gz\"\nname = \"../a-1.tar.gz\"\n" SUM, RC_INVALID,
		"line 9, column 8: \"../a-1.tar.gz\" is not a safe file name", NULL },
	{ "[[file]]\nurl = \"https://host/%2e%2e%2Fa-1.tar.gz\"\n" SUM, RC_INVALID,
		"line 8, column 7: \"../a-1.tar.gz\" is not a safe file name", NULL },
};

static const struct refusal tables_refused[] = {
	{ "[sources]\n", RC_SYNTAX,
		"line 7, column 2: unknown key \"sources\"; did you mean \"source\"?",
		"lock-version" },
	{ "[[targets]]\n", RC_SYNTAX,
		"line 7, column 3: unknown key \"targets\"; did you mean \"target\"?", NULL },
	{ "[[target]]\nname = \"a\"\npython = \"3.12\"\nplatform = \"win_amd64\"\n", RC_INVALID,
		"line 8, column 8: the target \"a\" stands twice", NULL },
	{ "[[target]]\nname = \"b\"\npyhton = \"3.12\"\n", RC_SYNTAX,
		"line 9, column 1: unknown key \"pyhton\" in \"target\"; did you mean \"python\"?",
		NULL },
	{ "[[target]]\nname = \"b\"\nplatform = \"win_amd64\"\n", RC_SYNTAX,
		"line 7, column 3: the key \"python\" is missing", NULL },
	{ "[[target]]\nname = \"b.c\"\npython = \"3.12\"\nplatform = \"win_amd64\"\n", RC_INVALID,
		"line 8, column 8: ", NULL },
	{ "[[target]]\nname = \"b\"\npython = \"3.1\"\nplatform = \"win_amd64\"\n", RC_INVALID,
		"line 9, column 10: ", NULL },
	{ "[[target]]\nname = \"b\"\npython = 3.12\nplatform = \"win_amd64\"\n", RC_SYNTAX,
		"line 9, column 10: \"python\" is a float, where a string is expected", "quotes" },
	{ "[[target]]\nname = \"b\"\npython = \"3.12\"\nplatform = \"linux_x86_64\"\n", RC_INVALID,
		"line 7, column 3: ", "glibc" },
	{ "[[target]]\nname = \"b\"\npython = \"3.12\"\nplatform = \"win_amd64\"\ngpus = [9.0]\n",
		RC_SYNTAX, "line 11, column 9: \"gpus\" is a float", "quotes" },
	{ "[toolkit]\n", RC_SYNTAX, "line 7, column 2: the key \"from\" is missing", NULL },
	{ "[toolkit]\nfrom = \"moon\"\n", RC_INVALID, "line 8, column 8: from = \"moon\"", NULL },
	{ "[toolkit]\nfrom = \"wheels\"\n", RC_INVALID, "line 7, column 2: ", "packages" },
	{ "[toolkit]\nfrom = \"wheels\"\npackages = []\n", RC_INVALID,
		"line 9, column 12: ", NULL },
	{ "[toolkit]\nfrom = \"wheels\"\nversion = \"13.0\"\n", RC_INVALID,
		"line 9, column 1: version", NULL },
	{ "[toolkit]\nfrom = \"site\"\npackages = [\"x\"]\n", RC_INVALID,
		"line 9, column 1: packages", NULL },
	{ "[toolkit]\nfrom = \"site\"\nversion = \"13\"\n", RC_INVALID, "line 9, column 11: \"13\"",
		NULL },
	{ "[toolkit]\nfrom = \"site\"\nversion = \"13.x\"\n", RC_INVALID,
		"line 9, column 11: ", NULL },
	{ "[recipe.x]\ndevice_code = true\n", RC_SYNTAX,
		"line 8, column 1: unknown key \"device_code\" in \"x\"; did you mean "
		"\"device-code\"?",
		NULL },
	{ "[recipe]\nx = 1\n", RC_SYNTAX, "line 8, column 1: \"x\" is not a table",
		"[recipe.<package>]" },
	{ "[recipe.\"x y\"]\n", RC_INVALID, "line 7, column 9: \"x y\" is not a project's name",
		NULL },
	{ "[recipe.x]\n[recipe.X]\n", RC_INVALID,
		"line 8, column 9: x has a recipe already, in line 7", NULL },
	{ "[recipe.x]\nrequires = [\"a b\"]\n", RC_SYNTAX, "line 8, column 12: ", NULL },
	{ "[recipe.x]\nenv = { \"A=B\" = \"\" }\n", RC_INVALID, "line 8, column 9: \"A=B\" is not",
		NULL },
	{ "[recipe.x]\nenv = { 1A = \"\" }\n", RC_INVALID, "line 8, column 9: ", NULL },
	{ "[recipe.x]\nenv = { A = 1 }\n", RC_SYNTAX, "line 8, column 13: the value of A", NULL },
	{ "[recipe.x]\nenv = { A = \"a\\u0000\" }\n", RC_INVALID, "line 8, column 13: ", NULL },
	{ "[recipe.x]\nenv = { A = \"${gencode} ${HOME}\" }\n", RC_INVALID,
		"line 8, column 13: ${HOME} is not filled in", "${sm_list}" },
	{ "[recipe.x]\nreason = \"\"\n", RC_INVALID, "line 8, column 10: a reason is needed",
		NULL },
	{ "[waive]\nx = \" \"\n", RC_INVALID, "line 8, column 5: a reason is needed", NULL },
	{ "[waive]\nx = true\n", RC_INVALID, "line 8, column 5: a reason is needed", NULL },
	{ "[waive]\nx = \"a\\nb\"\n", RC_INVALID, "line 8, column 5: a reason is one line", NULL },
	{ "[waive]\n\"x@c\" = \"r\"\n", RC_INVALID,
		"line 8, column 9: there is no target \"c\"; the targets are a", NULL },
	{ "[waive]\n\"@a\" = \"r\"\n", RC_INVALID, "line 8, column 8: \"\" is not a project's name",
		NULL },
	{ "[waive]\n\"x@a\" = \"r\"\n\"X@a\" = \"r\"\n", RC_INVALID,
		"line 9, column 1: X@a is waived twice", NULL },
	{ "x = 1\n", RC_SYNTAX, "line 7, column 1: unknown key \"x\" in \"target\"", NULL },
};

static void check_refusal(const struct refusal *row)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct lock l = LOCK_INIT;
	struct err e = ERR_INIT;

	buf_addf(&text, "lock-version = 1\n%s%s", target, row->text);
	int r = lock_parse(buf_str(&text), "x.toml", NULL, &l, &e);
	ck_assert_msg(r == -(int)row->rc, "%s: %d %s", row->text, r, e.text);
	ck_assert_msg(str_starts(str_of(e.text), "x.toml: ") &&
			      str_starts(str_of(e.text + 8), row->message),
		"%s\nhave %s\nwant %s", row->text, e.text, row->message);
	ck_assert_msg(!row->hint || str_has(str_of(e.hint), row->hint), "%s: hint \"%s\"",
		row->text, e.hint);
	ck_assert_ptr_null(l.arena.pages);
}

UNIT(lock_refuses_wrong_rows_with_place_and_remedy)
{
	for (size_t i = 0; i < ROWS(rows_refused); i++) {
		check_refusal(&rows_refused[i]);
	}
	for (size_t i = 0; i < ROWS(tables_refused); i++) {
		check_refusal(&tables_refused[i]);
	}
}

static int parse_text(const char *text, const struct target_spec *extra, struct err *e)
{
	const struct lock_options options = { .extra = extra };
	struct lock l = LOCK_INIT;
	int r = lock_parse(str_of(text), "x.toml", &options, &l, e);

	lock_release(&l);
	return r;
}

UNIT(lock_refuses_other_heads_and_files)
{
	static const struct refusal rows[] = {
		{ "lock-version = 2\n[new]\n", RC_UNSUPPORTED,
			"line 1, column 16: lock-version 2; this version of the program reads 1",
			"newer" },
		{ "lock-version = 0\n", RC_UNSUPPORTED, "line 1, column 16: lock-version 0", NULL },
		{ "lock-version = '1'\n", RC_SYNTAX,
			"line 1, column 16: \"lock-version\" is a string", NULL },
		{ "[[target]]\n", RC_SYNTAX, "line 1, column 1: lock-version is missing",
			"lock-version = 1" },
		{ "lock-version = 1\n", RC_INVALID, "line 1, column 1: no [[target]]", "detect" },
		{ "lock-version = 1\ntarget = []\n", RC_INVALID, "line 1, column 1: no [[target]]",
			NULL },
		{ "lock-version = 1\nname = \"Lab 1\"\n", RC_INVALID,
			"line 2, column 8: \"Lab 1\" is no name for a channel", "a-z0-9" },
		{ "lock-version = 1\nname = \"\"\n", RC_INVALID,
			"line 2, column 8: \"\" is no name", NULL },
		{ "", RC_SYNTAX, "line 1, column 1: not a lock: neither lock.toml", NULL },
		{ "# x\n\na==1\n", RC_SYNTAX, "line 3, column 3: ", ".txt or .in" },
		{ "--no-index\n", RC_SYNTAX, "line 1, column ", ".txt or .in" },
		{ "a = \n", RC_SYNTAX, "line 1, column 5: expected a value", NULL },
		{ "packages = [\"a\"]\n[[target]]\n", RC_SYNTAX,
			"line 1, column 1: lock-version is missing", NULL },
		{ "lock-version = '1.0'\ncreated-by = 'pip'\n", RC_USAGE,
			"a pylock.toml does not say for which machines", "--targets FILE" },
		{ "version = 1\nrevision = 3\n[[package]]\n", RC_USAGE,
			"a uv.lock does not say for which machines", "--targets FILE" },
		{ "[[package]]\n[metadata]\nlock-version = '2.1'\n", RC_UNSUPPORTED,
			"this is a poetry.lock (lock-version 2.1)",
			"poetry export -f pylock.toml" },
		{ "[[package]]\n[metadata]\nlock_version = '4.5'\n", RC_UNSUPPORTED,
			"this is a pdm.lock (lock-version 4.5)", "pdm export -f pylock" },
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct err e = ERR_INIT;

		ck_assert_msg(parse_text(rows[i].text, NULL, &e) == -(int)rows[i].rc, "%s: %s",
			rows[i].text, e.text);
		ck_assert_msg(str_starts(str_of(e.text + 8), rows[i].message), "%s: %s",
			rows[i].text, e.text);
		ck_assert(!rows[i].hint || str_has(str_of(e.hint), rows[i].hint));
	}
}

UNIT(lock_takes_no_options_for_a_native_lock)
{
	struct target_spec extra = { .name = STR("b"), .cxx11_abi = -1 };
	struct err e = ERR_INIT;
	CLEANUP_BUF struct buf text = BUF_INIT;

	buf_addf(&text, "lock-version = 1\n%s", target);
	ck_assert_int_eq(parse_text(text.p, &extra, &e), 0);
	extra.glibc = STR("2.28");
	ck_assert_int_eq(parse_text(text.p, &extra, &e), -(int)RC_USAGE);
	ck_assert(str_has(str_of(e.hint), "[[target]]"));
}

UNIT(lock_finds_rows_that_contradict_each_other)
{
#define ONE "[[package]]\nname = \"x\"\nversion = \"==1\"\n"
#define TWO "[[package]]\nname = \"X\"\nversion = \"==2\"\n"
#define OPEN(version) "[[package]]\nname = \"x\"\nversion = \"" version "\"\n"
#define WHEEL(n) "[[package]]\nname = \"x\"\nurl = \"https://h" n "/x-1-py3-none-any.whl\"\n"
	static const struct {
		const char *text;
		const char *message; /* NULL: nothing is wrong */
	} rows[] = {
		{ ONE OPEN(">=2") OPEN("~=1.4, !=1.5") OPEN(""), NULL },
		{ ONE OPEN(">=0") TWO, "line 17, column 1: x==2 and x==1 (line 11) both apply" },
		{ ONE OPEN("==1+cu130"), NULL },
		{ ONE OPEN("==1+cu130") OPEN("==1+cu128"),
			"line 17, column 1: x==1+cu128 and x==1+cu130 (line 14) both apply" },
		{ ONE TWO,
			"line 14, column 1: x==2 and x==1 (line 11) both apply to the target a" },
		{ ONE "targets = \"a\"\n" TWO "targets = \"b\"\n", NULL },
		{ ONE "targets = \"b\"\n" TWO,
			"line 15, column 1: x==2 and x==1 (line 11) both apply to the "
			"target b" },
		{ ONE "marker = \"os_name == 'nt'\"\n" TWO "marker = \"os_name != 'nt'\"\n", NULL },
		{ ONE "marker = \"python_version >= '3.11'\"\n" TWO
		      "marker = \"os_name == 'posix'\"\n",
			"line 15, column 1: x==2; os_name == \"posix\" and x==1; python_version >= "
			"\"3.11\" "
			"(line 11) both apply to the target a" },
		{ ONE TWO "use = \"build\"\n", NULL },
		{ ONE "[[package]]\nname = \"x\"\nversion = \"==1.0\"\nextras = \"e\"\n", NULL },
		{ ONE WHEEL("1"), NULL },
		{ ONE WHEEL("1") WHEEL("2"),
			"line 17, column 1: https://h2/x-1-py3-none-any.whl and "
			"https://h1/x-1-py3-none-any.whl (line 14)" },
		{ WHEEL("1") TWO, "line 14, column 1: x==2 and x==1 (line 11)" },
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		CLEANUP_BUF struct buf text = BUF_INIT;
		struct err e = ERR_INIT;

		buf_addf(&text, "lock-version = 1\n%s%s%s", target, second, rows[i].text);
		int r = parse_text(text.p, NULL, &e);
		ck_assert_msg(r == (rows[i].message ? -(int)RC_INVALID : 0), "%s: %s", rows[i].text,
			e.text);
		ck_assert_msg(!rows[i].message || str_starts(str_of(e.text + 8), rows[i].message),
			"%s: %s", rows[i].text, e.text);
	}
}

UNIT(lock_limits_reasons_and_targets)
{
	CLEANUP_BUF struct buf text = BUF_INIT, long_reason = BUF_INIT;
	struct err e = ERR_INIT;

	for (int i = 0; i < LIMIT_REASON; i++) {
		buf_addc(&long_reason, 'r');
	}
	buf_addf(&text, "lock-version = 1\n%s[waive]\nx = \"%s\"\n", target, long_reason.p);
	ck_assert_int_eq(parse_text(text.p, NULL, &e), 0);
	buf_clear(&text);
	buf_addf(&text, "lock-version = 1\n%s[waive]\nx = \"%ss\"\n", target, long_reason.p);
	ck_assert_int_eq(parse_text(text.p, NULL, &e), -(int)RC_LIMIT);
	buf_clear(&text);
	buf_adds(&text, "lock-version = 1\n");
	for (int i = 0; i <= LIMIT_TARGETS; i++) {
		buf_addf(&text,
			"[[target]]\nname = \"t%d\"\npython = \"3.12\"\nplatform = \"win_amd64\"\n",
			i);
	}
	ck_assert_int_eq(parse_text(text.p, NULL, &e), -(int)RC_LIMIT);
}

/* Rows times targets, each row once: thousands of rows of one project are no trouble. */
UNIT(lock_checks_many_rows_in_time)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct err e = ERR_INIT;

	buf_addf(&text, "lock-version = 1\n%s%s", target, second);
	for (int i = 0; i < 60000; i++) {
		buf_adds(&text, ONE);
	}
	ck_assert_int_eq(parse_text(text.p, NULL, &e), 0);
	buf_adds(&text, TWO);
	ck_assert_int_eq(parse_text(text.p, NULL, &e), -(int)RC_INVALID);
}

UNIT(lock_reads_a_file_and_names_a_missing_one)
{
	struct lock l = LOCK_INIT;
	struct err e = ERR_INIT;

	ck_assert_int_eq(lock_read("/nonexistent/lock.toml", NULL, &l, &e), -(int)RC_NOT_FOUND);
	ck_assert(str_has(str_of(e.text), "/nonexistent/lock.toml"));
}

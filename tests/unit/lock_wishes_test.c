/* Native locks: open versions, packages = [...], constraints, overrides and sources. */
#include "manifests/lock.h"
#include "tests/unit/unit.h"

#include <string.h>

#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

static const char head[] = "lock-version = 1\n"; /* what follows begins with line 2 */
static const char target[] =
	"[[target]]\nname = \"a\"\npython = \"3.12\"\nplatform = \"win_amd64\"\n";

/* `top` stands before the tables, `rest` behind the target. */
static int parse(const char *top, const char *rest, const struct lock_options *o, struct lock *l,
	struct err *e)
{
	CLEANUP_BUF struct buf text = BUF_INIT;

	buf_addf(&text, "%s%s%s%s", head, top, target, rest);
	return lock_parse(buf_str(&text), "/tmp/x.toml", o, l, e);
}

static void read_lock(const char *top, const char *rest, struct lock *l)
{
	struct err e = ERR_INIT;

	ck_assert_msg(parse(top, rest, NULL, l, &e) == 0, "%s%s: %s", top, rest, e.text);
}

/* ---- rows ---- */

UNIT(lock_leaves_versions_open)
{
	static const struct {
		const char *row, *raw;
		bool is_pinned;
	} rows[] = {
		{ "", "x", false },
		{ "version = \"\"\n", "x", false },
		{ "version = \" * \"\n", "x", false },
		{ "version = \">=2\"\n", "x>=2", false },
		{ "version = \"~=1.4, !=1.5\"\n", "x!=1.5,~=1.4", false },
		{ "version = \"==1.*\"\n", "x==1.*", false },
		{ "version = \"== 1.0\"\n", "x==1.0", true },
		{ "version = \"===1.0\"\n", "x===1.0", true },
		{ "version = \"===sth\"\n", "x===sth", false },
		{ "version = \">=1, ==1.0, !=2\"\n", "x!=2,==1.0,>=1", true },
		{ "url = \"https://h/x-1-py3-none-any.whl\"\n", "x==1", true },
		{ "version = \">=1\"\nurl = \"https://h/x-1.5%2Bcu1.tar.gz\"\n", "x==1.5", true },
		{ "version = \"==1.5+cu2\"\nurl = \"https://h/x-1.5%2Bcu1.tar.gz\"\n", "x==1.5",
			true },
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		CLEANUP_BUF struct buf text = BUF_INIT;
		struct lock l = LOCK_INIT;

		buf_addf(&text, "[[package]]\nname = \"X\"\n%s", rows[i].row);
		read_lock("", text.p, &l);
		ck_assert_msg(str_is(l.packages[0].req.raw, rows[i].raw), "%s: %.*s", rows[i].row,
			STR_ARG(l.packages[0].req.raw));
		ck_assert_msg((lock_package_pin(&l.packages[0]) != NULL) == rows[i].is_pinned, "%s",
			rows[i].row);
		ck_assert(!l.is_closed && !l.is_frozen);
		lock_release(&l);
	}
}

UNIT(lock_takes_the_pin_with_a_local_part)
{
	struct lock l = LOCK_INIT;

	read_lock("packages = [\"x==1,>=0,==1+cu130\"]\n", "", &l);
	ck_assert(str_is(lock_package_pin(l.packages)->raw, "1+cu130"));
	lock_release(&l);
}

UNIT(lock_reads_packages_as_texts)
{
	struct lock l = LOCK_INIT;

	read_lock("packages = [\n\"numpy>=2\",\n\"Requests[Socks]; sys_platform == 'linux'\",\n"
		  "\"x @ https://u:p@h/x-1%2Bcu1-py3-none-any.whl\"]\n",
		"[[package]]\nname = \"numpy\"\nversion = \"!=2.1\"\n", &l);
	ck_assert_uint_eq(l.npackages, 4);
	ck_assert(str_is(l.packages[0].req.raw, "numpy>=2") && l.packages[0].line == 3);
	ck_assert(str_is(l.packages[1].req.raw, "requests[socks]; sys_platform == \"linux\""));
	ck_assert(str_is(l.packages[2].req.raw, "x==1") && l.packages[2].req.url.n == 0);
	ck_assert(str_is(l.packages[2].url, "https://u:p@h/x-1%2Bcu1-py3-none-any.whl"));
	ck_assert(str_is(l.packages[2].file, "x-1+cu1-py3-none-any.whl"));
	ck_assert(str_is(l.packages[3].req.raw, "numpy!=2.1"));
	lock_release(&l);
}

UNIT(lock_reads_constraints)
{
	struct lock l = LOCK_INIT;

	read_lock("constraints = [\"NumPy<2; python_version < '3.13'\", \"a!=1\"]\n"
		  "build-constraints = [\"setuptools<82\"]\n",
		"", &l);
	ck_assert_uint_eq(l.nconstraints, 3);
	ck_assert(str_is(l.constraints[0].req.raw, "numpy<2; python_version < \"3.13\""));
	ck_assert(str_is(l.constraints[0].where, "line 2") && !l.constraints[1].is_build);
	ck_assert(str_is(l.constraints[2].req.raw, "setuptools<82") && l.constraints[2].is_build);
	ck_assert(str_is(l.constraints[2].where, "line 3"));
	lock_release(&l);
}

/* ---- overrides and sources ---- */

UNIT(lock_reads_overrides)
{
	struct lock l = LOCK_INIT;

	read_lock("exclude = [\"Black\"]\n",
		"[override.torch]\nversion = \" >=2.5\"\nreason = \"it works\"\n"
		"[override.any_thing]\nversion = \"*\"\nreason = \"r\"\n"
		"[override.old]\nexclude = true\nreason = \"gone\"\n",
		&l);
	ck_assert_uint_eq(l.noverrides, 4);
	const struct lock_override *o = lock_override_of(&l, STR("black"));
	ck_assert(o && o->is_exclude && str_is(o->reason, "excluded by the lock") && o->line == 2);
	o = lock_override_of(&l, STR("torch"));
	ck_assert(o && !o->is_exclude && str_is(o->text, ">=2.5") && o->specifiers.n == 1);
	ck_assert(str_is(o->reason, "it works") && o->line == 7);
	o = lock_override_of(&l, STR("any-thing"));
	ck_assert(o && o->text.n == 0 && o->specifiers.n == 0);
	ck_assert(lock_override_of(&l, STR("old"))->is_exclude);
	ck_assert_ptr_null(lock_override_of(&l, STR("numpy")));
	lock_release(&l);
}

UNIT(lock_reads_sources)
{
	struct lock l = LOCK_INIT;

	read_lock("",
		"[source.Flash_Attn]\ngithub = \"Dao-AILab/flash-attention\"\nnames = \"minor\"\n"
		"[source.torch]\nindex = \"https://h/whl/cu{cuda}\"\nreason = \"its CUDA\"\n"
		"[source.pyg]\nlinks = \"./a b/../pages/{torch}\"\ncuda-style = \"dotted\"\n"
		"torch-style = \"pyg\"\n"
		"[source.m]\nmanifest = \"https://h/packages.json\"\ntorch-style = \"packed\"\n"
		"[source.f]\nfile = \"/srv/f-1-py3-none-any.whl\"\ncuda-style = \"short\"\n",
		&l);
	ck_assert_uint_eq(l.nsources, 5);
	const struct source *s = &lock_source_of(&l, STR("flash-attn"))->source;
	ck_assert(s->kind == SOURCE_GITHUB && str_is(s->url, "Dao-AILab/flash-attention"));
	ck_assert(s->names == VARIANT_TORCH_MINOR && s->npackages == 1 && s->line == 6);
	ck_assert(str_is(s->packages[0], "flash-attn") && strcmp(s->origin, "/tmp/x.toml") == 0);
	const struct lock_source *row = lock_source_of(&l, STR("torch"));
	ck_assert(row->source.kind == SOURCE_INDEX && str_is(row->reason, "its CUDA"));
	ck_assert(str_is(row->source.url, "https://h/whl/cu{cuda}") && row->reason.n == 8);
	ck_assert(row->source.names == VARIANT_TORCH_ANY);
	s = &lock_source_of(&l, STR("pyg"))->source;
	ck_assert_msg(str_is(s->url, "file:///tmp/pages/{torch}"), "%.*s", STR_ARG(s->url));
	ck_assert(s->kind == SOURCE_LINKS && s->cuda_style == SOURCE_CUDA_DOTTED);
	ck_assert(s->torch_style == SOURCE_TORCH_PYG);
	ck_assert(lock_source_of(&l, STR("m"))->source.torch_style == SOURCE_TORCH_PACKED);
	s = &lock_source_of(&l, STR("f"))->source;
	ck_assert(s->kind == SOURCE_FILE && str_is(s->url, "file:///srv/f-1-py3-none-any.whl"));
	ck_assert(s->cuda_style == SOURCE_CUDA_SHORT);
	lock_release(&l);
}

UNIT(lock_takes_sources_by_name)
{
	static struct source one = {
		.name = { "ours", 4 }, .kind = SOURCE_INDEX, .url = { "https://example.org/", 20 }
	};
	static const struct source_list list = { &one, 1 };
	const struct lock_options o = { .registry = &list };
	struct lock l = LOCK_INIT;
	struct err e = ERR_INIT;

	ck_assert_msg(parse("", "[source.x]\nfrom = \"ours\"\nreason = \"r\"\n", &o, &l, &e) == 0,
		"%s", e.text);
	ck_assert(str_is(lock_source_of(&l, STR("x"))->source.url, "https://example.org/"));
	lock_release(&l);
	ck_assert_int_eq(parse("", "[source.x]\nfrom = \"their\"\n", &o, &l, &e), -(int)RC_INVALID);
	ck_assert_str_eq(e.text, "/tmp/x.toml: line 7, column 8: there is no source \"their\"");
	err_clear(&e);
	ck_assert_int_eq(parse("", "[source.x]\nfrom = \"ours\"\nnames = \"full\"\n", &o, &l, &e),
		-(int)RC_INVALID);
	ck_assert(str_has(str_of(e.text), "line 8, column 1: names is for a place"));
}

/* ---- what is wrong ---- */

static const struct {
	const char *top, *rest; /* top: line 2; rest: line 6, or 7 behind a line of `top` */
	enum rc rc;
	const char *message, *hint;
} wrong_wishes[] = {
	{ "packages = [\"numpy 2\"]\n", "", RC_SYNTAX, "line 2, column 13: requirement \"numpy",
		"name[extra]>=2" },
	{ "packages = [\"x @ https://u:secret@h/ y\"]\n", "", RC_SYNTAX,
		"line 2, column 13: not a requirement with a URL", "marker" },
	{ "packages = [\"x @ https://u:p@h/y-1-py3-none-any.whl\"]\n", "", RC_INVALID,
		"line 2, column 13: the file y-1-py3-none-any.whl is of y, not of x", NULL },
	{ "packages = [\"x==1,==2\"]\n", "", RC_INVALID, "line 2, column 13: ", NULL },
	{ "packages = [1]\n", "", RC_SYNTAX, "line 2, column 13: \"packages\" is an integer",
		NULL },
	{ "packages = \"x\"\n", "", RC_SYNTAX, "line 2, column 12: \"packages\" is a string",
		"numpy>=2" },
	{ "", "[[packages]]\nname = \"x\"\n", RC_SYNTAX,
		"line 6, column 3: \"packages\" is a table", "[[package]]" },
	{ "packages = [\"x==1\", \"x==2\"]\n", "", RC_INVALID,
		"line 2, column 1: x==2 and x==1 (line 2) both apply to the target a", NULL },
	{ "",
		"[[package]]\nname = \"x\"\nversion = \">=2\"\n"
		"url = \"https://h/x-1.zip\"\n",
		RC_INVALID, "line 9, column 7: the version of the file x-1.zip is not >=2", NULL },
	{ "constraints = [\"x\"]\n", "", RC_INVALID, "line 2, column 16: a constraint is", NULL },
	{ "constraints = [\"x[y]<2\"]\n", "", RC_INVALID, "line 2, column 16: a constraint is",
		"extras" },
	{ "build-constraints = [\"x @ https://h/x-1.zip\"]\n", "", RC_INVALID,
		"line 2, column 22: a constraint is", "files" },
	{ "exclude = [\"a b\"]\n", "", RC_INVALID, "line 2, column 12: \"a b\" is not", NULL },
	{ "exclude = [\"a\", \"A\"]\n", "", RC_INVALID, "line 2, column 17: a is excluded twice",
		NULL },
	{ "exclude = [\"a\"]\n", "[override.A]\nversion = \"*\"\nreason = \"r\"\n", RC_INVALID,
		"line 7, column 11: a is overridden already, in line 2", NULL },
	{ "", "[override]\na = 1\n", RC_SYNTAX, "line 7, column 1: \"a\" is not a table",
		"[override.<package>]" },
	{ "", "[override.a]\nreason = \"r\"\n", RC_INVALID,
		"line 6, column 11: a needs one of version and exclude", "\"*\"" },
	{ "", "[override.a]\nexclude = false\nreason = \"r\"\n", RC_INVALID,
		"line 6, column 11: a needs one", NULL },
	{ "", "[override.a]\nexclude = true\nversion = \"*\"\nreason = \"r\"\n", RC_INVALID,
		"line 6, column 11: a needs one", NULL },
	{ "", "[override.a]\nversion = \">=2\"\n", RC_INVALID,
		"line 6, column 11: the override of a has no reason", "signed" },
	{ "", "[override.a]\nversion = \"2\"\nreason = \"r\"\n", RC_INVALID,
		"line 7, column 11: \"2\" is a version, not a specifier", "==2" },
	{ "", "[override.a]\nversion = \"*\"\nreason = \"\"\n", RC_INVALID,
		"line 8, column 10: a reason is needed", NULL },
	{ "", "[source]\na = 1\n", RC_SYNTAX, "line 7, column 1: \"a\" is not a table",
		"[source.<package>]" },
	{ "", "[source.a]\nreason = \"r\"\n", RC_INVALID,
		"line 6, column 9: [source.a] does not say where", "index" },
	{ "", "[source.a]\nindex = \"https://h/\"\nlinks = \"https://h/\"\n", RC_INVALID,
		"line 8, column 1: index and links: a package comes from one place", NULL },
	{ "", "[source.a]\nindex = \"https://h/\"\n[source.A]\nindex = \"https://h/\"\n",
		RC_INVALID, "line 8, column 9: a has a source already, in line 6", NULL },
	{ "", "[source.a]\nindex = \"ftp://h/\"\n", RC_INVALID,
		"line 7, column 9: \"ftp://h/\" is not a URL", NULL },
	{ "", "[source.a]\nlinks = \"/tmp/{cudas}\"\n", RC_INVALID,
		"line 7, column 9: {cudas} is not filled in", "{torch_minor}" },
	{ "", "[source.a]\nlinks = \"https://h/{cuda\"\n", RC_INVALID,
		"line 7, column 9: {cuda is not filled in", NULL },
	{ "", "[source.a]\ngithub = \"https://h/o/r\"\n", RC_INVALID,
		"line 7, column 10: \"https://h/o/r\" is not a repository", "owner" },
	{ "", "[source.a]\ngithub = \"o/\"\n", RC_INVALID, "line 7, column 10: ", NULL },
	{ "", "[source.a]\nindex = \"https://h/\"\ncuda-style = \"long\"\n", RC_INVALID,
		"line 8, column 14: cuda-style = \"long\" is not known",
		"\"full\", \"short\", \"dotted\"" },
	{ "", "[source.a]\nindex = 1\n", RC_SYNTAX, "line 7, column 9: \"index\" is an", NULL },
};

UNIT(lock_refuses_wrong_wishes)
{
	for (size_t i = 0; i < ROWS(wrong_wishes); i++) {
		struct lock l = LOCK_INIT;
		struct err e = ERR_INIT;
		int r = parse(wrong_wishes[i].top, wrong_wishes[i].rest, NULL, &l, &e);

		ck_assert_msg(r == -(int)wrong_wishes[i].rc, "%s%s: %d %s", wrong_wishes[i].top,
			wrong_wishes[i].rest, r, e.text);
		ck_assert_msg(str_starts(str_of(e.text + strlen("/tmp/x.toml: ")),
				      wrong_wishes[i].message),
			"%s%s\nhave %s\nwant %s", wrong_wishes[i].top, wrong_wishes[i].rest, e.text,
			wrong_wishes[i].message);
		ck_assert_msg(
			!wrong_wishes[i].hint || str_has(str_of(e.hint), wrong_wishes[i].hint),
			"%s%s: \"%s\"", wrong_wishes[i].top, wrong_wishes[i].rest, e.hint);
		ck_assert(!str_has(str_of(e.text), "secret"));
	}
}

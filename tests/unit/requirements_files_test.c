/* requirements.txt, the files that it includes, constraints, indexes and variables, and the targets
 * file of foreign locks. */
#include "manifests/limits.h"
#include "tests/unit/requirements_fixture.h"
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

/* ---- other files ---- */

UNIT(requirements_includes_files)
{
	struct folder f;

	folder_open(&f);
	folder_put(&f, "sub/base.txt", STR("b==1\n-r more.txt\n./w/c-1.zip\n"));
	folder_put(&f, "sub/more.txt", STR("d==1 ; os_name == 'nt'\n"));
	check_requirements(&f, "-r sub/base.txt\na==1\n--requirement=./sub/../sub/more.txt",
		"b==1 @lin,win\nd==1 @win\nc==1 @lin,win file=c-1.zip\na==1 @lin,win\n");
	const char *url = arena_printf(&f.arena, "-r file://%s/sub/more.txt\n", f.path);
	check_requirements(&f, url, "d==1 @win\n");
	check_requirements(
		&f, arena_printf(&f.arena, "-r%s/sub/more.txt\n", f.path), "d==1 @win\n");
	folder_close(&f);
}

UNIT(requirements_names_the_chain_of_files)
{
	static const struct requirements_refusal rows[] = {
		{ "\n-r sub/base.txt", RC_INVALID,
			"line 2, column 1: %/sub/base.txt: line 1, column 2: x==1,==2 contradicts "
			"itself",
			NULL },
		{ " -r bad.txt", RC_SYNTAX,
			"line 1, column 2: %/bad.txt: line 2, column 1: no option \"--what\"",
			NULL },
		{ "-r self.txt", RC_INVALID,
			"line 1, column 1: %/self.txt: line 1, column 1: %/r2.txt: line 1, column "
			"1: %/self.txt includes itself",
			NULL },
		{ "-r gone.txt", RC_NOT_FOUND, "line 1, column 1: %/gone.txt: no such file", NULL },
		{ "-r https://h/x.txt", RC_UNSUPPORTED,
			"line 1, column 1: https://h/x.txt is not on this machine", "download" },
		{ "y==2\n-r other.txt", RC_INVALID,
			"line 2, column 1: %/other.txt: line 1, column 1: y==1 contradicts y==2 "
			"(line 1 of %/r.txt) for the target lin",
			NULL },
	};
	struct folder f;

	folder_open(&f);
	folder_put(&f, "sub/base.txt", STR(" x==1,==2\n"));
	folder_put(&f, "bad.txt", STR("a==1\n--what"));
	folder_put(&f, "self.txt", STR("-c r2.txt"));
	folder_put(&f, "r2.txt", STR("-r ./self.txt"));
	folder_put(&f, "other.txt", STR("y==1"));
	for (size_t i = 0; i < ROWS(rows); i++) {
		check_requirements_refusal(&f, &rows[i]);
	}
	folder_close(&f);
}

UNIT(requirements_limits_files_and_depth)
{
	struct lock l = LOCK_INIT;
	struct err e = ERR_INIT;
	struct folder f;

	folder_open(&f);
	for (int i = 0; i < 40; i++) {
		const char *text = arena_printf(&f.arena, "-r %d.txt\n-r %d.txt\n", i + 1, i + 1);

		folder_put(&f, arena_printf(&f.arena, "%d.txt", i), str_of(text));
	}
	ck_assert_int_eq(folder_read(&f, STR("-r 0.txt"), &l, &e), -(int)RC_LIMIT);
	folder_put(&f, "20.txt", STR("a==1\n")); /* 2^20 inclusions, were they not counted */
	err_clear(&e);
	ck_assert_int_eq(folder_read(&f, STR("-r 0.txt"), &l, &e), -(int)RC_LIMIT);
	CLEANUP_BUF struct buf many = BUF_INIT;
	for (int i = 0; i <= LIMIT_CLOSURE; i++) {
		buf_addf(&many, "a%d==1\n", i);
	}
	err_clear(&e);
	ck_assert_int_eq(folder_read(&f, buf_str(&many), &l, &e), -(int)RC_LIMIT);
	many.n -= strlen("a20000==1\n");
	ck_assert_msg(folder_read(&f, buf_str(&many), &l, &e) == 0, "%s", e.text);
	ck_assert_uint_eq(l.npackages, LIMIT_CLOSURE);
	lock_release(&l);
	folder_close(&f);
}

/* ---- constraints ---- */

UNIT(requirements_obeys_constraints)
{
	static const struct {
		const char *constraints, *text, *want;
	} rows[] = {
		{ "a==1\nz==9\n", "a==1.0", "a==1.0 @lin,win\n" },
		{ "a>=1,<2", "a==1.5", "a==1.5 @lin,win\n" },
		{ "a==1", "a", "a==1 @lin,win\n" },
		{ "a==1", "a[x]>=0.5", "a[x]==1 @lin,win\n" },
		{ "a==1 ; os_name == 'nt'\na==2 ; os_name != 'nt'", "a>0",
			"a==2 @lin\na==1 @win\n" },
		{ "a==1 ; os_name == 'java'", "a==2", "a==2 @lin,win\n" },
		{ "a<2", "a[x]>=1", "a[x]>=1 @lin,win\n" },
		{ "a==1 ; os_name == 'nt'", "a", "a @lin\na==1 @win\n" },
		{ "a==1+cu130", "a==1", "a==1+cu130 @lin,win\n" },
		{ "a==1", "a==1+cu130", "a==1+cu130 @lin,win\n" },
		{ "a==1 " HASH_A, "a==1 " HASH_A " " HASH_B, "a==1 @lin,win hashes=1\n" },
		{ "a==1 " HASH_A, "a==1", "a==1 @lin,win hashes=1\n" },
		{ "a==1", "a @ https://h/a-1-py3-none-any.whl",
			"a==1 @lin,win file=a-1-py3-none-any.whl\n" },
	};
	struct folder f;

	folder_open(&f);
	for (size_t i = 0; i < ROWS(rows); i++) {
		folder_put(&f, "c.txt", str_of(rows[i].constraints));
		check_requirements(
			&f, arena_printf(&f.arena, "%s\n-c c.txt", rows[i].text), rows[i].want);
		check_requirements(
			&f, arena_printf(&f.arena, "-cc.txt\n%s", rows[i].text), rows[i].want);
	}
	folder_close(&f);
}

/* They hold for what is needed further down, too. */
UNIT(requirements_keeps_constraints)
{
	struct lock l = LOCK_INIT;
	struct err e = ERR_INIT;
	struct folder f;

	folder_open(&f);
	folder_put(&f, "c.txt", STR("\nB_c < 2 ; os_name == 'nt'\na==1 " HASH_A "\n"));
	ck_assert_msg(folder_read(&f, STR("a==1 " HASH_A "\n-c c.txt"), &l, &e) == 0, "%s", e.text);
	ck_assert_uint_eq(l.nconstraints, 2);
	ck_assert(str_is(l.constraints[0].req.raw, "b-c<2; os_name == \"nt\""));
	ck_assert(str_ends(l.constraints[0].where, "/c.txt: line 2") && !l.constraints[0].is_build);
	ck_assert(str_is(l.constraints[1].req.raw, "a==1"));
	lock_release(&l);
	folder_close(&f);
}

UNIT(requirements_refuses_against_constraints)
{
	static const struct {
		const char *constraints, *text;
		enum rc rc;
		const char *message;
	} rows[] = {
		{ "\na==1", "a==2", RC_INVALID,
			"line 1, column 1: a==2 contradicts a==1 (line 2 of " },
		{ "a<2", "a==2", RC_INVALID, "line 1, column 1: a==2 contradicts a<2 (line 1 of " },
		{ "a==1", "a>=2", RC_INVALID,
			"line 1, column 1: a>=2 contradicts a==1 (line 1 of " },
		{ "a==1\na==2", "a", RC_INVALID,
			"line 1, column 1: a contradicts a==2 (line 2 of " },
		{ "a==1+cu130", "a==1+cu128", RC_INVALID,
			"line 1, column 1: a==1+cu128 contradicts" },
		{ "a<2\na==2", "a", RC_INVALID, "line 1, column 1: a contradicts a<2 (line 1 of " },
		{ "a<2", "a " HASH_A, RC_INVALID, "line 1, column 1: a leaves the version open" },
		{ "a==1 " HASH_A, "a==1 " HASH_B, RC_INVALID,
			"line 1, column 1: a==1 shares no hash with a==1" },
		{ "a @ https://h/a-1.zip", "a==1", RC_UNSUPPORTED, "line 2, column 1: " },
		{ "a[x]==1", "a==1", RC_UNSUPPORTED, "line 2, column 1: " },
	};
	struct folder f;

	folder_open(&f);
	for (size_t i = 0; i < ROWS(rows); i++) {
		const struct requirements_refusal row = { arena_printf(&f.arena, "%s\n-c c.txt",
								  rows[i].text),
			rows[i].rc, rows[i].message, NULL };

		folder_put(&f, "c.txt", str_of(rows[i].constraints));
		check_requirements_refusal(&f, &row);
	}
	folder_close(&f);
}

/* ---- where from ---- */

/* "index;extra,extra;link,link;no-index" */
static void check_places(struct folder *f, const char *text, const char *want)
{
	CLEANUP_BUF struct buf have = BUF_INIT;
	struct lock l = LOCK_INIT;
	struct err e = ERR_INIT;

	ck_assert_msg(folder_read(f, str_of(text), &l, &e) == 0, "%s: %s", text, e.text);
	buf_addf(&have, "%.*s;", STR_ARG(l.index_url));
	for (size_t i = 0; i < l.nextra_index_urls; i++) {
		buf_addf(&have, "%s%.*s", i ? "," : "", STR_ARG(l.extra_index_urls[i]));
	}
	buf_addc(&have, ';');
	for (size_t i = 0; i < l.nfind_links; i++) {
		buf_addf(&have, "%s%.*s", i ? "," : "", STR_ARG(l.find_links[i]));
	}
	buf_adds(&have, l.no_index ? ";no" : ";");
	ck_assert_msg(strcmp(have.p, want) == 0, "%s\nhave %s\nwant %s", text, have.p, want);
	lock_release(&l);
}

UNIT(requirements_reads_where_packages_come_from)
{
	struct folder f;

	folder_open(&f);
	folder_put(&f, "links/x", STR("x"));
	folder_put(&f, "sub/i.txt", STR("-i https://in/simple\n-f ../links\n"));
	check_places(&f, "", ";;;");
	check_places(&f,
		"--index-url https://a/simple\n--extra-index-url "
		"https://b/s\n--extra-index-url=https://c/s",
		"https://a/simple;https://b/s,https://c/s;;");
	check_places(&f, "--extra-index-url https://b/s --extra-index-url=https://c/s --pre",
		";https://b/s,https://c/s;;");
	/* As for pip, an index forgets what was named before it. */
	check_places(&f, "--extra-index-url https://b/s\n-i https://a/simple\n-i https://z/simple",
		"https://z/simple;;;");
	check_places(&f,
		"-i https://a/simple\n--no-index\n--extra-index-url https://b/s\n-f "
		"https://l/\n-fhttps://m/",
		";;https://l/,https://m/;no");
	check_places(&f, "-f links", arena_printf(&f.arena, ";;file://%s/links;", f.path));
	check_places(&f, "-f /x/y", ";;file:///x/y;");
	check_places(&f, "--find-links 'file:///x y'", ";;file:///x y;");
	check_places(&f, "-r sub/i.txt",
		arena_printf(&f.arena, "https://in/simple;;file://%s/links;", f.path));
	check_places(&f,
		"--trusted-host h\n--only-binary=:all:\n--no-binary a,b\n--prefer-binary\n--pre\n"
		"--use-feature fast-deps\n--all-releases :all:\n--only-final a\na==1 -C x=y "
		"--config-settings z=1\n",
		";;;");
	folder_close(&f);
}

UNIT(requirements_refuses_places)
{
	static const struct requirements_refusal rows[] = {
		{ "-i https:///simple", RC_INVALID,
			"line 1, column 1: \"https:///simple\" is not a URL", "https://" },
		{ "-i file:x", RC_INVALID, "line 1, column 1: \"file:x\" is not a URL", NULL },
		{ "-f ssh://u:secret@h/x", RC_INVALID,
			"line 1, column 1: \"ssh://***@h/x\" is not a place", NULL },
	};

	check_requirements_refusals(rows, ROWS(rows));
}

/* ---- variables ---- */

UNIT(requirements_puts_variables_in)
{
	static const struct requirements_refusal rows[] = {
		{ "a==1\n-i https://${GPKG_T_UNSET}@h/", RC_INVALID,
			"line 2, column 12: the environment variable GPKG_T_UNSET is not set",
			"export GPKG_T_UNSET" },
		{ "a==1\n-i https://${GPKG_T_EMPTY}@h/", RC_INVALID,
			"line 2, column 12: the environment variable GPKG_T_EMPTY is not set",
			NULL },
		{ "a==${GPKG_T_LINES}", RC_INVALID,
			"line 1, column 4: the environment variable GPKG_T_LINES holds a control",
			NULL },
		/* Places behind a value count what is written, not what was put in. */
		{ "a==1 ${GPKG_T_HASH} --what", RC_SYNTAX,
			"line 1, column 21: no option \"--what\"", NULL },
		{ "a==1 ${GPKG_T_HASH} \\\n x", RC_SYNTAX, "line 2, column 2: \"x\" stands behind",
			NULL },
		{ "-f ${gpkg_t_user}x -f y", RC_SYNTAX, "line 1, column 1: --find-links shares",
			NULL },
	};
	struct folder f;

	setenv("GPKG_T_USER", "u:p", 1);
	setenv("GPKG_T_EMPTY", "", 1);
	setenv("GPKG_T_LINES", "1\n--no-index", 1);
	setenv("GPKG_T_HASH", HASH_A, 1);
	unsetenv("GPKG_T_UNSET");
	check_requirements_refusals(rows, ROWS(rows));
	folder_open(&f);
	check_places(&f, "--index-url https://${GPKG_T_USER}@h/${gpkg_t_user}/$GPKG_T_USER",
		"https://u:p@h/${gpkg_t_user}/$GPKG_T_USER;;;");
	check_requirements(&f, "a==1 ${GPKG_T_HASH} ${GPKG_T_HASH} # ${GPKG_T_UNSET}",
		"a==1 @lin,win hashes=2\n");
	folder_close(&f);
	unsetenv("GPKG_T_USER");
	unsetenv("GPKG_T_EMPTY");
	unsetenv("GPKG_T_LINES");
	unsetenv("GPKG_T_HASH");
}

/* ---- options about the lock, and the targets file ---- */

static int read_with(
	const char *path, const char *text, const struct lock_options *o, struct err *e)
{
	struct lock l = LOCK_INIT;
	int r = lock_parse(str_of(text), path, o, &l, e);

	lock_release(&l);
	return r;
}

UNIT(lock_foreign_needs_targets)
{
	static const struct str extra = { "x", 1 };
	const struct target_spec machine = { .glibc = STR("2.28"), .cxx11_abi = -1 };
	struct lock_options o = { .nextras = 0 };
	struct err e = ERR_INIT;
	struct folder f;

	folder_open(&f);
	ck_assert_int_eq(read_with("r.txt", "a==1", NULL, &e), -(int)RC_USAGE);
	ck_assert_str_eq(
		e.text, "r.txt: a requirements file does not say for which machines it is");
	ck_assert(str_has(str_of(e.hint), "--targets FILE"));
	err_clear(&e);
	ck_assert_int_eq(read_with("uv.lock", "version = 1\nrevision = 3\n[[package]]\n", NULL, &e),
		-(int)RC_USAGE);
	ck_assert(str_has(str_of(e.text), "uv.lock: a uv.lock does not say"));
	o.targets_file = arena_printf(&f.arena, "%s/targets.toml", f.path);
	err_clear(&e);
	ck_assert_int_eq(read_with("lock.toml", requirements_targets, &o, &e), -(int)RC_USAGE);
	ck_assert(str_has(str_of(e.hint), "--targets"));
	o.extra = &machine;
	err_clear(&e);
	ck_assert_int_eq(read_with("r.in", "a==1", &o, &e), -(int)RC_USAGE);
	o = (struct lock_options){ .targets_file = o.targets_file, .extras = &extra, .nextras = 1 };
	err_clear(&e);
	ck_assert_int_eq(read_with("r.in", "a==1", &o, &e), -(int)RC_USAGE);
	ck_assert(str_has(str_of(e.hint), "--extra"));
	o.nextras = 0;
	o.targets_file = "/nonexistent/t.toml";
	err_clear(&e);
	ck_assert_int_eq(read_with("r.in", "a==1", &o, &e), -(int)RC_NOT_FOUND);
	folder_close(&f);
}

UNIT(lock_foreign_takes_all_of_the_targets_file)
{
	struct lock_options o = { .nextras = 0 };
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct lock l = LOCK_INIT;
	struct err e = ERR_INIT;
	struct folder f;

	folder_open(&f);
	buf_adds(&text, requirements_targets);
	buf_adds(&text, "[[package]]\nname = \"b\"\nversion = \"==2\"\nuse = \"build\"\n"
			"[[file]]\nurl = \"file:///x/a-1.zip\"\nsha256 = \"" SHA_A "\"\n"
			"[toolkit]\nfrom = \"site\"\nversion = \"13.0\"\n[recipe.b]\n[waive]\nc = "
			"\"why\"\n");
	folder_put(&f, "t.toml", buf_str(&text));
	o.targets_file = arena_printf(&f.arena, "%s/t.toml", f.path);
	ck_assert_msg(lock_parse(STR("a==1\nb==1"), "r.txt", &o, &l, &e) == 0, "%s", e.text);
	ck_assert(l.ntargets == 2 && l.npackages == 3 && l.nfiles == 1 && l.files[0].has_sha256);
	ck_assert(l.toolkit == LOCK_TOOLKIT_SITE && l.nrecipes == 1 && l.nwaivers == 1);
	ck_assert(l.packages[0].use == LOCK_BUILD && str_is(l.packages[1].req.raw, "a==1"));
	lock_release(&l);
	/* A row of that file against a line of this one. */
	buf_clear(&text);
	buf_adds(&text, requirements_targets);
	buf_adds(&text, "[[package]]\nname = \"a\"\nversion = \"==2\"\n");
	folder_put(&f, "t.toml", buf_str(&text));
	ck_assert_int_eq(lock_parse(STR("\na==1"), "r.txt", &o, &l, &e), -(int)RC_INVALID);
	const char *want = arena_printf(&f.arena,
		"r.txt: line 2, column 1: a==1 and a==2 (%s/t.toml, line 11) both apply to the "
		"target lin",
		f.path);
	ck_assert_str_eq(e.text, want);
	/* Its own errors name it alone. */
	folder_put(&f, "t.toml", STR("lock-version = 1\n"));
	err_clear(&e);
	ck_assert_int_eq(lock_parse(STR("a==1"), "r.txt", &o, &l, &e), -(int)RC_INVALID);
	ck_assert_msg(
		str_starts(str_of(e.text), arena_printf(&f.arena, "%s/t.toml: line 1", f.path)),
		"%s", e.text);
	folder_put(&f, "t.toml", STR("version = 1\nrevision = 3\n[[package]]\n"));
	err_clear(&e);
	ck_assert_int_eq(lock_parse(STR("a==1"), "r.txt", &o, &l, &e), -(int)RC_USAGE);
	folder_close(&f);
}

/* All of a targets file counts, and says where it stands. */
UNIT(lock_foreign_takes_constraints_from_the_targets_file)
{
	struct lock l = LOCK_INIT;
	struct err e = ERR_INIT;
	struct folder f;

	folder_open(&f);
	const char *path = arena_printf(&f.arena, "%s/t.toml", f.path);
	const struct lock_options o = { .targets_file = path };
	const char *text = arena_printf(&f.arena,
		"constraints = [\"b<2\"]\npackages = [\"c\"]\nexclude = [\"d\"]\n%s"
		"[source.e]\nlinks = \"pages\"\n",
		requirements_targets);

	folder_put(&f, "t.toml", str_of(text));
	ck_assert_msg(lock_parse(STR("a"), "r.txt", &o, &l, &e) == 0, "%s", e.text);
	ck_assert(l.nconstraints == 1 && l.noverrides == 1 && l.nsources == 1 && l.npackages == 2);
	ck_assert(str_is(l.constraints[0].where, arena_printf(&f.arena, "%s: line 1", path)));
	ck_assert(
		str_is(l.sources[0].source.url, arena_printf(&f.arena, "file://%s/pages", f.path)));
	lock_release(&l);
	text = arena_printf(&f.arena, "resolved-from = \"" SHA_A "\"\n%s", requirements_targets);
	folder_put(&f, "t.toml", str_of(text));
	ck_assert_int_eq(lock_parse(STR("a"), "r.txt", &o, &l, &e), -(int)RC_USAGE);
	ck_assert(str_has(str_of(e.text), "t.toml: line 1, column 1: not a file of targets"));
	folder_close(&f);
}

UNIT(lock_foreign_is_closed)
{
	static const struct {
		const char *path, *text;
		bool is_closed;
	} rows[] = {
		{ "pylock.toml", "lock-version = '1.0'\ncreated-by = 'x'\npackages = []\n", true },
		{ "uv.lock",
			"version = 1\nrequires-python = '>=3.8'\n[[package]]\nname = 'p'\nversion "
			"= "
			"'1'\nsource = { virtual = '.' }\n",
			true },
		{ "r.txt", "a==1", false },
	};
	struct folder f;

	folder_open(&f);
	const struct lock_options o = { .targets_file =
						arena_printf(&f.arena, "%s/targets.toml", f.path) };
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct lock l = LOCK_INIT;
		struct err e = ERR_INIT;

		ck_assert_msg(lock_parse(str_of(rows[i].text), rows[i].path, &o, &l, &e) == 0, "%s",
			e.text);
		ck_assert(l.is_closed == rows[i].is_closed && !l.is_frozen);
		lock_release(&l);
	}
	folder_close(&f);
}

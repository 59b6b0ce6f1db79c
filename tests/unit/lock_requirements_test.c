/* requirements.txt, the lines; requirements_files_test.c has what they include and obey, and
 * tests/e2e/lock_corpus_requirements.py reads real ones. */
#include "tests/unit/requirements_fixture.h"
#include "tests/unit/unit.h"

#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

/* ---- lines ---- */

UNIT(requirements_reads_lines_as_pip)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ "", "" },
		{ "# nothing\n\n   \t\n  # more", "" },
		{ "a==1", "a==1 @lin,win\n" },
		{ "\xEF\xBB\xBF"
		  "a==1\r\nB_c == 2.0 \r\n",
			"a==1 @lin,win\nb-c==2.0 @lin,win\n" },
		{ "a==1\rb==2", "a==1 @lin,win\nb==2 @lin,win\n" },
		{ "a==1 # why\nb==2 #c\\\nc==3", "a==1 @lin,win\nb==2 @lin,win\n" },
		{ "a==1 \\\n    " HASH_A " \\\n    " HASH_B "\n    # via b\n",
			"a==1 @lin,win hashes=2\n" },
		{ "a==\\\n1 \\\n", "a==1 @lin,win\n" },
		{ "a==1 \\\r\n  --hash sha256:" SHA_A "\r\n", "a==1 @lin,win hashes=1\n" },
		{ "a==1 --hash=\"sha256:" SHA_A "\" --hash='sha256:" SHA_B "'",
			"a==1 @lin,win hashes=2\n" },
		{ "a==1\t" HASH_A, "a==1 @lin,win hashes=1\n" },
		{ "a==1 --hash=sha512:00 " HASH_A, "a==1 @lin,win hashes=1\n" },
		{ "A.b[X,y]==1.0+CU130", "a-b[x,y]==1.0+cu130 @lin,win\n" },
		{ "a==1 ;", "a==1 @lin,win\n" },
		{ "a (==1)", "a==1 @lin,win\n" },
		{ "a===1.0", "a==1.0 @lin,win\n" },
		{ "a==1,!=2,>0", "a==1 @lin,win\n" },
		{ "a", "a @lin,win\n" },
		{ "A [x] >= 2, <3", "a[x]<3,>=2 @lin,win\n" },
		{ "a==1.*", "a==1.* @lin,win\n" },
	};
	struct folder f;

	folder_open(&f);
	for (size_t i = 0; i < ROWS(rows); i++) {
		check_requirements(&f, rows[i].text, rows[i].want);
	}
	folder_close(&f);
}

UNIT(requirements_evaluates_markers_for_each_target)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ "a==1 ; sys_platform == 'win32'", "a==1 @win\n" },
		{ "a==1; sys_platform == \"linux\"", "a==1 @lin\n" },
		{ "a==1;python_full_version>='3.12.4'", "a==1 @lin\n" },
		{ "a==1 ; python_version < '3.12'\na==2 ; python_version >= '3.12'",
			"a==1 @win\na==2 @lin\n" },
		{ "a==1 ; os_name == 'java'", "" },
		{ "a==1 ; extra == 'x'", "" },
		/* What no target needs may be anything. */
		{ "x @ git+https://h/x ; os_name == 'java'", "" },
		{ "x>=2 ; os_name == 'java'", "" },
		{ "a>=1 ; os_name == 'nt'\na<3\na[x]!=2",
			"a>=1 @win\na<3 @lin,win\na[x]!=2 @lin,win\n" },
		{ "a\na==1", "a @lin,win\na==1 @lin,win\n" },
		{ "a==1\na==1", "a==1 @lin,win\n" },
		{ "a==1 ; os_name == 'nt'\na==1.0", "a==1 @win\na==1.0 @lin\n" },
		{ "a==1\na[x]==1", "a==1 @lin,win\na[x]==1 @lin,win\n" },
	};
	struct folder f;

	folder_open(&f);
	for (size_t i = 0; i < ROWS(rows); i++) {
		check_requirements(&f, rows[i].text, rows[i].want);
	}
	folder_close(&f);
}

static const struct requirements_refusal lines_refused[] = {
	{ "a==1 " HASH_A "\n  b>=2 " HASH_B "\n", RC_INVALID,
		"line 2, column 3: b>=2 leaves the version open, and hashes are required", "b==" },
	{ "--require-hashes\na", RC_INVALID, "line 2, column 1: a leaves the version open", "a==" },
	{ "a==1.* " HASH_A, RC_INVALID, "line 1, column 1: a==1.* leaves the version open", NULL },
	{ "a==1,==2", RC_INVALID, "line 1, column 1: a==1,==2 contradicts itself", NULL },
	{ "a=1", RC_SYNTAX, "line 1, column 1: requirement \"a=1\"", "name==version" },
	{ "a==1 \\ \n  " HASH_A, RC_SYNTAX, "line 1, column 6: a back-slash that is not the last",
		"white space" },
	{ "a==1\n\xC3\xA9\xFF", RC_SYNTAX, "line 2, column 2: the file is not UTF-8", "UTF-8" },
	{ "a==1\n\x01", RC_SYNTAX, "line 2, column 1: a control character", NULL },
	{ "\xFF\xFE"
	  "a",
		RC_SYNTAX, "line 1, column 1: the file is in UTF-16", "UTF-8" },
	{ "a==1 --hash=sha256:12", RC_INVALID, "line 1, column 6: ", NULL },
	{ "a==1 \\\n  --hash=12", RC_INVALID, "line 2, column 3: --hash=12: an algorithm", NULL },
	{ "a==1 --hash=sha512:00", RC_INVALID,
		"line 1, column 1: a==1 has a hash by sha512, and none by sha256", "sha256" },
	{ "a==1 --hash=md5:00", RC_INVALID, "line 1, column 1: a==1 has a hash by md5", NULL },
	{ HASH_A, RC_SYNTAX, "line 1, column 1: --hash without a requirement", "back-slash" },
	{ "a==1 \\\n# b\n" HASH_A, RC_SYNTAX, "line 3, column 1: --hash without", NULL },
	{ "a==1 " HASH_A " ; os_name == 'nt'", RC_SYNTAX,
		"line 1, column 85: \";\" stands behind options", "marker" },
	{ "a==1 ; os_nam == 'nt'", RC_SYNTAX, "line 1, column 1: ", NULL },
	{ "a==1 --frobnicate=1", RC_SYNTAX, "line 1, column 6: no option \"--frobnicate\"",
		"gpkg-lock(5)" },
	{ "-x", RC_SYNTAX, "line 1, column 1: no option \"-x\"", NULL },
	{ "-", RC_SYNTAX, "line 1, column 1: no option \"-\"", NULL },
	{ "--re x", RC_SYNTAX, "line 1, column 1: no option \"--re\"", NULL },
	{ "--no-index=1", RC_SYNTAX, "line 1, column 1: --no-index takes no value", NULL },
	{ "-r", RC_SYNTAX, "line 1, column 1: --requirement needs a value", NULL },
	{ "--hash=", RC_SYNTAX, "line 1, column 1: --hash needs a value", NULL },
	{ "-f 'x", RC_SYNTAX, "line 1, column 4: a quote that is not closed", NULL },
	{ "a==1 -i https://h/simple", RC_SYNTAX,
		"line 1, column 6: --index-url stands behind a requirement", "line of its own" },
	{ "-f a -f b", RC_SYNTAX, "line 1, column 1: --find-links shares its line", "pip" },
	{ "-r a.txt --no-index", RC_SYNTAX, "line 1, column 1: --requirement shares its line",
		NULL },
	{ "-e .", RC_UNSUPPORTED, "line 1, column 1: -e .: a project to be edited in place",
		"uv export" },
	{ "--editable=git+https://u:secret@h/x", RC_UNSUPPORTED,
		"line 1, column 1: -e git+https://***@h/x: ", "wheel" },
	{ "a==1\na==2", RC_INVALID,
		"line 2, column 1: a==2 contradicts a==1 (line 1) for the target lin", NULL },
	{ "a==1 ; os_name == 'nt'\nA==2", RC_INVALID,
		"line 2, column 1: A==2 contradicts a==1 ; os_name == 'nt' (line 1) for "
		"the target win",
		NULL },
	{ "a==1\na>=2", RC_INVALID,
		"line 2, column 1: a>=2 contradicts a==1 (line 1) for the target lin", NULL },
	{ "a>=2 ; os_name == 'nt'\na==1", RC_INVALID,
		"line 1, column 1: a>=2 ; os_name == 'nt' contradicts a==1 (line 2) for the "
		"target win",
		NULL },
	{ "a==1 " HASH_A "\na==1 " HASH_B, RC_INVALID,
		"line 2, column 1: a==1 contradicts a==1 (line 1)", NULL },
};

UNIT(requirements_refuses_lines)
{
	check_requirements_refusals(lines_refused, ROWS(lines_refused));
}

/* ---- files by URL and by path ---- */

UNIT(requirements_reads_urls_and_paths)
{
#define WHEEL "a_b-1.0%2Bcu130-cp312-cp312-linux_x86_64.whl"
#define FILE_NAME "a_b-1.0+cu130-cp312-cp312-linux_x86_64.whl"
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ "a.b @ https://h/" WHEEL " ; sys_platform == 'linux' \\\n " HASH_A,
			"a-b==1.0 @lin file=" FILE_NAME " sha hashes=1\n" },
		{ "a-b[x] @ https://h/" WHEEL "#sha256=" SHA_A,
			"a-b[x]==1.0 @lin,win file=" FILE_NAME " sha hashes=1\n" },
		{ "a-b@https://h/" WHEEL "?q=1#egg=a-b&sha256=" SHA_A,
			"a-b==1.0 @lin,win file=" FILE_NAME " sha hashes=1\n" },
		{ "https://h/" WHEEL " " HASH_A " " HASH_B,
			"a-b==1.0 @lin,win file=" FILE_NAME " hashes=2\n" },
		{ "https://h/" WHEEL "#sha256=" SHA_A " " HASH_A " " HASH_B,
			"a-b==1.0 @lin,win file=" FILE_NAME " sha hashes=1\n" },
		{ "https://h/" WHEEL " ; os_name == 'nt'", "a-b==1.0 @win file=" FILE_NAME "\n" },
		{ "./v/a-1.tar.gz; os_name == 'nt'", "a==1 @win file=a-1.tar.gz\n" },
		{ "v/../a-b-2.zip", "a-b==2 @lin,win file=a-b-2.zip\n" },
		{ "a-1-py3-none-any.whl[x]", "a[x]==1 @lin,win file=a-1-py3-none-any.whl\n" },
		{ "/x y/a-1-py3-none-any.whl", "a==1 @lin,win file=a-1-py3-none-any.whl\n" },
		{ "a @ ./a-1-py3-none-any.whl", "a==1 @lin,win file=a-1-py3-none-any.whl\n" },
		{ "a @ file:///v/a-1-py3-none-any.whl#sha256=" SHA_A,
			"a==1 @lin,win file=a-1-py3-none-any.whl sha hashes=1\n" },
		{ "a @ file://localhost/v/a-1-py3-none-any.whl",
			"a==1 @lin,win file=a-1-py3-none-any.whl\n" },
	};
	struct folder f;

	folder_open(&f);
	for (size_t i = 0; i < ROWS(rows); i++) {
		check_requirements(&f, rows[i].text, rows[i].want);
	}
	folder_close(&f);
}

UNIT(requirements_makes_absolute_urls)
{
	struct lock l = LOCK_INIT;
	struct err e = ERR_INIT;
	struct folder f;

	folder_open(&f);
	ck_assert_int_eq(
		folder_read(&f, STR("./v v/../w/a-1+c-py3-none-any.whl\n/x/b-1.zip\n"), &l, &e), 0);
	ck_assert_uint_eq(l.npackages, 2);
	const char *want = arena_printf(&f.arena, "file://%s/w/a-1%%2Bc-py3-none-any.whl", f.path);
	ck_assert_msg(str_is(l.packages[0].files[0].url, want), "%s", l.packages[0].files[0].url.p);
	ck_assert(str_is(l.packages[1].files[0].url, "file:///x/b-1.zip"));
	lock_release(&l);
	folder_close(&f);
}

UNIT(requirements_refuses_what_is_no_file)
{
	static const struct requirements_refusal rows[] = {
		{ "./dir", RC_UNSUPPORTED, "line 1, column 1: ./dir: is a folder, not a file",
			"wheel" },
		{ ".", RC_UNSUPPORTED, "line 1, column 1: .: is a folder", NULL },
		{ "a @ file:///srv/dir", RC_UNSUPPORTED,
			"line 1, column 1: a @ file:///srv/dir: is a folder", NULL },
		{ "a==1\nx @ git+https://u:secret@h/x@v1 ; os_name == 'nt'", RC_UNSUPPORTED,
			"line 2, column 1: x @ git+https://***@h/x@v1 ; os_name == 'nt': is in "
			"version control",
			"uv export" },
		{ "git+ssh://git@h/x", RC_UNSUPPORTED,
			"line 1, column 1: git+ssh://***@h/x: is in version", NULL },
		{ "x @ https://h/x-1.zip#subdirectory=d", RC_UNSUPPORTED,
			"line 1, column 1: x @ https://h/x-1.zip#subdirectory=d: is a project in a "
			"folder of an archive",
			NULL },
		{ "../a-1.zip", RC_INVALID,
			"line 1, column 1: the path \"../a-1.zip\" leaves the folder", NULL },
		{ "v/../../a-1.zip", RC_INVALID,
			"line 1, column 1: the path \"v/../../a-1.zip\" leaves", NULL },
		{ "x @ https://h/a-1-py3-none-any.whl", RC_INVALID,
			"line 1, column 1: the file a-1-py3-none-any.whl is of a, not of x", NULL },
		{ "https://h/a-1-py3-none.whl", RC_INVALID, "line 1, column 1: ", NULL },
		{ "https://h/main.zip", RC_INVALID, "line 1, column 1: ", NULL },
		{ "ftp://u:secret@h/a-1.zip", RC_INVALID,
			"line 1, column 1: \"ftp://***@h/a-1.zip\" is not a URL", NULL },
		{ "a @ https://h/a-1.zip#md5=00", RC_INVALID,
			"line 1, column 1: a @ https://h/a-1.zip#md5=00 has a hash by md5",
			"sha256" },
		{ "a @ https://h/a-1.zip#sha256=00", RC_INVALID, "line 1, column 1: ", NULL },
		{ "a @ https://h/a-1.zip#sha256=" SHA_A " " HASH_B, RC_INVALID,
			"line 1, column 1: the hash behind the URL's '#'", NULL },
		{ "a @ https://u:secret@h/a-1.zip and", RC_SYNTAX,
			"line 1, column 1: not a requirement with a URL", NULL },
		{ "a @ https://h/a-1.zip\na==1", RC_INVALID,
			"line 2, column 1: a==1 contradicts a @ https://h/a-1.zip (line 1)", NULL },
	};

	check_requirements_refusals(rows, ROWS(rows));
}

/* ---- hashes for all or none ---- */

UNIT(requirements_needs_hashes_for_all_or_none)
{
	static const struct requirements_refusal rows[] = {
		{ "a==1\nb==1 " HASH_A, RC_INVALID,
			"line 1, column 1: a==1 has no --hash, and b==1 (line 2) has one",
			"--no-require-hashes" },
		{ "--require-hashes\na==1", RC_INVALID,
			"line 2, column 1: a==1 has no --hash, and --require-hashes", NULL },
	};
	struct folder f;

	check_requirements_refusals(rows, ROWS(rows));
	folder_open(&f);
	check_requirements(&f, "--no-require-hashes\na==1\nb==1 " HASH_A,
		"a==1 @lin,win\nb==1 @lin,win hashes=1\n");
	/* A fragment's hash counts, and asks nothing of others. */
	check_requirements(&f, "a==1\nb @ file:///b-1.zip#sha256=" SHA_A,
		"a==1 @lin,win\nb==1 @lin,win file=b-1.zip sha hashes=1\n");
	check_requirements(&f, "a==1 " HASH_A "\nb @ file:///b-1.zip#sha256=" SHA_A,
		"a==1 @lin,win hashes=1\nb==1 @lin,win file=b-1.zip sha hashes=1\n");
	check_requirements(&f, "--no-require-hashes\na>=1 " HASH_A "\nb",
		"a>=1 @lin,win hashes=1\nb @lin,win\n");
	check_requirements(
		&f, "a==1 " HASH_A "\nb==1 ; os_name == 'java'", "a==1 @lin,win hashes=1\n");
	folder_close(&f);
}

/* Hash mode is what makes a requirements file a whole one. */
UNIT(requirements_are_closed_by_hashes)
{
	static const struct {
		const char *text;
		bool is_closed;
	} rows[] = { { "a==1", false }, { "a==1 " HASH_A, true }, { "--require-hashes", true },
		{ "--no-require-hashes\na==1 " HASH_A, false },
		{ "a @ file:///a-1.zip#sha256=" SHA_A, false } };
	struct folder f;

	folder_open(&f);
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct lock l = LOCK_INIT;
		struct err e = ERR_INIT;

		ck_assert_msg(folder_read(&f, str_of(rows[i].text), &l, &e) == 0, "%s", e.text);
		ck_assert_msg(l.is_closed == rows[i].is_closed, "%s", rows[i].text);
		lock_release(&l);
	}
	folder_close(&f);
}

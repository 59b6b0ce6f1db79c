/* pylock.toml; tests/e2e/lock_corpus_pylock.py reads real ones. */
#include "manifests/base/mem.h"
#include "manifests/base/uri.h"
#include "manifests/lock.h"
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

#define SHA "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define HASHES "hashes = { sha256 = \"" SHA "\" }"
#define HEAD "lock-version = \"1.0\"\ncreated-by = \"us\"\n" /* lines 1 and 2 */
#define NONE HEAD "packages = []\n"
#define PACKAGE(name, version) "[[packages]]\nname = \"" name "\"\nversion = \"" version "\"\n"
#define WHEELS(url) "wheels = [{ url = \"" url "\", " HASHES " }]\n"
#define A_URL "https://h/x/a-1.0-py3-none-any.whl"
#define A HEAD PACKAGE("a", "1.0") /* lines 3 to 5; what follows is line 6 */

#define LINUX                                                                                    \
	"[[target]]\nname = \"lin\"\npython = \"3.12.4\"\nplatform = \"linux_x86_64\"\nglibc = " \
	"\"2.28\"\n"
#define WINDOWS "[[target]]\nname = \"win\"\npython = \"3.13\"\nplatform = \"win_amd64\"\n"

/* Reads `text` as path "p.toml" in this folder, for the targets of a file that has them alone. */
static int parse_for(const char *targets, const char *text, const struct lock_options *given,
	struct lock *l, struct err *e)
{
	char path[64];
	int fd = memfd_create("targets", MFD_CLOEXEC);
	struct lock_options options = given ? *given : (struct lock_options){ .extra = NULL };

	ck_assert_int_ge(fd, 0);
	ck_assert(dprintf(fd, "lock-version = 1\n%s", targets) > 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	options.targets_file = path;
	int r = lock_parse(str_of(text), "p.toml", &options, l, e);
	close(fd);
	return r;
}

static void read_for(
	const char *targets, const char *text, const struct lock_options *options, struct lock *l)
{
	struct err e = ERR_INIT;

	ck_assert_msg(parse_for(targets, text, options, l, &e) == 0, "%s", e.text);
}

/* "name==version@target,target;..." in order. */
static void check_rows(const struct lock *l, const char *want)
{
	CLEANUP_BUF struct buf have = BUF_INIT;

	buf_adds(&have, "");
	for (size_t i = 0; i < l->npackages; i++) {
		const struct lock_package *p = &l->packages[i];

		buf_addf(&have, "%s%.*s@", i ? ";" : "", STR_ARG(p->req.raw));
		for (size_t t = 0; t < p->ntargets; t++) {
			buf_addf(&have, "%s%.*s", t ? "," : "", STR_ARG(p->targets[t]));
		}
	}
	ck_assert_str_eq(have.p, want);
}

UNIT(lock_pylock_reads_files)
{
	static const char text[] = HEAD
		"requires-python = \">=3.10\"\n[[packages]]\nname = \"Torch_X\"\n"
		"version = \"2.11.0+CU130\"\nindex = \"https://h/simple\"\n"
		"dependencies = [{ name = \"b\" }]\n"
		"wheels = [\n"
		"{ url = \"https://h/torch_x-2.11.0%2Bcu130-cp312-cp312-win_amd64.whl\", "
		"size = 7, upload-time = 2026-01-02T03:04:05Z, " HASHES " },\n"
		"{ path = \"./w/../v x/torch_x-2.11.0+cu130-cp39-abi3-linux_ppc64le.whl\", " HASHES
		" },\n"
		"{ name = \"torch_x-2.11.0+cu130-1-py3-none-any.whl\", "
		"url = \"https://h/get?id=1\", path = \"blobs/0a\", hashes = { md5 = \"x\", sha256 "
		"= \"" SHA "\" } },\n"
		"]\n[packages.sdist]\nurl = \"file:///srv/torch_x-2.11.0+cu130.tar.gz\"\n"
		"size = 0\n[packages.sdist.hashes]\nsha256 = \"" SHA
		"\"\n[packages.tool.us]\nx = 1\n[tool.us]\ny = 2\n";
	static const char *const files[] = { "torch_x-2.11.0+cu130-cp312-cp312-win_amd64.whl",
		"torch_x-2.11.0+cu130-cp39-abi3-linux_ppc64le.whl",
		"torch_x-2.11.0+cu130-1-py3-none-any.whl", "torch_x-2.11.0+cu130.tar.gz" };
	struct lock l = LOCK_INIT;
	CLEANUP_BUF struct buf copy = BUF_INIT;

	buf_adds(&copy, text);
	read_for(LINUX WINDOWS, copy.p, NULL, &l);
	memset(copy.p, '#', copy.n); /* the lock owns all that it points to */
	ck_assert(l.kind == LOCK_PYLOCK && l.ntargets == 2);
	check_rows(&l, "torch-x==2.11.0+cu130@lin,win");
	const struct lock_package *p = &l.packages[0];
	ck_assert(p->line == 4 && p->url.n == 0 && p->nhashes == 0 && !p->req.marker);
	ck_assert_uint_eq(p->nfiles, ROWS(files));
	for (size_t i = 0; i < ROWS(files); i++) {
		ck_assert_msg(str_is(p->files[i].file, files[i]), "%s", p->files[i].file.p);
		ck_assert(p->files[i].has_sha256 && p->files[i].sha256.b[1] == 0x11);
	}
	ck_assert(p->files[0].has_size && p->files[0].size == 7 && p->files[0].line == 10);
	ck_assert(!p->files[1].has_size && p->files[3].has_size && p->files[3].size == 0);
	lock_release(&l);
}

UNIT(lock_pylock_paths_count_from_the_lock)
{
	static const char text[] =
		A "wheels = [{ path = \"./w/../v x/a-1.0-py3-none-any.whl\", " HASHES " }]\n";
	CLEANUP_BUF struct buf want = BUF_INIT;
	CLEANUP(free) char *here = realpath(".", NULL);
	struct lock l = LOCK_INIT;

	read_for(LINUX, text, NULL, &l);
	buf_addf(&want, "file://%s/v x/a-1.0-py3-none-any.whl", here);
	ck_assert_str_eq(uri_decode(&l.arena, l.packages[0].files[0].url), want.p);
	ck_assert(str_has(l.packages[0].files[0].url, "/v%20x/"));
	lock_release(&l);
}

UNIT(lock_pylock_chooses_by_marker)
{
	static const char text[] = HEAD PACKAGE("a", "1.0") WHEELS(A_URL)
		PACKAGE("b", "1") "marker = \"sys_platform == 'win32'\"\n" WHEELS(
			"https://h/b-1-py3-none-any.whl") PACKAGE("c",
			"1") "marker = \"python_version < '3'\"\n"
			     "requires-python = \"<3\"\n" WHEELS("https://h/c-1-py3-none-any.whl")
				     PACKAGE("d", "1") "marker = \"python_full_version < "
						       "'3.13'\"\n" WHEELS("https://h/"
									   "d-1-py3-none-any.whl")
							       PACKAGE("d",
								       "2") "marker = "
									    "\"python_full_version "
									    ">= '3.13'\"\n" WHEELS(
										    "https://h/"
										    "d-2-cp310-"
										    "cp310-linux_"
										    "x86_64.whl")
		/* Nobody needs it: that it cannot be carried does not matter. */
		"[[packages]]\nname = \"e\"\nmarker = \"os_name == 'java'\"\n"
		"directory = { path = \"e\" }\n";
	struct lock l = LOCK_INIT;

	read_for(LINUX WINDOWS, text, NULL, &l);
	check_rows(&l, "a==1.0@lin,win;b==1@win;d==1@lin;d==2@win");
	ck_assert_uint_eq(l.packages[3].nfiles, 1); /* fits nowhere: a hole for who resolves */
	lock_release(&l);
}

UNIT(lock_pylock_chooses_extras_and_groups)
{
	static const char text[] = HEAD
		"extras = [\"fast\", \"Big_One\"]\ndependency-groups = [\"dev\"]\n"
		"default-groups = [\"default\"]\n" PACKAGE(
			"a", "1.0") "marker = \"'default' in dependency_groups\"\n" WHEELS(A_URL)
			PACKAGE("b", "1") "marker = \"'fast' in extras or 'dev' in "
					  "dependency_groups\"\n" WHEELS(
						  "https://h/"
						  "b-1-py3-none-any.whl") PACKAGE("c",
						  "1") "marker = \"'big.one' in "
						       "extras\"\n" WHEELS("https://h/"
									   "c-1-py3-none-any."
									   "whl") PACKAGE("d",
							       "1") "marker = \"'fast' not in "
								    "extras\"\n" WHEELS("https:/"
											"/h/"
											"d-1-"
											"py3-"
											"none-"
											"any."
											"whl");
	static const struct str fast[] = { { "fast", 4 } }, big[] = { { "big-one", 7 } };
	static const struct str dev[] = { { "dev", 3 } },
				both[] = { { "dev", 3 }, { "default", 7 } };
	static const struct {
		struct lock_options options;
		const char *want;
	} rows[] = {
		{ { .nextras = 0 }, "a==1.0@lin;d==1@lin" },
		{ { .extras = fast, .nextras = 1 }, "a==1.0@lin;b==1@lin" },
		{ { .extras = big, .nextras = 1 }, "a==1.0@lin;c==1@lin;d==1@lin" },
		{ { .groups = dev, .ngroups = 1 }, "a==1.0@lin;b==1@lin;d==1@lin" },
		{ { .groups = dev, .ngroups = 1, .no_default_groups = true }, "b==1@lin;d==1@lin" },
		{ { .groups = both, .ngroups = 2, .no_default_groups = true },
			"a==1.0@lin;b==1@lin;d==1@lin" },
		{ { .no_default_groups = true }, "d==1@lin" },
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct lock l = LOCK_INIT;

		read_for(LINUX, text, &rows[i].options, &l);
		check_rows(&l, rows[i].want);
		lock_release(&l);
	}
}

UNIT(lock_pylock_names_the_extras_that_there_are)
{
	static const struct str asked[] = { { "fats", 4 } };
	static const struct lock_options extra = { .extras = asked, .nextras = 1 };
	static const struct lock_options group = { .groups = asked, .ngroups = 1 };
	static const struct {
		const char *text;
		const struct lock_options *options;
		const char *message;
	} rows[] = {
		{ NONE "extras = [\"fast\", \"x\"]\n", &extra,
			"p.toml: line 4, column 10: there is no extra \"fats\"; there are fast, "
			"x" },
		{ NONE, &extra,
			"p.toml: line 1, column 1: there is no extra \"fats\": the lock has none" },
		{ NONE "dependency-groups = [\"dev\"]\ndefault-groups = [\"main\"]\n", &group,
			"p.toml: line 4, column 21: there is no dependency group \"fats\"; there "
			"are dev, "
			"main" },
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct lock l = LOCK_INIT;
		struct err e = ERR_INIT;

		ck_assert_int_eq(
			parse_for(LINUX, rows[i].text, rows[i].options, &l, &e), -(int)RC_USAGE);
		ck_assert_str_eq(e.text, rows[i].message);
	}
}

UNIT(lock_pylock_reads_archives)
{
	static const char text[] =
		HEAD "[[packages]]\nname = \"a\"\n[packages.archive]\n"
		     "path = \"v/a-1.0+cu13-py3-none-any.whl\"\nsize = 3\n" HASHES "\n"
		     "[[packages]]\nname = \"b\"\nversion = \"2\"\n[packages.archive]\n"
		     "url = \"https://h/b-2.0.tar.gz?x=y\"\n" HASHES "\n";
	struct lock l = LOCK_INIT;

	read_for(LINUX, text, NULL, &l);
	check_rows(
		&l, "a==1.0@lin;b==2@lin"); /* METADATA may lack what only the file's name says */
	ck_assert(l.packages[0].nfiles == 1 && l.packages[0].files[0].size == 3);
	ck_assert(str_is(l.packages[1].files[0].file, "b-2.0.tar.gz"));
	lock_release(&l);
}

UNIT(lock_pylock_keeps_the_rows_of_the_targets_file)
{
	static const char targets[] = LINUX
		"[[package]]\nname = \"setuptools\"\nversion = \"==80.9.0\"\nuse = \"build\"\n"
		"[waive]\na = \"why\"\n";
	struct lock l = LOCK_INIT;
	struct err e = ERR_INIT;

	read_for(targets, A WHEELS(A_URL), NULL, &l);
	check_rows(&l, "setuptools==80.9.0@;a==1.0@lin");
	ck_assert(l.packages[0].use == LOCK_BUILD && l.nwaivers == 1);
	lock_release(&l);
	ck_assert_int_eq(lock_parse(STR(NONE), "p.toml", NULL, &l, &e), -(int)RC_USAGE);
	ck_assert_msg(strstr(e.hint, "--targets") != NULL, "%s", e.hint);
}

/* A later 1.x may say more, and what is known still counts. */
UNIT(lock_pylock_accepts_a_newer_minor_version)
{
	static const char text[] = "lock-version = \"1.7\"\ncreated-by = \"us\"\nnew = 1\n"
				   "[[packages]]\nname = \"a\"\nversion = \"1.0\"\nnew = 1\n"
				   "wheels = [{ new = 1, url = \"" A_URL "\", " HASHES " }]\n";
	struct lock l = LOCK_INIT;

	read_for(LINUX, text, NULL, &l);
	check_rows(&l, "a==1.0@lin");
	lock_release(&l);
}

/* Old sdists of forms that nothing opens do not count where there are wheels. */
UNIT(lock_pylock_passes_over_old_sdists)
{
	static const char text[] =
		A "sdist = { url = \"https://h/a-1.0.tar.bz2\", " HASHES " }\n" WHEELS(A_URL);
	struct lock l = LOCK_INIT;

	read_for(LINUX, text, NULL, &l);
	ck_assert(l.npackages == 1 && l.packages[0].nfiles == 1);
	lock_release(&l);
}

#define ENVIRONMENTS(text) HEAD "environments = [" text "]\npackages = []\n"

UNIT(lock_pylock_holds_for_environments)
{
	static const char *const rows[] = {
		ENVIRONMENTS(""),
		ENVIRONMENTS("\"sys_platform == 'win32'\", \"sys_platform == 'linux'\""),
		HEAD "requires-python = \"~=3.12, !=3.12.3\"\npackages = []\n",
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct lock l = LOCK_INIT;

		read_for(LINUX WINDOWS, rows[i], NULL, &l);
		ck_assert(l.ntargets == 2 && l.npackages == 0);
		lock_release(&l);
	}
}

static const struct {
	const char *text;
	enum rc rc;
	const char *message, *hint;
} refused[] = {
	/* the head */
	{ "lock-version = \"2.0\"\ncreated-by = \"us\"\npackages = []\n", RC_UNSUPPORTED,
		"line 1, column 16: a pylock.toml of lock-version 2.0; this version of the program "
		"reads 1.x",
		"uv export" },
	{ "lock-version = \"1\"\ncreated-by = \"us\"\n", RC_SYNTAX,
		"line 1, column 16: lock-version is \"1.0\", not \"1\"", NULL },
	{ "lock-version = \"1.x\"\ncreated-by = \"us\"\n", RC_SYNTAX, "line 1, column 16: ", NULL },
	{ "lock-version = 1.0\ncreated-by = \"us\"\n", RC_SYNTAX,
		"line 1, column 16: \"lock-version\" is a float", "quotes" },
	{ "created-by = \"us\"\npackages = []\n", RC_SYNTAX,
		"line 1, column 1: the key \"lock-version\" is missing", NULL },
	{ "lock-version = \"1.0\"\npackages = []\n", RC_SYNTAX,
		"line 1, column 1: the key \"created-by\" is missing", NULL },
	{ HEAD, RC_SYNTAX, "line 1, column 1: the key \"packages\" is missing", NULL },
	{ HEAD "packages = {}\n", RC_SYNTAX, "line 3, column 12: ", "[[packages]]" },
	{ NONE "extra = []\n", RC_SYNTAX,
		"line 4, column 1: unknown key \"extra\"; did you mean \"extras\"?",
		"default-groups" },
	{ NONE "extras = [\"-\"]\n", RC_INVALID, "line 4, column 10: \"-\" is no name for extras",
		NULL },
	/* targets */
	{ NONE "requires-python = \">=3.13\"\n", RC_INVALID,
		"line 4, column 19: the lock requires Python >=3.13, the target lin has 3.12.4",
		"leave the target out" },
	{ NONE "requires-python = \"3\"\n", RC_INVALID, "line 4, column 19: ", NULL },
	{ ENVIRONMENTS("\"sys_platform == 'win32'\""), RC_INVALID,
		"line 3, column 16: the lock is not for the target lin: none of its environments",
		"leave the target out" },
	{ ENVIRONMENTS("\"sys_platform\""), RC_SYNTAX, "line 3, column 17: ", NULL },
	{ ENVIRONMENTS("1"), RC_SYNTAX, "line 3, column 17: ", NULL },
	/* packages */
	{ HEAD "[[packages]]\nversion = \"1\"\n", RC_SYNTAX,
		"line 3, column 3: the key \"name\" is missing", NULL },
	{ HEAD PACKAGE("a!", "1"), RC_INVALID, "line 4, column 8: \"a!\" is not a project's name",
		NULL },
	{ HEAD PACKAGE("a", "x"), RC_INVALID, "line 5, column 11: ", NULL },
	{ A "markers = \"x\"\n", RC_SYNTAX,
		"line 6, column 1: unknown key \"markers\" in \"packages\"; did you mean \"m",
		NULL },
	{ A "marker = 1\n", RC_SYNTAX, "line 6, column 10: a marker is a string", NULL },
	{ A "marker = \"a b\"\n", RC_SYNTAX, "line 6, column 10: ", NULL },
	{ A "marker = \"extra == 'x'\"\n", RC_INVALID, "line 6, column 10: \"extra\" has no value",
		"in extras" },
	{ A "marker = \"platform_release > '1'\"\n" WHEELS(A_URL), RC_INVALID,
		"line 6, column 10: ", NULL },
	{ A "requires-python = \">=3.13\"\n" WHEELS(A_URL), RC_INVALID,
		"line 6, column 19: a requires Python >=3.13, the target lin has 3.12.4", NULL },
	{ A "requires-python = \"x\"\n" WHEELS(A_URL), RC_INVALID, "line 6, column 19: ", NULL },
	/* sources */
	{ A, RC_SYNTAX, "line 3, column 3: a does not say where", "vcs" },
	{ A "wheels = []\n", RC_SYNTAX, "line 3, column 3: a does not say where", NULL },
	{ A "wheels = {}\n", RC_SYNTAX, "line 6, column 10: ", NULL },
	{ A "directory = { path = \"a\" }\n" WHEELS(A_URL), RC_SYNTAX,
		"line 3, column 3: a has more than one source: directory, wheels or sdist", NULL },
	{ A "directory = { path = \"a\" }\nvcs = {}\n", RC_SYNTAX,
		"line 3, column 3: a has more than one source: vcs, directory", NULL },
	{ A "vcs = { type = \"git\", url = \"https://u:p@h/r\", commit-id = \"f0\" }\n",
		RC_UNSUPPORTED,
		"line 3, column 3: a is a git repository (https://***@h/r, commit f0), which a "
		"bundle cannot carry; the target lin needs it",
		"build a wheel of it" },
	{ A "vcs = { type = \"git\", commit-id = \"f0\" }\n", RC_SYNTAX,
		"line 6, column 7: ", NULL },
	{ A "vcs = { type = \"git\", url = \"x\" }\n", RC_SYNTAX,
		"line 6, column 7: the key \"commit-id\" is missing", NULL },
	{ A "directory = { path = \"../a\", editable = true }\n", RC_UNSUPPORTED,
		"line 3, column 3: a is the editable folder \"../a\", which",
		"build a wheel of it" },
	{ A "directory = {}\n", RC_SYNTAX, "line 6, column 13: the key \"path\" is missing", NULL },
	{ A "archive = { url = \"https://h/v1.0.zip\", " HASHES " }\n", RC_UNSUPPORTED,
		"line 3, column 3: a is the archive v1.0.zip, which has not the name", NULL },
	{ A "archive = { url = \"https://h/a-1.0.zip\", subdirectory = \"s\", " HASHES " }\n",
		RC_UNSUPPORTED, "line 3, column 3: a is the folder s of a-1.0.zip", NULL },
	{ A "archive = { url = \"https://h/b-1.0-py3-none-any.whl\", " HASHES " }\n", RC_INVALID,
		"column 19: the file b-1.0-py3-none-any.whl is of b, not of a", NULL },
	{ A "archive = { name = \"x\", url = \"https://h/a-1.0.zip\", " HASHES " }\n", RC_SYNTAX,
		"line 6, column 13: unknown key \"name\" in \"archive\"", NULL },
	{ A "sdist = { url = \"https://h/a-1.0.tgz\", " HASHES " }\n", RC_UNSUPPORTED,
		"line 3, column 3: a is the sdist a-1.0.tgz, neither .tar.gz nor .zip", NULL },
	{ A "sdist = { url = \"https://h/b-1.0.zip\", " HASHES " }\n", RC_INVALID,
		"line 6, column 17: ", NULL },
	/* files */
	{ A "wheels = [{ " HASHES " }]\n", RC_SYNTAX,
		"line 6, column 11: a file with neither url nor path", NULL },
	{ A WHEELS("ftp://h/a-1.0-py3-none-any.whl"), RC_INVALID,
		"line 6, column 19: ", "https://" },
	{ A WHEELS("https://h/a-1.0%"), RC_INVALID, "line 6, column 19: ", NULL },
	{ A WHEELS("https://h/a-1.0.tar.gz"), RC_INVALID,
		"line 6, column 19: \"a-1.0.tar.gz\" is not a wheel's file name", NULL },
	{ A WHEELS("https://h/a-1.0-none-any.whl"), RC_INVALID, "line 6, column 19: ", NULL },
	{ A WHEELS("https://h/b-1.0-py3-none-any.whl"), RC_INVALID,
		"column 19: the file b-1.0-py3-none-any.whl is of b, not of a", NULL },
	{ A WHEELS("https://h/a-1.1-py3-none-any.whl"), RC_INVALID,
		"line 6, column 19: the file a-1.1-py3-none-any.whl is not of version 1.0", NULL },
	{ HEAD PACKAGE("a", "1.0+cpu") WHEELS("https://h/a-1.0%2Bcu130-py3-none-any.whl"),
		RC_INVALID,
		"column 19: the file a-1.0+cu130-py3-none-any.whl is not of version 1.0+cpu",
		NULL },
	{ A "wheels = [{ name = \"../a-1.0-py3-none-any.whl\", url = \"" A_URL "\", " HASHES
	    " }]\n",
		RC_INVALID,
		"line 6, column 20: \"../a-1.0-py3-none-any.whl\" is not a safe file name", NULL },
	{ A WHEELS("https://h/..%2Fa-1.0-py3-none-any.whl"), RC_INVALID,
		"line 6, column 19: \"../a-1.0-py3-none-any.whl\" is not a safe file name", NULL },
	{ A "wheels = [{ url = \"" A_URL "\", size = -1, " HASHES " }]\n", RC_SYNTAX, "line 6, ",
		NULL },
	{ A "wheels = [{ url = \"" A_URL "\", size = 1099511627777, " HASHES " }]\n", RC_LIMIT,
		"line 6, ", NULL },
	{ A "wheels = [{ url = \"" A_URL "\" }]\n", RC_SYNTAX,
		"line 6, column 11: the file a-1.0-py3-none-any.whl has no hashes", "lock again" },
	{ A "wheels = [{ url = \"" A_URL "\", hashes = {} }]\n", RC_SYNTAX,
		"line 6, column 11: the file a-1.0-py3-none-any.whl has no hashes", NULL },
	{ A "wheels = [{ url = \"" A_URL "\", hashes = { md5 = \"0\", sha512 = \"1\" } }]\n",
		RC_UNSUPPORTED, "the file a-1.0-py3-none-any.whl has no sha256, only md5, sha512",
		"sha256" },
	{ A "wheels = [{ url = \"" A_URL "\", hashes = { sha256 = \"00\" } }]\n", RC_INVALID,
		"line 6, ", NULL },
	{ A "wheels = [{ url = \"" A_URL "\", hash = \"x\" }]\n", RC_SYNTAX,
		"unknown key \"hash\" in \"wheels\"; did you mean \"hashes\"?", NULL },
};

UNIT(lock_pylock_refuses_with_place_and_remedy)
{
	for (size_t i = 0; i < ROWS(refused); i++) {
		struct lock l = LOCK_INIT;
		struct err e = ERR_INIT;
		int r = parse_for(LINUX, refused[i].text, NULL, &l, &e);

		ck_assert_msg(r == -(int)refused[i].rc, "row %zu: %d %s", i, r, e.text);
		ck_assert_msg(
			str_starts(str_of(e.text), "p.toml: line "), "row %zu: %s", i, e.text);
		ck_assert_msg(strstr(e.text, refused[i].message) != NULL, "row %zu: %s", i, e.text);
		ck_assert_msg(!refused[i].hint || strstr(e.hint, refused[i].hint), "row %zu: %s", i,
			e.hint);
		ck_assert_ptr_null(l.arena.pages);
	}
}

UNIT(lock_pylock_stays_in_its_folder)
{
	static const char *const paths[] = { "../x/a-1.0-py3-none-any.whl", "..",
		"v/../../x/a-1.0-py3-none-any.whl", "/etc/a-1.0-py3-none-any.whl", "",
		"C:/a-1.0-py3-none-any.whl", "v\\\\a-1.0-py3-none-any.whl", "v/..", "v/",
		"v/\\u0000/a-1.0-py3-none-any.whl" };

	for (size_t i = 0; i < ROWS(paths); i++) {
		CLEANUP_BUF struct buf text = BUF_INIT;
		struct lock l = LOCK_INIT;
		struct err e = ERR_INIT;

		buf_addf(&text, A "wheels = [{ path = \"%s\", " HASHES " }]\n", paths[i]);
		ck_assert_msg(parse_for(LINUX, text.p, NULL, &l, &e) == -(int)RC_INVALID, "%s: %s",
			paths[i], e.text);
		ck_assert_msg(strstr(e.text, "p.toml: line 6, column 20: ") != NULL, "%s", e.text);
	}
}

UNIT(lock_pylock_refuses_one_package_twice)
{
	static const char text[] =
		A WHEELS(A_URL) PACKAGE("b", "1") WHEELS("https://h/b-1-py3-none-any.whl")
			PACKAGE("A", "1.0") "marker = \"sys_platform == 'win32'\"\n" WHEELS(A_URL);
	struct lock l = LOCK_INIT;
	struct err e = ERR_INIT;

	read_for(LINUX, text, NULL, &l);
	check_rows(&l, "a==1.0@lin;b==1@lin");
	lock_release(&l);
	ck_assert_int_eq(parse_for(LINUX WINDOWS, text, NULL, &l, &e), -(int)RC_INVALID);
	ck_assert_str_eq(e.text,
		"p.toml: line 11, column 3: a stands twice for the target win: here "
		"and in line 3");
}

UNIT(lock_pylock_says_what_a_missing_patch_level_counts_as)
{
	struct lock l = LOCK_INIT;
	struct err e = ERR_INIT;

	ck_assert_int_eq(parse_for(WINDOWS, NONE "requires-python = \">=3.13.1\"\n", NULL, &l, &e),
		-(int)RC_INVALID);
	ck_assert_msg(strstr(e.hint, "\"3.13\" counts as 3.13.0") != NULL, "%s", e.hint);
}

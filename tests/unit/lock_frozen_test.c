/* Frozen locks, as `resolve --write-lock` writes them. */
#include "manifests/lock.h"
#include "tests/unit/unit.h"

#include <string.h>

#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

#define SHA_A "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define SHA_B "ff112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define FILE_ROW(url) "[[file]]\nurl = \"" url "\"\nsha256 = \"" SHA_A "\"\nsize = 7\n"

static const char head[] =
	"lock-version = 1\nresolved-from = \"" SHA_B "\"\n"
	"[[target]]\nname = \"a\"\npython = \"3.12\"\nplatform = \"win_amd64\"\n"
	"[[target]]\nname = \"b\"\npython = \"3.12\"\nplatform = \"win_amd64\"\n"; /* 10 lines */

static const char rows_of_lock[] =
	"[[package]]\nname = \"torch\"\nversion = \"==2.8.0+cu128\"\nextras = [\"e\"]\n"
	"file = \"torch-2.8.0+cu128-cp312-cp312-win_amd64.whl\"\ntargets = [\"a\"]\n"
	"[[package]]\nname = \"s\"\nversion = \"==1\"\nfile = \"s-1.zip\"\ndependency = true\n"
	"build = [\"w-2-py3-none-any.whl\", \"torch-2.8.0+cu128-cp312-cp312-win_amd64.whl\"]\n"
	"targets = [\"a\"]\n"
	"[[package]]\nname = \"w\"\nversion = \"==1\"\nuse = \"build\"\n"
	"file = \"https://h/1/w-1-py3-none-any.whl\"\n"
	"[[package]]\nname = \"w\"\nversion = \"==2\"\nuse = \"build\"\n"
	"file = \"w-2-py3-none-any.whl\"\n"
	"[[package]]\nname = \"w\"\nversion = \"==1\"\nfile = "
	"\"https://h/2/w-1-py3-none-any.whl\"\n";

static const char files_of_lock[] = FILE_ROW(
	"https://h/torch-2.8.0%2Bcu128-cp312-cp312-win_amd64.whl") "promised-by = "
								   "\"index\""
								   "\n" FILE_ROW(
									   "htt"
									   "ps:"
									   "//"
									   "h/"
									   "s-"
									   "1."
									   "zi"
									   "p") "yanked = "
										"\"bad\"\npromised-"
										"by = "
										"\"first-"
										"use\"\n" FILE_ROW("https://"
												   "h/1/"
												   "w-1-py3-"
												   "none-any."
												   "whl") "ya"
													  "nk"
													  "ed"
													  " ="
													  " "
													  "\""
													  "\""
													  "\n"
													  "pr"
													  "om"
													  "is"
													  "ed"
													  "-b"
													  "y "
													  "= "
													  "\""
													  "lo"
													  "ck"
													  "\""
													  "\n" FILE_ROW(
														  "https://h/2/w-1-py3-none-any.whl")
														  FILE_ROW(
															  "https://h/2/w-2-py3-none-any.whl");

static int parse(const char *rows, const char *files, struct lock *l, struct err *e)
{
	CLEANUP_BUF struct buf text = BUF_INIT;

	buf_addf(&text, "%s%s%s", head, rows, files);
	return lock_parse(buf_str(&text), "x.toml", NULL, l, e);
}

UNIT(lock_reads_a_frozen_lock)
{
	struct lock l = LOCK_INIT;
	struct err e = ERR_INIT;

	ck_assert_msg(parse(rows_of_lock, files_of_lock, &l, &e) == 0, "%s", e.text);
	ck_assert(l.is_frozen && l.is_closed && l.kind == LOCK_NATIVE && l.sha256.b[0] == 0xFF);
	ck_assert_uint_eq(l.npackages, 5);
	const struct lock_package *p = &l.packages[0];
	ck_assert(str_is(p->req.raw, "torch[e]==2.8.0") && !p->is_dependency && p->nbuild == 0);
	ck_assert(p->nfiles == 1 && p->files[0].has_sha256 && p->files[0].size == 7);
	ck_assert(str_is(p->file, "torch-2.8.0+cu128-cp312-cp312-win_amd64.whl"));
	ck_assert(str_eq(p->url, p->files[0].url) &&
		  str_ends(p->url, "%2Bcu128-cp312-cp312-win_amd64.whl"));
	ck_assert(p->files[0].is_by_index && !p->files[0].is_first_use && !p->files[0].is_yanked);
	p = &l.packages[1];
	ck_assert(p->is_dependency && p->nbuild == 2 && str_starts(p->build[0], "torch-"));
	ck_assert(str_is(p->build[1], "w-2-py3-none-any.whl"));
	ck_assert(p->files[0].is_yanked && str_is(p->files[0].yanked, "bad"));
	ck_assert(p->files[0].is_first_use && !p->files[0].is_by_index);
	p = &l.packages[2];
	ck_assert(p->use == LOCK_BUILD && str_is(p->url, "https://h/1/w-1-py3-none-any.whl"));
	ck_assert(p->files[0].is_yanked && !p->files[0].is_first_use && !p->files[0].is_by_index);
	ck_assert(str_is(l.packages[4].url, "https://h/2/w-1-py3-none-any.whl"));
	ck_assert(l.packages[4].use == LOCK_RUN &&
		  str_is(l.packages[4].file, "w-1-py3-none-any.whl"));
	lock_release(&l);
}

UNIT(lock_refuses_wrong_frozen_rows)
{
#define X "[[package]]\nname = \"x\"\n" /* lines 11 and 12 */
#define PIN X "version = \"==1\"\n"
#define X_FILE FILE_ROW("https://h/x-1-py3-none-any.whl")
	static const struct {
		const char *rows, *files;
		enum rc rc;
		const char *message, *hint;
	} rows[] = {
		{ PIN "file = \"x-1.zip\"\n", X_FILE, RC_INVALID,
			"line 14, column 8: there is no [[file]] row \"x-1.zip\"", NULL },
		{ X "file = \"x-1-py3-none-any.whl\"\n", X_FILE, RC_INVALID,
			"line 11, column 3: x has no exact version", "resolve" },
		{ X "version = \">=1\"\nfile = \"x-1-py3-none-any.whl\"\n", X_FILE, RC_INVALID,
			"line 13, column 11: x has no exact version", NULL },
		{ X "version = \"==2\"\nfile = \"x-1-py3-none-any.whl\"\n", X_FILE, RC_INVALID,
			"line 14, column 8: the file x-1-py3-none-any.whl is not of x==2", NULL },
		{ PIN "file = \"y-1-py3-none-any.whl\"\n",
			FILE_ROW("https://h/y-1-py3-none-any.whl"), RC_INVALID,
			"line 14, column 8: the file y-1-py3-none-any.whl is not of x==1", NULL },
		{ PIN "file = \"x-1-py3-none-any.whl\"\n",
			X_FILE FILE_ROW("https://h/2/x-1-py3-none-any.whl"), RC_INVALID,
			"line 14, column 8: several [[file]] rows are called x-1-py3", "url" },
		{ PIN "url = \"https://h/x-1-py3-none-any.whl\"\n", X_FILE, RC_SYNTAX,
			"line 14, column 1: unknown key \"url\"", NULL },
		{ PIN "file = \"x-1-py3-none-any.whl\"\nbuild = [\"w\"]\n", X_FILE, RC_INVALID,
			"line 15, column 1: x-1-py3-none-any.whl is a wheel", NULL },
		{ PIN "file = \"x-1.zip\"\nbuild = [\"w\"]\n", FILE_ROW("https://h/x-1.zip"),
			RC_INVALID,
			"line 15, column 9: the target a has no row with the file \"w\"", NULL },
		{ PIN "file = \"x-1.zip\"\nbuild = [\"w-1.zip\"]\n[[package]]\nname = \"w\"\n"
		      "version = \"==1\"\nfile = \"w-1.zip\"\ntargets = \"a\"\nuse = \"build\"\n",
			FILE_ROW("https://h/x-1.zip") FILE_ROW("https://h/w-1.zip"), RC_INVALID,
			"line 15, column 9: the target b has no row with the file \"w-1.zip\"",
			NULL },
		{ PIN "file = \"https://h/x-1-py3-none-any.whl\"\n" PIN
		      "file = \"https://h/2/x-1-py3-none-any.whl\"\n",
			X_FILE FILE_ROW("https://h/2/x-1-py3-none-any.whl"), RC_INVALID,
			"line 15, column 1: https://h/2/x-1-py3-none-any.whl and", NULL },
		{ "", X_FILE "promised-by = \"me\"\n", RC_INVALID,
			"line 15, column 15: promised-by = \"me\" is not known", NULL },
		{ "", X_FILE "yanked = true\n", RC_SYNTAX, "line 15, column 10: ", NULL },
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct lock l = LOCK_INIT;
		struct err e = ERR_INIT;
		int r = parse(rows[i].rows, rows[i].files, &l, &e);

		ck_assert_msg(r == -(int)rows[i].rc, "%zu %s: %d %s", i, rows[i].rows, r, e.text);
		ck_assert_msg(str_starts(str_of(e.text + 8), rows[i].message),
			"%s\nhave %s\nwant %s", rows[i].rows, e.text, rows[i].message);
		ck_assert_msg(!rows[i].hint || str_has(str_of(e.hint), rows[i].hint), "%s: \"%s\"",
			rows[i].rows, e.hint);
	}
}

UNIT(lock_reads_a_frozen_row_without_a_file_as_a_hole)
{
	struct lock l = LOCK_INIT;
	struct err e = ERR_INIT;

	ck_assert_msg(parse(PIN, X_FILE, &l, &e) == 0, "%s", e.text);
	ck_assert_uint_eq(l.npackages, 1);
	ck_assert(l.is_closed && l.packages[0].nfiles == 0 && l.packages[0].url.n == 0);
	lock_release(&l);
}

UNIT(lock_refuses_wrong_frozen_heads)
{
	struct lock l = LOCK_INIT;
	struct err e = ERR_INIT;

	ck_assert_int_eq(lock_parse(STR("lock-version = 1\nresolved-from = \"00\"\n"), "x.toml",
				 NULL, &l, &e),
		-(int)RC_INVALID);
	ck_assert(str_starts(str_of(e.text), "x.toml: line 2, column 17: "));
	CLEANUP_BUF struct buf text = BUF_INIT;
	buf_addf(&text, "packages = [\"x\"]\n%s", head);
	err_clear(&e);
	ck_assert_int_eq(lock_parse(buf_str(&text), "x.toml", NULL, &l, &e), -(int)RC_INVALID);
	ck_assert(str_starts(str_of(e.text), "x.toml: line 1, column 13: a row with a file"));
}

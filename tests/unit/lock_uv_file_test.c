/* uv.lock: where its files are, and what has none. */
#include "tests/unit/lock_uv_fixture.h"
#include "tests/unit/unit.h"

static void check_file(
	const char *source_and_files, const char *version, const char *url, const char *file)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct lock l = LOCK_INIT;
	struct err e = ERR_INIT;

	buf_addf(&text,
		UV_HEAD UV_PROJECT("{ name = \"a-b\" }") "[[package]]\nname = \"a-b\"\nversion = "
							 "\"%s\"\n%s",
		version, source_and_files);
	ck_assert_msg(uv_parse(UV_LINUX, text.p, NULL, &l, &e) == 0, "%s", e.text);
	ck_assert_uint_eq(l.npackages, 1);
	ck_assert_uint_eq(l.packages[0].nfiles, 1);
	const struct lock_file *f = l.packages[0].files;
	ck_assert_msg(str_ends(f->url, url), "%.*s", STR_ARG(f->url));
	ck_assert(str_starts(f->url, url[0] == '/' ? "file:///" : "https://"));
	ck_assert_msg(str_is(f->file, file), "%.*s", STR_ARG(f->file));
	ck_assert(!str_has(f->url, "..") && str_find(f->url, '+') == f->url.n);
	lock_release(&l);
}

UNIT(lock_uv_finds_files)
{
	static const struct {
		const char *rest, *version, *url, *file;
	} rows[] = {
		{ UV_REGISTRY "wheels = [{ url = \"https://f/a_b-1%2Bcu-py3-none-any.whl\" }]",
			"1+cu", "https://f/a_b-1%2Bcu-py3-none-any.whl",
			"a_b-1+cu-py3-none-any.whl" },
		{ "source = { registry = \"flat\" }\nwheels = [{ path = "
		  "\"a_b-1+cu-py3-none-any.whl\" }]",
			"1+cu", "/flat/a_b-1%2Bcu-py3-none-any.whl", "a_b-1+cu-py3-none-any.whl" },
		{ "source = { registry = \"/x/../srv\" }\nwheels = [{ path = "
		  "\"./y/a_b-1-py3-none-any.whl\" }]",
			"1", "//srv/y/a_b-1-py3-none-any.whl", "a_b-1-py3-none-any.whl" },
		{ "source = { registry = \"file:///s%20v\" }\nsdist = { path = \"a_b-1.zip\" }",
			"1", "///s%20v/a_b-1.zip", "a_b-1.zip" },
		{ "source = { path = \"../a_b-1-py3-none-any.whl\" }\nwheels = [{ filename = "
		  "\"a_b-1-py3-none-any.whl\" }]",
			"1", "/a_b-1-py3-none-any.whl", "a_b-1-py3-none-any.whl" },
		{ "source = { path = \"v/a-b-1.tar.gz\" }\nsdist = { hash = \"sha256:" UV_SHA
		  "\" }",
			"1", "/v/a-b-1.tar.gz", "a-b-1.tar.gz" },
		{ "source = { url = \"https://u/A_b-1%2BCU-py3-none-any.whl#sha256=0\" }\nwheels = "
		  "[{ url = \"https://u/A_b-1%2BCU-py3-none-any.whl\" }]",
			"1+cu", "https://u/A_b-1%2BCU-py3-none-any.whl",
			"A_b-1+CU-py3-none-any.whl" },
		{ "source = { url = \"https://u/a_b-1.tar.gz\" }\nsdist = { hash = \"sha256:" UV_SHA
		  "\" }",
			"1", "https://u/a_b-1.tar.gz", "a_b-1.tar.gz" },
		{ UV_REGISTRY "sdist = { url = \"https://f/a-b-1.tar.bz2\" }\nwheels = [{ url = "
			      "\"https://f/a_b-1.0-py3-none-any.whl\" }]",
			"1", "https://f/a_b-1.0-py3-none-any.whl", "a_b-1.0-py3-none-any.whl" },
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		check_file(rows[i].rest, rows[i].version, rows[i].url, rows[i].file);
	}
}

UNIT(lock_uv_keeps_promises_of_files)
{
	struct lock l = LOCK_INIT;
	struct err e = ERR_INIT;
	static const char text[] = UV_HEAD UV_PROJECT("{ name = \"a\" }, { name = \"b\" }")
		UV_WHEEL("a", "1") UV_ENTRY("b", "2", UV_REGISTRY);
	char hex[DIGEST_HEX + 1];

	ck_assert_msg(uv_parse(UV_LINUX, text, NULL, &l, &e) == 0, "%s", e.text);
	ck_assert(l.kind == LOCK_UV && l.npackages == 2 && l.ntargets == 1);
	const struct lock_package *a = &l.packages[0], *b = &l.packages[1];
	ck_assert(a->use == LOCK_RUN && a->line == 9 && !a->req.marker && !a->url.n && !a->nhashes);
	ck_assert(a->files[0].has_sha256 && a->files[0].has_size && a->files[0].size == 7);
	ck_assert_str_eq(digest_hex(&a->files[0].sha256, hex), UV_SHA);
	ck_assert(b->nfiles == 0 && b->files != NULL); /* a hole: no index is asked */
	lock_release(&l);
}

/* ---- what cannot be carried ---- */

UNIT(lock_uv_refuses_what_has_no_file)
{
	static const struct {
		const char *source, *what;
	} rows[] = {
		{ "git = \"https://me:word@g/a?rev=1#00\"",
			"a is a git repository (https://***@g/a" },
		{ "directory = \"../a\"", "a is a folder (../a)" },
		{ "editable = \"a\"", "a is an editable folder (a)" },
		{ "url = \"https://g/archive/v1.0.tar.gz\"", "is an archive that is not called" },
		{ "url = \"https://g/a-1.tar.bz2\"", "is an archive that is not called" },
		{ "url = \"https://g/a-1.tar.gz\", subdirectory = \"x\"",
			"is a folder in an archive" },
		{ "path = \"x/v1.0.zip\"", "is an archive that is not called" },
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		CLEANUP_BUF struct buf text = BUF_INIT;

		buf_addf(&text,
			UV_NEEDS_A
			"[[package]]\nname = \"a\"\nversion = \"1\"\nsource = { %s "
			"}\ndependencies = [{ name = \"b\" }]\nsdist = { hash = \"sha256:" UV_SHA
			"\" }\n" UV_WHEEL("b", "1"),
			rows[i].source);
		uv_check_refused(UV_LINUX UV_WINDOWS, text.p, NULL, RC_UNSUPPORTED, rows[i].what);
		uv_check_refused(UV_LINUX UV_WINDOWS "[waive]\n\"a@lin\" = \"there\"\n", text.p,
			NULL, RC_UNSUPPORTED, "line 9, column 3: a is");
		uv_check_rows(UV_LINUX UV_WINDOWS "[waive]\na = \"it is there\"\n", text.p, NULL,
			"b==1@lin,win");
		uv_check_rows(UV_LINUX "[[package]]\nname = \"a\"\nurl = "
				       "\"file:///w/a-1-py3-none-any.whl\"\n",
			text.p, NULL, "a==1@ b==1@lin");
	}
}

/* What no target needs may be anything. */
UNIT(lock_uv_ignores_what_is_not_needed)
{
	static const char text[] = UV_HEAD UV_PROJECT("{ name = \"v\" }, { name = \"a\", marker = "
						      "\"sys_platform == 'win32'\" }") UV_ENTRY("a",
		"1", "source = { git = \"https://g/a\" }\n") UV_ENTRY("v",
		"1", "source = { virtual = \"v\" }\n") "dependencies = [{ name = \"b\" "
						       "}]\n" UV_WHEEL("b", "1") UV_ENTRY("c", "1",
							       UV_REGISTRY) "wheels = [{ url = "
									    "\"ftp://x\", hash = "
									    "\"md5:0\" }]\n";

	uv_check_rows(UV_LINUX, text, NULL, "b==1@lin");
}

UNIT(lock_uv_refuses_wrong_files)
{
	static const struct {
		const char *text;
		enum rc rc;
		const char *want;
	} rows[] = {
		{ UV_NEEDS_A UV_ENTRY("a", "1", UV_REGISTRY) "wheels = [{ url = \"https://f/" UV_SHA
							     "/b-1-py3-none-any.whl\" }]",
			RC_INVALID, "the file b-1-py3-none-any.whl is not of a 1" },
		{ UV_NEEDS_A UV_ENTRY(
			  "a", "1", UV_REGISTRY) "wheels = [{ url = \"https://f/a-2-py3-none-any"
						 ".whl\" }]",
			RC_INVALID, "the file a-2-py3-none-any.whl is not of a 1" },
		{ UV_NEEDS_A UV_ENTRY(
			  "a", "1+cpu", UV_REGISTRY) "wheels = [{ url = \"https://f/a-1%2Bcu-py3"
						     "-none-any.whl\" }]",
			RC_INVALID, "is not of a 1+cpu" },
		{ UV_NEEDS_A UV_ENTRY(
			  "a", "1", UV_REGISTRY) "sdist = { url = \"ftp://f/a-1.zip\" }",
			RC_INVALID, "is not a URL that files are fetched from" },
		{ UV_NEEDS_A UV_ENTRY("a", "1", UV_REGISTRY) "sdist = { hash = \"sha256:" UV_SHA
							     "\" }",
			RC_SYNTAX, "a file of a with neither url nor path" },
		{ UV_NEEDS_A UV_ENTRY(
			  "a", "1", UV_REGISTRY) "sdist = { url = \"https://f/a-1.zip\", hash = "
						 "\"sha512:00\" }",
			RC_UNSUPPORTED, "the file a-1.zip has no sha256, only \"sha512\"" },
		{ UV_NEEDS_A UV_ENTRY(
			  "a", "1", UV_REGISTRY) "sdist = { url = \"https://f/a-1.zip\", hash = "
						 "\"sha256:00\" }",
			RC_INVALID, "line 13, column 45: " },
		{ UV_NEEDS_A UV_ENTRY(
			  "a", "1", UV_REGISTRY) "sdist = { url = \"https://f/a-1.zip\", size = "
						 "1099511627777 }",
			RC_LIMIT, "at most" },
		{ UV_NEEDS_A UV_ENTRY("a", "1", UV_REGISTRY) "sdist = { path = \"a-1.zip\" }",
			RC_INVALID, "which is no folder" },
		{ UV_NEEDS_A UV_ENTRY(
			  "a", "1", "source = { registry = \"flat\" }\n") "sdist = { path = "
									  "\"x/../../a-1.zip\" }",
			RC_INVALID, "leaves the folder \"flat\"" },
		{ UV_NEEDS_A UV_ENTRY(
			  "a", "1", "source = { registry = \"flat\" }\n") "sdist = { path = "
									  "\"/etc/a-1.zip\" }",
			RC_INVALID, "leaves the folder \"flat\"" },
		{ UV_NEEDS_A UV_ENTRY("a", "1",
			  "source = { path = \"a\\u0001/a-1.zip\" }\n") "sdist = { hash = "
									"\"sha256:" UV_SHA "\" }",
			RC_INVALID, "a control character in a path" },
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		uv_check_refused(UV_LINUX, rows[i].text, NULL, rows[i].rc, rows[i].want);
	}
}

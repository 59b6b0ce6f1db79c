/* gpkg's own lock; tests/e2e/lock_corpus.py reads real ones. */
#include "manifests/lock.h"
#include "tests/unit/unit.h"

#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

#define HEAD "# gpkg lockfile -- do not edit manually\n" /* line 1 */
#define ENVIRONMENT                                                             \
	"[environment]\ntorch = \"2.8.0\"\ncuda = \"128\"\npython = \"3.12\"\n" \
	"platform = \"linux_x86_64\"\ncxx11_abi = \"TRUE\"\n" /* lines 2 to 7 */
#define FILE_NAME "natten-0.21.0+torch280cu128-cp312-cp312-linux_x86_64.whl"
#define WHEEL(package, version, file, url)                                                     \
	"[[wheels]]\npackage = \"" package "\"\nversion = \"" version "\"\nfilename = \"" file \
	"\"\nurl = \"" url "\"\nsource = \"s\"\nrelease_tag = \"\"\n" /* lines 8 to 14 */
#define NATTEN(url) WHEEL("natten", "0.21.0", FILE_NAME, url)

static const struct target_spec options = { .glibc = { "2.28", 4 }, .cxx11_abi = -1 };

static int parse_gpkg(
	const char *text, const struct target_spec *extra, struct lock *l, struct err *e)
{
	const struct lock_options o = { .extra = extra };

	return lock_parse(str_of(text), "g.toml", &o, l, e);
}

UNIT(lock_gpkg_reads_its_environment)
{
	const struct str gpus[] = { STR("9.0"), STR("12.0") };
	struct target_spec extra = { .name = STR("h100"),
		.glibc = STR("2.34"),
		.driver = STR("580.65.06"),
		.gpus = gpus,
		.ngpus = 2,
		.cxx11_abi = -1 };
	struct lock l = LOCK_INIT;
	struct err e = ERR_INIT;

	ck_assert_msg(parse_gpkg(HEAD ENVIRONMENT, &extra, &l, &e) == 0, "%s", e.text);
	const struct target *t = lock_target(&l, STR("h100"));
	ck_assert(l.kind == LOCK_GPKG && l.ntargets == 1 && l.npackages == 0 && l.name.n == 0 && t);
	ck_assert(t->python.minor == 12 && str_is(t->platform, "linux_x86_64") &&
		  t->libc_minor == 34);
	ck_assert(str_is(t->torch, "2.8.0") && t->cuda.major == 12 && t->cuda.minor == 8);
	ck_assert(t->cxx11_abi == 1 && t->ngpus == 2 && t->gpus[1].major == 12);
	ck_assert(str_is(t->driver, "580.65.06"));
	lock_release(&l);
	ck_assert_int_eq(parse_gpkg(ENVIRONMENT, &options, &l, &e), 0);
	ck_assert(str_is(l.targets[0].name, "cp312-cu128-linux_x86_64"));
	lock_release(&l);
}

UNIT(lock_gpkg_reads_every_spelling_of_cuda)
{
	static const struct {
		const char *cuda;
		unsigned major, minor;
		bool any_minor;
	} rows[] = { { "118", 11, 8, false }, { "130", 13, 0, false }, { "13", 13, 0, true },
		{ "12.6", 12, 6, false } };

	for (size_t i = 0; i < ROWS(rows); i++) {
		CLEANUP_BUF struct buf text = BUF_INIT;
		struct lock l = LOCK_INIT;
		struct err e = ERR_INIT;

		buf_addf(&text,
			"[environment]\npython = \"3.12\"\nplatform = \"win_amd64\"\ncuda = "
			"\"%s\"\n",
			rows[i].cuda);
		ck_assert_msg(parse_gpkg(text.p, NULL, &l, &e) == 0, "%s", e.text);
		ck_assert_uint_eq(l.targets[0].cuda.major, rows[i].major);
		ck_assert_uint_eq(l.targets[0].cuda.minor, rows[i].minor);
		ck_assert_int_eq(l.targets[0].is_any_cuda_minor, rows[i].any_minor);
		lock_release(&l);
	}
}

/* gpkg writes URLs decoded; what we keep can be fetched. */
UNIT(lock_gpkg_escapes_urls)
{
	static const struct {
		const char *url, *want;
	} rows[] = {
		{ "https://h/v1/" FILE_NAME,
			"https://h/v1/natten-0.21.0%2Btorch280cu128-cp312-cp312-linux_x86_64.whl" },
		{ "https://h/v1/natten-0.21.0%2Btorch280cu128-cp312-cp312-linux_x86_64.whl",
			"https://h/v1/natten-0.21.0%2Btorch280cu128-cp312-cp312-linux_x86_64.whl" },
		{ "https://h:8080/a b#c?d\xC3\xA9/" FILE_NAME "?sig=a+b&c=/1#f",
			"https://h:8080/a%20b%23c%3Fd%C3%A9/"
			"natten-0.21.0%2Btorch280cu128-cp312-cp312-linux_"
			"x86_64.whl?sig=a%2Bb&c=/1#f" },
		{ "https://h/torch-2.8.0+cu128/100%/" FILE_NAME,
			"https://h/torch-2.8.0%2Bcu128/100%25/"
			"natten-0.21.0%2Btorch280cu128-cp312-cp312-"
			"linux_x86_64.whl" },
		{ "https://h/releases/assets/123?a=1+2", "https://h/releases/assets/123?a=1%2B2" },
		{ "file:///home/me/x y/" FILE_NAME,
			"file:///home/me/x%20y/"
			"natten-0.21.0%2Btorch280cu128-cp312-cp312-linux_x86_64.whl" },
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		CLEANUP_BUF struct buf text = BUF_INIT;
		struct lock l = LOCK_INIT;
		struct err e = ERR_INIT;

		buf_addf(&text, HEAD ENVIRONMENT NATTEN("%s"), rows[i].url);
		ck_assert_msg(parse_gpkg(text.p, &options, &l, &e) == 0, "%s", e.text);
		ck_assert_str_eq(l.packages[0].url.p, rows[i].want);
		ck_assert(str_is(l.packages[0].file, FILE_NAME) &&
			  str_is(l.packages[0].req.name, "natten"));
		ck_assert(
			str_is(l.packages[0].req.raw, "natten==0.21.0") && l.packages[0].line == 8);
		lock_release(&l);
	}
}

UNIT(lock_gpkg_takes_the_name_that_installers_know)
{
	static const char text[] = HEAD ENVIRONMENT WHEEL("grouped-gemm", "1.1.4",
		"nv_grouped_gemm-1.1.4+cu12torch2.8cxx11abiTRUE-cp312-cp312-linux_x86_64.whl",
		"https://h/"
		"nv_grouped_gemm-1.1.4+cu12torch2.8cxx11abiTRUE-cp312-cp312-linux_x86_64.whl");
	struct lock l = LOCK_INIT;
	struct err e = ERR_INIT;

	ck_assert_msg(parse_gpkg(text, &options, &l, &e) == 0, "%s", e.text);
	ck_assert(str_is(l.packages[0].req.name, "nv-grouped-gemm"));
	lock_release(&l);
}

static const struct {
	const char *text;
	enum rc rc;
	const char *message, *hint;
} lock_gpkg_refuses_with_place_and_remedy_rows[] = {
	{ HEAD "[environment]\nx = \"a \"b\" c\"\n", RC_SYNTAX,
		"line 3, column 9: expected the end of the line, found 'b'", "without escaping" },
	{ "[[wheels]]\n", RC_SYNTAX, "line 1, column 1: [environment] is missing", NULL },
	{ "[environment]\npython = \"3.12\"\n", RC_SYNTAX,
		"line 1, column 2: the key \"platform\" is missing", NULL },
	{ "[environment]\npython = \"3.12\"\nplatform = \"macosx_arm64\"\n", RC_INVALID,
		"line 1, column 2: ", NULL },
	{ "[environment]\npython = \"3.12\"\nplatform = \"win_amd64\"\ncuda = \"x\"\n", RC_INVALID,
		"line 4, column 8: \"x\" is not a CUDA version", "\"128\"" },
	{ "[environment]\npython = \"3.12\"\nplatform = \"win_amd64\"\ncuda = \"1281\"\n",
		RC_INVALID, "line 4, column 8: ", NULL },
	{ "[environment]\npython = \"3.12\"\nplatform = \"win_amd64\"\ncxx11_abi = \"1\"\n",
		RC_INVALID, "line 4, column 13: cxx11_abi is \"TRUE\" or \"FALSE\"", NULL },
	{ ENVIRONMENT "gpu = \"9.0\"\n", RC_SYNTAX,
		"line 7, column 1: unknown key \"gpu\" in \"environment\"", NULL },
	{ ENVIRONMENT "[extra]\n", RC_SYNTAX, "line 7, column 2: unknown key \"extra\"", NULL },
	{ HEAD ENVIRONMENT "[[wheels]]\npackage = \"x\"\n", RC_SYNTAX,
		"line 8, column 3: the key \"version\" is missing", NULL },
	{ HEAD ENVIRONMENT WHEEL("natten", "0.22", FILE_NAME, "https://h/" FILE_NAME), RC_INVALID,
		"line 10, column 11: the file " FILE_NAME " is not of version 0.22", NULL },
	{ HEAD ENVIRONMENT WHEEL("torch", "0.21.0", FILE_NAME, "https://h/" FILE_NAME), RC_INVALID,
		"line 11, column 12: the file " FILE_NAME " is of natten, not of torch", NULL },
	{ HEAD ENVIRONMENT WHEEL("en", "0.21.0", FILE_NAME, "https://h/" FILE_NAME), RC_INVALID,
		"line 11, column 12: the file ", NULL },
	{ HEAD ENVIRONMENT WHEEL("natten", "0.21.0", "../x.whl", "https://h/x.whl"), RC_INVALID,
		"line 11, column 12: \"../x.whl\" is not a wheel's file name", NULL },
	{ HEAD ENVIRONMENT WHEEL("natten", "0.21.0", "natten-0.21.0.tar.gz", "https://h/x.whl"),
		RC_INVALID, "line 11, column 12: ", NULL },
	{ HEAD ENVIRONMENT WHEEL("natten", "0.21.0", "natten.whl", "https://h/x.whl"), RC_INVALID,
		"line 11, column 12: ", NULL },
	{ HEAD ENVIRONMENT NATTEN("https://h/other-1-py3-none-any.whl"), RC_INVALID,
		"line 12, column 7: the URL ends in other-1-py3-none-any.whl", NULL },
	{ HEAD ENVIRONMENT NATTEN("ftp://h/" FILE_NAME), RC_INVALID,
		"line 12, column 7: ", "https" },
	{ HEAD ENVIRONMENT NATTEN("https://h/\\n/" FILE_NAME), RC_INVALID,
		"line 12, column 7: a control character", NULL },
	{ HEAD ENVIRONMENT NATTEN("https://h/1/" FILE_NAME) NATTEN("https://h/2/" FILE_NAME),
		RC_INVALID, "line 15, column 1: https://h/2/natten", NULL },
};

UNIT(lock_gpkg_refuses_with_place_and_remedy)
{
	for (size_t i = 0; i < ROWS(lock_gpkg_refuses_with_place_and_remedy_rows); i++) {
		bool is_linux = str_has(
			str_of(lock_gpkg_refuses_with_place_and_remedy_rows[i].text), "linux");
		struct lock l = LOCK_INIT;
		struct err e = ERR_INIT;

		ck_assert_msg(parse_gpkg(lock_gpkg_refuses_with_place_and_remedy_rows[i].text,
				      is_linux ? &options : NULL, &l, &e) ==
				      -(int)lock_gpkg_refuses_with_place_and_remedy_rows[i].rc,
			"%s: %s", lock_gpkg_refuses_with_place_and_remedy_rows[i].text, e.text);
		ck_assert_msg(str_starts(str_of(e.text + 8),
				      lock_gpkg_refuses_with_place_and_remedy_rows[i].message),
			"%s\nhave %s\nwant %s",
			lock_gpkg_refuses_with_place_and_remedy_rows[i].text, e.text,
			lock_gpkg_refuses_with_place_and_remedy_rows[i].message);
		ck_assert_msg(!lock_gpkg_refuses_with_place_and_remedy_rows[i].hint ||
				      str_has(str_of(e.hint),
					      lock_gpkg_refuses_with_place_and_remedy_rows[i].hint),
			"hint: %s", e.hint);
	}
}

UNIT(lock_gpkg_asks_for_glibc)
{
	struct lock l = LOCK_INIT;
	struct err e = ERR_INIT;

	ck_assert_int_eq(parse_gpkg(HEAD ENVIRONMENT, NULL, &l, &e), -(int)RC_INVALID);
	ck_assert_str_eq(e.text,
		"g.toml: line 6, column 12: gpkg's lock does not say which glibc the "
		"linux_x86_64 machines have");
	ck_assert(str_has(str_of(e.hint), "--glibc 2.28"));
}

#include "manifests/dist_name.h"
#include "manifests/limits.h"
#include "tests/unit/unit.h"

#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static void check_is_version(const struct version *v, const char *normal)
{
	CLEANUP_BUF struct buf out = BUF_INIT;

	version_format(v, &out);
	ck_assert_str_eq(out.p, normal);
}

UNIT(dist_name_wheels)
{
	static const struct {
		const char *file, *name, *project, *version, *build;
		uint64_t build_number;
		const char *python, *abi, *platform;
	} cases[] = {
		{ "flash_attn-2.8.3+cu12torch2.8cxx11abiTRUE-cp312-cp312-linux_x86_64.whl",
			"flash-attn", "flash_attn", "2.8.3+cu12torch2.8cxx11abitrue", "", 0,
			"cp312", "cp312", "linux_x86_64" },
		{ "PyYAML-6.0.2-cp312-cp312-manylinux_2_17_x86_64.manylinux2014_x86_64.whl",
			"pyyaml", "PyYAML", "6.0.2", "", 0, "cp312", "cp312",
			"manylinux_2_17_x86_64.manylinux2014_x86_64" },
		{ "zope.interface-7.2-py2.PY3-None-Any.whl", "zope-interface", "zope.interface",
			"7.2", "", 0, "py2.py3", "none", "any" },
		{ "triton-3.4.0-1cu12torch28-cp312-cp312-linux_x86_64.whl", "triton", "triton",
			"3.4.0", "1cu12torch28", 1, "cp312", "cp312", "linux_x86_64" },
		{ "a-1_post2-007-py3-none-any.whl", "a", "a", "1.post2", "007", 7, "py3", "none",
			"any" },
		{ "_x-1-18446744073709551615-_-a b-any.whl", "-x", "_x", "1",
			"18446744073709551615", UINT64_MAX, "_", "a b", "any" },
		{ "torch-2.8.0a0+5228986c39.nv25.5-cp312-cp312-linux_x86_64.whl", "torch", "torch",
			"2.8.0a0+5228986c39.nv25.5", "", 0, "cp312", "cp312", "linux_x86_64" },
	};
	struct arena a = ARENA_INIT;

	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct err e = ERR_INIT;
		struct dist_name d;

		ck_assert_msg(
			dist_name_parse(&a, str_of(cases[i].file), &d, &e) == 0, "%s", e.text);
		ck_assert_int_eq(d.kind, DIST_WHEEL);
		ck_assert(str_is(d.file, cases[i].file) && str_is(d.name, cases[i].name));
		ck_assert(str_is(d.project, cases[i].project));
		check_is_version(&d.version, cases[i].version);
		ck_assert(
			str_is(d.build, cases[i].build) && d.build_number == cases[i].build_number);
		ck_assert(str_is(d.python, cases[i].python) && str_is(d.abi, cases[i].abi));
		ck_assert(str_is(d.platform, cases[i].platform) && d.extension.n == 0);
	}
	arena_release(&a);
}

UNIT(dist_name_sdists)
{
	static const struct {
		const char *file, *name, *project, *version, *extension;
	} cases[] = {
		{ "flash_attn-2.8.3.tar.gz", "flash-attn", "flash_attn", "2.8.3", ".tar.gz" },
		{ "transformer-engine-1.0rc1.zip", "transformer-engine", "transformer-engine",
			"1.0rc1", ".zip" },
		{ "PyYAML-6.0.2.tar.gz", "pyyaml", "PyYAML", "6.0.2", ".tar.gz" },
		{ "natten-0.14.2-4.tar.gz", "natten-0-14-2", "natten-0.14.2", "4", ".tar.gz" },
		{ "a-1.zip.zip", NULL, NULL, NULL, NULL },
		{ "a b-1+cu128.zip", "a b", "a b", "1+cu128", ".zip" },
	};
	struct arena a = ARENA_INIT;

	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct err e = ERR_INIT;
		struct dist_name d;
		int failed = dist_name_parse(&a, str_of(cases[i].file), &d, &e);

		ck_assert_int_eq(failed, cases[i].name ? 0 : -RC_INVALID);
		if (failed) {
			continue;
		}
		ck_assert_int_eq(d.kind, DIST_SDIST);
		ck_assert(str_is(d.file, cases[i].file) && str_is(d.name, cases[i].name));
		ck_assert(str_is(d.project, cases[i].project) &&
			  str_is(d.extension, cases[i].extension));
		check_is_version(&d.version, cases[i].version);
		ck_assert(d.build.n == 0 && d.python.n == 0 && d.abi.n == 0 && d.platform.n == 0);
	}
	arena_release(&a);
}

UNIT(dist_name_refusals)
{
	static const struct {
		const char *file, *fault;
	} cases[] = {
		{ "flash-attn-2.8.3-cp311-cp311-linux_x86_64.whl", "version \"attn\"" },
		{ "a-1.0-cp311-linux_x86_64.whl", "5 or 6 parts between '-', not 4" },
		{ "flash-attn-2.8.3-1-cp311-cp311-any.whl", "not 7" },
		{ ".whl", "not 1" },
		{ "-1.0-py3-none-any.whl", "\"\" is no project name" },
		{ "a__b-1.0-py3-none-any.whl", "\"a__b\" is no project name" },
		{ "a+b-1.0-py3-none-any.whl", "\"a+b\" is no project name" },
		{ "a b-1.0-py3-none-any.whl", "\"a b\" is no project name" },
		{ "a--py3-none-any.whl", "version \"\"" },
		{ "a-1.0_1-py3-none-any.whl", "version \"1.0_1\"" },
		{ "a-1.0-variant-py3-none-any.whl", "\"variant\" is no build tag" },
		{ "a-1.0--py3-none-any.whl", "\"\" is no build tag" },
		{ "a-1.0-1\n2-py3-none-any.whl", "is no build tag" },
		{ "a-1.0-18446744073709551616-py3-none-any.whl", "is no build tag" },
		{ "a-1.0--none-any.whl", "\"\" is no Python tag" },
		{ "a-1.0-3-none-any.whl", "\"3\" is no Python tag" },
		{ "a-1.0-py3.-none-any.whl", "\"py3.\" is no Python tag" },
		{ "a-1.0-py+-none-any.whl", "\"py+\" is no Python tag" },
		{ "a-1.0-py3--any.whl", "empty member" },
		{ "a-1.0-py3-none-.whl", "empty member" },
		{ "a-1.0-py3-none-a..b.whl", "empty member" },
		{ "a-1.0-py3-none-any.WHL", "neither a wheel" },
		{ "caf\xc3\xa9-1.0-py3-none-any.whl", "ASCII" },
		{ "a-1.0.tar.bz2", "neither a wheel" },
		{ "a-1.0.tgz", "neither a wheel" },
		{ "a-1.0-py3.12.egg", "neither a wheel" },
		{ "", "neither a wheel" },
		{ "a.tar.gz", "PROJECT-VERSION" },
		{ "1.0.zip", "PROJECT-VERSION" },
		{ "-1.0.tar.gz", "PROJECT-VERSION" },
		{ ".zip", "PROJECT-VERSION" },
		{ "a-.tar.gz", "version \"\"" },
		{ "a-b.zip", "version \"b\"" },
		{ "a-18446744073709551616.zip", "64 bits" },
	};
	struct arena a = ARENA_INIT;

	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct err e = ERR_INIT;
		struct dist_name d = { .build_number = 77 };

		ck_assert_msg(dist_name_parse(&a, str_of(cases[i].file), &d, &e) == -RC_INVALID,
			"%s", cases[i].file);
		ck_assert(d.build_number == 77 && e.rc == RC_INVALID);
		ck_assert_msg(
			strncmp(e.text, cases[i].file, strlen(cases[i].file)) == 0, "%s", e.text);
		ck_assert_msg(strstr(e.text, cases[i].fault), "%s: %s", cases[i].file, e.text);
	}
	struct err e = ERR_INIT;
	struct dist_name d;
	ck_assert(dist_name_parse(&a, STR("a\0b-1.zip"), &d, &e) == -RC_INVALID);
	ck_assert(dist_name_parse(&a, STR_NULL, &d, &e) == -RC_INVALID);
	arena_release(&a);
}

UNIT(dist_name_hints_at_a_hyphen)
{
	static const char *const files[] = { "flash-attn-2.8.3-cp311-cp311-linux_x86_64.whl",
		"flash-attn-2.8.3-1-cp311-cp311-any.whl" };
	struct arena a = ARENA_INIT;

	for (size_t i = 0; i < LENGTH(files); i++) {
		struct err e = ERR_INIT;
		struct dist_name d;

		ck_assert(dist_name_parse(&a, str_of(files[i]), &d, &e) == -RC_INVALID);
		ck_assert_msg(strstr(e.hint, "written '_'"), "%s", e.hint);
	}
	arena_release(&a);
}

UNIT(dist_name_length_is_limited)
{
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct dist_name d;
	char file[LIMIT_FILE_NAME + 1];

	memset(file, 'a', sizeof(file));
	memcpy(file + LIMIT_FILE_NAME - 6, "-1.zip", 6);
	ck_assert(dist_name_parse(&a, (struct str){ file, LIMIT_FILE_NAME }, &d, &e) == 0);
	memset(file, 'a', sizeof(file));
	memcpy(file + LIMIT_FILE_NAME - 5, "-1.zip", 6);
	ck_assert(dist_name_parse(&a, (struct str){ file, sizeof(file) }, &d, &e) == -RC_INVALID);
	ck_assert(strstr(e.text, "at most 255 bytes"));
	arena_release(&a);
}

UNIT(dist_name_sdist_of_a_known_project)
{
	static const struct {
		const char *file, *project, *version; /* NULL: refused */
	} cases[] = {
		{ "natten-0.14.2-4.tar.gz", "natten", "0.14.2.post4" },
		{ "zope.interface-7.2.tar.gz", "zope-interface", "7.2" },
		{ "zope-interface-7.2.zip", "Zope.Interface", "7.2" },
		{ "my-project-2-1.0.tar.gz", "my_project_2", "1.0" },
		{ "my-project-2-1.0.tar.gz", "my-project", NULL },
		{ "natten-0.14.2.tar.gz", "natten-cuda", NULL },
		{ "natten.tar.gz", "natten", NULL },
		{ "natten-.tar.gz", "natten", NULL },
		{ "natten--1.tar.gz", "natten", NULL },
		{ "natten-x.tar.gz", "natten", NULL },
		{ "natten-1.0.tar.bz2", "natten", NULL },
		{ "natten-1.0-py3-none-any.whl", "natten", NULL },
		{ "-1.0.tar.gz", "", NULL },
		{ "caf\xc3\xa9-1.0.zip", "caf\xc3\xa9", NULL },
	};
	struct arena a = ARENA_INIT;

	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct err e = ERR_INIT;
		struct dist_name d = { .build_number = 77 };
		int failed = dist_name_parse_sdist(
			&a, str_of(cases[i].file), str_of(cases[i].project), &d, &e);

		ck_assert_msg(failed == (cases[i].version ? 0 : -RC_INVALID), "%s: %s",
			cases[i].file, e.text);
		if (failed) {
			ck_assert(d.build_number == 77 && strstr(e.text, cases[i].file));
			continue;
		}
		ck_assert(d.kind == DIST_SDIST && d.extension.n > 0);
		check_is_version(&d.version, cases[i].version);
	}
	arena_release(&a);
}

UNIT(dist_name_safety)
{
	static const struct {
		const char *file;
		bool safe;
	} cases[] = {
		{ "flash_attn-2.8.3+cu12torch2.8cxx11abiTRUE-cp312-cp312-linux_x86_64.whl", true },
		{ "a!b~-1.0.tar.gz", true },
		{ "", false },
		{ ".", false },
		{ "..", false },
		{ ".hidden-1.0.zip", false },
		{ "-r-1.0.zip", false },
		{ "a/b-1.0.zip", false },
		{ "..\\a-1.0.zip", false },
		{ "a,b-1.0.zip", false },
		{ "a b-1.0.zip", false },
		{ "a-1.0.zip\n", false },
		{ "a\x7f-1.0.zip", false },
		{ "\xc3\xa9-1.0.zip", false },
	};
	char file[LIMIT_FILE_NAME + 1];

	for (size_t i = 0; i < LENGTH(cases); i++) {
		ck_assert_msg(dist_name_is_safe(str_of(cases[i].file)) == cases[i].safe, "%s",
			cases[i].file);
	}
	ck_assert(!dist_name_is_safe(STR("a\0b")));
	ck_assert(!dist_name_is_safe(STR_NULL));
	memset(file, 'a', sizeof(file));
	ck_assert(dist_name_is_safe((struct str){ file, LIMIT_FILE_NAME }));
	ck_assert(!dist_name_is_safe((struct str){ file, sizeof(file) }));
}

#include "manifests/core_metadata.h"
#include "manifests/limits.h"
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

static const char example[] = "Metadata-Version: 2.1\n"
			      "Name: Torch\n"
			      "Version: 2.11.0\n"
			      "Summary: Tensors and\n"
			      "        dynamic networks\n"
			      "License: BSD-3-Clause\n"
			      "        and more\n"
			      "Classifier: Topic :: Scientific/Engineering\n"
			      "Requires-Python: >=3.10\n"
			      "Requires-Dist: filelock\n"
			      "Requires-Dist: typing-extensions>=4.10.0\n"
			      "Provides-Extra: optree\n"
			      "Requires-Dist: optree>=0.13.0;\n"
			      "\textra == \"optree\"\n"
			      "Provides-Extra: Opt_Einsum\n"
			      "\n"
			      "Name: not a field any more\n"
			      "Requires-Dist: neither\n";

static void parse(struct arena *a, const char *text, struct core_metadata *out)
{
	struct err e = ERR_INIT;

	ck_assert_msg(core_metadata_parse(a, str_of(text), out, &e) == 0, "%s", e.text);
}

static void ck_example(const struct core_metadata *m)
{
	ck_assert(str_is(m->metadata_version, "2.1"));
	ck_assert(str_is(m->name, "Torch"));
	ck_assert(str_is(m->version, "2.11.0"));
	ck_assert(str_is(m->summary, "Tensors and dynamic networks"));
	ck_assert(str_is(m->license, "BSD-3-Clause"));
	ck_assert(str_is(m->requires_python, ">=3.10"));
	ck_assert_uint_eq(m->nrequires_dist, 3);
	ck_assert(str_is(m->requires_dist[0], "filelock"));
	ck_assert(str_is(m->requires_dist[1], "typing-extensions>=4.10.0"));
	ck_assert(str_is(m->requires_dist[2], "optree>=0.13.0; extra == \"optree\""));
	ck_assert_uint_eq(m->nprovides_extra, 2);
	ck_assert(str_is(m->provides_extra[0], "optree"));
	ck_assert(str_is(m->provides_extra[1], "Opt_Einsum"));
	ck_assert(!m->is_dynamic_requires);
}

UNIT(core_metadata_fields)
{
	struct arena a = ARENA_INIT;
	struct core_metadata m;

	parse(&a, example, &m);
	ck_example(&m);
	arena_release(&a);
}

static void replace_line_ends(struct buf *to, const char *end)
{
	for (const char *c = example; *c; c++) {
		if (*c == '\n') {
			buf_adds(to, end);
		} else {
			buf_addc(to, *c);
		}
	}
}

UNIT(core_metadata_with_other_line_ends)
{
	static const char *const ends[] = { "\r\n", "\r" };

	for (size_t i = 0; i < 2; i++) {
		struct arena a = ARENA_INIT;
		struct buf text = BUF_INIT;
		struct core_metadata m;

		replace_line_ends(&text, ends[i]);
		parse(&a, text.p, &m);
		ck_example(&m);
		buf_release(&text);
		arena_release(&a);
	}
}

UNIT(core_metadata_shapes)
{
	static const struct {
		const char *text, *name, *version;
	} table[] = {
		{ "name: a\nVERSION: 1", "a", "1" },
		{ "Name:a\nVersion:1\n\n", "a", "1" },
		{ "Name: \t a \nVersion:  1\t\n", "a", "1" },
		{ "\xEF\xBB\xBFName: a\nVersion: 1\n", "a", "1" },
		{ "Name:\n a\nVersion:\n\t1\n", "a", "1" },
		{ " strange\n begin\nName: a\nVersion: 1\n", "a", "1" },
		{ "X: y\n \n z\nName: a\nVersion: 1\n", "a",
			"1" }, /* a blank line of blanks goes on */
		{ "Name: a\nVersion: 1\nVersion: 1\nName: a\n", "a", "1" },
		{ ": nameless\nName: a\nVersion: 1\n", "a", "1" },
		{ "Name: a\nVersion: 1\nno field, so the text begins\nRequires-Python: <3\n", "a",
			"1" },
		{ "Name: a\nVersion: 1\nnot a field: since a blank is in it\n", "a", "1" },
		{ "Name: a\nVersion: 1+cu:130\n", "a", "1+cu:130" },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct arena a = ARENA_INIT;
		struct core_metadata m;

		parse(&a, table[i].text, &m);
		ck_assert_msg(str_is(m.name, table[i].name), "%s", table[i].text);
		ck_assert_msg(str_is(m.version, table[i].version), "%s", table[i].text);
		ck_assert_uint_eq(m.requires_python.n, 0);
		ck_assert_uint_eq(m.nrequires_dist, 0);
		arena_release(&a);
	}
}

UNIT(core_metadata_license)
{
	static const struct {
		const char *fields, *license;
	} table[] = {
		{ "", "" },
		{ "License: MIT\n", "MIT" },
		{ "License: UNKNOWN\n", "" },
		{ "License: MIT\n  Permission is granted\n", "MIT" },
		{ "License: old words\nLicense-Expression: Apache-2.0\n", "Apache-2.0" },
		{ "License-Expression: Apache-2.0\nLicense: old words\n", "Apache-2.0" },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct arena a = ARENA_INIT;
		struct buf text = BUF_INIT;
		struct core_metadata m;

		buf_addf(&text, "%sName: a\nVersion: 1\n", table[i].fields);
		parse(&a, text.p, &m);
		ck_assert_msg(str_is(m.license, table[i].license), "%s", table[i].fields);
		buf_release(&text);
		arena_release(&a);
	}
}

UNIT(core_metadata_dynamic)
{
	static const struct {
		const char *field;
		bool is_dynamic;
	} table[] = {
		{ "Dynamic: Requires-Dist\n", true },
		{ "dynamic: requires-dist\n", true },
		{ "Dynamic: Version\nDynamic: Requires-Dist\n", true },
		{ "Dynamic: Description\n", false },
		{ "Dynamic: Requires-Dist-Not\n", false },
		{ "", false },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct arena a = ARENA_INIT;
		struct buf text = BUF_INIT;
		struct core_metadata m;

		buf_addf(&text, "Name: a\nVersion: 1\n%s", table[i].field);
		parse(&a, text.p, &m);
		ck_assert_msg(m.is_dynamic_requires == table[i].is_dynamic, "%s", table[i].field);
		buf_release(&text);
		arena_release(&a);
	}
}

UNIT(core_metadata_refuses)
{
	const struct {
		struct str text;
		const char *says;
	} table[] = {
		{ STR_NULL, "Name is missing" },
		{ STR("\n"), "Name is missing" },
		{ STR("\nName: a\nVersion: 1\n"), "Name is missing" },
		{ STR("Name: a\n"), "Version is missing" },
		{ STR("Version: 1\n"), "Name is missing" },
		{ STR("Name:\nVersion: 1\n"), "Name is missing" },
		{ STR("Name: a\n\nVersion: 1\n"), "Version is missing" },
		{ STR("Name : a\nVersion: 1\n"), "Name is missing" },
		{ STR("Name: a b\nVersion: 1\n"), "\"a b\" is no project name" },
		{ STR("Name: ../a\nVersion: 1\n"), "is no project name" },
		{ STR("Name: a\0b\nVersion: 1\n"), "is no project name" },
		{ STR("Name: a\nVersion: 1\nName: b\n"), "Name is both \"a\" and \"b\"" },
		{ STR("Name: a\nVersion: 1\nversion: 2\n"), "version is both \"1\" and \"2\"" },
		{ STR("Name: a\nVersion: 1\nRequires-Python: >3\nRequires-Python: <3\n"),
			"Requires-Python is both" },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct arena a = ARENA_INIT;
		struct err e = ERR_INIT;
		struct core_metadata m = { .nrequires_dist = 77 };

		ck_assert_msg(
			core_metadata_parse(&a, table[i].text, &m, &e) == -RC_WHEEL, "%zu", i);
		ck_assert_msg(strstr(e.text, table[i].says) != NULL, "%s", e.text);
		ck_assert_uint_eq(m.nrequires_dist, 77); /* written only on success */
		arena_release(&a);
	}
}

UNIT(core_metadata_has_a_limit)
{
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct core_metadata m;
	char *text = malloc(LIMIT_METADATA + 1);

	ck_assert_ptr_nonnull(text);
	memset(text, '\r', LIMIT_METADATA + 1);
	memcpy(text, "Name: a\nVersion: 1\n", 19);
	ck_assert_int_eq(core_metadata_parse(&a, (struct str){ text, LIMIT_METADATA + 1 }, &m, &e),
		-RC_LIMIT);
	ck_assert_int_eq(core_metadata_parse(&a, (struct str){ text, LIMIT_METADATA }, &m, &e), 0);
	free(text);
	arena_release(&a);
}

/* Many short lines, and one value of many lines, take time in proportion: the test has a time
 * limit. */
UNIT(core_metadata_is_linear)
{
	static const char *const pieces[] = { "a:\r", " x\n", "Requires-Dist: b\n" };

	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		struct arena a = ARENA_INIT;
		struct err e = ERR_INIT;
		struct buf text = BUF_INIT;
		struct core_metadata m;

		buf_adds(&text, "Name: a\nVersion: 1\nSummary: s\n");
		while (text.n < 2 * MIB) {
			buf_adds(&text, pieces[i]);
		}
		ck_assert_int_eq(core_metadata_parse(&a, buf_str(&text), &m, &e), 0);
		buf_release(&text);
		arena_release(&a);
	}
}

/* Any bytes: no crash, no read past the end (the text stands alone in memory of its own size). */
UNIT(core_metadata_survives_hostile_bytes)
{
	unsigned state = 20261130;

	for (size_t round = 0; round < 3000; round++) {
		struct arena a = ARENA_INIT;
		struct err e = ERR_INIT;
		struct core_metadata m;
		size_t n = sizeof(example) - 1;
		char *text = malloc(n);

		ck_assert_ptr_nonnull(text);
		memcpy(text, example, n);
		for (size_t k = 0; k < 1 + round % 8; k++) {
			state = state * 1103515245u + 12345u;
			size_t at = (state >> 8) % n;
			state = state * 1103515245u + 12345u;
			text[at] = (char)(state >> 16);
		}
		state = state * 1103515245u + 12345u;
		size_t length = round % 2 ? n : (state >> 8) % n;
		int rc = core_metadata_parse(&a, (struct str){ text, length }, &m, &e);
		ck_assert(rc == 0 || rc == -RC_WHEEL);
		free(text);
		arena_release(&a);
	}
}

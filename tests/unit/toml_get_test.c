/* Typed members, unknown keys, places, and writing. */
#include "manifests/toml.h"
#include "tests/unit/unit.h"

#include <stdio.h>

#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

static struct toml *parse(struct arena *a, const char *text)
{
	struct toml *root = NULL;
	struct err e = ERR_INIT;

	ck_assert_msg(toml_parse(a, str_of(text), &root, &e) == 0, "%s", e.text);
	return root;
}

UNIT(toml_gives_members_by_type)
{
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	const struct toml *root =
		parse(&a, "s = 'x'\nb = true\nn = 7\nl = ['p', 'q']\n[t]\n[[ts]]\n[[ts]]");
	struct str s = STR("old"), *list = NULL;
	const struct toml *child = NULL;
	size_t n = 9;
	uint64_t number = 0;
	bool truth = false;

	ck_assert(toml_opt_str(root, "absent", &s, &e) == 0 && str_is(s, "old"));
	ck_assert(toml_opt_str(root, "s", &s, &e) == 0 && str_is(s, "x"));
	ck_assert(toml_need_str(root, "s", &s, &e) == 0);
	ck_assert(toml_opt_bool(root, "b", &truth, &e) == 0 && truth);
	ck_assert(toml_opt_u64(root, "n", &number, &e) == 0 && number == 7);
	ck_assert(toml_opt_strs(&a, root, "absent", false, &list, &n, &e) == 0 && n == 9);
	ck_assert(toml_opt_strs(&a, root, "l", false, &list, &n, &e) == 0 && n == 2);
	ck_assert(str_is(list[1], "q"));
	ck_assert(toml_opt_strs(&a, root, "s", true, &list, &n, &e) == 0 && n == 1);
	ck_assert(toml_opt_table(root, "t", &child, &e) == 0 && child->type == TOML_TABLE);
	ck_assert(
		toml_opt_tables(root, "ts", &child, &e) == 0 && child->next && !child->next->next);
	ck_assert(toml_opt_tables(root, "absent", &child, &e) == 0 && !child);
	arena_release(&a);
}

#define REFUSES(call, message)                             \
	do {                                               \
		ck_assert_int_eq((call), -(int)RC_SYNTAX); \
		ck_assert_str_eq(e.text, message);         \
	} while (0)

UNIT(toml_refuses_members_of_other_types)
{
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	const struct toml *root = parse(&a, "s = 'x'\nn = -7\nf = 9.0\nl = ['p', 1]\n[t]\n[[ts]]");
	struct str s = STR("old"), *list = NULL;
	const struct toml *child = NULL;
	size_t n = 9;
	uint64_t number = 1;
	bool truth = true;

	REFUSES(toml_opt_str(root, "f", &s, &e),
		"line 3, column 5: \"f\" is a float, where a string is expected");
	ck_assert_str_eq(e.hint, "put it in quotes");
	REFUSES(toml_need_str(root, "zz", &s, &e), "line 1, column 1: the key \"zz\" is missing");
	REFUSES(toml_opt_bool(root, "s", &truth, &e),
		"line 1, column 5: \"s\" is a string, where true or false is expected");
	REFUSES(toml_opt_u64(root, "n", &number, &e), "line 2, column 5: \"n\" is negative: -7");
	REFUSES(toml_opt_u64(root, "f", &number, &e),
		"line 3, column 5: \"f\" is a float, where an integer is expected");
	REFUSES(toml_opt_strs(&a, root, "s", false, &list, &n, &e),
		"line 1, column 5: \"s\" is a string, where a list of strings is expected");
	REFUSES(toml_opt_strs(&a, root, "l", false, &list, &n, &e),
		"line 4, column 11: \"l\" is an integer, where a string is expected");
	REFUSES(toml_opt_tables(root, "l", &child, &e),
		"line 4, column 6: \"l\" is a string, where a table is expected");
	REFUSES(toml_opt_tables(root, "t", &child, &e),
		"line 5, column 2: \"t\" is a table, where a list of tables is expected");
	ck_assert_str_eq(e.hint, "write [[t]] instead of [t]");
	REFUSES(toml_opt_table(root, "ts", &child, &e),
		"line 6, column 3: \"ts\" is a list, where a table is expected");
	ck_assert(str_is(s, "old") && !list && n == 9 && number == 1 && truth && !child);
	arena_release(&a);
}

UNIT(toml_names_unknown_keys_and_the_nearest)
{
	static const char *const allowed[] = { "name", "python", "glibc", "gpus", "cxx11_abi",
		NULL };
	static const struct {
		const char *key, *near; /* NULL: none is near */
	} rows[] = { { "pyhton", "python" }, { "Python", "python" }, { "cxx11-abi", "cxx11_abi" },
		{ "gpu", "gpus" }, { "glibc_version", "glibc" }, { "names", "name" },
		{ "platform", NULL }, { "x", NULL },
		{ "averylongkeythatnobodywouldhaveinanyofthosetables1", NULL } };
	struct err e = ERR_INIT;

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct arena a = ARENA_INIT;
		char text[100], want[100], message[200];

		snprintf(text, sizeof(text), "[t]\nname = 1\n  %s = 2\n", rows[i].key);
		snprintf(want, sizeof(want), "; did you mean \"%s\"?",
			rows[i].near ? rows[i].near : "");
		snprintf(message, sizeof(message),
			"line 3, column 3: unknown key \"%s\" in \"t\"%s", rows[i].key,
			rows[i].near ? want : "");
		REFUSES(toml_only(toml_get(parse(&a, text), "t"), allowed, &e), message);
		ck_assert_str_eq(e.hint, "the keys here are name, python, glibc, gpus, cxx11_abi");
		arena_release(&a);
	}
	struct arena a = ARENA_INIT;
	ck_assert_int_eq(toml_only(parse(&a, "gpus = 1\nname = 2"), allowed, &e), 0);
	arena_release(&a);
}

UNIT(toml_writes_strings_that_it_reads)
{
	CLEANUP_BUF struct buf out = BUF_INIT;
	struct arena a = ARENA_INIT;
	struct str odd = STR("\"C:\\x\" \n\t\x01\x7F\0 \xC3\xA9");

	buf_adds(&out, "a = ");
	toml_put_str(&out, odd);
	ck_assert_str_eq(
		buf_str(&out).p, "a = \"\\\"C:\\\\x\\\" \\n\\t\\u0001\\u007F\\u0000 \xC3\xA9\"");
	ck_assert(str_eq(toml_get(parse(&a, buf_str(&out).p), "a")->text, odd));
	arena_release(&a);
}

UNIT(toml_says_where_values_and_keys_begin)
{
	struct arena a = ARENA_INIT;
	const struct toml *root = parse(&a, "\n  a  = 'x'\n[b.c]\n d = [\n 1,\n  2]");
	const struct toml *v = toml_get(root, "a");
	const struct toml *c = toml_get(toml_get(root, "b"), "c");

	ck_assert(v->line == 2 && v->column == 8 && v->key_column == 3);
	ck_assert(c->line == 3 && c->column == 4 && c->key_column == 4);
	v = toml_get(c, "d");
	ck_assert(v->line == 4 && v->column == 6 && v->key_column == 2);
	ck_assert(v->last->line == 6 && v->last->column == 3 && str_is(v->last->key, "d"));
	arena_release(&a);
}

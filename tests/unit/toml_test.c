/* The reader against tables of documents; tests/e2e/toml_conformance.py runs the whole toml-test
 * suite. */
#include "manifests/limits.h"
#include "manifests/toml.h"
#include "tests/unit/unit.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- a compact text of a tree: {a=1,b=["x"]} ---- */

static void dump(struct buf *out, const struct toml *v)
{
	const char *separator = "";

	switch (v->type) {
	case TOML_STRING:
		toml_put_str(out, v->text);
		return;
	case TOML_INTEGER:
		buf_addf(out, "%" PRId64, v->integer);
		return;
	case TOML_FLOAT:
		buf_addf(out, "f%g", v->number);
		return;
	case TOML_BOOL:
		buf_adds(out, v->truth ? "true" : "false");
		return;
	case TOML_DATETIME:
	case TOML_LOCAL_DATETIME:
	case TOML_LOCAL_DATE:
	case TOML_LOCAL_TIME:
		buf_addf(out, "d%d:%.*s", (int)v->type - TOML_DATETIME, STR_ARG(v->text));
		return;
	case TOML_ARRAY:
	case TOML_TABLE:
		break;
	}
	buf_addc(out, v->type == TOML_ARRAY ? '[' : '{');
	for (const struct toml *c = v->first; c; c = c->next) {
		buf_adds(out, separator);
		if (v->type == TOML_TABLE) {
			buf_addf(out, "%.*s=", STR_ARG(c->key));
		}
		dump(out, c);
		separator = ",";
	}
	buf_addc(out, v->type == TOML_ARRAY ? ']' : '}');
}

static void check_right(const char *text, size_t n, const char *want)
{
	CLEANUP_BUF struct buf have = BUF_INIT;
	struct arena a = ARENA_INIT;
	struct toml *root = NULL;
	struct err e = ERR_INIT;

	ck_assert_msg(
		toml_parse(&a, (struct str){ text, n }, &root, &e) == 0, "%s: %s", text, e.text);
	dump(&have, root);
	ck_assert_str_eq(buf_str(&have).p, want);
	arena_release(&a);
}

static void check_wrong(const char *text, size_t n, const char *want)
{
	struct arena a = ARENA_INIT;
	struct toml *root = NULL;
	struct err e = ERR_INIT;

	ck_assert_msg(
		toml_parse(&a, (struct str){ text, n }, &root, &e) == -(int)RC_SYNTAX, "%s", text);
	ck_assert_msg(root == NULL, "%s: written on failure", text);
	ck_assert_msg(str_starts(str_of(e.text), want), "%s\nwant %s\nhave %s", text, want, e.text);
	arena_release(&a);
}

struct document {
	const char *text;
	size_t n;
	const char *want; /* right: the dump; wrong: how the message begins */
};
#define DOC(text, want)                         \
	{                                       \
		"" text, sizeof(text) - 1, want \
	}
#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

static const struct document scalars[] = {
	DOC("", "{}"),
	DOC("\xEF\xBB\xBF# bom\r\na = 1\r\n", "{a=1}"),
	DOC("a = 1", "{a=1}"),
	DOC("a = +1_000 # c", "{a=1000}"),
	DOC("a = -0", "{a=0}"),
	DOC("a = 0xDEAD_beef", "{a=3735928559}"),
	DOC("a = 0o755\nb = 0b1101", "{a=493,b=13}"),
	DOC("a = 9223372036854775807\nb = -9223372036854775808",
		"{a=9223372036854775807,b=-9223372036854775808}"),
	DOC("a = 0x7fffffffffffffff", "{a=9223372036854775807}"),
	DOC("a = 1.5\nb = -2E+2\nc = 6.5e-1\nd = 1_0.2_5\ne = 0e0",
		"{a=f1.5,b=f-200,c=f0.65,d=f10.25,e=f0}"),
	DOC("a = inf\nb = -inf\nc = +inf", "{a=finf,b=f-inf,c=finf}"),
	DOC("a = true\nb = false", "{a=true,b=false}"),
	DOC("a = 1979-05-27T07:32:00Z", "{a=d0:1979-05-27T07:32:00Z}"),
	DOC("a = 1979-05-27 07:32:00.50z", "{a=d0:1979-05-27T07:32:00.50Z}"),
	DOC("a = 1979-05-27t07:32:00-23:59", "{a=d0:1979-05-27T07:32:00-23:59}"),
	DOC("a = 1979-05-27 07:32:00", "{a=d1:1979-05-27T07:32:00}"),
	DOC("a = 2000-02-29\nb = 2024-02-29 # c", "{a=d2:2000-02-29,b=d2:2024-02-29}"),
	DOC("a = 23:59:59.999", "{a=d3:23:59:59.999}"),
	DOC("a = 2016-12-31T23:59:60Z", "{a=d0:2016-12-31T23:59:60Z}"),
};

static const struct document strings[] = {
	DOC("a = \"\"\nb = ''", "{a=\"\",b=\"\"}"),
	DOC("a = \"\\b\\t\\n\\f\\r\\\"\\\\\"", "{a=\"\\b\\t\\n\\f\\r\\\"\\\\\"}"),
	DOC("a = \"\\u00e9\\U0001F600x\"", "{a=\"\xC3\xA9\xF0\x9F\x98\x80x\"}"),
	DOC("a = \"pre\\u0000post\"", "{a=\"pre\\u0000post\"}"),
	DOC("a = 'C:\\w\\n'", "{a=\"C:\\\\w\\\\n\"}"),
	DOC("a = \"tab\there\"", "{a=\"tab\\there\"}"),
	DOC("a = \"\"\"\nx\r\ny\"\"\"", "{a=\"x\\ny\"}"),
	DOC("a = \"\"\"\\\n   \n\t x \\  \r\n\n  y\"\"\"", "{a=\"x y\"}"),
	DOC("a = \"\"\"\"x\"\"\"\"\"", "{a=\"\\\"x\\\"\\\"\"}"),
	DOC("a = \"\"\"a\"\"b\\\"\"\"\"", "{a=\"a\\\"\\\"b\\\"\"}"),
	DOC("a = ''''x'''''", "{a=\"'x''\"}"),
	DOC("a = '''\n\\\n'''", "{a=\"\\\\\\n\"}"),
};

static const struct document trees[] = {
	DOC("a = [ ]\nb = [1,\n # c\n 2, # d\n]", "{a=[],b=[1,2]}"),
	DOC("a = [[1], ['x', {b = 2}]]", "{a=[[1],[\"x\",{b=2}]]}"),
	DOC("a = {}\nb = { x = 1, y.z = [\n2] }", "{a={},b={x=1,y={z=[2]}}}"),
	DOC("a.b.c = 1\na . \"b\" . 'd' = 2", "{a={b={c=1,d=2}}}"),
	DOC("3.14 = 'pi'\n1-2_x = 0", "{3={14=\"pi\"},1-2_x=0}"),
	DOC("\"\" = 1\n[\"a.b\"]\nc = 2", "{=1,a.b={c=2}}"),
	DOC("[a.b]\n[a]\nc = 1", "{a={b={},c=1}}"),
	DOC("[a.b.c]\n[a]\nb.d = 1", "{a={b={c={},d=1}}}"),
	DOC("[fruit]\napple.color = 1\n[fruit.apple.taste]\nx = 1",
		"{fruit={apple={color=1,taste={x=1}}}}"),
	DOC("[[a]]\nx = 1\n[[a.b]]\ny = 2\n[[a]]\n[a.b]", "{a=[{x=1,b=[{y=2}]},{b={}}]}"),
	DOC("[ a . b ] # c\n\t[[ \"a\".c ]]\t", "{a={b={},c=[{}]}}"),
};

UNIT(toml_reads_right_documents)
{
	for (size_t i = 0; i < ROWS(scalars); i++) {
		check_right(scalars[i].text, scalars[i].n, scalars[i].want);
	}
	for (size_t i = 0; i < ROWS(strings); i++) {
		check_right(strings[i].text, strings[i].n, strings[i].want);
	}
	for (size_t i = 0; i < ROWS(trees); i++) {
		check_right(trees[i].text, trees[i].n, trees[i].want);
	}
}

static const struct document wrong_values[] = {
	DOC("a =", "line 1, column 4: expected a value, found the end of the file"),
	DOC("a = \n", "line 1, column 5: expected a value, found the end of the line"),
	DOC("a = 1 b", "line 1, column 7: expected the end of the line, found 'b'"),
	DOC("x = 1\na = yes", "line 2, column 5: yes: not a value"),
	DOC("a = True", "line 1, column 5: True: true and false are written in lower case"),
	DOC("a = 01", "line 1, column 5: 01: "),
	DOC("a = 1__0", "line 1, column 5"),
	DOC("a = _1", "line 1, column 5"),
	DOC("a = 1_", "line 1, column 5"),
	DOC("a = +0x1", "line 1, column 5"),
	DOC("a = 0x", "line 1, column 5"),
	DOC("a = 0XF", "line 1, column 5"),
	DOC("a = 9223372036854775808", "line 1, column 5: 9223372036854775808: beyond"),
	DOC("a = -9223372036854775809", "line 1, column 5: -9223372036854775809: beyond"),
	DOC("a = 0x8000000000000000", "line 1, column 5: 0x8000000000000000: beyond"),
	DOC("a = 1.", "line 1, column 5"),
	DOC("a = .5", "line 1, column 5"),
	DOC("a = 1.e2", "line 1, column 5"),
	DOC("a = 1e", "line 1, column 5"),
	DOC("a = 00.5", "line 1, column 5"),
	DOC("a = 1.2.3", "line 1, column 5"),
	DOC("a = +-1", "line 1, column 5"),
	DOC("a = Inf", "line 1, column 5"),
	DOC("a = 2023-02-29", "line 1, column 5: 2023-02-29: not a date"),
	DOC("a = 1900-02-29", "line 1, column 5"),
	DOC("a = 2024-13-01", "line 1, column 5"),
	DOC("a = 2024-00-01", "line 1, column 5"),
	DOC("a = 2024-04-31", "line 1, column 5"),
	DOC("a = 2024-1-01", "line 1, column 5"),
	DOC("a = 24:00:00", "line 1, column 5"),
	DOC("a = 12:00", "line 1, column 5"),
	DOC("a = 12:00:60", "line 1, column 5"),
	DOC("a = 12:00:00.", "line 1, column 5"),
	DOC("a = 2024-01-01T00:00:00+24:00", "line 1, column 5"),
	DOC("a = 2024-01-01T00:00:00+1200", "line 1, column 5"),
	DOC("a = 2024-01-01T00:00Z", "line 1, column 5"),
	DOC("a = 2024-01-01  00:00:00", "line 1, column 17: expected the end of the line"),
	DOC("a = [1, 2", "line 1, column 10: expected ',' or ']'"),
	DOC("a = [1 2]", "line 1, column 8: expected ',' or ']' of the array, found '2'"),
	DOC("a = [,]", "line 1, column 6: expected a value, found ','"),
	DOC("a = {b = 1,}", "line 1, column 12: expected a key, found '}'"),
	DOC("a = {b = 1\n}", "line 1, column 11: expected ',' or '}'"),
	DOC("a = {b = 1, b = 2}", "line 1, column 13: the key \"b\" is already defined in line 1"),
};

static const struct document wrong_strings[] = {
	DOC("a = \"x\nb = 1", "line 1, column 5: this string is not closed on its line"),
	DOC("a = 'x", "line 1, column 5: this string is not closed"),
	DOC("a = 1\nb = \"\"\"x\n\n", "line 2, column 5: this string is never closed"),
	DOC("a = \"\"\"x\"\"\"\"\"\"", "line 1, column 14"),
	DOC("a = \"\\q\"", "line 1, column 6: unknown escape"),
	DOC("a = \"\\x41\"", "line 1, column 6: unknown escape"),
	DOC("a = \"\\e\"", "line 1, column 6: unknown escape"),
	DOC("a = \"\\", "line 1, column 6: unknown escape"),
	DOC("a = \"\\u12g4\"", "line 1, column 6: this escape needs 4"),
	DOC("a = \"\\u12", "line 1, column 6: this escape needs 4"),
	DOC("a = \"\\uD800\"", "line 1, column 6: U+D800 is not a character"),
	DOC("a = \"\\U00110000\"", "line 1, column 6: U+110000 is not"),
	DOC("a = \"\"\"x \\ y\"\"\"", "line 1, column 10: unknown escape"),
	DOC("a = \"x\0y\"", "line 1, column 7: the control character U+0000 in a string"),
	DOC("a = 'x\x7Fy'", "line 1, column 7: the control character U+007F"),
	DOC("a = '''x\ry'''", "line 1, column 9: the control character U+000D"),
	DOC("a = \"\xC3\xA9\xC3\xA9\x01\"", "line 1, column 8: the control character U+0001"),
	DOC("# x\x1Fy", "line 1, column 4: the control character U+001F in a comment"),
	DOC("# x\ry", "line 1, column 4: the control character U+000D in a comment"),
	DOC("a = 1\rb = 2", "line 1, column 6: expected the end of the line, found the control"),
	DOC("a = 1\n# \xC3\xA9\xFF", "line 2, column 4: byte 10 of the file (0xFF) is not UTF-8"),
	DOC("a = '\xED\xA0\x80'", "line 1, column 6: byte 5 "),
	DOC("a = '\xC0\xAF'", "line 1, column 6: byte 5 "),
	DOC("a = '\xE2\x82", "line 1, column 6: byte 5 "),
	DOC("\xFF\xFE", "line 1, column 1: byte 0 "),
};

static const struct document wrong_trees[] = {
	DOC("= 1", "line 1, column 1: expected a key, found '='"),
	DOC("a", "line 1, column 2: expected '=' behind the key"),
	DOC("a.\nb = 1", "line 1, column 3: expected a key"),
	DOC("a..b = 1", "line 1, column 3: expected a key, found '.'"),
	DOC("\"\"\"a\"\"\" = 1", "line 1, column 3: expected '='"),
	DOC("\xC3\xA9 = 1", "line 1, column 1: expected a key, found '\xC3\xA9'"),
	DOC("[a", "line 1, column 3: expected ']' of the table's name"),
	DOC("[[a]", "line 1, column 5: expected ']]'"),
	DOC("[a]]", "line 1, column 4: expected the end of the line"),
	DOC("[]", "line 1, column 2: expected a key"),
	DOC("[ [a]]", "line 1, column 3: expected a key"),
	DOC("[a] b = 1", "line 1, column 5: expected the end of the line"),
	DOC("a = 1\na = 2", "line 2, column 1: the key \"a\" is already defined in line 1"),
	DOC("a = 1\n\"a\" = 2", "line 2, column 1: the key"),
	DOC("[a]\n[a]", "line 2, column 2: the table \"a\" is already defined in line 1"),
	DOC("[a.b]\n[a]\n[a.b]", "line 3, column 4: the table \"b\""),
	DOC("a = 1\n[a]", "line 2, column 2: the table \"a\""),
	DOC("a = 1\n[a.b]", "line 2, column 2: \"a\" is a complete value since line 1"),
	DOC("a = {}\n[a.b]", "line 2, column 2: \"a\" is a complete value"),
	DOC("a = {}\na.b = 1", "line 2, column 1: \"a\" was completed in line 1"),
	DOC("a = {b = {}}\n[a.b]", "line 2, column 2"),
	DOC("a = {b.c = 1, b = 2}", "line 1, column 15: the key \"b\""),
	DOC("a = {b = {c = 1}, b.d = 2}", "line 1, column 19: \"b\" was completed"),
	DOC("a.b = 1\n[a]", "line 2, column 2: the table \"a\" is already defined in line 1"),
	DOC("a.b = 1\na = 2", "line 2, column 1: the key \"a\""),
	DOC("[a.b.c]\n[a]\nb.c.t = 1", "line 3, column 3: \"c\" was completed in line 1"),
	DOC("[a.b.c]\n[a]\nb.d = 1\n[a.b]", "line 4, column 4: the table \"b\""),
	DOC("a = []\n[[a]]", "line 2, column 3: the name \"a\""),
	DOC("a = [{}]\n[a.b]", "line 2, column 2: \"a\" is a complete value"),
	DOC("[[a]]\n[a]", "line 2, column 2: the table \"a\""),
	DOC("[a]\n[[a]]", "line 2, column 3: the name \"a\""),
	DOC("[a.b]\n[[a]]", "line 2, column 3: the name \"a\""),
	DOC("[[a.b]]\n[a]\nb.y = 2", "line 3, column 1: \"b\" was completed"),
	DOC("a = 1\n<<<<<<< HEAD\nb = 1\n", "line 2, column 1: a merge conflict"),
	DOC("=======\n", "line 1, column 1: a merge conflict"),
};

UNIT(toml_refuses_wrong_documents_with_their_place)
{
	for (size_t i = 0; i < ROWS(wrong_values); i++) {
		check_wrong(wrong_values[i].text, wrong_values[i].n, wrong_values[i].want);
	}
	for (size_t i = 0; i < ROWS(wrong_strings); i++) {
		check_wrong(wrong_strings[i].text, wrong_strings[i].n, wrong_strings[i].want);
	}
	for (size_t i = 0; i < ROWS(wrong_trees); i++) {
		check_wrong(wrong_trees[i].text, wrong_trees[i].n, wrong_trees[i].want);
	}
}

/* ---- limits and size ---- */

static int parse_repeated(const char *head, const char *piece, size_t n, const char *tail,
	struct toml **root, struct arena *a)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct err e = ERR_INIT;

	buf_adds(&text, head);
	for (size_t i = 0; i < n; i++) {
		buf_adds(&text, piece);
	}
	buf_adds(&text, tail);
	return toml_parse(a, arena_str(a, buf_str(&text)), root, &e);
}

UNIT(toml_limits_the_depth)
{
	static const struct {
		const char *head, *piece, *tail;
		size_t most; /* pieces that still fit */
	} rows[] = {
		{ "a = ", "[", "1", 0 },
		{ "a.", "a.", "a = 1", LIMIT_TOML_DEPTH - 2 },
		{ "[a.", "a.", "a]", LIMIT_TOML_DEPTH - 2 },
		{ "a = ", "{a = ", "1", 0 },
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct arena a = ARENA_INIT;
		struct toml *root = NULL;

		ck_assert_int_eq(parse_repeated(rows[i].head, rows[i].piece, 100000, rows[i].tail,
					 &root, &a),
			-(int)RC_LIMIT);
		if (rows[i].most) {
			ck_assert_int_eq(parse_repeated(rows[i].head, rows[i].piece, rows[i].most,
						 rows[i].tail, &root, &a),
				0);
			ck_assert_int_eq(parse_repeated(rows[i].head, rows[i].piece,
						 rows[i].most + 1, rows[i].tail, &root, &a),
				-(int)RC_LIMIT);
		}
		arena_release(&a);
	}
}

UNIT(toml_counts_levels_of_sections_and_values_together)
{
	struct arena a = ARENA_INIT;
	struct toml *root = NULL;
	struct err e = ERR_INIT;
	CLEANUP_BUF struct buf text = BUF_INIT;

	buf_adds(&text, "[a");
	for (int i = 1; i < 32; i++) {
		buf_adds(&text, ".a");
	}
	buf_adds(&text, "]\nb = ");
	for (int i = 0; i < 32; i++) {
		buf_addc(&text, '[');
	}
	for (int i = 0; i < 32; i++) {
		buf_addc(&text, ']');
	}
	ck_assert_int_eq(toml_parse(&a, buf_str(&text), &root, &e), 0);
	buf_adds(&text,
		"\nc = [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]\n");
	ck_assert_int_eq(toml_parse(&a, buf_str(&text), &root, &e), -(int)RC_LIMIT);
	arena_release(&a);
}

UNIT(toml_limits_bytes_and_values)
{
	struct arena a = ARENA_INIT;
	struct toml *root = NULL;
	struct err e = ERR_INIT;
	struct str huge = { "", LIMIT_LOCK + 1 };

	ck_assert_int_eq(toml_parse(&a, huge, &root, &e), -(int)RC_LIMIT);
	ck_assert_int_eq(
		parse_repeated("a=[", "1,", TOML_VALUES_MAX, "]", &root, &a), -(int)RC_LIMIT);
	arena_release(&a);
}

/* Quadratic work would take hours here, and the harness stops a test after two minutes. */
UNIT(toml_is_linear_in_keys_and_elements)
{
	enum { KEYS = 400000 };
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct arena a = ARENA_INIT;
	struct toml *root = NULL;
	struct err e = ERR_INIT;

	for (int i = 0; i < KEYS; i++) {
		buf_addf(&text, "k%d = %d\n", i, i);
	}
	ck_assert_int_eq(toml_parse(&a, buf_str(&text), &root, &e), 0);
	ck_assert_uint_eq(root->count, KEYS);
	ck_assert_int_eq(toml_get(root, "k399999")->integer, 399999);
	ck_assert_ptr_null(toml_get(root, "k400000"));
	buf_adds(&text, "k7 = 0\n");
	ck_assert_int_eq(toml_parse(&a, buf_str(&text), &root, &e), -(int)RC_SYNTAX);
	arena_release(&a);
	ck_assert_int_eq(parse_repeated("", "[[a]]\nb.c=1\n", 150000, "", &root, &a), 0);
	ck_assert_uint_eq(toml_get(root, "a")->count, 150000);
	arena_release(&a);
	ck_assert_int_eq(parse_repeated("a=[", "1,", KEYS, "]", &root, &a), 0);
	ck_assert_uint_eq(toml_get(root, "a")->last->column, 4 + 2 * (KEYS - 1));
	arena_release(&a);
}

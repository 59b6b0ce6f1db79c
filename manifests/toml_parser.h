/* The TOML parser's inside, shared by toml.c (documents, keys, headers), toml_tree.c (tables and
 * who may extend them), toml_value.c (arrays, inline tables), toml_scalar.c (numbers, dates) and
 * toml_text.c (strings, places, errors). Nobody else includes it. */
#ifndef MANIFESTS_TOML_PARSER_H
#define MANIFESTS_TOML_PARSER_H

#include "manifests/limits.h"
#include "manifests/toml.h"

/* How a table or an array came to be, and so who may still add to it. */
enum toml_state {
	TOML_PLAIN = 0,    /* values, and arrays written as [..]: complete */
	TOML_BY_HEADER,    /* [x], an element of [[x]], the root: its own section fills it */
	TOML_BY_SUBHEADER, /* x of [x.y]: may still be defined by [x], or by dotted keys, once */
	TOML_BY_KEY,       /* x of "x.y = 1": more dotted keys, and headers of tables inside it */
	TOML_OPEN_INLINE,  /* { while it is being read */
	TOML_CLOSED_INLINE,
	TOML_OF_TABLES, /* an array made by [[x]] */
};

struct toml_parser {
	struct arena *arena;
	const char *p, *end;
	const char *line_begin;
	unsigned line;
	const char *mark; /* columns are counted on from here: a long line is counted once */
	unsigned mark_column;
	unsigned depth; /* of the table or array that is being filled */
	size_t values;
	struct err *e;
};

struct toml_place {
	unsigned line, column;
};

struct toml_key {
	struct str name;
	struct toml_place place;
};

struct toml_path { /* a dotted key */
	struct toml_key part[LIMIT_TOML_DEPTH];
	size_t n;
};

/* ---- toml_text.c ---- */
struct toml_place toml_here(struct toml_parser *t); /* of t->p */
int toml_fail(struct toml_parser *t, struct toml_place at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int toml_expected(struct toml_parser *t, const char *what); /* "expected WHAT, found '%'" at t->p */
bool toml_skip_newline(struct toml_parser *t); /* LF or CRLF; false where there is none */
void toml_skip_space(struct toml_parser *t);
int toml_skip_comment(struct toml_parser *t);
int toml_skip_blank(struct toml_parser *t); /* space, newlines, comments */
int toml_read_string(struct toml_parser *t, bool may_span_lines, struct str *out);

/* ---- toml.c ---- */
int toml_read_path(struct toml_parser *t, struct toml_path *path);
int toml_read_pair(struct toml_parser *t, struct toml *table); /* key = value */

/* ---- toml_value.c, toml_scalar.c ---- */
int toml_read_value(struct toml_parser *t, struct toml *v);
int toml_read_scalar(struct toml_parser *t, struct toml *v);

/* ---- toml_tree.c ---- */
/* NULL and the error in t->e when there are too many. */
struct toml *toml_node(struct toml_parser *t, enum toml_type type, struct toml_place at);
void toml_append(struct toml_parser *t, struct toml *parent, struct toml *child);
int toml_deeper(struct toml_parser *t, size_t levels); /* t->depth += levels, or RC_LIMIT */
/* The table that the header [path] (or [[path]]) opens. */
int toml_open_section(struct toml_parser *t, struct toml *root, const struct toml_path *path,
	bool is_array, struct toml **out);
/* The table that holds the last part of a dotted key; that part must be new. */
int toml_open_pair(
	struct toml_parser *t, struct toml *table, const struct toml_path *path, struct toml **out);

#endif

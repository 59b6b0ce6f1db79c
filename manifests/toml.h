/* TOML 1.0, strict (toml.io/en/v1.0.0): the whole document becomes a tree in the caller's arena.
 * Errors say "line L, column C" (columns count characters from 1). Every value knows its line. */
#ifndef MANIFESTS_TOML_H
#define MANIFESTS_TOML_H

#include "manifests/base/arena.h"
#include "manifests/base/buf.h"
#include "manifests/base/err.h"

enum toml_type {
	TOML_STRING = 1,
	TOML_INTEGER,
	TOML_FLOAT,
	TOML_BOOL,
	TOML_DATETIME,
	TOML_LOCAL_DATETIME,
	TOML_LOCAL_DATE,
	TOML_LOCAL_TIME,
	TOML_ARRAY,
	TOML_TABLE
};

struct toml { /* one value */
	enum toml_type type;
	unsigned line, column; /* where it begins */
	struct str key;        /* its key, decoded; elements have their array's */
	struct str text;       /* TOML_STRING: decoded; dates: normalised RFC 3339 text */
	int64_t integer;
	double number;
	bool truth;
	struct toml *first, *last; /* arrays and tables, in order of writing */
	struct toml *next;         /* its sibling */
	size_t count;              /* of children */
	struct toml_index *index;  /* large tables only; private */
	unsigned char state;       /* private to the parser */
	unsigned key_column;       /* where its key begins; a table's: in its header */
};

/* A value takes about 150 bytes: this keeps the worst 16 MiB of text under 160 MiB of tree. */
enum { TOML_VALUES_MAX = 1000000 };

/* At most LIMIT_LOCK bytes, depth LIMIT_TOML_DEPTH, TOML_VALUES_MAX values. RC_SYNTAX, RC_LIMIT.
 * `text` must outlive the tree. Line breaks inside strings become "\n". */
int toml_parse(struct arena *a, struct str text, struct toml **root, struct err *e);

const struct toml *toml_get(const struct toml *table, const char *key); /* NULL: absent */
/* Typed members; absent leaves *out alone and is success. A wrong type is RC_SYNTAX, with place. */
int toml_opt_str(const struct toml *table, const char *key, struct str *out, struct err *e);
int toml_opt_bool(const struct toml *table, const char *key, bool *out, struct err *e);
int toml_opt_u64(const struct toml *table, const char *key, uint64_t *out, struct err *e);
/* A list of strings, or one string where `or_one`. */
int toml_opt_strs(struct arena *a, const struct toml *table, const char *key, bool or_one,
	struct str **out, size_t *n, struct err *e);
int toml_need_str(const struct toml *table, const char *key, struct str *out, struct err *e);
/* Children of an array of tables (or NULL); anything else than an array of tables is RC_SYNTAX. */
int toml_opt_tables(
	const struct toml *table, const char *key, const struct toml **first, struct err *e);
int toml_opt_table(
	const struct toml *table, const char *key, const struct toml **out, struct err *e);
/* Refuses keys that are not in `allowed` (ends in NULL): names key, place, and the nearest one. */
int toml_only(const struct toml *table, const char *const *allowed, struct err *e);
/* A basic string with quotes and escapes, for writers. */
void toml_put_str(struct buf *out, struct str text);

#endif

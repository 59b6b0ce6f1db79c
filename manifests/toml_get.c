#include "manifests/toml.h"

#include <inttypes.h>
#include <string.h>

static const char *type_name(const struct toml *v)
{
	static const char *const names[] = { [TOML_STRING] = "a string",
		[TOML_INTEGER] = "an integer",
		[TOML_FLOAT] = "a float",
		[TOML_BOOL] = "a boolean",
		[TOML_DATETIME] = "a date",
		[TOML_LOCAL_DATETIME] = "a date",
		[TOML_LOCAL_DATE] = "a date",
		[TOML_LOCAL_TIME] = "a time",
		[TOML_ARRAY] = "a list",
		[TOML_TABLE] = "a table" };

	return names[v->type];
}

static int wrong_type(const struct toml *v, const char *wanted, struct err *e)
{
	err_set(e, RC_SYNTAX, "line %u, column %u: \"%.*s\" is %s, where %s is expected", v->line,
		v->column, STR_ARG(str_first(v->key, 100)), type_name(v), wanted);
	if (strcmp(wanted, "a string") == 0 && (v->type == TOML_FLOAT || v->type == TOML_INTEGER)) {
		err_hint(e, "put it in quotes");
	}
	return -(int)e->rc;
}

int toml_opt_str(const struct toml *table, const char *key, struct str *out, struct err *e)
{
	const struct toml *v = toml_get(table, key);

	if (v && v->type != TOML_STRING) {
		return wrong_type(v, "a string", e);
	}
	if (v) {
		*out = v->text;
	}
	return 0;
}

int toml_need_str(const struct toml *table, const char *key, struct str *out, struct err *e)
{
	if (!toml_get(table, key)) {
		return err_set(e, RC_SYNTAX, "line %u, column %u: the key \"%s\" is missing",
			table->line, table->column, key);
	}
	return toml_opt_str(table, key, out, e);
}

int toml_opt_bool(const struct toml *table, const char *key, bool *out, struct err *e)
{
	const struct toml *v = toml_get(table, key);

	if (v && v->type != TOML_BOOL) {
		return wrong_type(v, "true or false", e);
	}
	if (v) {
		*out = v->truth;
	}
	return 0;
}

int toml_opt_u64(const struct toml *table, const char *key, uint64_t *out, struct err *e)
{
	const struct toml *v = toml_get(table, key);

	if (v && v->type != TOML_INTEGER) {
		return wrong_type(v, "an integer", e);
	}
	if (v && v->integer < 0) {
		return err_set(e, RC_SYNTAX, "line %u, column %u: \"%s\" is negative: %" PRId64,
			v->line, v->column, key, v->integer);
	}
	if (v) {
		*out = (uint64_t)v->integer;
	}
	return 0;
}

int toml_opt_strs(struct arena *a, const struct toml *table, const char *key, bool or_one,
	struct str **out, size_t *n, struct err *e)
{
	const struct toml *v = toml_get(table, key), *first = v;
	size_t count = 1, i = 0;

	if (!v) {
		return 0;
	}
	if (v->type == TOML_ARRAY) {
		first = v->first;
		count = v->count;
	} else if (!or_one || v->type != TOML_STRING) {
		return wrong_type(v, "a list of strings", e);
	}
	struct str *list = arena_array(a, count, sizeof(*list));
	for (const struct toml *s = first; i < count; s = s->next, i++) {
		if (s->type != TOML_STRING) {
			return wrong_type(s, "a string", e);
		}
		list[i] = s->text;
	}
	*out = list;
	*n = count;
	return 0;
}

int toml_opt_tables(
	const struct toml *table, const char *key, const struct toml **first, struct err *e)
{
	const struct toml *v = toml_get(table, key);

	if (v && v->type != TOML_ARRAY) {
		wrong_type(v, "a list of tables", e);
		return v->type == TOML_TABLE ? err_hint(e, "write [[%s]] instead of [%s]", key, key)
					     : -(int)e->rc;
	}
	for (const struct toml *c = v ? v->first : NULL; c; c = c->next) {
		if (c->type != TOML_TABLE) {
			return wrong_type(c, "a table", e);
		}
	}
	*first = v ? v->first : NULL;
	return 0;
}

int toml_opt_table(
	const struct toml *table, const char *key, const struct toml **out, struct err *e)
{
	const struct toml *v = toml_get(table, key);

	if (v && v->type != TOML_TABLE) {
		wrong_type(v, "a table", e);
		return v->type == TOML_ARRAY ? err_hint(e, "write [%s] instead of [[%s]]", key, key)
					     : -(int)e->rc;
	}
	if (v) {
		*out = v;
	}
	return 0;
}

/* ---- unknown keys ---- */

enum { KEY_MAX = 48 }; /* longer keys are near to nothing */

static char folded(char c)
{
	return c == '_' ? '-' : c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Edits (Levenshtein) from one to the other; case, '_' and '-' do not count. */
static size_t distance(struct str a, struct str b)
{
	size_t row[KEY_MAX + 1];

	if (a.n > KEY_MAX || b.n > KEY_MAX) {
		return KEY_MAX;
	}
	for (size_t j = 0; j <= b.n; j++) {
		row[j] = j;
	}
	for (size_t i = 0; i < a.n; i++) {
		size_t diagonal = row[0];

		row[0] = i + 1;
		for (size_t j = 0; j < b.n; j++) {
			size_t change = diagonal + (folded(a.p[i]) != folded(b.p[j]));

			diagonal = row[j + 1];
			row[j + 1] = least(change, 1 + least(row[j], row[j + 1]));
		}
	}
	return row[b.n];
}

static const char *nearest(struct str key, const char *const *allowed)
{
	const char *best = NULL;
	size_t best_distance = key.n < 4 ? 2 : 3; /* less than that is near */

	for (size_t i = 0; allowed[i]; i++) {
		size_t d = distance(key, str_of(allowed[i]));
		bool extends = strlen(allowed[i]) >= 3 && str_starts(key, allowed[i]);

		if (d >= best_distance && extends && !best) {
			best = allowed[i];
		} else if (d < best_distance) {
			best = allowed[i];
			best_distance = d;
		}
	}
	return best;
}

static int refuse_key(
	const struct toml *table, const struct toml *v, const char *const *allowed, struct err *e)
{
	const char *near = nearest(v->key, allowed);
	CLEANUP_BUF struct buf where = BUF_INIT, list = BUF_INIT;

	if (table->key.n) {
		buf_addf(&where, " in \"%.*s\"", STR_ARG(str_first(table->key, 100)));
	}
	for (size_t i = 0; allowed[i]; i++) {
		buf_addf(&list, "%s%s", i ? ", " : "", allowed[i]);
	}
	err_set(e, RC_SYNTAX, "line %u, column %u: unknown key \"%.*s\"%.*s%s%s%s", v->line,
		v->key_column, STR_ARG(str_first(v->key, 100)), STR_ARG(buf_str(&where)),
		near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
	return err_hint(e, "the keys here are %.*s", STR_ARG(buf_str(&list)));
}

int toml_only(const struct toml *table, const char *const *allowed, struct err *e)
{
	for (const struct toml *v = table->first; v; v = v->next) {
		size_t i = 0;

		while (allowed[i] && !str_is(v->key, allowed[i])) {
			i++;
		}
		if (!allowed[i]) {
			return refuse_key(table, v, allowed, e);
		}
	}
	return 0;
}

/* ---- writing ---- */

void toml_put_str(struct buf *out, struct str text)
{
	static const char letters[] = "\b\t\n\f\r\"\\", written[] = "btnfr\"\\";

	buf_addc(out, '"');
	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];
		const char *which = c ? strchr(letters, c) : NULL;

		if (which) {
			buf_addc(out, '\\');
			buf_addc(out, written[which - letters]);
		} else if (c < 0x20 || c == 0x7F) {
			buf_addf(out, "\\u%04X", c);
		} else {
			buf_addc(out, (char)c);
		}
	}
	buf_addc(out, '"');
}

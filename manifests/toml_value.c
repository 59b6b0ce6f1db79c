#include "manifests/toml_parser.h"

#include <string.h>

static int read_elements(struct toml_parser *t, struct toml *array)
{
	for (;;) {
		if (toml_skip_blank(t)) {
			return -(int)t->e->rc;
		}
		if (t->p < t->end && *t->p == ']') {
			t->p++;
			return 0;
		}
		struct toml *v = toml_node(t, TOML_STRING, toml_here(t));
		if (!v || toml_read_value(t, v)) {
			return -(int)t->e->rc;
		}
		v->key = array->key;
		toml_append(t, array, v);
		if (toml_skip_blank(t)) {
			return -(int)t->e->rc;
		}
		if (t->p == t->end || (*t->p != ',' && *t->p != ']')) {
			return toml_expected(t, "',' or ']' of the array");
		}
		t->p += *t->p == ',';
	}
}

/* TOML 1.0: on one line, and no comma before the brace. */
static int read_members(struct toml_parser *t, struct toml *table)
{
	toml_skip_space(t);
	if (t->p < t->end && *t->p == '}') {
		t->p++;
		return 0;
	}
	for (;;) {
		toml_skip_space(t);
		if (toml_read_pair(t, table)) {
			return -(int)t->e->rc;
		}
		toml_skip_space(t);
		if (t->p == t->end || (*t->p != ',' && *t->p != '}')) {
			return toml_expected(t, "',' or '}' of the inline table");
		}
		if (*t->p++ == '}') {
			return 0;
		}
	}
}

static int read_container(struct toml_parser *t, struct toml *v)
{
	bool is_array = *t->p == '[';
	unsigned depth = t->depth;

	if (toml_deeper(t, 1)) {
		return -(int)t->e->rc;
	}
	t->p++;
	v->type = is_array ? TOML_ARRAY : TOML_TABLE;
	v->state = is_array ? TOML_PLAIN : TOML_OPEN_INLINE;
	if (is_array ? read_elements(t, v) : read_members(t, v)) {
		return -(int)t->e->rc;
	}
	v->state = is_array ? TOML_PLAIN : TOML_CLOSED_INLINE;
	t->depth = depth;
	return 0;
}

int toml_read_value(struct toml_parser *t, struct toml *v)
{
	struct toml_place at = toml_here(t);

	v->line = at.line;
	v->column = at.column;
	if (t->p == t->end || !strchr("\"'[{", *t->p) || *t->p == '\0') {
		return toml_read_scalar(t, v);
	}
	if (*t->p == '[' || *t->p == '{') {
		return read_container(t, v);
	}
	v->type = TOML_STRING;
	return toml_read_string(t, true, &v->text);
}

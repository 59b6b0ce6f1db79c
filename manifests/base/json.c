#include "manifests/base/json.h"
#include "manifests/base/arena.h"
#include "manifests/base/mem.h"

#include <assert.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names that Jansson has as macros and we as functions. */
#undef json_is_object
#undef json_is_array
#undef json_is_string
#undef json_is_null

/* A node of ours: Jansson parses, and its tree is copied into one that can be walked without it. */
enum json_type { NODE_OBJECT, NODE_ARRAY, NODE_STRING, NODE_NUMBER, NODE_BOOL, NODE_NULL };

struct json {
	enum json_type type;
	bool truth, is_whole; /* a number from 0 to 2^53 */
	uint64_t number;
	struct str text, key;
	struct json *first, *next;
	struct arena arena; /* the root's alone: owns all nodes */
};

static int too_deep(struct err *e)
{
	return err_set(e, RC_SYNTAX, "JSON: nested deeper than %d", JSON_DEPTH_MAX);
}

static int copy_node(struct arena *a, json_t *from, int depth, struct json *to, struct err *e);

static int copy_array(struct arena *a, json_t *from, int depth, struct json *to, struct err *e)
{
	struct json **at = &to->first;

	for (size_t i = 0; i < json_array_size(from); i++) {
		*at = arena_alloc(a, sizeof(**at));
		int r = copy_node(a, json_array_get(from, i), depth, *at, e);

		if (r) {
			return r;
		}
		at = &(*at)->next;
	}
	return 0;
}

static int copy_object(struct arena *a, json_t *from, int depth, struct json *to, struct err *e)
{
	struct json **at = &to->first;

	for (void *i = json_object_iter(from); i; i = json_object_iter_next(from, i)) {
		*at = arena_alloc(a, sizeof(**at));
		(*at)->key = arena_str(a, str_of(json_object_iter_key(i)));
		int r = copy_node(a, json_object_iter_value(i), depth, *at, e);

		if (r) {
			return r;
		}
		at = &(*at)->next;
	}
	return 0;
}

static void copy_number(json_t *from, struct json *to)
{
	const json_int_t max = (json_int_t)1 << 53;

	to->type = NODE_NUMBER;
	if (json_typeof(from) == JSON_INTEGER && json_integer_value(from) >= 0 && json_integer_value(from) <= max) {
		to->is_whole = true;
		to->number = (uint64_t)json_integer_value(from);
	}
}

static int copy_node(struct arena *a, json_t *from, int depth, struct json *to, struct err *e)
{
	switch (json_typeof(from)) {
	case JSON_OBJECT:
		to->type = NODE_OBJECT;
		return depth == JSON_DEPTH_MAX ? too_deep(e)
					       : copy_object(a, from, depth + 1, to, e);
	case JSON_ARRAY:
		to->type = NODE_ARRAY;
		return depth == JSON_DEPTH_MAX ? too_deep(e) : copy_array(a, from, depth + 1, to, e);
	case JSON_STRING:
		to->type = NODE_STRING;
		to->text = arena_str(a,
			(struct str){ json_string_value(from), json_string_length(from) });
		return 0;
	case JSON_INTEGER:
	case JSON_REAL:
		copy_number(from, to);
		return 0;
	case JSON_TRUE:
	case JSON_FALSE:
		to->type = NODE_BOOL;
		to->truth = json_typeof(from) == JSON_TRUE;
		return 0;
	case JSON_NULL:
		to->type = NODE_NULL;
		return 0;
	}
	return err_set(e, RC_BUG, "JSON: a type that does not exist");
}

int json_parse(struct str text, struct json **out, struct err *e)
{
	json_error_t why;
	json_t *tree = json_loadb(text.p ? text.p : "", text.n, JSON_REJECT_DUPLICATES, &why);

	if (!tree) {
		return err_set(e, RC_SYNTAX, "JSON: line %d, column %d: %s", why.line, why.column, why.text);
	}
	struct json *root = mem_alloc(sizeof(*root));
	int r = copy_node(&root->arena, tree, 0, root, e);
	json_decref(tree);
	if (r) {
		json_free(root);
		return r;
	}
	*out = root;
	return 0;
}

void json_free(struct json *document)
{
	if (document) {
		arena_release(&document->arena);
		free(document);
	}
}

void cleanup_json(struct json **document)
{
	json_free(*document);
}

bool json_is_object(const struct json *v)
{
	return v && v->type == NODE_OBJECT;
}

bool json_is_array(const struct json *v)
{
	return v && v->type == NODE_ARRAY;
}

bool json_is_string(const struct json *v)
{
	return v && v->type == NODE_STRING;
}

bool json_is_bool(const struct json *v)
{
	return v && v->type == NODE_BOOL;
}

bool json_is_null(const struct json *v)
{
	return v && v->type == NODE_NULL;
}

const struct json *json_get(const struct json *object, const char *key)
{
	if (json_is_object(object)) {
		for (const struct json *m = object->first; m; m = m->next) {
			if (str_is(m->key, key)) {
				return m;
			}
		}
	}
	return NULL;
}

const struct json *json_first(const struct json *container)
{
	return container ? container->first : NULL;
}

const struct json *json_next(const struct json *v)
{
	return v->next;
}

size_t json_count(const struct json *container)
{
	size_t n = 0;

	for (const struct json *v = json_first(container); v; v = json_next(v)) {
		n++;
	}
	return n;
}

static int wrong_type(const char *what, const char *type, struct err *e)
{
	return err_set(e, RC_SYNTAX, "%s: not %s", what, type);
}

int json_to_str(const struct json *v, const char *what, struct str *out, struct err *e)
{
	if (!v || !json_is_string(v)) {
		return wrong_type(what, "a string", e);
	}
	*out = v->text;
	return 0;
}

int json_to_u64(const struct json *v, const char *what, uint64_t *out, struct err *e)
{
	if (!v || v->type != NODE_NUMBER || !v->is_whole) {
		return wrong_type(what, "a whole number from 0 to 2^53", e);
	}
	*out = v->number;
	return 0;
}

int json_to_bool(const struct json *v, const char *what, bool *out, struct err *e)
{
	if (!v || !json_is_bool(v)) {
		return wrong_type(what, "true or false", e);
	}
	*out = v->truth;
	return 0;
}

int json_need_str(const struct json *object, const char *key, struct str *out, struct err *e)
{
	return json_to_str(json_get(object, key), key, out, e);
}

int json_need_u64(const struct json *object, const char *key, uint64_t *out, struct err *e)
{
	return json_to_u64(json_get(object, key), key, out, e);
}

int json_need_bool(const struct json *object, const char *key, bool *out, struct err *e)
{
	return json_to_bool(json_get(object, key), key, out, e);
}

int json_need_array(const struct json *object, const char *key, const struct json **out, struct err *e)
{
	const struct json *v = json_get(object, key);

	if (!v || !json_is_array(v)) {
		return wrong_type(key, "a list", e);
	}
	*out = v;
	return 0;
}

int json_need_object(const struct json *object, const char *key, const struct json **out, struct err *e)
{
	const struct json *v = json_get(object, key);

	if (!v || !json_is_object(v)) {
		return wrong_type(key, "an object", e);
	}
	*out = v;
	return 0;
}

int json_opt_str(const struct json *object, const char *key, struct str *out, struct err *e)
{
	const struct json *v = json_get(object, key);

	return v && !json_is_null(v) ? json_to_str(v, key, out, e) : 0;
}

int json_opt_u64(const struct json *object, const char *key, uint64_t *out, struct err *e)
{
	const struct json *v = json_get(object, key);

	return v && !json_is_null(v) ? json_to_u64(v, key, out, e) : 0;
}

int json_opt_bool(const struct json *object, const char *key, bool *out, struct err *e)
{
	const struct json *v = json_get(object, key);

	return v && !json_is_null(v) ? json_to_bool(v, key, out, e) : 0;
}

/* ---- writing ---- */

void json_out_init(struct json_out *o, struct buf *to, bool sorted)
{
	memset(o, 0, sizeof(*o));
	o->to = to;
	o->sorted = sorted;
}

static void before_value(struct json_out *o)
{
	if (o->comma) {
		buf_addc(o->to, ',');
	}
	o->comma = true;
}

static void open_container(struct json_out *o, char c)
{
	before_value(o);
	buf_addc(o->to, c);
	o->comma = false;
	o->depth++;
	assert(o->depth < JSON_DEPTH_MAX);
	o->last_key[o->depth][0] = '\0';
}

static void close_container(struct json_out *o, char c)
{
	buf_addc(o->to, c);
	o->comma = true;
	o->depth--;
}

void json_begin_object(struct json_out *o)
{
	open_container(o, '{');
}

void json_end_object(struct json_out *o)
{
	close_container(o, '}');
}

void json_begin_array(struct json_out *o)
{
	open_container(o, '[');
}

void json_end_array(struct json_out *o)
{
	close_container(o, ']');
}

static void put_escaped(struct buf *to, unsigned char c)
{
	static const char *const short_form[0x20] = {
		['\b'] = "\\b", ['\t'] = "\\t", ['\n'] = "\\n", ['\f'] = "\\f", ['\r'] = "\\r",
	};

	if (c == '"' || c == '\\') {
		buf_addf(to, "\\%c", c);
	} else if (c < 0x20 && short_form[c]) {
		buf_adds(to, short_form[c]);
	} else if (c < 0x20) {
		buf_addf(to, "\\u%04x", c);
	} else {
		buf_addc(to, (char)c);
	}
}

static void put_quoted(struct buf *to, struct str text)
{
	bool utf8 = str_is_utf8(text);

	buf_addc(to, '"');
	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];

		if (c >= 0x80 && !utf8) {
			buf_adds(to, "\xEF\xBF\xBD");
		} else {
			put_escaped(to, c);
		}
	}
	buf_addc(to, '"');
}

void json_put_key(struct json_out *o, const char *key)
{
	if (o->sorted) {
		char *last = o->last_key[o->depth];

		assert(strlen(key) < sizeof(o->last_key[0]) && strcmp(last, key) < 0);
		snprintf(last, sizeof(o->last_key[0]), "%s", key);
	}
	before_value(o);
	put_quoted(o->to, str_of(key));
	buf_addc(o->to, ':');
	o->comma = false;
}

void json_put_str(struct json_out *o, struct str text)
{
	before_value(o);
	put_quoted(o->to, text);
}

void json_put_u64(struct json_out *o, uint64_t number)
{
	before_value(o);
	buf_addf(o->to, "%" PRIu64, number);
}

void json_put_bool(struct json_out *o, bool truth)
{
	before_value(o);
	buf_adds(o->to, truth ? "true" : "false");
}

void json_put_null(struct json_out *o)
{
	before_value(o);
	buf_adds(o->to, "null");
}

void json_str(struct json_out *o, const char *key, struct str text)
{
	json_put_key(o, key);
	json_put_str(o, text);
}

void json_cstr(struct json_out *o, const char *key, const char *text)
{
	json_put_key(o, key);
	if (text) {
		json_put_str(o, str_of(text));
	} else {
		json_put_null(o);
	}
}

void json_u64(struct json_out *o, const char *key, uint64_t number)
{
	json_put_key(o, key);
	json_put_u64(o, number);
}

void json_bool(struct json_out *o, const char *key, bool truth)
{
	json_put_key(o, key);
	json_put_bool(o, truth);
}

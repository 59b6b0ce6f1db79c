#include "manifests/base/json.h"
#include "manifests/base/mem.h"

#include <assert.h>
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* `struct json` is cJSON's node under a name of ours, so that no caller can see the library. */
static const cJSON *node(const struct json *v)
{
	return (const cJSON *)(const void *)v;
}

static const struct json *value(const cJSON *n)
{
	return (const struct json *)(const void *)n;
}

static int by_key(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int check_keys(const cJSON *object, struct err *e)
{
	size_t n = 0, count = 0;

	for (const cJSON *m = object->child; m; m = m->next) {
		count++;
	}
	CLEANUP(free) const char **keys = mem_array(count, sizeof(*keys));
	for (const cJSON *m = object->child; m; m = m->next) {
		keys[n++] = m->string;
	}
	qsort(keys, count, sizeof(*keys), by_key);
	for (size_t i = 1; i < count; i++) {
		if (strcmp(keys[i - 1], keys[i]) == 0) {
			return err_set(e, RC_SYNTAX, "JSON: the key \"%.100s\" stands twice", keys[i]);
		}
	}
	return 0;
}

static int check_tree(const cJSON *v, int depth, struct err *e)
{
	if (depth > JSON_DEPTH_MAX) {
		return err_set(e, RC_SYNTAX, "JSON: nested deeper than %d", JSON_DEPTH_MAX);
	}
	if (cJSON_IsObject(v)) {
		int r = check_keys(v, e);

		if (r) {
			return r;
		}
	}
	if (cJSON_IsObject(v) || cJSON_IsArray(v)) {
		for (const cJSON *m = v->child; m; m = m->next) {
			int r = check_tree(m, depth + 1, e);

			if (r) {
				return r;
			}
		}
	}
	return 0;
}

static int too_deep(struct str text, struct err *e)
{
	int depth = 0;
	bool quoted = false;

	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];

		if (quoted && c == '\\') {
			i++;
		} else if (c == '"') {
			quoted = !quoted;
		} else if (!quoted && (c == '[' || c == '{') && ++depth > JSON_DEPTH_MAX) {
			return err_set(e, RC_SYNTAX, "JSON: nested deeper than %d", JSON_DEPTH_MAX);
		} else if (!quoted && (c == ']' || c == '}')) {
			depth--;
		}
	}
	return 0;
}

int json_parse(struct str text, struct json **out, struct err *e)
{
	const char *end = NULL;

	if (!str_is_utf8(text) || (text.n && memchr(text.p, '\0', text.n))) {
		return err_set(e, RC_SYNTAX, "JSON: not UTF-8 text");
	}
	int r = too_deep(text, e);
	if (r) {
		return r;
	}
	cJSON *root = cJSON_ParseWithLengthOpts(text.p ? text.p : "", text.n, &end, false);
	if (!root) {
		size_t at = end && text.p ? (size_t)(end - text.p) : 0;

		return err_set(e, RC_SYNTAX, "JSON: not a value at byte %zu", at);
	}
	if (str_trim(str_skip(text, (size_t)(end - text.p))).n) {
		cJSON_Delete(root);
		return err_set(e, RC_SYNTAX, "JSON: text follows the value");
	}
	r = check_tree(root, 1, e);
	if (r) {
		cJSON_Delete(root);
		return r;
	}
	*out = (struct json *)(void *)root;
	return 0;
}

void json_free(struct json *document)
{
	cJSON_Delete((cJSON *)(void *)document);
}

void cleanup_json(struct json **document)
{
	json_free(*document);
}

bool json_is_object(const struct json *v)
{
	return cJSON_IsObject(node(v));
}

bool json_is_array(const struct json *v)
{
	return cJSON_IsArray(node(v));
}

bool json_is_string(const struct json *v)
{
	return cJSON_IsString(node(v));
}

bool json_is_bool(const struct json *v)
{
	return cJSON_IsBool(node(v));
}

bool json_is_null(const struct json *v)
{
	return cJSON_IsNull(node(v));
}

const struct json *json_get(const struct json *object, const char *key)
{
	return json_is_object(object) ? value(cJSON_GetObjectItemCaseSensitive(node(object), key)) : NULL;
}

const struct json *json_first(const struct json *container)
{
	return container ? value(node(container)->child) : NULL;
}

const struct json *json_next(const struct json *v)
{
	return value(node(v)->next);
}

size_t json_count(const struct json *container)
{
	size_t n = 0;

	for (const struct json *v = json_first(container); v; v = json_next(v)) {
		n++;
	}
	return n;
}

const char *json_key(const struct json *member)
{
	return node(member)->string;
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
	*out = str_of(node(v)->valuestring);
	return 0;
}

int json_to_u64(const struct json *v, const char *what, uint64_t *out, struct err *e)
{
	double d = v && cJSON_IsNumber(node(v)) ? node(v)->valuedouble : -1;

	if (!(d >= 0 && d <= 9007199254740992.0) || (double)(uint64_t)d != d) {
		return wrong_type(what, "a whole number from 0 to 2^53", e);
	}
	*out = (uint64_t)d;
	return 0;
}

int json_to_bool(const struct json *v, const char *what, bool *out, struct err *e)
{
	if (!v || !json_is_bool(v)) {
		return wrong_type(what, "true or false", e);
	}
	*out = cJSON_IsTrue(node(v));
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

void json_object(struct json_out *o)
{
	open_container(o, '{');
}

void json_object_end(struct json_out *o)
{
	close_container(o, '}');
}

void json_array(struct json_out *o)
{
	open_container(o, '[');
}

void json_array_end(struct json_out *o)
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

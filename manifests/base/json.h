/* JSON (RFC 8259) at the edge: a reader of typed members with the path in every error, and a
 * streaming writer. The reader refuses what is not UTF-8, text behind the value, duplicate keys, a
 * depth over JSON_DEPTH_MAX, and integers that are not exact (over 2^53). Jansson does the parsing. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "manifests/base/buf.h"
#include "manifests/base/err.h"

#include <stdint.h>

enum { JSON_DEPTH_MAX = 16 };

/* ---- reading ---- */
struct json; /* a value; belongs to the document that json_parse made */

int json_parse(struct str text, struct json **out, struct err *e); /* RC_SYNTAX */
void json_free(struct json *document);
#define CLEANUP_JSON __attribute__((cleanup(cleanup_json)))
void cleanup_json(struct json **document);

bool json_is_object(const struct json *v);
bool json_is_array(const struct json *v);
bool json_is_string(const struct json *v);
bool json_is_bool(const struct json *v);
bool json_is_null(const struct json *v);

/* A member of an object, or NULL where it is absent. */
const struct json *json_get(const struct json *object, const char *key);
/* Members and elements in order: for (v = json_first(a); v; v = json_next(v)). */
const struct json *json_first(const struct json *container);
const struct json *json_next(const struct json *v);
size_t json_count(const struct json *container);

/* The value as a type; anything else is RC_SYNTAX naming `what`. Strings live as long as the document. */
int json_to_str(const struct json *v, const char *what, struct str *out, struct err *e);
int json_to_u64(const struct json *v, const char *what, uint64_t *out, struct err *e);
int json_to_bool(const struct json *v, const char *what, bool *out, struct err *e);
/* A member that must be there. */
int json_need_str(const struct json *object, const char *key, struct str *out, struct err *e);
int json_need_u64(const struct json *object, const char *key, uint64_t *out, struct err *e);
int json_need_bool(const struct json *object, const char *key, bool *out, struct err *e);
int json_need_array(const struct json *object, const char *key, const struct json **out, struct err *e);
int json_need_object(const struct json *object, const char *key, const struct json **out, struct err *e);
/* A member that may be absent (or null): *out is left alone then. */
int json_opt_str(const struct json *object, const char *key, struct str *out, struct err *e);
int json_opt_u64(const struct json *object, const char *key, uint64_t *out, struct err *e);
int json_opt_bool(const struct json *object, const char *key, bool *out, struct err *e);

/* ---- writing ----
 * Compact, UTF-8, only the escapes that RFC 8259 requires. With `sorted` set, a key that does not
 * follow its predecessor in byte order is a bug (abort): the canonical form of our signed files. */
struct json_out {
	struct buf *to;
	bool sorted;
	bool comma;  /* a value stands before the next one */
	unsigned depth;
	char last_key[JSON_DEPTH_MAX][64];
};

void json_out_init(struct json_out *o, struct buf *to, bool sorted);
void json_begin_object(struct json_out *o);
void json_end_object(struct json_out *o);
void json_begin_array(struct json_out *o);
void json_end_array(struct json_out *o);
void json_put_key(struct json_out *o, const char *key);
void json_put_str(struct json_out *o, struct str text); /* invalid UTF-8 bytes become U+FFFD */
void json_put_u64(struct json_out *o, uint64_t value);
void json_put_bool(struct json_out *o, bool value);
void json_put_null(struct json_out *o);
/* Key and value in one call. */
void json_str(struct json_out *o, const char *key, struct str text);
void json_cstr(struct json_out *o, const char *key, const char *text); /* NULL text: null */
void json_u64(struct json_out *o, const char *key, uint64_t value);
void json_bool(struct json_out *o, const char *key, bool value);

#endif

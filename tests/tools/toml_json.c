/* toml_json <document.toml: the tagged JSON of the TOML test suites, for
 * tests/e2e/toml_conformance.py. Exit 1 and "line L, column C: ..." on stderr where the document is
 * not valid. */
#include "manifests/base/fs.h"
#include "manifests/base/json.h"
#include "manifests/base/log.h"
#include "manifests/limits.h"
#include "manifests/toml.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

/* A writer for each string: documents nest deeper than our own JSON does. */
static void put_string(struct buf *out, struct str text)
{
	struct json_out json;

	json_out_init(&json, out, false);
	json_put_str(&json, text);
}

static void put_float(struct buf *out, double number)
{
	if (isnan(number)) {
		buf_adds(out, "nan");
	} else if (isinf(number)) {
		buf_adds(out, number < 0 ? "-inf" : "inf");
	} else {
		buf_addf(out, "%.17g", number);
	}
}

static void put_scalar(struct buf *out, const struct toml *v)
{
	static const char *const tags[] = { [TOML_STRING] = "string",
		[TOML_INTEGER] = "integer",
		[TOML_FLOAT] = "float",
		[TOML_BOOL] = "bool",
		[TOML_DATETIME] = "datetime",
		[TOML_LOCAL_DATETIME] = "datetime-local",
		[TOML_LOCAL_DATE] = "date-local",
		[TOML_LOCAL_TIME] = "time-local" };

	buf_addf(out, "{\"type\":\"%s\",\"value\":", tags[v->type]);
	if (v->type == TOML_INTEGER) {
		buf_addf(out, "\"%" PRId64 "\"", v->integer);
	} else if (v->type == TOML_FLOAT) {
		buf_addc(out, '"');
		put_float(out, v->number);
		buf_addc(out, '"');
	} else if (v->type == TOML_BOOL) {
		buf_adds(out, v->truth ? "\"true\"" : "\"false\"");
	} else {
		put_string(out, v->text);
	}
	buf_addc(out, '}');
}

static void put_value(struct buf *out, const struct toml *v)
{
	bool is_table = v->type == TOML_TABLE;

	if (!is_table && v->type != TOML_ARRAY) {
		put_scalar(out, v);
		return;
	}
	buf_addc(out, is_table ? '{' : '[');
	for (const struct toml *c = v->first; c; c = c->next) {
		if (is_table) {
			put_string(out, c->key);
			buf_addc(out, ':');
		}
		put_value(out, c);
		if (c->next) {
			buf_addc(out, ',');
		}
	}
	buf_addc(out, is_table ? '}' : ']');
}

int main(void)
{
	struct arena arena = ARENA_INIT;
	struct toml *root = NULL;
	struct err e = ERR_INIT;
	CLEANUP_BUF struct buf text = BUF_INIT, out = BUF_INIT;

	int r = fs_read_fd(STDIN_FILENO, "standard input", LIMIT_LOCK, &text, &e);
	r = r ? r : toml_parse(&arena, buf_str(&text), &root, &e);
	if (r) {
		fprintf(stderr, "%s\n", e.text);
	} else {
		put_value(&out, root);
		printf("%.*s\n", STR_ARG(buf_str(&out)));
	}
	arena_release(&arena);
	return r ? 1 : 0;
}

#include "verify/record_csv.h"

#include "manifests/limits.h"

#include <string.h>

struct csv {
	struct arena *arena;
	struct str rest;
	size_t line;
};

static int csv_error(const struct csv *c, const char *what, struct err *e)
{
	return err_set(e, RC_WHEEL, "line %zu: %s", c->line, what);
}

/* Behind the opening quote; "" stands for one quote (RFC 4180 section 2). */
static int quoted_take(struct csv *c, struct str *out, struct err *e)
{
	char *to = arena_alloc(c->arena, c->rest.n + 1);
	size_t n = 0, i = 0;

	for (;; i++) {
		if (i == c->rest.n || c->rest.p[i] == '\n') {
			return csv_error(c, "a quote is not closed", e);
		}
		if (c->rest.p[i] == '"' && (i + 1 == c->rest.n || c->rest.p[i + 1] != '"')) {
			break;
		}
		i += c->rest.p[i] == '"';
		to[n++] = c->rest.p[i];
	}
	c->rest = str_skip(c->rest, i + 1);
	*out = (struct str){ to, n };
	return 0;
}

static int field_take(struct csv *c, struct str *out, struct err *e)
{
	size_t n = 0;

	if (str_starts(c->rest, "\"")) {
		c->rest = str_skip(c->rest, 1);
		return quoted_take(c, out, e);
	}
	while (n < c->rest.n && !strchr(",\r\n", c->rest.p[n])) {
		if (c->rest.p[n] == '"') {
			return csv_error(c, "a quote inside a field", e);
		}
		n++;
	}
	*out = str_first(c->rest, n);
	c->rest = str_skip(c->rest, n);
	return 0;
}

static bool newline_take(struct csv *c)
{
	size_t n = str_starts(c->rest, "\r\n") ? 2 : str_starts(c->rest, "\n") ? 1 : 0;

	c->rest = str_skip(c->rest, n);
	c->line += n > 0;
	return n > 0;
}

static int row_take(struct csv *c, struct record_row *row, struct err *e)
{
	struct str *const fields[] = { &row->path, &row->hash, &row->size };

	row->line = c->line;
	for (size_t i = 0; i < 3; i++) {
		if (i && !str_starts(c->rest, ",")) {
			return csv_error(c, "not three fields: path,hash,size", e);
		}
		c->rest = str_skip(c->rest, i > 0);
		int rc = field_take(c, fields[i], e);
		if (rc) {
			return rc;
		}
	}
	if (c->rest.n && !newline_take(c)) {
		return csv_error(c, "not three fields: path,hash,size", e);
	}
	return 0;
}

int record_csv_parse(
	struct arena *a, struct str text, struct record_row **rows, size_t *n, struct err *e)
{
	struct csv c = { a, text, 1 };
	size_t lines = 1, count = 0;

	for (size_t i = 0; i < text.n; i++) {
		lines += text.p[i] == '\n';
	}
	/* Every file, RECORD and its two signatures. */
	if (lines > LIMIT_WHEEL_MEMBERS + 4) {
		return err_set(
			e, RC_LIMIT, "%zu lines, over the limit of %d", lines, LIMIT_WHEEL_MEMBERS);
	}
	struct record_row *list = arena_array(a, lines, sizeof(*list));
	while (c.rest.n) {
		if (newline_take(&c)) {
			continue;
		}
		int rc = row_take(&c, &list[count], e);
		if (rc) {
			return rc;
		}
		count++;
	}
	*rows = list;
	*n = count;
	return 0;
}

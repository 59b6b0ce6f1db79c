#include "manifests/toml_parser.h"

#include <inttypes.h>
#include <stdio.h>

static bool is_bare(char c)
{
	return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '_' ||
	       c == '-';
}

static int read_key(struct toml_parser *t, struct toml_key *out)
{
	const char *begin = t->p;

	out->place = toml_here(t);
	if (t->p < t->end && (*t->p == '"' || *t->p == '\'')) {
		return toml_read_string(t, false, &out->name);
	}
	while (t->p < t->end && is_bare(*t->p)) {
		t->p++;
	}
	if (t->p == begin) {
		return toml_expected(t, "a key");
	}
	out->name = str_range(begin, t->p);
	return 0;
}

int toml_read_path(struct toml_parser *t, struct toml_path *path)
{
	for (path->n = 0;; t->p++) {
		if (path->n == LIMIT_TOML_DEPTH) {
			struct toml_place at = toml_here(t);

			return err_set(t->e, RC_LIMIT,
				"line %u, column %u: a key of more than %d parts", at.line,
				at.column, LIMIT_TOML_DEPTH);
		}
		toml_skip_space(t);
		if (read_key(t, &path->part[path->n])) {
			return -(int)t->e->rc;
		}
		path->n++;
		toml_skip_space(t);
		if (t->p == t->end || *t->p != '.') {
			return 0;
		}
	}
}

/* Apart from reading its value: nested inline tables shall not keep their paths on the stack. */
static __attribute__((noinline)) int read_pair_key(
	struct toml_parser *t, struct toml *table, struct toml_key *key, struct toml **holder)
{
	struct toml_path path;

	if (toml_read_path(t, &path)) {
		return -(int)t->e->rc;
	}
	if (t->p == t->end || *t->p != '=') {
		return toml_expected(t, "'=' behind the key");
	}
	t->p++;
	toml_skip_space(t);
	*key = path.part[path.n - 1];
	return toml_deeper(t, path.n - 1) ? -(int)t->e->rc
					  : toml_open_pair(t, table, &path, holder);
}

int toml_read_pair(struct toml_parser *t, struct toml *table)
{
	struct toml_key key = { .place = { 0, 0 } };
	struct toml *holder = NULL;
	unsigned depth = t->depth;

	if (read_pair_key(t, table, &key, &holder)) {
		return -(int)t->e->rc;
	}
	struct toml *v = toml_node(t, TOML_STRING, key.place);
	if (!v) {
		return -(int)t->e->rc;
	}
	v->key = key.name;
	if (toml_read_value(t, v)) {
		return -(int)t->e->rc;
	}
	toml_append(t, holder, v);
	t->depth = depth;
	return 0;
}

/* [a.b] and [[a.b]]: the brackets of a pair stand together. */
static int read_header(struct toml_parser *t, struct toml *root, struct toml **section)
{
	bool is_array = t->end - t->p >= 2 && t->p[1] == '[';
	struct toml_path path;

	t->p += is_array ? 2 : 1;
	if (toml_read_path(t, &path)) {
		return -(int)t->e->rc;
	}
	if (t->p == t->end || *t->p != ']') {
		return toml_expected(t, "']' of the table's name");
	}
	t->p++;
	if (is_array) {
		if (t->p == t->end || *t->p != ']') {
			return toml_expected(t, "']]' of the table's name");
		}
		t->p++;
	}
	return toml_open_section(t, root, &path, is_array, section);
}

static int refuse_conflict(struct toml_parser *t)
{
	static const char *const marks[] = { "<<<<<<< ", "=======\n", "=======\r\n", ">>>>>>> " };

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		if (str_starts(str_range(t->p, t->end), marks[i])) {
			toml_fail(t, toml_here(t), "a merge conflict was left in the file");
			return err_hint(t->e, "resolve the conflict, or make the file anew");
		}
	}
	return 0;
}

static int read_line(struct toml_parser *t, struct toml *root, struct toml **section)
{
	int r = refuse_conflict(t);

	toml_skip_space(t);
	if (!r && t->p < t->end && *t->p == '[') {
		r = read_header(t, root, section);
	} else if (!r && t->p < t->end && *t->p != '#' && *t->p != '\n' && *t->p != '\r') {
		r = toml_read_pair(t, *section);
	}
	toml_skip_space(t);
	if (r || (r = toml_skip_comment(t))) {
		return r;
	}
	if (t->p < t->end && !toml_skip_newline(t)) {
		return toml_expected(t, "the end of the line");
	}
	return 0;
}

/* Which byte is wrong: the first one that begins no well-formed sequence. */
static int refuse_encoding(struct toml_parser *t, struct str text)
{
	struct str rest = text, line;

	t->line = 0;
	while (str_cut(&rest, '\n', &line) && str_is_utf8(line)) {
		t->line++;
	}
	t->line++;
	t->line_begin = t->p = t->mark = line.p;
	while (t->p < line.p + line.n) {
		struct str left = str_range(t->p, line.p + line.n);
		size_t n = 1;

		while (n < 4 && n < left.n && !str_is_utf8(str_first(left, n))) {
			n++;
		}
		if (!str_is_utf8(str_first(left, n))) {
			break;
		}
		t->p += n;
	}
	return toml_fail(t, toml_here(t), "byte %zu of the file (0x%02X) is not UTF-8",
		(size_t)(t->p - text.p), (unsigned char)*t->p);
}

int toml_parse(struct arena *a, struct str text, struct toml **root, struct err *e)
{
	struct toml_parser t = { .arena = a, .line = 1, .mark_column = 1, .e = e };
	const struct toml_place first = { 1, 1 };

	if (text.n > LIMIT_LOCK) {
		return err_set(
			e, RC_LIMIT, "%zu bytes of TOML, at most %" PRIu64, text.n, LIMIT_LOCK);
	}
	if (!text.p) {
		text.p = "";
	}
	if (!str_is_utf8(text)) {
		return refuse_encoding(&t, text);
	}
	struct str body = str_skip(text, str_starts(text, "\xEF\xBB\xBF") ? 3 : 0);
	t.p = t.line_begin = t.mark = body.p;
	t.end = body.p + body.n;
	struct toml *tree = toml_node(&t, TOML_TABLE, first), *section = tree;
	tree->state = TOML_BY_HEADER;
	while (t.p < t.end) {
		if (read_line(&t, tree, &section)) {
			return -(int)e->rc;
		}
	}
	*root = tree;
	return 0;
}

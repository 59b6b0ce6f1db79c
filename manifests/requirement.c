/* Reading of requirements: PEP 508's grammar from left to right, each part taken off `rest`. */
#include "manifests/requirement.h"
#include "manifests/base/vec.h"
#include "manifests/name.h"

struct requirement_reader {
	struct arena *arena;
	struct str text, rest;
	struct err *err;
};

static int fail(struct requirement_reader *r, const char *expected)
{
	struct str shown = str_first(r->text, 200);
	size_t column = 1;

	for (size_t i = 0; i < r->text.n - r->rest.n; i++) {
		column += ((unsigned char)r->text.p[i] & 0xC0) != 0x80;
	}
	return err_set(r->err, RC_SYNTAX, "requirement \"%.*s\": column %zu: expected %s",
		STR_ARG(shown), column, expected);
}

static struct str trim_blanks(struct str s)
{
	while (s.n && (s.p[0] == ' ' || s.p[0] == '\t')) {
		s = str_skip(s, 1);
	}
	while (s.n && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t')) {
		s.n--;
	}
	return s;
}

static void skip_blanks(struct requirement_reader *r)
{
	while (r->rest.n && (r->rest.p[0] == ' ' || r->rest.p[0] == '\t')) {
		r->rest = str_skip(r->rest, 1);
	}
}

static bool take_char(struct requirement_reader *r, char c)
{
	if (r->rest.n == 0 || r->rest.p[0] != c) {
		return false;
	}
	r->rest = str_skip(r->rest, 1);
	skip_blanks(r);
	return true;
}

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '-' || c == '_' || c == '.';
}

static int read_name(struct requirement_reader *r, const char *what, struct str *out)
{
	struct str word = r->rest;

	for (word.n = 0; word.n < r->rest.n && is_name_char(word.p[word.n]);) {
		word.n++;
	}
	if (!name_is_valid(word)) {
		return fail(r, what);
	}
	*out = str_of(name_normalize(r->arena, word));
	r->rest = str_skip(r->rest, word.n);
	skip_blanks(r);
	return 0;
}

static bool has_extra(const struct requirement *req, struct str extra)
{
	for (size_t i = 0; i < req->nextras; i++) {
		if (str_eq(req->extras[i], extra)) {
			return true;
		}
	}
	return false;
}

/* Behind the '['. An empty list is allowed, a comma at its end is not. */
static int read_extras(struct requirement_reader *r, struct requirement *req)
{
	size_t most = 1;

	if (take_char(r, ']')) {
		return 0;
	}
	for (size_t i = 0; i < r->rest.n && r->rest.p[i] != ']'; i++) {
		most += r->rest.p[i] == ',';
	}
	req->extras = arena_array(r->arena, most, sizeof(*req->extras));
	do {
		struct str extra;
		int rc = read_name(r, "the name of an extra", &extra);

		if (rc) {
			return rc;
		}
		if (!has_extra(req, extra)) {
			req->extras[req->nextras++] = extra;
		}
	} while (take_char(r, ','));
	return take_char(r, ']') ? 0 : fail(r, "',' or ']' after the name of an extra");
}

static int read_url(struct requirement_reader *r, struct requirement *req)
{
	struct str url = r->rest;

	for (url.n = 0; url.n < r->rest.n && url.p[url.n] != ' ' && url.p[url.n] != '\t';) {
		url.n++;
	}
	if (url.n == 0) {
		return fail(r, "a URL after '@'");
	}
	req->url = url;
	r->rest = str_skip(r->rest, url.n);
	skip_blanks(r);
	if (r->rest.n && r->rest.p[0] != ';') {
		fail(r, "';' or the end after the URL");
		return err_hint(r->err, "put a space between a URL and the ';' of its marker");
	}
	return 0;
}

/* PEP 508 writes versions in ASCII, after "===" too. */
static bool is_ascii(struct str text)
{
	for (size_t i = 0; i < text.n; i++) {
		if ((unsigned char)text.p[i] > 0x7F) {
			return false;
		}
	}
	return true;
}

/* One comma between two specifiers, and perhaps one behind the last. */
static bool has_sane_commas(struct str list)
{
	struct str piece;

	while (str_cut(&list, ',', &piece)) {
		if (trim_blanks(piece).n == 0) {
			return !list.p;
		}
	}
	return true;
}

static int read_specifiers(struct requirement_reader *r, struct requirement *req)
{
	bool is_enclosed = take_char(r, '(');
	struct str list = r->rest;

	for (list.n = 0; list.n < r->rest.n && list.p[list.n] != ';' && list.p[list.n] != ')';) {
		list.n++;
	}
	struct str after = str_skip(r->rest, list.n);
	list = trim_blanks(list);
	if (list.n && !has_sane_commas(list)) {
		return fail(r, "a version specifier between commas");
	}
	if (!is_ascii(list)) {
		return fail(r, "version specifiers in ASCII");
	}
	if (list.n && list.p[list.n - 1] == ',') {
		list.n--;
	}
	if (list.n && specifier_parse(r->arena, list, &req->specifiers, r->err)) {
		struct str shown = str_first(r->text, 200);

		err_recode(r->err, RC_SYNTAX);
		return err_wrap(r->err, "requirement \"%.*s\"", STR_ARG(shown));
	}
	r->rest = after;
	if (is_enclosed && !take_char(r, ')')) {
		return fail(r, "the closing parenthesis of the specifiers");
	}
	return 0;
}

static int read_marker(struct requirement_reader *r, struct requirement *req)
{
	if (r->rest.n == 0) {
		return 0;
	}
	if (!take_char(r, ';')) {
		return fail(r, "a specifier like >=1.0, ';' and a marker, or the end");
	}
	if (marker_parse(r->arena, r->rest, &req->marker, r->err)) {
		return err_wrap(r->err, "requirement on %.*s", STR_ARG(req->name));
	}
	return 0;
}

/* A requirement is one line of readable text. */
static bool is_line(struct str text)
{
	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];

		if ((c < 0x20 && c != '\t') || c == 0x7F) {
			return false;
		}
	}
	return str_is_utf8(text);
}

static int read_requirement(struct requirement_reader *r, struct requirement *req)
{
	int rc = read_name(r, "a project name", &req->name);

	if (!rc && take_char(r, '[')) {
		rc = read_extras(r, req);
	}
	if (rc) {
		return rc;
	}
	rc = take_char(r, '@') ? read_url(r, req) : read_specifiers(r, req);
	return rc ? rc : read_marker(r, req);
}

int requirement_parse(struct arena *a, struct str text, struct requirement *out, struct err *e)
{
	struct str line = trim_blanks(text);
	struct requirement_reader r = { .arena = a, .text = line, .rest = line, .err = e };
	struct requirement req = { .raw = line };

	if (!is_line(line)) {
		return fail(&r, "one line of UTF-8 text without control characters");
	}
	int rc = read_requirement(&r, &req);
	if (rc) {
		bool is_bare_url = str_has(line, "://") && str_find(line, '@') == line.n;

		return is_bare_url ? err_hint(e, "write it as: name @ URL") : rc;
	}
	req.raw = arena_str(a, line);
	req.url = req.url.n ? arena_str(a, req.url) : STR_NULL;
	*out = req;
	return 0;
}

static int order_strs(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

static void format_extras(const struct requirement *r, struct buf *out)
{
	VEC(struct str) sorted = VEC_INIT;

	for (size_t i = 0; i < r->nextras; i++) {
		vec_push(&sorted, r->extras[i]);
	}
	qsort(sorted.v, sorted.n, sizeof(*sorted.v), order_strs);
	vec_each(struct str, extra, &sorted) {
		buf_addc(out, extra == sorted.v ? '[' : ',');
		buf_addstr(out, *extra);
	}
	buf_addc(out, ']');
	vec_release(&sorted);
}

struct written { /* a specifier and how it is written */
	struct buf text;
	const struct specifier *specifier;
};

static int order_written(const void *a, const void *b)
{
	const struct written *x = a, *y = b;

	return str_cmp(buf_str(&x->text), buf_str(&y->text));
}

/* Do the two say the same: ">=1" and ">=v1.0"? A trailing zero counts in "~=". */
static bool is_same_specifier(const struct specifier *a, const struct specifier *b)
{
	if (a->op != b->op || a->wildcard != b->wildcard) {
		return false;
	}
	if (a->op == SPECIFIER_ARBITRARY || a->wildcard) {
		return str_eq(a->raw, b->raw);
	}
	return version_cmp(&a->version, &b->version) == 0 &&
	       (a->op != SPECIFIER_COMPATIBLE || a->version.nrelease == b->version.nrelease);
}

static bool is_repeated(const struct written *v, size_t at)
{
	for (size_t i = 0; i < at; i++) {
		if (is_same_specifier(v[i].specifier, v[at].specifier)) {
			return true;
		}
	}
	return false;
}

/* Sorted as text, the first spelling of each: the order in which `packaging` writes them. */
static void format_specifiers(const struct specifier_set *s, struct buf *out)
{
	VEC(struct written) sorted = VEC_INIT;

	for (size_t i = 0; i < s->n; i++) {
		struct written one = { BUF_INIT, &s->v[i] };

		specifier_format(&(struct specifier_set){ &s->v[i], 1 }, &one.text);
		vec_push(&sorted, one);
	}
	qsort(sorted.v, sorted.n, sizeof(*sorted.v), order_written);
	for (size_t i = 0; i < sorted.n; i++) {
		if (!is_repeated(sorted.v, i)) {
			buf_adds(out, i ? "," : "");
			buf_addstr(out, buf_str(&sorted.v[i].text));
		}
	}
	for (size_t i = 0; i < sorted.n; i++) {
		buf_release(&sorted.v[i].text);
	}
	vec_release(&sorted);
}

void requirement_format(const struct requirement *r, struct buf *out)
{
	buf_addstr(out, r->name);
	if (r->nextras) {
		format_extras(r, out);
	}
	if (r->specifiers.n) {
		format_specifiers(&r->specifiers, out);
	}
	if (r->url.n) {
		buf_adds(out, " @ ");
		buf_addstr(out, r->url);
		buf_adds(out, r->marker ? " " : "");
	}
	if (r->marker) {
		buf_adds(out, "; ");
		marker_format(r->marker, out);
	}
}

/* requirements.txt, the lines: pip's documentation, "Requirements File Format", and what pip 26
 * does where that is silent. */
#include "manifests/lock_requirements.h"

#include <stdlib.h>

typedef VEC(struct requirements_place) places_t;

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Characters of UTF-8 in front of a byte. */
static unsigned characters(struct str s)
{
	unsigned n = 0;

	for (size_t i = 0; i < s.n; i++) {
		n += ((unsigned char)s.p[i] & 0xC0) != 0x80;
	}
	return n;
}

/* ---- the text ---- */

static int refuse_bytes(
	struct str text, size_t at, const char *what, const char *hint, struct err *e)
{
	unsigned line = 1;
	size_t begin = 0;

	for (size_t i = 0; i < at; i++) {
		if (text.p[i] == '\n') {
			line++;
			begin = i + 1;
		}
	}
	err_set(e, RC_SYNTAX, "line %u, column %u: %s", line,
		characters(str_range(text.p + begin, text.p + at)) + 1, what);
	return err_hint(e, "%s", hint);
}

/* How many bytes at the beginning are whole characters of UTF-8. */
static size_t good_length(struct str text)
{
	size_t at = 0, n = 1;

	while (at < text.n && n <= 4) {
		for (n = 1; n <= 4 && at + n <= text.n; n++) {
			if (str_is_utf8(str_first(str_skip(text, at), n))) {
				break;
			}
		}
		if (n > 4 || at + n > text.n) {
			break;
		}
		at += n;
	}
	return at;
}

int requirements_open(
	struct arena *a, struct str text, struct requirements_text *out, struct err *e)
{
	if (str_starts(text, "\xFF\xFE") || str_starts(text, "\xFE\xFF")) {
		return refuse_bytes(text, 0, "the file is in UTF-16",
			"save it as UTF-8; PowerShell: ... | Out-File -Encoding utf8", e);
	}
	if (str_starts(text, "\xEF\xBB\xBF")) {
		text = str_skip(text, 3);
	}
	if (!str_is_utf8(text)) {
		return refuse_bytes(
			text, good_length(text), "the file is not UTF-8", "save it as UTF-8", e);
	}
	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];

		if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F) {
			return refuse_bytes(text, i, "a control character",
				"is it a text file? Delete the character", e);
		}
	}
	*out = (struct requirements_text){ .arena = a, .rest = text, .line = 1 };
	return 0;
}

/* ---- logical lines ---- */

/* One physical line; LF, CRLF and CR end it. */
static struct str cut_line(struct requirements_text *t)
{
	struct str line = str_first(t->rest, str_find(t->rest, '\n'));
	size_t end = str_find(line, '\r');
	bool is_cr_alone = end < line.n && end + 1 < line.n;

	if (is_cr_alone || (end < line.n && line.n == t->rest.n)) {
		line = str_first(line, end);
		t->rest = str_skip(t->rest, end + 1);
	} else {
		t->rest = str_skip(t->rest, line.n < t->rest.n ? line.n + 1 : line.n);
		line = str_first(line, end);
	}
	t->line++;
	return line;
}

static bool is_comment(struct str line)
{
	size_t n = 0;

	while (n < line.n && is_blank(line.p[n])) {
		n++;
	}
	return n < line.n && line.p[n] == '#';
}

static bool ends_in_backslash(struct str line)
{
	return line.n && line.p[line.n - 1] == '\\';
}

/* A comment line ends what is continued, whatever its own end is. */
static void join(struct requirements_text *t, struct buf *out, places_t *places)
{
	for (bool goes_on = true; goes_on && t->rest.n;) {
		unsigned number = t->line;
		struct str line = cut_line(t);
		bool is_remark = is_comment(line);

		goes_on = !is_remark && ends_in_backslash(line);
		if (is_remark) {
			buf_addc(out, ' ');
		}
		vec_push(places, (struct requirements_place){ out->n, number, 1, false });
		buf_addstr(out, goes_on ? str_first(line, line.n - 1) : line);
	}
}

/* '#' begins a comment at the beginning and behind white space: not in a URL. */
static struct str without_comment(struct str line)
{
	for (size_t i = 0; i < line.n; i++) {
		if (line.p[i] == '#' && (i == 0 || is_blank(line.p[i - 1]))) {
			return str_first(line, i);
		}
	}
	return line;
}

struct toml requirements_at(const struct requirements_line *l, const char *at, struct str text)
{
	struct requirements_place p = { .line = 1, .column = 1 };
	size_t offset = (size_t)(at - l->whole.p);

	for (size_t i = 0; i < l->nplaces && l->places[i].at <= offset; i++) {
		p = l->places[i];
	}
	if (!p.is_value) {
		p.column += characters(str_range(l->whole.p + p.at, at));
	}
	return (struct toml){ .type = TOML_STRING,
		.line = p.line,
		.column = p.column,
		.key_column = p.column,
		.text = text };
}

/* ---- ${VARIABLES} ---- */

/* "${NAME}" with upper-case letters, digits and '_' as pip takes it: the length of all that, or 0.
 */
static size_t variable_length(struct str s)
{
	size_t n = 2;

	if (!str_starts(s, "${")) {
		return 0;
	}
	while (n < s.n && ((s.p[n] >= 'A' && s.p[n] <= 'Z') || (s.p[n] >= '0' && s.p[n] <= '9') ||
				  s.p[n] == '_')) {
		n++;
	}
	return n > 2 && n < s.n && s.p[n] == '}' ? n + 1 : 0;
}

/* pip leaves a variable that is not set as it is, and fails later. */
static int value_of(
	struct arena *a, const struct toml *at, struct str variable, struct str *out, struct err *e)
{
	const char *name = arena_dup(a, str_first(str_skip(variable, 2), variable.n - 3));
	struct str value = str_of(getenv(name));

	if (value.n == 0) {
		lock_fail(at, e, RC_INVALID, "the environment variable %.100s is not set", name);
		return err_hint(e, "export %.100s, or write its value into the file", name);
	}
	for (size_t i = 0; i < value.n; i++) {
		if ((unsigned char)value.p[i] < 0x20 || value.p[i] == 0x7F) {
			return lock_fail(at, e, RC_INVALID,
				"the environment variable %.100s holds a control character", name);
		}
	}
	if (!str_is_utf8(value)) {
		return lock_fail(
			at, e, RC_INVALID, "the environment variable %.100s is not UTF-8", name);
	}
	*out = value;
	return 0;
}

/* Copies raw->whole with the values in it; `places` gets the new places. */
static int put_values(struct arena *a, const struct requirements_line *raw, struct buf *out,
	places_t *places, struct err *e)
{
	struct str s = raw->whole, value = STR_NULL;
	size_t next = 0; /* of raw->places */

	for (size_t i = 0, n; i < s.n; i += n ? n : 1) {
		for (; next < raw->nplaces && raw->places[next].at <= i; next++) {
			struct requirements_place p = raw->places[next];

			p.at = out->n;
			vec_push(places, p);
		}
		n = variable_length(str_skip(s, i));
		if (n == 0) {
			buf_addc(out, s.p[i]);
			continue;
		}
		struct str name = str_first(str_skip(s, i), n);
		struct toml at = requirements_at(raw, name.p, name);
		struct toml behind = requirements_at(raw, name.p + n, STR_NULL);
		if (value_of(a, &at, name, &value, e)) {
			return -(int)e->rc;
		}
		vec_push(places, (struct requirements_place){ out->n, at.line, at.column, true });
		buf_addstr(out, value);
		vec_push(places,
			(struct requirements_place){ out->n, behind.line, behind.column, false });
	}
	return 0;
}

/* ---- the next line ---- */

static int finish(struct requirements_text *t, struct buf *joined, places_t *old,
	struct requirements_line *out, struct err *e)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct requirements_line raw = {
		.whole = without_comment(buf_str(joined)), .places = old->v, .nplaces = old->n
	};
	places_t places = VEC_INIT;
	int r = put_values(t->arena, &raw, &text, &places, e);

	if (!r) {
		out->whole = arena_str(t->arena, buf_str(&text));
		out->text = str_trim(out->whole);
		out->nplaces = places.n;
		out->places = arena_array(t->arena, places.n, sizeof(*out->places));
		for (size_t i = 0; i < places.n; i++) {
			out->places[i] = places.v[i];
		}
	}
	vec_release(&places);
	return r;
}

static int check_end(const struct requirements_line *l, struct err *e)
{
	if (!ends_in_backslash(l->text)) {
		return 0;
	}
	struct toml at = requirements_at(l, l->text.p + l->text.n - 1, STR_NULL);
	lock_fail(&at, e, RC_SYNTAX, "a back-slash that is not the last of its line");
	return err_hint(e, "delete the white space or the comment behind it");
}

int requirements_next(struct requirements_text *t, struct requirements_line *out, struct err *e)
{
	CLEANUP_BUF struct buf joined = BUF_INIT;
	places_t places = VEC_INIT;
	int r = 0;

	*out = (struct requirements_line){ .nplaces = 0 };
	while (!r && t->rest.n && out->text.n == 0) {
		buf_clear(&joined);
		places.n = 0;
		join(t, &joined, &places);
		r = finish(t, &joined, &places, out, e);
		r = r ? r : check_end(out, e);
	}
	vec_release(&places);
	return r;
}

#include "manifests/toml_parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct toml_place toml_here(struct toml_parser *t)
{
	if (t->mark < t->line_begin || t->mark > t->p) {
		t->mark = t->line_begin;
		t->mark_column = 1;
	}
	for (; t->mark < t->p; t->mark++) {
		t->mark_column += ((unsigned char)*t->mark & 0xC0) != 0x80;
	}
	return (struct toml_place){ t->line, t->mark_column };
}

int toml_fail(struct toml_parser *t, struct toml_place at, const char *fmt, ...)
{
	char text[ERR_TEXT_MAX / 2];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return err_set(t->e, RC_SYNTAX, "line %u, column %u: %s", at.line, at.column, text);
}

/* One character of text that is known to be UTF-8. */
static int character_length(const struct toml_parser *t)
{
	const char *q = t->p + 1;

	while (q < t->end && ((unsigned char)*q & 0xC0) == 0x80) {
		q++;
	}
	return (int)(q - t->p);
}

int toml_expected(struct toml_parser *t, const char *what)
{
	struct toml_place at = toml_here(t);

	if (t->p == t->end) {
		return toml_fail(t, at, "expected %s, found the end of the file", what);
	}
	unsigned char c = (unsigned char)*t->p;
	if (c == '\n' || (c == '\r' && t->p + 1 < t->end && t->p[1] == '\n')) {
		return toml_fail(t, at, "expected %s, found the end of the line", what);
	}
	if (c < 0x20 || c == 0x7F) {
		return toml_fail(t, at, "expected %s, found the control character U+%04X", what, c);
	}
	return toml_fail(t, at, "expected %s, found '%.*s'", what, character_length(t), t->p);
}

bool toml_skip_newline(struct toml_parser *t)
{
	if (t->p < t->end && *t->p == '\n') {
		t->p += 1;
	} else if (t->end - t->p >= 2 && t->p[0] == '\r' && t->p[1] == '\n') {
		t->p += 2;
	} else {
		return false;
	}
	t->line++;
	t->line_begin = t->p;
	return true;
}

static bool at_newline(const struct toml_parser *t)
{
	return t->p < t->end &&
	       (*t->p == '\n' || (*t->p == '\r' && t->end - t->p >= 2 && t->p[1] == '\n'));
}

void toml_skip_space(struct toml_parser *t)
{
	while (t->p < t->end && (*t->p == ' ' || *t->p == '\t')) {
		t->p++;
	}
}

static bool is_control(char c)
{
	return ((unsigned char)c < 0x20 && c != '\t') || c == 0x7F;
}

int toml_skip_comment(struct toml_parser *t)
{
	if (t->p == t->end || *t->p != '#') {
		return 0;
	}
	while (t->p < t->end && !at_newline(t)) {
		if (is_control(*t->p)) {
			return toml_fail(t, toml_here(t),
				"the control character U+%04X in a comment", (unsigned char)*t->p);
		}
		t->p++;
	}
	return 0;
}

int toml_skip_blank(struct toml_parser *t)
{
	do {
		toml_skip_space(t);
		if (toml_skip_comment(t)) {
			return -(int)t->e->rc;
		}
	} while (toml_skip_newline(t));
	return 0;
}

static void put_utf8(struct buf *out, uint32_t c)
{
	if (c < 0x80) {
		buf_addc(out, (char)c);
		return;
	}
	if (c < 0x800) {
		buf_addc(out, (char)(0xC0 | c >> 6));
	} else if (c < 0x10000) {
		buf_addc(out, (char)(0xE0 | c >> 12));
		buf_addc(out, (char)(0x80 | (c >> 6 & 0x3F)));
	} else {
		buf_addc(out, (char)(0xF0 | c >> 18));
		buf_addc(out, (char)(0x80 | (c >> 12 & 0x3F)));
		buf_addc(out, (char)(0x80 | (c >> 6 & 0x3F)));
	}
	buf_addc(out, (char)(0x80 | (c & 0x3F)));
}

/* \uXXXX and \UXXXXXXXX: so many digits, a Unicode scalar value. t->p is behind the 'u'. */
static int read_codepoint(struct toml_parser *t, struct toml_place at, int digits, struct buf *out)
{
	uint32_t c = 0;

	for (int i = 0; i < digits; i++, t->p++) {
		char d = t->p < t->end ? *t->p : ' ';

		if (d >= '0' && d <= '9') {
			c = c << 4 | (uint32_t)(d - '0');
		} else if ((d | 32) >= 'a' && (d | 32) <= 'f') {
			c = c << 4 | (uint32_t)((d | 32) - 'a' + 10);
		} else {
			return toml_fail(t, at, "this escape needs %d hexadecimal digits", digits);
		}
	}
	if (c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) {
		return toml_fail(t, at, "U+%04X is not a character", (unsigned)c);
	}
	put_utf8(out, c);
	return 0;
}

/* A backslash at the end of a line swallows the white space up to the next character. */
static bool skip_folded_lines(struct toml_parser *t)
{
	const char *before = t->p;

	toml_skip_space(t);
	if (!toml_skip_newline(t)) {
		t->p = before;
		return false;
	}
	do {
		toml_skip_space(t);
	} while (toml_skip_newline(t));
	return true;
}

static int read_escape(struct toml_parser *t, bool may_span_lines, struct buf *out)
{
	static const char letters[] = "btnfr\"\\", meant[] = "\b\t\n\f\r\"\\";
	struct toml_place at = toml_here(t);
	const char *which;

	t->p++;
	if (may_span_lines && skip_folded_lines(t)) {
		return 0;
	}
	char c = t->p < t->end ? *t->p : '\0';
	if (c == 'u' || c == 'U') {
		t->p++;
		return read_codepoint(t, at, c == 'u' ? 4 : 8, out);
	}
	which = c ? strchr(letters, c) : NULL;
	if (!which) {
		return toml_fail(t, at,
			"unknown escape; a backslash itself is written \\\\, or the text in '...'");
	}
	buf_addc(out, meant[which - letters]);
	t->p++;
	return 0;
}

/* One line break of a multi-line string: a line feed, however the file writes it. */
static int read_line_break(
	struct toml_parser *t, bool may_span_lines, struct toml_place began, struct buf *out)
{
	if (!at_newline(t)) {
		return toml_fail(t, toml_here(t), "the control character U+%04X in a string",
			(unsigned char)*t->p);
	}
	if (!may_span_lines) {
		return toml_fail(t, began, "this string is not closed on its line");
	}
	toml_skip_newline(t);
	buf_addc(out, '\n');
	return 0;
}

/* Up to two quotes may stand before the three that close a multi-line string. True: closed. */
static bool read_quotes(struct toml_parser *t, char quote, struct buf *out)
{
	size_t n = 0, closing;

	while (n < 5 && t->p + n < t->end && t->p[n] == quote) {
		n++;
	}
	closing = n >= 3 ? 3 : 0;
	buf_add(out, t->p, n - closing);
	t->p += n;
	return closing != 0;
}

static int read_multi_line(struct toml_parser *t, char quote, struct str *out)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct toml_place began = toml_here(t);
	int r = 0;

	t->p += 3;
	toml_skip_newline(t);
	while (!r) {
		if (t->p == t->end) {
			return toml_fail(t, began, "this string is never closed");
		}
		if (*t->p == quote) {
			if (read_quotes(t, quote, &text)) {
				*out = arena_str(t->arena, buf_str(&text));
				return 0;
			}
		} else if (*t->p == '\\' && quote == '"') {
			r = read_escape(t, true, &text);
		} else if (is_control(*t->p)) {
			r = read_line_break(t, true, began, &text);
		} else {
			buf_addc(&text, *t->p++);
		}
	}
	return r;
}

int toml_read_string(struct toml_parser *t, bool may_span_lines, struct str *out)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct toml_place began = toml_here(t);
	const char quote = *t->p, *begin = t->p + 1;
	bool is_copied = false;

	if (may_span_lines && t->end - t->p >= 3 && t->p[1] == quote && t->p[2] == quote) {
		return read_multi_line(t, quote, out);
	}
	for (t->p++; t->p < t->end && *t->p != quote;) {
		if (is_control(*t->p)) {
			return read_line_break(t, false, began, &text);
		}
		if (*t->p == '\\' && quote == '"') {
			if (!is_copied) {
				buf_addstr(&text, str_range(begin, t->p));
				is_copied = true;
			}
			if (read_escape(t, false, &text)) {
				return -(int)t->e->rc;
			}
			continue;
		}
		if (is_copied) {
			buf_addc(&text, *t->p);
		}
		t->p++;
	}
	if (t->p == t->end) {
		return toml_fail(t, began, "this string is not closed on its line");
	}
	*out = is_copied ? arena_str(t->arena, buf_str(&text)) : str_range(begin, t->p);
	t->p++;
	return 0;
}

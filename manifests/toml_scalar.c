#include "manifests/toml_parser.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_token(char c)
{
	return is_digit(c) || ((c | 32) >= 'a' && (c | 32) <= 'z') || (c && strchr("_+-.:", c));
}

static struct str token_at(const struct toml_parser *t, const char *begin)
{
	const char *q = begin;

	while (q < t->end && is_token(*q)) {
		q++;
	}
	return str_range(begin, q);
}

static int not_a_value(
	struct toml_parser *t, struct toml_place at, struct str token, const char *why)
{
	return toml_fail(t, at, "%.*s: %s", STR_ARG(str_first(token, 80)), why);
}

/* ---- numbers ---- */

static int digit_value(char c)
{
	if (is_digit(c)) {
		return c - '0';
	}
	c |= 32;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

/* Takes digits of the base off *s into *clean, without the '_' that may stand between two. */
static bool take_digits(struct str *s, int base, struct buf *clean)
{
	size_t i = 0;

	while (i < s->n) {
		if (digit_value(s->p[i]) < base) {
			buf_addc(clean, s->p[i++]);
		} else if (s->p[i] == '_' && i > 0 && s->p[i - 1] != '_' && i + 1 < s->n &&
			   digit_value(s->p[i + 1]) < base) {
			i++;
		} else {
			break;
		}
	}
	*s = str_skip(*s, i);
	return i > 0;
}

static int base_of(struct str token)
{
	if (token.n < 2 || token.p[0] != '0') {
		return 10;
	}
	return token.p[1] == 'x' ? 16 : token.p[1] == 'o' ? 8 : token.p[1] == 'b' ? 2 : 10;
}

static int read_integer(
	struct toml_parser *t, struct toml *v, struct toml_place at, struct str token)
{
	CLEANUP_BUF struct buf digits = BUF_INIT;
	int base = base_of(token);
	bool has_sign = token.p[0] == '-' || token.p[0] == '+';
	struct str rest = str_skip(token, base != 10 ? 2 : has_sign);
	uint64_t value = 0, limit = (uint64_t)INT64_MAX + (token.p[0] == '-');

	if (!take_digits(&rest, base, &digits) || rest.n) {
		return not_a_value(t, at, token, "not a value; text stands in quotes");
	}
	if (base == 10 && digits.n > 1 && digits.p[0] == '0') {
		return not_a_value(t, at, token, "a number does not begin with 0");
	}
	for (size_t i = 0; i < digits.n; i++) {
		if (__builtin_mul_overflow(value, (uint64_t)base, &value) ||
			__builtin_add_overflow(value, (uint64_t)digit_value(digits.p[i]), &value) ||
			value > limit) {
			return not_a_value(t, at, token, "beyond the range of a 64-bit integer");
		}
	}
	v->type = TOML_INTEGER;
	v->integer = token.p[0] == '-' ? (int64_t)(0 - value) : (int64_t)value;
	return 0;
}

/* The C locale, whatever the program runs in: a comma is no decimal point here. */
static double to_double(const char *text)
{
	locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	double number = c ? strtod_l(text, NULL, c) : strtod(text, NULL);

	if (c) {
		freelocale(c);
	}
	return number;
}

static bool clean_float(struct str rest, struct buf *clean)
{
	size_t begin;

	if (rest.n && (rest.p[0] == '-' || rest.p[0] == '+')) {
		buf_addc(clean, rest.p[0]);
		rest = str_skip(rest, 1);
	}
	begin = clean->n;
	if (!take_digits(&rest, 10, clean) || (clean->n - begin > 1 && clean->p[begin] == '0')) {
		return false;
	}
	if (rest.n && rest.p[0] == '.') {
		buf_addc(clean, '.');
		rest = str_skip(rest, 1);
		if (!take_digits(&rest, 10, clean)) {
			return false;
		}
	}
	if (rest.n && (rest.p[0] | 32) == 'e') {
		buf_addc(clean, 'e');
		rest = str_skip(rest, 1);
		if (rest.n && (rest.p[0] == '-' || rest.p[0] == '+')) {
			buf_addc(clean, rest.p[0]);
			rest = str_skip(rest, 1);
		}
		if (!take_digits(&rest, 10, clean)) {
			return false;
		}
	}
	return rest.n == 0;
}

static int read_float(struct toml_parser *t, struct toml *v, struct toml_place at, struct str token)
{
	CLEANUP_BUF struct buf clean = BUF_INIT;

	if (!clean_float(token, &clean)) {
		return not_a_value(t, at, token, "not a value; text stands in quotes");
	}
	v->type = TOML_FLOAT;
	v->number = to_double(clean.p);
	return 0;
}

/* ---- dates and times (RFC 3339 section 5.6) ---- */

/* Takes `n` digits off *s as a number within the bounds. */
static bool take_field(struct str *s, size_t n, unsigned min, unsigned max, unsigned *out)
{
	unsigned value = 0;

	if (s->n < n) {
		return false;
	}
	for (size_t i = 0; i < n; i++) {
		if (!is_digit(s->p[i])) {
			return false;
		}
		value = value * 10 + (unsigned)(s->p[i] - '0');
	}
	*s = str_skip(*s, n);
	*out = value;
	return value >= min && value <= max;
}

static bool take_char(struct str *s, char c)
{
	if (s->n == 0 || s->p[0] != c) {
		return false;
	}
	*s = str_skip(*s, 1);
	return true;
}

static unsigned days_of(unsigned year, unsigned month)
{
	static const unsigned char days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return month == 2 && is_leap ? 29 : days[month - 1];
}

static bool take_date(struct str *s)
{
	unsigned year, month, day;

	return take_field(s, 4, 0, 9999, &year) && take_char(s, '-') &&
	       take_field(s, 2, 1, 12, &month) && take_char(s, '-') &&
	       take_field(s, 2, 1, days_of(year, month), &day);
}

/* Second 60 is a leap second: RFC 3339 section 5.7 admits it. */
static bool take_time(struct str *s)
{
	unsigned hour, minute, second;

	if (!take_field(s, 2, 0, 23, &hour) || !take_char(s, ':') ||
		!take_field(s, 2, 0, 59, &minute) || !take_char(s, ':') ||
		!take_field(s, 2, 0, minute == 59 ? 60 : 59, &second)) {
		return false;
	}
	if (!take_char(s, '.')) {
		return true;
	}
	size_t n = 0;
	while (n < s->n && is_digit(s->p[n])) {
		n++;
	}
	*s = str_skip(*s, n);
	return n > 0;
}

static bool take_offset(struct str *s)
{
	unsigned hour, minute;

	if (take_char(s, 'Z') || take_char(s, 'z')) {
		return true;
	}
	return (take_char(s, '+') || take_char(s, '-')) && take_field(s, 2, 0, 23, &hour) &&
	       take_char(s, ':') && take_field(s, 2, 0, 59, &minute);
}

/* 0 where the text is no date or time of the calendar. */
static enum toml_type date_type(struct str s)
{
	if (s.n > 2 && s.p[2] == ':') {
		return take_time(&s) && s.n == 0 ? TOML_LOCAL_TIME : 0;
	}
	if (!take_date(&s)) {
		return 0;
	}
	if (s.n == 0) {
		return TOML_LOCAL_DATE;
	}
	if (!strchr("Tt ", s.p[0])) {
		return 0;
	}
	s = str_skip(s, 1);
	if (!take_time(&s)) {
		return 0;
	}
	if (s.n == 0) {
		return TOML_LOCAL_DATETIME;
	}
	return take_offset(&s) && s.n == 0 ? TOML_DATETIME : 0;
}

static bool is_date(struct str token)
{
	bool is_time =
		token.n > 2 && is_digit(token.p[0]) && is_digit(token.p[1]) && token.p[2] == ':';

	return is_time ||
	       (token.n > 4 && token.p[4] == '-' && is_digit(token.p[0]) && is_digit(token.p[1]) &&
		       is_digit(token.p[2]) && is_digit(token.p[3]));
}

/* A space may stand for the 'T': then the time is a token of its own. */
static int read_date(struct toml_parser *t, struct toml *v, struct toml_place at, struct str token)
{
	const char *behind = token.p + token.n;

	if (token.n == 10 && t->end - behind > 1 && *behind == ' ' && is_digit(behind[1])) {
		token.n += 1 + token_at(t, behind + 1).n;
	}
	v->type = date_type(token);
	if (v->type == 0) {
		return not_a_value(t, at, token, "not a date or time");
	}
	char *text = arena_dup(t->arena, token);
	if (token.n > 10 && v->type != TOML_LOCAL_TIME) {
		text[10] = 'T';
	}
	if (text[token.n - 1] == 'z') {
		text[token.n - 1] = 'Z';
	}
	v->text = (struct str){ text, token.n };
	t->p = token.p + token.n;
	return 0;
}

/* ---- */

static bool read_word(struct toml *v, struct str token)
{
	if (str_is(token, "true") || str_is(token, "false")) {
		v->type = TOML_BOOL;
		v->truth = token.n == 4;
		return true;
	}
	struct str bare = str_skip(token, token.n && (token.p[0] == '+' || token.p[0] == '-'));
	if (str_is(bare, "inf") || str_is(bare, "nan")) {
		v->type = TOML_FLOAT;
		v->number = bare.p[0] == 'i' ? __builtin_inf() : __builtin_nan("");
		v->number = token.p[0] == '-' ? -v->number : v->number;
		return true;
	}
	return false;
}

int toml_read_scalar(struct toml_parser *t, struct toml *v)
{
	struct toml_place at = toml_here(t);
	struct str token = token_at(t, t->p);

	if (token.n == 0) {
		return toml_expected(t, "a value");
	}
	if (is_date(token)) {
		return read_date(t, v, at, token);
	}
	bool is_float = memchr(token.p, '.', token.n) ||
			(base_of(token) == 10 &&
				(memchr(token.p, 'e', token.n) || memchr(token.p, 'E', token.n)));
	if (!read_word(v, token)) {
		if (str_eq_nocase(token, STR("true")) || str_eq_nocase(token, STR("false"))) {
			return not_a_value(
				t, at, token, "true and false are written in lower case");
		}
		if (is_float ? read_float(t, v, at, token) : read_integer(t, v, at, token)) {
			return -(int)t->e->rc;
		}
	}
	t->p += token.n;
	return 0;
}

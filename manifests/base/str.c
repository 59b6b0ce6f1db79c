#include "manifests/base/str.h"

#include <string.h>

struct str str_of(const char *text)
{
	return (struct str){ text, text ? strlen(text) : 0 };
}

struct str str_range(const char *begin, const char *end)
{
	return (struct str){ begin, (size_t)(end - begin) };
}

bool str_eq(struct str a, struct str b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

bool str_is(struct str a, const char *b)
{
	return str_eq(a, str_of(b));
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

bool str_eq_nocase(struct str a, struct str b)
{
	if (a.n != b.n) {
		return false;
	}
	for (size_t i = 0; i < a.n; i++) {
		if (lower(a.p[i]) != lower(b.p[i])) {
			return false;
		}
	}
	return true;
}

int str_cmp(struct str a, struct str b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int order = n ? memcmp(a.p, b.p, n) : 0;

	return order ? order : (a.n > b.n) - (a.n < b.n);
}

bool str_starts(struct str s, const char *prefix)
{
	size_t n = strlen(prefix);

	return s.n >= n && (n == 0 || memcmp(s.p, prefix, n) == 0);
}

bool str_ends(struct str s, const char *suffix)
{
	size_t n = strlen(suffix);

	return s.n >= n && (n == 0 || memcmp(s.p + s.n - n, suffix, n) == 0);
}

struct str str_skip(struct str s, size_t n)
{
	n = n < s.n ? n : s.n;
	return (struct str){ n ? s.p + n : s.p, s.n - n };
}

struct str str_first(struct str s, size_t n)
{
	return (struct str){ s.p, n < s.n ? n : s.n };
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

struct str str_trim(struct str s)
{
	while (s.n && is_space(s.p[0])) {
		s = str_skip(s, 1);
	}
	while (s.n && is_space(s.p[s.n - 1])) {
		s.n--;
	}
	return s;
}

size_t str_find(struct str s, char c)
{
	const char *at = s.n ? memchr(s.p, c, s.n) : NULL;

	return at ? (size_t)(at - s.p) : s.n;
}

size_t str_rfind(struct str s, char c)
{
	const char *at = s.n ? memrchr(s.p, c, s.n) : NULL;

	return at ? (size_t)(at - s.p) : s.n;
}

bool str_has(struct str s, const char *part)
{
	size_t n = strlen(part);

	return n == 0 || (s.n && memmem(s.p, s.n, part, n));
}

bool str_cut(struct str *rest, char sep, struct str *piece)
{
	if (!rest->p) {
		return false;
	}
	size_t at = str_find(*rest, sep);
	*piece = str_first(*rest, at);
	*rest = at < rest->n ? str_skip(*rest, at + 1) : STR_NULL;
	return true;
}

bool str_to_u64(struct str s, uint64_t *out)
{
	uint64_t value = 0;

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9' ||
			__builtin_mul_overflow(value, (uint64_t)10, &value) ||
			__builtin_add_overflow(value, (uint64_t)(s.p[i] - '0'), &value)) {
			return false;
		}
	}
	if (s.n == 0) {
		return false;
	}
	*out = value;
	return true;
}

/* Unicode 15, table 3-7: the length of the well-formed sequence at p, or 0. */
static size_t utf8_length(const unsigned char *p, size_t left)
{
	unsigned char low = 0x80, high = 0xBF;
	size_t n;

	if (p[0] < 0x80) {
		return 1;
	}
	if (p[0] < 0xC2 || p[0] > 0xF4) {
		return 0;
	}
	n = p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
	if (p[0] == 0xE0) {
		low = 0xA0;
	} else if (p[0] == 0xED) {
		high = 0x9F;
	} else if (p[0] == 0xF0) {
		low = 0x90;
	} else if (p[0] == 0xF4) {
		high = 0x8F;
	}
	if (left < n || p[1] < low || p[1] > high) {
		return 0;
	}
	for (size_t i = 2; i < n; i++) {
		if ((p[i] & 0xC0) != 0x80) {
			return 0;
		}
	}
	return n;
}

bool str_is_utf8(struct str s)
{
	const unsigned char *p = (const unsigned char *)s.p;

	for (size_t i = 0; i < s.n;) {
		size_t n = utf8_length(p + i, s.n - i);

		if (n == 0) {
			return false;
		}
		i += n;
	}
	return true;
}

/* Markers of uv.lock. A lock has few different ones and thousands of edges, so each is read once.
 *
 * Where extras or groups exclude each other, uv writes their choice as `extra ==
 * 'extra-5-torch-cpu'` with the meaning "is among those that are chosen": several such comparisons
 * joined by "and" can hold together, which `extra` of PEP 508, one text, cannot say. PEP 751 has a
 * word for that, `in extras`, and the markers are read as if uv had used it. */
#include "manifests/lock_uv.h"

#include <stdlib.h>

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '.';
}

/* The length of the quoted text that `s` begins with, quotes included; 0: none. */
static size_t quoted_length(struct str s)
{
	if (s.n == 0 || (s.p[0] != '\'' && s.p[0] != '"')) {
		return 0;
	}
	size_t end = str_find(str_skip(s, 1), s.p[0]) + 1;
	return end < s.n ? end + 1 : 0;
}

static struct str skip_blanks(struct str s)
{
	while (s.n && (s.p[0] == ' ' || s.p[0] == '\t')) {
		s = str_skip(s, 1);
	}
	return s;
}

/* What follows the word `extra`: "== 'x'" becomes "'x' in extras". False: something else. */
static bool put_extra(struct buf *out, struct str *rest)
{
	struct str s = skip_blanks(*rest);
	bool is_equal = str_starts(s, "==") && !str_starts(s, "===");

	if (!is_equal && !str_starts(s, "!=")) {
		return false;
	}
	s = skip_blanks(str_skip(s, 2));
	size_t n = quoted_length(s);
	if (n == 0) {
		return false;
	}
	buf_addstr(out, str_first(s, n));
	buf_adds(out, is_equal ? " in extras" : " not in extras");
	*rest = str_skip(s, n);
	return true;
}

static void put_marker(struct buf *out, struct str rest)
{
	while (rest.n) {
		size_t n = quoted_length(rest);
		bool is_quoted = n > 0;

		while (!is_quoted && n < rest.n && is_word(rest.p[n])) {
			n++;
		}
		struct str token = str_first(rest, n ? n : 1);
		rest = str_skip(rest, token.n);
		if (!str_is(token, "extra") || !put_extra(out, &rest)) {
			buf_addstr(out, token);
		}
	}
}

static int read_marker(
	struct uv_lock *u, const struct uv_marker_use *use, struct uv_marker *out, struct err *e)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct uv_marker m = { .text = use->text };

	put_marker(&text, use->text);
	if (marker_parse(&u->l->arena, buf_str(&text), &m.tree, e)) {
		return lock_wrap(use->at, e);
	}
	if (marker_names(m.tree, MARKER_EXTRA)) {
		return lock_fail(use->at, e, RC_INVALID,
			"the marker \"%.*s\" compares an extra in a way that uv does not",
			STR_ARG(str_first(use->text, 300)));
	}
	m.has_extras = marker_names(m.tree, MARKER_EXTRAS);
	*out = m;
	return 0;
}

static int by_text(const void *a, const void *b)
{
	const struct uv_marker_use *x = a, *y = b;
	int order = str_cmp(x->text, y->text);

	if (order == 0) { /* the first in the file is named where it is wrong */
		order = (x->at->line > y->at->line) - (x->at->line < y->at->line);
	}
	return order;
}

int uv_markers_read(struct uv_lock *u, struct uv_marker_use *uses, size_t n, struct err *e)
{
	if (n == 0) {
		return 0;
	}
	qsort(uses, n, sizeof(*uses), by_text);
	u->markers = arena_array(&u->l->arena, n, sizeof(*u->markers));
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || !str_eq(uses[i].text, uses[i - 1].text)) {
			if (read_marker(u, &uses[i], &u->markers[u->nmarkers], e)) {
				return -(int)e->rc;
			}
			u->nmarkers++;
		}
		*uses[i].out = &u->markers[u->nmarkers - 1];
	}
	return 0;
}

#include "mirror/accept.h"

enum { Q_ONE = 1000 };

struct quality {
	int q;           /* in thousandths; -1: not asked for */
	int specificity; /* 0: none, 1: * / *, 2: type / *, 3: the type itself */
};

/* "0", "0.5", "1.000" (RFC 9110 section 12.4.2); anything else counts as 0. */
static int parse_q(struct str s)
{
	int q = 0, scale = Q_ONE;

	if (s.n == 0 || (s.p[0] != '0' && s.p[0] != '1') || (s.n > 1 && s.p[1] != '.') || s.n > 5) {
		return 0;
	}
	q = (s.p[0] - '0') * Q_ONE;
	for (size_t i = 2; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9') {
			return 0;
		}
		scale /= 10;
		q += (s.p[i] - '0') * scale;
	}
	return q > Q_ONE ? 0 : q;
}

static int q_of(struct str parameters)
{
	struct str piece;

	while (str_cut(&parameters, ';', &piece)) {
		piece = str_trim(piece);
		if (str_eq_nocase(str_first(piece, 2), STR("q="))) {
			return parse_q(str_trim(str_skip(piece, 2)));
		}
	}
	return Q_ONE;
}

static bool is_any(struct str range, const char *const *names)
{
	for (; *names; names++) {
		if (str_eq_nocase(range, str_of(*names))) {
			return true;
		}
	}
	return false;
}

static int specificity(struct str range, enum page_form form)
{
	static const char *const json[] = { "application/vnd.pypi.simple.v1+json",
		"application/vnd.pypi.simple.latest+json", NULL };
	static const char *const v1_html[] = { "application/vnd.pypi.simple.v1+html",
		"application/vnd.pypi.simple.latest+html", NULL };
	static const char *const html[] = { "text/html", NULL };
	static const char *const *const exact[FORMS] = { json, v1_html, html };

	if (is_any(range, exact[form])) {
		return 3;
	}
	if (str_eq_nocase(range, form == FORM_HTML ? STR("text/*") : STR("application/*"))) {
		return 2;
	}
	return str_is(range, "*/*") ? 1 : 0;
}

/* One media range of the list. The most specific range decides a form's q. */
static void weigh(struct str item, struct quality *quality)
{
	struct str rest = str_trim(item), range;

	if (!rest.n || !str_cut(&rest, ';', &range)) {
		return;
	}
	range = str_trim(range);
	int q = q_of(rest);
	for (int form = 0; form < FORMS; form++) {
		int s = specificity(range, (enum page_form)form);

		if (s > quality[form].specificity ||
			(s && s == quality[form].specificity && q > quality[form].q)) {
			quality[form] = (struct quality){ q, s };
		}
	}
}

static bool is_better(const struct quality *a, const struct quality *b)
{
	return a->q != b->q ? a->q > b->q : a->specificity > b->specificity;
}

bool accept_choose(const struct str *values, size_t n, enum page_form *out)
{
	struct quality quality[FORMS] = { { -1, 0 }, { -1, 0 }, { -1, 0 } };
	bool is_empty = true;
	int best = FORM_JSON;

	for (size_t i = 0; i < n; i++) {
		struct str rest = values[i], item;

		while (str_cut(&rest, ',', &item)) {
			is_empty &= str_trim(item).n == 0;
			weigh(item, quality);
		}
	}
	if (is_empty) {
		*out = FORM_HTML;
		return true;
	}
	for (int form = FORM_V1_HTML; form < FORMS; form++) {
		if (is_better(&quality[form], &quality[best])) {
			best = form;
		}
	}
	if (quality[best].specificity == 1 && !is_better(&quality[best], &quality[FORM_HTML])) {
		best = FORM_HTML;
	}
	if (quality[best].q <= 0) {
		return false;
	}
	*out = (enum page_form)best;
	return true;
}

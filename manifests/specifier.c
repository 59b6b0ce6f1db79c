/* PEP 440 version specifiers. Each operator is a comparison, not a range: no bound such as "the
 * next release" has to be made, so none can overflow. */
#include "manifests/specifier.h"

static const struct specifier_operator {
	enum specifier_op op;
	const char *text; /* an operator stands before those that it starts with */
} operators[] = {
	{ SPECIFIER_ARBITRARY, "===" },
	{ SPECIFIER_EQ, "==" },
	{ SPECIFIER_NE, "!=" },
	{ SPECIFIER_LE, "<=" },
	{ SPECIFIER_GE, ">=" },
	{ SPECIFIER_COMPATIBLE, "~=" },
	{ SPECIFIER_LT, "<" },
	{ SPECIFIER_GT, ">" },
};
enum { OPERATORS = sizeof(operators) / sizeof(operators[0]) };

static int specifier_invalid(struct err *e, struct str text, const char *what)
{
	return err_set(e, RC_INVALID, "specifier \"%.*s\": %s", STR_ARG(text), what);
}

/* The text behind "===" is compared as it stands; a version is kept beside it where it is one. */
static int parse_arbitrary(struct arena *a, struct str text, struct specifier *s, struct err *e)
{
	struct err no_version = ERR_INIT;

	if (s->raw.n == 0) {
		return specifier_invalid(e, text, "nothing follows \"===\"");
	}
	for (size_t i = 0; i < s->raw.n; i++) {
		char c = s->raw.p[i];

		if (c == ';' || c == ')' || str_trim((struct str){ &c, 1 }).n == 0) {
			return specifier_invalid(e, text, "white space, ';' and ')' end a version");
		}
	}
	if (version_parse(a, s->raw, &s->version, &no_version)) {
		s->version = (struct version){ .raw = STR_NULL };
	}
	return 0;
}

/* ".*" stands behind a bare release and goes with == and != alone. */
static int check_wildcard(struct str text, const struct specifier *s, struct err *e)
{
	const struct version *v = &s->version;

	if (s->op != SPECIFIER_EQ && s->op != SPECIFIER_NE) {
		return specifier_invalid(e, text, "\".*\" goes with == and != only");
	}
	if (v->pre || v->has_post || v->has_dev || v->nlocal || v->raw.n + 2 != s->raw.n) {
		return specifier_invalid(
			e, text, "\".*\" stands directly behind release numbers only");
	}
	return 0;
}

static int check_version(struct str text, const struct specifier *s, struct err *e)
{
	if (s->wildcard) {
		return check_wildcard(text, s, e);
	}
	if (s->version.nlocal && s->op != SPECIFIER_EQ && s->op != SPECIFIER_NE) {
		return specifier_invalid(
			e, text, "a local version (\"+...\") goes with == and != only");
	}
	if (s->op == SPECIFIER_COMPATIBLE && s->version.nrelease < 2) {
		return specifier_invalid(
			e, text, "~= needs two release numbers or more, as in ~=1.4");
	}
	return 0;
}

static int parse_versioned(struct arena *a, struct str text, struct specifier *s, struct err *e)
{
	struct str version = s->raw;

	s->wildcard = str_ends(version, ".*");
	version.n -= s->wildcard ? 2 : 0;
	if (version_parse(a, version, &s->version, e)) {
		return err_wrap(e, "specifier \"%.*s\"", STR_ARG(text));
	}
	return check_version(text, s, e);
}

static int parse_one(struct arena *a, struct str text, struct specifier *out, struct err *e)
{
	size_t i = 0;

	while (i < OPERATORS && !str_starts(text, operators[i].text)) {
		i++;
	}
	if (i == OPERATORS) {
		return specifier_invalid(e, text, "it starts with none of == != <= >= < > ~= ===");
	}
	struct str version = str_trim(str_skip(text, str_of(operators[i].text).n));
	struct specifier s = { .op = operators[i].op, .raw = arena_str(a, version) };
	int failed = s.op == SPECIFIER_ARBITRARY ? parse_arbitrary(a, text, &s, e)
						 : parse_versioned(a, text, &s, e);
	if (failed) {
		return failed;
	}
	*out = s;
	return 0;
}

static size_t count_pieces(struct str text)
{
	size_t count = 0;

	for (struct str piece; str_cut(&text, ',', &piece);) {
		count += str_trim(piece).n > 0;
	}
	return count;
}

int specifier_parse(struct arena *a, struct str text, struct specifier_set *out, struct err *e)
{
	struct specifier_set set = { .n = 0 };
	struct str rest = text, piece;

	set.v = arena_array(a, count_pieces(text), sizeof(*set.v));
	while (str_cut(&rest, ',', &piece)) {
		piece = str_trim(piece);
		if (piece.n == 0) {
			continue;
		}
		int failed = parse_one(a, piece, &set.v[set.n], e);
		if (failed) {
			return failed;
		}
		set.n++;
	}
	*out = set;
	return 0;
}

static uint64_t release_at(const struct version *v, size_t i)
{
	return i < v->nrelease ? v->release[i] : 0;
}

/* Does v's release start with the first n numbers of prefix's? */
static bool has_prefix(const struct version *v, const struct version *prefix, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (release_at(v, i) != release_at(prefix, i)) {
			return false;
		}
	}
	return v->epoch == prefix->epoch;
}

/* A local part counts only where the specifier has one. */
static bool is_equal(const struct specifier *s, const struct version *v)
{
	if (s->wildcard) {
		return has_prefix(v, &s->version, s->version.nrelease);
	}
	return (s->version.nlocal ? version_cmp(v, &s->version)
				  : version_cmp_public(v, &s->version)) == 0;
}

/* "Exclusive ordered comparison": >V means no post-release of V unless V is one, and never V+local.
 */
static bool is_greater(const struct specifier *s, const struct version *v)
{
	if (version_cmp_public(v, &s->version) <= 0) {
		return false;
	}
	if (!v->has_post) {
		return true;
	}
	/* Where V is a post- or development release, this base differs from it: v is greater. */
	struct version base = *v;
	base.has_post = base.has_dev = false;
	base.post = base.dev = 0;
	return version_cmp_public(&base, &s->version) != 0;
}

/* <V means no pre-release of V unless V is one: the first of them is V.dev0. */
static bool is_less(const struct specifier *s, const struct version *v)
{
	struct version limit = s->version;

	if (!version_is_prerelease(&limit)) {
		limit.has_dev = true;
	}
	return version_cmp(v, &limit) < 0;
}

static bool is_compatible(const struct specifier *s, const struct version *v)
{
	return version_cmp(v, &s->version) >= 0 &&
	       has_prefix(v, &s->version, s->version.nrelease - 1);
}

static bool is_same_text(const struct specifier *s, const struct version *v)
{
	CLEANUP_BUF struct buf normal = BUF_INIT;

	version_format(v, &normal);
	return str_eq_nocase(buf_str(&normal), s->raw);
}

static bool is_match(const struct specifier *s, const struct version *v)
{
	switch (s->op) {
	case SPECIFIER_EQ:
		return is_equal(s, v);
	case SPECIFIER_NE:
		return !is_equal(s, v);
	case SPECIFIER_LE:
		return version_cmp_public(v, &s->version) <= 0;
	case SPECIFIER_GE:
		return version_cmp(v, &s->version) >= 0;
	case SPECIFIER_LT:
		return is_less(s, v);
	case SPECIFIER_GT:
		return is_greater(s, v);
	case SPECIFIER_COMPATIBLE:
		return is_compatible(s, v);
	case SPECIFIER_ARBITRARY:
		return is_same_text(s, v);
	}
	return false;
}

bool specifier_contains(const struct specifier_set *s, const struct version *v)
{
	for (size_t i = 0; i < s->n; i++) {
		if (!is_match(&s->v[i], v)) {
			return false;
		}
	}
	return true;
}

bool specifier_admits_prereleases(const struct specifier_set *s)
{
	for (size_t i = 0; i < s->n; i++) {
		if (s->v[i].op != SPECIFIER_NE && version_is_prerelease(&s->v[i].version)) {
			return true;
		}
	}
	return false;
}

const struct specifier *specifier_pin(const struct specifier_set *s)
{
	if (s->n != 1 || s->v[0].wildcard ||
		(s->v[0].op != SPECIFIER_EQ && s->v[0].op != SPECIFIER_ARBITRARY)) {
		return NULL;
	}
	return &s->v[0];
}

void specifier_format(const struct specifier_set *s, struct buf *out)
{
	for (size_t i = 0; i < s->n; i++) {
		size_t k = 0;

		while (operators[k].op != s->v[i].op) {
			k++;
		}
		buf_adds(out, i ? "," : "");
		buf_adds(out, operators[k].text);
		buf_addstr(out, s->v[i].raw);
	}
}

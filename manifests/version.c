/* Reading of PEP 440 versions. A reader goes from left to right; each read_* takes its part off the
 * rest or leaves the rest alone, and what is left at the end is the fault. The reading is greedy,
 * as the regular expression in PEP 440's appendix B: in "1.0a-1" the '-' belongs to the
 * pre-release. */
#include "manifests/version.h"
#include "manifests/limits.h"

struct version_reader {
	struct arena *arena;
	struct str rest;
	bool is_overflow; /* a number does not fit */
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_alnum(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_separator(char c)
{
	return c == '.' || c == '-' || c == '_';
}

static bool take_char(struct str *rest, char c)
{
	if (rest->n == 0 || rest->p[0] != c) {
		return false;
	}
	*rest = str_skip(*rest, 1);
	return true;
}

static bool take_word(struct str *rest, const char *word)
{
	struct str want = str_of(word);

	if (!str_eq_nocase(str_first(*rest, want.n), want)) {
		return false;
	}
	*rest = str_skip(*rest, want.n);
	return true;
}

static struct str take_while(struct str *rest, bool (*fits)(char))
{
	size_t n = 0;

	while (n < rest->n && fits(rest->p[n])) {
		n++;
	}
	struct str taken = str_first(*rest, n);
	*rest = str_skip(*rest, n);
	return taken;
}

static void skip_separator(struct str *rest)
{
	if (rest->n && is_separator(rest->p[0])) {
		*rest = str_skip(*rest, 1);
	}
}

static bool read_number(struct version_reader *r, uint64_t *out)
{
	struct str digits = take_while(&r->rest, is_digit);

	if (digits.n && !str_to_u64(digits, out)) {
		r->is_overflow = true;
	}
	return digits.n > 0;
}

/* The number behind "a", "post", "dev"; none means 0. A separator before it is used up either way:
 * "1.0a." is 1.0a0. */
static uint64_t read_optional_number(struct version_reader *r)
{
	uint64_t number = 0;

	skip_separator(&r->rest);
	read_number(r, &number);
	return number;
}

static size_t count_separators(struct str text)
{
	size_t count = 0;

	for (size_t i = 0; i < text.n; i++) {
		count += is_separator(text.p[i]);
	}
	return count;
}

static bool read_release(struct version_reader *r, struct version *v)
{
	uint64_t first = 0;

	if (!read_number(r, &first)) {
		return false;
	}
	if (take_char(&r->rest, '!')) {
		v->epoch = first;
		if (!read_number(r, &first)) {
			return false;
		}
	}
	v->release = arena_array(r->arena, count_separators(r->rest) + 1, sizeof(*v->release));
	v->release[0] = first;
	v->nrelease = 1;
	while (r->rest.n > 1 && r->rest.p[0] == '.' && is_digit(r->rest.p[1])) {
		r->rest = str_skip(r->rest, 1);
		read_number(r, &v->release[v->nrelease++]);
	}
	return true;
}

static void read_pre(struct version_reader *r, struct version *v)
{
	/* A word stands before the words that it starts with. */
	static const struct {
		const char *word;
		enum version_pre pre;
	} words[] = {
		{ "alpha", VERSION_A },
		{ "a", VERSION_A },
		{ "beta", VERSION_B },
		{ "b", VERSION_B },
		{ "preview", VERSION_RC },
		{ "pre", VERSION_RC },
		{ "rc", VERSION_RC },
		{ "c", VERSION_RC },
	};
	struct str rest = r->rest;

	skip_separator(&rest);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (take_word(&rest, words[i].word)) {
			r->rest = rest;
			v->pre = words[i].pre;
			v->pre_number = read_optional_number(r);
			return;
		}
	}
}

static void read_post(struct version_reader *r, struct version *v)
{
	struct str rest = r->rest;

	if (rest.n > 1 && rest.p[0] == '-' && is_digit(rest.p[1])) {
		v->has_post = true;
		v->post = read_optional_number(r);
		return;
	}
	skip_separator(&rest);
	if (take_word(&rest, "post") || take_word(&rest, "rev") || take_word(&rest, "r")) {
		r->rest = rest;
		v->has_post = true;
		v->post = read_optional_number(r);
	}
}

static void read_dev(struct version_reader *r, struct version *v)
{
	struct str rest = r->rest;

	skip_separator(&rest);
	if (take_word(&rest, "dev")) {
		r->rest = rest;
		v->has_dev = true;
		v->dev = read_optional_number(r);
	}
}

static struct version_local read_local_segment(struct version_reader *r, struct str segment)
{
	struct version_local local = { .text = STR_NULL };
	struct str digits = segment;

	if (take_while(&digits, is_digit).n == segment.n) {
		if (!str_to_u64(segment, &local.number)) {
			r->is_overflow = true;
		}
		return local;
	}
	char *text = arena_dup(r->arena, segment);
	for (size_t i = 0; i < segment.n; i++) {
		text[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] - 'A' + 'a' : text[i]);
	}
	local.text = (struct str){ text, segment.n };
	return local;
}

static void read_local(struct version_reader *r, struct version *v)
{
	if (r->rest.n < 2 || r->rest.p[0] != '+' || !is_alnum(r->rest.p[1])) {
		return;
	}
	v->local = arena_array(r->arena, count_separators(r->rest) + 1, sizeof(*v->local));
	do {
		r->rest = str_skip(r->rest, 1);
		struct str segment = take_while(&r->rest, is_alnum);

		v->local[v->nlocal++] = read_local_segment(r, segment);
	} while (r->rest.n > 1 && is_separator(r->rest.p[0]) && is_alnum(r->rest.p[1]));
}

int version_parse(struct arena *a, struct str text, struct version *out, struct err *e)
{
	struct str raw = str_trim(text);

	if (raw.n > LIMIT_VERSION) {
		return err_set(e, RC_INVALID, "version \"%.*s...\": longer than %d bytes",
			STR_ARG(str_first(raw, 40)), LIMIT_VERSION);
	}
	struct version_reader r = { .arena = a, .rest = arena_str(a, raw) };
	struct version v = { .raw = r.rest };
	take_word(&r.rest, "v");
	if (!read_release(&r, &v)) {
		return err_set(e, RC_INVALID, "version \"%.*s\": no number where PEP 440 wants one",
			STR_ARG(raw));
	}
	read_pre(&r, &v);
	read_post(&r, &v);
	read_dev(&r, &v);
	read_local(&r, &v);
	if (r.rest.n) {
		return err_set(e, RC_INVALID, "version \"%.*s\": PEP 440 has no place for \"%.*s\"",
			STR_ARG(raw), STR_ARG(r.rest));
	}
	if (r.is_overflow) {
		return err_set(
			e, RC_INVALID, "version \"%.*s\": a number exceeds 64 bits", STR_ARG(raw));
	}
	*out = v;
	return 0;
}

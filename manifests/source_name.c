/* gpkg's wheel_name: does a file's name fit? Which lengths a placeholder may have is not known
 * before the rest is seen, so each piece maps the set of places where it may begin to the set of
 * those where it may end: no pattern and no name can make that slow. */
#include "manifests/source.h"
#include "manifests/limits.h"
#include "manifests/source_template.h"

#include <string.h>

struct places { /* in the name: 0 .. LIMIT_FILE_NAME */
	bool is_in[LIMIT_FILE_NAME + 1];
};

static bool is_of(struct str s, bool (*is_allowed)(char c))
{
	for (size_t i = 0; i < s.n; i++) {
		if (!is_allowed(s.p[i])) {
			return false;
		}
	}
	return s.n > 0;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
	return is_digit(c) || ((c | 32) >= 'a' && (c | 32) <= 'f');
}

static bool is_tag_byte(char c)
{
	return is_digit(c) || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '_' || c == '.';
}

static bool is_version_byte(char c)
{
	return is_tag_byte(c) || c == '!';
}

static bool is_version(struct str s)
{
	struct arena scratch = ARENA_INIT;
	struct version v;
	struct err ignored = ERR_INIT;
	bool is_one = is_of(s, is_version_byte) && version_parse(&scratch, s, &v, &ignored) == 0;

	arena_release(&scratch);
	return is_one;
}

/* "128", "12", "12.8", "12.8.1" */
static bool is_cuda(struct str s)
{
	struct str part;
	bool has_dot = str_find(s, '.') < s.n;

	while (str_cut(&s, '.', &part)) {
		if (!is_of(part, is_digit) || part.n > (has_dot ? 2 : 3)) {
			return false;
		}
	}
	return true;
}

/* A version, "2.9.0andhigher", "2.9.0andhigher.post4" */
static bool is_torch(struct str s)
{
	static const struct str higher = { "andhigher", 9 };

	if (s.n == 0 || !is_digit(s.p[0])) {
		return false;
	}
	for (size_t i = 1; i + higher.n <= s.n; i++) {
		struct str post = str_skip(s, i + higher.n);

		if (str_eq_nocase(str_first(str_skip(s, i), higher.n), higher)) {
			return is_version(str_first(s, i)) &&
			       (post.n == 0 || (str_eq_nocase(str_first(post, 5), STR(".post")) &&
						       is_of(str_skip(post, 5), is_digit)));
		}
	}
	return is_version(s);
}

static bool is_python_tags(struct str s)
{
	struct str tag;

	while (str_cut(&s, '.', &tag)) {
		if (tag.n < 3 || is_digit(tag.p[0]) || !is_digit(tag.p[2]) ||
			!is_of(tag, is_tag_byte)) {
			return false;
		}
	}
	return true;
}

/* "cp312-cp312", "py2.py3-none", "1-cp39-abi3" */
static bool is_pytag(struct str s)
{
	struct str part[4];
	size_t n = 0;

	while (n < 4 && str_cut(&s, '-', &part[n])) {
		n++;
	}
	if (n < 2 || n > 3 ||
		(n == 3 && (!is_of(part[0], is_tag_byte) || !is_digit(part[0].p[0])))) {
		return false;
	}
	return is_python_tags(part[n - 2]) && is_of(part[n - 1], is_tag_byte);
}

static bool is_platform(struct str s)
{
	return is_of(s, is_tag_byte);
}

static bool is_abi(struct str s)
{
	return str_eq_nocase(s, STR("true")) || str_eq_nocase(s, STR("false")) || str_is(s, "1") ||
	       str_is(s, "0");
}

static bool is_hash(struct str s)
{
	return s.n == 0 ||
	       (str_eq_nocase(str_first(s, 3), STR("git")) && is_of(str_skip(s, 3), is_hex));
}

static bool is_without_dash(struct str s)
{
	return str_find(s, '-') == s.n;
}

static bool is_value(struct str placeholder, struct str s)
{
	static const struct {
		const char *name;
		bool (*is_value)(struct str s);
	} classes[] = {
		{ "version", is_version },
		{ "cuda", is_cuda },
		{ "torch", is_torch },
		{ "pytag", is_pytag },
		{ "platform", is_platform },
		{ "abi", is_abi },
		{ "hash", is_hash },
		{ "_", is_without_dash },
	};

	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		if (str_is(placeholder, classes[i].name)) {
			return classes[i].is_value(s);
		}
	}
	return false;
}

static void match_piece(const struct template_piece *piece, struct str file,
	const struct places *begin, struct places *end)
{
	memset(end, 0, sizeof(*end));
	for (size_t at = 0; at <= file.n; at++) {
		struct str rest = str_skip(file, at);

		if (!begin->is_in[at]) {
			continue;
		}
		if (!piece->is_placeholder) {
			if (str_eq_nocase(str_first(rest, piece->text.n), piece->text)) {
				end->is_in[at + piece->text.n] = true;
			}
			continue;
		}
		for (size_t n = 0; n <= rest.n; n++) {
			end->is_in[at + n] |= is_value(piece->text, str_first(rest, n));
		}
	}
}

bool source_has_name(const struct source *s, struct str file)
{
	struct places places = { .is_in = { true } }, next;
	struct template_piece piece;
	struct str rest = s->wheel_name;

	if (rest.n == 0) {
		return true;
	}
	if (file.n > LIMIT_FILE_NAME) {
		return false;
	}
	while (template_next(&rest, &piece)) {
		match_piece(&piece, file, &places, &next);
		places = next;
	}
	return places.is_in[file.n];
}

/* requirements.txt, the options of a line: their words as a POSIX shell splits them, then names and
 * values as Python's optparse reads them, which pip uses. */
#include "manifests/lock_requirements.h"

struct option_row {
	const char *name;
	char letter;
	bool has_value;
	enum requirements_option option;
};

/* All that pip 26 takes in a requirements file, and a few of older versions. */
static const struct option_row rows[] = {
	{ "--index-url", 'i', true, REQUIREMENTS_INDEX_URL },
	{ "--pypi-url", 0, true, REQUIREMENTS_INDEX_URL },
	{ "--extra-index-url", 0, true, REQUIREMENTS_EXTRA_INDEX_URL },
	{ "--no-index", 0, false, REQUIREMENTS_NO_INDEX },
	{ "--find-links", 'f', true, REQUIREMENTS_FIND_LINKS },
	{ "--requirement", 'r', true, REQUIREMENTS_FILE },
	{ "--constraint", 'c', true, REQUIREMENTS_CONSTRAINT },
	{ "--editable", 'e', true, REQUIREMENTS_EDITABLE },
	{ "--hash", 0, true, REQUIREMENTS_HASH },
	{ "--require-hashes", 0, false, REQUIREMENTS_REQUIRE_HASHES },
	{ "--no-require-hashes", 0, false, REQUIREMENTS_NO_REQUIRE_HASHES },
	{ "--trusted-host", 0, true, REQUIREMENTS_IGNORED },
	{ "--only-binary", 0, true, REQUIREMENTS_IGNORED },
	{ "--no-binary", 0, true, REQUIREMENTS_IGNORED },
	{ "--prefer-binary", 0, false, REQUIREMENTS_IGNORED },
	{ "--pre", 0, false, REQUIREMENTS_IGNORED },
	{ "--all-releases", 0, true, REQUIREMENTS_IGNORED },
	{ "--only-final", 0, true, REQUIREMENTS_IGNORED },
	{ "--use-feature", 0, true, REQUIREMENTS_IGNORED },
	{ "--config-settings", 'C', true, REQUIREMENTS_IGNORED },
	{ "--global-option", 0, true, REQUIREMENTS_IGNORED },
};
enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

struct word {
	struct str text;
	const char *at; /* in the line */
};

struct words {
	struct arena *arena;
	const struct requirements_line *line;
	struct str rest;
	struct word word; /* the present one */
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* ---- words ---- */

/* In "double quotes" a back-slash escapes only itself and the quote; in 'single quotes' nothing. */
static size_t take_quoted(struct str s, struct buf *out)
{
	char quote = s.p[0];
	size_t i = 1;

	for (; i < s.n && s.p[i] != quote; i++) {
		bool is_escape = quote == '"' && s.p[i] == '\\' && i + 1 < s.n &&
				 (s.p[i + 1] == '"' || s.p[i + 1] == '\\');

		i += is_escape;
		buf_addc(out, s.p[i]);
	}
	return i < s.n ? i + 1 : 0;
}

/* False at the end of the line. */
static int next_word(struct words *w, bool *more, struct err *e)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct str s = w->rest;

	while (s.n && is_blank(s.p[0])) {
		s = str_skip(s, 1);
	}
	w->word.at = s.p;
	*more = s.n > 0;
	while (s.n && !is_blank(s.p[0])) {
		size_t n = 1;

		if (s.p[0] == '"' || s.p[0] == '\'') {
			n = take_quoted(s, &text);
		} else if (s.p[0] == '\\' && s.n > 1) {
			buf_addc(&text, s.p[1]);
			n = 2;
		} else {
			buf_addc(&text, s.p[0]);
		}
		if (n == 0) {
			struct toml at = requirements_at(w->line, s.p, STR_NULL);

			return lock_fail(&at, e, RC_SYNTAX, "a quote that is not closed");
		}
		s = str_skip(s, n);
	}
	w->rest = s;
	w->word.text = arena_str(w->arena, buf_str(&text));
	return 0;
}

/* ---- names ---- */

/* A long name may be cut short where it stays the only one that begins so. */
static const struct option_row *find_long(struct str name)
{
	const struct option_row *found = NULL;
	size_t n = 0;

	for (size_t i = 0; i < ROWS; i++) {
		if (str_is(name, rows[i].name)) {
			return &rows[i];
		}
		if (name.n > 2 && str_eq(str_first(str_of(rows[i].name), name.n), name)) {
			found = &rows[i];
			n++;
		}
	}
	return n == 1 ? found : NULL;
}

static const struct option_row *find_short(char letter)
{
	for (size_t i = 0; i < ROWS; i++) {
		if (rows[i].letter == letter) {
			return &rows[i];
		}
	}
	return NULL;
}

static int refuse_word(const struct words *w, struct err *e)
{
	struct toml at = requirements_at(w->line, w->word.at, STR_NULL);
	struct str text = str_first(w->word.text, 100);

	if (str_starts(text, "-")) {
		text = str_first(text, str_find(text, '='));
		lock_fail(&at, e, RC_SYNTAX, "no option \"%.*s\" of a requirements file",
			STR_ARG(text));
		return err_hint(e, "gpkg-lock(5) lists those that are read");
	}
	lock_fail(&at, e, RC_SYNTAX, "\"%.*s\" stands behind options", STR_ARG(text));
	return err_hint(e, "the requirement with its marker comes first, then options as --hash");
}

/* "--name=value", "--name value", "-nvalue" or "-n value". */
static int read_option(struct words *w, struct requirements_given *out, struct err *e)
{
	struct str text = w->word.text, name = str_first(text, str_find(text, '='));
	bool is_long = str_starts(text, "--");
	const struct option_row *row = is_long                               ? find_long(name)
				       : str_starts(text, "-") && text.n > 1 ? find_short(text.p[1])
									     : NULL;
	bool has_value = is_long ? name.n < text.n : text.n > 2;

	if (!row) {
		return refuse_word(w, e);
	}
	*out = (struct requirements_given){
		.option = row->option, .name = row->name, .at = w->word.at
	};
	if (has_value) {
		out->value = str_skip(text, is_long ? name.n + 1 : 2);
	} else if (row->has_value) {
		if (next_word(w, &has_value, e)) {
			return -(int)e->rc;
		}
		out->value = w->word.text;
	}
	if (has_value != row->has_value || (has_value && out->value.n == 0)) {
		struct toml at = requirements_at(w->line, out->at, STR_NULL);

		return lock_fail(&at, e, RC_SYNTAX, "%s %s", row->name,
			row->has_value ? "needs a value" : "takes no value");
	}
	return 0;
}

/* ---- the line ---- */

/* The options begin with the first word that begins with '-'. */
static size_t options_begin(struct str line)
{
	for (size_t i = 0; i < line.n; i++) {
		if (line.p[i] == '-' && (i == 0 || is_blank(line.p[i - 1]))) {
			return i;
		}
	}
	return line.n;
}

int requirements_split(struct arena *a, const struct requirements_line *l, struct str *requirement,
	struct requirements_options *options, struct err *e)
{
	size_t begin = options_begin(l->text);
	struct words w = { .arena = a, .line = l, .rest = str_skip(l->text, begin) };

	*requirement = str_trim(str_first(l->text, begin));
	for (;;) {
		struct requirements_given given;
		bool more = false;

		if (next_word(&w, &more, e)) {
			return -(int)e->rc;
		}
		if (!more) {
			return 0;
		}
		if (read_option(&w, &given, e)) {
			return -(int)e->rc;
		}
		vec_push(options, given);
	}
}

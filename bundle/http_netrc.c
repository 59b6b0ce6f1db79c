#include "bundle/http_netrc.h"

#include <string.h>

static bool is_space(char c)
{
	return c && strchr(" \t\r\n\v\f", c);
}

static struct str skip_space(struct str s)
{
	while (s.n && is_space(*s.p)) {
		s = str_skip(s, 1);
	}
	return s;
}

static struct str skip_line(struct str s)
{
	return str_skip(s, str_find(s, '\n') + 1);
}

/* Behind the opening quote. A word whose closing quote is missing ends with the text. */
static struct str read_quoted(struct str *rest, struct arena *a)
{
	char *word = arena_alloc(a, rest->n + 1);
	size_t n = 0;

	while (rest->n && *rest->p != '"') {
		char c = *rest->p;

		if (c == '\\' && rest->n > 1) {
			*rest = str_skip(*rest, 1);
			c = *rest->p == 'n'   ? '\n'
			    : *rest->p == 't' ? '\t'
			    : *rest->p == 'r' ? '\r'
					      : *rest->p;
		}
		word[n++] = c;
		*rest = str_skip(*rest, 1);
	}
	*rest = str_skip(*rest, 1);
	return (struct str){ word, n };
}

/* False at the end of the text. */
static bool read_word(struct str *rest, struct arena *a, struct str *out)
{
	size_t n = 0;

	*rest = skip_space(*rest);
	if (!rest->n) {
		return false;
	}
	if (*rest->p == '"') {
		*rest = str_skip(*rest, 1);
		*out = read_quoted(rest, a);
		return true;
	}
	while (n < rest->n && !is_space(rest->p[n])) {
		n++;
	}
	*out = str_first(*rest, n);
	*rest = str_skip(*rest, n);
	return true;
}

/* A macro ends with the first empty line. */
static struct str skip_macro(struct str s)
{
	do {
		s = skip_line(s);
	} while (s.n && *s.p != '\n' && !str_starts(s, "\r\n"));
	return s;
}

/* Up to the keyword that begins another entry. */
static struct str read_entry(
	struct str rest, struct arena *a, const char **user, const char **password)
{
	struct str word, value;

	*user = *password = "";
	for (struct str before = rest; read_word(&rest, a, &word); before = rest) {
		if (str_is(word, "machine") || str_is(word, "default") || str_is(word, "macdef")) {
			return before;
		}
		if (str_starts(word, "#")) {
			rest = skip_line(skip_space(before));
		} else if (str_is(word, "login") || str_is(word, "user")) {
			*user = read_word(&rest, a, &value) ? arena_dup(a, value) : "";
		} else if (str_is(word, "password")) {
			*password = read_word(&rest, a, &value) ? arena_dup(a, value) : "";
		} else if (str_is(word, "account")) {
			read_word(&rest, a, &value);
		}
	}
	return rest;
}

bool netrc_find(
	struct str text, struct str host, struct arena *a, const char **user, const char **password)
{
	struct str word, name;
	const char *entry_user, *entry_password;
	bool has_default = false;

	if (str_starts(host, "[") && str_ends(host, "]")) {
		host = str_first(str_skip(host, 1), host.n - 2);
	}
	for (struct str before = text; read_word(&text, a, &word); before = text) {
		bool is_machine = str_is(word, "machine");

		if (str_starts(word, "#")) {
			text = skip_line(skip_space(before));
		} else if (str_is(word, "macdef")) {
			text = skip_macro(text);
		} else if (is_machine ? read_word(&text, a, &name) : str_is(word, "default")) {
			bool fits = is_machine && str_eq_nocase(name, host);

			text = read_entry(text, a, &entry_user, &entry_password);
			if (fits || (!is_machine && !has_default)) {
				*user = entry_user;
				*password = entry_password;
				has_default = true;
			}
			if (fits) {
				return true;
			}
		}
	}
	return has_default;
}

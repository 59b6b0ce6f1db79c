#include "verify/sdist_sources.h"

#include "manifests/base/buf.h"
#include "manifests/base/vec.h"

#include <string.h>

enum { DEPTH_MAX = 64, PATHS_MAX = 1000, PATH_LENGTH_MAX = 255 };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- what the scanner knows ---- */

struct frame {           /* one bracket */
	bool is_list;    /* strings in it are files that are compiled */
	bool is_join;    /* arguments of join(): they make one path */
	bool is_ignored; /* whatever is in it, and in what it holds */
	bool is_include; /* include_dirs */
};

struct named { /* a path, as setup.py has it */
	struct str path;
	bool is_source; /* else a folder of headers */
	bool is_asked;  /* it stands where its absence may be foreseen */
};

/* Tokens are remembered by a letter: a word, a string, or the character itself. */
enum { TOKEN_WORD = 'w', TOKEN_STRING = 's' };

struct scan {
	struct arena *a;
	struct str text;
	size_t at;
	struct frame frames[DEPTH_MAX];
	size_t depth;
	char last, before; /* the last two tokens */
	struct str word;   /* the last word */
	struct str key;    /* the word before the last "=" */
	/* The path that is being put together. */
	struct buf chain;
	bool is_open, is_computed;
	size_t chain_depth;
	VEC(struct named) named;
};

static bool is_one_of(struct str word, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (str_is(word, words[i])) {
			return true;
		}
	}
	return false;
}

static bool is_word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static void push_token(struct scan *s, char token)
{
	s->before = s->last;
	s->last = token;
}

/* ---- paths ---- */

static bool has_path_chars(struct str path)
{
	for (size_t i = 0; i < path.n; i++) {
		char c = path.p[i];

		if (!is_word_char(c) && c != '.' && c != '-' && c != '+' && c != '/') {
			return false;
		}
	}
	return path.n && path.n <= PATH_LENGTH_MAX && path.p[0] != '/' && !str_has(path, "..") &&
	       !str_has(path, "//");
}

static struct str extension_of(struct str path)
{
	struct str base =
		str_skip(path, str_rfind(path, '/') == path.n ? 0 : str_rfind(path, '/') + 1);
	size_t dot = str_rfind(base, '.');

	return dot == 0 || dot == base.n ? STR_NULL : str_skip(base, dot);
}

static bool is_source(struct str path)
{
	static const char *const extensions[] = { ".c", ".cc", ".cpp", ".cu", ".cxx" };

	return has_path_chars(path) && is_one_of(extension_of(path), extensions, COUNT(extensions));
}

/* A part of the path says that it is not for a CUDA build on Linux. */
static bool is_foreign(struct str path)
{
	static const char *const words[] = { "aix", "apple", "bench", "benchmark", "benchmarks",
		"bsd", "cann", "ck", "composable", "darwin", "doc", "docs", "example", "examples",
		"hip", "mac", "macos", "metal", "mps", "msvc", "musa", "npu", "nt", "osx", "rocm",
		"solaris", "sunos", "sycl", "test", "tests", "win", "win32", "windows", "xpu" };
	size_t begin = 0;

	for (size_t i = 0; i <= path.n; i++) {
		if (i == path.n || !is_word_char(path.p[i]) || path.p[i] == '_') {
			struct str part = str_range(path.p + begin, path.p + i);

			for (size_t k = 0; k < COUNT(words); k++) {
				if (str_eq_nocase(part, str_of(words[k]))) {
					return true;
				}
			}
			begin = i + 1;
		}
	}
	return false;
}

static void end_chain(struct scan *s)
{
	const struct frame *f = &s->frames[s->chain_depth];
	struct str path = buf_str(&s->chain);

	if (!s->is_open) {
		return;
	}
	s->is_open = false;
	while (str_starts(path, "./")) {
		path = str_skip(path, 2);
	}
	bool is_file = is_source(path), is_folder = f->is_include && has_path_chars(path);

	if (s->is_computed || s->named.n == PATHS_MAX || (!is_file && !is_folder) ||
		is_foreign(path)) {
		return;
	}
	vec_push(&s->named, (struct named){ .path = arena_str(s->a, path),
				    .is_source = is_file,
				    .is_asked = !f->is_list || f->is_ignored });
}

/* ---- tokens ---- */

/* Puts a string onto the path, or begins another. `computed`: its value is not what is written. */
static void add_string(struct scan *s, struct str value, bool computed)
{
	bool is_joined =
		(s->last == '/' && s->before == TOKEN_STRING) ||
		(s->last == ',' && s->frames[s->depth].is_join && s->chain_depth == s->depth);

	if (s->is_open && s->last == TOKEN_STRING) {
		s->is_computed = true; /* adjacent strings are one: rare in lists of files */
	} else if (s->is_open && is_joined) {
		buf_addc(&s->chain, '/');
		buf_addstr(&s->chain, value);
	} else {
		end_chain(s);
		buf_clear(&s->chain);
		buf_addstr(&s->chain, value);
		s->is_open = true;
		s->chain_depth = s->depth;
		s->is_computed = s->last == '+' || s->last == '%' || s->last == '*' ||
				 (s->last == '=' && (s->before == '=' || s->before == '!'));
	}
	s->is_computed |= computed;
	push_token(s, TOKEN_STRING);
}

/* At a quote; `prefix` is the word right before it. */
static void take_string(struct scan *s, struct str prefix)
{
	char quote = s->text.p[s->at];
	struct str rest = str_skip(s->text, s->at);
	size_t width = rest.n >= 3 && rest.p[1] == quote && rest.p[2] == quote ? 3 : 1;
	bool computed =
		prefix.n && !str_eq_nocase(prefix, STR("r")) && !str_eq_nocase(prefix, STR("u"));
	size_t i = width;

	while (i < rest.n &&
		(rest.p[i] != quote || (width == 3 && (i + 2 >= rest.n || rest.p[i + 1] != quote ||
							      rest.p[i + 2] != quote)))) {
		computed |= rest.p[i] == '\\';
		i += rest.p[i] == '\\' ? 2 : 1;
	}
	i = i < rest.n ? i : rest.n;
	add_string(s, str_range(rest.p + width, rest.p + (i > width ? i : width)), computed);
	s->at += i + width < rest.n ? i + width : rest.n;
}

static void take_word(struct scan *s)
{
	static const char *const compares[] = { "in", "is", "not" };
	size_t begin = s->at;

	while (s->at < s->text.n && is_word_char(s->text.p[s->at])) {
		s->at++;
	}
	struct str word = str_range(s->text.p + begin, s->text.p + s->at);
	if (s->at < s->text.n && (s->text.p[s->at] == '"' || s->text.p[s->at] == '\'') &&
		word.n <= 2) {
		take_string(s, word);
		return;
	}
	s->is_computed |= is_one_of(word, compares, COUNT(compares));
	end_chain(s);
	s->word = word;
	push_token(s, TOKEN_WORD);
}

static bool has_any(struct str word, const char *const *parts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (str_has(word, parts[i])) {
			return true;
		}
	}
	return false;
}

/* What a "(" or "[" behind the last tokens means. */
static struct frame frame_of(const struct scan *s, char bracket)
{
	static const char *const adds[] = { "add", "append", "extend", "insert" };
	static const char *const paths[] = { "Path", "abspath", "fspath", "join", "normpath",
		"realpath", "str" };
	static const char *const runs[] = { "Popen", "call", "check_call", "check_output", "run",
		"spawn", "system" };
	static const char *const begins[] = { "else", "return", "yield" };
	static const char *const other_keys[] = { "args", "classifiers", "data_files", "depends",
		"exclude", "headers", "ignore", "keywords", "libraries", "package_data",
		"py_modules", "scripts", "skip", "test" };
	const struct frame *outer = &s->frames[s->depth];
	struct frame f = { .is_ignored = outer->is_ignored, .is_include = outer->is_include };
	bool is_behind = s->last == TOKEN_WORD && !is_one_of(s->word, begins, COUNT(begins));

	if (s->last == '=' && s->key.n) {
		f.is_ignored |= has_any(s->key, other_keys, COUNT(other_keys));
		f.is_include |= str_has(s->key, "include_dir");
	}
	if (bracket == '[') { /* behind a value it is an index */
		f.is_list =
			!is_behind && s->last != ')' && s->last != ']' && s->last != TOKEN_STRING;
	} else if (bracket == '(' && is_behind) { /* a call */
		f.is_join = str_is(s->word, "join");
		f.is_list = is_one_of(s->word, adds, COUNT(adds)) ||
			    (outer->is_list && is_one_of(s->word, paths, COUNT(paths)));
		f.is_ignored |= is_one_of(s->word, runs, COUNT(runs));
	} else if (bracket == '(') {
		f.is_list = outer->is_list || s->last == '=';
	}
	return f;
}

static void take_mark(struct scan *s, char c)
{
	bool is_kept =
		c == '/' || (c == ',' && s->frames[s->depth].is_join && s->chain_depth == s->depth);

	if (!is_kept) {
		s->is_computed |= c == '+' || c == '%' || c == '.' || c == '*' || c == '=';
		end_chain(s);
	}
	if ((c == '(' || c == '[' || c == '{') && s->depth + 1 < DEPTH_MAX) {
		struct frame f = frame_of(s, c);

		s->frames[++s->depth] = f;
	} else if ((c == ')' || c == ']' || c == '}') && s->depth) {
		s->depth--;
	} else if (c == '=') {
		s->key = s->last == TOKEN_WORD ? s->word : STR_NULL;
	}
	push_token(s, c);
	s->at++;
}

static void scan_setup(struct scan *s)
{
	while (s->at < s->text.n) {
		char c = s->text.p[s->at];

		if (c == '#') {
			s->at += str_find(str_skip(s->text, s->at), '\n');
		} else if (c == '\\') {
			s->at += 2;
		} else if (c == '"' || c == '\'') {
			take_string(s, STR_NULL);
		} else if (is_word_char(c)) {
			take_word(s);
		} else if (c == '\n' && s->depth == 0) {
			end_chain(s);
			push_token(s, c);
			s->at++;
		} else if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
			s->at++;
		} else {
			take_mark(s, c);
		}
	}
	end_chain(s);
}

/* ---- against the members ---- */

static bool ends_in_path(struct str member, struct str path)
{
	return member.n > path.n && member.p[member.n - path.n - 1] == '/' &&
	       str_eq(str_skip(member, member.n - path.n), path);
}

/* Is this member the file, or what it is generated from? */
static bool gives_source(struct str member, struct str path, struct str stem)
{
	static const char *const inputs[] = { ".in", ".pyx", ".py", ".i", ".l", ".y", ".re",
		".tmpl", ".template", ".jinja", ".proto" };

	if (ends_in_path(member, path)) {
		return true;
	}
	for (size_t i = 0; i < COUNT(inputs); i++) {
		struct str rest = str_first(member, member.n - strlen(inputs[i]));

		if (str_ends(member, inputs[i]) &&
			(ends_in_path(rest, stem) || ends_in_path(rest, path))) {
			return true;
		}
	}
	return false;
}

static bool has_source(struct str path, const struct str *members, size_t n)
{
	struct str stem = str_first(path, path.n - extension_of(path).n);

	for (size_t i = 0; i < n; i++) {
		if (gives_source(members[i], path, stem)) {
			return true;
		}
	}
	return false;
}

/* Below a folder of the sdist itself: else it belongs to whatever else the compiler is shown. */
static bool lacks_folder(struct arena *a, struct str path, const struct str *members, size_t n)
{
	struct str top = n ? str_first(members[0], str_find(members[0], '/')) : STR_NULL;
	struct str first = str_first(path, str_find(path, '/'));
	const char *home = arena_printf(a, "%.*s/%.*s/", STR_ARG(top), STR_ARG(first));
	const char *folder = arena_printf(a, "/%.*s/", STR_ARG(path));
	bool is_ours = false;

	for (size_t i = 0; i < n; i++) {
		is_ours |= str_starts(members[i], home);
		if (str_has(members[i], folder)) {
			return false;
		}
	}
	return is_ours;
}

/* Once, and only where setup.py never asks for it. */
static bool is_judged(const struct scan *s, const struct named *one)
{
	vec_each(const struct named, other, &s->named) {
		if (str_eq(other->path, one->path) && (other->is_asked || other < one)) {
			return false;
		}
	}
	return true;
}

void sdist_sources_missing(struct arena *a, struct str setup_py, const struct str *members,
	size_t nmembers, struct str **out, size_t *n)
{
	struct scan s = { .a = a, .text = setup_py, .chain = BUF_INIT };

	scan_setup(&s);
	*out = arena_array(a, SDIST_MISSING_MAX, sizeof(**out));
	*n = 0;
	vec_each(struct named, one, &s.named) {
		if (*n < SDIST_MISSING_MAX && is_judged(&s, one) &&
			(one->is_source ? !has_source(one->path, members, nmembers)
					: lacks_folder(a, one->path, members, nmembers))) {
			(*out)[(*n)++] = one->path;
		}
	}
	vec_release(&s.named);
	buf_release(&s.chain);
}

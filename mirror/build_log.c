#include "mirror/build_log.h"

#include <ctype.h>
#include <string.h>

enum { LINE_SHOWN = 200 };

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '.' || c == '_' || c == '-';
}

/* Where `part` begins in s, or s.n. */
static size_t find_part(struct str s, const char *part)
{
	const char *at = s.n ? memmem(s.p, s.n, part, strlen(part)) : NULL;

	return at ? (size_t)(at - s.p) : s.n;
}

/* The word at the beginning of s, quotes before it skipped. */
static struct str first_word(struct str s)
{
	size_t n = 0;

	while (s.n && (s.p[0] == '\'' || s.p[0] == '"')) {
		s = str_skip(s, 1);
	}
	while (n < s.n && is_word(s.p[n])) {
		n++;
	}
	return str_first(s, n);
}

/* The host of the last, or of the first, address in s. */
static struct str host_in(struct str s, bool is_last)
{
	struct str host = STR_NULL;

	for (;;) {
		size_t at = find_part(s, "://");

		if (at == s.n || (host.n && !is_last)) {
			return host;
		}
		s = str_skip(s, at + 3);
		host = first_word(s);
	}
}

enum word { NO_WORD, NEXT_WORD, HOST };

#define NETWORK "it tried to reach the network (%s): builds have none; a recipe can tell it not to"

/* Causes before consequences: one error is often followed by others' complaints. "%s" is the word.
 */
static const struct cause {
	const char *mark;
	enum word word;
	const char *remedy;
} causes[] = {
	{ "ModuleNotFoundError: No module named ", NEXT_WORD,
		"it imports \"%s\" while it builds and does not declare it: add that to "
		"\"requires\" of "
		"its [recipe] in the lock, and to the packages with use = \"build\"" },
	{ "Unsupported gpu architecture ", NEXT_WORD,
		"this nvcc does not compile for %s: take another toolkit" },
	{ "Unknown CUDA arch", NO_WORD,
		"this torch does not know the architecture of the target's GPUs" },
	{ "unsupported GNU version", NO_WORD,
		"this nvcc does not take so new a gcc: set CC, CXX and NVCC_CCBIN to an older "
		"one" },
	{ "The detected CUDA version", NO_WORD,
		"the toolkit's CUDA is another than that of the target's torch" },
	{ "CUDA_HOME environment variable is not set", NO_WORD,
		"it wants a CUDA toolkit: give the lock a [toolkit], or set CUDA_HOME" },
	{ "Killed signal terminated program", NO_WORD,
		"the machine ran out of memory: try again with fewer --jobs" },
	{ "Cannot allocate memory", NO_WORD,
		"the machine ran out of memory: try again with fewer --jobs" },
	{ "No space left on device", NO_WORD,
		"the disk is full: name a folder with more room in TMPDIR" },
	{ "name resolution", HOST, NETWORK },
	{ "Name or service not known", HOST, NETWORK },
	{ "Network is unreachable", HOST, NETWORK },
	{ "urlopen error", HOST, NETWORK },
};

/* How far from the error the address may stand: before it in a plain traceback, behind it where one
 * error was handled by raising another, whose traceback alone shows the caller. */
enum { TRACEBACK = 6000 };

static struct str word_of(const struct cause *c, struct str text, size_t at)
{
	struct str rest = str_skip(text, at), before = str_first(text, at), word = STR_NULL;

	if (c->word == NEXT_WORD) {
		word = first_word(str_skip(rest, strlen(c->mark)));
	} else if (c->word == HOST) {
		word = host_in(
			str_skip(before, before.n > TRACEBACK ? before.n - TRACEBACK : 0), true);
		word = word.n ? word : host_in(str_first(rest, TRACEBACK), false);
	}
	return word.n ? word : STR("unnamed");
}

bool build_log_cause(struct str text, struct buf *remedy)
{
	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++) {
		const struct cause *c = &causes[i];
		struct str form = str_of(c->remedy);
		size_t at = find_part(text, c->mark), gap = find_part(form, "%s");

		if (at == text.n) {
			continue;
		}
		buf_addstr(remedy, str_first(form, gap));
		if (gap < form.n) {
			buf_addstr(remedy, word_of(c, text, at));
			buf_addstr(remedy, str_skip(form, gap + 2));
		}
		return true;
	}
	return false;
}

/* What a build prints must not command the terminal. */
static void add_line(struct str line, struct buf *out)
{
	buf_adds(out, "\n  | ");
	for (size_t i = 0; i < line.n; i++) {
		unsigned char c = (unsigned char)line.p[i];

		buf_addc(out, c < 0x20 || c == 0x7f ? ' ' : line.p[i]);
	}
}

void build_log_tail(struct str text, size_t lines, struct buf *out)
{
	size_t kept = 0, end = find_part(text, "error: subprocess-exited-with-error");
	struct str tail, line;

	/* What pip adds to the story of a program that failed is the same every time. */
	text = str_first(text, end);
	tail = str_skip(text, text.n);
	while (text.n && kept < lines) {
		size_t at = str_rfind(text, '\n');

		line = at == text.n ? text : str_skip(text, at + 1);
		tail.n = (size_t)(tail.p + tail.n - line.p);
		tail.p = line.p;
		kept += str_trim(line).n > 0;
		text = at == text.n ? STR_NULL : str_first(text, at);
	}
	while (str_cut(&tail, '\n', &line)) {
		if (str_trim(line).n) {
			add_line(str_first(line, LINE_SHOWN), out);
		}
	}
}

/* Reading of markers: recursive descent over PEP 508's grammar, "and" and "or" kept in the order
 * of writing, so that a marker is written back as it was grouped. Every byte is read once. */
#include "manifests/marker_node.h"
#include "manifests/name.h"

struct marker_reader {
	struct arena *arena;
	struct str text;
	size_t at;
	unsigned depth;
	struct err *err;
};

static const struct {
	const char *name;
	enum marker_var var;
} spellings[] = {
	{ "python_version", MARKER_PYTHON_VERSION },
	{ "python_full_version", MARKER_PYTHON_FULL_VERSION },
	{ "os_name", MARKER_OS_NAME },
	{ "os.name", MARKER_OS_NAME },
	{ "sys_platform", MARKER_SYS_PLATFORM },
	{ "sys.platform", MARKER_SYS_PLATFORM },
	{ "platform_release", MARKER_PLATFORM_RELEASE },
	{ "platform_system", MARKER_PLATFORM_SYSTEM },
	{ "platform_version", MARKER_PLATFORM_VERSION },
	{ "platform.version", MARKER_PLATFORM_VERSION },
	{ "platform_machine", MARKER_PLATFORM_MACHINE },
	{ "platform.machine", MARKER_PLATFORM_MACHINE },
	{ "platform_python_implementation", MARKER_PLATFORM_PYTHON_IMPLEMENTATION },
	{ "platform.python_implementation", MARKER_PLATFORM_PYTHON_IMPLEMENTATION },
	{ "python_implementation", MARKER_PLATFORM_PYTHON_IMPLEMENTATION },
	{ "implementation_name", MARKER_IMPLEMENTATION_NAME },
	{ "implementation_version", MARKER_IMPLEMENTATION_VERSION },
	{ "extra", MARKER_EXTRA },
	{ "extras", MARKER_EXTRAS },
	{ "dependency_groups", MARKER_DEPENDENCY_GROUPS },
};

/* Longer operators stand before those that they begin with. */
static const enum marker_op symbols[] = { MARKER_ARBITRARY, MARKER_EQ, MARKER_COMPATIBLE, MARKER_NE,
	MARKER_LE, MARKER_GE, MARKER_LT, MARKER_GT };

static int read_group(struct marker_reader *r, struct marker **out);

static struct str rest(const struct marker_reader *r)
{
	return str_skip(r->text, r->at);
}

static int fail(struct marker_reader *r, const char *expected)
{
	struct str shown = str_first(r->text, 200);
	size_t column = 1;

	for (size_t i = 0; i < r->at; i++) {
		column += ((unsigned char)r->text.p[i] & 0xC0) != 0x80;
	}
	return err_set(r->err, RC_SYNTAX, "marker \"%.*s\": column %zu: expected %s",
		STR_ARG(shown), column, expected);
}

static void skip_blanks(struct marker_reader *r)
{
	while (r->at < r->text.n && (r->text.p[r->at] == ' ' || r->text.p[r->at] == '\t')) {
		r->at++;
	}
}

static bool is_word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static bool take_symbol(struct marker_reader *r, const char *symbol)
{
	if (!str_starts(rest(r), symbol)) {
		return false;
	}
	r->at += str_of(symbol).n;
	return true;
}

/* The same for a word, which must not go on: "in" does not begin "index". */
static bool take_word(struct marker_reader *r, const char *word)
{
	struct str after = str_skip(rest(r), str_of(word).n);

	if (after.n && is_word_char(after.p[0])) {
		return false;
	}
	return take_symbol(r, word);
}

static bool take_var(struct marker_reader *r, struct marker_side *out)
{
	for (size_t i = 0; i < sizeof(spellings) / sizeof(spellings[0]); i++) {
		if (take_word(r, spellings[i].name)) {
			enum marker_var var = spellings[i].var;

			*out = (struct marker_side){ true, var, str_of(marker_var_name(var)) };
			return true;
		}
	}
	return false;
}

/* PEP 508's python_str has neither escapes nor control characters. */
static bool is_plain(struct str text)
{
	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];

		if (c == '\\' || (c < 0x20 && c != '\t') || c == 0x7F) {
			return false;
		}
	}
	return true;
}

static int read_side(struct marker_reader *r, struct marker_side *out)
{
	if (take_var(r, out)) {
		return 0;
	}
	struct str here = rest(r);
	if (here.n == 0 || (here.p[0] != '"' && here.p[0] != '\'')) {
		return fail(r, "a variable like python_version, or a text in quotes");
	}
	struct str text = str_skip(here, 1);
	text.n = str_find(text, here.p[0]);
	if (text.n + 1 == here.n) {
		return fail(r, "the closing quote of this text");
	}
	if (!is_plain(text)) {
		return fail(r, "a text without backslashes and control characters");
	}
	*out = (struct marker_side){ .text = text };
	r->at += text.n + 2;
	return 0;
}

static int read_op(struct marker_reader *r, enum marker_op *out)
{
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		if (take_symbol(r, marker_op_text(symbols[i]))) {
			*out = symbols[i];
			return 0;
		}
	}
	if (take_word(r, "in")) {
		*out = MARKER_IN;
		return 0;
	}
	if (!take_word(r, "not")) {
		return fail(r, "an operator: ==, !=, <=, >=, <, >, ~=, ===, in, not in");
	}
	size_t before = r->at;
	skip_blanks(r);
	if (r->at == before || !take_word(r, "in")) {
		return fail(r, "\"in\" after \"not\"");
	}
	*out = MARKER_NOT_IN;
	return 0;
}

bool marker_specifier(
	struct arena *a, enum marker_op op, struct str text, struct specifier_set *out)
{
	struct err unused = ERR_INIT;

	if (op == MARKER_IN || op == MARKER_NOT_IN || str_find(text, ',') < text.n) {
		return false;
	}
	const char *joined = arena_printf(a, "%s%.*s", marker_op_text(op), STR_ARG(text));
	return specifier_parse(a, str_of(joined), out, &unused) == 0;
}

/* What can be made ready once: names of extras are compared in normal form (PEP 685). */
static void prepare(struct arena *a, struct marker *m)
{
	struct marker_side *left = &m->left, *right = &m->right;
	struct specifier_set specifier;

	if (left->is_var && left->var == MARKER_EXTRA && !right->is_var) {
		right->text = str_of(name_normalize(a, right->text));
	} else if (!left->is_var && right->is_var &&
		   (right->var == MARKER_EXTRA || marker_var_is_set(right->var))) {
		left->text = str_of(name_normalize(a, left->text));
	}
	if (left->is_var && marker_var_is_version(left->var) && m->op != MARKER_ARBITRARY &&
		marker_specifier(a, m->op, right->text, &specifier)) {
		struct specifier_set *kept = arena_alloc(a, sizeof(*kept));

		*kept = specifier;
		m->specifier = kept;
	}
}

static int read_comparison(struct marker_reader *r, struct marker *m)
{
	int rc = read_side(r, &m->left);

	skip_blanks(r);
	rc = rc ? rc : read_op(r, &m->op);
	skip_blanks(r);
	rc = rc ? rc : read_side(r, &m->right);
	if (!rc) {
		m->left.text = arena_str(r->arena, m->left.text);
		m->right.text = arena_str(r->arena, m->right.text);
		prepare(r->arena, m);
	}
	return rc;
}

static int read_parentheses(struct marker_reader *r, struct marker **out)
{
	if (r->depth == MARKER_DEPTH_MAX) {
		return fail(r, "no more than 200 nested parentheses");
	}
	r->depth++;
	r->at++;
	int rc = read_group(r, out);
	if (!rc && !take_symbol(r, ")")) {
		rc = fail(r, "\"and\", \"or\" or a closing parenthesis");
	}
	r->depth--;
	return rc;
}

static int read_member(struct marker_reader *r, struct marker **out)
{
	int rc;

	skip_blanks(r);
	if (str_starts(rest(r), "(")) {
		rc = read_parentheses(r, out);
	} else {
		*out = arena_alloc(r->arena, sizeof(**out));
		rc = read_comparison(r, *out);
	}
	skip_blanks(r);
	return rc;
}

static int read_group(struct marker_reader *r, struct marker **out)
{
	struct marker *group = arena_alloc(r->arena, sizeof(*group));
	struct marker **next = &group->first;
	bool is_or = false;

	for (;;) {
		int rc = read_member(r, next);

		if (rc) {
			return rc;
		}
		(*next)->is_or = is_or;
		is_or = take_word(r, "or");
		if (!is_or && !take_word(r, "and")) {
			break;
		}
		next = &(*next)->next;
	}
	*out = group;
	return 0;
}

int marker_parse(struct arena *a, struct str text, const struct marker **out, struct err *e)
{
	struct marker_reader r = { .arena = a, .text = text, .err = e };
	struct marker *group;

	if (!str_is_utf8(text)) {
		return fail(&r, "UTF-8 text");
	}
	int rc = read_group(&r, &group);
	if (rc) {
		return rc;
	}
	if (r.at < text.n) {
		return fail(&r, "\"and\", \"or\" or the end");
	}
	*out = group;
	return 0;
}

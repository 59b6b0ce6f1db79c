/* Evaluation of markers in three values: a comparison with a value that nobody knows is open, and
 * stays so unless the rest of the marker decides. Comparisons are those of `packaging` 26. */
#include "manifests/marker_node.h"

#include <string.h>

enum truth { NO, YES, OPEN };

struct marker_run {
	const struct marker_env *env;
	struct str extra;
	bool is_strict;                   /* an unknown value is open; else it is the empty text */
	enum marker_var unknown;          /* set when something was open */
	const struct marker *meaningless; /* a comparison that has no meaning, or NULL */
	struct arena scratch;
};

static enum truth truth_of(bool value)
{
	return value ? YES : NO;
}

static enum truth both(enum truth a, enum truth b)
{
	if (a == NO || b == NO) {
		return NO;
	}
	return a == OPEN || b == OPEN ? OPEN : YES;
}

static enum truth either(enum truth a, enum truth b)
{
	if (a == YES || b == YES) {
		return YES;
	}
	return a == OPEN || b == OPEN ? OPEN : NO;
}

static bool is_part(struct str part, struct str whole)
{
	return part.n == 0 || (whole.n >= part.n && memmem(whole.p, whole.n, part.p, part.n));
}

static enum truth no_meaning(struct marker_run *run, const struct marker *m)
{
	run->meaningless = m;
	return NO;
}

static enum truth compare_text(
	struct marker_run *run, const struct marker *m, struct str left, struct str right)
{
	switch (m->op) {
	case MARKER_EQ:
	case MARKER_LE:
	case MARKER_GE:
		return truth_of(str_eq(left, right));
	case MARKER_NE:
		return truth_of(!str_eq(left, right));
	case MARKER_IN:
		return truth_of(is_part(left, right));
	case MARKER_NOT_IN:
		return truth_of(!is_part(left, right));
	case MARKER_LT:
	case MARKER_GT:
		return NO;
	case MARKER_COMPATIBLE:
	case MARKER_ARBITRARY:
		break;
	}
	return no_meaning(run, m);
}

/* PEP 440's "===": any text that could stand in a specifier, case ignored. */
static enum truth compare_arbitrary(
	struct marker_run *run, const struct marker *m, struct str left, struct str right)
{
	right = str_trim(right);
	bool is_specifier = right.n > 0;

	for (size_t i = 0; i < right.n; i++) {
		is_specifier = is_specifier && !strchr(" \t;)", right.p[i]);
	}
	return is_specifier ? truth_of(str_eq_nocase(left, right)) : no_meaning(run, m);
}

static enum truth compare_versions(
	struct marker_run *run, const struct marker *m, struct str left, struct str right)
{
	struct err unused; /* never read: clearing it takes longer than the comparison */
	struct specifier_set made;
	struct version version;
	const struct specifier_set *specifier = m->specifier;

	if (m->op == MARKER_ARBITRARY) {
		return compare_arbitrary(run, m, left, right);
	}
	if (!specifier && !m->left.is_var && marker_specifier(&run->scratch, m->op, right, &made)) {
		specifier = &made;
	}
	if (!specifier) {
		return compare_text(run, m, left, right);
	}
	/* What is no version is in no specifier, not even in "!=". */
	return truth_of(version_parse(&run->scratch, left, &version, &unused) == 0 &&
			specifier_contains(specifier, &version));
}

static bool is_in_set(const struct marker_env *env, enum marker_var set, struct str text)
{
	bool is_extras = set == MARKER_EXTRAS;
	const struct str *v = is_extras ? env->extras : env->dependency_groups;
	size_t n = is_extras ? env->nextras : env->ndependency_groups;

	for (size_t i = 0; i < n; i++) {
		if (str_eq(v[i], text)) {
			return true;
		}
	}
	return false;
}

/* PEP 751: a set has members, and nothing else can be asked of it. */
static enum truth compare_set(struct marker_run *run, const struct marker *m)
{
	if (m->left.is_var || m->op == MARKER_COMPATIBLE || m->op == MARKER_ARBITRARY) {
		return no_meaning(run, m);
	}
	bool is_member = is_in_set(run->env, m->right.var, m->left.text);
	if (m->op == MARKER_IN) {
		return truth_of(is_member);
	}
	return truth_of(m->op == MARKER_NE || (m->op == MARKER_NOT_IN && !is_member));
}

static enum truth eval_comparison(struct marker_run *run, const struct marker *m)
{
	const struct marker_side *named = m->left.is_var ? &m->left : &m->right;

	if (!named->is_var) {
		return no_meaning(run, m);
	}
	if (marker_var_is_set(named->var)) {
		return compare_set(run, m);
	}
	struct str value = named->var == MARKER_EXTRA ? run->extra : run->env->value[named->var];
	if (!value.p && run->is_strict) {
		run->unknown = named->var;
		return OPEN;
	}
	/* A variable on the right of a variable stands for its own name, as in `packaging`. */
	struct str left = m->left.is_var ? value : m->left.text;
	struct str right = m->left.is_var ? m->right.text : value;
	if (marker_var_is_version(named->var)) {
		return compare_versions(run, m, left, right);
	}
	return compare_text(run, m, left, right);
}

static enum truth eval_node(struct marker_run *run, const struct marker *m)
{
	if (!m->first) {
		return eval_comparison(run, m);
	}
	enum truth any = NO, all = YES; /* "and" binds closer than "or" */
	for (const struct marker *member = m->first; member; member = member->next) {
		if (member->is_or) {
			any = either(any, all);
			all = YES;
		}
		all = both(all, eval_node(run, member));
	}
	return either(any, all);
}

static enum truth eval_extras(
	struct marker_run *run, const struct marker *m, const struct str *extras, size_t n)
{
	enum truth any = NO;

	if (n == 0) {
		run->extra = STR("");
		any = eval_node(run, m);
	}
	for (size_t i = 0; i < n && any != YES; i++) {
		run->extra = extras[i].p ? extras[i] : STR("");
		any = either(any, eval_node(run, m));
	}
	arena_release(&run->scratch);
	return any;
}

bool marker_eval(
	const struct marker *m, const struct marker_env *env, const struct str *extras, size_t n)
{
	struct marker_run run = { .env = env };

	return !m || eval_extras(&run, m, extras, n) == YES;
}

int marker_decide(const struct marker *m, const struct marker_env *env, const struct str *extras,
	size_t n, bool *out, struct err *e)
{
	struct marker_run run = { .env = env, .is_strict = true, .scratch = ARENA_INIT };
	CLEANUP_BUF struct buf text = BUF_INIT;
	enum truth truth = m ? eval_extras(&run, m, extras, n) : YES;

	if (run.meaningless) {
		marker_format(run.meaningless, &text);
		return err_set(
			e, RC_INVALID, "marker: %s compares what cannot be compared", text.p);
	}
	if (truth == OPEN) {
		marker_format(m, &text);
		err_set(e, RC_INVALID, "marker %s: needs %s, which the target does not say", text.p,
			marker_var_name(run.unknown));
		return err_hint(e, "override the requirement: say whether this target needs it");
	}
	*out = truth == YES;
	return 0;
}

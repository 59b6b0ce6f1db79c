#include "bundle/solve_private.h"

#include <stdlib.h>

enum { PIECES = 3 }; /* so many ranges of candidates are told, more are counted */

static void say_name(const struct solver *s, const struct variable *var, struct buf *out)
{
	buf_addstr(out, s->world->name_text(s->world->context, var->name));
}

static void say_candidate(
	const struct solver *s, const struct variable *var, size_t number, struct buf *out)
{
	const struct solve_candidate c = { var->name, number };

	buf_addstr(out, s->world->candidate_text(s->world->context, c));
}

/* "1.0", "1.0 to 1.9": the run of candidates that begins at `first`. Returns where it ends. */
static size_t say_run(const struct solver *s, const struct variable *var, const struct bits *set,
	size_t first, struct buf *out)
{
	size_t last = first;

	while (last + 1 < var->says.ncandidates && bits_has(set, last + 1)) {
		last++;
	}
	say_candidate(s, var, first, out);
	if (last > first) {
		buf_adds(out, " to ");
		say_candidate(s, var, last, out);
	}
	return last;
}

static size_t count_runs(const struct variable *var, const struct bits *set)
{
	size_t runs = 0;

	for (size_t i = 0; i < var->says.ncandidates; i++) {
		runs += bits_has(set, i) && (i == 0 || !bits_has(set, i - 1));
	}
	return runs;
}

/* "numpy 1.0, 1.2 to 1.9 and 2.0", "7 of the numpy versions"; all of them: "every numpy", by `all`.
 */
static void say_set(const struct solver *s, const struct variable *var, const struct bits *set,
	const char *all, struct buf *out)
{
	size_t n = var->says.ncandidates, count = 0, runs = count_runs(var, set);

	for (size_t i = 0; i < n; i++) {
		count += bits_has(set, i);
	}
	if (count == n && n > 1) {
		buf_adds(out, all);
		say_name(s, var, out);
		return;
	}
	if (runs > PIECES) {
		buf_addf(out, "%zu of the ", count);
		say_name(s, var, out);
		buf_adds(out, " versions");
		return;
	}
	say_name(s, var, out);
	for (size_t i = bits_next(set, 0), told = 0; i < n; i = bits_next(set, i + 1)) {
		buf_adds(out, told == 0 ? " " : told + 1 == runs ? " and " : ", ");
		i = say_run(s, var, set, i, out);
		told++;
	}
}

static bool is_plural(const struct variable *var, const struct bits *set)
{
	size_t count = 0;

	for (size_t i = 0; i < var->says.ncandidates; i++) {
		count += bits_has(set, i);
	}
	return count > 1 && count < var->says.ncandidates;
}

/* ---- derived rules ---- */

/* Does the term speak of candidates alone? Else it holds without the name, and its opposite is
 * needed. */
static bool is_condition(const struct term *t)
{
	return !bits_has(&t->states, t->var->says.ncandidates);
}

static void say_needed(struct solver *s, const struct term *t, struct buf *out)
{
	struct bits needed = bits_copy(&s->arena, &t->var->all);

	bits_and_not(&needed, &t->states);
	say_set(s, t->var, &needed, "", out);
}

/* The terms of one sort, with a word between them. */
static void say_terms(struct solver *s, const struct rule *r, bool conditions, const char *between,
	struct buf *out)
{
	bool is_first = true;

	for (size_t i = 0; i < r->nterms; i++) {
		if (is_condition(&r->terms[i]) != conditions) {
			continue;
		}
		buf_adds(out, is_first ? "" : between);
		is_first = false;
		if (conditions) {
			say_set(s, r->terms[i].var, &r->terms[i].states, "every ", out);
		} else {
			say_needed(s, &r->terms[i], out);
		}
	}
}

static int by_order(const void *a, const void *b)
{
	const struct term *x = a, *y = b;

	return (x->var->order > y->var->order) - (x->var->order < y->var->order);
}

void rule_say(struct solver *s, const struct rule *r, struct buf *out)
{
	const struct term *condition = NULL;
	size_t nconditions = 0;

	if (r->nterms) {
		qsort(r->terms, r->nterms, sizeof(*r->terms), by_order);
	}
	for (size_t i = 0; i < r->nterms; i++) {
		if (is_condition(&r->terms[i])) {
			condition = &r->terms[i];
			nconditions++;
		}
	}
	if (!r->nterms) {
		buf_adds(out, "the request cannot be met");
	} else if (nconditions == 0) {
		say_terms(s, r, false, " or ", out);
		buf_adds(out, " is needed");
	} else if (nconditions < r->nterms) {
		say_terms(s, r, true, " with ", out);
		buf_adds(out, nconditions == 1 && is_plural(condition->var, &condition->states)
				      ? " need "
				      : " needs ");
		say_terms(s, r, false, " or ", out);
	} else if (nconditions == 1) {
		say_set(s, condition->var, &condition->states, "no ", out);
		bool is_all = bits_count(&condition->states) == condition->var->says.ncandidates;
		buf_adds(out, is_all && condition->var->says.ncandidates > 1 ? " can be chosen"
									     : " cannot be chosen");
	} else {
		say_terms(s, r, true, " and ", out);
		buf_adds(out, " cannot be chosen together");
	}
}

/* ---- what the world says ---- */

static void say_reason(const struct solver *s, const struct rule *r, struct buf *out)
{
	if (bits_is_empty(&r->need->allowed)) {
		struct str why = s->world->empty_text(s->world->context, r->need);

		buf_addf(out, why.n ? " (%.*s)" : "%.*s", STR_ARG(why));
	}
}

static void say_need(const struct solver *s, const struct rule *r, struct buf *out)
{
	say_set(s, r->of, &r->who, "every ", out);
	buf_adds(out, is_plural(r->of, &r->who) ? " need " : " needs ");
	buf_addstr(out, r->need->text);
	say_reason(s, r, out);
}

static int by_candidate(const void *a, const void *b)
{
	const struct rule *const *x = a, *const *y = b;
	size_t i = bits_next(&(*x)->who, 0), k = bits_next(&(*y)->who, 0);

	return (i > k) - (i < k);
}

/* Many needs of one name for another: "a 1.0 to 3.0 need b (b==1.0, b==1.1, ... b==3.0)". */
static void say_many(struct solver *s, struct rule **rules, size_t n, struct buf *out)
{
	struct bits who = bits_copy(&s->arena, &rules[0]->who);

	for (size_t i = 1; i < n; i++) {
		bits_or(&who, &rules[i]->who);
	}
	say_set(s, rules[0]->of, &who, "all ", out);
	buf_adds(out, " need ");
	say_name(s, rules[0]->needed, out);
	buf_addf(out, " (%.*s, %.*s, ... %.*s)", STR_ARG(rules[0]->need->text),
		STR_ARG(rules[1]->need->text), STR_ARG(rules[n - 1]->need->text));
	say_reason(s, rules[n - 1], out);
}

static void say_needs(struct solver *s, struct rule **rules, size_t n, struct buf *out)
{
	qsort(rules, n, sizeof(*rules), by_candidate);
	if (n > PIECES) {
		say_many(s, rules, n, out);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		buf_adds(out, i ? " and " : "");
		say_need(s, rules[i], out);
	}
}

void rules_say(struct solver *s, struct rule **rules, size_t n, struct buf *out)
{
	const struct rule *r = rules[0];

	switch (r->kind) {
	case RULE_ROOT:
		buf_addstr(out, r->need->text);
		say_reason(s, r, out);
		break;
	case RULE_NEED:
		say_needs(s, rules, n, out);
		break;
	case RULE_LIMIT:
		buf_addstr(out, r->limit->text);
		buf_adds(out, " rules out ");
		say_set(s, r->of, &r->terms[0].states, "every ", out);
		break;
	case RULE_DERIVED:
		rule_say(s, r, out);
		break;
	}
}

#include "bundle/solve_private.h"

#include <string.h>

static const struct fact *last_fact(const struct solver *s, const struct variable *var)
{
	return var->facts.n ? &s->trail.v[var->facts.v[var->facts.n - 1]] : NULL;
}

struct bits solver_left(const struct solver *s, const struct variable *var)
{
	const struct fact *last = last_fact(s, var);

	return last ? (struct bits){ s->words.v + last->words, var->all.n } : var->all;
}

size_t solver_left_count(const struct solver *s, const struct variable *var)
{
	const struct fact *last = last_fact(s, var);

	return last ? last->count : var->all.n;
}

bool solver_is_open(const struct solver *s, const struct variable *var)
{
	struct bits left = solver_left(s, var);

	return var->facts.n && !bits_has(&left, var->says.ncandidates);
}

/* A new fact about a variable, with what it had left so far: the caller takes states away. */
static struct bits add_fact(struct solver *s, struct variable *var, struct rule *cause)
{
	size_t at = s->words.n, n = bits_words(var->all.n);

	for (size_t i = 0; i < n; i++) {
		vec_push(&s->words, 0);
	}
	struct bits before = solver_left(s, var), left = { s->words.v + at, var->all.n };
	memcpy(left.w, before.w, n * sizeof(*left.w));
	vec_push(&var->facts, s->trail.n);
	vec_push(&s->trail,
		(struct fact){ .var = var, .cause = cause, .level = s->level, .words = at });
	if (!var->is_queued) {
		var->is_queued = true;
		vec_push(&s->queue, var);
	}
	return left;
}

void solver_decide(struct solver *s, struct choice c)
{
	s->level++;
	s->ndecisions++;
	struct bits left = add_fact(s, c.var, NULL);
	bits_clear(&left);
	bits_add(&left, c.number);
	s->trail.v[s->trail.n - 1].count = 1;
	s->trail.v[s->trail.n - 1].only = c.number;
}

/* Most variables in play have one state left: then a look at one bit is enough. */
static bool term_holds(const struct solver *s, const struct term *t)
{
	const struct fact *last = last_fact(s, t->var);

	if (!last || last->count > t->count) {
		return false;
	}
	if (last->count == 1) {
		return bits_has(&t->states, last->only);
	}
	struct bits left = solver_left(s, t->var);
	return bits_is_subset(&left, &t->states);
}

static bool term_can_hold(const struct solver *s, const struct term *t)
{
	const struct fact *last = last_fact(s, t->var);

	if (last && last->count == 1) {
		return bits_has(&t->states, last->only);
	}
	struct bits left = solver_left(s, t->var);
	return bits_meet(&left, &t->states);
}

/* All other terms of the rule hold, so this one must not. */
static void deny(struct solver *s, const struct term *t, struct rule *cause)
{
	if (!term_can_hold(s, t)) {
		return;
	}
	struct bits left = add_fact(s, t->var, cause);
	struct fact *fact = &s->trail.v[s->trail.n - 1];

	bits_and_not(&left, &t->states);
	fact->count = bits_count(&left);
	fact->only = bits_highest(&left);
}

bool solver_apply(struct solver *s, struct rule *rule)
{
	struct term *loose = NULL;

	for (size_t i = 0; i < rule->nterms; i++) {
		if (term_holds(s, &rule->terms[i])) {
			continue;
		}
		if (loose) {
			return true;
		}
		loose = &rule->terms[i];
	}
	if (loose) {
		deny(s, loose, rule);
	}
	return loose != NULL;
}

static void swap_terms(struct term *a, struct term *b)
{
	struct term t = *a;

	*a = *b;
	*b = t;
}

enum watch {
	WATCH_SILENT, /* nothing follows from the rule */
	WATCH_MOVED,  /* nothing follows, and the rule has left this variable's list */
	WATCH_SPEAKS,
};

/* Two terms of a rule are watched. As long as neither holds, nothing follows from it; when one
 * does, another that does not is watched in its place. */
static enum watch look(const struct solver *s, struct rule *rule, const struct variable *var)
{
	struct term *watched = rule->terms;

	if (watched->var != var) {
		watched++;
	}
	if (rule->nterms > 1 && !term_holds(s, watched)) {
		return WATCH_SILENT;
	}
	for (size_t i = 2; i < rule->nterms; i++) {
		if (!term_holds(s, &rule->terms[i])) {
			swap_terms(watched, &rule->terms[i]);
			vec_push(&watched->var->watching, rule);
			return WATCH_MOVED;
		}
	}
	return WATCH_SPEAKS;
}

/* A candidate that is the last one left: all that it needs counts. */
static struct rule *visit_last(struct solver *s, struct variable *var)
{
	size_t number = last_fact(s, var)->only;

	if (number == var->says.ncandidates) {
		return NULL;
	}
	const struct candidate_needs *c = &var->candidates[number];
	for (size_t i = 0; i < c->nrules; i++) {
		if (!solver_apply(s, c->rules[i])) {
			return c->rules[i];
		}
	}
	return NULL;
}

static struct rule *visit_own(struct solver *s, struct variable *var)
{
	size_t count = solver_left_count(s, var);

	if (count == 1) {
		return visit_last(s, var);
	}
	for (size_t i = 0; count <= var->widest && i < var->own.n; i++) {
		struct rule *rule = var->own.v[i];

		if (count <= rule->terms[0].count && !solver_apply(s, rule)) {
			return rule;
		}
	}
	return NULL;
}

static struct rule *visit(struct solver *s, struct variable *var)
{
	rule_vec *list = &var->watching;
	struct rule *broken = visit_own(s, var);
	size_t kept = 0;

	for (size_t i = 0; i < list->n; i++) {
		struct rule *rule = list->v[i];

		enum watch watch = broken ? WATCH_SILENT : look(s, rule, var);

		/* What follows where nothing is decided holds for good: such a rule has said all.
		 */
		if (watch == WATCH_SILENT || (watch == WATCH_SPEAKS && s->level > 0)) {
			list->v[kept++] = rule;
		}
		if (watch == WATCH_SPEAKS && !solver_apply(s, rule)) {
			broken = rule;
		}
	}
	list->n = kept;
	return broken;
}

struct rule *solver_propagate(struct solver *s)
{
	struct rule *broken = NULL;

	for (size_t i = 0; i < s->queue.n; i++) {
		struct variable *var = s->queue.v[i];

		var->is_queued = false;
		if (!broken) {
			broken = visit(s, var);
		}
	}
	s->queue.n = 0;
	return broken;
}

void solver_backtrack(struct solver *s, size_t level)
{
	while (s->trail.n && s->trail.v[s->trail.n - 1].level > level) {
		const struct fact *last = &s->trail.v[--s->trail.n];

		last->var->facts.n--;
		s->words.n = last->words;
	}
	s->level = level;
}

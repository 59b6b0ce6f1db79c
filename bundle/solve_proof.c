#include "bundle/solve_proof.h"

#include <stdlib.h>

/* ---- groups of premises ---- */

struct key {
	size_t v[4];
};

static struct key key_of(const struct rule *r)
{
	switch (r->kind) {
	case RULE_ROOT:
		return (struct key){ { 1, r->needed->order, 0, r->root } };
	case RULE_NEED:
		return (struct key){ { 1, r->of->order, 1, r->needed->order } };
	case RULE_LIMIT:
		return (struct key){ { 1, r->of->order, 2, r->number } };
	case RULE_DERIVED:
		break;
	}
	return (struct key){ { 0, r->number, 0, 0 } };
}

static int by_group(const struct rule *a, const struct rule *b)
{
	const struct key x = key_of(a), y = key_of(b);

	for (size_t i = 0; i < 4; i++) {
		if (x.v[i] != y.v[i]) {
			return x.v[i] < y.v[i] ? -1 : 1;
		}
	}
	return 0;
}

static int by_group_and_number(const void *a, const void *b)
{
	const struct rule *const *x = a, *const *y = b;
	int c = by_group(*x, *y);

	return c ? c : ((*x)->number > (*y)->number) - ((*x)->number < (*y)->number);
}

void premises_sort(rule_vec *p)
{
	size_t kept = 0;

	if (p->n) {
		qsort(p->v, p->n, sizeof(*p->v), by_group_and_number);
	}
	for (size_t i = 0; i < p->n; i++) {
		if (!kept || p->v[i] != p->v[kept - 1]) {
			p->v[kept++] = p->v[i];
		}
	}
	p->n = kept;
}

size_t premises_group_end(const rule_vec *p, size_t from)
{
	size_t end = from + 1;

	while (end < p->n && by_group(p->v[end], p->v[from]) == 0) {
		end++;
	}
	return end;
}

static bool has_group(const struct step *step, const struct rule *r)
{
	for (size_t i = 0; i < step->ngroups; i++) {
		if (by_group(step->groups[i], r) == 0) {
			return true;
		}
	}
	return false;
}

static bool has_room(const struct step *step, const struct rule *r)
{
	return step->ngroups < PREMISES || has_group(step, r);
}

static void add_premise(struct step *step, struct rule *r)
{
	if (!has_group(step, r)) {
		step->groups[step->ngroups++] = r;
	}
	vec_push(&step->premises, r);
}

/* ---- steps ---- */

struct step *proof_step(const struct proof *p, const struct rule *r)
{
	size_t i = r->number < p->step_of.n ? p->step_of.v[r->number] : 0;

	return i ? &p->steps.v[i - 1] : NULL;
}

static void add_step(struct proof *p, struct step *step, struct rule *rule)
{
	step->rule = rule;
	premises_sort(&step->premises);
	vec_each(struct rule *, r, &step->premises) {
		if (proof_step(p, *r)) {
			proof_step(p, *r)->nuses++;
		}
	}
	vec_push(&p->steps, *step);
	while (p->step_of.n <= rule->number) {
		vec_push(&p->step_of, 0);
	}
	p->step_of.v[rule->number] = p->steps.n;
	*step = (struct step){ .rule = NULL };
}

/* The terms of a rule that is being made by resolving, one for each variable. */
typedef VEC(struct term) term_vec;

static struct term *find_term(const term_vec *terms, const struct variable *var)
{
	vec_each(struct term, t, terms) {
		if (t->var == var) {
			return t;
		}
	}
	return NULL;
}

static void resolve_terms(struct proof *p, term_vec *terms, const struct cause *cause)
{
	for (size_t i = 0; i < cause->rule->nterms; i++) {
		const struct term *new = &cause->rule->terms[i];
		struct term *old = find_term(terms, new->var);

		if (!old) {
			vec_push(terms, (struct term){ new->var,
						bits_copy(&p->s->arena, &new->states), 0 });
		} else if (new->var != cause->on) {
			bits_and(&old->states, &new->states);
		} else {
			bits_or(&old->states, &new->states);
			if (bits_is_full(&old->states)) {
				*old = terms->v[--terms->n];
			}
		}
	}
}

/* A step for what the causes so far give: it is a premise of what follows. */
static void cut(struct proof *p, const term_vec *terms, struct step *step)
{
	struct rule *rule = arena_alloc(&p->s->arena, sizeof(*rule));

	*rule = (struct rule){ .kind = RULE_DERIVED, .nterms = terms->n, .number = p->s->rules.n };
	rule->terms = arena_array(&p->s->arena, rule->nterms, sizeof(*rule->terms));
	for (size_t i = 0; i < rule->nterms; i++) {
		const struct term *term = &terms->v[i];

		rule->terms[i] =
			(struct term){ term->var, bits_copy(&p->s->arena, &term->states), 0 };
	}
	vec_push(&p->s->rules, rule);
	add_step(p, step, rule);
	add_premise(step, rule);
}

static void add_steps(struct proof *p, struct rule *rule)
{
	struct step step = { .rule = NULL };
	term_vec terms = VEC_INIT;

	for (size_t i = 0; i < rule->ncauses; i++) {
		const struct cause *cause = &rule->causes[i];

		if (cause->on && !find_term(&terms, cause->on)) {
			continue; /* nothing to resolve: the rule is stronger without it */
		}
		if (!has_room(&step, cause->rule)) {
			cut(p, &terms, &step);
		}
		add_premise(&step, cause->rule);
		resolve_terms(p, &terms, cause);
	}
	add_step(p, &step, rule);
	vec_release(&terms);
}

/* Each step after those that it builds on. */
static void build(struct proof *p)
{
	size_t n = p->s->rules.n;
	CLEANUP(free) bool *is_used = mem_array(n, sizeof(*is_used));

	is_used[p->s->proof->number] = true;
	for (size_t i = n; i-- > 0;) {
		const struct rule *r = p->s->rules.v[i];

		for (size_t k = 0; is_used[i] && k < r->ncauses; k++) {
			is_used[r->causes[k].rule->number] = true;
		}
	}
	for (size_t i = 0; i < n; i++) {
		struct rule *rule = p->s->rules.v[i];

		if (is_used[i] && rule->kind == RULE_DERIVED) {
			add_steps(p, rule);
		}
	}
	if (p->s->proof->kind != RULE_DERIVED) {
		struct step step = { .rule = NULL };

		add_premise(&step, p->s->proof);
		add_step(p, &step, p->s->proof);
	}
}

/* ---- merging ---- */

static void drop_premise(struct step *step, const struct rule *r)
{
	size_t kept = 0;

	for (size_t i = 0; i < step->ngroups; i++) {
		if (by_group(step->groups[i], r) != 0) {
			step->groups[kept++] = step->groups[i];
		}
	}
	step->ngroups = kept;
	kept = 0;
	for (size_t i = 0; i < step->premises.n; i++) {
		if (step->premises.v[i] != r) {
			step->premises.v[kept++] = step->premises.v[i];
		}
	}
	step->premises.n = kept;
}

/* Could the step tell the premises of an earlier one in its place? */
static bool can_merge(const struct step *step, const struct step *earlier)
{
	size_t n = step->ngroups - 1;

	for (size_t i = 0; i < earlier->ngroups; i++) {
		n += !has_group(step, earlier->groups[i]);
	}
	return n <= PREMISES;
}

static void merge(struct step *step, struct step *earlier)
{
	struct step merged = *earlier;

	drop_premise(step, earlier->rule);
	merged.rule = step->rule;
	merged.nuses = step->nuses;
	vec_each(struct rule *, r, &step->premises) {
		add_premise(&merged, *r);
	}
	vec_release(&step->premises);
	earlier->premises = (rule_vec)VEC_INIT;
	earlier->ngroups = 0;
	*step = merged;
}

/* A premise that only this step uses, and that there is room for the premises of; NULL: none. */
static struct step *mergeable(const struct proof *p, const struct step *step)
{
	for (size_t i = 0; i < step->ngroups; i++) {
		struct step *earlier = proof_step(p, step->groups[i]);

		if (earlier && earlier != step && earlier->nuses == 1 && can_merge(step, earlier)) {
			return earlier;
		}
	}
	return NULL;
}

static void merge_all(struct proof *p)
{
	vec_each(struct step, step, &p->steps) {
		for (struct step *earlier; (earlier = mergeable(p, step));) {
			merge(step, earlier);
		}
	}
}

void proof_build(struct proof *p, struct solver *s)
{
	*p = (struct proof){ .s = s };
	build(p);
	merge_all(p);
}

void proof_release(struct proof *p)
{
	vec_each(struct step, step, &p->steps) {
		vec_release(&step->premises);
	}
	vec_release(&p->steps);
	vec_release(&p->step_of);
}

/* Conflicts, as PubGrub has them: a broken rule is resolved with the causes of the facts that break
 * it, the latest first, until it says something new about a choice that was made earlier. */
#include "bundle/solve_private.h"

struct clash { /* a term that holds */
	struct variable *var;
	struct bits states;
	size_t satisfier; /* the fact that made it hold: index into the trail */
};

struct conflict {
	struct arena arena;
	VEC(struct clash) terms;
	VEC(struct cause) causes;
};

/* The first fact after which a term holds; SIZE_MAX: none. What is left only shrinks, so halving
 * finds it. */
static size_t satisfier(
	const struct solver *s, const struct variable *var, const struct bits *states)
{
	size_t low = 0, high = var->facts.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		struct bits left = { s->words.v + s->trail.v[var->facts.v[middle]].words,
			var->all.n };

		if (bits_is_subset(&left, states)) {
			high = middle;
		} else {
			low = middle + 1;
		}
	}
	return low < var->facts.n ? var->facts.v[low] : SIZE_MAX;
}

static void drop(struct conflict *c, size_t i)
{
	c->terms.v[i].var->clash = 0;
	c->terms.v[i] = c->terms.v[--c->terms.n];
	if (i < c->terms.n) {
		c->terms.v[i].var->clash = i + 1;
	}
}

static void add_term(const struct solver *s, struct conflict *c, const struct term *t)
{
	if (!t->var->clash) {
		vec_push(&c->terms, (struct clash){ t->var, bits_copy(&c->arena, &t->states), 0 });
		t->var->clash = c->terms.n;
	}
	struct clash *clash = &c->terms.v[t->var->clash - 1];
	bits_and(&clash->states, &t->states);
	clash->satisfier = satisfier(s, t->var, &clash->states);
}

/* Resolves on a variable: the other terms of the cause join, and of the variable's own either may
 * hold. */
static void add_cause(
	const struct solver *s, struct conflict *c, struct rule *cause, struct variable *on)
{
	vec_push(&c->causes, (struct cause){ cause, on });
	for (size_t i = 0; i < cause->nterms; i++) {
		const struct term *t = &cause->terms[i];

		if (t->var != on) {
			add_term(s, c, t);
			continue;
		}
		struct clash *own = &c->terms.v[on->clash - 1];
		bits_or(&own->states, &t->states);
		if (bits_is_full(&own->states)) {
			drop(c, on->clash - 1);
		} else {
			own->satisfier = satisfier(s, on, &own->states);
		}
	}
}

static struct clash *latest(const struct conflict *c)
{
	struct clash *found = c->terms.v;

	vec_each(struct clash, t, &c->terms) {
		if (t->satisfier > found->satisfier) {
			found = t;
		}
	}
	return found;
}

/* What the fact that makes a term hold needs from earlier facts about the same variable. */
static size_t own_level(const struct solver *s, struct conflict *c, const struct clash *of)
{
	const struct fact *fact = &s->trail.v[of->satisfier];
	struct bits before = bits_copy(&c->arena, &of->states);

	for (size_t i = 0; fact->cause && i < fact->cause->nterms; i++) {
		if (fact->cause->terms[i].var == of->var) {
			bits_or(&before, &fact->cause->terms[i].states);
		}
	}
	if (!fact->cause || bits_is_full(&before)) {
		return 0;
	}
	return s->trail.v[satisfier(s, of->var, &before)].level;
}

/* The level at which all but the latest term hold. */
static size_t previous_level(const struct solver *s, struct conflict *c, const struct clash *last)
{
	size_t level = own_level(s, c, last);

	vec_each(struct clash, t, &c->terms) {
		size_t l = s->trail.v[t->satisfier].level;

		if (t != last && l > level) {
			level = l;
		}
	}
	return level;
}

/* The rule that the conflict has become. The terms that hold last come first: they are the ones to
 * watch. */
static struct rule *learn(struct solver *s, struct conflict *c)
{
	struct rule r = { .kind = RULE_DERIVED, .nterms = c->terms.n, .ncauses = c->causes.n };

	r.terms = arena_array(&s->arena, r.nterms, sizeof(*r.terms));
	r.causes = arena_array(&s->arena, r.ncauses, sizeof(*r.causes));
	for (size_t i = 0; i < r.ncauses; i++) {
		r.causes[i] = c->causes.v[i];
	}
	for (size_t i = 0; i < r.nterms; i++) {
		struct clash *t = latest(c);

		r.terms[i] = (struct term){ t->var, bits_copy(&s->arena, &t->states), 0 };
		drop(c, (size_t)(t - c->terms.v));
	}
	return solver_add_rule(s, r);
}

static void conflict_release(struct conflict *c)
{
	while (c->terms.n) {
		drop(c, c->terms.n - 1);
	}
	vec_release(&c->terms);
	vec_release(&c->causes);
	arena_release(&c->arena);
}

bool solver_resolve(struct solver *s, struct rule *broken)
{
	__attribute__((cleanup(conflict_release))) struct conflict c = { .arena = ARENA_INIT };

	s->nconflicts++;
	add_cause(s, &c, broken, NULL);
	while (c.terms.n) {
		const struct clash *last = latest(&c);
		const struct fact *fact = &s->trail.v[last->satisfier];
		size_t level = previous_level(s, &c, last);

		if (!fact->cause || level < fact->level) {
			last->var->nconflicts++;
			struct rule *rule = c.causes.n > 1 ? learn(s, &c) : broken;

			solver_backtrack(s, level);
			solver_apply(s, rule);
			return true;
		}
		add_cause(s, &c, fact->cause, last->var);
	}
	s->proof = c.causes.n > 1 ? learn(s, &c) : broken;
	return false;
}

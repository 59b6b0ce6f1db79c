#include "bundle/solve_private.h"
#include "manifests/base/buf.h"

#include <inttypes.h>
#include <string.h>

struct bits variable_others(
	struct solver *s, const struct variable *var, const struct bits *candidates)
{
	struct bits others = bits_copy(&s->arena, &var->all);

	for (size_t i = 0; i < bits_words(candidates->n); i++) {
		others.w[i] &= ~candidates->w[i];
	}
	return others;
}

struct rule *solver_add_rule(struct solver *s, struct rule rule)
{
	struct rule *r = arena_alloc(&s->arena, sizeof(*r));

	*r = rule;
	r->number = s->rules.n;
	vec_push(&s->rules, r);
	for (size_t i = 0; i < r->nterms; i++) {
		r->terms[i].count = bits_count(&r->terms[i].states);
	}
	for (size_t i = 0; i < r->nterms && i < 2; i++) {
		struct variable *var = r->terms[i].var;

		if (r->kind == RULE_NEED && i == 0) {
			vec_push(&var->own, r);
		} else {
			vec_push(&var->watching, r);
		}
	}
	return r;
}

static void add_limits(struct solver *s, struct variable *var)
{
	for (size_t i = 0; i < var->says.nlimits; i++) {
		const struct solve_limit *limit = &var->says.limits[i];
		struct term *term = arena_alloc(&s->arena, sizeof(*term));

		*term = (struct term){ var, variable_others(s, var, &limit->allowed), 0 };
		bits_drop(&term->states, var->says.ncandidates);
		if (!bits_is_empty(&term->states)) {
			solver_add_rule(s, (struct rule){ .kind = RULE_LIMIT,
						   .terms = term,
						   .nterms = 1,
						   .of = var,
						   .limit = limit });
		}
	}
}

/* The variable of a name that a requirement tells of. */
static struct variable *hear(struct solver *s, size_t name)
{
	while (s->by_name.n <= name) {
		vec_push(&s->by_name, NULL);
	}
	struct variable **slot = &s->by_name.v[name];
	if (!*slot) {
		*slot = arena_alloc(&s->arena, sizeof(**slot));
		(*slot)->name = name;
		(*slot)->order = s->variables.n;
		vec_push(&s->variables, *slot);
	}
	return *slot;
}

static int variable_open(struct solver *s, struct variable *var, struct err *e)
{
	struct solve_name says = { .favoured = SIZE_MAX };

	if (var->is_opened) {
		return 0;
	}
	if (s->world->open(s->world->context, var->name, &says, e)) {
		return -(int)e->rc;
	}
	var->is_opened = true;
	var->says = says;
	var->candidates = arena_array(&s->arena, says.ncandidates, sizeof(*var->candidates));
	var->all = bits_new(&s->arena, says.ncandidates + 1);
	bits_fill(&var->all);
	add_limits(s, var);
	return 0;
}

/* Adds "what is needed is in what the need does not allow" to the terms. A need that allows nothing
 * has no such term: it fails whatever is chosen, and the world is not even asked about its name. */
static int need_term(struct solver *s, struct rule *r, struct err *e)
{
	const struct solve_need *need = r->need;
	struct variable *var = r->needed;

	if (bits_is_empty(&need->allowed)) {
		return 0;
	}
	if (variable_open(s, var, e)) {
		return -(int)e->rc;
	}
	if (need->allowed.n != var->says.ncandidates) {
		return err_set(e, RC_BUG, "a need of %zu candidates where there are %zu",
			need->allowed.n, var->says.ncandidates);
	}
	r->terms[r->nterms++] = (struct term){ var, variable_others(s, var, &need->allowed), 0 };
	return 0;
}

int solver_add_root(struct solver *s, const struct solve_need *need, size_t root, struct err *e)
{
	struct rule r = {
		.kind = RULE_ROOT, .need = need, .needed = hear(s, need->name), .root = root
	};

	r.terms = arena_array(&s->arena, 1, sizeof(*r.terms));
	if (need_term(s, &r, e)) {
		return -(int)e->rc;
	}
	struct rule *rule = solver_add_rule(s, r);
	if (!rule->nterms && !s->proof) {
		s->proof = rule;
	}
	return 0;
}

/* The rule of all candidates that need the same thing in the same words; NULL: none has so far. */
static struct rule *known_rule(
	struct solver *s, const struct variable *of, const struct solve_need *need, struct str *key)
{
	*key = str_of(
		arena_printf(&s->arena, "%zu %zu %.*s", of->name, need->name, STR_ARG(need->text)));
	size_t *number = map_get(&s->needs, *key);
	struct rule *r = number ? s->rules.v[*number] : NULL;

	return r && bits_is_equal(&r->need->allowed, &need->allowed) ? r : NULL;
}

static void rule_widen(struct rule *r, size_t number)
{
	if (!bits_has(&r->who, number)) {
		bits_add(&r->who, number);
		r->terms[0].count++;
	}
	if (r->terms[0].count > r->of->widest) {
		r->of->widest = r->terms[0].count;
	}
}

static int add_need(struct solver *s, struct choice of, const struct solve_need *need,
	struct rule **out, struct err *e)
{
	bool is_own = need->name == of.var->name;
	struct str key;

	if (is_own && bits_has(&need->allowed, of.number)) {
		*out = NULL;
		return 0;
	}
	*out = known_rule(s, of.var, need, &key);
	if (!*out) {
		struct rule r = {
			.kind = RULE_NEED, .need = need, .needed = hear(s, need->name), .of = of.var
		};

		r.who = bits_new(&s->arena, of.var->all.n);
		r.terms = arena_array(&s->arena, 2, sizeof(*r.terms));
		r.terms[r.nterms++] = (struct term){ of.var, r.who, 0 };
		if (!is_own && need_term(s, &r, e)) {
			return -(int)e->rc;
		}
		*out = solver_add_rule(s, r);
		map_put(&s->needs, key, (*out)->number);
	}
	rule_widen(*out, of.number);
	return 0;
}

int solver_add_needs(struct solver *s, struct choice of, struct err *e)
{
	struct candidate_needs *c = &of.var->candidates[of.number];

	c->rules = arena_array(&s->arena, c->n, sizeof(*c->rules));
	for (size_t i = 0; i < c->n; i++) {
		struct rule *rule = NULL;

		if (add_need(s, of, &c->needs[i], &rule, e)) {
			return -(int)e->rc;
		}
		if (rule) {
			c->rules[c->nrules++] = rule;
		}
	}
	return 0;
}

#include "bundle/solve.h"
#include "bundle/solve_private.h"
#include "manifests/limits.h"

/* Asks for what the candidate needs, lets its rules speak, and decides for it if they say nothing
 * new. *broken is a rule that they break. */
static int take(struct solver *s, struct choice c, struct rule **broken, struct err *e)
{
	const struct candidate_needs *needs = &c.var->candidates[c.number];

	if (!needs->is_known && solver_ask(s, c, e)) {
		return -(int)e->rc;
	}
	for (size_t i = 0; i < needs->nrules; i++) {
		if (!solver_apply(s, needs->rules[i])) {
			*broken = needs->rules[i];
			return 0;
		}
	}
	if (!s->queue.n && solver_left_count(s, c.var) > 1) {
		solver_decide(s, c);
	}
	return 0;
}

/* Until every name that is needed has a candidate whose needs are met, or s->proof says why not. */
static int search(struct solver *s, struct err *e)
{
	while (!s->proof) {
		struct rule *broken = solver_propagate(s);
		struct choice c;

		if (!broken) {
			if (!solver_choose(s, &c)) {
				return 0;
			}
			if (take(s, c, &broken, e)) {
				return -(int)e->rc;
			}
		}
		if (broken && solver_resolve(s, broken) && s->nconflicts > LIMIT_SOLVE_STEPS) {
			return err_set(e, RC_LIMIT, "no answer after %zu conflicts", s->nconflicts);
		}
	}
	return 0;
}

static int add_roots(struct solver *s, const struct solve_need *roots, size_t n, struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		if (solver_add_root(s, &roots[i], i, e)) {
			return -(int)e->rc;
		}
	}
	for (size_t i = 0; i < s->rules.n && !s->proof; i++) {
		struct rule *rule = s->rules.v[i];

		if (rule->kind == RULE_ROOT && !solver_apply(s, rule)) {
			solver_resolve(s, rule); /* nothing is decided: this sets s->proof */
		}
	}
	return 0;
}

static void narrow(struct solve_result *out, const struct solve_need *need)
{
	if (out->allowed[need->name].w) {
		bits_and(&out->allowed[need->name], &need->allowed);
	}
}

static void tell_choice(const struct solver *s, const struct solve_need *roots, size_t nroots,
	struct solve_result *out)
{
	out->is_solved = true;
	out->nnames = s->by_name.n;
	out->chosen = arena_array(s->result, out->nnames, sizeof(*out->chosen));
	out->allowed = arena_array(s->result, out->nnames, sizeof(*out->allowed));
	for (size_t i = 0; i < out->nnames; i++) {
		const struct variable *var = s->by_name.v[i];

		out->chosen[i] = SIZE_MAX;
		if (var && solver_is_open(s, var)) {
			struct bits left = solver_left(s, var);

			out->chosen[i] = bits_highest(&left);
			out->allowed[i] = bits_new(s->result, var->says.ncandidates);
			bits_fill(&out->allowed[i]);
			for (size_t l = 0; l < var->says.nlimits; l++) {
				bits_and(&out->allowed[i], &var->says.limits[l].allowed);
			}
		}
	}
	for (size_t i = 0; i < nroots; i++) {
		narrow(out, &roots[i]);
	}
	for (size_t i = 0; i < out->nnames; i++) {
		if (out->chosen[i] != SIZE_MAX) {
			const struct candidate_needs *c =
				&s->by_name.v[i]->candidates[out->chosen[i]];

			for (size_t k = 0; k < c->n; k++) {
				narrow(out, &c->needs[k]);
			}
		}
	}
}

static void solver_release(struct solver *s)
{
	vec_each(struct variable *, var, &s->variables) {
		vec_release(&(*var)->own);
		vec_release(&(*var)->watching);
		vec_release(&(*var)->facts);
	}
	vec_release(&s->variables);
	vec_release(&s->by_name);
	vec_release(&s->rules);
	vec_release(&s->trail);
	vec_release(&s->words);
	vec_release(&s->queue);
	vec_release(&s->likely);
	map_release(&s->needs);
	arena_release(&s->arena);
}

int solve(const struct solve_world *world, const struct solve_need *roots, size_t nroots,
	struct arena *a, struct solve_result *out, struct err *e)
{
	__attribute__((cleanup(solver_release))) struct solver s = { .world = world, .result = a };
	struct solve_result result = { .is_solved = false };

	if (add_roots(&s, roots, nroots, e) || search(&s, e)) {
		return -(int)e->rc;
	}
	if (s.proof) {
		solver_explain(&s, &result);
	} else {
		tell_choice(&s, roots, nroots, &result);
	}
	result.ndecisions = s.ndecisions;
	result.nconflicts = s.nconflicts;
	result.nasked = s.nasked;
	*out = result;
	return 0;
}

#include "bundle/solve_private.h"

enum {
	CONFLICTS_FIRST = 5, /* a name that caused so many is chosen before others */
};

/* How many candidates of a name are worth fetching together, by how many were asked for before. */
static const size_t depths[] = { 2, 8, 32, 64 };

/* The favoured candidate where it is left, else the best one. */
static size_t preferred(const struct solver *s, const struct variable *var)
{
	struct bits left = solver_left(s, var);
	size_t favoured = var->says.favoured;

	return favoured < var->says.ncandidates && bits_has(&left, favoured) ? favoured
									     : bits_highest(&left);
}

static int urgency(const struct solver *s, const struct variable *var)
{
	if (solver_left_count(s, var) == 1) {
		return 2;
	}
	return var->nconflicts >= CONFLICTS_FIRST;
}

bool solver_choose(const struct solver *s, struct choice *out)
{
	int best = -1;

	for (size_t i = 0; i < s->variables.n; i++) {
		struct variable *var = s->variables.v[i];
		int u = urgency(s, var);

		if (u <= best || !solver_is_open(s, var)) {
			continue;
		}
		size_t number = preferred(s, var);
		if (u < 2 || !var->candidates[number].is_known) {
			*out = (struct choice){ var, number };
			best = u;
		}
	}
	return best >= 0;
}

static void add_likely(
	struct solver *s, const struct variable *var, struct choice asked, size_t number)
{
	bool is_asked = var == asked.var && number == asked.number;

	if (!is_asked && !var->candidates[number].is_known) {
		vec_push(&s->likely, (struct solve_candidate){ var->name, number });
	}
}

/* The best candidates left of one name, the deeper the more often it was asked for. */
static void guess(struct solver *s, const struct variable *var, struct choice asked)
{
	const size_t deepest = sizeof(depths) / sizeof(depths[0]) - 1;
	size_t depth = depths[var->nasked < deepest ? var->nasked : deepest];
	struct bits left = solver_left(s, var);
	size_t favoured = preferred(s, var);

	add_likely(s, var, asked, favoured);
	for (size_t i = bits_highest(&left); i != SIZE_MAX && depth > 1; i = bits_below(&left, i)) {
		if (i != favoured) {
			add_likely(s, var, asked, i);
			depth--;
		}
	}
}

int solver_ask(struct solver *s, struct choice of, struct err *e)
{
	const struct solve_world *world = s->world;
	struct candidate_needs *c = &of.var->candidates[of.number];

	s->likely.n = 0;
	guess(s, of.var, of);
	for (size_t i = 0; i < s->variables.n; i++) {
		if (s->variables.v[i] != of.var && solver_is_open(s, s->variables.v[i])) {
			guess(s, s->variables.v[i], of);
		}
	}
	if (world->needs(world->context, (struct solve_candidate){ of.var->name, of.number },
		    s->likely.v, s->likely.n, &c->needs, &c->n, e)) {
		return -(int)e->rc;
	}
	c->is_known = true;
	of.var->nasked++;
	s->nasked++;
	return solver_add_needs(s, of, e);
}

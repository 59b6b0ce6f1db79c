/* The inside of the solver: what solve.c (the loop), solve_rule.c (what the world says),
 * solve_propagate.c, solve_decide.c, solve_resolve.c and solve_explain.c share.
 *
 * A name is a variable: its states are its candidates 0 to n - 1, and n for "absent". A rule says
 * that not all of its terms hold; a term holds while the states that its variable has left are
 * among the term's. "a 3 needs b 1 or 2" is the rule { a in {3}, b in {0, 3, absent} }. Facts
 * shrink what a variable has left; each is a decision or follows from a rule. */
#ifndef BUNDLE_SOLVE_PRIVATE_H
#define BUNDLE_SOLVE_PRIVATE_H

#include "bundle/solve.h"
#include "manifests/base/buf.h"
#include "manifests/base/map.h"
#include "manifests/base/vec.h"

struct term {
	struct variable *var;
	struct bits states; /* neither empty nor all */
	size_t count;       /* of the states */
};

enum rule_kind {
	RULE_ROOT,    /* the request needs something */
	RULE_NEED,    /* candidates need something */
	RULE_LIMIT,   /* a constraint of a name */
	RULE_DERIVED, /* learned from a conflict */
};

struct rule {
	enum rule_kind kind;
	struct term *terms; /* each variable once; the first two are watched, see `own` */
	size_t nterms;      /* 0: the request cannot be met */
	size_t number; /* in the order of making: a rule comes after those that it follows from */

	/* Where it comes from. RULE_ROOT and RULE_NEED: */
	const struct solve_need *need;
	struct variable *needed;
	size_t root;         /* RULE_ROOT: its index */
	struct variable *of; /* RULE_NEED: whose candidates; RULE_LIMIT: whose limit */
	struct bits who;     /* RULE_NEED: which of them; shares its words with the first term */
	const struct solve_limit *limit;
	/* RULE_DERIVED: resolving these, from first to last, gives it. */
	struct cause *causes;
	size_t ncauses;
};

struct cause {
	struct rule *rule;
	struct variable *on; /* what it is resolved on with those before it; NULL: the first */
};
typedef VEC(struct rule *) rule_vec;

struct candidate_needs {
	bool is_known;
	const struct solve_need *needs;
	size_t n;
	struct rule **rules;
	size_t nrules;
};

struct variable {
	size_t name;  /* the world's number */
	size_t order; /* in which requirements told of it: index into solver.variables */
	bool is_opened;
	struct solve_name says;
	struct candidate_needs *candidates;
	size_t nasked;     /* of them */
	size_t nconflicts; /* that it was the cause of */
	struct bits all;   /* every state */
	rule_vec own;      /* needs of its candidates */
	size_t widest;     /* the most states that the first term of any of them has */
	rule_vec watching; /* other rules that have it among the terms watched */
	VEC(size_t) facts; /* indexes into the trail, ascending */
	bool is_queued;
	size_t clash; /* in a conflict: its index there, plus 1 */
};

struct fact {
	struct variable *var;
	struct rule *cause; /* NULL: a decision */
	size_t level;       /* how many decisions stand at or before it */
	size_t words;       /* what is left to the variable: offset into solver.words */
	size_t count;       /* how many states that are */
	size_t only;        /* the one, where count is 1 */
};

struct solver {
	const struct solve_world *world;
	struct arena *result; /* what outlives the solver */
	struct arena arena;   /* variables and rules */
	VEC(struct variable *) variables;
	VEC(struct variable *) by_name; /* NULL: not told of */
	rule_vec rules;
	struct map needs; /* (candidate's name, text, needed name) to its rule */

	VEC(struct fact) trail;
	VEC(uint64_t) words; /* grows and shrinks with the trail */
	size_t level;
	VEC(struct variable *) queue; /* whose rules must be looked at */
	struct rule *proof;           /* that the request cannot be met */

	VEC(struct solve_candidate) likely;
	size_t ndecisions, nconflicts, nasked;
};

struct choice {
	struct variable *var;
	size_t number;
};

/* solve_rule.c: rules from what the world says. */
int solver_add_root(struct solver *s, const struct solve_need *need, size_t root, struct err *e);
int solver_add_needs(
	struct solver *s, struct choice of, struct err *e);       /* is_known, needs and n stand */
struct rule *solver_add_rule(struct solver *s, struct rule rule); /* and watches it */
/* The states of a variable that a set of candidates does not have; in the solver's arena. */
struct bits variable_others(
	struct solver *s, const struct variable *var, const struct bits *candidates);

/* solve_propagate.c */
struct bits solver_left(
	const struct solver *s, const struct variable *var); /* valid until the next fact */
size_t solver_left_count(const struct solver *s, const struct variable *var);
bool solver_is_open(
	const struct solver *s, const struct variable *var); /* one of its candidates is needed */
void solver_decide(struct solver *s, struct choice c);
/* Looks at one rule: adds the fact that follows from it, if one does. False: all of its terms hold.
 */
bool solver_apply(struct solver *s, struct rule *rule);
/* Adds the facts that follow from the others. Returns the rule that is broken, or NULL. */
struct rule *solver_propagate(struct solver *s);
void solver_backtrack(struct solver *s, size_t level);

/* solve_decide.c */
bool solver_choose(
	const struct solver *s, struct choice *out); /* false: nothing is left to choose */
int solver_ask(struct solver *s, struct choice of, struct err *e);

/* solve_resolve.c: learns from a broken rule, and goes back to where that helps. False: the request
 * cannot be met, and s->proof says why. */
bool solver_resolve(struct solver *s, struct rule *broken);

/* solve_explain.c: tells s->proof. */
void solver_explain(struct solver *s, struct solve_result *out);

/* solve_phrase.c: the words. A derived rule as a clause (its terms are sorted: nothing may watch
 * them any more), and rules of one group as one: needs of the same pair of names, or a single rule.
 */
void rule_say(struct solver *s, const struct rule *r, struct buf *out);
void rules_say(struct solver *s, struct rule **rules, size_t n, struct buf *out);

#endif

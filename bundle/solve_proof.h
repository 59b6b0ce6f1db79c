/* A proof that a request cannot be met, in steps that can be told. A step is a derived rule and its
 * premises: what the world says, and earlier steps. Long derivations are cut, so that no step has
 * too many premises; short ones are merged into the step that uses them, so that none has too few.
 * Premises over the same pair of names are one group and are told as one, so a run of steps that
 * differ in a candidate only shrinks to a line. */
#ifndef BUNDLE_SOLVE_PROOF_H
#define BUNDLE_SOLVE_PROOF_H

#include "bundle/solve_private.h"

enum { PREMISES = 6 }; /* groups of premises of a step */

struct step {
	struct rule *rule; /* what it concludes */
	rule_vec premises;
	const struct rule *groups[PREMISES]; /* one premise of each */
	size_t ngroups;
	size_t nuses; /* by other steps; one that is merged into its user has no premises left */
	/* While it is told: */
	size_t number; /* that others refer to it by; 0: none */
	bool is_met;
};

struct proof {
	struct solver *s;
	VEC(struct step) steps; /* behind those that they build on */
	VEC(size_t) step_of;    /* by number of rule: index into steps, plus 1 */
};

/* The steps for s->proof. Adds rules to the solver: it is of no other use afterwards. */
void proof_build(struct proof *p, struct solver *s);
void proof_release(struct proof *p);
/* The step that concludes a rule; NULL: the world says it. */
struct step *proof_step(const struct proof *p, const struct rule *r);

void premises_sort(rule_vec *premises); /* by groups, each once */
size_t premises_group_end(
	const rule_vec *premises, size_t from); /* where the group that begins there ends */

#endif

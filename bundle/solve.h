/* The solver: PubGrub over bit sets. It chooses one candidate for every name that is needed, or
 * proves that there is no such choice and says why. It knows names and numbered candidates, nothing
 * of versions, files, targets or networks: those are its caller's, the "world".
 *
 * A name's candidates are numbered from the worst (0) to the best (n - 1). The choice depends on
 * what the world says alone: names in the order in which requirements first told of them, the
 * favoured candidate where it is allowed, else the best one; never on timing or on what is cached.
 */
#ifndef BUNDLE_SOLVE_H
#define BUNDLE_SOLVE_H

#include "manifests/base/bits.h"
#include "manifests/base/err.h"

struct solve_candidate {
	size_t name, number;
};

struct solve_need {          /* "whoever has this must have `name`, and one of `allowed`" */
	size_t name;         /* dense numbers from 0, given out by the world */
	struct bits allowed; /* over the name's candidates; empty: nothing can meet it */
	/* For people: as METADATA writes it, "numpy<2"; a root's is a clause: "the lock asks for
	 * numpy<2 (line 7)". Equal texts of two candidates of one name mean equal needs. */
	struct str text;
};

struct solve_limit { /* "if `name` is chosen at all, then one of `allowed`": constraints */
	struct bits allowed;
	struct str text; /* "the constraint numpy<2 (line 7)" */
};

struct solve_name { /* what the world says of a name when it is first needed */
	size_t ncandidates;
	size_t favoured; /* the candidate to prefer where it is allowed; SIZE_MAX: none */
	const struct solve_limit *limits;
	size_t nlimits;
};

/* All memory that these hand out lives at least as long as solve() runs and its result is
 * explained. */
struct solve_world {
	void *context;
	/* Asked once for each name, before anything else about it. */
	int (*open)(void *context, size_t name, struct solve_name *out, struct err *e);
	/* What a candidate needs, in the order of its METADATA. Asked once for each candidate.
	 * `likely` are candidates (best guess first, this one not among them) that will probably be
	 * asked for next, so that whoever has to fetch can fetch many at once; nothing obliges the
	 * world to look at them. */
	int (*needs)(void *context, struct solve_candidate of, const struct solve_candidate *likely,
		size_t nlikely, const struct solve_need **out, size_t *n, struct err *e);
	/* For explanations. "numpy", "requests[socks]"; "2.1.0". */
	struct str (*name_text)(void *context, size_t name);
	struct str (*candidate_text)(void *context, struct solve_candidate c);
	/* Why a need of empty `allowed` cannot be met: "no numpy fits Python 3.14: ...", one
	 * sentence without a full stop; "" where its text has said it. */
	struct str (*empty_text)(void *context, const struct solve_need *need);
};

struct solve_result {
	bool is_solved;
	/* Solved: by name. SIZE_MAX: the name is not needed. */
	size_t *chosen;
	/* What all needs and limits together still allow of each chosen name. w == NULL: not
	 * needed. */
	struct bits *allowed;
	size_t nnames; /* of both; names from here on are not needed */

	/* Not solved: the proof, as short as it can be told, for people. Each line is a sentence
	 * without a full stop ("Because a 1.0 needs b>=2, and ..., a 1.0 cannot be chosen (3)").
	 * One that builds on the line before begins with "And because" or "So"; one that others
	 * refer to ends with its number. Runs of candidates that differ in nothing else are told as
	 * one. The last line says that "the request cannot be met"; where there are more than
	 * SOLVE_LINES, some before it are left out. */
	struct str *lines;
	size_t nlines;
	size_t nleft_out;
	size_t *roots; /* the roots that take part in the proof: they alone cannot be met. Ascending
			  indexes */
	size_t nroots;
	size_t *empty; /* names that it needs and that nothing meets (needs of empty `allowed`);
			  ascending */
	size_t nempty;

	/* For benchmarks. */
	size_t ndecisions, nconflicts, nasked; /* nasked: candidates whose needs were asked for */
};

enum { SOLVE_LINES = 60 };

/* roots: what is asked for, in order. Errors are the world's alone; besides RC_LIMIT, for universes
 * past any sense (LIMIT_SOLVE_STEPS), and RC_BUG for a set that is not over its name's candidates.
 * The result belongs to the arena; the working memory is given back. */
int solve(const struct solve_world *world, const struct solve_need *roots, size_t nroots,
	struct arena *a, struct solve_result *out, struct err *e);

#endif

/* Small universes for the solver's tests, and a complete search to compare it with.
 *
 *	a 1 2: b<2, c        what a 1 and a 2 need: all of these; candidates are 1, 2, ... without
 *gaps b 1 2 limit b>1            if b is chosen at all favour b 1 root a               the request,
 *in order
 *
 * A need is NAME, NAME<N, NAME>=N, NAME==N, NAME!=N or "NAME none", which nothing meets. */
#ifndef TESTS_SOLVE_FIXTURE_H
#define TESTS_SOLVE_FIXTURE_H

#include "bundle/solve.h"
#include "manifests/base/buf.h"
#include "manifests/base/vec.h"

typedef VEC(struct solve_need) need_vec;

struct solve_fixture_name {
	struct str text;
	size_t ncandidates, favoured;
	need_vec *needs; /* of each candidate */
	VEC(struct solve_limit) limits;
	bool is_open;
	bool *is_asked, *is_fetched; /* fetched: asked for, or likely at a time when something was
					fetched */
};

struct solve_fixture {
	struct arena arena;
	struct solve_fixture_name *names;
	size_t nnames;
	const size_t *numbers; /* the world's number of each name; NULL: its index */
	need_vec roots;
	size_t nfetched, nfetches;
	struct err err;
};
#define SOLVE_FIXTURE_INIT          \
	{                           \
		.arena = ARENA_INIT \
	}
#define CLEANUP_SOLVE_FIXTURE __attribute__((cleanup(solve_fixture_release)))

void solve_fixture_read(struct solve_fixture *f, const char *text);
void solve_fixture_names(struct solve_fixture *f, size_t n, size_t ncandidates); /* x0, x1, ... */
/* A need of a name, as a set over its candidates. Text NULL: made of the set. */
struct solve_need solve_fixture_need(
	struct solve_fixture *f, size_t name, const struct bits *allowed, const char *text);
void solve_fixture_release(struct solve_fixture *f);

int solve_fixture_solve(struct solve_fixture *f, struct arena *a, struct solve_result *out);
size_t solve_fixture_number(const struct solve_fixture *f, size_t index);
/* "a=2 b=1" in the order of the fixture's names; unsolved: the lines, each with a newline. */
void solve_fixture_tell(
	const struct solve_fixture *f, const struct solve_result *r, struct buf *out);

/* Tries everything. use: which of the roots count (NULL: all). */
bool solve_fixture_has_solution(const struct solve_fixture *f, const bool *use);
/* Does the choice meet every root, need and limit, and is every chosen name needed? */
bool solve_fixture_is_solution(const struct solve_fixture *f, const struct solve_result *r);

#endif

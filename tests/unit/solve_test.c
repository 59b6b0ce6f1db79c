#include "manifests/limits.h"
#include "tests/unit/solve_fixture.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *name, *universe, *told;
} rows[] = {
	{ "nothing is asked for", "a 1:", "" },
	{ "the best", "a 1 2 3:\nroot a", "a=3" },
	{ "the favoured one", "a 1 2 3:\nroot a\nfavour a 2", "a=2" },
	{ "the favoured one is not allowed", "a 1 2 3:\nroot a!=2\nfavour a 2", "a=3" },
	{ "what is not needed stays out", "a 1:\na 2: b\nb 1:\nroot a<2", "a=1" },
	{ "older for the sake of another", "a 1: b\na 2: b>=2, c\nb 1 2:\nc 1: b<2\nroot a",
		"a=1 b=2" },
	{ "the first told is chosen first",
		"a 1: c<2\na 2: c>=2\nb 1: c>=2\nb 2: c<2\nc 1 2:\nroot a\nroot b", "a=2 b=1 c=2" },
	{ "told the other way round",
		"a 1: c<2\na 2: c>=2\nb 1: c>=2\nb 2: c<2\nc 1 2:\nroot b\nroot a", "a=1 b=2 c=1" },
	{ "a limit of what is chosen", "a 1: b\nb 1 2 3:\nlimit b<3\nlimit b!=2\nroot a",
		"a=1 b=1" },
	{ "a limit of what is not", "a 1:\nb 1 2:\nlimit b<1\nroot a", "a=1" },
	{ "a limit that only another choice avoids", "a 1:\na 2: b\nb 1:\nlimit b>=2\nroot a",
		"a=1" },
	{ "a need that nothing meets", "a 1:\na 2: b none\nb 1:\nroot a", "a=1" },
	{ "its own needs", "a 1:\na 2: a==2\na 3: a==1\nroot a", "a=2" },
	{ "a circle", "a 1: b\na 2: b>=2\nb 1: a\nb 2: a<2\nb 3: a==2\nroot a", "a=2 b=3" },
	{ "an extra and its base name",
		"a[x] 1: a==1\na[x] 2: a==2, b<2\na 1 2:\nb 1 2:\nroot a[x]\nroot b>=2",
		"a[x]=1 a=1 b=2" },

	{ "no candidates", "a 1:\nroot a none",
		"Because the lock asks for a none (no a fits), the request cannot be met\n" },
	{ "roots against each other", "a 1 2 3:\nroot a<2\nroot a>=2",
		"Because the lock asks for a<2, and the lock asks for a>=2, the request cannot be "
		"met\n" },
	{ "one conflict in three", "a 1 2 3: c<2\nb 1 2 3: c>=2\nc 1 2 3:\nroot a\nroot b",
		"Because the lock asks for a, every a needs c<2, the lock asks for b, and every b "
		"needs "
		"c>=2, the request cannot be met\n" },
	{ "a run of candidates is one premise",
		"a 1: b==1\na 2: b==2\na 3: b==3\na 4: b==4\na 5: b==5\nb 1 2: c<2\nb 3 4 5: c<3\n"
		"c 1 2 3 4:\nroot a\nroot c>=3",
		"Because the lock asks for a, all a need b (b==1, b==2, ... b==5), the lock asks "
		"for c>=3, "
		"and b 1 to 2 need c<2 and b 3 to 5 need c<3, the request cannot be met\n" },
	{ "a limit and an impossible need",
		"v 1 2 3: t none\nv 4: f>=3\nt 1:\nf 1 2 3 4 5: h>=2\nh 1 2 3:\nlimit h<2\nroot v",
		"Because the lock asks for v, v 4 needs f>=3, v 1 to 3 need t none (no t fits), f "
		"3 to 5 "
		"need h>=2, and the constraint h<2 rules out h 2 to 3, the request cannot be "
		"met\n" },
	{ "more than one line",
		"a 1 2 3: b>=2\nb 1: x\nb 2 3 4: c<3\nb 5: d none\nc 1 2 3 4: d>=2\nd 1 2 3: e==1\n"
		"e 1 2: n<2\nn 1 2 3:\nx 1:\nlimit n>=2\nroot a>=2\nroot n",
		"Because b 5 needs d none (no d fits), and b 2 to 4 need c<3, b 2 to 5 need c 1 to "
		"2\n"
		"And because a 2 to 3 need b>=2, the constraint n>=2 rules out n 1, d 2 to 3 need "
		"e==1, "
		"c 1 to 2 need d>=2, and e 1 needs n<2, a 2 to 3 cannot be chosen\n"
		"And because the lock asks for a>=2, the request cannot be met\n" },
};

static bool is_equal(const char *name, const char *got, const char *wanted)
{
	if (strcmp(got, wanted) != 0) {
		fprintf(stderr, "%s:\n  got    %s\n  wanted %s\n", name, got, wanted);
	}
	return strcmp(got, wanted) == 0;
}

UNIT(solve_table)
{
	bool is_right = true;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		CLEANUP_SOLVE_FIXTURE struct solve_fixture f = SOLVE_FIXTURE_INIT;
		CLEANUP_BUF struct buf told = BUF_INIT;
		struct arena a = ARENA_INIT;
		struct solve_result r;

		solve_fixture_read(&f, rows[i].universe);
		ck_assert_int_eq(solve_fixture_solve(&f, &a, &r), 0);
		ck_assert(r.is_solved == solve_fixture_has_solution(&f, NULL));
		solve_fixture_tell(&f, &r, &told);
		is_right &= is_equal(rows[i].name, told.p, rows[i].told);
		arena_release(&a);
	}
	ck_assert(is_right);
}

UNIT(solve_blames)
{
	CLEANUP_SOLVE_FIXTURE struct solve_fixture f = SOLVE_FIXTURE_INIT;
	struct arena a = ARENA_INIT;
	struct solve_result r;

	solve_fixture_read(
		&f, "a 1:\nb 1: d none\nb 2: c<2\nc 1 2:\nd 1:\nroot a\nroot b\nroot a\nroot c>=2");
	ck_assert_int_eq(solve_fixture_solve(&f, &a, &r), 0);
	ck_assert(!r.is_solved);
	ck_assert_uint_eq(r.nroots, 2);
	ck_assert_uint_eq(r.roots[0], 1);
	ck_assert_uint_eq(r.roots[1], 3);
	ck_assert_uint_eq(r.nempty, 1);
	ck_assert_uint_eq(r.empty[0], 3);
	ck_assert_uint_eq(r.nleft_out, 0);
	arena_release(&a);
}

UNIT(solve_says_what_is_allowed)
{
	CLEANUP_SOLVE_FIXTURE struct solve_fixture f = SOLVE_FIXTURE_INIT;
	struct arena a = ARENA_INIT;
	struct solve_result r;

	solve_fixture_read(&f, "a 1: b!=3\nb 1 2 3 4 5 6:\nc 1: b<2\nlimit b<6\nroot a\nroot b>=2");
	ck_assert_int_eq(solve_fixture_solve(&f, &a, &r), 0);
	ck_assert(r.is_solved);
	ck_assert_uint_eq(r.chosen[1], 4);
	ck_assert_uint_eq(r.allowed[1].n, 6);
	ck_assert_uint_eq(r.allowed[1].w[0], 0x1A); /* 2, 4 and 5 */
	ck_assert(r.nnames <= 2 || r.chosen[2] == SIZE_MAX);
	arena_release(&a);
}

/* A world in which one name is hard to open, or one candidate hard to ask. */
static int refuse_open(void *context, size_t name, struct solve_name *out, struct err *e)
{
	const size_t *refused = context;

	if (name == *refused) {
		return err_set(e, RC_NETWORK, "no page");
	}
	*out = (struct solve_name){ .ncandidates = 1, .favoured = SIZE_MAX };
	return 0;
}

static int refuse_needs(void *context, struct solve_candidate of,
	const struct solve_candidate *likely, size_t nlikely, const struct solve_need **out,
	size_t *n, struct err *e)
{
	(void)context;
	(void)of;
	(void)likely;
	(void)nlikely;
	(void)out;
	(void)n;
	return err_set(e, RC_NETWORK, "no metadata");
}

UNIT(solve_passes_errors_on)
{
	static const char *const texts[] = { "no page", "no metadata" };

	for (size_t refused = 0; refused < 2; refused++) {
		const struct solve_world world = { &refused, refuse_open, refuse_needs, NULL, NULL,
			NULL };
		uint64_t word = 1;
		const struct solve_need root = { 0, { &word, 1 }, STR("a") };
		struct arena a = ARENA_INIT;
		struct solve_result r = { .nnames = 99 };
		struct err e = ERR_INIT;

		ck_assert_int_eq(solve(&world, &root, 1, &a, &r, &e), -RC_NETWORK);
		ck_assert_str_eq(e.text, texts[refused]);
		ck_assert_uint_eq(r.nnames, 99);
		arena_release(&a);
	}
}

/* Of very many candidates only the oldest fits: each is asked once, and none in vain twice. */
UNIT(solve_many_candidates)
{
	enum { N = 10000 };
	CLEANUP_SOLVE_FIXTURE struct solve_fixture f = SOLVE_FIXTURE_INIT;
	struct arena a = ARENA_INIT;
	struct solve_result r;
	struct bits any = bits_new(&f.arena, N), first = bits_new(&f.arena, N);

	solve_fixture_names(&f, 2, N);
	bits_fill(&any);
	bits_add(&first, 0);
	vec_push(&f.roots, solve_fixture_need(&f, 0, &any, "x0"));
	vec_push(&f.roots, solve_fixture_need(&f, 1, &first, "x1"));
	for (size_t i = 0; i < N; i++) {
		struct bits own = bits_new(&f.arena, N);

		bits_add(&own, i);
		vec_push(&f.names[0].needs[i],
			solve_fixture_need(&f, 1, &own, arena_printf(&f.arena, "x1==%zu", i + 1)));
	}
	ck_assert_int_eq(solve_fixture_solve(&f, &a, &r), 0);
	ck_assert(r.is_solved);
	ck_assert_uint_eq(r.chosen[0], 0);
	ck_assert_uint_eq(r.nasked, N + 1);
	ck_assert_uint_eq(r.nconflicts, 0);
	ck_assert_uint_lt(f.nfetches, 200);
	arena_release(&a);
}

/* Eight pigeons and seven holes: a proof longer than the cap. */
UNIT(solve_tells_long_proofs_in_part)
{
	enum { HOLES = 7 };
	CLEANUP_SOLVE_FIXTURE struct solve_fixture f = SOLVE_FIXTURE_INIT;
	struct arena a = ARENA_INIT;
	struct solve_result r;
	struct bits holes = bits_new(&f.arena, HOLES + 1);

	solve_fixture_names(&f, 2 * HOLES + 1, HOLES + 1);
	bits_fill(&holes);
	bits_drop(&holes, HOLES);
	for (size_t pigeon = 0; pigeon <= HOLES; pigeon++) {
		struct bits own = bits_new(&f.arena, HOLES + 1);

		bits_add(&own, pigeon);
		vec_push(&f.roots, solve_fixture_need(&f, pigeon, &holes, "a hole"));
		for (size_t hole = 0; hole < HOLES; hole++) {
			vec_push(&f.names[pigeon].needs[hole],
				solve_fixture_need(&f, HOLES + 1 + hole, &own, NULL));
		}
	}
	ck_assert_int_eq(solve_fixture_solve(&f, &a, &r), 0);
	ck_assert(!r.is_solved);
	ck_assert_uint_eq(r.nroots, HOLES + 1);
	ck_assert_uint_eq(r.nlines, SOLVE_LINES);
	ck_assert_uint_gt(r.nleft_out, 0);
	ck_assert(str_ends(r.lines[r.nlines - 1], "the request cannot be met"));
	ck_assert_uint_lt(r.nconflicts, LIMIT_SOLVE_STEPS / 10);
	arena_release(&a);
}

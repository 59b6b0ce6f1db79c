/* The solver against a complete search, on universes made by chance. */
#include "tests/unit/solve_fixture.h"
#include "tests/unit/unit.h"

#include <inttypes.h>

enum { UNIVERSES = 3000, NAMES_MAX = 9, CANDIDATES_MAX = 5 };

static uint64_t draw(uint64_t *state, uint64_t n) /* 0 to n - 1 */
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (*state >> 11) % n;
}

static struct bits draw_set(struct solve_fixture *f, uint64_t *state, size_t n, uint64_t tenths)
{
	struct bits set = bits_new(&f->arena, n);

	for (size_t i = 0; i < n; i++) {
		if (draw(state, 10) < tenths) {
			bits_add(&set, i);
		}
	}
	return set;
}

static struct solve_need draw_need(struct solve_fixture *f, uint64_t *state, uint64_t tenths)
{
	size_t name = (size_t)draw(state, f->nnames);
	struct bits allowed = draw_set(f, state, f->names[name].ncandidates, tenths);

	return solve_fixture_need(f, name, &allowed, NULL);
}

/* A name like "x0[extra]": each candidate needs the same one of the base name. */
static void make_extra(struct solve_fixture *f, size_t extra, size_t base)
{
	for (size_t c = 0; c < f->names[extra].ncandidates; c++) {
		struct bits same = bits_new(&f->arena, f->names[base].ncandidates);

		bits_add(&same, c);
		vec_push(&f->names[extra].needs[c], solve_fixture_need(f, base, &same, NULL));
	}
}

static void make_universe(struct solve_fixture *f, uint64_t seed, const size_t *numbers)
{
	uint64_t state = seed * 0x9E3779B97F4A7C15 + 1, tenths = 3 + seed % 6;

	f->numbers = numbers;
	solve_fixture_names(f, 3 + (size_t)draw(&state, NAMES_MAX - 2),
		1 + (size_t)draw(&state, CANDIDATES_MAX));
	if (seed % 3 == 0) {
		make_extra(f, f->nnames - 1, 0);
	}
	for (size_t i = 0; i < f->nnames; i++) {
		struct solve_fixture_name *name = &f->names[i];

		name->favoured =
			draw(&state, 4) ? SIZE_MAX : (size_t)draw(&state, name->ncandidates);
		if (!draw(&state, 5)) {
			struct bits allowed = draw_set(f, &state, name->ncandidates, 7);

			vec_push(&name->limits,
				(struct solve_limit){ allowed, STR("a constraint") });
		}
		for (size_t c = 0; c < name->ncandidates; c++) {
			for (size_t k = (size_t)draw(&state, 4); k-- > 0;) {
				vec_push(&name->needs[c], draw_need(f, &state, tenths));
			}
		}
	}
	for (size_t k = 1 + (size_t)draw(&state, 3); k-- > 0;) {
		vec_push(&f->roots, draw_need(f, &state, tenths));
	}
}

/* The roots that are blamed must be enough for the conflict. */
static void check_blame(const struct solve_fixture *f, const struct solve_result *r, uint64_t seed)
{
	bool use[8] = { false };

	for (size_t i = 0; i < r->nroots; i++) {
		ck_assert(r->roots[i] < f->roots.n && !use[r->roots[i]]);
		use[r->roots[i]] = true;
	}
	ck_assert_msg(!solve_fixture_has_solution(f, use), "universe %" PRIu64, seed);
	ck_assert_msg(r->nlines > 0 && r->nroots > 0, "universe %" PRIu64, seed);
	ck_assert_msg(str_ends(r->lines[r->nlines - 1], "the request cannot be met"),
		"universe %" PRIu64 ": %.*s", seed, STR_ARG(r->lines[r->nlines - 1]));
}

/* What all needs and limits allow includes the choice, and the choice may be exchanged for nothing
 * else. */
static void check_allowed(
	const struct solve_fixture *f, const struct solve_result *r, uint64_t seed)
{
	for (size_t i = 0; i < r->nnames; i++) {
		bool is_chosen = r->chosen[i] != SIZE_MAX;

		ck_assert_msg(is_chosen == (r->allowed[i].w != NULL) &&
				      (!is_chosen || bits_has(&r->allowed[i], r->chosen[i])),
			"universe %" PRIu64, seed);
	}
	ck_assert_msg(solve_fixture_is_solution(f, r), "universe %" PRIu64, seed);
}

UNIT(solve_agrees_with_a_complete_search)
{
	size_t nsolved = 0;

	for (uint64_t seed = 1; seed <= UNIVERSES; seed++) {
		CLEANUP_SOLVE_FIXTURE struct solve_fixture f = SOLVE_FIXTURE_INIT;
		struct arena a = ARENA_INIT;
		struct solve_result r;

		make_universe(&f, seed, NULL);
		ck_assert_int_eq(solve_fixture_solve(&f, &a, &r), 0);
		ck_assert_msg(r.is_solved == solve_fixture_has_solution(&f, NULL),
			"universe %" PRIu64, seed);
		if (r.is_solved) {
			nsolved++;
			check_allowed(&f, &r, seed);
		} else {
			check_blame(&f, &r, seed);
		}
		arena_release(&a);
	}
	ck_assert_uint_gt(nsolved, UNIVERSES / 4);
	ck_assert_uint_lt(nsolved, UNIVERSES * 3 / 4);
}

UNIT(solve_cares_for_no_numbering)
{
	for (uint64_t seed = 1; seed <= 300; seed++) {
		CLEANUP_BUF struct buf plain = BUF_INIT;
		CLEANUP_BUF struct buf renumbered = BUF_INIT;
		struct buf *told[2] = { &plain, &renumbered };
		size_t numbers[NAMES_MAX + 1];

		for (size_t i = 0; i <= NAMES_MAX; i++) {
			numbers[i] = (i * 7 + (size_t)seed) % (NAMES_MAX + 1);
		}
		for (size_t way = 0; way < 2; way++) {
			CLEANUP_SOLVE_FIXTURE struct solve_fixture f = SOLVE_FIXTURE_INIT;
			struct arena a = ARENA_INIT;
			struct solve_result r;

			make_universe(&f, seed, way ? numbers : NULL);
			ck_assert_int_eq(solve_fixture_solve(&f, &a, &r), 0);
			solve_fixture_tell(&f, &r, told[way]);
			buf_addf(told[way], " %zu %zu", r.nconflicts, r.nasked);
			arena_release(&a);
		}
		ck_assert_str_eq(plain.p, renumbered.p);
	}
}

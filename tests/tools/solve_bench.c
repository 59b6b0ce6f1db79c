/* Figures of the solver on universes made on the fly: milliseconds of CPU, peak memory, work. Each
 *runs in a process of its own.
 *
 *	solve_bench [CASE]... [-x]     -x: prints explanations */
#include "bundle/solve.h"
#include "manifests/base/mem.h"
#include "manifests/base/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct bench;
struct bench_case {
	const char *name, *mark;
	size_t nnames, ncandidates;
	void (*roots)(struct bench *b);
	void (*needs)(struct bench *b, size_t name, size_t number);
	uint64_t seed;
};

struct bench {
	const struct bench_case *of;
	struct arena arena;
	VEC(struct solve_need) list; /* what is being made */
	bool *is_fetched;
	size_t nfetched, nfetches;
};

/* The same number for the same question, whoever asks and whenever. */
static uint64_t chance(const struct bench *b, uint64_t x, uint64_t y, uint64_t z)
{
	uint64_t h = b->of->seed * 0x9E3779B97F4A7C15 + x * 0xBF58476D1CE4E5B9 +
		     y * 0x94D049BB133111EB + z;

	for (int i = 0; i < 3; i++) {
		h ^= h >> 31;
		h *= 0xD6E8FEB86659FD93;
	}
	return h ^ h >> 32;
}

/* "name from low to high" */
static void need(struct bench *b, size_t name, size_t low, size_t high)
{
	struct solve_need n = { .name = name, .allowed = bits_new(&b->arena, b->of->ncandidates) };

	for (size_t i = low; i <= high && i < b->of->ncandidates; i++) {
		bits_add(&n.allowed, i);
	}
	n.text = str_of(arena_printf(&b->arena, "x%zu>=%zu,<=%zu", name, low + 1, high + 1));
	vec_push(&b->list, n);
}

/* ---- the universes ---- */

/* One name of many candidates, each with a needs of its own; only the oldest one's can be met. */
static void oldest_roots(struct bench *b)
{
	need(b, 0, 0, b->of->ncandidates - 1);
	need(b, 1, 0, 0);
}

static void oldest_needs(struct bench *b, size_t name, size_t number)
{
	if (name == 0) {
		need(b, 1, number, number);
	}
}

/* The same, but that the needs collide two names further on: every candidate is a conflict. */
static void deep_roots(struct bench *b)
{
	need(b, 0, 0, b->of->ncandidates - 1);
	need(b, 2, 0, 0);
}

static void deep_needs(struct bench *b, size_t name, size_t number)
{
	if (name < 2) {
		need(b, name + 1, number, number);
	}
}

/* Layers of packages that need a few later ones in ranges, as real ones do. */
static void layers_roots(struct bench *b)
{
	for (size_t i = 0; i < 12; i++) {
		need(b, i, 0, b->of->ncandidates - 1);
	}
}

/* Besides, the request wants what the layers lead away from: there is no solution. */
static void hard_roots(struct bench *b)
{
	layers_roots(b);
	need(b, b->of->nnames - 20, b->of->ncandidates - 2, b->of->ncandidates - 1);
}

static void layers(struct bench *b, size_t name, size_t number, uint64_t width)
{
	for (uint64_t k = 0; k < 2 + chance(b, name, 0, 0) % 4; k++) {
		size_t other = name + 1 + (size_t)(chance(b, name, k, 1) % 30);

		if (other < b->of->nnames) {
			size_t low = number * 3 / 4 * (chance(b, name, k, 2) % 2);
			size_t high =
				low + (size_t)(width + chance(b, name, number / 4, k + 3) % width);

			need(b, other, low, high);
		}
	}
}

static void layers_needs(struct bench *b, size_t name, size_t number)
{
	layers(b, name, number, 14);
}

static void tight_needs(struct bench *b, size_t name, size_t number)
{
	layers(b, name, number, 7);
}

static void hard_needs(struct bench *b, size_t name, size_t number)
{
	layers(b, name, number, 5);
}

/* Pigeons are names whose candidates are holes; a pigeon in a hole needs the hole to be its own. */
enum { HOLES = 8 };

static void pigeon_roots(struct bench *b)
{
	for (size_t i = 0; i <= HOLES; i++) {
		need(b, i, 0, HOLES - 1);
	}
}

static void pigeon_needs(struct bench *b, size_t name, size_t number)
{
	if (name <= HOLES && number < HOLES) {
		need(b, HOLES + 1 + number, name, name);
	}
}

static const struct bench_case cases[] = {
	{ "oldest", "< 200 ms, 64 MB", 2, 10000, oldest_roots, oldest_needs, 0 },
	{ "deep", "none", 3, 10000, deep_roots, deep_needs, 0 },
	{ "layers", "4 ms, 683 fetched", 190, 40, layers_roots, layers_needs, 1 },
	{ "tight", "42 ms", 190, 40, layers_roots, tight_needs, 2 },
	{ "hard", "42 ms", 190, 40, hard_roots, hard_needs, 3 },
	{ "pigeons", "650 ms", 2 * HOLES + 1, HOLES + 1, pigeon_roots, pigeon_needs, 0 },
};

/* ---- the world ---- */

static int bench_open(void *context, size_t name, struct solve_name *out, struct err *e)
{
	const struct bench *b = context;

	(void)name;
	(void)e;
	*out = (struct solve_name){ .ncandidates = b->of->ncandidates, .favoured = SIZE_MAX };
	return 0;
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1000 + (double)t.tv_nsec / 1e6;
}

static void fetch(struct bench *b, struct solve_candidate c)
{
	bool *is_fetched = &b->is_fetched[c.name * b->of->ncandidates + c.number];

	b->nfetched += !*is_fetched;
	*is_fetched = true;
}

static int bench_needs(void *context, struct solve_candidate of,
	const struct solve_candidate *likely, size_t nlikely, const struct solve_need **out,
	size_t *n, struct err *e)
{
	struct bench *b = context;

	(void)e;
	if (!b->is_fetched[of.name * b->of->ncandidates + of.number]) {
		b->nfetches++;
		fetch(b, of);
		for (size_t i = 0; i < nlikely; i++) {
			fetch(b, likely[i]);
		}
	}
	b->list.n = 0;
	b->of->needs(b, of.name, of.number);
	struct solve_need *list = arena_array(&b->arena, b->list.n, sizeof(*list));
	if (b->list.n) {
		memcpy(list, b->list.v, b->list.n * sizeof(*list));
	}
	*out = list;
	*n = b->list.n;
	return 0;
}

static struct str bench_name_text(void *context, size_t name)
{
	struct bench *b = context;

	return str_of(arena_printf(&b->arena, "x%zu", name));
}

static struct str bench_candidate_text(void *context, struct solve_candidate c)
{
	struct bench *b = context;

	return str_of(arena_printf(&b->arena, "%zu", c.number + 1));
}

static struct str bench_empty_text(void *context, const struct solve_need *need)
{
	(void)context;
	(void)need;
	return STR("nothing fits");
}

static void run(const struct bench_case *of, bool explains)
{
	struct bench bench = { .of = of }, *b = &bench;
	const struct solve_world world = { b, bench_open, bench_needs, bench_name_text,
		bench_candidate_text, bench_empty_text };
	struct arena a = ARENA_INIT;
	struct solve_result r;
	struct err e = ERR_INIT;
	struct rusage usage;

	b->is_fetched = mem_array(b->of->nnames * b->of->ncandidates, sizeof(bool));
	b->of->roots(b);
	size_t nroots = b->list.n;
	struct solve_need *roots = arena_array(&b->arena, nroots, sizeof(*roots));
	memcpy(roots, b->list.v, nroots * sizeof(*roots));
	double start = now_ms();
	int failed = solve(&world, roots, nroots, &a, &r, &e);
	double ms = now_ms() - start;
	getrusage(RUSAGE_SELF, &usage);
	if (failed) {
		printf("%-8s %s after %.1f ms, %ld MB\n", b->of->name, e.text, ms,
			usage.ru_maxrss / 1024);
		return;
	}
	printf("%-8s %8.1f ms %4ld MB  %-9s %6zu asked %6zu fetched in %4zu turns %6zu conflicts "
	       "%6zu lines"
	       "   (mark: %s)\n",
		b->of->name, ms, usage.ru_maxrss / 1024, r.is_solved ? "solved" : "unsolved",
		r.nasked, b->nfetched, b->nfetches, r.nconflicts, r.nlines + r.nleft_out,
		b->of->mark);
	for (size_t i = 0; explains && !r.is_solved && i < r.nlines; i++) {
		printf("%.*s\n", STR_ARG(r.lines[i]));
	}
	arena_release(&a);
	arena_release(&b->arena);
	vec_release(&b->list);
	free(b->is_fetched);
}

int main(int argc, char **argv)
{
	bool explains = argc > 1 && strcmp(argv[argc - 1], "-x") == 0;
	int ncases = argc - 1 - explains, status = 0;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool is_asked = ncases == 0;

		for (int k = 1; k <= ncases; k++) {
			is_asked |= strcmp(argv[k], cases[i].name) == 0;
		}
		fflush(stdout);
		pid_t child = is_asked ? fork() : -1;
		if (child == 0) {
			run(&cases[i], explains);
			return 0;
		}
		if (child > 0 && (waitpid(child, &status, 0) < 0 || status)) {
			return 1;
		}
	}
	return 0;
}

/* Tells a proof in lines: a step each, in an order in which the next builds on the one before where
 * that can be. */
#include "bundle/solve_proof.h"

#include <stdlib.h>

typedef VEC(struct step *) step_vec;

/* A step among the premises that is not met yet. */
static struct step *unmet(const struct proof *p, const struct step *step)
{
	for (size_t i = 0; i < step->ngroups; i++) {
		struct step *earlier = proof_step(p, step->groups[i]);

		if (earlier && !earlier->is_met) {
			return earlier;
		}
	}
	return NULL;
}

/* What a step builds on comes before it, and as close to it as can be. */
static void put_in_order(const struct proof *p, step_vec *lines)
{
	step_vec open = VEC_INIT;

	vec_push(&open, proof_step(p, p->s->proof));
	while (open.n) {
		struct step *step = open.v[open.n - 1];

		step->is_met = true;
		struct step *earlier = unmet(p, step);
		if (earlier) {
			vec_push(&open, earlier);
		} else {
			vec_push(lines, step);
			open.n--;
		}
	}
	vec_release(&open);
}

/* The line that a line may build on without a number: the one before, if that is told. */
static const struct step *before(const step_vec *lines, size_t i)
{
	bool is_alone = i + 1 == lines->n && lines->n > SOLVE_LINES;

	return i == 0 || is_alone ? NULL : lines->v[i - 1];
}

static void number_steps(const struct proof *p, const step_vec *lines)
{
	size_t n = 0;

	for (size_t i = 0; i < lines->n; i++) {
		const struct step *step = lines->v[i];

		for (size_t k = 0; k < step->ngroups; k++) {
			struct step *earlier = proof_step(p, step->groups[k]);

			if (earlier && earlier != step && earlier != before(lines, i)) {
				earlier->number = 1;
			}
		}
	}
	for (size_t i = 0; i < lines->n; i++) {
		if (lines->v[i]->number) {
			lines->v[i]->number = ++n;
		}
	}
}

/* The premises but the one that the line before has told. */
static void say_premises(const struct proof *p, const struct step *step,
	const struct step *previous, struct buf *out)
{
	const rule_vec *premises = &step->premises;
	bool is_first = true;

	for (size_t i = 0, end; i < premises->n; i = end) {
		const struct step *earlier = proof_step(p, premises->v[i]);

		end = premises_group_end(premises, i);
		if (earlier && earlier == previous) {
			continue;
		}
		buf_adds(out, is_first ? "" : end < premises->n ? ", " : ", and ");
		is_first = false;
		rules_say(p->s, premises->v + i, end - i, out);
		if (earlier && earlier != step) {
			buf_addf(out, " (%zu)", earlier->number);
		}
	}
}

static struct str say_line(const struct proof *p, struct step *step, const struct step *previous)
{
	CLEANUP_BUF struct buf premises = BUF_INIT;
	CLEANUP_BUF struct buf line = BUF_INIT;
	bool goes_on = false;

	for (size_t i = 0; previous && i < step->ngroups; i++) {
		goes_on |= step->groups[i] == previous->rule;
	}
	premises_sort(&step->premises);
	say_premises(p, step, previous, &premises);
	buf_adds(&line, !goes_on ? "Because " : premises.n ? "And because " : "So ");
	buf_addstr(&line, buf_str(&premises));
	buf_adds(&line, premises.n ? ", " : "");
	rule_say(p->s, step->rule, &line);
	if (step->number) {
		buf_addf(&line, " (%zu)", step->number);
	}
	return arena_str(p->s->result, buf_str(&line));
}

/* Beyond the cap all but the first lines and the last are left out. */
static void tell_lines(const struct proof *p, const step_vec *lines, struct solve_result *out)
{
	out->nlines = lines->n < SOLVE_LINES ? lines->n : SOLVE_LINES;
	out->nleft_out = lines->n - out->nlines;
	out->lines = arena_array(p->s->result, out->nlines, sizeof(*out->lines));
	for (size_t i = 0; i < out->nlines; i++) {
		size_t at = i + 1 < out->nlines ? i : lines->n - 1;

		out->lines[i] = say_line(p, lines->v[at], before(lines, at));
	}
}

static int by_number(const void *a, const void *b)
{
	const size_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Sorted, each once, in the result's arena. */
static size_t *keep_numbers(const struct proof *p, size_t *v, size_t n, size_t *kept)
{
	size_t *out = arena_array(p->s->result, n, sizeof(*out));

	*kept = 0;
	if (n) {
		qsort(v, n, sizeof(*v), by_number);
	}
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || v[i] != v[i - 1]) {
			out[(*kept)++] = v[i];
		}
	}
	return out;
}

static void tell_blame(const struct proof *p, const step_vec *lines, struct solve_result *out)
{
	VEC(size_t) roots = VEC_INIT, empty = VEC_INIT;

	vec_each(struct step *, step, lines) {
		vec_each(struct rule *, r, &(*step)->premises) {
			if ((*r)->kind == RULE_ROOT) {
				vec_push(&roots, (*r)->root);
			}
			if ((*r)->need && bits_is_empty(&(*r)->need->allowed)) {
				vec_push(&empty, (*r)->needed->name);
			}
		}
	}
	out->roots = keep_numbers(p, roots.v, roots.n, &out->nroots);
	out->empty = keep_numbers(p, empty.v, empty.n, &out->nempty);
	vec_release(&roots);
	vec_release(&empty);
}

void solver_explain(struct solver *s, struct solve_result *out)
{
	step_vec lines = VEC_INIT;
	struct proof p;

	proof_build(&p, s);
	put_in_order(&p, &lines);
	number_steps(&p, &lines);
	tell_blame(&p, &lines, out);
	tell_lines(&p, &lines, out);
	vec_release(&lines);
	proof_release(&p);
}

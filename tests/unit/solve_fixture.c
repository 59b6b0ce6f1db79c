#include "tests/unit/solve_fixture.h"
#include "tests/unit/unit.h"

#include <string.h>

size_t solve_fixture_number(const struct solve_fixture *f, size_t index)
{
	return f->numbers ? f->numbers[index] : index;
}

static size_t index_of(const struct solve_fixture *f, size_t number)
{
	size_t i = 0;

	while (solve_fixture_number(f, i) != number) {
		i++;
	}
	return i;
}

static void init_name(struct solve_fixture *f, struct solve_fixture_name *name, size_t ncandidates)
{
	name->ncandidates = ncandidates;
	name->favoured = SIZE_MAX;
	name->needs = arena_array(&f->arena, ncandidates, sizeof(*name->needs));
	name->is_asked = arena_array(&f->arena, ncandidates, sizeof(bool));
	name->is_fetched = arena_array(&f->arena, ncandidates, sizeof(bool));
}

void solve_fixture_names(struct solve_fixture *f, size_t n, size_t ncandidates)
{
	f->names = arena_array(&f->arena, n, sizeof(*f->names));
	f->nnames = n;
	for (size_t i = 0; i < n; i++) {
		f->names[i].text = str_of(arena_printf(&f->arena, "x%zu", i));
		init_name(f, &f->names[i], ncandidates);
	}
}

struct solve_need solve_fixture_need(
	struct solve_fixture *f, size_t name, const struct bits *allowed, const char *text)
{
	struct solve_need need = { solve_fixture_number(f, name), *allowed, str_of(text) };

	if (!text) {
		CLEANUP_BUF struct buf b = BUF_INIT;

		buf_addf(&b, "x%zu", name);
		for (size_t i = bits_next(allowed, 0); i != SIZE_MAX;
			i = bits_next(allowed, i + 1)) {
			buf_addf(&b, "|%zu", i + 1);
		}
		need.text = arena_str(&f->arena, buf_str(&b));
	}
	return need;
}

void solve_fixture_release(struct solve_fixture *f)
{
	for (size_t i = 0; i < f->nnames; i++) {
		for (size_t c = 0; c < f->names[i].ncandidates; c++) {
			vec_release(&f->names[i].needs[c]);
		}
		vec_release(&f->names[i].limits);
	}
	vec_release(&f->roots);
	arena_release(&f->arena);
}

/* ---- the world ---- */

static int world_open(void *context, size_t number, struct solve_name *out, struct err *e)
{
	struct solve_fixture *f = context;
	struct solve_fixture_name *name = &f->names[index_of(f, number)];

	(void)e;
	ck_assert(!name->is_open);
	name->is_open = true;
	*out = (struct solve_name){ name->ncandidates, name->favoured, name->limits.v,
		name->limits.n };
	return 0;
}

static void fetch(struct solve_fixture *f, struct solve_fixture_name *name, size_t number)
{
	if (!name->is_fetched[number]) {
		name->is_fetched[number] = true;
		f->nfetched++;
	}
}

static int world_needs(void *context, struct solve_candidate of,
	const struct solve_candidate *likely, size_t nlikely, const struct solve_need **out,
	size_t *n, struct err *e)
{
	struct solve_fixture *f = context;
	struct solve_fixture_name *name = &f->names[index_of(f, of.name)];

	(void)e;
	ck_assert(name->is_open && of.number < name->ncandidates && !name->is_asked[of.number]);
	name->is_asked[of.number] = true;
	if (!name->is_fetched[of.number]) {
		f->nfetches++;
		fetch(f, name, of.number);
		for (size_t i = 0; i < nlikely; i++) {
			struct solve_fixture_name *other = &f->names[index_of(f, likely[i].name)];

			ck_assert(!other->is_asked[likely[i].number]);
			fetch(f, other, likely[i].number);
		}
	}
	*out = name->needs[of.number].v;
	*n = name->needs[of.number].n;
	return 0;
}

static struct str world_name_text(void *context, size_t number)
{
	const struct solve_fixture *f = context;

	return f->names[index_of(f, number)].text;
}

static struct str world_candidate_text(void *context, struct solve_candidate c)
{
	struct solve_fixture *f = context;

	return str_of(arena_printf(&f->arena, "%zu", c.number + 1));
}

static struct str world_empty_text(void *context, const struct solve_need *need)
{
	struct solve_fixture *f = context;

	return str_of(arena_printf(
		&f->arena, "no %.*s fits", STR_ARG(f->names[index_of(f, need->name)].text)));
}

int solve_fixture_solve(struct solve_fixture *f, struct arena *a, struct solve_result *out)
{
	const struct solve_world world = { f, world_open, world_needs, world_name_text,
		world_candidate_text, world_empty_text };

	return solve(&world, f->roots.v, f->roots.n, a, out, &f->err);
}

void solve_fixture_tell(
	const struct solve_fixture *f, const struct solve_result *r, struct buf *out)
{
	for (size_t i = 0; !r->is_solved && i < r->nlines; i++) {
		buf_addf(out, "%.*s\n", STR_ARG(r->lines[i]));
	}
	for (size_t i = 0; r->is_solved && i < f->nnames; i++) {
		size_t number = solve_fixture_number(f, i);

		if (number < r->nnames && r->chosen[number] != SIZE_MAX) {
			buf_addf(out, "%s%.*s=%zu", out->n ? " " : "", STR_ARG(f->names[i].text),
				r->chosen[number] + 1);
		}
	}
	buf_adds(out, "");
}

/* ---- the text ---- */

static size_t find_name(const struct solve_fixture *f, struct str text)
{
	size_t i = 0;

	while (i < f->nnames && !str_eq(f->names[i].text, text)) {
		i++;
	}
	return i;
}

static struct solve_need read_need(struct solve_fixture *f, struct str text)
{
	size_t end = 0;
	uint64_t n = 0;

	while (end < text.n && !strchr(" <>=!", text.p[end])) {
		end++;
	}
	size_t name = find_name(f, str_first(text, end));
	ck_assert_msg(name < f->nnames, "%.*s", STR_ARG(text));
	struct str operator= str_skip(text, end);
	struct bits allowed = bits_new(&f->arena, f->names[name].ncandidates);
	bool is_less = str_starts(operator, "<");
	if (operator.n && !str_is(operator, " none")) {
		ck_assert(str_to_u64(str_skip(operator, is_less ? 1 : 2), &n));
	}
	for (size_t i = 0; i < allowed.n; i++) {
		bool is_allowed = !operator.n ||(is_less &&i + 1 < n) ||
				  (str_starts(operator, ">=") && i + 1 >= n) ||
				  (str_starts(operator, "==") && i + 1 == n) ||
				  (str_starts(operator, "!=") && i + 1 != n);

		if (is_allowed) {
			bits_add(&allowed, i);
		}
	}
	return (struct solve_need){ solve_fixture_number(f, name), allowed, text };
}

static void read_names(struct solve_fixture *f, struct str text)
{
	struct str line, head, word;

	f->names = arena_array(&f->arena, text.n, sizeof(*f->names));
	while (str_cut(&text, '\n', &line)) {
		if (!str_cut(&line, ':', &head) || !str_cut(&head, ' ', &word) || !word.n ||
			str_is(word, "root") || str_is(word, "limit") || str_is(word, "favour")) {
			continue;
		}
		struct solve_fixture_name *name = &f->names[find_name(f, word)];
		f->nnames += !name->text.n;
		name->text = word;
		while (str_cut(&head, ' ', &word)) {
			name->ncandidates++;
		}
	}
	for (size_t i = 0; i < f->nnames; i++) {
		init_name(f, &f->names[i], f->names[i].ncandidates);
	}
}

static void read_line(struct solve_fixture *f, struct str line)
{
	struct str head, word, need;
	uint64_t n;

	if (!str_cut(&line, ':', &head) || !str_cut(&head, ' ', &word) || !word.n) {
		return;
	}
	if (str_is(word, "root")) {
		vec_push(&f->roots, read_need(f, head));
	} else if (str_is(word, "limit")) {
		struct solve_need limit = read_need(f, head);

		limit.text = str_of(arena_printf(&f->arena, "the constraint %.*s", STR_ARG(head)));
		vec_push(&f->names[index_of(f, limit.name)].limits,
			(struct solve_limit){ limit.allowed, limit.text });
	} else if (str_is(word, "favour")) {
		ck_assert(str_cut(&head, ' ', &word) && str_to_u64(head, &n));
		f->names[find_name(f, word)].favoured = n - 1;
	} else {
		struct solve_fixture_name *name = &f->names[find_name(f, word)];

		while (str_cut(&head, ' ', &word)) {
			struct str rest = line;

			ck_assert(str_to_u64(word, &n) && n - 1 < name->ncandidates);
			while (str_cut(&rest, ',', &need) && str_trim(need).n) {
				vec_push(&name->needs[n - 1], read_need(f, str_trim(need)));
			}
		}
	}
}

void solve_fixture_read(struct solve_fixture *f, const char *text)
{
	struct str rest = str_of(text), line;

	read_names(f, rest);
	while (str_cut(&rest, '\n', &line)) {
		read_line(f, line);
	}
	for (size_t i = 0; i < f->roots.n; i++) {
		struct solve_need *root = &f->roots.v[i];

		root->text = str_of(
			arena_printf(&f->arena, "the lock asks for %.*s", STR_ARG(root->text)));
	}
}

/* ---- the complete search ---- */

struct attempt {
	const struct solve_fixture *f;
	const bool *use;
	size_t *chosen; /* by index; SIZE_MAX: nothing yet */
};

static bool meets(const struct attempt *t, const struct solve_need *need)
{
	size_t choice = t->chosen[index_of(t->f, need->name)];

	return !bits_is_empty(&need->allowed) &&
	       (choice == SIZE_MAX || bits_has(&need->allowed, choice));
}

/* Is the choice of this name against nothing that was chosen before? */
static bool fits(const struct attempt *t, size_t index)
{
	const struct solve_fixture *f = t->f;
	const struct solve_fixture_name *name = &f->names[index];

	for (size_t i = 0; i < name->limits.n; i++) {
		if (!bits_has(&name->limits.v[i].allowed, t->chosen[index])) {
			return false;
		}
	}
	for (size_t i = 0; i < f->roots.n; i++) {
		if ((!t->use || t->use[i]) && !meets(t, &f->roots.v[i])) {
			return false;
		}
	}
	for (size_t i = 0; i < f->nnames; i++) {
		const need_vec *needs =
			t->chosen[i] == SIZE_MAX ? NULL : &f->names[i].needs[t->chosen[i]];

		for (size_t k = 0; needs && k < needs->n; k++) {
			if (!meets(t, &needs->v[k])) {
				return false;
			}
		}
	}
	return true;
}

static bool is_needed(const struct attempt *t, size_t index)
{
	size_t number = solve_fixture_number(t->f, index);

	for (size_t i = 0; i < t->f->roots.n; i++) {
		if (t->f->roots.v[i].name == number && (!t->use || t->use[i])) {
			return true;
		}
	}
	for (size_t i = 0; i < t->f->nnames; i++) {
		const need_vec *needs =
			t->chosen[i] == SIZE_MAX ? NULL : &t->f->names[i].needs[t->chosen[i]];

		for (size_t k = 0; needs && k < needs->n; k++) {
			if (needs->v[k].name == number) {
				return true;
			}
		}
	}
	return false;
}

static bool try_all(struct attempt *t)
{
	size_t i = 0;

	while (i < t->f->nnames && (t->chosen[i] != SIZE_MAX || !is_needed(t, i))) {
		i++;
	}
	if (i == t->f->nnames) {
		return true;
	}
	for (size_t c = 0; c < t->f->names[i].ncandidates; c++) {
		t->chosen[i] = c;
		if (fits(t, i) && try_all(t)) {
			return true;
		}
	}
	t->chosen[i] = SIZE_MAX;
	return false;
}

bool solve_fixture_has_solution(const struct solve_fixture *f, const bool *use)
{
	size_t chosen[64];
	struct attempt t = { f, use, chosen };

	ck_assert(f->nnames <= 64);
	for (size_t i = 0; i < f->nnames; i++) {
		chosen[i] = SIZE_MAX;
	}
	for (size_t i = 0; i < f->roots.n; i++) {
		if ((!use || use[i]) && bits_is_empty(&f->roots.v[i].allowed)) {
			return false;
		}
	}
	return try_all(&t);
}

/* Names that are reached from the request by what the chosen candidates need. */
static size_t mark_reached(const struct attempt *t, size_t index, bool *is_reached)
{
	size_t count = 1;

	if (is_reached[index] || t->chosen[index] == SIZE_MAX) {
		return 0;
	}
	is_reached[index] = true;
	const need_vec *needs = &t->f->names[index].needs[t->chosen[index]];
	for (size_t i = 0; i < needs->n; i++) {
		count += mark_reached(t, index_of(t->f, needs->v[i].name), is_reached);
	}
	return count;
}

bool solve_fixture_is_solution(const struct solve_fixture *f, const struct solve_result *r)
{
	size_t chosen[64], nchosen = 0, nreached = 0;
	bool is_reached[64] = { false };
	const struct attempt t = { f, NULL, chosen };

	for (size_t i = 0; i < f->nnames; i++) {
		size_t number = solve_fixture_number(f, i);

		chosen[i] = number < r->nnames ? r->chosen[number] : SIZE_MAX;
		nchosen += chosen[i] != SIZE_MAX;
	}
	for (size_t i = 0; i < f->nnames; i++) {
		if ((chosen[i] != SIZE_MAX) != is_needed(&t, i) ||
			(chosen[i] != SIZE_MAX && !fits(&t, i))) {
			return false;
		}
	}
	for (size_t i = 0; i < f->roots.n; i++) {
		nreached += mark_reached(&t, index_of(f, f->roots.v[i].name), is_reached);
	}
	return nreached == nchosen;
}

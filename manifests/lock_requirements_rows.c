/* requirements.txt, the rows: which line is for which target, and what the lines say together. */
#include "manifests/lock_requirements.h"
#include "manifests/base/mem.h"

#include <stdlib.h>
#include <string.h>

struct made_row {
	struct lock_package package;
	const struct requirements_entry *entry;
	struct requirements_decision decision;
	size_t order;
};

struct rows_maker {
	struct lock *l;
	struct requirements_judge *judge;
	VEC(struct made_row) rows;
	struct err *err;
};

/* ---- rows ---- */

static bool is_same_pin(
	const struct requirements_decision *a, const struct requirements_decision *b)
{
	return a->pin && b->pin ? version_cmp(&a->pin->version, &b->pin->version) == 0
				: a->pin == b->pin;
}

static bool is_same_decision(
	const struct requirements_decision *a, const struct requirements_decision *b)
{
	return is_same_pin(a, b) && a->nhashes == b->nhashes &&
	       (!a->nhashes || memcmp(a->hashes, b->hashes, a->nhashes * sizeof(*a->hashes)) == 0);
}

static int pin_package(
	struct rows_maker *m, const struct requirements_decision *d, struct lock_package *p)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct arena *a = &m->l->arena;

	buf_adds(&text, "==");
	version_format(&d->pin->version, &text);
	return specifier_parse(a, arena_str(a, buf_str(&text)), &p->req.specifiers, m->err);
}

static int add_row(struct rows_maker *m, const struct requirements_entry *entry,
	const struct requirements_decision *d)
{
	struct arena *a = &m->l->arena;
	struct lock_package p = { .req = entry->req, .line = entry->at.line };

	p.req.marker = NULL;
	p.targets = arena_array(a, m->l->ntargets, sizeof(*p.targets));
	if (d->pin && pin_package(m, d, &p)) {
		return requirements_wrap(entry, m->err);
	}
	lock_spell(m->l, &p.req);
	p.hashes = arena_array(a, d->nhashes, sizeof(*p.hashes));
	p.nhashes = d->nhashes;
	if (d->nhashes) {
		memcpy(p.hashes, d->hashes, d->nhashes * sizeof(*p.hashes));
	}
	if (entry->file.url.n) {
		p.files = arena_array(a, 1, sizeof(*p.files));
		p.files[0] = entry->file;
		p.nfiles = 1;
	}
	if (p.nfiles && p.nhashes == 1) {
		p.files[0].has_sha256 = true;
		p.files[0].sha256 = p.hashes[0];
	}
	vec_push(&m->rows, (struct made_row){ p, entry, *d, m->rows.n });
	return 0;
}

static int refuse_carry(struct rows_maker *m, const struct requirements_entry *entry)
{
	err_set(m->err, RC_UNSUPPORTED, "%.300s: is %s: it cannot be carried",
		requirements_text_of(m->judge, entry), entry->refused);
	requirements_hint_build(m->err);
	return requirements_wrap(entry, m->err);
}

/* The rows of one line: one, unless constraints give its targets different versions. */
static int make_rows(struct rows_maker *m, const struct requirements_entry *entry)
{
	size_t first = m->rows.n;

	for (size_t i = 0; i < m->l->ntargets; i++) {
		struct requirements_decision d;
		bool does = false;
		size_t k = first;

		if (requirements_holds(m->judge, entry, i, &does)) {
			return -(int)m->err->rc;
		}
		if (!does) {
			continue;
		}
		if (entry->refused) {
			return refuse_carry(m, entry);
		}
		if (requirements_decide(m->judge, entry, i, &d)) {
			return -(int)m->err->rc;
		}
		while (k < m->rows.n && !is_same_decision(&m->rows.v[k].decision, &d)) {
			k++;
		}
		if (k == m->rows.n && add_row(m, entry, &d)) {
			return -(int)m->err->rc;
		}
		struct lock_package *p = &m->rows.v[k].package;
		p->targets[p->ntargets++] = m->l->targets[i].name;
	}
	return 0;
}

/* ---- several lines of one project ---- */

static int by_name(const void *a, const void *b)
{
	const struct made_row *x = *(struct made_row *const *)a;
	const struct made_row *y = *(struct made_row *const *)b;
	int order = str_cmp(x->package.req.name, y->package.req.name);

	return order ? order : (x->order > y->order) - (x->order < y->order);
}

static bool has_extra(const struct requirement *r, struct str extra)
{
	for (size_t i = 0; i < r->nextras; i++) {
		if (str_eq(r->extras[i], extra)) {
			return true;
		}
	}
	return false;
}

static bool has_extras(const struct requirement *r, const struct requirement *of)
{
	for (size_t i = 0; i < of->nextras; i++) {
		if (!has_extra(r, of->extras[i])) {
			return false;
		}
	}
	return true;
}

static bool is_same_thing(const struct made_row *a, const struct made_row *b)
{
	return is_same_decision(&a->decision, &b->decision) &&
	       str_eq(a->entry->file.url, b->entry->file.url);
}

static size_t target_index(const struct lock *l, struct str name)
{
	return (size_t)(lock_target(l, name) - l->targets);
}

/* Pinned lines: a target takes one thing of a project; one that says it once more says nothing. */
static int check_pinned(
	struct rows_maker *m, struct made_row **sorted, size_t n, struct made_row **taken)
{
	memset(taken, 0, m->l->ntargets * sizeof(struct made_row *));
	for (size_t i = 0; i < n; i++) {
		struct lock_package *p = &sorted[i]->package;
		size_t kept = 0;

		if (!sorted[i]->decision.pin) {
			continue;
		}

		for (size_t k = 0; k < p->ntargets; k++) {
			size_t t = target_index(m->l, p->targets[k]);
			const struct made_row *old = taken[t];

			if (old && !is_same_thing(old, sorted[i])) {
				return requirements_refuse_pair(m->judge, sorted[i]->entry,
					old->entry, "contradicts", &m->l->targets[t]);
			}
			if (!old || !has_extras(&old->package.req, &p->req)) {
				p->targets[kept++] = p->targets[k];
				taken[t] = sorted[i];
			}
		}
		p->ntargets = kept;
	}
	return 0;
}

/* Open lines add up; the version that another line gives must fit them. */
static int check_open(
	struct rows_maker *m, struct made_row **sorted, size_t n, struct made_row **taken)
{
	for (size_t i = 0; i < n; i++) {
		const struct made_row *row = sorted[i];
		const struct lock_package *p = &row->package;

		for (size_t k = 0; !row->decision.pin && k < p->ntargets; k++) {
			size_t t = target_index(m->l, p->targets[k]);

			if (taken[t] && !specifier_contains(&p->req.specifiers,
						&taken[t]->decision.pin->version)) {
				return requirements_refuse_pair(m->judge, row->entry,
					taken[t]->entry, "contradicts", &m->l->targets[t]);
			}
		}
	}
	return 0;
}

static int check_group(
	struct rows_maker *m, struct made_row **sorted, size_t n, struct made_row **taken)
{
	int r = check_pinned(m, sorted, n, taken);

	return r ? r : check_open(m, sorted, n, taken);
}

static int check_groups(struct rows_maker *m)
{
	size_t n = m->rows.n;
	CLEANUP(free) struct made_row **sorted = mem_array(n + 1, sizeof(*sorted));
	CLEANUP(free) struct made_row **taken = mem_array(m->l->ntargets + 1, sizeof(*taken));
	int r = 0;

	for (size_t i = 0; i < n; i++) {
		sorted[i] = &m->rows.v[i];
	}
	qsort(sorted, n, sizeof(*sorted), by_name);
	for (size_t i = 0, end; !r && i < n; i = end) {
		struct str name = sorted[i]->package.req.name;

		for (end = i + 1; end < n && str_eq(sorted[end]->package.req.name, name); end++) {
		}
		r = end - i > 1 ? check_group(m, sorted + i, end - i, taken) : 0;
	}
	return r;
}

/* ---- the whole ---- */

static const struct requirements_entry *first_hashed(const struct requirements *all)
{
	for (size_t i = 0; i < all->wanted.n; i++) {
		if (all->wanted.v[i].has_hash_option) {
			return &all->wanted.v[i];
		}
	}
	return NULL;
}

/* pip: where one line has hashes, or the file says so, every one needs them. */
static int check_hashes(struct rows_maker *m)
{
	const struct requirements_entry *hashed = first_hashed(m->judge->all);

	if (!m->judge->needs_hashes) {
		return 0;
	}
	for (size_t i = 0; i < m->rows.n; i++) {
		const struct requirements_entry *entry = m->rows.v[i].entry;

		if (m->rows.v[i].decision.nhashes) {
			continue;
		}
		if (hashed) {
			err_set(m->err, RC_INVALID,
				"%.300s has no --hash, and %.300s (%.300s) has one",
				requirements_text_of(m->judge, entry),
				requirements_text_of(m->judge, hashed),
				requirements_line_name(m->judge, hashed, entry));
		} else {
			err_set(m->err, RC_INVALID,
				"%.300s has no --hash, and --require-hashes is given",
				requirements_text_of(m->judge, entry));
		}
		err_hint(m->err,
			"give it its --hash=sha256:..., or write --no-require-hashes into the "
			"file: then an index's word is taken for it");
		return requirements_wrap(entry, m->err);
	}
	return 0;
}

static void keep_rows(struct rows_maker *m)
{
	struct lock *l = m->l;
	struct lock_package *to = lock_add_packages(l, m->rows.n);

	for (size_t i = 0; i < m->rows.n; i++) {
		if (m->rows.v[i].package.ntargets) {
			*to++ = m->rows.v[i].package;
			l->npackages++;
		}
	}
}

/* They hold for what the lines need too. */
static void keep_constraints(struct rows_maker *m)
{
	struct lock *l = m->l;
	const struct requirements_list *from = &m->judge->all->constraints;
	struct lock_constraint *to = lock_add_constraints(l, from->n);

	for (size_t i = 0; i < from->n; i++) {
		to[i].req = from->v[i].req;
		to[i].where = str_of(arena_printf(&l->arena, "%.*s: line %u",
			STR_ARG(from->v[i].source->path), from->v[i].at.line));
		lock_spell(l, &to[i].req);
	}
	l->nconstraints += from->n;
}

int requirements_rows(struct lock *l, const struct requirements *all, struct err *e)
{
	CLEANUP(free)
	const struct requirements_entry **constraints =
		mem_array(all->constraints.n + 1, sizeof(*constraints));
	bool is_hashed = all->require_hashes || first_hashed(all);
	struct requirements_judge judge = { .l = l,
		.all = all,
		.constraints = constraints,
		.needs_hashes = is_hashed && !all->no_require_hashes,
		.err = e };
	struct rows_maker m = { .l = l, .judge = &judge, .err = e };
	int r = 0;

	requirements_judge_open(&judge);
	for (size_t i = 0; !r && i < all->wanted.n; i++) {
		r = make_rows(&m, &all->wanted.v[i]);
	}
	r = r ? r : check_groups(&m);
	r = r ? r : check_hashes(&m);
	if (!r) {
		keep_rows(&m);
		keep_constraints(&m);
		l->is_closed = judge.needs_hashes;
	}
	vec_release(&m.rows);
	return r;
}

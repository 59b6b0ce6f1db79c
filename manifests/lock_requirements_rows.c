/* requirements.txt, the rows: which line is for which target, at which version, with which digests.
 */
#include "manifests/lock_requirements.h"
#include "manifests/base/mem.h"
#include "manifests/base/uri.h"

#include <stdlib.h>
#include <string.h>

struct decision { /* what one line means for one target */
	const struct specifier *pin;
	const struct requirements_entry *pinned_by;
	const struct digest *hashes;
	size_t nhashes;
};

struct made_row {
	struct lock_package package;
	const struct requirements_entry *entry;
	struct decision decision;
	size_t order;
};

struct rows_maker {
	struct lock *l;
	const struct requirements *all;
	struct marker_env *env;                        /* of each target */
	const struct requirements_entry **constraints; /* by name */
	VEC(struct made_row) rows;
	struct err *err;
};

/* ---- messages ---- */

/* Puts the lines that include the entry's file before the text. */
static int wrap_entry(const struct requirements_entry *entry, struct err *e)
{
	lock_wrap(&entry->at, e);
	for (const struct requirements_source *s = entry->source; s->parent; s = s->parent) {
		err_wrap(e, "%.*s", STR_ARG(s->path));
		lock_wrap(&s->from, e);
	}
	return -(int)e->rc;
}

/* "line 3", or "line 3 of base.txt" where that is another file than `seen_from`. */
static const char *place_name(struct rows_maker *m, const struct requirements_entry *entry,
	const struct requirements_entry *seen_from)
{
	struct arena *a = &m->l->arena;

	if (entry->source == seen_from->source) {
		return arena_printf(a, "line %u", entry->at.line);
	}
	return arena_printf(a, "line %u of %.*s", entry->at.line, STR_ARG(entry->source->path));
}

/* The line as it is written, without passwords. */
static const char *entry_text(struct rows_maker *m, const struct requirements_entry *entry)
{
	struct str text = str_first(entry->at.text, 300);
	struct arena *a = &m->l->arena;
	size_t at = str_find(text, '@');
	bool is_named = !uri_scheme(text).n && at < text.n;
	struct str url = is_named ? str_trim(str_skip(text, at + 1)) : text;

	return arena_printf(
		a, "%.*s%s", is_named ? (int)(url.p - text.p) : 0, text.p, uri_redact(a, url));
}

static int refuse_pair(struct rows_maker *m, const struct requirements_entry *entry,
	const struct requirements_entry *other, const char *what, const struct target *t)
{
	err_set(m->err, RC_INVALID, "%.300s %s %.300s (%.300s) for the target %.*s",
		entry_text(m, entry), what, entry_text(m, other), place_name(m, other, entry),
		STR_ARG(t->name));
	return wrap_entry(entry, m->err);
}

/* ---- one line and one target ---- */

/* The one exact version that a set allows: "==" without a wildcard, or "===". */
static const struct specifier *pin_of(const struct specifier_set *set)
{
	for (size_t i = 0; i < set->n; i++) {
		const struct specifier *s = &set->v[i];
		bool is_exact = s->op == SPECIFIER_EQ || s->op == SPECIFIER_ARBITRARY;

		if (is_exact && !s->wildcard && s->version.nrelease) {
			return s;
		}
	}
	return NULL;
}

static int holds(
	struct rows_maker *m, const struct requirements_entry *entry, size_t target, bool *out)
{
	if (marker_decide(entry->req.marker, &m->env[target], NULL, 0, out, m->err)) {
		return wrap_entry(entry, m->err);
	}
	return 0;
}

/* "==2.11.0" and "==2.11.0+cu130" agree: the longer one is what both mean. */
static bool is_closer(const struct specifier *pin, const struct specifier *other)
{
	return other && pin->version.nlocal == 0 && other->version.nlocal &&
	       version_cmp_public(&pin->version, &other->version) == 0;
}

/* Digests that both promise. */
static int meet_hashes(struct rows_maker *m, const struct requirements_entry *entry,
	const struct requirements_entry *c, struct decision *d, const struct target *t)
{
	if (!c->nhashes || !d->nhashes) {
		d->hashes = c->nhashes ? c->hashes : d->hashes;
		d->nhashes += c->nhashes;
		return 0;
	}
	struct digest *both = arena_array(&m->l->arena, d->nhashes, sizeof(*both));
	size_t n = 0;
	for (size_t i = 0; i < d->nhashes; i++) {
		bool is_in = false;

		for (size_t k = 0; k < c->nhashes && !is_in; k++) {
			is_in = digest_eq(&d->hashes[i], &c->hashes[k]);
		}
		if (is_in) {
			both[n++] = d->hashes[i];
		}
	}
	if (n == 0) {
		return refuse_pair(m, entry, c, "shares no hash with", t);
	}
	d->hashes = both;
	d->nhashes = n;
	return 0;
}

static int constrain(struct rows_maker *m, const struct requirements_entry *entry,
	const struct requirements_entry *c, struct decision *d, const struct target *t)
{
	const struct specifier *other = pin_of(&c->req.specifiers);

	if (!d->pin || is_closer(d->pin, other)) {
		d->pinned_by = other ? c : d->pinned_by;
		d->pin = other ? other : d->pin;
	} else if (!is_closer(other ? other : d->pin, d->pin) &&
		   !specifier_contains(&c->req.specifiers, &d->pin->version)) {
		return refuse_pair(m, entry, c, "contradicts", t);
	}
	return meet_hashes(m, entry, c, d, t);
}

static int by_constraint(const void *a, const void *b)
{
	const struct requirements_entry *x = *(const struct requirements_entry *const *)a;
	const struct requirements_entry *y = *(const struct requirements_entry *const *)b;
	int order = str_cmp(x->req.name, y->req.name);

	return order ? order : (x > y) - (x < y);
}

/* The first constraint of that project, in the sorted list. */
static size_t first_constraint(const struct rows_maker *m, struct str name)
{
	size_t low = 0, high = m->all->constraints.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (str_cmp(m->constraints[middle]->req.name, name) < 0) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return low;
}

/* A line without "==" has its version from a constraint with one; all constraints must agree. */
static int decide(struct rows_maker *m, const struct requirements_entry *entry, size_t target,
	struct decision *d)
{
	const struct target *t = &m->l->targets[target];
	struct str name = entry->req.name;

	*d = (struct decision){ pin_of(&entry->req.specifiers), entry, entry->hashes,
		entry->nhashes };
	for (size_t i = first_constraint(m, name);
		i < m->all->constraints.n && str_eq(m->constraints[i]->req.name, name); i++) {
		bool does = false;

		if (holds(m, m->constraints[i], target, &does)) {
			return -(int)m->err->rc;
		}
		if (does && constrain(m, entry, m->constraints[i], d, t)) {
			return -(int)m->err->rc;
		}
	}
	if (!d->pin) {
		err_set(m->err, RC_INVALID, "%.300s leaves the version open", entry_text(m, entry));
		err_hint(m->err,
			"write one exact version (%.*s==...), or let `uv pip compile` or "
			"pip-compile write them all",
			STR_ARG(name));
		return wrap_entry(entry, m->err);
	}
	return 0;
}

/* The version that was found must fit all that the line and its constraints say. */
static int check_pin(struct rows_maker *m, const struct requirements_entry *entry,
	const struct decision *d, const struct target *t)
{
	if (d->pinned_by != entry && !is_closer(d->pin, pin_of(&entry->req.specifiers)) &&
		!specifier_contains(&entry->req.specifiers, &d->pin->version)) {
		return refuse_pair(m, entry, d->pinned_by, "contradicts", t);
	}
	if (d->pinned_by == entry &&
		!specifier_contains(&entry->req.specifiers, &d->pin->version)) {
		err_set(m->err, RC_INVALID, "%.300s contradicts itself", entry_text(m, entry));
		return wrap_entry(entry, m->err);
	}
	return 0;
}

/* ---- rows ---- */

static bool is_same_decision(const struct decision *a, const struct decision *b)
{
	return version_cmp(&a->pin->version, &b->pin->version) == 0 && a->nhashes == b->nhashes &&
	       (!a->nhashes || memcmp(a->hashes, b->hashes, a->nhashes * sizeof(*a->hashes)) == 0);
}

static int pin_package(struct rows_maker *m, const struct decision *d, struct lock_package *p)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct arena *a = &m->l->arena;

	buf_adds(&text, "==");
	version_format(&d->pin->version, &text);
	if (specifier_parse(a, arena_str(a, buf_str(&text)), &p->req.specifiers, m->err)) {
		return -(int)m->err->rc;
	}
	buf_clear(&text);
	requirement_format(&p->req, &text);
	p->req.raw = arena_str(a, buf_str(&text));
	return 0;
}

static int add_row(
	struct rows_maker *m, const struct requirements_entry *entry, const struct decision *d)
{
	struct arena *a = &m->l->arena;
	struct lock_package p = { .req = entry->req, .line = entry->at.line };

	p.req.marker = NULL;
	p.targets = arena_array(a, m->l->ntargets, sizeof(*p.targets));
	if (pin_package(m, d, &p)) {
		return wrap_entry(entry, m->err);
	}
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
	err_set(m->err, RC_UNSUPPORTED, "%.300s: is %s: it cannot be carried", entry_text(m, entry),
		entry->refused);
	requirements_hint_build(m->err);
	return wrap_entry(entry, m->err);
}

/* The rows of one line: one, unless constraints give its targets different versions. */
static int make_rows(struct rows_maker *m, const struct requirements_entry *entry)
{
	size_t first = m->rows.n;

	for (size_t i = 0; i < m->l->ntargets; i++) {
		struct decision d;
		bool does = false;
		size_t k = first;

		if (holds(m, entry, i, &does)) {
			return -(int)m->err->rc;
		}
		if (!does) {
			continue;
		}
		if (entry->refused) {
			return refuse_carry(m, entry);
		}
		if (decide(m, entry, i, &d) || check_pin(m, entry, &d, &m->l->targets[i])) {
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

/* A target takes one thing of a project; a line that says it once more says nothing. */
static int check_group(
	struct rows_maker *m, struct made_row **sorted, size_t n, struct made_row **taken)
{
	memset(taken, 0, m->l->ntargets * sizeof(struct made_row *));
	for (size_t i = 0; i < n; i++) {
		struct lock_package *p = &sorted[i]->package;
		size_t kept = 0;

		for (size_t k = 0; k < p->ntargets; k++) {
			size_t t = target_index(m->l, p->targets[k]);
			const struct made_row *old = taken[t];

			if (old && !is_same_thing(old, sorted[i])) {
				return refuse_pair(m, sorted[i]->entry, old->entry, "contradicts",
					&m->l->targets[t]);
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

/* pip: where one line has hashes, or the file says so, every one needs them. */
static int check_hashes(struct rows_maker *m)
{
	const struct requirements_entry *hashed = NULL;

	for (size_t i = 0; i < m->all->wanted.n && !hashed; i++) {
		hashed = m->all->wanted.v[i].has_hash_option ? &m->all->wanted.v[i] : NULL;
	}
	if (m->all->no_require_hashes || (!hashed && !m->all->require_hashes)) {
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
				entry_text(m, entry), entry_text(m, hashed),
				place_name(m, hashed, entry));
		} else {
			err_set(m->err, RC_INVALID,
				"%.300s has no --hash, and --require-hashes is given",
				entry_text(m, entry));
		}
		err_hint(m->err,
			"give it its --hash=sha256:..., or write --no-require-hashes into the "
			"file: then an index's word is taken for it");
		return wrap_entry(entry, m->err);
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

static void prepare(struct rows_maker *m)
{
	struct lock *l = m->l;

	m->env = arena_array(&l->arena, l->ntargets, sizeof(*m->env));
	for (size_t i = 0; i < l->ntargets; i++) {
		target_marker_env(&l->arena, &l->targets[i], &m->env[i]);
	}
	for (size_t i = 0; i < m->all->constraints.n; i++) {
		m->constraints[i] = &m->all->constraints.v[i];
	}
	qsort(m->constraints, m->all->constraints.n, sizeof(*m->constraints), by_constraint);
}

int requirements_rows(struct lock *l, const struct requirements *all, struct err *e)
{
	CLEANUP(free)
	const struct requirements_entry **constraints =
		mem_array(all->constraints.n + 1, sizeof(*constraints));
	struct rows_maker m = { .l = l, .all = all, .constraints = constraints, .err = e };
	int r = 0;

	prepare(&m);
	for (size_t i = 0; !r && i < all->wanted.n; i++) {
		r = make_rows(&m, &all->wanted.v[i]);
	}
	r = r ? r : check_groups(&m);
	r = r ? r : check_hashes(&m);
	if (!r) {
		keep_rows(&m);
	}
	vec_release(&m.rows);
	return r;
}

/* requirements.txt, one line and one target: does the line count for it, at which version, with
 * which digests? */
#include "manifests/lock_requirements.h"
#include "manifests/base/uri.h"

#include <stdlib.h>

/* ---- messages ---- */

int requirements_wrap(const struct requirements_entry *entry, struct err *e)
{
	lock_wrap(&entry->at, e);
	for (const struct requirements_source *s = entry->source; s->parent; s = s->parent) {
		err_wrap(e, "%.*s", STR_ARG(s->path));
		lock_wrap(&s->from, e);
	}
	return -(int)e->rc;
}

const char *requirements_line_name(struct requirements_judge *j,
	const struct requirements_entry *entry, const struct requirements_entry *seen_from)
{
	struct arena *a = &j->l->arena;

	if (entry->source == seen_from->source) {
		return arena_printf(a, "line %u", entry->at.line);
	}
	return arena_printf(a, "line %u of %.*s", entry->at.line, STR_ARG(entry->source->path));
}

const char *requirements_text_of(
	struct requirements_judge *j, const struct requirements_entry *entry)
{
	struct str text = str_first(entry->at.text, 300);
	struct arena *a = &j->l->arena;
	size_t at = str_find(text, '@');
	bool is_named = !uri_scheme(text).n && at < text.n;
	struct str url = is_named ? str_trim(str_skip(text, at + 1)) : text;

	return arena_printf(
		a, "%.*s%s", is_named ? (int)(url.p - text.p) : 0, text.p, uri_redact(a, url));
}

int requirements_refuse_pair(struct requirements_judge *j, const struct requirements_entry *entry,
	const struct requirements_entry *other, const char *what, const struct target *t)
{
	err_set(j->err, RC_INVALID, "%.300s %s %.300s (%.300s) for the target %.*s",
		requirements_text_of(j, entry), what, requirements_text_of(j, other),
		requirements_line_name(j, other, entry), STR_ARG(t->name));
	return requirements_wrap(entry, j->err);
}

/* ---- one line and one target ---- */

int requirements_holds(struct requirements_judge *j, const struct requirements_entry *entry,
	size_t target, bool *out)
{
	if (marker_decide(entry->req.marker, &j->env[target], NULL, 0, out, j->err)) {
		return requirements_wrap(entry, j->err);
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
static int meet_hashes(struct requirements_judge *j, const struct requirements_entry *entry,
	const struct requirements_entry *c, struct requirements_decision *d, const struct target *t)
{
	if (!c->nhashes || !d->nhashes) {
		d->hashes = c->nhashes ? c->hashes : d->hashes;
		d->nhashes += c->nhashes;
		return 0;
	}
	struct digest *both = arena_array(&j->l->arena, d->nhashes, sizeof(*both));
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
		return requirements_refuse_pair(j, entry, c, "shares no hash with", t);
	}
	d->hashes = both;
	d->nhashes = n;
	return 0;
}

/* The exact version is the line's own, or that of the first constraint with one. */
static void take_pin(const struct requirements_entry *c, struct requirements_decision *d)
{
	const struct specifier *other = lock_pin_of(&c->req.specifiers);

	if (other && (!d->pin || is_closer(d->pin, other))) {
		d->pin = other;
		d->pinned_by = c;
	}
}

static int constrain(struct requirements_judge *j, const struct requirements_entry *entry,
	const struct requirements_entry *c, struct requirements_decision *d, const struct target *t)
{
	const struct specifier *other = lock_pin_of(&c->req.specifiers);

	if (d->pin && !(other && is_closer(other, d->pin)) &&
		!specifier_contains(&c->req.specifiers, &d->pin->version)) {
		return requirements_refuse_pair(j, entry, c, "contradicts", t);
	}
	return meet_hashes(j, entry, c, d, t);
}

static int by_constraint(const void *a, const void *b)
{
	const struct requirements_entry *x = *(const struct requirements_entry *const *)a;
	const struct requirements_entry *y = *(const struct requirements_entry *const *)b;
	int order = str_cmp(x->req.name, y->req.name);

	return order ? order : (x > y) - (x < y);
}

/* The first constraint of that project, in the sorted list. */
static size_t first_constraint(const struct requirements_judge *j, struct str name)
{
	size_t low = 0, high = j->all->constraints.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (str_cmp(j->constraints[middle]->req.name, name) < 0) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return low;
}

static int refuse_open(struct requirements_judge *j, const struct requirements_entry *entry)
{
	err_set(j->err, RC_INVALID, "%.300s leaves the version open, and hashes are required",
		requirements_text_of(j, entry));
	err_hint(j->err,
		"write one exact version (%.*s==...), or let `uv pip compile` or pip-compile write "
		"them all",
		STR_ARG(entry->req.name));
	return requirements_wrap(entry, j->err);
}

/* The version that was found must fit all that the line says. */
static int check_pin(struct requirements_judge *j, const struct requirements_entry *entry,
	const struct requirements_decision *d, const struct target *t)
{
	if (d->pinned_by != entry && !is_closer(d->pin, lock_pin_of(&entry->req.specifiers)) &&
		!specifier_contains(&entry->req.specifiers, &d->pin->version)) {
		return requirements_refuse_pair(j, entry, d->pinned_by, "contradicts", t);
	}
	if (d->pinned_by == entry &&
		!specifier_contains(&entry->req.specifiers, &d->pin->version)) {
		err_set(j->err, RC_INVALID, "%.300s contradicts itself",
			requirements_text_of(j, entry));
		return requirements_wrap(entry, j->err);
	}
	return 0;
}

/* A line without "==" has its version from a constraint with one; all constraints must agree.
 * Without any the version stays open, unless hashes are required. */
int requirements_decide(struct requirements_judge *j, const struct requirements_entry *entry,
	size_t target, struct requirements_decision *d)
{
	const struct target *t = &j->l->targets[target];
	struct str name = entry->req.name;
	size_t first = first_constraint(j, name), end = first;
	bool does = false;

	*d = (struct requirements_decision){ lock_pin_of(&entry->req.specifiers), entry,
		entry->hashes, entry->nhashes };
	for (; end < j->all->constraints.n && str_eq(j->constraints[end]->req.name, name); end++) {
		if (requirements_holds(j, j->constraints[end], target, &does)) {
			return -(int)j->err->rc;
		}
		if (does) {
			take_pin(j->constraints[end], d);
		}
	}
	for (size_t i = first; i < end; i++) {
		if (requirements_holds(j, j->constraints[i], target, &does) ||
			(does && constrain(j, entry, j->constraints[i], d, t))) {
			return -(int)j->err->rc;
		}
	}
	if (!d->pin) {
		return j->needs_hashes ? refuse_open(j, entry) : 0;
	}
	return check_pin(j, entry, d, t);
}

void requirements_judge_open(struct requirements_judge *j)
{
	struct lock *l = j->l;

	j->env = arena_array(&l->arena, l->ntargets, sizeof(*j->env));
	for (size_t i = 0; i < l->ntargets; i++) {
		target_marker_env(&l->arena, &l->targets[i], &j->env[i]);
	}
	for (size_t i = 0; i < j->all->constraints.n; i++) {
		j->constraints[i] = &j->all->constraints.v[i];
	}
	qsort(j->constraints, j->all->constraints.n, sizeof(*j->constraints), by_constraint);
}

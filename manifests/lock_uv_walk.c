/* uv.lock: what one target needs. Breadth first from the roots over the edges whose markers hold
 * for it; the extras that edges ask for are united.
 *
 * Where the lock has conflicts, markers ask which extras are chosen, also those that edges choose
 * on the way. So there are two walks, as in uv: the first gathers them, the second uses them. */
#include "manifests/lock_uv.h"
#include "manifests/base/uri.h"
#include "manifests/base/vec.h"
#include "manifests/limits.h"

enum truth { UNKNOWN = 0, HOLDS, FAILS };

struct uv_step {
	struct uv_package *package;
	struct uv_node *node;
};

struct uv_walk {
	struct uv_lock *u;
	const struct target *target;
	struct marker_env env;
	unsigned number; /* of the walk: what is seen carries it */
	bool is_gathering;
	VEC(struct str) chosen; /* extras, groups and projects, as markers spell them */
	VEC(struct uv_step) queue;
	unsigned char *truth; /* of the markers that ask for no extras */
};

/* ---- what is chosen ---- */

static void choose(struct uv_walk *w, const char *what, struct str package, struct str item)
{
	if (w->u->nconflicts == 0) {
		return;
	}
	struct str name = uv_conflict_item(&w->u->l->arena, what, package, item);
	vec_each(struct str, s, &w->chosen) {
		if (str_eq(*s, name)) {
			return;
		}
	}
	vec_push(&w->chosen, name);
}

static bool is_chosen(const struct uv_walk *w, struct str item)
{
	vec_each(struct str, s, &w->chosen) {
		if (str_eq(*s, item)) {
			return true;
		}
	}
	return false;
}

static int check_conflicts(const struct uv_walk *w, struct err *e)
{
	for (size_t i = 0; i < w->u->nconflicts; i++) {
		const struct uv_conflict *set = &w->u->conflicts[i];
		struct str first = STR_NULL;

		for (size_t j = 0; j < set->nitems; j++) {
			if (!is_chosen(w, set->items[j])) {
				continue;
			}
			if (first.n) {
				lock_fail(set->at, e, RC_USAGE,
					"%.*s and %.*s exclude each other in this lock, the target "
					"%.*s would get both",
					STR_ARG(first), STR_ARG(set->items[j]),
					STR_ARG(w->target->name));
				return err_hint(e, "choose one of them with --extra and --group");
			}
			first = set->items[j];
		}
	}
	return 0;
}

/* ---- markers ---- */

static int ask(struct uv_walk *w, const struct toml *at, const struct uv_marker *m, bool *out,
	struct err *e)
{
	unsigned char *known = m ? &w->truth[m - w->u->markers] : NULL;

	if (!m || *known != UNKNOWN) {
		*out = !m || *known == HOLDS;
		return 0;
	}
	w->env.extras = w->chosen.v;
	w->env.nextras = w->chosen.n;
	if (marker_decide(m->tree, &w->env, NULL, 0, out, e)) {
		lock_wrap(at, e);
		return err_wrap(e, "the target %.*s", STR_ARG(w->target->name));
	}
	if (!m->has_extras) {
		*known = *out ? HOLDS : FAILS;
	}
	return 0;
}

static int is_fork_here(struct uv_walk *w, const struct uv_package *p, bool *out, struct err *e)
{
	*out = p->nforks == 0;
	for (size_t i = 0; i < p->nforks && !*out; i++) {
		if (ask(w, p->row, p->forks[i], out, e)) {
			return -(int)e->rc;
		}
	}
	return 0;
}

/* [manifest] names projects, not entries. */
static int find_fork(
	struct uv_walk *w, const struct uv_edge *edge, struct uv_package **out, struct err *e)
{
	size_t n = 0, found = 0;
	struct uv_package **list = uv_find(w->u, edge->name, &n);

	for (size_t i = 0; i < n; i++) {
		bool is_here = false;

		if (is_fork_here(w, list[i], &is_here, e)) {
			return -(int)e->rc;
		}
		if (is_here) {
			*out = list[i];
			found++;
		}
	}
	if (found == 1) {
		return 0;
	}
	lock_fail(edge->at, e, RC_INVALID,
		"%zu entries of the lock are the %.*s that the target %.*s needs", found,
		STR_ARG(edge->name), STR_ARG(w->target->name));
	return err_hint(e, "the lock was edited or cut: write it again with `uv lock`");
}

/* ---- the walk ---- */

static void reach(struct uv_walk *w, struct uv_package *p, struct uv_node *node)
{
	if (node->seen != w->number) {
		node->seen = w->number;
		vec_push(&w->queue, (struct uv_step){ p, node });
	}
}

static int follow(struct uv_walk *w, const struct uv_edge *edge, struct err *e)
{
	size_t before = w->chosen.n;
	struct uv_package *to = edge->to;
	bool holds = false;

	for (size_t i = 0; w->is_gathering && i < edge->extras.n; i++) {
		choose(w, "extra", edge->name, edge->extras.v[i]);
	}
	if (ask(w, edge->at, edge->marker, &holds, e)) {
		return -(int)e->rc;
	}
	if (!holds) {
		w->chosen.n = before;
		return 0;
	}
	if (!to && find_fork(w, edge, &to, e)) {
		return -(int)e->rc;
	}
	reach(w, to, &to->self);
	for (size_t i = 0; i < edge->extras.n; i++) {
		struct uv_node *extra = NULL;

		if (uv_extra(w->u, to, edge->extras.v[i], edge->at, &extra, e)) {
			return -(int)e->rc;
		}
		reach(w, to, extra);
	}
	return 0;
}

static int follow_all(struct uv_walk *w, const struct uv_node *node, struct err *e)
{
	for (size_t i = 0; i < node->nedges; i++) {
		if (follow(w, &node->edges[i], e)) {
			return -(int)e->rc;
		}
	}
	return 0;
}

static int follow_groups(struct uv_walk *w, struct uv_node *groups, struct err *e)
{
	for (size_t i = 0; i < w->u->chosen_groups.n; i++) {
		const struct uv_node *group = uv_node_of(groups, w->u->chosen_groups.v[i]);

		if (group && follow_all(w, group, e)) {
			return -(int)e->rc;
		}
	}
	return 0;
}

/* Also what has no dependencies in the lock excludes what it conflicts with. */
static void choose_of_root(struct uv_walk *w, const struct uv_package *root)
{
	const struct lock_options *o = w->u->options;

	choose(w, "project", root->name, STR_NULL);
	for (size_t i = 0; i < o->nextras; i++) {
		choose(w, "extra", root->name, o->extras[i]);
	}
	for (size_t i = 0; i < w->u->chosen_groups.n; i++) {
		choose(w, "group", root->name, w->u->chosen_groups.v[i]);
	}
}

static int start_at_root(struct uv_walk *w, struct uv_package *root, struct err *e)
{
	const struct lock_options *o = w->u->options;

	reach(w, root, &root->self);
	for (size_t i = 0; i < o->nextras; i++) {
		struct uv_node *extra = uv_node_of(root->extras, o->extras[i]);

		if (extra) {
			reach(w, root, extra);
		}
	}
	return follow_groups(w, root->groups, e);
}

static int walk(struct uv_walk *w, bool is_gathering, struct err *e)
{
	w->number = ++w->u->nwalks;
	w->is_gathering = is_gathering;
	w->queue.n = 0;
	for (size_t i = 0; i < w->u->nroots; i++) {
		if (start_at_root(w, w->u->roots[i], e)) {
			return -(int)e->rc;
		}
	}
	if (follow_all(w, &w->u->requirements, e) || follow_groups(w, w->u->groups, e)) {
		return -(int)e->rc;
	}
	for (size_t i = 0; i < w->queue.n; i++) {
		if (follow_all(w, w->queue.v[i].node, e)) {
			return -(int)e->rc;
		}
	}
	return 0;
}

/* ---- what came of it ---- */

static int refuse_source(const struct uv_walk *w, const struct uv_package *p, struct err *e)
{
	const char *place = uri_redact(&w->u->l->arena, p->place->text);

	lock_fail(p->row, e, RC_UNSUPPORTED,
		"%.*s is %s (%.200s), which a bundle cannot carry; the target %.*s needs it",
		STR_ARG(p->name), uv_obstacle(p), place, STR_ARG(w->target->name));
	return err_hint(e,
		"build a wheel of it and name that in the targets file ([[package]] name = "
		"\"%.*s\", url = \"file:///...\"), or leave it out there: [waive] %.*s = \"why\"",
		STR_ARG(p->name), STR_ARG(p->name));
}

/* Does the targets file bring the project for this target? */
static bool is_given(const struct uv_walk *w, struct str name)
{
	for (size_t i = 0; i < w->u->nother; i++) {
		const struct lock_package *p = &w->u->l->packages[i];

		if (p->use == LOCK_RUN && str_eq(p->req.name, name) &&
			lock_package_is_for(p, w->target) &&
			marker_eval(p->req.marker, &w->env, NULL, 0)) {
			return true;
		}
	}
	return false;
}

static bool is_same_extras(
	const struct uv_names *names, const struct uv_node *extras, unsigned number)
{
	size_t n = 0;

	for (; extras; extras = extras->next) {
		if (extras->seen == number &&
			(n == names->n || !str_eq(names->v[n++], extras->name))) {
			return false;
		}
	}
	return n == names->n;
}

static struct uv_row *add_row(struct uv_walk *w, struct uv_package *p)
{
	struct arena *a = &w->u->l->arena;
	struct uv_row *row = arena_alloc(a, sizeof(*row)), **end = &p->rows;
	size_t n = 0;

	for (const struct uv_node *x = p->extras; x; x = x->next) {
		n += x->seen == w->number;
	}
	*row = (struct uv_row){ .extras.v = arena_array(a, n, sizeof(*row->extras.v)),
		.targets = arena_array(a, w->u->l->ntargets, sizeof(*row->targets)) };
	for (const struct uv_node *x = p->extras; x; x = x->next) {
		if (x->seen == w->number) {
			row->extras.v[row->extras.n++] = x->name;
		}
	}
	while (*end) {
		end = &(*end)->next;
	}
	*end = row;
	return row;
}

static int take_package(struct uv_walk *w, struct uv_package *p, struct err *e)
{
	bool is_own = p->kind == UV_VIRTUAL || p->is_member;
	struct uv_row *row = p->rows;

	if (is_own || (uv_obstacle(p) && (is_given(w, p->name) ||
						 lock_waives(w->u->l, p->name, w->target->name)))) {
		return 0;
	}
	if (uv_obstacle(p)) {
		return refuse_source(w, p, e);
	}
	while (row && !is_same_extras(&row->extras, p->extras, w->number)) {
		row = row->next;
	}
	row = row ? row : add_row(w, p);
	row->targets[row->ntargets++] = w->target->name;
	return 0;
}

static int take_packages(struct uv_walk *w, struct err *e)
{
	const struct uv_package *last = NULL;
	size_t n = 0;

	for (size_t i = 0; i < w->u->npackages; i++) {
		struct uv_package *p = w->u->by_name[i];

		if (p->self.seen != w->number) {
			continue;
		}
		if (last && str_eq(last->name, p->name)) {
			lock_fail(p->row, e, RC_INVALID,
				"the target %.*s needs two entries of %.*s: this one and line %u",
				STR_ARG(w->target->name), STR_ARG(p->name), last->row->line);
			return err_hint(e, "the lock was edited or cut: write it again with `uv "
					   "lock`");
		}
		last = p;
		if (++n > LIMIT_CLOSURE) {
			return lock_fail(p->row, e, RC_LIMIT,
				"more than %d packages for the target %.*s", LIMIT_CLOSURE,
				STR_ARG(w->target->name));
		}
		if (take_package(w, p, e)) {
			return -(int)e->rc;
		}
	}
	return 0;
}

static int walk_twice(struct uv_walk *w, struct err *e)
{
	for (size_t i = 0; i < w->u->nroots; i++) {
		choose_of_root(w, w->u->roots[i]);
	}
	if (w->u->nconflicts && (walk(w, true, e) || check_conflicts(w, e))) {
		return -(int)e->rc;
	}
	return walk(w, false, e) ? -(int)e->rc : take_packages(w, e);
}

int uv_walk_target(struct uv_lock *u, const struct target *t, struct err *e)
{
	struct arena arena = ARENA_INIT;
	struct uv_walk w = { .u = u, .target = t };

	target_marker_env(&arena, t, &w.env);
	w.truth = arena_alloc(&arena, u->nmarkers);
	int r = walk_twice(&w, e);
	vec_release(&w.chosen);
	vec_release(&w.queue);
	arena_release(&arena);
	return r;
}

/* uv.lock, version 1: the head, what the user chose of it, and the rows that come of it. */
#include "manifests/lock_uv.h"

#include <inttypes.h>

enum { UV_VERSION = 1 };

/* ---- the head ---- */

/* Revisions of a version can be read by every reader of it: they add keys. */
static int read_version(const struct toml *root, struct err *e)
{
	uint64_t version = 0;

	if (toml_opt_u64(root, "version", &version, e)) {
		return -(int)e->rc;
	}
	if (version != UV_VERSION) {
		lock_fail(toml_get(root, "version"), e, RC_UNSUPPORTED,
			"a uv.lock of version %" PRIu64 "; this version of the program reads %d",
			version, UV_VERSION);
		return err_hint(e, "write it in another form: `uv export --format pylock.toml -o "
				   "pylock.toml`");
	}
	return 0;
}

/* ---- roots ---- */

/* The project whose folder the lock is in. */
static bool is_at_top(const struct uv_package *p)
{
	bool is_folder = p->kind == UV_VIRTUAL || p->kind == UV_EDITABLE || p->kind == UV_DIRECTORY;

	return is_folder && (p->place->text.n == 0 || str_is(p->place->text, "."));
}

/* uv names no members where the project at the top is the only one. */
static struct uv_package *find_top(struct uv_lock *u)
{
	for (size_t i = 0; i < u->npackages; i++) {
		if (is_at_top(&u->packages[i])) {
			u->packages[i].is_member = true;
			return &u->packages[i];
		}
	}
	return NULL;
}

static int refuse_member(struct uv_lock *u, struct str name, struct err *e)
{
	CLEANUP_BUF struct buf list = BUF_INIT;

	for (size_t i = 0; i < u->npackages && list.n < 400; i++) {
		if (u->packages[i].is_member) {
			buf_addf(&list, "%s%.*s", list.n ? ", " : "", STR_ARG(u->packages[i].name));
		}
	}
	return lock_fail(u->root, e, RC_USAGE, "no project \"%.*s\" in this lock; there are: %.*s",
		STR_ARG(str_first(name, 100)), STR_ARG(buf_str(&list)));
}

static int choose_members(struct uv_lock *u, struct err *e)
{
	const struct lock_options *o = u->options;

	for (size_t i = 0; i < o->nprojects; i++) {
		size_t n = 0;
		struct uv_package **list = uv_find(u, o->projects[i], &n);

		if (n != 1 || !list[0]->is_member) {
			return refuse_member(u, o->projects[i], e);
		}
		u->roots[u->nroots++] = list[0];
	}
	return 0;
}

/* As `uv sync` does: the project at the top, or where there is none every member. */
static int choose_roots(struct uv_lock *u, struct err *e)
{
	const struct lock_options *o = u->options;
	struct uv_package *top = find_top(u);

	u->roots = arena_array(&u->l->arena, u->npackages + o->nprojects, sizeof(*u->roots));
	if (o->nprojects) {
		return choose_members(u, e);
	}
	if (top && !o->all_projects) {
		u->roots[u->nroots++] = top;
		return 0;
	}
	for (size_t i = 0; i < u->npackages; i++) {
		if (u->packages[i].is_member) {
			u->roots[u->nroots++] = &u->packages[i];
		}
	}
	if (u->nroots == 0 && u->npackages && u->requirements.nedges == 0 && !u->groups) {
		lock_fail(u->root, e, RC_INVALID, "no package of this lock is its project");
		return err_hint(e, "the lock was edited or cut: write it again with `uv lock`");
	}
	return 0;
}

/* ---- extras and groups ---- */

/* Of an extra without dependencies only this is left. */
static bool is_declared(const struct uv_package *p, const char *key, struct str name)
{
	const struct toml *metadata = toml_get(p->row, "metadata");
	const struct toml *list =
		metadata && metadata->type == TOML_TABLE ? toml_get(metadata, key) : NULL;
	bool is_table = list && list->type == TOML_TABLE;

	if (!list || (!is_table && list->type != TOML_ARRAY)) {
		return false;
	}
	for (const struct toml *v = list->first; v; v = v->next) {
		if (str_eq(is_table ? v->key : v->text, name)) {
			return true;
		}
	}
	return false;
}

static void list_nodes(struct buf *out, const struct uv_node *list)
{
	for (; list && out->n < 400; list = list->next) {
		buf_addf(out, "%s%.*s", out->n ? ", " : "", STR_ARG(list->name));
	}
}

static int refuse_choice(const struct uv_lock *u, const char *what, struct str name,
	struct buf *known, struct err *e)
{
	if (known->n == 0) {
		return lock_fail(u->root, e, RC_USAGE,
			"there is no %s \"%.*s\": the project has none", what,
			STR_ARG(str_first(name, 100)));
	}
	return lock_fail(u->root, e, RC_USAGE, "there is no %s \"%.*s\"; there are: %.*s", what,
		STR_ARG(str_first(name, 100)), STR_ARG(buf_str(known)));
}

static int check_extra(const struct uv_lock *u, struct str name, struct err *e)
{
	CLEANUP_BUF struct buf known = BUF_INIT;

	for (size_t i = 0; i < u->nroots; i++) {
		if (uv_node_of(u->roots[i]->extras, name) ||
			is_declared(u->roots[i], "provides-extras", name)) {
			return 0;
		}
		list_nodes(&known, u->roots[i]->extras);
	}
	return refuse_choice(u, "extra", name, &known, e);
}

static bool is_group(const struct uv_lock *u, struct str name)
{
	for (size_t i = 0; i < u->nroots; i++) {
		if (uv_node_of(u->roots[i]->groups, name) ||
			is_declared(u->roots[i], "requires-dev", name)) {
			return true;
		}
	}
	return uv_node_of(u->groups, name) != NULL;
}

static int check_group(const struct uv_lock *u, struct str name, struct err *e)
{
	CLEANUP_BUF struct buf known = BUF_INIT;

	if (is_group(u, name)) {
		return 0;
	}
	for (size_t i = 0; i < u->nroots; i++) {
		list_nodes(&known, u->roots[i]->groups);
	}
	list_nodes(&known, u->groups);
	return refuse_choice(u, "dependency group", name, &known, e);
}

/* Which groups are default stands in pyproject.toml, not in the lock: uv's own default is dev. */
static int choose_groups(struct uv_lock *u, struct err *e)
{
	const struct lock_options *o = u->options;
	bool needs_dev = !o->no_default_groups && is_group(u, STR("dev"));

	for (size_t i = 0; i < o->nextras; i++) {
		if (check_extra(u, o->extras[i], e)) {
			return -(int)e->rc;
		}
	}
	u->chosen_groups.v = arena_array(&u->l->arena, o->ngroups + 1, sizeof(*u->chosen_groups.v));
	for (size_t i = 0; i < o->ngroups; i++) {
		if (check_group(u, o->groups[i], e)) {
			return -(int)e->rc;
		}
		u->chosen_groups.v[u->chosen_groups.n++] = o->groups[i];
		needs_dev = needs_dev && !str_is(o->groups[i], "dev");
	}
	if (needs_dev) {
		u->chosen_groups.v[u->chosen_groups.n++] = STR("dev");
	}
	return 0;
}

/* ---- is the lock for these targets? ---- */

static int check_python(struct uv_lock *u, const struct target *t,
	const struct specifier_set *python, struct err *e)
{
	struct arena *a = &u->l->arena;
	const struct toml *at = toml_get(u->root, "requires-python");
	struct marker_env env;
	struct version version;

	target_marker_env(a, t, &env);
	if (version_parse(a, env.value[MARKER_PYTHON_FULL_VERSION], &version, e)) {
		return -(int)e->rc;
	}
	if (specifier_contains(python, &version)) {
		return 0;
	}
	lock_fail(at, e, RC_INVALID, "the lock requires Python %.*s, the target %.*s has %.*s",
		STR_ARG(str_first(at->text, 200)), STR_ARG(t->name), STR_ARG(version.raw));
	return err_hint(e, "%s",
		t->python.has_patch
			? "lock for this Python too, or leave the target out"
			: "lock for this Python too, or leave the target out; where the "
			  "patch level matters, give it in the target");
}

/* `environments` of the project: for others nothing was resolved. required-markers only ask that
 * there be wheels for them. */
static int check_supported(struct uv_lock *u, const struct target *t, const struct marker **markers,
	size_t n, struct err *e)
{
	const struct toml *list = toml_get(u->root, "supported-markers");
	const struct toml *at = list ? list->first : NULL;
	struct marker_env env;
	bool holds = n == 0;

	target_marker_env(&u->l->arena, t, &env);
	for (size_t i = 0; i < n && !holds; i++, at = at->next) {
		if (marker_decide(markers[i], &env, NULL, 0, &holds, e)) {
			return lock_wrap(at, e);
		}
	}
	if (holds) {
		return 0;
	}
	lock_fail(list, e, RC_INVALID,
		"the lock is not for the target %.*s: none of its supported-markers holds there",
		STR_ARG(t->name));
	return err_hint(e, "add it to `environments` of the project and lock again, or leave the "
			   "target out");
}

static int check_targets(struct uv_lock *u, struct err *e)
{
	struct arena *a = &u->l->arena;
	const struct toml *list = toml_get(u->root, "supported-markers");
	struct specifier_set python = { .n = 0 };
	struct str text = STR_NULL, *texts = NULL;
	size_t n = 0;

	if (toml_opt_str(u->root, "requires-python", &text, e) ||
		toml_opt_strs(a, u->root, "supported-markers", false, &texts, &n, e)) {
		return -(int)e->rc;
	}
	if (specifier_parse(a, text, &python, e)) {
		return lock_wrap(toml_get(u->root, "requires-python"), e);
	}
	const struct marker **markers = arena_array(a, n, sizeof(*markers));
	for (size_t i = 0; i < n; i++) {
		if (marker_parse(a, texts[i], &markers[i], e)) {
			return lock_wrap(list, e);
		}
	}
	for (size_t i = 0; i < u->l->ntargets; i++) {
		if (check_python(u, &u->l->targets[i], &python, e) ||
			check_supported(u, &u->l->targets[i], markers, n, e)) {
			return -(int)e->rc;
		}
	}
	return 0;
}

/* ---- rows ---- */

static int read_pin(
	struct uv_lock *u, const struct uv_package *p, struct specifier_set *out, struct err *e)
{
	CLEANUP_BUF struct buf text = BUF_INIT;

	if (!p->has_version) {
		lock_fail(p->row, e, RC_INVALID, "the entry %.*s has no version", STR_ARG(p->name));
		return err_hint(e, "the lock was edited or cut: write it again with `uv lock`");
	}
	buf_adds(&text, "==");
	version_format(&p->version, &text);
	if (specifier_parse(&u->l->arena, arena_str(&u->l->arena, buf_str(&text)), out, e)) {
		return lock_wrap(toml_get(p->row, "version"), e);
	}
	return 0;
}

static int make_rows(
	struct uv_lock *u, const struct uv_package *p, struct lock_package *rows, struct err *e)
{
	struct lock_package row = { .line = p->row->line };

	if (read_pin(u, p, &row.req.specifiers, e) ||
		uv_files_read(u, p, &row.files, &row.nfiles, e)) {
		return -(int)e->rc;
	}
	row.req.name = p->name;
	for (const struct uv_row *r = p->rows; r; r = r->next) {
		CLEANUP_BUF struct buf raw = BUF_INIT;

		row.req.extras = r->extras.v;
		row.req.nextras = r->extras.n;
		row.targets = r->targets;
		row.ntargets = r->ntargets;
		requirement_format(&row.req, &raw);
		row.req.raw = arena_str(&u->l->arena, buf_str(&raw));
		*rows++ = row;
	}
	return 0;
}

static int add_rows(struct uv_lock *u, struct err *e)
{
	size_t n = 0;

	for (size_t i = 0; i < u->npackages; i++) {
		for (const struct uv_row *r = u->packages[i].rows; r; r = r->next) {
			n++;
		}
	}
	struct lock_package *rows = lock_add_packages(u->l, n);
	for (size_t i = 0; i < u->npackages; i++) {
		const struct uv_package *p = &u->packages[i];

		if (p->rows && make_rows(u, p, rows, e)) {
			return -(int)e->rc;
		}
		for (const struct uv_row *r = p->rows; r; r = r->next) {
			rows++;
			u->l->npackages++;
		}
	}
	return 0;
}

int lock_uv_read(
	struct lock *l, const struct toml *root, const struct lock_options *o, struct err *e)
{
	struct uv_lock u = { .l = l, .options = o, .root = root, .nother = l->npackages };

	if (read_version(root, e) || check_targets(&u, e) || uv_graph_read(&u, e) ||
		choose_roots(&u, e) || choose_groups(&u, e)) {
		return -(int)e->rc;
	}
	for (size_t i = 0; i < l->ntargets; i++) {
		if (uv_walk_target(&u, &l->targets[i], e)) {
			return -(int)e->rc;
		}
	}
	return add_rows(&u, e);
}

/* uv.lock: [[package]], [manifest] and `conflicts` as a graph, every edge leading to its entry. */
#include "manifests/lock_uv.h"
#include "manifests/base/vec.h"
#include "manifests/name.h"

struct uv_reader {
	struct uv_lock *u;
	VEC(struct uv_marker_use) uses;
};

/* ---- names ---- */

static int read_names(struct uv_lock *u, const struct toml *table, const char *key,
	struct uv_names *out, struct err *e)
{
	struct arena *a = &u->l->arena;
	struct str *list = NULL;
	size_t n = 0;

	if (toml_opt_strs(a, table, key, false, &list, &n, e)) {
		return -(int)e->rc;
	}
	for (size_t i = 0; i < n; i++) {
		if (lock_project(u->l, toml_get(table, key), list[i], &list[i], e)) {
			return -(int)e->rc;
		}
	}
	*out = (struct uv_names){ list, n };
	return 0;
}

static int order_names(const void *a, const void *b)
{
	const struct uv_package *x = *(struct uv_package *const *)a;
	const struct uv_package *y = *(struct uv_package *const *)b;
	int order = str_cmp(x->name, y->name);

	return order ? order : (x > y) - (x < y);
}

struct uv_package **uv_find(const struct uv_lock *u, struct str name, size_t *n)
{
	size_t low = 0, high = u->npackages;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (str_cmp(u->by_name[middle]->name, name) < 0) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	for (*n = 0; low + *n < u->npackages; ++*n) {
		if (!str_eq(u->by_name[low + *n]->name, name)) {
			break;
		}
	}
	return u->by_name + low;
}

/* ---- nodes ---- */

struct uv_node *uv_node_of(struct uv_node *list, struct str name)
{
	while (list && !str_eq(list->name, name)) {
		list = list->next;
	}
	return list;
}

/* Where a node of that name stands or belongs. */
static struct uv_node **place_of(struct uv_node **list, struct str name)
{
	while (*list && str_cmp((*list)->name, name) < 0) {
		list = &(*list)->next;
	}
	return list;
}

static struct uv_node *add_node(struct uv_lock *u, struct uv_node **list, struct str name)
{
	struct uv_node **place = place_of(list, name);

	if (*place && str_eq((*place)->name, name)) {
		return *place;
	}
	struct uv_node *node = arena_alloc(&u->l->arena, sizeof(*node));
	*node = (struct uv_node){ .name = name, .next = *place };
	*place = node;
	return node;
}

int uv_extra(struct uv_lock *u, struct uv_package *p, struct str name, const struct toml *at,
	struct uv_node **out, struct err *e)
{
	struct uv_node *have = uv_node_of(p->extras, name);

	if (!have && ++p->nadded > UV_EXTRAS_MAX) {
		return lock_fail(at, e, RC_LIMIT, "more than %d extras of %.*s", UV_EXTRAS_MAX,
			STR_ARG(p->name));
	}
	*out = have ? have : add_node(u, &p->extras, name);
	return 0;
}

/* ---- edges ---- */

/* Extras are called `extra` between packages and `extras` in [manifest]. */
static int read_edge(
	struct uv_reader *r, const struct toml *at, struct uv_edge *edge, struct err *e)
{
	struct uv_lock *u = r->u;
	struct str name = STR_NULL;

	edge->at = at;
	if (toml_need_str(at, "name", &name, e) ||
		lock_project(u->l, toml_get(at, "name"), name, &edge->name, e) ||
		read_names(u, at, toml_get(at, "extra") ? "extra" : "extras", &edge->extras, e) ||
		toml_opt_str(at, "marker", &edge->marker_text, e)) {
		return -(int)e->rc;
	}
	if (edge->marker_text.n) {
		vec_push(&r->uses, (struct uv_marker_use){ toml_get(at, "marker"),
					   edge->marker_text, &edge->marker });
	}
	return 0;
}

static int read_edges(struct uv_reader *r, const struct toml *table, const char *key,
	struct uv_node *node, struct err *e)
{
	const struct toml *first = NULL, *list = toml_get(table, key);

	if (toml_opt_tables(table, key, &first, e)) {
		return -(int)e->rc;
	}
	node->edges = arena_array(&r->u->l->arena, list ? list->count : 0, sizeof(*node->edges));
	for (const struct toml *at = first; at; at = at->next) {
		if (read_edge(r, at, &node->edges[node->nedges], e)) {
			return -(int)e->rc;
		}
		node->nedges++;
	}
	return 0;
}

/* A table of lists: the extras, or the dependency groups. */
static int read_nodes(struct uv_reader *r, const struct toml *table, const char *key,
	struct uv_node **out, struct err *e)
{
	const struct toml *lists = NULL;

	if (toml_opt_table(table, key, &lists, e)) {
		return -(int)e->rc;
	}
	for (const struct toml *at = lists ? lists->first : NULL; at; at = at->next) {
		struct str name = STR_NULL;

		if (lock_project(r->u->l, at, at->key, &name, e)) {
			return -(int)e->rc;
		}
		struct uv_node *node = add_node(r->u, out, name);
		if (node->nedges) {
			return lock_fail_key(
				at, e, RC_INVALID, "\"%.*s\" stands twice", STR_ARG(name));
		}
		if (read_edges(r, lists, arena_dup(&r->u->l->arena, at->key), node, e)) {
			return -(int)e->rc;
		}
	}
	return 0;
}

/* ---- [[package]] ---- */

static int read_source(struct uv_package *p, struct err *e)
{
	static const struct {
		const char *key;
		enum uv_source kind;
	} kinds[] = { { "registry", UV_REGISTRY }, { "git", UV_GIT }, { "url", UV_URL },
		{ "path", UV_PATH }, { "directory", UV_DIRECTORY }, { "editable", UV_EDITABLE },
		{ "virtual", UV_VIRTUAL } };
	struct str unused = STR_NULL;

	if (toml_opt_table(p->row, "source", &p->source, e)) {
		return -(int)e->rc;
	}
	for (size_t i = 0; p->source && i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (!toml_get(p->source, kinds[i].key)) {
			continue;
		}
		p->kind = kinds[i].kind;
		p->place = toml_get(p->source, kinds[i].key);
		return toml_opt_str(p->source, kinds[i].key, &unused, e);
	}
	lock_fail(p->source ? p->source : p->row, e, RC_UNSUPPORTED,
		"the entry %.*s has no source that is known", STR_ARG(p->name));
	return err_hint(e, "write the lock in another form: `uv export --format pylock.toml`");
}

static int read_forks(struct uv_reader *r, struct uv_package *p, struct err *e)
{
	struct arena *a = &r->u->l->arena;
	const struct toml *list = toml_get(p->row, "resolution-markers");
	const struct toml *at = list ? list->first : NULL;
	struct str *texts = NULL;

	if (toml_opt_strs(a, p->row, "resolution-markers", false, &texts, &p->nforks, e)) {
		return -(int)e->rc;
	}
	p->forks = arena_array(a, p->nforks, sizeof(*p->forks));
	for (size_t i = 0; i < p->nforks; i++, at = at->next) {
		vec_push(&r->uses, (struct uv_marker_use){ at, texts[i], &p->forks[i] });
	}
	return 0;
}

static int read_package(
	struct uv_reader *r, const struct toml *row, struct uv_package *p, struct err *e)
{
	struct lock *l = r->u->l;
	struct str name = STR_NULL, version = STR_NULL;

	p->row = row;
	if (toml_need_str(row, "name", &name, e) ||
		lock_project(l, toml_get(row, "name"), name, &p->name, e) ||
		toml_opt_str(row, "version", &version, e) || read_source(p, e)) {
		return -(int)e->rc;
	}
	p->has_version = toml_get(row, "version") != NULL;
	if (p->has_version && version_parse(&l->arena, version, &p->version, e)) {
		return lock_wrap(toml_get(row, "version"), e);
	}
	if (read_forks(r, p, e) || read_edges(r, row, "dependencies", &p->self, e) ||
		read_nodes(r, row, "optional-dependencies", &p->extras, e) ||
		read_nodes(r, row, "dev-dependencies", &p->groups, e)) {
		return -(int)e->rc;
	}
	return 0;
}

static int read_packages(struct uv_reader *r, struct err *e)
{
	struct uv_lock *u = r->u;
	const struct toml *first = NULL, *list = toml_get(u->root, "package");
	size_t n = list ? list->count : 0;

	if (toml_opt_tables(u->root, "package", &first, e)) {
		return -(int)e->rc;
	}
	u->packages = arena_array(&u->l->arena, n, sizeof(*u->packages));
	u->by_name = arena_array(&u->l->arena, n, sizeof(*u->by_name));
	for (const struct toml *row = first; row; row = row->next) {
		if (read_package(r, row, &u->packages[u->npackages], e)) {
			return -(int)e->rc;
		}
		u->by_name[u->npackages] = &u->packages[u->npackages];
		u->npackages++;
	}
	if (n) {
		qsort(u->by_name, n, sizeof(*u->by_name), order_names);
	}
	return 0;
}

/* ---- which entry an edge means ---- */

/* Each of the keys that the edge gives of it; uv writes all of them. */
static bool is_source(const struct toml *given, const struct toml *have)
{
	for (const struct toml *v = given->first; v; v = v->next) {
		const struct toml *w = have->first;

		while (w && !(str_eq(v->key, w->key) && v->type == w->type &&
				    str_eq(v->text, w->text))) {
			w = w->next;
		}
		if (!w) {
			return false;
		}
	}
	return true;
}

/* uv leaves out what follows from the name alone. */
static int find_entry(struct uv_lock *u, struct uv_edge *edge, struct err *e)
{
	const struct toml *source = NULL, *at = toml_get(edge->at, "version");
	struct str text = STR_NULL;
	struct version version = { .nrelease = 0 };
	size_t n = 0, found = 0;

	if (toml_opt_table(edge->at, "source", &source, e) ||
		toml_opt_str(edge->at, "version", &text, e)) {
		return -(int)e->rc;
	}
	if (at && version_parse(&u->l->arena, text, &version, e)) {
		return lock_wrap(at, e);
	}
	struct uv_package **list = uv_find(u, edge->name, &n);
	for (size_t i = 0; i < n; i++) {
		struct uv_package *p = list[i];

		if ((at && (!p->has_version || version_cmp(&p->version, &version) != 0)) ||
			(source && !is_source(source, p->source))) {
			continue;
		}
		edge->to = p;
		found++;
	}
	if (found == 1) {
		return 0;
	}
	lock_fail(edge->at, e, RC_INVALID,
		"%zu entries of the lock are the %.*s that is meant here", found,
		STR_ARG(edge->name));
	return err_hint(e, "the lock was edited or cut: write it again with `uv lock`");
}

static int link_nodes(struct uv_lock *u, struct uv_node *list, struct err *e)
{
	for (; list; list = list->next) {
		for (size_t i = 0; i < list->nedges; i++) {
			if (find_entry(u, &list->edges[i], e)) {
				return -(int)e->rc;
			}
		}
	}
	return 0;
}

static int link_packages(struct uv_lock *u, struct err *e)
{
	for (size_t i = 0; i < u->npackages; i++) {
		struct uv_package *p = &u->packages[i];

		if (link_nodes(u, &p->self, e) || link_nodes(u, p->extras, e) ||
			link_nodes(u, p->groups, e)) {
			return -(int)e->rc;
		}
	}
	return 0;
}

/* ---- [manifest] ---- */

static int read_members(struct uv_lock *u, const struct toml *manifest, struct err *e)
{
	struct uv_names members = { .n = 0 };

	if (read_names(u, manifest, "members", &members, e)) {
		return -(int)e->rc;
	}
	for (size_t i = 0; i < members.n; i++) {
		size_t n = 0;
		struct uv_package **list = uv_find(u, members.v[i], &n);

		if (n != 1) {
			lock_fail(toml_get(manifest, "members"), e, RC_INVALID,
				"the member %.*s has %zu entries in the lock",
				STR_ARG(members.v[i]), n);
			return err_hint(
				e, "the lock was edited or cut: write it again with `uv lock`");
		}
		list[0]->is_member = true;
	}
	return 0;
}

static int read_manifest(struct uv_reader *r, struct err *e)
{
	const struct toml *manifest = NULL;

	if (toml_opt_table(r->u->root, "manifest", &manifest, e)) {
		return -(int)e->rc;
	}
	if (!manifest) {
		return 0;
	}
	if (read_members(r->u, manifest, e) ||
		read_edges(r, manifest, "requirements", &r->u->requirements, e)) {
		return -(int)e->rc;
	}
	return read_nodes(r, manifest, "dependency-groups", &r->u->groups, e);
}

/* ---- conflicts ---- */

/* As uv spells it: the kind, the length of the project's name, the name, the item's. */
struct str uv_conflict_item(struct arena *a, const char *what, struct str package, struct str item)
{
	return str_of(arena_printf(a, "%s-%zu-%.*s%s%.*s", what, package.n, STR_ARG(package),
		item.n ? "-" : "", STR_ARG(item)));
}

static int read_conflict_item(
	struct uv_lock *u, const struct toml *at, struct str *out, struct err *e)
{
	struct str package = STR_NULL, item = STR_NULL;
	const char *what = toml_get(at, "extra") ? "extra" : "group";
	const struct toml *named = toml_get(at, what);

	if (toml_need_str(at, "package", &package, e) || toml_opt_str(at, what, &item, e) ||
		lock_project(u->l, toml_get(at, "package"), package, &package, e)) {
		return -(int)e->rc;
	}
	if (named && lock_project(u->l, named, item, &item, e)) {
		return -(int)e->rc;
	}
	*out = uv_conflict_item(&u->l->arena, named ? what : "project", package, item);
	return 0;
}

static int read_conflict(
	struct uv_lock *u, const struct toml *set, struct uv_conflict *out, struct err *e)
{
	if (set->type != TOML_ARRAY) {
		return lock_fail(set, e, RC_SYNTAX, "conflicts is a list of lists");
	}
	out->at = set;
	out->items = arena_array(&u->l->arena, set->count, sizeof(*out->items));
	for (const struct toml *at = set->first; at; at = at->next) {
		if (at->type != TOML_TABLE) {
			return lock_fail(at, e, RC_SYNTAX, "an item of a conflict is a table");
		}
		if (read_conflict_item(u, at, &out->items[out->nitems], e)) {
			return -(int)e->rc;
		}
		out->nitems++;
	}
	return 0;
}

static int read_conflicts(struct uv_lock *u, struct err *e)
{
	const struct toml *list = toml_get(u->root, "conflicts");

	if (list && list->type != TOML_ARRAY) {
		return lock_fail(list, e, RC_SYNTAX, "conflicts is a list of lists");
	}
	u->conflicts = arena_array(&u->l->arena, list ? list->count : 0, sizeof(*u->conflicts));
	for (const struct toml *set = list ? list->first : NULL; set; set = set->next) {
		if (read_conflict(u, set, &u->conflicts[u->nconflicts], e)) {
			return -(int)e->rc;
		}
		u->nconflicts++;
	}
	return 0;
}

int uv_graph_read(struct uv_lock *u, struct err *e)
{
	struct uv_reader r = { .u = u };
	int rc = read_packages(&r, e);

	rc = rc ? rc : read_manifest(&r, e);
	rc = rc ? rc : link_packages(u, e);
	rc = rc ? rc : read_conflicts(u, e);
	rc = rc ? rc : uv_markers_read(u, r.uses.v, r.uses.n, e);
	vec_release(&r.uses);
	return rc;
}

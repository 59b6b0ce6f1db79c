#include "bundle/universe_private.h"
#include "manifests/build_limit.h"

#include <string.h>

/* ---- projects ---- */

bool universe_is_dropped(const struct universe *u, struct str project)
{
	for (size_t i = 0; i < u->options->ndropped; i++) {
		if (str_eq(u->options->dropped[i], project)) {
			return true;
		}
	}
	return false;
}

/* Rows of the lock that ask for the project here. Those of a build environment's are rows for builds. */
static bool is_row_of(const struct universe *u, const struct lock_package *row, struct str project)
{
	return str_eq(row->req.name, project) && lock_package_is_for(row, u->target->t) &&
	       (row->use == LOCK_BUILD) == u->options->is_build &&
	       marker_eval(row->req.marker, &u->target->env, NULL, 0);
}

static void read_policy(struct universe *u, struct universe_project *p)
{
	const struct lock *l = u->library->lock;
	const struct lock_source *source = lock_source_of(l, p->name);
	struct version *pins = arena_array(u->a, l->npackages, sizeof(*pins));

	p->policy.torch_style = source ? source->source.names : VARIANT_TORCH_ANY;
	p->policy.pins = pins;
	for (size_t i = 0; i < l->npackages; i++) {
		const struct lock_package *row = &l->packages[i];
		const struct specifier *pin = lock_package_pin(row);

		if (!is_row_of(u, row, p->name)) {
			continue;
		}
		if (pin && pin->version.nrelease) {
			pins[p->policy.npins++] = pin->version;
		}
		if (row->nhashes) {
			p->policy.hashes = row->hashes;
			p->policy.nhashes = row->nhashes;
		}
		p->policy.url = row->url.n ? row->url : p->policy.url;
	}
}

/* The file that a row names by URL instead of what the index has. */
static struct library_page *page_of_url(struct universe *u, struct universe_project *p)
{
	struct library *l = u->library;
	struct index_file f = { .url = arena_dup(l->a, p->policy.url), .source = arena_dup(l->a, l->lock->path) };
	struct err ignored = ERR_INIT;
	struct str file = STR_NULL;

	for (size_t i = 0; i < l->lock->npackages; i++) {
		if (is_row_of(u, &l->lock->packages[i], p->name) && l->lock->packages[i].url.n) {
			file = l->lock->packages[i].file;
		}
	}
	bool is_read = dist_name_parse(l->a, file, &f.name, &ignored) == 0;
	return library_add_page(l, p->name, &f, is_read, f.source);
}

/* A container's torch stands on no index, and no other may take its place: it is there already. */
static void give_torch(struct universe *u, struct universe_project *p)
{
	struct candidates *c = &p->candidates;

	if (str_is(p->name, "torch") && u->target->has_torch && c->n == 0 &&
		target_torch_kind(u->target->t) > TORCH_RELEASE) {
		p->is_given = true;
		c->v[c->n++] = (struct candidate){ .version = &u->target->torch, .file = SIZE_MAX };
	}
}

static void add_limit(struct universe *u, struct universe_project *p, const struct requirement *req,
	const char *text)
{
	vec_push(&p->limits, (struct solve_limit){ .text = str_of(text),
		.allowed = universe_admitted(u, p, &req->specifiers, STR_NULL) });
}

static void add_fixed(struct universe *u, struct universe_project *p)
{
	for (size_t i = 0; i < u->options->nfixed; i++) {
		const struct universe_favour *f = &u->options->fixed[i];
		struct bits only = bits_new(u->a, p->candidates.n);

		if (!str_eq(f->project, p->name)) {
			continue;
		}
		for (size_t j = 0; j < p->candidates.n; j++) {
			if (version_cmp(p->candidates.v[j].version, f->version) == 0) {
				bits_add(&only, j);
			}
		}
		vec_push(&p->limits, (struct solve_limit){ .allowed = only,
			.text = str_of(arena_printf(u->a, "the target's own %.*s %.*s", STR_ARG(p->name),
				STR_ARG(f->version->raw))) });
	}
}

/* What the target's torch cannot be built against; the lock may know better. */
static void add_ceilings(struct universe *u, struct universe_project *p)
{
	struct build_limit limits[BUILD_LIMITS_MAX];
	size_t n = build_limits(u->target->t, limits);

	for (size_t i = 0; i < n; i++) {
		struct requirement req = { .name = p->name };
		struct err ignored = ERR_INIT; /* our own table */

		if (str_eq(limits[i].project, p->name) &&
			specifier_parse(u->a, limits[i].specifiers, &req.specifiers, &ignored) == 0) {
			req.raw = str_of(arena_printf(u->a, "%.*s%.*s", STR_ARG(p->name),
				STR_ARG(limits[i].specifiers)));
			add_limit(u, p, &req, arena_printf(u->a, "%.*s (%.*s)", STR_ARG(req.raw),
				STR_ARG(limits[i].reason)));
		}
	}
}

static void add_built(struct universe *u, struct universe_project *p)
{
	for (size_t i = 0; u->options->built && i < p->candidates.n; i++) {
		const struct index_file *f = universe_file(p, i);

		if (f && strcmp(f->url, u->options->built) == 0) {
			struct bits others = bits_new(u->a, p->candidates.n);

			bits_fill(&others);
			bits_drop(&others, i);
			vec_push(&p->limits, (struct solve_limit){ .allowed = others,
				.text = STR("what is not built yet") });
		}
	}
}

static void read_limits(struct universe *u, struct universe_project *p)
{
	const struct lock *l = u->library->lock;
	bool knows_better = !u->options->is_build || lock_override_of(l, p->name);

	for (size_t i = 0; i < l->nconstraints; i++) {
		const struct lock_constraint *c = &l->constraints[i];

		if (str_eq(c->req.name, p->name) && c->is_build == u->options->is_build &&
			marker_eval(c->req.marker, &u->target->env, NULL, 0)) {
			knows_better = true;
			add_limit(u, p, &c->req, arena_printf(u->a, "the constraint %.*s (%.*s)",
				STR_ARG(c->req.raw), STR_ARG(c->where)));
		}
	}
	for (size_t i = 0; u->options->is_build && i < l->npackages; i++) {
		const struct lock_package *row = &l->packages[i];

		if (is_row_of(u, row, p->name)) {
			add_limit(u, p, &row->req, arena_printf(u->a, "the lock's %.*s (line %u)",
				STR_ARG(row->req.raw), row->line));
		}
	}
	if (!knows_better) {
		add_ceilings(u, p);
	}
	add_fixed(u, p);
	add_built(u, p);
}

struct universe_project *universe_project(const struct universe *u, struct str project)
{
	size_t *at = map_get(&u->project_of, project);

	return at ? u->projects.v[*at] : NULL;
}

struct universe_project *universe_open_project(struct universe *u, struct str name)
{
	struct universe_project *p = universe_project(u, name);

	if (p) {
		return p;
	}
	p = arena_alloc(u->a, sizeof(*p));
	p->name = name;
	read_policy(u, p);
	p->page = p->policy.url.n ? page_of_url(u, p) : library_page(u->library, u->target->t, name);
	candidates_of(u->target, &p->policy, &p->page->project, u->a, &p->candidates);
	give_torch(u, p);
	map_put(&u->project_of, name, u->projects.n);
	vec_push(&u->projects, p);
	read_limits(u, p);
	return p;
}

size_t universe_name(struct universe *u, struct str project, struct str extra)
{
	struct str key = extra.n ? str_of(arena_printf(u->a, "%.*s[%.*s]", STR_ARG(project), STR_ARG(extra)))
				 : project;
	size_t *known = map_get(&u->name_of, key);

	if (known) {
		return *known;
	}
	universe_open_project(u, project);
	map_put(&u->name_of, key, u->names.n);
	vec_push(&u->names, (struct universe_name){ .project = *map_get(&u->project_of, project),
					    .extra = extra });
	return u->names.n - 1;
}

const struct index_file *universe_file(const struct universe_project *p, size_t candidate)
{
	size_t file = p->candidates.v[candidate].file;

	return file == SIZE_MAX ? NULL : &p->page->project.files[file];
}

/* ---- the world that the solver asks ---- */

static size_t favoured(const struct universe *u, const struct universe_project *p)
{
	for (size_t i = 0; i < u->options->nfavours; i++) {
		const struct universe_favour *f = &u->options->favours[i];

		for (size_t j = p->candidates.n; str_eq(f->project, p->name) && j-- > 0;) {
			/* The same version, in the variant that is best for this target. */
			if (version_cmp_public(p->candidates.v[j].version, f->version) == 0) {
				return j;
			}
		}
	}
	return SIZE_MAX;
}

static int open_name(void *context, size_t name, struct solve_name *out, struct err *e)
{
	struct universe *u = context;
	const struct universe_project *p = u->projects.v[u->names.v[name].project];

	(void)e;
	*out = (struct solve_name){ .ncandidates = p->candidates.n, .favoured = favoured(u, p),
		.limits = p->limits.v, .nlimits = p->limits.n };
	return 0;
}

static struct str name_text(void *context, size_t name)
{
	struct universe *u = context;
	const struct universe_name *n = &u->names.v[name];
	struct str project = u->projects.v[n->project]->name;

	return n->extra.n ? str_of(arena_printf(u->a, "%.*s[%.*s]", STR_ARG(project), STR_ARG(n->extra)))
			  : project;
}

static struct str candidate_text(void *context, struct solve_candidate c)
{
	struct universe *u = context;
	CLEANUP_BUF struct buf b = BUF_INIT;

	version_format(u->projects.v[u->names.v[c.name].project]->candidates.v[c.number].version, &b);
	return arena_str(u->a, buf_str(&b));
}

/* ---- what is asked for ---- */

static int read_root_pages(struct universe *u, struct err *e)
{
	const struct universe_options *o = u->options;
	struct str *names = arena_array(u->a, o->nroots, sizeof(*names));
	size_t n = 0;

	for (size_t i = 0; i < o->nroots; i++) {
		const struct universe_root *root = &o->roots[i];

		if (!universe_is_dropped(u, root->req->name) && !(root->row && root->row->url.n)) {
			names[n++] = root->req->name;
		}
	}
	return library_read_pages(u->library, u->target->t, names, n, e);
}

static struct solve_need *root_needs(struct universe *u, size_t *n, size_t **root_of)
{
	const struct universe_options *o = u->options;
	struct solve_need *needs;
	size_t count = 0;

	for (size_t i = 0; i < o->nroots; i++) {
		count += 1 + o->roots[i].req->nextras;
	}
	needs = arena_array(u->a, count, sizeof(*needs));
	*root_of = arena_array(u->a, count, sizeof(**root_of));
	*n = 0;
	for (size_t i = 0; i < o->nroots; i++) {
		const struct requirement *req = o->roots[i].req;

		if (universe_is_dropped(u, req->name)) {
			continue;
		}
		for (size_t j = 0; j <= req->nextras; j++) {
			size_t name = universe_name(u, req->name, j ? req->extras[j - 1] : STR_NULL);
			struct universe_project *p = universe_project(u, req->name);

			(*root_of)[*n] = i;
			needs[(*n)++] = (struct solve_need){ .name = name, .text = str_of(o->roots[i].text),
				.allowed = universe_admits(u, p, req) };
		}
	}
	return needs;
}

/* The proof speaks of needs; its reader of what was asked for. */
static void name_roots(struct solve_result *r, const size_t *root_of)
{
	size_t n = 0;

	for (size_t i = 0; i < r->nroots; i++) {
		size_t root = root_of[r->roots[i]];

		if (n == 0 || r->roots[n - 1] != root) {
			r->roots[n++] = root;
		}
	}
	r->nroots = n;
}

int universe_solve(struct universe *u, struct library *library, struct target_view *target,
	const struct universe_options *options, struct arena *a, struct solve_result *out, struct err *e)
{
	const struct solve_world world = { .context = u, .open = open_name, .needs = universe_needs,
		.name_text = name_text, .candidate_text = candidate_text, .empty_text = universe_empty_text };
	size_t *root_of = NULL, n = 0;

	*u = (struct universe){ .library = library, .target = target, .options = options, .a = a };
	struct universe_project *nothing = arena_alloc(a, sizeof(*nothing));
	vec_push(&u->projects, nothing);
	vec_push(&u->names, (struct universe_name){ .project = 0 });
	int r = read_root_pages(u, e);
	if (!r) {
		struct solve_need *needs = root_needs(u, &n, &root_of);

		r = solve(&world, needs, n, a, out, e);
	}
	if (!r && !out->is_solved) {
		name_roots(out, root_of);
	}
	return r;
}

void universe_release(struct universe *u)
{
	vec_each(struct universe_project *, p, &u->projects) {
		map_release(&(*p)->needs);
		vec_release(&(*p)->asked);
		vec_release(&(*p)->limits);
	}
	map_release(&u->project_of);
	map_release(&u->name_of);
	vec_release(&u->projects);
	vec_release(&u->names);
}

static size_t *base_name(const struct universe *u, const struct solve_result *r, struct str project)
{
	size_t *name = map_get(&u->name_of, project);

	return name && *name < r->nnames && r->chosen[*name] != SIZE_MAX ? name : NULL;
}

const struct candidate *universe_choice(const struct universe *u, const struct solve_result *r, struct str project)
{
	size_t *name = base_name(u, r, project);

	return name ? &universe_project(u, project)->candidates.v[r->chosen[*name]] : NULL;
}

const struct bits *universe_allowed(const struct universe *u, const struct solve_result *r, struct str project)
{
	size_t *name = base_name(u, r, project);

	return name ? &r->allowed[*name] : NULL;
}

#include "bundle/resolver.h"

#include <string.h>

void plan_release(struct plan *p)
{
	arena_release(&p->arena);
	*p = (struct plan)PLAN_INIT;
}

/* ---- targets and rows ---- */

static bool is_selected(const struct resolver *v, struct str name)
{
	for (size_t i = 0; i < v->options->ntargets; i++) {
		if (str_eq(v->options->targets[i], name)) {
			return true;
		}
	}
	return v->options->ntargets == 0;
}

static int select_targets(struct resolver *v, struct err *e)
{
	const struct lock *l = v->lock;

	for (size_t i = 0; i < v->options->ntargets; i++) {
		if (!lock_target(l, v->options->targets[i])) {
			return err_set(e, RC_NOT_FOUND, "%.*s: no target \"%.*s\"", STR_ARG(l->path),
				STR_ARG(v->options->targets[i]));
		}
	}
	v->targets = arena_array(v->a, l->ntargets, sizeof(*v->targets));
	for (size_t i = 0; i < l->ntargets; i++) {
		if (is_selected(v, l->targets[i].name)) {
			int r = target_view_init(v->a, &l->targets[i], &v->targets[v->ntargets++].view, e);

			if (r) {
				return r;
			}
		}
	}
	return 0;
}

int resolver_is_meant(const struct resolver *v, const struct lock_package *row, const struct resolver_target *t,
	bool *out, struct err *e)
{
	*out = false;
	if (!lock_package_is_for(row, t->view.t)) {
		return 0;
	}
	int r = marker_decide(row->req.marker, &t->view.env, NULL, 0, out, e);
	return r ? err_wrap(e, "%.*s: line %u: target %.*s", STR_ARG(v->lock->path), row->line,
			   STR_ARG(t->view.t->name))
		 : 0;
}

/* A target that gets nothing is a hole: no files is no success. */
static int check_rows(struct resolver *v, struct err *e)
{
	for (size_t i = 0; i < v->ntargets; i++) {
		bool any = false;

		for (size_t j = 0; j < v->lock->npackages; j++) {
			bool meant = false;
			int r = resolver_is_meant(v, &v->lock->packages[j], &v->targets[i], &meant, e);

			if (r) {
				return r;
			}
			any |= meant;
		}
		if (!any) {
			resolver_hole(v, &v->targets[i], STR(""), "no row of the lock is meant for this target");
		}
	}
	return 0;
}

/* ---- what the plan gathers ---- */

void resolver_note(struct resolver *v, const char *text)
{
	vec_each(struct str, s, &v->notes) {
		if (str_is(*s, text)) {
			return;
		}
	}
	vec_push(&v->notes, str_of(text));
}

/* An override says which version will do, not that none will. */
static struct str waived_because(const struct resolver *v, const struct resolver_target *t, struct str project,
	bool is_chosen)
{
	const struct lock_waiver *w = lock_waives(v->lock, project, t->view.t->name);
	const struct lock_override *o = lock_override_of(v->lock, project);

	if (w || !o || !(o->is_exclude || is_chosen)) {
		return w ? w->reason : STR_NULL;
	}
	return str_of(arena_printf(v->a, "%s%.*s: %.*s", o->is_exclude ? "excluded" : "override ",
		STR_ARG(o->text), STR_ARG(o->reason)));
}

bool resolver_is_waived(const struct resolver *v, const struct resolver_target *t, struct str project)
{
	return waived_because(v, t, project, false).n != 0;
}

static void add_hole(struct resolver *v, const struct resolver_target *t, struct str project, const char *text,
	bool is_chosen)
{
	vec_each(const struct plan_hole, h, &v->holes) {
		if (project.n && str_eq(h->project, project) && str_eq(h->target, t->view.t->name)) {
			return; /* what lacks for want of it has been told */
		}
	}
	vec_push(&v->holes, (struct plan_hole){ .target = t->view.t->name, .project = project,
		.text = str_of(text), .waived = waived_because(v, t, project, is_chosen) });
}

void resolver_hole(struct resolver *v, const struct resolver_target *t, struct str project, const char *text)
{
	add_hole(v, t, project, text, false);
}

void resolver_misfit(struct resolver *v, const struct resolver_target *t, struct str project, const char *text)
{
	add_hole(v, t, project, text, true);
}

struct plan_pick *resolver_pick(struct resolver_target *t, size_t file)
{
	vec_each(struct plan_pick, p, &t->picks) {
		if (p->file == file) {
			return p;
		}
	}
	vec_push(&t->picks, (struct plan_pick){ .file = file });
	return &t->picks.v[t->picks.n - 1];
}

void resolver_add_extras(struct resolver *v, struct plan_pick *p, const struct requirement *req)
{
	struct str *all = arena_array(v->a, p->nextras + req->nextras, sizeof(*all));

	if (p->nextras) {
		memcpy(all, p->extras, p->nextras * sizeof(*all));
	}
	if (req->nextras) {
		memcpy(all + p->nextras, req->extras, req->nextras * sizeof(*all));
	}
	p->extras = all;
	p->nextras += req->nextras;
}

/* ---- files ---- */

static void promised_by_row(struct plan_file *f, const struct lock_file *row)
{
	f->from.has_sha256 = true;
	f->from.sha256 = row->sha256;
	f->hash_from = row->is_first_use ? HASH_FROM_FIRST_USE
		       : row->is_by_index ? HASH_FROM_INDEX
					  : HASH_FROM_LOCK;
	if (row->has_size) {
		f->from.has_size = true;
		f->from.size = row->size;
	}
}

/* The lock's [[file]] row with that name promises the hash, and the index must agree. */
static int promise(struct resolver *v, struct plan_file *f, bool by_lock, struct err *e)
{
	for (size_t i = 0; i < v->lock->nfiles; i++) {
		const struct lock_file *row = &v->lock->files[i];

		if (!str_eq(row->file, f->from.name.file) ||
			(v->lock->is_frozen && !str_is(row->url, f->from.url))) {
			continue;
		}
		if (f->from.has_sha256 && !digest_eq(&row->sha256, &f->from.sha256)) {
			return err_set(e, RC_HASH, "%.*s: line %u: %.*s: the index publishes another sha256",
				STR_ARG(v->lock->path), row->line, STR_ARG(row->file));
		}
		promised_by_row(f, row);
		return 0;
	}
	if (f->from.has_sha256) {
		f->hash_from = by_lock ? HASH_FROM_LOCK : HASH_FROM_INDEX;
		return 0;
	}
	if (!v->options->trust_first_use) {
		err_set(e, RC_HASH, "%.*s: nobody promises its sha256 (%s)", STR_ARG(f->from.name.file),
			f->from.source);
		return err_hint(e, "add a [[file]] row with its sha256, or take the bytes as they come "
				   "with --trust-first-use");
	}
	f->hash_from = HASH_FROM_FIRST_USE;
	return 0;
}

/* Some publishers rename a wheel once it is built: the label in its file name is not in its METADATA. */
static void note_renamed(struct resolver *v, const struct plan_file *f)
{
	const struct dist_name *name = &f->from.name;
	struct version inside;
	struct err ignored = ERR_INIT;

	if (name->kind == DIST_WHEEL && f->core.version.n &&
		version_parse(v->a, f->core.version, &inside, &ignored) == 0 &&
		version_cmp(&inside, &name->version) != 0) {
		resolver_note(v, arena_printf(v->a, "%.*s: its METADATA says version %.*s, so pip refuses it from an "
						    "index and by --find-links; uv takes it. It is carried as it is: the "
						    "bundle's requirements name it by path, and serve shows it under a "
						    "name that pip takes. A build from source would have one version",
			STR_ARG(name->file), STR_ARG(f->core.version)));
	}
}

static void note_file(struct resolver *v, const struct plan_file *f)
{
	const struct index_file *from = &f->from;

	if (from->is_yanked) {
		resolver_note(v, arena_printf(v->a, "%.*s is yanked by its publisher: %.*s",
			STR_ARG(from->name.file), STR_ARG(from->yanked.n ? from->yanked : STR("no reason given"))));
	}
	if (f->hash_from == HASH_FROM_FIRST_USE) {
		resolver_note(v, arena_printf(v->a, "%.*s is taken on first use: nobody promises its sha256",
			STR_ARG(from->name.file)));
	}
	note_renamed(v, f);
}

int resolver_add_file(struct resolver *v, const struct library_page *page, size_t file, bool by_lock,
	size_t *out, struct err *e)
{
	struct plan_file f = library_plan_file(page, file);
	struct str key = str_of(arena_printf(v->a, "%s %.*s", f.from.url, STR_ARG(f.from.name.file)));
	size_t *known = map_get(&v->file_of, key);

	if (known) {
		*out = *known;
		return 0;
	}
	int r = index_check_file(&f.from, e);
	r = r ? r : promise(v, &f, by_lock, e);
	if (r) {
		return r;
	}
	if (f.from.name.kind == DIST_SDIST) { /* it has been fetched to be read */
		f.from.has_sha256 = f.from.has_size = true;
		f.from.sha256 = page->files[file]->sha256;
		f.from.size = page->files[file]->size;
	}
	note_file(v, &f);
	map_put(&v->file_of, key, v->files.n);
	vec_push(&v->files, f);
	*out = v->files.n - 1;
	return 0;
}

/* ---- all of it ---- */

static int run(struct resolver *v, struct err *e)
{
	int r = select_targets(v, e);

	r = r ? r : check_rows(v, e);
	if (!r && v->lock->is_closed) {
		r = resolver_take_rows(v, e);
	}
	for (size_t i = 0; !r && i < v->ntargets; i++) {
		struct resolver_target *t = &v->targets[i];

		r = v->lock->is_closed ? 0 : resolver_solve(v, t, e);
		r = !r && !v->lock->is_frozen ? resolver_solve_builds(v, t, e) : r;
		r = r ? r : resolver_prove(v, t, e);
		r = r ? err_wrap(e, "target %.*s", STR_ARG(t->view.t->name)) : 0;
	}
	return r;
}

#define KEEP(a, to, count, vec)                                                                    \
	do {                                                                                       \
		(to) = arena_array(a, (vec).n, sizeof(*(to)));                                     \
		(count) = (vec).n;                                                                 \
		if ((vec).n) {                                                                     \
			memcpy(to, (vec).v, (vec).n * sizeof(*(to)));                              \
		}                                                                                  \
		vec_release(&(vec));                                                               \
	} while (0)

static void keep_all(struct resolver *v, struct plan *plan)
{
	KEEP(v->a, plan->files, plan->nfiles, v->files);
	KEEP(v->a, plan->holes, plan->nholes, v->holes);
	KEEP(v->a, plan->notes, plan->nnotes, v->notes);
	KEEP(v->a, plan->explained, plan->nexplained, v->explained);
	plan->targets = arena_array(v->a, v->ntargets, sizeof(*plan->targets));
	plan->ntargets = v->ntargets;
	for (size_t i = 0; i < v->ntargets; i++) {
		plan->targets[i].target = v->targets[i].view.t;
		KEEP(v->a, plan->targets[i].picks, plan->targets[i].npicks, v->targets[i].picks);
		KEEP(v->a, plan->targets[i].given, plan->targets[i].ngiven, v->targets[i].given);
		vec_release(&v->targets[i].run);
	}
	vec_release(&v->run);
	vec_release(&v->build);
	map_release(&v->file_of);
	library_release(&v->library);
}

int resolve(const struct lock *lock, struct index *index, struct cache *cache,
	const struct resolve_options *options, struct plan *out, struct err *e)
{
	struct plan plan = PLAN_INIT;
	struct resolver v = { .lock = lock, .options = options, .a = &plan.arena };

	library_init(&v.library, v.a, lock, index, cache);
	int r = run(&v, e);
	keep_all(&v, &plan);
	if (r) {
		plan_release(&plan);
		return r;
	}
	*out = plan;
	return 0;
}

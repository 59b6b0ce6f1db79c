#include "bundle/resolve.h"
#include "bundle/resolver.h"
#include "bundle/sdist_plan.h"

#include <string.h>

void plan_release(struct plan *p)
{
	arena_release(&p->arena);
	*p = (struct plan)PLAN_INIT;
}

/* ---- what is asked for ---- */

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
			int r = choose_target_init(v->a, &l->targets[i], &v->targets[v->ntargets++], e);

			if (r) {
				return r;
			}
		}
	}
	return 0;
}

static int is_meant(const struct resolver *v, const struct lock_package *row, const struct choose_target *t,
	bool *out, struct err *e)
{
	*out = false;
	if (!lock_package_is_for(row, t->t)) {
		return 0;
	}
	int r = marker_decide(row->req.marker, &t->env, NULL, 0, out, e);
	return r ? err_wrap(e, "%.*s: line %u: target %.*s", STR_ARG(v->lock->path), row->line,
			   STR_ARG(t->t->name))
		 : 0;
}

const struct index_project *resolver_page(const struct resolver *v, struct str name)
{
	for (size_t i = 0; i < v->nnames; i++) {
		if (str_eq(v->names[i], name)) {
			return &v->pages[i];
		}
	}
	return NULL;
}

int resolver_read_pages(struct resolver *v, const struct str *names, size_t n, struct err *e)
{
	struct str *all = arena_array(v->a, v->nnames + n, sizeof(*all));
	struct index_project *pages = arena_array(v->a, v->nnames + n, sizeof(*pages));
	size_t known = v->nnames;

	if (known) {
		memcpy(all, v->names, known * sizeof(*all));
		memcpy(pages, v->pages, known * sizeof(*pages));
	}
	v->names = all;
	v->pages = pages;
	for (size_t i = 0; i < n; i++) {
		if (!resolver_page(v, names[i])) {
			all[v->nnames++] = names[i];
		}
	}
	return index_projects(v->index, all + known, v->nnames - known, v->a, pages + known, e);
}

static int read_asked_pages(struct resolver *v, struct err *e)
{
	const struct lock *l = v->lock;
	struct str *names = arena_array(v->a, l->npackages, sizeof(*names));
	size_t n = 0;

	for (size_t i = 0; i < l->npackages; i++) {
		bool meant = false;

		for (size_t j = 0; j < v->ntargets && !meant; j++) {
			int r = is_meant(v, &l->packages[i], &v->targets[j], &meant, e);

			if (r) {
				return r;
			}
		}
		if (meant && !l->packages[i].url.n && !l->packages[i].files) {
			names[n++] = l->packages[i].req.name;
		}
	}
	return resolver_read_pages(v, names, n, e);
}

void resolver_note(struct resolver *v, const char *text)
{
	vec_each(struct str, s, &v->notes) {
		if (str_is(*s, text)) {
			return;
		}
	}
	vec_push(&v->notes, str_of(text));
}

void resolver_hole(struct resolver *v, const struct choose_target *t, struct str project, const char *text)
{
	const struct lock_waiver *w = lock_waives(v->lock, project, t->t->name);

	vec_push(&v->holes, (struct plan_hole){ .target = t->t->name, .project = project,
		.text = str_of(text), .waived = w ? w->reason : STR_NULL });
}

/* ---- files ---- */

/* The lock's [[file]] row with that name promises the hash, and the index must agree. */
static int promise(struct resolver *v, struct plan_file *f, bool by_lock, struct err *e)
{
	for (size_t i = 0; i < v->lock->nfiles; i++) {
		const struct lock_file *row = &v->lock->files[i];

		if (!str_eq(row->file, f->from.name.file)) {
			continue;
		}
		if (f->from.has_sha256 && !digest_eq(&row->sha256, &f->from.sha256)) {
			return err_set(e, RC_HASH, "%.*s: line %u: %.*s: the index publishes another sha256",
				STR_ARG(v->lock->path), row->line, STR_ARG(row->file));
		}
		f->from.has_sha256 = true;
		f->from.sha256 = row->sha256;
		f->hash_from = HASH_FROM_LOCK;
		if (row->has_size) {
			f->from.has_size = true;
			f->from.size = row->size;
		}
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

static int add_file(struct resolver *v, const struct index_file *from, bool by_lock, size_t *out,
	struct err *e)
{
	for (size_t i = 0; i < v->files.n; i++) {
		const struct index_file *f = &v->files.v[i].from;

		if (str_eq(f->name.file, from->name.file) && strcmp(f->url, from->url) == 0) {
			*out = i;
			return 0;
		}
	}
	struct plan_file f = { .from = *from, .project = from->name.name };
	int r = index_check_file(from, e);
	r = r ? r : promise(v, &f, by_lock, e);
	if (r) {
		return r;
	}
	if (from->is_yanked) {
		resolver_note(v, arena_printf(v->a, "%.*s is yanked by its publisher: %.*s", STR_ARG(from->name.file),
			STR_ARG(from->yanked.n ? from->yanked : STR("no reason given"))));
	}
	if (f.hash_from == HASH_FROM_FIRST_USE) {
		resolver_note(v, arena_printf(v->a, "%.*s is taken on first use: nobody promises its sha256",
			STR_ARG(from->name.file)));
	}
	vec_push(&v->files, f);
	*out = v->files.n - 1;
	return 0;
}

/* A row that names its file by URL. NULL in *out: the file does not fit this target. */
static int file_of_url(struct resolver *v, const struct choose_target *t, const struct lock_package *row,
	const struct index_file **out, struct err *e)
{
	struct index_file *f = arena_alloc(v->a, sizeof(*f));
	int r = dist_name_parse(v->a, row->file, &f->name, e);

	if (!r && !str_eq(f->name.name, row->req.name)) {
		r = err_set(e, RC_INVALID, "file %.*s is not of project %.*s", STR_ARG(row->file),
			STR_ARG(row->req.name));
	}
	if (r) {
		return err_wrap(e, "%.*s: line %u", STR_ARG(v->lock->path), row->line);
	}
	f->url = arena_dup(v->a, row->url);
	f->source = arena_dup(v->a, v->lock->path);
	bool fits = f->name.kind == DIST_SDIST || tag_rank(&t->tags, &f->name) >= 0;
	*out = fits ? f : NULL;
	return 0;
}

/* The choice among the files that a foreign lock names: no index is asked. */
static int file_of_lock(struct resolver *v, const struct choose_target *t, const struct lock_package *row,
	const struct index_file **out, struct str *why, struct err *e)
{
	struct index_project page = { .name = row->req.name,
		.files = arena_array(v->a, row->nfiles, sizeof(*page.files)) };
	struct err ignored = ERR_INIT;

	for (size_t i = 0; i < row->nfiles; i++) {
		const struct lock_file *from = &row->files[i];
		struct index_file *f = &page.files[page.nfiles];

		*f = (struct index_file){ .url = arena_dup(v->a, from->url),
			.has_sha256 = from->has_sha256, .sha256 = from->sha256,
			.has_size = from->has_size, .size = from->size,
			.source = arena_dup(v->a, v->lock->path) };
		if (dist_name_parse(v->a, from->file, &f->name, &ignored) == 0) {
			page.nfiles++;
		}
	}
	if (page.nfiles == 0) { /* an entry without files is no success */
		*out = NULL;
		*why = STR("the lock names no wheel and no sdist of it");
		return 0;
	}
	return choose_file(v->a, t, &row->req.specifiers, &page, out, why, e);
}

/* The files of a page whose digest the lock allows; all where it names none. */
static struct index_project promised_files(struct arena *a, const struct lock_package *row,
	const struct index_project *page)
{
	struct index_project some = { .name = page->name };

	if (row->nhashes == 0) {
		return *page;
	}
	some.files = arena_array(a, page->nfiles, sizeof(*some.files));
	for (size_t i = 0; i < page->nfiles; i++) {
		for (size_t j = 0; j < row->nhashes; j++) {
			if (page->files[i].has_sha256 && digest_eq(&page->files[i].sha256, &row->hashes[j])) {
				some.files[some.nfiles++] = page->files[i];
				break;
			}
		}
	}
	return some;
}

static int find_file(struct resolver *v, const struct choose_target *t, const struct lock_package *row,
	const struct index_file **out, struct str *why, struct err *e)
{
	if (row->files) {
		return file_of_lock(v, t, row, out, why, e);
	}
	if (row->url.n) {
		*why = str_of(arena_printf(v->a, "its file %.*s does not fit", STR_ARG(row->file)));
		return file_of_url(v, t, row, out, e);
	}
	const struct index_project *page = resolver_page(v, row->req.name);
	if (!page || page->nfiles == 0) {
		*out = NULL;
		*why = str_of(arena_printf(v->a, "no such project on %s", index_where(v->index, v->a)));
		return 0;
	}
	struct index_project promised = promised_files(v->a, row, page);
	if (promised.nfiles == 0) {
		*out = NULL;
		*why = STR("none of the files on the index has a sha256 that the lock allows");
		return 0;
	}
	return choose_file(v->a, t, &row->req.specifiers, &promised, out, why, e);
}

static void merge_row(struct plan_pick *p, const struct lock_package *row)
{
	p->use |= row->use == LOCK_RUN ? USE_RUN : USE_BUILD;
	if (row->use == LOCK_RUN && p->row->use != LOCK_RUN) {
		p->row = row;
	}
}

static int pick_row(struct resolver *v, const struct choose_target *t, const struct lock_package *row,
	struct plan_target *pt, struct err *e)
{
	const struct index_file *from = NULL;
	struct str why = STR_NULL;
	size_t file = 0;
	int r = find_file(v, t, row, &from, &why, e);

	if (r) {
		return r;
	}
	if (!from) {
		CLEANUP_BUF struct buf spec = BUF_INIT;

		specifier_format(&row->req.specifiers, &spec);
		resolver_hole(v, t, row->req.name, arena_printf(v->a, "%.*s%.*s (line %u of the lock): %.*s",
			STR_ARG(row->req.name), STR_ARG(buf_str(&spec)), row->line, STR_ARG(why)));
		return 0;
	}
	r = add_file(v, from, row->files || row->nhashes, &file, e);
	for (size_t i = 0; !r && i < pt->npicks; i++) {
		if (pt->picks[i].file == file) {
			merge_row(&pt->picks[i], row);
			return 0;
		}
	}
	if (!r) {
		pt->picks[pt->npicks++] = (struct plan_pick){ .file = file, .row = row,
			.use = row->use == LOCK_RUN ? USE_RUN : USE_BUILD, .is_requested = true,
			.extras = row->req.extras, .nextras = row->req.nextras };
	}
	return r;
}

static int pick_target(struct resolver *v, const struct choose_target *t, struct plan_target *pt, struct err *e)
{
	bool any = false;

	pt->target = t->t;
	pt->picks = arena_array(v->a, v->lock->npackages, sizeof(*pt->picks));
	for (size_t i = 0; i < v->lock->npackages; i++) {
		const struct lock_package *row = &v->lock->packages[i];
		bool meant = false;
		int r = is_meant(v, row, t, &meant, e);

		any |= meant;
		r = !r && meant ? pick_row(v, t, row, pt, e) : r;

		if (r) {
			return r;
		}
	}
	if (!any) { /* no files is no success */
		resolver_hole(v, t, STR(""), "no row of the lock is meant for this target");
	}
	return 0;
}

/* ---- metadata ---- */

static int read_wheels(struct resolver *v, struct err *e)
{
	const struct index_file **wheels = arena_array(v->a, v->files.n, sizeof(*wheels));
	struct str *texts = arena_array(v->a, v->files.n, sizeof(*texts));
	size_t n = 0;

	vec_each(struct plan_file, f, &v->files) {
		if (f->from.name.kind == DIST_WHEEL) {
			wheels[n++] = &f->from;
		}
	}
	int r = index_metadata(v->index, wheels, n, v->a, texts, e);
	n = 0;
	vec_each(struct plan_file, f, &v->files) {
		if (!r && f->from.name.kind == DIST_WHEEL) {
			f->metadata = texts[n++];
			r = core_metadata_parse(v->a, f->metadata, &f->core, e);
			if (r) {
				return err_wrap(e, "%.*s: METADATA", STR_ARG(f->from.name.file));
			}
		}
	}
	return r;
}

static int run(struct resolver *v, struct plan *out, struct err *e)
{
	int r = select_targets(v, e);

	r = r ? r : read_asked_pages(v, e);
	if (r) {
		return r;
	}
	out->targets = arena_array(v->a, v->ntargets, sizeof(*out->targets));
	out->ntargets = v->ntargets;
	for (size_t i = 0; !r && i < v->ntargets; i++) {
		r = pick_target(v, &v->targets[i], &out->targets[i], e);
	}
	r = r ? r : read_wheels(v, e);
	r = r ? r : sdist_plan(v->a, v->lock, v->index, v->cache, v->files.v, v->files.n, e);
	for (size_t i = 0; !r && i < v->ntargets; i++) {
		r = resolver_prove(v, &v->targets[i], &out->targets[i], e);
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

int resolve(const struct lock *lock, struct index *index, struct cache *cache,
	const struct resolve_options *options, struct plan *out, struct err *e)
{
	struct plan plan = PLAN_INIT;
	struct resolver v = { .lock = lock, .index = index, .cache = cache, .options = options,
		.a = &plan.arena };
	int r = run(&v, &plan, e);

	KEEP(&plan.arena, plan.files, plan.nfiles, v.files);
	KEEP(&plan.arena, plan.holes, plan.nholes, v.holes);
	KEEP(&plan.arena, plan.notes, plan.nnotes, v.notes);
	if (r) {
		plan_release(&plan);
		return r;
	}
	*out = plan;
	return 0;
}

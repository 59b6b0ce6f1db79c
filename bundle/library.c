#include "bundle/library.h"
#include "bundle/sdist_plan.h"
#include "bundle/source_project.h"
#include "manifests/name.h"

#include <string.h>

void library_init(struct library *l, struct arena *a, const struct lock *lock, struct index *index,
	struct cache *cache)
{
	*l = (struct library){ .a = a, .lock = lock, .index = index, .cache = cache };
}

void library_release(struct library *l)
{
	map_release(&l->names);
	vec_release(&l->pages);
}

/* ---- pages ---- */

/* A page from a source of the lock's may differ from target to target. */
static struct str key_of(const struct library *l, const struct target *t, struct str name)
{
	return lock_source_of(l->lock, name)
		       ? str_of(arena_printf(l->a, "%.*s %.*s", STR_ARG(name), STR_ARG(t->name)))
		       : name;
}

struct library_page *library_page(const struct library *l, const struct target *t, struct str name)
{
	size_t *at = map_get(&l->names, key_of(l, t, name));

	return at ? l->pages.v[*at] : NULL;
}

static struct library_page *new_page(struct library *l, const struct index_project *project, const char *where)
{
	struct library_page *page = arena_alloc(l->a, sizeof(*page));

	page->project = *project;
	page->files = arena_array(l->a, project->nfiles, sizeof(*page->files));
	page->where = str_of(where);
	vec_push(&l->pages, page);
	return page;
}

struct library_page *library_add_page(struct library *l, struct str name, const struct index_file *files, size_t n,
	const char *where)
{
	struct index_project project = { .name = name,
		.files = arena_array(l->a, n, sizeof(*project.files)), .nfiles = n };

	if (n) {
		memcpy(project.files, files, n * sizeof(*files));
	}
	return new_page(l, &project, where);
}

/* From the one place that the lock names for it, never from an index: what stands there under the same name
 * is somebody else's. */
static int read_source(struct library *l, const struct target *t, const struct lock_source *from, struct err *e)
{
	struct source_answer answer;
	int r = source_project(l->index, &from->source, t, from->name, l->a, &answer, e);

	if (!r) {
		map_put(&l->names, key_of(l, t, from->name), l->pages.n);
		struct library_page *page = new_page(l, &answer.project, NULL);
		page->where = answer.where;
		page->why = answer.why;
	}
	return r;
}

static int read_indexes(struct library *l, const struct str *names, size_t n, struct err *e)
{
	struct index_project *projects = arena_array(l->a, n, sizeof(*projects));
	int r = n ? index_projects(l->index, names, n, l->a, projects, e) : 0;

	for (size_t i = 0; !r && i < n; i++) {
		projects[i].name = names[i];
		map_put(&l->names, names[i], l->pages.n);
		new_page(l, &projects[i], index_where(l->index, l->a));
	}
	return r;
}

int library_read_pages(struct library *l, const struct target *t, const struct str *names, size_t n,
	struct err *e)
{
	struct str *missing = arena_array(l->a, n, sizeof(*missing));
	struct map seen = MAP_INIT;
	size_t count = 0;
	int r = 0;

	for (size_t i = 0; i < n && !r; i++) {
		const struct lock_source *from = lock_source_of(l->lock, names[i]);

		if (library_page(l, t, names[i]) || map_get(&seen, names[i])) {
			continue;
		}
		map_put(&seen, names[i], i);
		if (from) {
			r = read_source(l, t, from, e);
		} else {
			missing[count++] = names[i];
		}
	}
	map_release(&seen);
	return r ? r : read_indexes(l, missing, count, e);
}

/* ---- files ---- */

/* Pages list thousands of files, of which few are ever looked into. */
static struct library_file *file_of(struct library *l, const struct library_want *w)
{
	struct library_file **f = &w->page->files[w->file];

	if (!*f) {
		*f = arena_alloc(l->a, sizeof(**f));
	}
	return *f;
}

static const struct index_file *index_file_of(const struct library_want *w)
{
	return &w->page->project.files[w->file];
}

static void refuse(struct library *l, const struct library_want *w, const char *why)
{
	file_of(l, w)->is_read = true;
	file_of(l, w)->unfit = str_of(arena_printf(l->a, "%s", why));
}

static int parse_all(struct library *l, const struct str *texts, size_t n, struct requirement **out,
	struct err *e)
{
	struct requirement *all = arena_array(l->a, n, sizeof(*all));
	int r = 0;

	for (size_t i = 0; i < n && !r; i++) {
		r = requirement_parse(l->a, texts[i], &all[i], e);
	}
	*out = all;
	return r;
}

/* Does it tell of the project and the version that its name promises? The local part may be missing inside:
 * such files were renamed by their publisher. */
static bool is_itself(struct library *l, const struct library_want *w)
{
	const struct core_metadata *core = &file_of(l, w)->core;
	const struct dist_name *name = &index_file_of(w)->name;
	struct err ignored = ERR_INIT;
	struct version inside;

	if (core->version.n && (version_parse(l->a, core->version, &inside, &ignored) ||
				      version_cmp_public(&inside, &name->version) != 0)) {
		refuse(l, w, arena_printf(l->a, "%.*s: its metadata says version %.*s", STR_ARG(name->file),
			STR_ARG(core->version)));
		return false;
	}
	if (core->name.n && !str_eq(str_of(name_normalize(l->a, core->name)), name->name)) {
		refuse(l, w, arena_printf(l->a, "%.*s: its metadata says it is %.*s", STR_ARG(name->file),
			STR_ARG(str_first(core->name, 100))));
		return false;
	}
	return true;
}

static void keep(struct library *l, const struct library_want *w, const struct str *build_requires, size_t n)
{
	struct library_file *f = file_of(l, w);
	struct err e = ERR_INIT;

	f->is_read = true;
	f->nneeds = f->core.nrequires_dist;
	f->nbuild_needs = n;
	if (is_itself(l, w) && (parse_all(l, f->core.requires_dist, f->nneeds, &f->needs, &e) ||
				       parse_all(l, build_requires, n, &f->build_needs, &e))) {
		refuse(l, w, arena_printf(l->a, "%.*s: its metadata: %s", STR_ARG(index_file_of(w)->name.file),
			e.text));
	}
	if (f->unfit.n) {
		f->nneeds = f->nbuild_needs = 0;
	}
}

/* One file that could not be read: damaged is its own fault and concerns whoever would choose it. */
static int blame(struct library *l, const struct library_want *w, struct err *e)
{
	if (e->rc != RC_WHEEL) {
		return -(int)e->rc;
	}
	refuse(l, w, e->text);
	err_clear(e);
	return 0;
}

static int read_wheel_texts(struct library *l, const struct library_want *wants, size_t n, struct err *e)
{
	const struct index_file **files = arena_array(l->a, n, sizeof(*files));
	struct str *texts = arena_array(l->a, n, sizeof(*texts));
	struct str *faults = arena_array(l->a, n, sizeof(*faults));

	for (size_t i = 0; i < n; i++) {
		files[i] = index_file_of(&wants[i]);
	}
	int r = n ? index_metadata(l->index, files, n, l->a, texts, faults, e) : 0;
	for (size_t i = 0; !r && i < n; i++) {
		struct library_file *f = file_of(l, &wants[i]);
		struct err damaged = ERR_INIT;

		f->metadata = texts[i];
		if (faults[i].n) {
			refuse(l, &wants[i], faults[i].p);
		} else if (core_metadata_parse(l->a, texts[i], &f->core, &damaged)) {
			refuse(l, &wants[i], arena_printf(l->a, "%.*s: METADATA: %s",
				STR_ARG(files[i]->name.file), damaged.text));
		} else {
			keep(l, &wants[i], NULL, 0);
		}
	}
	return r;
}

static int look_into_sdist(struct library *l, const struct library_want *w, struct plan_file *read,
	struct err *e)
{
	struct library_file *out = file_of(l, w);
	struct str unfit = STR_NULL;
	int r = sdist_facts(l->a, l->lock, l->cache, read, &unfit, e);

	if (r) {
		return blame(l, w, e);
	}
	out->sha256 = read->from.sha256;
	out->size = read->from.size;
	out->core = read->core;
	out->has_cuda_sources = read->has_cuda_sources;
	out->build_requires = read->build_requires;
	if (unfit.n) {
		refuse(l, w, arena_printf(l->a, "%.*s is %.*s", STR_ARG(read->from.name.file), STR_ARG(unfit)));
	} else {
		keep(l, w, read->build_requires, read->nbuild_requires);
	}
	return 0;
}

static int read_sdists(struct library *l, const struct library_want *wants, size_t n, struct err *e)
{
	struct plan_file *files = arena_array(l->a, n, sizeof(*files));

	for (size_t i = 0; i < n; i++) {
		files[i].from = *index_file_of(&wants[i]);
		files[i].project = files[i].from.name.name;
	}
	int r = sdist_fetch(l->a, l->index, l->cache, files, n, e);
	for (size_t i = 0; !r && i < n; i++) {
		r = look_into_sdist(l, &wants[i], &files[i], e);
	}
	return r;
}

/* Those of one kind that are not known yet, in order; *nneeded of them are among the first `needed`. */
static size_t select_kind(struct library *l, const struct library_want *wants, size_t n, size_t needed,
	enum dist_kind kind, struct library_want **out, size_t *nneeded)
{
	size_t count = 0;

	*out = arena_array(l->a, n, sizeof(**out));
	*nneeded = 0;
	for (size_t i = 0; i < n; i++) {
		if (!file_of(l, &wants[i])->is_read && index_file_of(&wants[i])->name.kind == kind) {
			*nneeded += i < needed;
			(*out)[count++] = wants[i];
		}
	}
	return count;
}

int library_read_files(struct library *l, const struct library_want *wants, size_t n, size_t nneeded,
	struct err *e)
{
	struct library_want *some;
	size_t needed, count = select_kind(l, wants, n, nneeded, DIST_WHEEL, &some, &needed);
	int r = needed ? read_wheel_texts(l, some, count, e) : 0;

	if (r) { /* some file of many: whose fault is it? Those that nobody needs yet are left alone */
		err_clear(e);
		r = 0;
		for (size_t i = 0; i < needed && !r; i++) {
			r = read_wheel_texts(l, &some[i], 1, e);
			r = r ? blame(l, &some[i], e) : 0;
		}
	}
	if (!r) {
		select_kind(l, wants, n, nneeded, DIST_SDIST, &some, &needed);
		r = read_sdists(l, some, needed, e);
	}
	return r;
}

const struct library_file *library_inside(const struct library_page *page, size_t file)
{
	const struct library_file *f = page->files[file];

	return f && f->is_read ? f : NULL;
}

struct plan_file library_plan_file(const struct library_page *page, size_t file)
{
	const struct library_file *f = page->files[file];
	struct plan_file out = { .from = page->project.files[file], .project = page->project.name,
		.metadata = f->metadata, .core = f->core, .has_cuda_sources = f->has_cuda_sources,
		.build_requires = f->build_requires, .nbuild_requires = f->nbuild_needs };

	return out;
}

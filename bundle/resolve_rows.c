/* Locks that say everything: each row that is meant for a target gets the one of its files that fits best. Which of a
 * lock's own files that is, is the only choice left. */
#include "bundle/resolver.h"

#include <stdlib.h>
#include <string.h>

struct row_files { /* one row in one target */
	const struct lock_package *row;
	struct resolver_target *t;
	struct library_page *page;
	struct candidates found;
	struct candidate_policy policy;
};
struct row_list {
	struct row_files *v;
	size_t n, cap;
};

static void read_row_policy(struct resolver *v, const struct lock_package *row, struct candidate_policy *p)
{
	const struct specifier *pin = lock_package_pin(row);
	struct version *pins = arena_array(v->a, 1, sizeof(*pins));

	*p = (struct candidate_policy){ .hashes = row->hashes, .nhashes = row->nhashes };
	if (pin && pin->version.nrelease) {
		pins[0] = pin->version;
		p->pins = pins;
		p->npins = 1;
	}
}

/* Does the row leave its file to an index? In a frozen lock none does: one without a file is a hole. */
static bool is_on_index(const struct resolver *v, const struct lock_package *row)
{
	return !row->url.n && !row->files && !v->lock->is_frozen;
}

/* The files that the lock itself names, as a page of their own; one by URL is such a file. */
static struct library_page *page_of_row(struct resolver *v, const struct lock_package *row)
{
	const struct lock_file by_url = { .url = row->url, .file = row->file };
	const struct lock_file *files = row->files ? row->files : &by_url;
	size_t nfiles = row->files ? row->nfiles : row->url.n != 0, n = 0;
	struct index_file *all = arena_array(v->a, nfiles, sizeof(*all));

	for (size_t i = 0; i < nfiles; i++) {
		const struct lock_file *from = &files[i];
		struct err ignored = ERR_INIT;

		all[n] = (struct index_file){ .url = arena_dup(v->a, from->url),
			.has_sha256 = from->has_sha256, .sha256 = from->sha256,
			.has_size = from->has_size, .size = from->size,
			.is_yanked = from->is_yanked, .yanked = from->yanked,
			.source = arena_dup(v->a, v->lock->path) };
		n += dist_name_parse(v->a, from->file, &all[n].name, &ignored) == 0;
	}
	return library_add_page(&v->library, row->req.name, all, n, arena_dup(v->a, v->lock->path));
}

/* Its candidates are those of the pinned version. */
static void keep_pinned(struct row_files *x)
{
	size_t n = 0;

	for (size_t i = 0; i < x->found.n; i++) {
		if (specifier_contains(&x->row->req.specifiers, x->found.v[i].version)) {
			x->found.v[n++] = x->found.v[i];
		}
	}
	x->found.n = n;
}

static const char *nothing_text(struct resolver *v, struct row_files *x)
{
	CLEANUP_BUF struct buf spec = BUF_INIT;
	struct str why = STR("the lock names no wheel and no sdist of it");
	const struct lock_package *row = x->row;
	bool is_indexed = is_on_index(v, row);

	specifier_format(&row->req.specifiers, &spec);
	if (is_indexed && x->page->project.nfiles == 0) {
		why = x->page->why.n ? x->page->why
				     : str_of(arena_printf(v->a, "%.*s has no such project",
					       STR_ARG(x->page->where)));
	} else if (x->page->project.nfiles) {
		why = candidates_none(&x->t->view, &x->policy, &x->page->project, &row->req.specifiers, v->a);
		why = why.n ? str_of(arena_printf(v->a, "no file of it fits: %.*s", STR_ARG(why)))
			    : str_of(arena_printf(v->a, "%.*s has no such version", STR_ARG(x->page->where)));
	}
	return arena_printf(v->a, "%.*s%.*s (line %u of the lock): %.*s", STR_ARG(row->req.name),
		STR_ARG(buf_str(&spec)), row->line, STR_ARG(why));
}

static void judge_row(struct resolver *v, struct row_files *x)
{
	const struct lock_package *row = x->row;

	read_row_policy(v, row, &x->policy);
	x->page = is_on_index(v, row) ? library_page(&v->library, x->t->view.t, row->req.name)
				      : page_of_row(v, row);
	candidates_of(&x->t->view, &x->policy, &x->page->project, v->a, &x->found);
	keep_pinned(x);
}

/* Rows of all targets, in the order of targets and lock; the pages of those that leave the file to an index. */
static int gather_rows(struct resolver *v, struct row_list *list, struct err *e)
{
	int r = 0;

	for (size_t i = 0; i < v->ntargets; i++) {
		struct str *names = arena_array(v->a, v->lock->npackages, sizeof(*names));
		size_t n = 0, first = list->n;

		for (size_t j = 0; j < v->lock->npackages; j++) {
			const struct lock_package *row = &v->lock->packages[j];
			bool meant = false;

			r = resolver_is_meant(v, row, &v->targets[i], &meant, e);
			if (r) {
				return r;
			}
			if (meant) {
				vec_push(list, (struct row_files){ .row = row, .t = &v->targets[i] });
			}
			if (meant && is_on_index(v, row)) {
				names[n++] = row->req.name;
			}
		}
		r = library_read_pages(&v->library, v->targets[i].view.t, names, n, e);
		if (r) {
			return r;
		}
		for (size_t j = first; j < list->n; j++) {
			judge_row(v, &list->v[j]);
		}
	}
	return 0;
}

/* What is inside all of them, in one go. */
static int read_rows(struct resolver *v, const struct row_list *list, struct err *e)
{
	struct library_want *wants = arena_array(v->a, list->n, sizeof(*wants));
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++) {
		const struct row_files *x = &list->v[i];

		if (x->found.n) {
			wants[n++] = (struct library_want){ x->page, x->found.v[x->found.n - 1].file };
		}
	}
	return library_read_files(&v->library, wants, n, n, e);
}

static int take_row(struct resolver *v, struct row_files *x, struct err *e)
{
	const struct lock_package *row = x->row;
	size_t file = 0;

	if (!x->found.n) {
		resolver_hole(v, x->t, row->req.name, nothing_text(v, x));
		return 0;
	}
	const struct candidate *c = &x->found.v[x->found.n - 1];
	const struct library_file *inside = library_inside(x->page, c->file);
	if (inside->unfit.n) {
		resolver_hole(v, x->t, row->req.name, arena_dup(v->a, inside->unfit));
		return 0;
	}
	int r = resolver_check_rivals(x->t, &x->page->project, &x->found, NULL, x->found.n - 1, NULL, e);
	r = r ? err_wrap(e, "target %.*s", STR_ARG(x->t->view.t->name))
	      : resolver_add_file(v, x->page, c->file, row->files || row->nhashes, &file, e);
	if (!r) {
		struct plan_pick *p = resolver_pick(x->t, file);

		p->use |= row->use == LOCK_RUN ? USE_RUN : USE_BUILD;
		p->is_requested |= !row->is_dependency;
		resolver_add_extras(v, p, &row->req);
		if (row->use == LOCK_RUN) {
			vec_push(&x->t->run, (struct universe_favour){ row->req.name, c->version });
		}
	}
	return r;
}

/* A frozen lock names the files of each sdist's environment. */
static int take_environment(struct resolver *v, const struct row_files *x, struct err *e)
{
	const struct lock_package *row = x->row;
	size_t *files = arena_array(v->a, row->nbuild, sizeof(*files)), n = 0;

	for (size_t i = 0; i < row->nbuild; i++) {
		size_t before = n;

		vec_each(struct plan_pick, p, &x->t->picks) {
			if (n == before && str_eq(v->files.v[p->file].from.name.file, row->build[i])) {
				files[n++] = p->file;
			}
		}
		if (n == before) {
			return err_set(e, RC_INVALID, "%.*s: line %u: %.*s is built with %.*s, which is no row of "
						      "target %.*s",
				STR_ARG(v->lock->path), row->line, STR_ARG(row->req.name),
				STR_ARG(row->build[i]), STR_ARG(x->t->view.t->name));
		}
	}
	qsort(files, n, sizeof(*files), resolver_by_number);
	vec_each(struct plan_pick, p, &x->t->picks) {
		if (str_eq(v->files.v[p->file].from.name.file, row->file)) {
			p->environment = files;
			p->nenvironment = n;
		}
	}
	for (size_t i = 0; i < n; i++) {
		resolver_pick(x->t, files[i])->use |= USE_BUILD;
	}
	return 0;
}

int resolver_take_rows(struct resolver *v, struct err *e)
{
	struct row_list list = VEC_INIT;
	int r = gather_rows(v, &list, e);

	r = r ? r : read_rows(v, &list, e);
	for (size_t i = 0; !r && i < list.n; i++) {
		r = take_row(v, &list.v[i], e);
	}
	for (size_t i = 0; !r && v->lock->is_frozen && i < list.n; i++) {
		r = list.v[i].row->nbuild ? take_environment(v, &list.v[i], e) : 0;
	}
	for (size_t i = 0; !r && i < v->ntargets; i++) {
		r = resolver_explain(v, &v->targets[i], NULL, NULL, e);
	}
	vec_release(&list);
	return r;
}

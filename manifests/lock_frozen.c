/* Frozen locks: what `resolve --write-lock` wrote. Every row has its file, and nothing is left to
 * choose. */
#include "manifests/lock_reader.h"
#include "manifests/base/mem.h"

#include <stdlib.h>

/* ---- a row's file ---- */

static int by_name(const void *a, const void *b)
{
	const struct lock_file *x = *(struct lock_file *const *)a;
	const struct lock_file *y = *(struct lock_file *const *)b;

	return str_cmp(x->file, y->file);
}

static int by_url(const void *a, const void *b)
{
	const struct lock_file *x = *(struct lock_file *const *)a;
	const struct lock_file *y = *(struct lock_file *const *)b;

	return str_cmp(x->url, y->url);
}

struct file_index { /* the [[file]] rows of a lock, sorted twice */
	struct lock_file **by_name, **by_url;
	size_t n;
};

static int refuse_name(const struct toml *at, struct err *e)
{
	lock_fail(at, e, RC_INVALID, "several [[file]] rows are called %.*s",
		STR_ARG(str_first(at->text, 300)));
	return err_hint(e, "name it by its url");
}

static int find_file(const struct file_index *files, const struct toml *at, struct lock_file **out,
	struct err *e)
{
	struct lock_file key = { .file = at->text, .url = at->text }, *wanted = &key;
	struct lock_file **found =
		bsearch(&wanted, files->by_name, files->n, sizeof(*files->by_name), by_name);

	if (found && ((found > files->by_name && by_name(found, found - 1) == 0) ||
			     (found + 1 < files->by_name + files->n &&
				     by_name(found, found + 1) == 0))) {
		return refuse_name(at, e);
	}
	if (!found) {
		found = bsearch(&wanted, files->by_url, files->n, sizeof(*files->by_url), by_url);
	}
	if (!found) {
		return lock_fail(at, e, RC_INVALID, "there is no [[file]] row \"%.*s\"",
			STR_ARG(str_first(at->text, 300)));
	}
	*out = *found;
	return 0;
}

/* The file must be of the row's project and version. */
static int check_file(struct lock *l, const struct toml *row, struct lock_package *p, struct err *e)
{
	const struct toml *at = toml_get(row, "file");
	const struct specifier *pin = lock_package_pin(p);
	struct dist_name name = { .kind = DIST_WHEEL };

	if (!pin || p->req.specifiers.n != 1) {
		lock_fail(toml_get(row, "version") ? toml_get(row, "version") : row, e, RC_INVALID,
			"%.*s has no exact version", STR_ARG(p->req.name));
		return err_hint(e, "every row of a lock with resolved-from has its version and "
				   "its file: write it again with `gpkg-bundle resolve`");
	}
	if (lock_dist(l, at, p->file, p->req.name, &name, e)) {
		return -(int)e->rc;
	}
	if (!str_eq(name.name, p->req.name) ||
		version_cmp_public(&name.version, &pin->version) != 0) {
		return lock_fail(at, e, RC_INVALID, "the file %.*s is not of %.*s",
			STR_ARG(p->file), STR_ARG(p->req.raw));
	}
	if (lock_pin(l, at, &name.version, &p->req.specifiers, e)) {
		return -(int)e->rc;
	}
	lock_spell(l, &p->req);
	return 0;
}

static int tie_file(struct lock *l, const struct file_index *files, const struct toml *row,
	struct lock_package *p, struct err *e)
{
	struct str ignored = STR_NULL;
	struct lock_file *f = NULL;

	if (!toml_get(row, "file")) {
		return 0; /* a hole: there was nothing to be had, and [waive] takes that */
	}
	if (toml_need_str(row, "file", &ignored, e) ||
		toml_opt_bool(row, "dependency", &p->is_dependency, e) ||
		find_file(files, toml_get(row, "file"), &f, e)) {
		return -(int)e->rc;
	}
	p->url = f->url;
	p->file = f->file;
	p->files = f;
	p->nfiles = 1;
	return check_file(l, row, p, e);
}

/* ---- a row's build environment ---- */

static int by_text(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

static int by_file(const void *a, const void *b)
{
	const struct lock_package *x = *(struct lock_package *const *)a;
	const struct lock_package *y = *(struct lock_package *const *)b;

	return str_cmp(x->file, y->file);
}

/* Is the file a row's for that target? */
static bool has_row(const struct lock *l, struct lock_package *const *rows, struct str file,
	const struct target *t)
{
	struct lock_package key = { .file = file }, *wanted = &key;
	struct lock_package *const *at =
		bsearch(&wanted, rows, l->npackages, sizeof(struct lock_package *), by_file);

	while (at && at > rows && by_file(at, at - 1) == 0) {
		at--;
	}
	for (; at && at < rows + l->npackages && str_eq((*at)->file, file); at++) {
		if (lock_package_is_for(*at, t)) {
			return true;
		}
	}
	return false;
}

static int check_build(const struct lock *l, struct lock_package *const *rows,
	const struct toml *at, const struct lock_package *p, struct err *e)
{
	if (str_ends(p->file, ".whl") && p->nbuild) {
		return lock_fail_key(at, e, RC_INVALID, "%.*s is a wheel: nothing is built of it",
			STR_ARG(p->file));
	}
	for (size_t i = 0; i < p->nbuild; i++) {
		for (size_t t = 0; t < l->ntargets; t++) {
			if (lock_package_is_for(p, &l->targets[t]) &&
				!has_row(l, rows, p->build[i], &l->targets[t])) {
				return lock_fail(at, e, RC_INVALID,
					"the target %.*s has no row with the file \"%.*s\"",
					STR_ARG(l->targets[t].name),
					STR_ARG(str_first(p->build[i], 300)));
			}
		}
	}
	return 0;
}

static int tie_build(struct lock *l, struct lock_package *const *rows, const struct toml *row,
	struct lock_package *p, struct err *e)
{
	struct str *names = NULL;
	size_t n = 0;

	if (toml_opt_strs(&l->arena, row, "build", false, &names, &n, e)) {
		return -(int)e->rc;
	}
	if (n) {
		qsort(names, n, sizeof(*names), by_text);
	}
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || !str_eq(names[i], names[i - 1])) {
			names[p->nbuild++] = names[i];
		}
	}
	p->build = names;
	return check_build(l, rows, toml_get(row, "build"), p, e);
}

/* ---- the whole ---- */

static int tie_files(struct lock *l, const struct toml *first, struct err *e)
{
	CLEANUP(free) struct lock_file **names = mem_array(l->nfiles + 1, sizeof(*names));
	CLEANUP(free) struct lock_file **urls = mem_array(l->nfiles + 1, sizeof(*urls));
	const struct file_index files = { names, urls, l->nfiles };
	size_t i = 0;

	for (size_t k = 0; k < l->nfiles; k++) {
		names[k] = urls[k] = &l->files[k];
	}
	qsort(names, l->nfiles, sizeof(*names), by_name);
	qsort(urls, l->nfiles, sizeof(*urls), by_url);
	for (const struct toml *row = first; row; row = row->next) {
		if (tie_file(l, &files, row, &l->packages[i++], e)) {
			return -(int)e->rc;
		}
	}
	return 0;
}

static int tie_builds(struct lock *l, const struct toml *first, struct err *e)
{
	CLEANUP(free) struct lock_package **rows = mem_array(l->npackages + 1, sizeof(*rows));
	size_t i = 0;

	for (size_t k = 0; k < l->npackages; k++) {
		rows[k] = &l->packages[k];
	}
	qsort(rows, l->npackages, sizeof(*rows), by_file);
	for (const struct toml *row = first; row; row = row->next) {
		if (tie_build(l, rows, row, &l->packages[i++], e)) {
			return -(int)e->rc;
		}
	}
	return 0;
}

int lock_frozen_read(struct lock *l, const struct toml *root, struct err *e)
{
	const struct toml *first = NULL;

	if (toml_opt_tables(root, "package", &first, e) || tie_files(l, first, e)) {
		return -(int)e->rc;
	}
	return tie_builds(l, first, e);
}

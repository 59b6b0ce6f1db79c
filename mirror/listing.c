#include "mirror/listing.h"
#include "manifests/base/mem.h"
#include "manifests/base/vec.h"
#include "mirror/wheel_alias.h"

#include <stdlib.h>

struct candidate {
	struct listing_file entry;
	struct version version; /* of `version` */
	bool has_version;
	struct dist_name parts; /* wheels */
	bool has_parts;
};

struct candidates {
	struct candidate *v;
	size_t n, cap;
};

static struct listing_file entry_of(struct arena *a, const struct store_file *f)
{
	char *alias = f->file.local_mismatch ? wheel_alias(a, f->file.file) : NULL;

	return (struct listing_file){ f, alias ? str_of(alias) : f->file.file };
}

static bool is_run_with(const struct store_file *f)
{
	return f->is_listed && f->is_current && !f->needs_toolkit && (f->use & USE_RUN);
}

/* Would an installer that asks for the project alone take file i, which is not meant to be run
 * with, instead of an older one that is? */
static bool is_in_the_way(const struct store_target *t, size_t i)
{
	const struct manifest_file *f = &t->files[i].file;

	for (size_t j = i + 1; j < t->nfiles && str_eq(t->files[j].file.name, f->name); j++) {
		if (is_run_with(&t->files[j]) && !str_eq(t->files[j].file.version, f->version)) {
			return true;
		}
	}
	return false;
}

/* pip builds what needs no toolkit, and asks the index for the environment. */
static bool is_for_pip(const struct store_target *t, size_t i)
{
	for (size_t j = 0; j < t->nrecipes; j++) {
		const struct manifest_recipe *r = &t->recipes[j];

		for (size_t k = 0; !r->device_code && k < r->nenvironment; k++) {
			if (r->environment[k] == i) {
				return true;
			}
		}
	}
	return false;
}

static bool is_offered(const struct store_target *t, size_t i)
{
	const struct store_file *f = &t->files[i];

	return f->is_listed && !f->needs_toolkit &&
	       ((f->use & USE_RUN) || !is_in_the_way(t, i) || is_for_pip(t, i));
}

/* The files of one project stand together: begins a new project where the name changes. */
static void push_file(struct listing *l, struct listing_file *all, size_t i)
{
	struct listing_project *last = l->nprojects ? &l->projects[l->nprojects - 1] : NULL;
	struct str name = all[i].file->file.name;

	if (last && str_eq(last->name, name)) {
		last->nfiles++;
		return;
	}
	l->projects[l->nprojects++] = (struct listing_project){ name, &all[i], 1 };
}

void listing_of_target(struct arena *a, const struct store_target *t, struct listing *out)
{
	struct listing_file *all = arena_array(a, t->nfiles, sizeof(*all));
	size_t n = 0;

	out->projects = arena_array(a, t->nfiles, sizeof(*out->projects));
	out->nprojects = 0;
	for (size_t i = 0; i < t->nfiles; i++) {
		if (is_offered(t, i)) {
			all[n] = entry_of(a, &t->files[i]);
			push_file(out, all, n);
			n++;
		}
	}
}

/* ---- for all targets ---- */

static int by_order(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	const struct manifest_file *f = &x->entry.file->file, *g = &y->entry.file->file;
	int c = str_cmp(f->name, g->name);

	if (!c && x->has_version && y->has_version) {
		c = version_cmp(&y->version, &x->version);
	}
	c = c ? c : str_cmp(f->file, g->file);
	return c ? c : digest_cmp(&f->sha256, &g->sha256);
}

static void collect(struct arena *a, const struct store_view *v, struct candidates *out)
{
	struct err ignored = ERR_INIT;

	for (size_t i = 0; i < v->ntargets; i++) {
		for (size_t j = 0; j < v->targets[i].nfiles; j++) {
			const struct store_file *f = &v->targets[i].files[j];
			struct candidate c = { .entry = entry_of(a, f) };

			if (!is_offered(&v->targets[i], j) || f->is_built) {
				continue;
			}
			c.has_version =
				version_parse(a, f->file.version, &c.version, &ignored) == 0;
			c.has_parts = f->file.kind == DIST_WHEEL &&
				      dist_name_parse(a, f->file.file, &c.parts, &ignored) == 0;
			vec_push(out, c);
		}
	}
	if (out->n) {
		qsort(out->v, out->n, sizeof(*out->v), by_order);
	}
}

static void drop_doubles(struct candidates *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct manifest_file *f = &c->v[i].entry.file->file;
		const struct manifest_file *last = n ? &c->v[n - 1].entry.file->file : NULL;

		if (!last || !digest_eq(&f->sha256, &last->sha256) ||
			!str_eq(f->file, last->file)) {
			c->v[n++] = c->v[i];
		}
	}
	c->n = n;
}

/* "manylinux_2_28_x86_64" and "linux_x86_64" run on the same machines: both are "x86_64" here. */
static struct str machine_of(struct str platform)
{
	if (str_starts(platform, "linux_")) {
		return str_skip(platform, 6);
	}
	if (!str_starts(platform, "manylinux")) {
		return platform;
	}
	struct str rest = str_skip(platform, 9);
	if (str_starts(rest, "_")) { /* PEP 600: _MAJOR_MINOR_ */
		rest = str_skip(rest, 1);
		rest = str_skip(rest, str_find(rest, '_') + 1);
	}
	return str_skip(rest, str_find(rest, '_') + 1);
}

static struct str itself(struct str tag)
{
	return tag;
}

/* Do two compressed sets ("py2.py3") share a member? */
static bool is_shared(struct str x, struct str y, struct str (*key)(struct str))
{
	struct str rest, a, b;

	while (str_cut(&x, '.', &a)) {
		rest = y;
		while (str_cut(&rest, '.', &b)) {
			if (str_eq(key(a), key(b))) {
				return true;
			}
		}
	}
	return false;
}

static bool is_other_variant(const struct dist_name *x, const struct dist_name *y)
{
	CLEANUP_BUF struct buf a = BUF_INIT, b = BUF_INIT;

	if (!is_shared(x->python, y->python, itself) || !is_shared(x->abi, y->abi, itself) ||
		!is_shared(x->platform, y->platform, machine_of)) {
		return false;
	}
	version_format_local(&x->version, &a);
	version_format_local(&y->version, &b);
	return !str_eq(buf_str(&a), buf_str(&b));
}

static bool is_ambiguous(const struct candidate *c, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < i; j++) {
			if (str_eq(c[i].entry.file->file.file, c[j].entry.file->file.file) ||
				(c[i].has_parts && c[j].has_parts &&
					is_other_variant(&c[i].parts, &c[j].parts))) {
				return true;
			}
		}
	}
	return false;
}

void listing_of_all(struct arena *a, const struct store_view *v, struct listing *out)
{
	struct candidates c = VEC_INIT;
	size_t begin = 0, n = 0;

	collect(a, v, &c);
	drop_doubles(&c);
	struct listing_file *all = arena_array(a, c.n, sizeof(*all));
	out->projects = arena_array(a, c.n, sizeof(*out->projects));
	out->nprojects = 0;
	for (size_t i = 1; i <= c.n; i++) {
		if (i < c.n &&
			str_eq(c.v[i].entry.file->file.name, c.v[begin].entry.file->file.name)) {
			continue;
		}
		bool skip = is_ambiguous(c.v + begin, i - begin);
		for (; begin < i; begin++) {
			if (!skip) {
				all[n] = c.v[begin].entry;
				push_file(out, all, n++);
			}
		}
	}
	vec_release(&c);
}

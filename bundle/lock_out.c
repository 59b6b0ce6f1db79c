#include "bundle/lock_out.h"
#include "manifests/base/uri.h"
#include "manifests/base/vec.h"
#include "manifests/target_text.h"
#include "manifests/toml.h"

#include <stdlib.h>

static void put_str(struct buf *out, const char *key, struct str value)
{
	buf_addf(out, "%s = ", key);
	toml_put_str(out, value);
	buf_addc(out, '\n');
}

/* A line each where there are several, so that two locks can be compared. */
static void put_strs(struct buf *out, const char *key, const struct str *list, size_t n)
{
	const char *before = n > 1 ? "\n  " : "";

	buf_addf(out, "%s = [", key);
	for (size_t i = 0; i < n; i++) {
		buf_adds(out, before);
		toml_put_str(out, list[i]);
		buf_adds(out, n > 1 ? "," : "");
	}
	buf_adds(out, n > 1 ? "\n]\n" : "]\n");
}

/* ---- [[target]] ---- */

static void put_version(struct buf *out, const char *key, unsigned major, unsigned minor)
{
	buf_addf(out, "%s = \"%u.%u\"\n", key, major, minor);
}

static void put_gpus(const struct target *t, struct buf *out)
{
	buf_adds(out, "gpus = [");
	for (size_t i = 0; i < t->ngpus; i++) {
		buf_addf(out, "%s\"%u.%u\"", i ? ", " : "", t->gpus[i].major, t->gpus[i].minor);
	}
	buf_adds(out, "]\n");
}

/* What was derived from torch is written too: target_make takes it where it says the same. */
static void put_target(const struct target *t, struct buf *out)
{
	struct arena a = ARENA_INIT;

	buf_adds(out, "\n[[target]]\n");
	put_str(out, "name", t->name);
	put_str(out, "python", str_of(target_python_text(&a, &t->python)));
	put_str(out, "platform", t->platform);
	if (t->os == TARGET_LINUX) {
		put_version(out, t->libc == TARGET_MUSL ? "musl" : "glibc", t->libc_major,
			t->libc_minor);
	}
	if (t->ngpus) {
		put_gpus(t, out);
	}
	if (t->driver.n) {
		put_str(out, "driver", t->driver);
	}
	if (t->torch.n) {
		put_str(out, "torch", t->torch);
	}
	if (t->cuda.major || t->is_cuda_known) {
		put_str(out, "cuda", str_of(target_cuda_text(&a, t)));
	}
	if (t->cxx11_abi >= 0) {
		buf_addf(out, "cxx11_abi = %s\n", t->cxx11_abi ? "true" : "false");
	}
	arena_release(&a);
}

/* ---- [[file]] ---- */

struct lock_writer {
	struct arena a; /* working memory */
	const struct plan *plan;
	const struct plan_file **files; /* sorted; what two URLs gave is there once */
	size_t nfiles;
	struct str *references; /* by plan file: what rows call it */
};

static int by_file(const void *a, const void *b)
{
	const struct plan_file *x = *(const struct plan_file *const *)a,
			       *y = *(const struct plan_file *const *)b;
	int order = str_cmp(x->project, y->project);

	order = order ? order : str_cmp(x->from.name.file, y->from.name.file);
	order = order ? order : digest_cmp(&x->from.sha256, &y->from.sha256);
	return order ? order : (x > y) - (x < y);
}

static struct str url_of(struct lock_writer *w, const struct plan_file *f)
{
	return str_of(uri_without_login(&w->a, str_of(f->from.url)));
}

/* Files of one name: rows call them by it, or by their URLs where it is not one file. */
static void name_twins(struct lock_writer *w, const struct plan_file *const *twins, size_t n)
{
	bool is_one = digest_eq(&twins[0]->from.sha256, &twins[n - 1]->from.sha256);
	const struct plan_file *first = twins[0];

	for (size_t i = 0; i < n; i++) {
		if (i == 0 || !digest_eq(&first->from.sha256, &twins[i]->from.sha256)) {
			first = twins[i];
			w->files[w->nfiles++] = first;
		}
		w->references[twins[i] - w->plan->files] =
			is_one ? first->from.name.file : url_of(w, first);
	}
}

static void name_files(struct lock_writer *w)
{
	size_t n = w->plan->nfiles;
	const struct plan_file **all = arena_array(&w->a, n, sizeof(*all));

	w->files = arena_array(&w->a, n, sizeof(*w->files));
	w->references = arena_array(&w->a, n, sizeof(*w->references));
	for (size_t i = 0; i < n; i++) {
		all[i] = &w->plan->files[i];
	}
	if (n) {
		qsort(all, n, sizeof(*all), by_file);
	}
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && str_eq(all[i]->from.name.file, all[end]->from.name.file);
			end++) {
		}
		name_twins(w, &all[i], end - i);
	}
}

static void put_file(struct lock_writer *w, const struct plan_file *f, struct buf *out)
{
	static const char *const promised[] = { [HASH_FROM_INDEX] = "index",
		[HASH_FROM_LOCK] = "lock",
		[HASH_FROM_FIRST_USE] = "first-use" };
	char hex[DIGEST_HEX + 1];

	buf_adds(out, "\n[[file]]\n");
	put_str(out, "name", f->from.name.file);
	put_str(out, "url", url_of(w, f));
	buf_addf(out, "size = %llu\nsha256 = \"%s\"\npromised-by = \"%s\"\n",
		(unsigned long long)f->from.size, digest_hex(&f->from.sha256, hex),
		promised[f->hash_from]);
	if (f->from.is_yanked) {
		put_str(out, "yanked", f->from.yanked);
	}
}

/* ---- [[package]] ---- */

/* What one target needs one file for. Rows with the same text are one row, for several targets. */
struct row {
	struct str project, text; /* text: all but the targets */
	bool is_build;
	size_t target; /* index into plan.targets */
};
struct rows { /* a VEC */
	struct row *v;
	size_t n, cap;
};

static int by_row(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int order = str_cmp(x->project, y->project);

	order = order ? order : (int)x->is_build - (int)y->is_build;
	order = order ? order : str_cmp(x->text, y->text);
	return order ? order : (x->target > y->target) - (x->target < y->target);
}

static bool is_same_row(const struct row *a, const struct row *b)
{
	return a->is_build == b->is_build && str_eq(a->text, b->text);
}

static int by_text(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

static void put_build(struct lock_writer *w, const struct plan_pick *p, struct buf *out)
{
	struct str *names = arena_array(&w->a, p->nenvironment, sizeof(*names));

	for (size_t i = 0; i < p->nenvironment; i++) {
		names[i] = w->plan->files[p->environment[i]].from.name.file;
	}
	if (p->nenvironment) {
		qsort(names, p->nenvironment, sizeof(*names), by_text);
		put_strs(out, "build", names, p->nenvironment);
	}
}

static struct str begin_row(struct lock_writer *w, const struct plan_pick *p, struct buf *text)
{
	CLEANUP_BUF struct buf version = BUF_INIT;
	const struct plan_file *f = &w->plan->files[p->file];

	buf_adds(&version, "==");
	version_format(&f->from.name.version, &version);
	put_str(text, "name", f->project);
	put_str(text, "version", buf_str(&version));
	put_str(text, "file", w->references[p->file]);
	return f->project;
}

static struct row make_row(struct lock_writer *w, const struct plan_pick *p, size_t target)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct row row = { .is_build = !(p->use & USE_RUN), .target = target };

	row.project = begin_row(w, p, &text);
	if (p->nextras) {
		put_strs(&text, "extras", p->extras, p->nextras);
	}
	if (row.is_build) {
		put_str(&text, "use", STR("build"));
	}
	if (!p->is_requested) {
		buf_adds(&text, "dependency = true\n");
	}
	put_build(w, p, &text);
	row.text = arena_str(&w->a, buf_str(&text));
	return row;
}

/* For builds too, and in no environment that would say so. */
static bool needs_build_row(const struct plan_target *t, const struct plan_pick *p)
{
	if (!(p->use & USE_RUN) || !(p->use & USE_BUILD)) {
		return false;
	}
	for (size_t i = 0; i < t->npicks; i++) {
		for (size_t j = 0; j < t->picks[i].nenvironment; j++) {
			if (t->picks[i].environment[j] == p->file) {
				return false;
			}
		}
	}
	return true;
}

static struct row make_build_row(struct lock_writer *w, const struct plan_pick *p, size_t target)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct row row = { .is_build = true, .target = target };

	row.project = begin_row(w, p, &text);
	put_str(&text, "use", STR("build"));
	buf_adds(&text, "dependency = true\n");
	row.text = arena_str(&w->a, buf_str(&text));
	return row;
}

/* A row without a file: nothing of it can be had there, and a waiver takes that. */
static void add_holes(struct lock_writer *w, struct rows *rows, size_t target)
{
	const struct plan *plan = w->plan;

	for (size_t i = 0; i < plan->nholes; i++) {
		const struct plan_hole *h = &plan->holes[i];
		CLEANUP_BUF struct buf text = BUF_INIT;

		if (h->project.n && str_eq(h->target, plan->targets[target].target->name)) {
			put_str(&text, "name", h->project);
			vec_push(rows, (struct row){ .project = h->project,
					       .target = target,
					       .text = arena_str(&w->a, buf_str(&text)) });
		}
	}
}

static void make_rows(struct lock_writer *w, struct rows *rows)
{
	for (size_t i = 0; i < w->plan->ntargets; i++) {
		const struct plan_target *t = &w->plan->targets[i];

		for (size_t j = 0; j < t->npicks; j++) {
			vec_push(rows, make_row(w, &t->picks[j], i));
			if (needs_build_row(t, &t->picks[j])) {
				vec_push(rows, make_build_row(w, &t->picks[j], i));
			}
		}
		add_holes(w, rows, i);
	}
	if (rows->n) {
		qsort(rows->v, rows->n, sizeof(*rows->v), by_row);
	}
}

static void put_packages(struct lock_writer *w, struct buf *out)
{
	const struct plan *plan = w->plan;
	struct str *targets = arena_array(&w->a, plan->ntargets, sizeof(*targets));
	struct rows rows = VEC_INIT;

	make_rows(w, &rows);
	for (size_t i = 0, end; i < rows.n; i = end) {
		size_t n = 0;

		for (end = i; end < rows.n && is_same_row(&rows.v[i], &rows.v[end]); end++) {
			if (end == i || rows.v[end].target != rows.v[end - 1].target) {
				targets[n++] = plan->targets[rows.v[end].target].target->name;
			}
		}
		buf_adds(out, "\n[[package]]\n");
		buf_addstr(out, rows.v[i].text);
		if (n < plan->ntargets) {
			put_strs(out, "targets", targets, n);
		}
	}
	vec_release(&rows);
}

/* ---- what the lock says besides ---- */

static void put_toolkit(const struct lock *l, struct buf *out)
{
	if (l->toolkit == LOCK_TOOLKIT_WHEELS) {
		buf_adds(out, "\n[toolkit]\nfrom = \"wheels\"\n");
		put_strs(out, "packages", l->toolkit_packages, l->ntoolkit_packages);
	} else if (l->toolkit == LOCK_TOOLKIT_SITE) {
		buf_adds(out, "\n[toolkit]\nfrom = \"site\"\n");
		put_str(out, "version", l->toolkit_version);
	}
}

static void put_recipe(const struct lock_recipe *r, struct buf *out)
{
	buf_addf(out, "\n[recipe.%.*s]\n", STR_ARG(r->name));
	if (r->nrequires) {
		put_strs(out, "requires", r->requires, r->nrequires);
	}
	if (r->has_device_code) {
		buf_addf(out, "device-code = %s\n", r->device_code ? "true" : "false");
	}
	if (r->reason.n) {
		put_str(out, "reason", r->reason);
	}
	for (size_t i = 0; i < r->nenv; i++) {
		CLEANUP_BUF struct buf key = BUF_INIT;

		buf_addf(&key, "env.%.*s", STR_ARG(r->env_names[i]));
		put_str(out, key.p, r->env_values[i]);
	}
}

static void put_override(const struct lock_override *o, struct buf *out)
{
	buf_addf(out, "\n[override.%.*s]\n", STR_ARG(o->name));
	if (o->is_exclude) {
		buf_adds(out, "exclude = true\n");
	} else {
		put_str(out, "version", o->text.n ? o->text : STR("*"));
	}
	put_str(out, "reason", o->reason);
}

static bool is_planned(const struct plan *plan, struct str target)
{
	for (size_t i = 0; i < plan->ntargets; i++) {
		if (str_eq(plan->targets[i].target->name, target)) {
			return true;
		}
	}
	return false;
}

/* Options may waive what the lock waives already: the first one counts (lock_waives), and it stands
 * alone. */
static bool is_waived_before(const struct lock *l, size_t waiver)
{
	for (size_t i = 0; i < waiver; i++) {
		if (str_eq(l->waivers[i].name, l->waivers[waiver].name) &&
			str_eq(l->waivers[i].target, l->waivers[waiver].target)) {
			return true;
		}
	}
	return false;
}

static void put_waivers(const struct lock *l, const struct plan *plan, struct buf *out)
{
	bool any = false;

	for (size_t i = 0; i < l->nwaivers; i++) {
		const struct lock_waiver *w = &l->waivers[i];
		CLEANUP_BUF struct buf key = BUF_INIT;

		if (is_waived_before(l, i) || (w->target.n && !is_planned(plan, w->target))) {
			continue;
		}
		buf_addf(&key, "\"%.*s%s%.*s\"", STR_ARG(w->name), w->target.n ? "@" : "",
			STR_ARG(w->target));
		buf_adds(out, any ? "" : "\n[waive]\n");
		put_str(out, key.p, w->reason);
		any = true;
	}
}

void lock_write(const struct lock *lock, const struct plan *plan, struct buf *out)
{
	struct lock_writer w = { .plan = plan };
	char hex[DIGEST_HEX + 1];

	name_files(&w);
	buf_adds(out, "# Written by gpkg-bundle resolve: every file is chosen. `create` makes of "
		      "it the bundle\n"
		      "# that it makes of the lock with this sha256.\nlock-version = 1\n");
	buf_addf(out, "resolved-from = \"%s\"\n", digest_hex(&lock->sha256, hex));
	if (lock->name.n) {
		put_str(out, "name", lock->name);
	}
	for (size_t i = 0; i < plan->ntargets; i++) {
		put_target(plan->targets[i].target, out);
	}
	put_packages(&w, out);
	for (size_t i = 0; i < w.nfiles; i++) {
		put_file(&w, w.files[i], out);
	}
	put_toolkit(lock, out);
	for (size_t i = 0; i < lock->nrecipes; i++) {
		put_recipe(&lock->recipes[i], out);
	}
	for (size_t i = 0; i < lock->noverrides; i++) {
		put_override(&lock->overrides[i], out);
	}
	put_waivers(lock, plan, out);
	arena_release(&w.a);
}

#include "mirror/inspect.h"
#include "manifests/base/log.h"
#include "manifests/target_text.h"

#include <stdlib.h>

void inspection_of_manifest(struct arena *a, const struct manifest *m, struct inspection *out)
{
	out->ntargets = m->ntargets;
	out->targets = arena_array(a, m->ntargets, sizeof(*out->targets));
	for (size_t i = 0; i < m->ntargets; i++) {
		const struct manifest_target *t = &m->targets[i];
		struct inspect_target *it = &out->targets[i];

		it->target = &t->target;
		it->nfiles = t->npicks;
		it->files = arena_array(a, t->npicks, sizeof(*it->files));
		for (size_t j = 0; j < t->npicks; j++) {
			it->files[j] = (struct inspect_file){ .file = &m->files[t->picks[j].file],
				.use = t->picks[j].use };
		}
	}
}

void inspection_of_view(struct arena *a, const struct store_view *v, struct inspection *out)
{
	out->ntargets = v->ntargets;
	out->targets = arena_array(a, v->ntargets, sizeof(*out->targets));
	for (size_t i = 0; i < v->ntargets; i++) {
		const struct store_target *t = &v->targets[i];
		struct inspect_target *it = &out->targets[i];

		it->target = &t->target;
		it->nfiles = t->nfiles;
		it->files = arena_array(a, t->nfiles, sizeof(*it->files));
		for (size_t j = 0; j < t->nfiles; j++) {
			it->files[j] = (struct inspect_file){ .file = &t->files[j].file,
				.use = t->files[j].use, .is_built = t->files[j].is_built };
		}
	}
}

/* "run", "build+toolkit", "built here": why the target has it. */
static const char *use_word(const struct inspect_file *f)
{
	static const char *const words[] = { "", "run", "build", "run+build", "toolkit", "run+toolkit",
		"build+toolkit", "run+build+toolkit" };

	return f->is_built ? "built here" : words[f->use & 7];
}

void inspection_targets(const struct inspection *x, struct buf *out)
{
	struct arena a = ARENA_INIT;
	char size[24];

	for (size_t i = 0; i < x->ntargets; i++) {
		const struct inspect_target *t = &x->targets[i];

		buf_addf(out, "%s%.*s: %s\n", i ? "\n" : "", STR_ARG(t->target->name),
			target_line(&a, t->target));
		for (size_t j = 0; j < t->nfiles; j++) {
			const struct manifest_file *f = t->files[j].file;

			buf_addf(out, "  %-28.*s %-14.*s %9s  %-13s %.*s%s%.*s%s\n", STR_ARG(f->name),
				STR_ARG(f->version), log_size(f->size, size), use_word(&t->files[j]),
				STR_ARG(f->file), f->device_code.n ? "  [" : "", STR_ARG(f->device_code),
				f->device_code.n ? "]" : "");
		}
	}
	arena_release(&a);
}

/* ---- each distinct file, and each project, once ---- */

static int by_file(const void *a, const void *b)
{
	const struct manifest_file *x = *(const struct manifest_file *const *)a;
	const struct manifest_file *y = *(const struct manifest_file *const *)b;
	int order = str_cmp(x->name, y->name);

	order = order ? order : str_cmp(x->file, y->file);
	return order ? order : digest_cmp(&x->sha256, &y->sha256);
}

static const struct manifest_file **sorted_files(struct arena *a, const struct inspection *x, size_t *n)
{
	size_t total = 0, count = 0;

	for (size_t i = 0; i < x->ntargets; i++) {
		total += x->targets[i].nfiles;
	}
	const struct manifest_file **all = arena_array(a, total, sizeof(*all));
	for (size_t i = 0; i < x->ntargets; i++) {
		for (size_t j = 0; j < x->targets[i].nfiles; j++) {
			all[count++] = x->targets[i].files[j].file;
		}
	}
	qsort(all, count, sizeof(*all), by_file);
	*n = 0;
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || by_file(&all[*n - 1], &all[i]) != 0) {
			all[(*n)++] = all[i];
		}
	}
	return all;
}

void inspection_files(const struct inspection *x, struct buf *out)
{
	struct arena a = ARENA_INIT;
	char hex[DIGEST_HEX + 1];
	size_t n;
	const struct manifest_file **files = sorted_files(&a, x, &n);

	for (size_t i = 0; i < n; i++) {
		buf_addf(out, "%s  %12llu  %.*s\n", digest_hex(&files[i]->sha256, hex),
			(unsigned long long)files[i]->size, STR_ARG(files[i]->file));
	}
	arena_release(&a);
}

/* What a target has of a project: the version, marked where it is an sdist that nobody built yet. */
static const char *cell(struct arena *a, const struct inspect_target *t, struct str project)
{
	const struct inspect_file *best = NULL;

	for (size_t j = 0; j < t->nfiles; j++) {
		const struct inspect_file *f = &t->files[j];

		if (str_eq(f->file->name, project) && (!best || f->file->kind == DIST_WHEEL)) {
			best = f;
		}
	}
	if (!best) {
		return "-";
	}
	return arena_printf(a, "%.*s%s", STR_ARG(best->file->version),
		best->is_built			     ? " built"
		: best->file->kind == DIST_SDIST     ? " sdist"
						     : "");
}

void inspection_matrix(const struct inspection *x, struct buf *out)
{
	struct arena a = ARENA_INIT;
	size_t n;
	const struct manifest_file **files = sorted_files(&a, x, &n);

	buf_addf(out, "%-28s", "");
	for (size_t i = 0; i < x->ntargets; i++) {
		buf_addf(out, " %-16.*s", STR_ARG(x->targets[i].target->name));
	}
	buf_addc(out, '\n');
	for (size_t i = 0; i < n; i++) {
		if (i && str_eq(files[i]->name, files[i - 1]->name)) {
			continue;
		}
		buf_addf(out, "%-28.*s", STR_ARG(files[i]->name));
		for (size_t j = 0; j < x->ntargets; j++) {
			buf_addf(out, " %-16s", cell(&a, &x->targets[j], files[i]->name));
		}
		buf_addc(out, '\n');
	}
	arena_release(&a);
}

static void put_file(const struct manifest_file *f, struct json_out *o)
{
	char hex[DIGEST_HEX + 1];

	json_begin_object(o);
	json_str(o, "device_code", f->device_code);
	json_str(o, "file", f->file);
	json_str(o, "name", f->name);
	json_str(o, "origin", f->origin);
	json_cstr(o, "sha256", digest_hex(&f->sha256, hex));
	json_u64(o, "size", f->size);
	json_str(o, "version", f->version);
	json_end_object(o);
}

static void put_plan(const struct inspect_target *t, struct json_out *o)
{
	char hex[DIGEST_HEX + 1];

	json_begin_object(o);
	json_put_key(o, "files");
	json_begin_array(o);
	for (size_t j = 0; j < t->nfiles; j++) {
		json_begin_object(o);
		json_str(o, "file", t->files[j].file->file);
		json_cstr(o, "sha256", digest_hex(&t->files[j].file->sha256, hex));
		json_cstr(o, "use", use_word(&t->files[j]));
		json_end_object(o);
	}
	json_end_array(o);
	json_put_key(o, "machine");
	json_begin_object(o);
	target_put_json(t->target, o);
	json_end_object(o);
	json_end_object(o);
}

void inspection_json(const struct inspection *x, struct json_out *o)
{
	struct arena a = ARENA_INIT;
	size_t n;
	const struct manifest_file **files = sorted_files(&a, x, &n);

	json_put_key(o, "distinct_files");
	json_begin_array(o);
	for (size_t i = 0; i < n; i++) {
		put_file(files[i], o);
	}
	json_end_array(o);
	json_put_key(o, "plans");
	json_begin_array(o);
	for (size_t i = 0; i < x->ntargets; i++) {
		put_plan(&x->targets[i], o);
	}
	json_end_array(o);
	arena_release(&a);
}

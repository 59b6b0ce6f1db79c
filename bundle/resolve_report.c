#include "bundle/resolve_report.h"
#include "bundle/plan_report.h"
#include "manifests/base/log.h"
#include "manifests/base/uri.h"
#include "manifests/base/vec.h"
#include "manifests/target_text.h"

#include <stdlib.h>
#include <string.h>

static const char *const use_words[] = { "run", "build", "toolkit" }; /* by the bits of USE_* */

/* ---- a target's files ---- */

struct line { /* "numpy  2.3.5  numpy-2.3.5-...whl  16.6 MB  build" */
	struct str project, version, file, size, use;
};

static int by_project(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	int order = str_cmp(x->project, y->project);

	return order ? order : str_cmp(x->file, y->file);
}

static const char *version_text(struct arena *a, const struct version *v)
{
	CLEANUP_BUF struct buf text = BUF_INIT;

	version_format(v, &text);
	return arena_dup(a, buf_str(&text));
}

/* What runs on the far side needs no word. */
static struct str use_text(struct arena *a, const struct plan_pick *p, enum dist_kind kind)
{
	CLEANUP_BUF struct buf text = BUF_INIT;

	for (unsigned i = 0; p->use != USE_RUN && i < 3; i++) {
		if (p->use & 1u << i) {
			buf_addf(&text, "%s%s", text.n ? ", " : "", use_words[i]);
		}
	}
	if (kind == DIST_SDIST) {
		buf_addf(&text, "%s(sdist, to build)", text.n ? " " : "");
	}
	return text.n ? arena_str(a, buf_str(&text)) : STR_NULL;
}

static size_t longest(size_t n, struct str s)
{
	return s.n > n ? s.n : n;
}

static void put_lines(const struct line *lines, size_t n, struct buf *out)
{
	size_t project = 0, version = 0, file = 0, size = 0;

	for (size_t i = 0; i < n; i++) {
		project = longest(project, lines[i].project);
		version = longest(version, lines[i].version);
		file = longest(file, lines[i].file);
		size = longest(size, lines[i].size);
	}
	for (size_t i = 0; i < n; i++) {
		const struct line *l = &lines[i];

		buf_addf(out, "  %-*.*s  %-*.*s  ", (int)project, STR_ARG(l->project), (int)version,
			STR_ARG(l->version));
		if (l->size.n) {
			buf_addf(out, "%-*.*s  %*.*s%s%.*s\n", (int)file, STR_ARG(l->file),
				(int)size, STR_ARG(l->size), l->use.n ? "  " : "", STR_ARG(l->use));
		} else {
			buf_addf(out, "%.*s\n", STR_ARG(l->file));
		}
	}
}

/* "12 files, 2.3 GB", where sizes are known. */
static void put_sum(size_t n, uint64_t bytes, size_t unknown, struct buf *out)
{
	char size[24];

	buf_addf(out, "%zu %s, %s", n, n == 1 ? "file" : "files", log_size(bytes, size));
	if (unknown) {
		buf_addf(out, " and %zu of unknown size", unknown);
	}
	buf_addc(out, '\n');
}

static void put_target(const struct plan *p, const struct plan_target *t, struct buf *out)
{
	struct arena a = ARENA_INIT;
	struct line *lines = arena_array(&a, t->npicks + t->ngiven, sizeof(*lines));
	uint64_t bytes = 0;
	size_t n = 0, unknown = 0;
	char size[24];

	for (size_t i = 0; i < t->npicks; i++) {
		const struct index_file *f = &p->files[t->picks[i].file].from;

		lines[n++] = (struct line){ .project = f->name.name,
			.version = str_of(version_text(&a, &f->name.version)),
			.file = f->name.file,
			.size = arena_str(&a, str_of(f->has_size ? log_size(f->size, size) : "?")),
			.use = use_text(&a, &t->picks[i], f->name.kind) };
		bytes += f->has_size ? f->size : 0;
		unknown += !f->has_size;
	}
	for (size_t i = 0; i < t->ngiven; i++) {
		lines[n++] = (struct line){ .project = t->given[i].project,
			.version = str_of(version_text(&a, &t->given[i].version)),
			.file = STR("(the target has it)") };
	}
	qsort(lines, n, sizeof(*lines), by_project);
	buf_addf(out, "%.*s: %s\n", STR_ARG(t->target->name), target_line(&a, t->target));
	put_lines(lines, n, out);
	buf_adds(out, "  ");
	put_sum(t->npicks, bytes, unknown, out);
	arena_release(&a);
}

void resolve_report_text(const struct plan *p, struct buf *out)
{
	uint64_t bytes = 0;
	size_t unknown = 0;

	for (size_t i = 0; i < p->ntargets; i++) {
		put_target(p, &p->targets[i], out);
		buf_addc(out, '\n');
	}
	for (size_t i = 0; i < p->nfiles; i++) {
		bytes += p->files[i].from.has_size ? p->files[i].from.size : 0;
		unknown += !p->files[i].from.has_size;
	}
	buf_adds(out, "all targets, each file once: ");
	put_sum(p->nfiles, bytes, unknown, out);
}

/* ---- --explain ---- */

enum { PAGE_WIDTH = 100, STAGE_WIDTH = 15, WHY_COLUMN = 20 };

static const char *stage_text(const struct plan_candidate *c)
{
	return c->stage[0] ? c->stage : c->is_chosen ? "chosen" : "fits";
}

/* Where all come from one place, it is said once, above them. */
static struct str common_source(const struct plan_explained *x)
{
	for (size_t i = 1; i < x->ncandidates; i++) {
		if (!str_eq(x->candidates[0].source, x->candidates[i].source)) {
			return STR_NULL;
		}
	}
	return x->ncandidates ? x->candidates[0].source : STR_NULL;
}

/* Words up to the width of the page, in lines that begin at WHY_COLUMN. */
static void put_wrapped(struct str text, struct buf *out)
{
	size_t column = PAGE_WIDTH;
	struct str word;

	while (str_cut(&text, ' ', &word)) {
		if (column + 1 + word.n > PAGE_WIDTH) {
			buf_addf(out, "\n%*s", WHY_COLUMN, "");
			column = WHY_COLUMN;
		} else {
			buf_addc(out, ' ');
			column++;
		}
		buf_addstr(out, word);
		column += word.n;
	}
}

static void put_candidate(const struct plan_candidate *c, bool with_source, struct buf *out)
{
	CLEANUP_BUF struct buf why = BUF_INIT;

	buf_addstr(&why, c->why);
	if (with_source) {
		buf_addf(&why, "%s%s%.*s", why.n ? " " : "", "from ", STR_ARG(c->source));
	}
	buf_addf(out, "  %-*s %.*s", STAGE_WIDTH, stage_text(c), STR_ARG(c->file));
	if (why.n && 2 + STAGE_WIDTH + 1 + c->file.n + 2 + why.n <= PAGE_WIDTH) {
		buf_addf(out, ": %.*s", STR_ARG(buf_str(&why)));
	} else if (why.n) {
		put_wrapped(buf_str(&why), out);
	}
	buf_addc(out, '\n');
}

struct stage_total {
	const char *stage;
	size_t n;
};

/* "3 python, 12 torch, 1 chosen", in the order in which they were met. */
static void put_totals(const struct plan_explained *x, struct buf *out)
{
	VEC(struct stage_total) totals = VEC_INIT;

	for (size_t i = 0; i < x->ncandidates; i++) {
		const char *stage = stage_text(&x->candidates[i]);
		size_t j = 0;

		while (j < totals.n && strcmp(totals.v[j].stage, stage) != 0) {
			j++;
		}
		if (j == totals.n) {
			vec_push(&totals, (struct stage_total){ .stage = stage });
		}
		totals.v[j].n++;
	}
	vec_each(struct stage_total, t, &totals) {
		buf_addf(out, "%s%zu %s", t == totals.v ? "  " : ", ", t->n, t->stage);
	}
	buf_adds(out, totals.n ? "\n" : "");
	vec_release(&totals);
}

static void put_explained(const struct plan_explained *x, struct buf *out)
{
	struct str source = common_source(x);

	buf_addf(out, "%zu %s%s%.*s\n", x->ncandidates,
		x->ncandidates == 1 ? "candidate" : "candidates", source.n ? " from " : "",
		STR_ARG(source));
	for (size_t i = 0; i < x->ncandidates; i++) {
		put_candidate(&x->candidates[i], !source.n, out);
	}
	put_totals(x, out);
}

static void explain_target(
	const struct plan *p, const struct plan_target *t, struct str project, struct buf *out)
{
	struct arena a = ARENA_INIT;
	bool said = false;

	buf_addf(out, "%.*s for %.*s: ", STR_ARG(project), STR_ARG(t->target->name));
	for (size_t i = 0; i < t->ngiven; i++) {
		if (str_eq(t->given[i].project, project)) {
			buf_addf(
				out, "the target has %s\n", version_text(&a, &t->given[i].version));
			said = true;
		}
	}
	for (size_t i = 0; !said && i < p->nexplained; i++) {
		const struct plan_explained *x = &p->explained[i];

		if (x->ncandidates && str_eq(x->target, t->target->name)) {
			put_explained(x, out);
			said = true;
		}
	}
	buf_adds(out, said ? "" : "no index has a file of it\n");
	arena_release(&a);
}

void resolve_report_explain(const struct plan *p, struct str project, struct buf *out)
{
	for (size_t i = 0; i < p->ntargets; i++) {
		buf_adds(out, i ? "\n" : "");
		explain_target(p, &p->targets[i], project, out);
	}
}

/* ---- JSON ---- */

static void put_use(unsigned use, struct json_out *o)
{
	json_put_key(o, "use");
	json_begin_array(o);
	for (unsigned i = 0; i < 3; i++) {
		if (use & 1u << i) {
			json_put_str(o, str_of(use_words[i]));
		}
	}
	json_end_array(o);
}

static void put_file(const struct index_file *f, const struct plan_pick *p, struct json_out *o)
{
	struct arena a = ARENA_INIT;
	char hex[DIGEST_HEX + 1];

	json_begin_object(o);
	json_put_key(o, "extras");
	json_begin_array(o);
	for (size_t i = 0; i < p->nextras; i++) {
		json_put_str(o, p->extras[i]);
	}
	json_end_array(o);
	json_str(o, "file", f->name.file);
	json_cstr(o, "kind", f->name.kind == DIST_SDIST ? "sdist" : "wheel");
	json_str(o, "name", f->name.name);
	json_bool(o, "requested", p->is_requested);
	json_cstr(o, "sha256", f->has_sha256 ? digest_hex(&f->sha256, hex) : NULL);
	json_put_key(o, "size");
	if (f->has_size) {
		json_put_u64(o, f->size);
	} else {
		json_put_null(o);
	}
	json_cstr(o, "url", uri_redact(&a, str_of(f->url)));
	put_use(p->use, o);
	json_cstr(o, "version", version_text(&a, &f->name.version));
	json_end_object(o);
	arena_release(&a);
}

static void put_given(const struct plan_target *t, struct json_out *o)
{
	struct arena a = ARENA_INIT;

	json_put_key(o, "given");
	json_begin_array(o);
	for (size_t i = 0; i < t->ngiven; i++) {
		json_begin_object(o);
		json_str(o, "name", t->given[i].project);
		json_cstr(o, "version", version_text(&a, &t->given[i].version));
		json_end_object(o);
	}
	json_end_array(o);
	arena_release(&a);
}

static void put_targets(const struct plan *p, struct json_out *o)
{
	json_put_key(o, "targets");
	json_begin_array(o);
	for (size_t i = 0; i < p->ntargets; i++) {
		const struct plan_target *t = &p->targets[i];

		json_begin_object(o);
		json_put_key(o, "files");
		json_begin_array(o);
		for (size_t j = 0; j < t->npicks; j++) {
			put_file(&p->files[t->picks[j].file].from, &t->picks[j], o);
		}
		json_end_array(o);
		put_given(t, o);
		json_str(o, "name", t->target->name);
		json_end_object(o);
	}
	json_end_array(o);
}

static void put_candidates(const struct plan_explained *x, struct json_out *o)
{
	json_put_key(o, "candidates");
	json_begin_array(o);
	for (size_t i = 0; i < x->ncandidates; i++) {
		const struct plan_candidate *c = &x->candidates[i];

		json_begin_object(o);
		json_bool(o, "chosen", c->is_chosen);
		json_str(o, "file", c->file);
		json_str(o, "source", c->source);
		json_cstr(o, "stage", c->stage);
		json_str(o, "version", c->version);
		json_str(o, "why", c->why);
		json_end_object(o);
	}
	json_end_array(o);
}

static void put_explain(const struct plan *p, struct json_out *o)
{
	json_put_key(o, "explain");
	json_begin_array(o);
	for (size_t i = 0; i < p->nexplained; i++) {
		json_begin_object(o);
		put_candidates(&p->explained[i], o);
		json_str(o, "package", p->explained[i].project);
		json_str(o, "target", p->explained[i].target);
		json_end_object(o);
	}
	json_end_array(o);
}

void resolve_report_json(const struct plan *p, const struct err *failed, struct buf *out)
{
	struct json_out w, *o = &w;

	json_out_init(o, out, true);
	json_begin_object(o);
	if (failed) {
		plan_put_error(failed, o);
	}
	put_explain(p, o);
	plan_put_holes(p, o);
	plan_put_notes(p, o);
	json_bool(o, "ok", !failed);
	put_targets(p, o);
	json_end_object(o);
}

#include "bundle/choose.h"

#include <stdio.h>

int choose_target_init(struct arena *a, const struct target *t, struct choose_target *out, struct err *e)
{
	out->t = t;
	target_marker_env(a, t, &out->env);
	tag_list_of(a, t, &out->tags);
	return version_parse(a, out->env.value[MARKER_PYTHON_FULL_VERSION], &out->python, e);
}

bool choose_python_fits(const struct choose_target *t, struct str requires_python)
{
	struct arena a = ARENA_INIT;
	struct specifier_set set;
	struct err ignored = ERR_INIT;
	bool fits = !requires_python.n || specifier_parse(&a, requires_python, &set, &ignored) ||
		    specifier_contains(&set, &t->python);

	arena_release(&a);
	return fits;
}

/* ---- the local label: a variant of the target, never a newer version ---- */

/* "cu130" of "+cu130" or of "+cu12torch2.8": the label's CUDA part, or empty. */
static struct str cuda_part(struct str label)
{
	if (!str_starts(label, "cu")) {
		return STR_NULL;
	}
	size_t n = 2;
	while (n < label.n && label.p[n] >= '0' && label.p[n] <= '9') {
		n++;
	}
	return n > 2 ? str_first(label, n) : STR_NULL;
}

static bool label_fits(const struct choose_target *t, const struct version *v)
{
	CLEANUP_BUF struct buf label = BUF_INIT;
	char major[16], full[32];

	if (!v->nlocal || !t->t->cuda.major) {
		return true;
	}
	version_format_local(v, &label);
	struct str cuda = cuda_part(buf_str(&label));
	snprintf(major, sizeof(major), "cu%u", t->t->cuda.major);
	snprintf(full, sizeof(full), "cu%u%u", t->t->cuda.major, t->t->cuda.minor);
	if (cuda.n) {
		return str_is(cuda, major) || str_is(cuda, full);
	}
	struct str s = buf_str(&label);
	return !(str_starts(s, "cpu") || str_starts(s, "rocm") || str_starts(s, "xpu"));
}

/* ---- ranking ---- */

enum fit { FITS, WRONG_VERSION, WRONG_LABEL, WRONG_PYTHON, WRONG_TAGS };

static enum fit judge(const struct choose_target *t, const struct specifier_set *specifiers,
	const struct index_file *f, int *rank)
{
	*rank = 0;
	if (!specifier_contains(specifiers, &f->name.version)) {
		return WRONG_VERSION;
	}
	if (!label_fits(t, &f->name.version)) {
		return WRONG_LABEL;
	}
	if (!choose_python_fits(t, f->requires_python)) {
		return WRONG_PYTHON;
	}
	if (f->name.kind == DIST_SDIST) {
		return FITS;
	}
	*rank = tag_rank(&t->tags, &f->name);
	return *rank < 0 ? WRONG_TAGS : FITS;
}

/* Not yanked before yanked, wheels before sdists, then rank, then the higher build tag, then the name: one order. */
static bool is_better(const struct index_file *f, int rank, const struct index_file *best, int best_rank)
{
	if (f->is_yanked != best->is_yanked) {
		return best->is_yanked;
	}
	if (f->name.kind != best->name.kind) {
		return f->name.kind == DIST_WHEEL;
	}
	if (rank != best_rank) {
		return rank < best_rank;
	}
	if (f->name.build_number != best->name.build_number) {
		return f->name.build_number > best->name.build_number;
	}
	int order = str_cmp(f->name.build, best->name.build);
	return order ? order > 0 : str_cmp(f->name.file, best->name.file) < 0;
}

static int ambiguous(const struct choose_target *t, const struct index_project *page,
	const struct index_file *one, const struct index_file *other, struct err *e)
{
	err_set(e, RC_AMBIGUOUS, "%.*s: %.*s has several variants that fit: %.*s and %.*s",
		STR_ARG(t->t->name), STR_ARG(page->name), STR_ARG(one->name.file),
		STR_ARG(other->name.file));
	return err_hint(e, "pin the whole version with its local part, or state torch or cuda of the target");
}

/* ---- saying what there is instead ---- */

static struct str no_version(struct arena *a, const struct choose_target *t, const struct index_project *page)
{
	struct specifier_set any = { .n = 0 };
	struct str newest = choose_newest(a, t, &any, page);
	size_t total = page->nfiles;

	if (!newest.n) {
		return str_of(arena_printf(a, "none of its %zu files fits this target", total));
	}
	return str_of(arena_printf(a, "no such version; the newest that fits is %.*s", STR_ARG(newest)));
}

static void add_tags(struct buf *b, const struct index_file *f)
{
	buf_addf(b, "%s%.*s-%.*s-%.*s", b->n ? ", " : "", STR_ARG(f->name.python), STR_ARG(f->name.abi),
		STR_ARG(f->name.platform));
}

struct tally {
	size_t tags, python, label, shown;
	struct buf tag_list;
	struct str python_text;
};

static struct str say_why(struct arena *a, const struct choose_target *t, const struct index_project *page,
	const struct tally *n)
{
	if (n->label) {
		return STR("its builds are for another CUDA than the target's");
	}
	if (n->tags) {
		return str_of(arena_printf(a, "no wheel of it fits, and there is no sdist; there are wheels for %.*s%s",
			STR_ARG(buf_str(&n->tag_list)), n->tags > n->shown ? ", ..." : ""));
	}
	if (n->python) {
		return str_of(arena_printf(a, "it needs Python %.*s", STR_ARG(n->python_text)));
	}
	return no_version(a, t, page);
}

static void count_misfit(struct tally *n, enum fit fit, const struct index_file *f)
{
	n->label += fit == WRONG_LABEL;
	if (fit == WRONG_TAGS) {
		n->tags++;
		if (n->shown < 6) {
			n->shown++;
			add_tags(&n->tag_list, f);
		}
	}
	if (fit == WRONG_PYTHON) {
		n->python++;
		n->python_text = f->requires_python;
	}
}

int choose_file(struct arena *a, const struct choose_target *t, const struct specifier_set *specifiers,
	const struct index_project *page, const struct index_file **out, struct str *why, struct err *e)
{
	const struct index_file *best = NULL;
	struct tally tally = { .tag_list = BUF_INIT };
	int best_rank = 0, r = 0;

	for (size_t i = 0; i < page->nfiles && !r; i++) {
		const struct index_file *f = &page->files[i];
		int rank;
		enum fit fit = judge(t, specifiers, f, &rank);

		if (fit != FITS) {
			count_misfit(&tally, fit, f);
		} else if (best && f->name.kind == best->name.kind && f->is_yanked == best->is_yanked &&
			   version_cmp(&f->name.version, &best->name.version) != 0) {
			r = ambiguous(t, page, best, f, e);
		} else if (!best || is_better(f, rank, best, best_rank)) {
			best = f;
			best_rank = rank;
		}
	}
	if (!r) {
		*out = best;
		*why = best ? STR_NULL : say_why(a, t, page, &tally);
	}
	buf_release(&tally.tag_list);
	return r;
}

struct str choose_newest(struct arena *a, const struct choose_target *t, const struct specifier_set *specifiers,
	const struct index_project *page)
{
	const struct index_file *newest = NULL;
	CLEANUP_BUF struct buf b = BUF_INIT;

	for (size_t i = 0; i < page->nfiles; i++) {
		const struct index_file *f = &page->files[i];
		int rank;

		if (!f->is_yanked && !version_is_prerelease(&f->name.version) &&
			judge(t, specifiers, f, &rank) == FITS &&
			(!newest || version_cmp(&f->name.version, &newest->name.version) > 0)) {
			newest = f;
		}
	}
	if (newest) {
		version_format(&newest->name.version, &b);
	}
	return arena_str(a, buf_str(&b));
}

#include "bundle/candidates.h"
#include "manifests/target_text.h"

#include <stdlib.h>
#include <string.h>

enum { OTHERS_MAX = 12 }; /* files that a message lists */

int target_view_init(struct arena *a, const struct target *t, struct target_view *out, struct err *e)
{
	*out = (struct target_view){ .t = t };
	target_marker_env(a, t, &out->env);
	tag_list_of(a, t, &out->tags);
	int r = version_parse(a, out->env.value[MARKER_PYTHON_FULL_VERSION], &out->python, e);
	if (!r && t->torch.n) {
		out->has_torch = true;
		r = version_parse(a, t->torch, &out->torch, e);
	}
	return r;
}

static bool read_takes_python(const struct target_view *t, struct str requires_python)
{
	struct arena a = ARENA_INIT;
	struct specifier_set set;
	struct err ignored = ERR_INIT;
	bool takes = specifier_parse(&a, requires_python, &set, &ignored) != 0 ||
		     specifier_contains(&set, &t->python);

	arena_release(&a);
	return takes;
}

bool target_view_takes_python(struct target_view *t, struct str requires_python)
{
	if (!requires_python.n) {
		return true;
	}
	if (!str_eq(t->asked, requires_python)) {
		t->asked = requires_python;
		t->answer = read_takes_python(t, requires_python);
	}
	return t->answer;
}

const char *candidate_stage_name(enum candidate_stage stage)
{
	static const char *const names[] = { "", "url", "hash", "yanked", "python", "tags", "torch-given", "cuda",
		"torch", "torch-ambiguous", "abi", "gpu" };

	return names[stage];
}

/* ---- one file ---- */

static void say(struct str *why, const char *text)
{
	if (why) {
		*why = str_of(text);
	}
}

static enum candidate_stage stage_of(enum variant_misfit m)
{
	switch (m) {
	case VARIANT_WRONG_CUDA:
		return CANDIDATE_CUDA;
	case VARIANT_WRONG_TORCH:
		return CANDIDATE_TORCH;
	case VARIANT_WRONG_ABI:
		return CANDIDATE_ABI;
	case VARIANT_WRONG_GPU:
		return CANDIDATE_GPU;
	case VARIANT_AMBIGUOUS_TORCH:
		return CANDIDATE_TORCH_AMBIGUOUS;
	case VARIANT_FITS:
		break;
	}
	return CANDIDATE_FITS;
}

/* GPUs say that a target is one for CUDA, though not of which version. */
static bool is_useless_to_gpus(const struct target *t, bool is_cuda, struct arena *a, struct str *why)
{
	if (is_cuda || t->is_cuda_known || t->ngpus == 0) {
		return false;
	}
	say(why, arena_printf(a, "a build without CUDA for a target with GPUs (sm_%u%u); state its torch or cuda, "
				 "\"none\" if that is what it is to have", t->gpus[0].major, t->gpus[0].minor));
	return true;
}

static enum candidate_stage judge_label(const struct target_view *t, enum variant_torch_style style,
	const struct index_file *f, struct arena *a, struct str *why)
{
	const struct version *v = &f->name.version;
	CLEANUP_BUF struct buf label = BUF_INIT;
	struct variant variant;

	if (!v->nlocal) {
		return CANDIDATE_FITS;
	}
	version_format_local(v, &label);
	variant_parse(a, buf_str(&label), style, &variant);
	variant.ntorch = f->is_torch_free ? 0 : variant.ntorch;
	if (is_useless_to_gpus(t->t, !variant.accelerator || variant.accelerator == VARIANT_CUDA, a, why)) {
		return CANDIDATE_CUDA;
	}
	return stage_of(variant_judge(&variant, t->t, a, why));
}

/* The build that an index shows without a label is still one for a certain CUDA, or for none. */
static enum candidate_stage judge_plain_torch(const struct target_view *t, const struct index_file *f,
	struct arena *a, struct str *why)
{
	const struct version *v = &f->name.version;
	const struct cuda_version want = t->t->cuda;
	struct cuda_version has;

	if (f->place_cuda.major) {
		has = f->place_cuda;
	} else if (!torch_plain_cuda(v, t->t->platform, &has)) {
		return CANDIDATE_FITS;
	}
	if (!v->nlocal && is_useless_to_gpus(t->t, has.major != 0, a, why)) {
		return CANDIDATE_CUDA;
	}
	if (v->nlocal || !t->t->is_cuda_known ||
		(has.major == want.major && (has.minor == want.minor || t->t->is_any_cuda_minor))) {
		return CANDIDATE_FITS;
	}
	const char *wanted = target_cuda_text(a, t->t);

	if (!has.major) {
		say(why, arena_printf(a, "a CPU-only build for a target with CUDA %s; the build that fits has the "
					 "label +cu%u%s", wanted, want.major,
			t->t->is_any_cuda_minor ? "..." : arena_printf(a, "%u", want.minor)));
	} else if (!want.major) {
		say(why, arena_printf(a, "built for CUDA %u.%u, the target has none", has.major, has.minor));
	} else {
		say(why, arena_printf(a, "built for CUDA %u.%u, the target has %s", has.major, has.minor, wanted));
	}
	return CANDIDATE_CUDA;
}

/* A target's torch is given: no other may come instead. */
static enum candidate_stage judge_torch(const struct target_view *t, const struct index_file *f,
	struct arena *a, struct str *why)
{
	const struct version *v = &f->name.version;

	if (!str_eq(f->name.name, STR("torch"))) {
		return CANDIDATE_FITS;
	}
	if (t->has_torch && (version_cmp_public(v, &t->torch) != 0 ||
		    (v->nlocal && t->torch.nlocal && version_cmp(v, &t->torch) != 0))) {
		say(why, arena_printf(a, "the target's torch is %.*s", STR_ARG(t->t->torch)));
		return CANDIDATE_TORCH_GIVEN;
	}
	return f->name.kind == DIST_WHEEL ? judge_plain_torch(t, f, a, why) : CANDIDATE_FITS;
}

static bool is_pinned(const struct candidate_policy *p, const struct version *v)
{
	for (size_t i = 0; i < p->npins; i++) {
		if (version_cmp(&p->pins[i], v) == 0) {
			return true;
		}
	}
	return false;
}

static bool is_promised(const struct candidate_policy *p, const struct index_file *f)
{
	for (size_t i = 0; f->has_sha256 && i < p->nhashes; i++) {
		if (digest_eq(&f->sha256, &p->hashes[i])) {
			return true;
		}
	}
	return p->nhashes == 0;
}

/* What the lock's rows and the publisher say. */
static enum candidate_stage judge_policy(const struct candidate_policy *p, const struct index_file *f,
	struct arena *a, struct str *why)
{
	if (p->url.n && !str_is(p->url, f->url)) {
		say(why, "the lock names another file by URL");
		return CANDIDATE_URL;
	}
	if (!is_promised(p, f)) {
		say(why, "its sha256 is none that the lock allows");
		return CANDIDATE_HASH;
	}
	if (f->is_yanked && !is_pinned(p, &f->name.version)) {
		if (why) {
			say(why, arena_printf(a, "yanked by its publisher%s%.*s", f->yanked.n ? ": " : "",
				STR_ARG(f->yanked)));
		}
		return CANDIDATE_YANKED;
	}
	return CANDIDATE_FITS;
}

static void say_tags(const struct target_view *t, const struct index_file *f, struct arena *a, struct str *why)
{
	if (why) {
		const char *libc = t->t->os != TARGET_LINUX ? ""
				   : arena_printf(a, " with %s %u.%u", t->t->libc == TARGET_MUSL ? "musl" : "glibc",
					     t->t->libc_major, t->t->libc_minor);

		say(why, arena_printf(a, "a wheel for %.*s-%.*s-%.*s, the target is Python %s on %.*s%s",
			STR_ARG(f->name.python), STR_ARG(f->name.abi), STR_ARG(f->name.platform),
			target_python_text(a, &t->t->python), STR_ARG(t->t->platform), libc));
	}
}

enum candidate_stage candidate_judge(struct target_view *t, const struct candidate_policy *p,
	const struct index_file *f, struct arena *a, int *rank, struct str *why)
{
	enum candidate_stage stage = judge_policy(p, f, a, why);

	*rank = 0;
	if (stage) {
		return stage;
	}
	if (!target_view_takes_python(t, f->requires_python)) {
		if (why) {
			say(why, arena_printf(a, "needs Python %.*s, the target has %.*s",
				STR_ARG(f->requires_python),
				STR_ARG(t->env.value[MARKER_PYTHON_FULL_VERSION])));
		}
		return CANDIDATE_PYTHON;
	}
	if (f->name.kind == DIST_WHEEL && (*rank = tag_rank(&t->tags, &f->name)) < 0) {
		say_tags(t, f, a, why);
		return CANDIDATE_TAGS;
	}
	stage = judge_torch(t, f, a, why);
	stage = stage ? stage : judge_label(t, p->torch_style, f, a, why);
	if (!stage && why) {
		*why = STR_NULL;
	}
	return stage;
}

/* ---- all of them ---- */

struct fit { /* a file that fits */
	const struct index_file *f;
	int rank;
	struct variant variant;
};

static int compare_versions(const struct fit *x, const struct fit *y, const struct target *t)
{
	const struct version *v = &x->f->name.version, *w = &y->f->name.version;
	int order = version_is_prerelease(w) - version_is_prerelease(v);

	order = order ? order : version_cmp_public(v, w);
	if (order || (!v->nlocal && !w->nlocal)) {
		return order;
	}
	order = variant_compare(&x->variant, &y->variant, t);
	return order ? order : version_cmp(v, w);
}

/* Ascending, the better file last: not yanked, a wheel, the better tag, the higher build tag, then the name. */
static int compare_files(const struct fit *x, const struct fit *y)
{
	const struct dist_name *a = &x->f->name, *b = &y->f->name;

	if (x->f->is_yanked != y->f->is_yanked) {
		return x->f->is_yanked ? -1 : 1;
	}
	if (a->kind != b->kind) {
		return a->kind == DIST_WHEEL ? 1 : -1;
	}
	if (x->rank != y->rank) {
		return x->rank < y->rank ? 1 : -1;
	}
	if (a->build_number != b->build_number) {
		return a->build_number > b->build_number ? 1 : -1;
	}
	int order = str_cmp(a->build, b->build);
	order = order ? order : -str_cmp(a->file, b->file);
	return order ? order : (x->f < y->f) - (x->f > y->f);
}

static int by_worth(const void *a, const void *b, void *view)
{
	const struct target_view *t = view;
	int order = compare_versions(a, b, t->t);

	return order ? order : compare_files(a, b);
}

static void leave_out(struct candidates *out, enum candidate_stage stage, const struct index_file *f)
{
	const struct version *v = &f->name.version,
			     *newest = out->newest_left_out ? &out->newest_left_out->name.version : NULL;

	if (stage == CANDIDATE_TAGS && !version_is_prerelease(v) &&
		(!newest || (!str_eq(v->raw, newest->raw) && version_cmp(v, newest) > 0))) {
		out->newest_left_out = f;
	}
}

/* `plain` is what no label says. */
static struct variant read_label(const struct candidate_policy *p, const struct index_file *f,
	const struct variant *plain, struct arena *a)
{
	CLEANUP_BUF struct buf label = BUF_INIT;
	struct variant v;

	if (!f->name.version.nlocal) {
		return *plain;
	}
	version_format_local(&f->name.version, &label);
	variant_parse(a, buf_str(&label), p->torch_style, &v);
	v.ntorch = f->is_torch_free ? 0 : v.ntorch;
	return v;
}

void candidates_of(struct target_view *t, const struct candidate_policy *p, const struct index_project *page,
	struct arena *a, struct candidates *out)
{
	struct arena scratch = ARENA_INIT;
	VEC(struct fit) fits = VEC_INIT;
	struct variant plain;
	int rank;

	*out = (struct candidates){ .n = 0 };
	variant_parse(&scratch, STR_NULL, p->torch_style, &plain);
	for (size_t i = 0; i < page->nfiles; i++) {
		const struct index_file *f = &page->files[i];
		enum candidate_stage stage = candidate_judge(t, p, f, &scratch, &rank, NULL);

		if (stage) {
			leave_out(out, stage, f);
		} else {
			vec_push(&fits, (struct fit){ f, rank, read_label(p, f, &plain, &scratch) });
		}
	}
	if (fits.n) {
		qsort_r(fits.v, fits.n, sizeof(*fits.v), by_worth, t);
	}
	out->v = arena_array(a, fits.n + 1, sizeof(*out->v)); /* one more: a torch that is given */
	for (size_t i = 0; i < fits.n; i++) {
		const struct index_file *f = fits.v[i].f;

		if (i + 1 < fits.n && compare_versions(&fits.v[i], &fits.v[i + 1], t->t) == 0) {
			continue; /* a better file of this version follows */
		}
		out->v[out->n++] = (struct candidate){ .version = &f->name.version,
			.file = (size_t)(f - page->files), .is_yanked = f->is_yanked };
	}
	bool is_given = t->has_torch && str_is(page->name, "torch");
	if (out->newest_left_out && (is_given || (out->n && /* missed only where no file of it fits */
		version_cmp_public(&out->newest_left_out->name.version, out->v[out->n - 1].version) <= 0))) {
		out->newest_left_out = NULL;
	}
	vec_release(&fits);
	arena_release(&scratch);
}

bool candidates_are_rivals(const struct target_view *t, const struct version *one, const struct version *other)
{
	if (version_cmp_public(one, other) != 0 || version_cmp(one, other) == 0) {
		return false;
	}
	struct arena a = ARENA_INIT;
	CLEANUP_BUF struct buf x = BUF_INIT, y = BUF_INIT;
	struct variant v, w;

	version_format_local(one, &x);
	version_format_local(other, &y);
	variant_parse(&a, buf_str(&x), VARIANT_TORCH_ANY, &v);
	variant_parse(&a, buf_str(&y), VARIANT_TORCH_ANY, &w);
	bool says = v.accelerator || w.accelerator || v.ntorch || w.ntorch || v.ngpus || w.ngpus ||
		    v.cxx11_abi >= 0 || w.cxx11_abi >= 0;
	bool rivals = says && variant_compare(&v, &w, t->t) == 0;
	arena_release(&a);
	return rivals;
}

/* ---- saying why there is nothing ---- */

static const char *stage_words(enum candidate_stage stage)
{
	static const char *const words[] = { "", "not the file that the lock names",
		"not one whose sha256 the lock allows", "yanked", "for another Python",
		"for another Python or platform", "not the target's torch", "built for another CUDA",
		"built for another torch", "ambiguous about torch", "built with another C++ ABI",
		"built for other GPUs" };

	return words[stage];
}

static void add_kind(struct buf *b, const struct index_file *f, enum candidate_stage stage)
{
	if (stage == CANDIDATE_TAGS) {
		buf_addf(b, "%.*s-%.*s-%.*s", STR_ARG(f->name.python), STR_ARG(f->name.abi),
			STR_ARG(f->name.platform));
	} else {
		version_format_local(&f->name.version, b);
	}
}

/* The other files of the same version that the same stage leaves out: their tags, or their labels. */
static struct str others_of(struct target_view *t, const struct candidate_policy *p, const struct index_project *page,
	enum candidate_stage stage, const struct index_file *newest, struct arena *a)
{
	CLEANUP_BUF struct buf b = BUF_INIT;
	bool has_kind = stage == CANDIDATE_TAGS || stage >= CANDIDATE_CUDA, has_sdist = false;
	size_t n = 0;
	int rank;

	for (size_t i = 0; has_kind && i < page->nfiles; i++) {
		const struct index_file *f = &page->files[i];
		bool is_other = f != newest && version_cmp_public(&f->name.version, &newest->name.version) == 0;

		has_sdist |= f->name.kind == DIST_SDIST;
		if (is_other && candidate_judge(t, p, f, a, &rank, NULL) == stage &&
			(stage == CANDIDATE_TAGS || f->name.version.nlocal) && n++ < OTHERS_MAX) {
			buf_adds(&b, n == 1 ? "; there are also " : ", ");
			add_kind(&b, f, stage);
		}
	}
	if (n > OTHERS_MAX) {
		buf_addf(&b, " and %zu more", n - OTHERS_MAX);
	}
	if (stage == CANDIDATE_TAGS && !has_sdist) {
		buf_adds(&b, "; there is no sdist");
	}
	return arena_str(a, buf_str(&b));
}

/* Of the versions that are asked for: how many files a stage leaves out, and the newest of them. */
static size_t count_left_out(struct target_view *t, const struct candidate_policy *p, const struct index_project *page,
	const struct specifier_set *asked, enum candidate_stage stage, const struct index_file **newest)
{
	struct arena scratch = ARENA_INIT;
	size_t n = 0;
	int rank;

	for (size_t i = 0; i < page->nfiles; i++) {
		const struct index_file *f = &page->files[i];

		if ((!asked || specifier_contains(asked, &f->name.version)) &&
			candidate_judge(t, p, f, &scratch, &rank, NULL) == stage &&
			(n++ == 0 || version_cmp(&f->name.version, &(*newest)->name.version) >= 0)) {
			*newest = f;
		}
	}
	arena_release(&scratch);
	return n;
}

struct str candidates_none(struct target_view *t, const struct candidate_policy *p, const struct index_project *page,
	const struct specifier_set *asked, struct arena *a)
{
	CLEANUP_BUF struct buf b = BUF_INIT;

	if (page->nfiles == 0) {
		return STR("there are no files of it");
	}
	for (int s = CANDIDATE_FITS + 1; s < CANDIDATE_STAGES; s++) {
		enum candidate_stage stage = (enum candidate_stage)s;
		const struct index_file *newest = NULL;
		size_t n = count_left_out(t, p, page, asked, stage, &newest);
		struct str why = STR_NULL;
		int rank;

		if (n) {
			candidate_judge(t, p, newest, a, &rank, &why);
			buf_addf(&b, "%s%zu %s %s (%.*s: %.*s%.*s)", b.n ? "; " : "", n, n == 1 ? "is" : "are",
				stage_words(stage), STR_ARG(newest->name.file), STR_ARG(why),
				STR_ARG(others_of(t, p, page, stage, newest, a)));
		}
	}
	return arena_str(a, buf_str(&b));
}

/* Where a source keeps its files for a target. */
#include "manifests/source.h"
#include "manifests/source_template.h"
#include "manifests/specifier.h"

#include <inttypes.h>

static const char github_own_api[] =
#define SOURCE(...)
#define GITHUB_API(url) url
#include "manifests/data/sources.def"
	;

/* What stands in a URL's placeholders. */
struct filling {
	const struct source *source;
	const struct target *target;
	struct arena *arena;
	bool has_torch;
	struct version torch;
	uint64_t patch;  /* torch's, or 0 for the page that a patch release shares */
	bool has_patch;  /* the URL depends on it */
	struct str *why; /* set where the source can have nothing for the target */
};

/* Label, pre-release and container build do not show in URLs: 2.5.0a0+e000cf0.nv24.10 is 2.5.0. */
static uint64_t torch_number(const struct filling *f, size_t i)
{
	return i < f->torch.nrelease ? f->torch.release[i] : 0;
}

static int refuse_unsaid(
	const struct filling *f, const char *what, const char *example, struct err *e)
{
	err_set(e, RC_INVALID,
		"source %.*s: where its files are depends on %s, and the target %.*s does not say "
		"it",
		STR_ARG(f->source->name), what, STR_ARG(f->target->name));
	return err_hint(e, "in its [[target]]: %s", example);
}

static int need_torch(const struct filling *f, struct err *e)
{
	return f->has_torch ? 0
			    : refuse_unsaid(f, "torch's version", "torch = \"2.11.0+cu130\"", e);
}

static int need_cuda(const struct filling *f, bool with_minor, struct err *e)
{
	const struct target *t = f->target;

	if (!t->is_cuda_known && t->cuda.major == 0) {
		return refuse_unsaid(f, "torch's CUDA",
			"torch = \"2.11.0+cu130\", or cuda = \"13.0\" or \"none\"", e);
	}
	if (with_minor && t->is_any_cuda_minor) {
		return refuse_unsaid(f, "the minor version of torch's CUDA", "cuda = \"13.0\"", e);
	}
	return 0;
}

static void put_full_torch(struct filling *f, const char *dot, struct buf *out)
{
	buf_addf(out, "%" PRIu64 "%s%" PRIu64 "%s%" PRIu64, torch_number(f, 0), dot,
		torch_number(f, 1), dot, f->patch);
	f->has_patch = true;
}

static void put_minor_torch(const struct filling *f, struct buf *out)
{
	buf_addf(out, "%" PRIu64 ".%" PRIu64, torch_number(f, 0), torch_number(f, 1));
}

static void put_torch(struct filling *f, struct buf *out)
{
	switch (f->source->torch_style) {
	case SOURCE_TORCH_MINOR:
		put_minor_torch(f, out);
		return;
	case SOURCE_TORCH_FULL:
	case SOURCE_TORCH_PYG:
		put_full_torch(f, ".", out);
		return;
	case SOURCE_TORCH_PACKED:
		put_full_torch(f, "", out);
		return;
	}
}

static void put_cuda(struct filling *f, struct buf *out)
{
	struct cuda_version cuda = f->target->cuda;

	if (cuda.major == 0) {
		*f->why = str_of(arena_printf(f->arena,
			"%.*s has wheels for CUDA alone, the target %.*s has none",
			STR_ARG(f->source->name), STR_ARG(f->target->name)));
		return;
	}
	buf_addf(out, "%u", cuda.major);
	if (f->source->cuda_style != SOURCE_CUDA_SHORT) {
		buf_addf(out, "%s%u", f->source->cuda_style == SOURCE_CUDA_DOTTED ? "." : "",
			cuda.minor);
	}
}

/* As torch's label: a target without CUDA may be one of ROCm or XPU. */
static void put_accelerator(const struct filling *f, struct buf *out)
{
	CLEANUP_BUF struct buf label = BUF_INIT;

	version_format_local(&f->torch, &label);
	struct str text = buf_str(&label);
	if (f->target->cuda.major) {
		buf_addf(out, "cu%u%u", f->target->cuda.major, f->target->cuda.minor);
	} else if (str_starts(text, "rocm") || str_is(text, "xpu")) {
		buf_addstr(out, text);
	} else {
		buf_adds(out, "cpu");
	}
}

static int put_value(struct filling *f, struct str name, struct buf *out, struct err *e)
{
	const struct target *t = f->target;

	if (str_is(name, "torch") || str_is(name, "torch_minor")) {
		if (need_torch(f, e)) {
			return -(int)e->rc;
		}
		if (str_is(name, "torch")) {
			put_torch(f, out);
		} else {
			put_minor_torch(f, out);
		}
	} else if (str_is(name, "cuda")) {
		if (need_cuda(f, f->source->cuda_style != SOURCE_CUDA_SHORT, e)) {
			return -(int)e->rc;
		}
		put_cuda(f, out);
	} else if (str_is(name, "accelerator")) {
		if (need_cuda(f, true, e)) {
			return -(int)e->rc;
		}
		put_accelerator(f, out);
	} else if (str_is(name, "python")) {
		buf_addf(out, "%u%u", t->python.major, t->python.minor);
	} else if (str_is(name, "platform")) {
		buf_addstr(out, t->platform);
	} else {
		return err_set(e, RC_INVALID, "source %.*s: {%.*s} is not filled in",
			STR_ARG(f->source->name), STR_ARG(str_first(name, 100)));
	}
	return 0;
}

static int fill_url(struct filling *f, struct str *out, struct err *e)
{
	CLEANUP_BUF struct buf url = BUF_INIT;
	struct template_piece piece;
	struct str rest = f->source->url;

	while (template_next(&rest, &piece)) {
		if (!piece.is_placeholder) {
			buf_addstr(&url, piece.text);
		} else if (put_value(f, piece.text, &url, e)) {
			return -(int)e->rc;
		}
	}
	*out = arena_str(f->arena, buf_str(&url));
	return 0;
}

/* By PEP 440, so "==2.11" admits 2.11.0+cu130, and a pre-release comes before its release. */
static int judge_torch(struct filling *f, struct err *e)
{
	const struct source *s = f->source;
	struct specifier_set set;

	if (s->torch_compat.n == 0) {
		return 0;
	}
	if (specifier_parse(f->arena, s->torch_compat, &set, e)) {
		return err_wrap(e, "source %.*s: torch_compat", STR_ARG(s->name));
	}
	if (need_torch(f, e)) {
		return -(int)e->rc;
	}
	if (!specifier_contains(&set, &f->torch)) {
		*f->why = str_of(arena_printf(f->arena,
			"%.*s has wheels for torch %.*s, the target %.*s has %.*s",
			STR_ARG(s->name), STR_ARG(s->torch_compat), STR_ARG(f->target->name),
			STR_ARG(f->target->torch)));
	}
	return 0;
}

static int locate_pages(struct filling *f, struct source_pages *pages, struct err *e)
{
	pages->urls = arena_array(f->arena, 2, sizeof(*pages->urls));
	f->patch = torch_number(f, 2);
	if (fill_url(f, &pages->urls[0], e)) {
		return -(int)e->rc;
	}
	pages->n = 1;
	if (f->source->torch_style == SOURCE_TORCH_PYG && f->has_patch && f->patch > 0) {
		f->patch = 0;
		pages->n = 2;
		return fill_url(f, &pages->urls[1], e);
	}
	return 0;
}

static int locate_releases(struct filling *f, struct str api, struct source_pages *pages)
{
	pages->urls = arena_array(f->arena, 1, sizeof(*pages->urls));
	pages->urls[0] = str_of(arena_printf(f->arena, "%.*s/repos/%.*s/releases?per_page=100",
		STR_ARG(api.n ? api : str_of(github_own_api)), STR_ARG(f->source->url)));
	pages->n = 1;
	return 0;
}

int source_locate(const struct source *s, const struct target *t, struct str github_api,
	struct arena *a, struct source_pages *out, struct err *e)
{
	struct source_pages pages = { .n = 0 };
	struct filling f = {
		.source = s, .target = t, .arena = a, .has_torch = t->torch.n > 0, .why = &pages.why
	};

	if (f.has_torch && version_parse(a, t->torch, &f.torch, e)) {
		return err_wrap(e, "target %.*s: torch", STR_ARG(t->name));
	}
	if (judge_torch(&f, e)) {
		return -(int)e->rc;
	}
	int r = s->kind == SOURCE_GITHUB ? locate_releases(&f, github_api, &pages)
					 : locate_pages(&f, &pages, e);
	if (r) {
		return r;
	}
	if (pages.why.n) {
		pages.n = 0;
	}
	*out = pages;
	return 0;
}

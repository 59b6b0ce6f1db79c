#include "bundle/available.h"
#include "bundle/source_project.h"
#include "manifests/base/map.h"
#include "manifests/tag.h"

#include <stdlib.h>
#include <string.h>

/* Pages of this many release lines of torch, the newest, and CUDA of this many lines before and
 * behind each: what publishers build for. */
enum { LINES = 8, NEIGHBOURS = 2, LINES_MAX = 64 };

struct torch_line {
	unsigned major, minor, patch; /* the last patch level */
	struct cuda_version cuda; /* of the build on PyPI for linux_x86_64; major 0: not known */
};

struct search {
	struct index *x;
	const struct available_options *o;
	struct available *out;
	struct arena *a;
	struct map urls; /* of files that are listed already: pages overlap */
	struct tag_list tags[8];
	size_t ntags;
};

void available_release(struct available *a)
{
	vec_release(&a->files);
	vec_release(&a->troubles);
	arena_release(&a->arena);
	*a = (struct available)AVAILABLE_INIT;
}

/* ---- machines ---- */

static int make_target(struct search *s, struct str platform, bool is_musl, struct str torch,
	struct str cuda, struct target *out, struct err *e)
{
	bool is_linux = str_starts(platform, "linux");
	const struct target_spec spec = { .name = STR("any"),
		.python = s->o->python.n ? s->o->python : STR("3.12"),
		.platform = platform,
		.glibc = is_linux && !is_musl ? STR("2.99") : STR_NULL,
		.musl = is_linux && is_musl ? STR("1.99") : STR_NULL,
		.torch = torch,
		.cuda = cuda,
		.cxx11_abi = -1 };

	return target_make(s->a, &spec, out, e);
}

/* What a wheel may be tagged with, where a Python is asked for. */
static int make_tags(struct search *s, struct err *e)
{
	static const char *const platforms[] = { "linux_x86_64", "linux_aarch64", "win_amd64" };

	for (size_t i = 0; i < 2 * sizeof(platforms) / sizeof(*platforms) && s->o->python.n; i++) {
		struct str platform = str_of(platforms[i / 2]);
		bool is_musl = i % 2;
		struct target t;

		if (is_musl && !str_starts(platform, "linux")) {
			continue;
		}
		if (make_target(s, platform, is_musl, STR_NULL, STR_NULL, &t, e)) {
			return -(int)e->rc;
		}
		tag_list_of(s->a, &t, &s->tags[s->ntags++]);
	}
	return 0;
}

/* manylinux_2_28_x86_64, musllinux_1_2_x86_64 and linux_x86_64 are all linux_x86_64. */
static bool is_for_platform(struct str set, struct str platform)
{
	size_t at = str_find(platform, '_');
	struct str machine = str_skip(platform, at), tag;
	bool is_linux = str_starts(platform, "linux");

	while (str_cut(&set, '.', &tag)) {
		struct str end = str_skip(tag, tag.n > machine.n ? tag.n - machine.n : 0);
		struct str start = str_first(tag, tag.n - end.n);

		if (str_is(tag, "any") ||
			(str_eq(end, machine) && str_has(start, is_linux ? "linux" : "win"))) {
			return true;
		}
	}
	return false;
}

static bool is_wanted(struct search *s, const struct index_file *f)
{
	bool is_for_python = s->ntags == 0;

	if (f->name.kind != DIST_WHEEL) {
		return true;
	}
	for (size_t i = 0; i < s->ntags; i++) {
		is_for_python = is_for_python || tag_rank(&s->tags[i], &f->name) >= 0;
	}
	return is_for_python &&
	       (!s->o->platform.n || is_for_platform(f->name.platform, s->o->platform));
}

/* ---- answers ---- */

static void take(struct search *s, struct str source, enum variant_torch_style style,
	const struct index_project *project)
{
	for (size_t i = 0; i < project->nfiles; i++) {
		const struct index_file *f = &project->files[i];
		struct available_file row = { .source = source, .file = f };
		CLEANUP_BUF struct buf label = BUF_INIT;
		struct str key = str_of(arena_printf(s->a, "%.*s %s", STR_ARG(source), f->url));

		if (map_get(&s->urls, key) || !is_wanted(s, f)) {
			continue;
		}
		map_put(&s->urls, key, 0);
		version_format_local(&f->name.version, &label);
		variant_parse(s->a, arena_str(s->a, buf_str(&label)), style, &row.variant);
		vec_push(&s->out->files, row);
	}
}

static void note_trouble(struct search *s, struct str source, const struct err *e)
{
	vec_push(&s->out->troubles,
		(struct available_trouble){ source, arena_str(s->a, str_of(e->text)) });
}

static void ask_index(struct search *s)
{
	struct index_project project;
	struct err e = ERR_INIT;

	s->out->nasked++;
	if (index_projects(s->x, &s->o->project, 1, s->a, &project, &e)) {
		note_trouble(s, STR("index"), &e);
		return;
	}
	s->out->nanswers++;
	take(s, STR("index"), VARIANT_TORCH_ANY, &project);
}

/* ---- sources ---- */

static size_t torch_lines(struct torch_line *out)
{
	size_t n = 0;

	for (unsigned major = 1; torch_is_release(major, 0, 0); major++) {
		for (unsigned minor = 0; torch_is_release(major, minor, 0) && n < LINES_MAX;
			minor++) {
			uint64_t release[] = { major, minor, 0 };
			const struct version v = { .release = release, .nrelease = 3 };
			struct torch_line line = { .major = major, .minor = minor };

			while (torch_is_release(major, minor, line.patch + 1)) {
				line.patch++;
			}
			torch_plain_cuda(&v, STR("linux_x86_64"), &line.cuda);
			out[n++] = line;
		}
	}
	return n;
}

struct combination {
	unsigned major, minor, patch;
	struct cuda_version cuda;
};
struct combinations {
	VEC(struct combination) v;
};

static void add_line(struct combinations *c, const struct torch_line *lines, size_t n, size_t i)
{
	for (size_t k = i > NEIGHBOURS ? i - NEIGHBOURS : 0; k < n && k <= i + NEIGHBOURS; k++) {
		bool is_new = lines[k].cuda.major > 0;

		for (size_t j = c->v.n; j-- > 0 && c->v.v[j].minor == lines[i].minor;) {
			is_new = is_new && (c->v.v[j].cuda.major != lines[k].cuda.major ||
						   c->v.v[j].cuda.minor != lines[k].cuda.minor);
		}
		for (unsigned patch = 0; is_new && patch <= lines[i].patch; patch++) {
			vec_push(&c->v, (struct combination){ lines[i].major, lines[i].minor, patch,
						lines[k].cuda });
		}
	}
}

/* Newest torch first. */
static void list_combinations(struct search *s, struct combinations *c)
{
	struct torch_line lines[LINES_MAX];
	size_t n = torch_lines(lines), first = n > LINES ? n - LINES : 0;

	for (size_t i = n; i-- > first;) {
		add_line(c, lines, n, i);
	}
	s->out->combinations = str_of(arena_printf(s->a,
		"torch %u.%u to %u.%u, each with the CUDA of the releases around it",
		lines[first].major, lines[first].minor, lines[n - 1].major, lines[n - 1].minor));
}

static bool is_same_place(
	struct search *s, struct map *asked, const struct source *source, const struct target *t)
{
	struct source_pages pages;
	struct err ignored = ERR_INIT;

	if (source_locate(source, t, source_github_api(), s->a, &pages, &ignored) || !pages.n) {
		return true; /* nothing for this pair */
	}
	bool is_known = map_get(asked, pages.urls[0]) != NULL;
	map_put(asked, pages.urls[0], 0);
	return is_known;
}

static int ask_for(
	struct search *s, const struct source *source, const struct target *t, struct err *e)
{
	struct str project = source->known_as.n && str_eq(source->known_as, s->o->project)
				     ? source->packages[0]
				     : s->o->project;
	struct source_answer answer;
	int r = source_project(s->x, source, t, project, s->a, &answer, e);

	if (!r) {
		take(s, source->name, source->names, &answer.project);
	}
	return r;
}

static int ask_combinations(struct search *s, const struct source *source, struct err *e)
{
	struct combinations c = { .v = VEC_INIT };
	struct str platform = s->o->platform.n ? s->o->platform : STR("linux_x86_64");
	struct map asked = MAP_INIT;
	int r = 0;

	list_combinations(s, &c);
	vec_each(struct combination, one, &c.v) {
		struct str torch =
			str_of(arena_printf(s->a, "%u.%u.%u", one->major, one->minor, one->patch));
		struct str cuda =
			str_of(arena_printf(s->a, "%u.%u", one->cuda.major, one->cuda.minor));
		struct target t;

		r = r ? r : make_target(s, platform, false, torch, cuda, &t, e);
		if (!r && !is_same_place(s, &asked, source, &t)) {
			r = ask_for(s, source, &t, e);
		}
	}
	map_release(&asked);
	vec_release(&c.v);
	return r;
}

static void ask_source(struct search *s, const struct source *source)
{
	struct source whole = *source;
	struct target t;
	struct err e = ERR_INIT;
	bool is_template =
		source->kind != SOURCE_GITHUB && str_find(source->url, '{') < source->url.n;

	whole.torch_compat = STR_NULL; /* it is about one torch; here every one is looked for */
	s->out->nasked++;
	int r = is_template
			? ask_combinations(s, source, &e)
			: make_target(s, s->o->platform.n ? s->o->platform : STR("linux_x86_64"),
				  false, STR_NULL, STR_NULL, &t, &e);
	r = r || is_template ? r : ask_for(s, &whole, &t, &e);
	if (r) {
		note_trouble(s, source->name, &e);
	} else {
		s->out->nanswers++;
	}
}

/* ---- the whole ---- */

static int by_version(const void *a, const void *b)
{
	const struct available_file *x = a, *y = b;
	int order = version_cmp_public(&y->file->name.version, &x->file->name.version);

	return order ? order
	       : x->file->name.kind != y->file->name.kind
		       ? (int)x->file->name.kind - (int)y->file->name.kind
		       : str_cmp(x->file->name.file, y->file->name.file);
}

static int check_options(struct search *s, struct err *e)
{
	const struct available_options *o = s->o;
	struct target t;

	if (o->source.n && !str_is(o->source, "index") && !source_find(o->sources, o->source)) {
		err_set(e, RC_USAGE, "--source %.*s: there is no such source",
			STR_ARG(str_first(o->source, 100)));
		return err_hint(e, "`gpkg-bundle sources` lists them; \"index\" is the one that "
				   "pip is configured with");
	}
	if (o->platform.n && make_target(s, o->platform, false, STR_NULL, STR_NULL, &t, e)) {
		return err_wrap(e, "--platform");
	}
	return make_tags(s, e) ? err_wrap(e, "--python") : 0;
}

int available_find(
	struct index *x, const struct available_options *o, struct available *out, struct err *e)
{
	struct search s = { .x = x, .o = o, .out = out, .a = &out->arena };
	int r = check_options(&s, e);

	for (size_t i = 0; i < o->sources->n && !r; i++) {
		const struct source *source = &o->sources->v[i];

		if (o->source.n ? str_eq(source->name, o->source)
				: source_has_package(source, o->project)) {
			ask_source(&s, source);
		}
	}
	if (!r && (!o->source.n || str_is(o->source, "index"))) {
		ask_index(&s);
	}
	map_release(&s.urls);
	if (out->files.n) {
		qsort(out->files.v, out->files.n, sizeof(*out->files.v), by_version);
	}
	return r;
}

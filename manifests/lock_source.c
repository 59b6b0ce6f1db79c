/* lock.toml: [source.<package>], where a package comes from instead of the configured index. */
#include "manifests/lock_reader.h"
#include "manifests/base/uri.h"
#include "manifests/limits.h"

/* ---- words ---- */

struct word {
	const char *text;
	int value;
};

static const struct word cuda_styles[] = { { "full", SOURCE_CUDA_FULL },
	{ "short", SOURCE_CUDA_SHORT }, { "dotted", SOURCE_CUDA_DOTTED }, { NULL, 0 } };
static const struct word torch_styles[] = { { "minor", SOURCE_TORCH_MINOR },
	{ "full", SOURCE_TORCH_FULL }, { "packed", SOURCE_TORCH_PACKED },
	{ "pyg", SOURCE_TORCH_PYG }, { NULL, 0 } };
static const struct word name_styles[] = { { "any", VARIANT_TORCH_ANY },
	{ "full", VARIANT_TORCH_FULL }, { "minor", VARIANT_TORCH_MINOR }, { NULL, 0 } };

static int read_word(
	const struct toml *row, const char *key, const struct word *words, int *out, struct err *e)
{
	CLEANUP_BUF struct buf known = BUF_INIT;
	struct str text = str_of(words[0].text);

	if (toml_opt_str(row, key, &text, e)) {
		return -(int)e->rc;
	}
	for (const struct word *w = words; w->text; w++) {
		if (str_is(text, w->text)) {
			*out = w->value;
			return 0;
		}
		buf_addf(&known, "%s\"%s\"", w == words ? "" : ", ", w->text);
	}
	lock_fail(toml_get(row, key), e, RC_INVALID, "%s = \"%.*s\" is not known", key,
		STR_ARG(str_first(text, 100)));
	return err_hint(e, "it is one of %.*s", STR_ARG(buf_str(&known)));
}

static int read_words(const struct toml *row, struct source *s, struct err *e)
{
	int cuda = 0, torch = 0, names = 0;

	if (read_word(row, "cuda-style", cuda_styles, &cuda, e) ||
		read_word(row, "torch-style", torch_styles, &torch, e) ||
		read_word(row, "names", name_styles, &names, e)) {
		return -(int)e->rc;
	}
	s->cuda_style = (enum source_cuda_style)cuda;
	s->torch_style = (enum source_torch_style)torch;
	s->names = (enum variant_torch_style)names;
	return 0;
}

/* ---- places ---- */

/* Each {...} must be one that is filled in for a target. */
static int check_template(const struct toml *at, struct err *e)
{
	static const char *const known[] = { "cuda", "torch", "torch_minor", "accelerator", "python",
		"platform" };
	struct str rest = at->text, piece;

	while (str_cut(&rest, '{', &piece) && rest.p) {
		struct str name = str_first(rest, str_find(rest, '}'));
		bool is_known = false;

		for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
			is_known = is_known || str_is(name, known[i]);
		}
		if (!is_known || name.n == rest.n) {
			lock_fail(at, e, RC_INVALID, "{%.*s is not filled in",
				STR_ARG(str_first(rest, name.n < 60 ? name.n + 1 : 60)));
			return err_hint(
				e, "{cuda}, {torch}, {torch_minor}, {accelerator}, {python} and "
				   "{platform} are");
		}
	}
	return 0;
}

static bool is_repository_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '-' || c == '_' || c == '.';
}

static int check_repository(const struct toml *at, struct err *e)
{
	size_t slash = str_find(at->text, '/');
	bool is_one = slash > 0 && slash + 1 < at->text.n;

	for (size_t i = 0; i < at->text.n; i++) {
		is_one = is_one && (i == slash || is_repository_char(at->text.p[i]));
	}
	if (!is_one) {
		lock_fail(at, e, RC_INVALID, "\"%.*s\" is not a repository",
			STR_ARG(str_first(at->text, 200)));
		return err_hint(e, "github = \"owner/repository\"");
	}
	return 0;
}

/* lock_path_url escapes the braces of placeholders too. */
static struct str with_braces(struct lock *l, struct str url)
{
	CLEANUP_BUF struct buf out = BUF_INIT;

	for (; url.n; url = str_skip(url, 1)) {
		bool is_open = str_starts(url, "%7B"), is_close = str_starts(url, "%7D");

		buf_addc(&out, is_open ? '{' : is_close ? '}' : url.p[0]);
		url = is_open || is_close ? str_skip(url, 2) : url;
	}
	return arena_str(&l->arena, buf_str(&out));
}

/* A URL, or a path, which counts from the folder of the file that it stands in. */
static int read_place(
	struct lock *l, const struct toml *at, struct str path, struct source *s, struct err *e)
{
	struct toml url = *at;

	if (check_template(at, e)) {
		return -(int)e->rc;
	}
	if (!str_has(at->text, "://")) {
		if (lock_path_url(&l->arena, path, at->text, LOCK_PATH_ANY, &url.text, e)) {
			return lock_wrap(at, e);
		}
		url.text = with_braces(l, url.text);
	}
	if (lock_place(l, &url, e)) {
		return -(int)e->rc;
	}
	s->url = url.text;
	return 0;
}

/* ---- [source.<package>] ---- */

static const struct word kinds[] = { { "index", SOURCE_INDEX }, { "links", SOURCE_LINKS },
	{ "github", SOURCE_GITHUB }, { "manifest", SOURCE_MANIFEST }, { "file", SOURCE_FILE },
	{ "from", 0 }, { NULL, 0 } };

/* The one key that says where. */
static int find_place(const struct toml *row, const struct word **out, struct err *e)
{
	const struct word *found = NULL;

	for (const struct word *w = kinds; w->text; w++) {
		if (found && toml_get(row, w->text)) {
			return lock_fail_key(toml_get(row, w->text), e, RC_INVALID,
				"%s and %s: a package comes from one place", found->text, w->text);
		}
		found = toml_get(row, w->text) ? w : found;
	}
	if (!found) {
		lock_fail(row, e, RC_INVALID, "[source.%.*s] does not say where",
			STR_ARG(str_first(row->key, 200)));
		return err_hint(
			e, "one of index, links, github, manifest, file and from is needed");
	}
	*out = found;
	return 0;
}

static int take_named(
	const struct toml *row, const struct lock_options *o, struct source *out, struct err *e)
{
	const struct source_list *list = o->registry ? o->registry : source_builtin();
	const struct toml *at = toml_get(row, "from");
	const struct source *found = source_find(list, at->text);

	for (const struct toml *v = row->first; v; v = v->next) {
		if (!str_is(v->key, "from") && !str_is(v->key, "reason")) {
			return lock_fail_key(v, e, RC_INVALID,
				"%.*s is for a place that is described here, not for from",
				STR_ARG(v->key));
		}
	}
	if (!found) {
		lock_fail(at, e, RC_INVALID, "there is no source \"%.*s\"",
			STR_ARG(str_first(at->text, 100)));
		return err_hint(e, "`gpkg-bundle sources` lists them");
	}
	*out = *found;
	return 0;
}

static int read_source(struct lock *l, const struct toml *row, struct str path,
	const struct lock_options *o, struct lock_source *out, struct err *e)
{
	static const char *const keys[] = { "from", "index", "links", "github", "manifest", "file",
		"cuda-style", "torch-style", "names", "reason", NULL };
	const struct toml *reason = toml_get(row, "reason");
	const struct word *kind = NULL;
	struct source *s = &out->source;
	struct str place = STR_NULL;

	out->line = row->line;
	if (toml_only(row, keys, e) || lock_project(l, row, row->key, &out->name, e) ||
		find_place(row, &kind, e) || toml_need_str(row, kind->text, &place, e) ||
		(reason && lock_reason(reason, &out->reason, e))) {
		return -(int)e->rc;
	}
	if (!kind->value) {
		return take_named(row, o, s, e);
	}
	*s = (struct source){ .name = out->name,
		.kind = (enum source_kind)kind->value,
		.packages = arena_strs(&l->arena, &out->name, 1),
		.npackages = 1,
		.url = place,
		.origin = arena_dup(&l->arena, path),
		.line = row->line };
	if (read_words(row, s, e)) {
		return -(int)e->rc;
	}
	return s->kind == SOURCE_GITHUB ? check_repository(toml_get(row, kind->text), e)
					: read_place(l, toml_get(row, kind->text), path, s, e);
}

int lock_sources_read(struct lock *l, const struct toml *root, struct str path,
	const struct lock_options *o, struct err *e)
{
	const struct toml *table = NULL;

	if (toml_opt_table(root, "source", &table, e)) {
		return -(int)e->rc;
	}
	if (!table) {
		return 0;
	}
	if (table->count > LIMIT_CLOSURE) {
		return lock_fail(
			table, e, RC_LIMIT, "%zu sources, at most %d", table->count, LIMIT_CLOSURE);
	}
	l->sources = arena_array(&l->arena, table->count, sizeof(*l->sources));
	for (const struct toml *row = table->first; row; row = row->next) {
		struct lock_source *new = &l->sources[l->nsources];

		if (row->type != TOML_TABLE) {
			lock_fail_key(row, e, RC_SYNTAX, "\"%.*s\" is not a table",
				STR_ARG(str_first(row->key, 100)));
			return err_hint(e, "a source is written [source.<package>]");
		}
		if (read_source(l, row, path, o, new, e)) {
			return -(int)e->rc;
		}
		const struct lock_source *old = lock_source_of(l, new->name);
		if (old) {
			return lock_fail_key(row, e, RC_INVALID,
				"%.*s has a source already, in line %u", STR_ARG(new->name),
				old->line);
		}
		l->nsources++;
	}
	return 0;
}

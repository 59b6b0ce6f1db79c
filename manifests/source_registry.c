/* gpkg's registry. Its rows have no names, and locks want some: they are made of package and
 * publisher. */
#include "manifests/source.h"
#include "manifests/base/fs.h"
#include "manifests/base/uri.h"
#include "manifests/limits.h"
#include "manifests/name.h"
#include "manifests/specifier.h"
#include "manifests/toml.h"

/* Puts the place before what a check says of the value. */
static int wrap_at(const struct toml *at, struct err *e)
{
	return err_wrap(e, "line %u, column %u", at->line, at->column);
}

/* ---- one row ---- */

static int read_kind(const struct toml *row, enum source_kind *out, struct err *e)
{
	static const struct {
		const char *type;
		enum source_kind kind;
	} types[] = {
		{ "github", SOURCE_GITHUB },
		{ "find-links", SOURCE_LINKS },
		{ "index", SOURCE_INDEX },
		{ "manifest", SOURCE_MANIFEST },
		{ "file", SOURCE_FILE },
	};
	struct str type = STR("github");

	if (toml_opt_str(row, "type", &type, e)) {
		return -(int)e->rc;
	}
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (str_is(type, types[i].type)) {
			*out = types[i].kind;
			return 0;
		}
	}
	err_set(e, RC_INVALID, "type = \"%.*s\" is not known", STR_ARG(str_first(type, 100)));
	err_hint(e, "\"github\", \"find-links\", \"index\", \"manifest\" and \"file\" are");
	return wrap_at(toml_get(row, "type"), e);
}

static int read_url(const struct toml *row, struct source *s, struct err *e)
{
	bool is_github = s->kind == SOURCE_GITHUB;
	const char *key = is_github ? "repo" : "url_template";
	const struct toml *other = toml_get(row, is_github ? "url_template" : "repo");

	if (other) {
		err_set(e, RC_INVALID, "\"%.*s\" says nothing about a source of type \"%.*s\"",
			STR_ARG(other->key),
			STR_ARG(toml_get(row, "type") ? toml_get(row, "type")->text
						      : STR("github")));
		return wrap_at(other, e);
	}
	if (toml_need_str(row, key, &s->url, e)) {
		return -(int)e->rc;
	}
	return source_url_check(s->kind, s->url, e) ? wrap_at(toml_get(row, key), e) : 0;
}

/* "pyg" is how PyG writes torch in the names of its files too: 211. gpkg's "minor" and "full" names
 * have dots, and where one has not, its digits are as long as the style. */
static int read_styles(const struct toml *row, struct source *s, struct err *e)
{
	static const enum variant_torch_style names[] = {
		[SOURCE_TORCH_MINOR] = VARIANT_TORCH_MINOR,
		[SOURCE_TORCH_FULL] = VARIANT_TORCH_FULL,
		[SOURCE_TORCH_PACKED] = VARIANT_TORCH_FULL,
		[SOURCE_TORCH_PYG] = VARIANT_TORCH_MINOR,
	};
	struct str cuda = STR("full"), torch = STR("minor");

	if (toml_opt_str(row, "cuda_style", &cuda, e) ||
		toml_opt_str(row, "torch_format", &torch, e)) {
		return -(int)e->rc;
	}
	if (source_cuda_style_parse(cuda, &s->cuda_style, e)) {
		return wrap_at(toml_get(row, "cuda_style"), e);
	}
	if (source_torch_style_parse(torch, &s->torch_style, e)) {
		return wrap_at(toml_get(row, "torch_format"), e);
	}
	s->names = names[s->torch_style];
	return 0;
}

/* Of every registry they are read, that a wrong one is found; what they say to gpkg needs nobody to
 * say it here. */
static int read_ignored(const struct toml *row, struct err *e)
{
	const struct toml *requires = NULL;
	uint64_t scan_tags;
	bool has_abi;

	return toml_opt_u64(row, "scan_tags", &scan_tags, e) ||
			       toml_opt_bool(row, "has_abi", &has_abi, e) ||
			       toml_opt_tables(row, "requires", &requires, e)
		       ? -(int)e->rc
		       : 0;
}

static int read_names(const struct toml *row, struct source *s, struct err *e)
{
	struct arena scratch = ARENA_INIT;
	struct specifier_set ignored;
	int r = 0;

	if (toml_opt_str(row, "wheel_name", &s->wheel_name, e) ||
		toml_opt_str(row, "torch_compat", &s->torch_compat, e) ||
		toml_opt_str(row, "description", &s->description, e)) {
		return -(int)e->rc;
	}
	if (s->wheel_name.n && source_wheel_name_check(s->wheel_name, e)) {
		return wrap_at(toml_get(row, "wheel_name"), e);
	}
	if (specifier_parse(&scratch, s->torch_compat, &ignored, e)) {
		r = wrap_at(toml_get(row, "torch_compat"), e);
	}
	arena_release(&scratch);
	return r;
}

/* The project is what the wheels are called; gpkg's package may be a short name for it. */
static int read_package(const struct toml *row, struct arena *a, struct source *s, struct err *e)
{
	struct str package = STR_NULL,
		   prefix = str_first(s->wheel_name, str_find(s->wheel_name, '-'));

	if (toml_need_str(row, "package", &package, e)) {
		return -(int)e->rc;
	}
	if (!name_is_valid(package)) {
		err_set(e, RC_INVALID, "\"%.*s\" is not a project's name",
			STR_ARG(str_first(package, 200)));
		return wrap_at(toml_get(row, "package"), e);
	}
	package = str_of(name_normalize(a, package));
	struct str project = name_is_valid(prefix) ? str_of(name_normalize(a, prefix)) : package;
	s->packages = arena_strs(a, &project, 1);
	s->npackages = 1;
	s->known_as = str_eq(package, project) ? STR_NULL : package;
	return 0;
}

/* ---- names ---- */

static struct str publisher_of(const struct source *s)
{
	struct str host = uri_host(s->url);

	if (s->kind == SOURCE_GITHUB) {
		return str_first(s->url, str_find(s->url, '/'));
	}
	return host.n ? host : STR("local");
}

static struct str package_of(const struct source *s)
{
	return s->known_as.n ? s->known_as : s->packages[0];
}

/* "flash-attn/mjun0812", "flash-attn-3/windreamer.github.io"; the second of them has "-2" behind
 * it. */
static struct str make_name(const struct source_list *list, const struct source *s, struct arena *a)
{
	struct str plain = str_of(
		arena_printf(a, "%.*s/%.*s", STR_ARG(package_of(s)), STR_ARG(publisher_of(s))));
	struct str name = plain;
	unsigned number = 1;

	for (size_t i = 0; i < list->n; i++) {
		number += str_eq(package_of(&list->v[i]), package_of(s)) &&
			  str_eq(publisher_of(&list->v[i]), publisher_of(s));
	}
	if (number > 1) {
		name = str_of(arena_printf(a, "%.*s-%u", STR_ARG(plain), number));
	}
	while (source_find(list, name)) { /* a row has said that it is called so */
		name = str_of(arena_printf(a, "%.*s-%u", STR_ARG(plain), ++number));
	}
	return name;
}

static int read_name(const struct toml *row, const struct source_list *list, struct arena *a,
	struct source *s, struct err *e)
{
	const struct toml *at = toml_get(row, "name");
	const struct source *old;

	if (!at) {
		s->name = make_name(list, s, a);
		return 0;
	}
	if (toml_opt_str(row, "name", &s->name, e)) {
		return -(int)e->rc;
	}
	old = source_find(list, s->name);
	if (old) {
		err_set(e, RC_INVALID, "the name \"%.*s\" is taken by the source in line %u",
			STR_ARG(str_first(s->name, 200)), old->line);
		return wrap_at(at, e);
	}
	if (s->name.n == 0 || s->name.n > LIMIT_NAME) {
		err_set(e, RC_INVALID, "a name has 1 to %d bytes", LIMIT_NAME);
		return wrap_at(at, e);
	}
	return 0;
}

static int read_source(const struct toml *row, const struct source_list *list, struct arena *a,
	struct source *s, struct err *e)
{
	static const char *const keys[] = { "name", "package", "description", "type", "repo",
		"url_template", "wheel_name", "cuda_style", "torch_format", "torch_compat",
		"has_abi", "scan_tags", "requires", NULL };

	s->line = row->line;
	if (toml_only(row, keys, e) || read_kind(row, &s->kind, e) || read_url(row, s, e) ||
		read_styles(row, s, e) || read_ignored(row, e) || read_names(row, s, e) ||
		read_package(row, a, s, e) || read_name(row, list, a, s, e)) {
		return -(int)e->rc;
	}
	return 0;
}

/* ---- the whole ---- */

static int read_sources(const struct toml *root, const char *path, struct arena *a,
	struct source_list *out, struct err *e)
{
	static const char *const keys[] = { "sources", NULL };
	const struct toml *list = toml_get(root, "sources"), *row = NULL;
	size_t n = list ? list->count : 0;

	if (toml_only(root, keys, e) || toml_opt_tables(root, "sources", &row, e)) {
		return -(int)e->rc;
	}
	if (!list) {
		return err_set(
			e, RC_SYNTAX, "line 1, column 1: not a registry: it has no [[sources]]");
	}
	if (n > LIMIT_SOURCES) {
		err_set(e, RC_LIMIT, "%zu sources, at most %d", n, LIMIT_SOURCES);
		return wrap_at(list, e);
	}
	struct source *v = arena_array(a, n, sizeof(*v));
	struct source_list done = { v, 0 };
	for (; row; row = row->next) {
		v[done.n].origin = path;
		if (read_source(row, &done, a, &v[done.n], e)) {
			return -(int)e->rc;
		}
		done.n++;
	}
	*out = done;
	return 0;
}

int source_registry_parse(
	struct str text, const char *path, struct arena *a, struct source_list *out, struct err *e)
{
	struct toml *root = NULL;
	const char *origin = arena_dup(a, str_of(path));

	if (toml_parse(a, arena_str(a, text), &root, e) || read_sources(root, origin, a, out, e)) {
		return err_wrap(e, "%s", path);
	}
	return 0;
}

int source_registry_read(const char *path, struct arena *a, struct source_list *out, struct err *e)
{
	CLEANUP_BUF struct buf text = BUF_INIT;

	if (fs_read(path, LIMIT_LOCK, &text, e)) {
		return -(int)e->rc;
	}
	return source_registry_parse(buf_str(&text), path, a, out, e);
}

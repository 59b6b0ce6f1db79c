/* The canonical bytes -> struct manifest. Every field is read by type and range here; that nothing else
 * stands in the text, and in one spelling only, is proved by writing it again and comparing. */
#include "manifests/base/json.h"
#include "manifests/limits.h"
#include "manifests/manifest.h"
#include "manifests/name.h"
#include "manifests/target_text.h"

#include <stdlib.h>

static int read_text(struct arena *a, const struct json *v, const char *key, size_t max, struct str *out,
	struct err *e)
{
	struct str s;
	int r = json_need_str(v, key, &s, e);

	if (r) {
		return r;
	}
	if (s.n > max) {
		return err_set(e, RC_LIMIT, "%s: longer than %zu bytes", key, max);
	}
	*out = arena_str(a, s);
	return 0;
}

static int read_digest(const struct json *v, const char *key, struct digest *out, struct err *e)
{
	struct str s;
	int r = json_need_str(v, key, &s, e);

	if (!r) {
		r = digest_parse(s, out, e);
	}
	return r ? err_wrap(e, "%s", key) : 0;
}

/* The index of `text` among `words`, counted from 1. */
static int read_word(const struct json *v, const char *key, const char *const *words, int *out, struct err *e)
{
	struct str s;
	int r = json_need_str(v, key, &s, e);

	if (r) {
		return r;
	}
	for (int i = 0; words[i]; i++) {
		if (str_is(s, words[i])) {
			*out = i + 1;
			return 0;
		}
	}
	return err_set(e, RC_BUNDLE_SPEC, "%s: \"%.*s\" is not known to this version", key,
		STR_ARG(str_first(s, 64)));
}

static int read_list(const struct json *v, const char *key, size_t max, const struct json **first,
	size_t *n, struct err *e)
{
	const struct json *list;
	int r = json_need_array(v, key, &list, e);

	if (r) {
		return r;
	}
	*n = json_count(list);
	if (*n > max) {
		return err_set(e, RC_LIMIT, "%s: %zu entries, at most %zu are allowed", key, *n, max);
	}
	*first = json_first(list);
	return 0;
}

static int read_strs(struct arena *a, const struct json *v, const char *key, struct str **out, size_t *n,
	struct err *e)
{
	const struct json *item;
	int r = read_list(v, key, LIMIT_LIST, &item, n, e);

	if (r) {
		return r;
	}
	*out = arena_array(a, *n, sizeof(**out));
	for (size_t i = 0; i < *n; i++, item = json_next(item)) {
		struct str s;

		r = json_to_str(item, key, &s, e);
		if (r) {
			return r;
		}
		(*out)[i] = arena_str(a, s);
	}
	return 0;
}

static int read_metadata(const struct json *v, struct manifest_file *f, struct err *e)
{
	const struct json *m;

	if (f->kind != DIST_WHEEL) {
		return 0;
	}
	int r = json_need_object(v, "metadata", &m, e);
	r = r ? r : read_digest(m, "sha256", &f->metadata_sha256, e);
	r = r ? r : json_need_u64(m, "size", &f->metadata_size, e);
	if (!r && f->metadata_size > LIMIT_METADATA) {
		r = err_set(e, RC_LIMIT, "metadata: larger than %llu bytes",
			(unsigned long long)LIMIT_METADATA);
	}
	return r;
}

/* A name that the far side makes paths and pages of must say the same as the fields beside it. */
static int check_file(struct arena *a, const struct manifest_file *f, struct err *e)
{
	struct dist_name d;

	if (!dist_name_is_safe(f->file)) {
		return err_set(e, RC_INVALID, "file \"%.*s\": not a safe file name",
			STR_ARG(str_first(f->file, 80)));
	}
	int r = f->kind == DIST_WHEEL ? dist_name_parse(a, f->file, &d, e)
				      : dist_name_parse_sdist(a, f->file, f->name, &d, e);
	if (r) {
		return r;
	}
	if (d.kind != f->kind || !str_eq(d.name, f->name)) {
		return err_set(e, RC_INVALID, "file \"%.*s\": not a %s of \"%.*s\"", STR_ARG(f->file),
			f->kind == DIST_WHEEL ? "wheel" : "sdist", STR_ARG(str_first(f->name, 80)));
	}
	if (f->size > LIMIT_FILE) {
		return err_set(e, RC_LIMIT, "file \"%.*s\": larger than %llu bytes", STR_ARG(f->file),
			(unsigned long long)LIMIT_FILE);
	}
	return 0;
}

static int read_file(struct arena *a, const struct json *v, struct manifest_file *f, struct err *e)
{
	static const char *const kinds[] = { "wheel", "sdist", NULL };
	static const char *const encodings[] = { "plain", NULL };
	static const char *const promises[] = { "index", "lock", "first-use", NULL };
	const struct json *yanked = json_get(v, "yanked");
	int kind = 0, encoding = 0, promise = 0;
	int r = read_text(a, v, "file", LIMIT_FILE_NAME, &f->file, e);

	r = r ? r : read_word(v, "kind", kinds, &kind, e);
	r = r ? r : read_word(v, "encoding", encodings, &encoding, e);
	r = r ? r : read_word(v, "hash_from", promises, &promise, e);
	f->kind = (enum dist_kind)kind;
	f->hash_from = (enum manifest_hash_from)promise;
	r = r ? r : read_text(a, v, "device_code", LIMIT_DEVICE_CODE, &f->device_code, e);
	r = r ? r : read_text(a, v, "license", LIMIT_LICENSE, &f->license, e);
	r = r ? r : json_need_bool(v, "local_mismatch", &f->local_mismatch, e);
	r = r ? r : read_metadata(v, f, e);
	r = r ? r : read_text(a, v, "name", LIMIT_NAME, &f->name, e);
	r = r ? r : read_text(a, v, "origin", LIMIT_ORIGIN, &f->origin, e);
	r = r ? r : read_text(a, v, "requires_python", LIMIT_REQUIRES_PYTHON, &f->requires_python, e);
	r = r ? r : read_digest(v, "sha256", &f->sha256, e);
	r = r ? r : json_need_u64(v, "size", &f->size, e);
	r = r ? r : read_text(a, v, "version", LIMIT_VERSION, &f->version, e);
	f->is_yanked = yanked && !json_is_null(yanked);
	if (!r && f->is_yanked) {
		r = read_text(a, v, "yanked", LIMIT_YANKED, &f->yanked, e);
	}
	return r ? r : check_file(a, f, e);
}

static int read_index(const struct json *v, size_t nfiles, size_t *out, struct err *e)
{
	uint64_t file;
	int r = json_need_u64(v, "file", &file, e);

	if (!r && file >= nfiles) {
		r = err_set(e, RC_INVALID, "file: %llu of %zu", (unsigned long long)file, nfiles);
	}
	*out = r ? 0 : (size_t)file;
	return r;
}

static int read_use(const struct json *v, unsigned *out, struct err *e)
{
	static const char *const words[] = { "run", "build", "toolkit" };
	const struct json *item;
	size_t n;
	int r = read_list(v, "use", 3, &item, &n, e);

	*out = 0;
	for (size_t i = 0; !r && i < n; i++, item = json_next(item)) {
		struct str word;
		unsigned bit = 0;

		r = json_to_str(item, "use", &word, e);
		while (!r && bit < 3 && !str_is(word, words[bit])) {
			bit++;
		}
		if (!r && bit == 3) {
			r = err_set(e, RC_BUNDLE_SPEC, "use: \"%.*s\" is not known to this version",
				STR_ARG(str_first(word, 64)));
		}
		*out |= r ? 0 : 1u << bit;
	}
	return !r && *out == 0 ? err_set(e, RC_INVALID, "use: empty") : r;
}

/* Pick i, after those before it. Files are sorted by name, so the picks of a project stand together. */
static int check_pick(const struct manifest *m, const struct manifest_target *t, size_t i, struct err *e)
{
	const struct manifest_pick *p = &t->picks[i];
	struct str name = m->files[p->file].name;

	if (i && p->file <= t->picks[i - 1].file) {
		return err_set(e, RC_INVALID, "file %zu: twice, or not in order", p->file);
	}
	for (size_t j = i; (p->use & USE_RUN) && j && str_eq(m->files[t->picks[j - 1].file].name, name); j--) {
		if (t->picks[j - 1].use & USE_RUN) {
			return err_set(e, RC_INVALID, "file %zu: the second of %.*s to run with", p->file,
				STR_ARG(name));
		}
	}
	return 0;
}

static int read_picks(struct manifest *m, const struct json *v, struct manifest_target *t, struct err *e)
{
	const struct json *item;
	struct arena *a = &m->arena;
	int r = read_list(v, "plan", LIMIT_CLOSURE, &item, &t->npicks, e);

	if (r) {
		return r;
	}
	t->picks = arena_array(a, t->npicks, sizeof(*t->picks));
	for (size_t i = 0; i < t->npicks; i++, item = json_next(item)) {
		struct manifest_pick *p = &t->picks[i];

		r = read_index(item, m->nfiles, &p->file, e);
		r = r ? r : read_use(item, &p->use, e);
		r = r ? r : json_need_bool(item, "requested", &p->is_requested, e);
		r = r ? r : read_strs(a, item, "extras", &p->extras, &p->nextras, e);
		r = r ? r : check_pick(m, t, i, e);
		if (r) {
			return err_wrap(e, "plan[%zu]", i);
		}
	}
	return 0;
}

static int read_env(struct arena *a, const struct json *v, struct manifest_recipe *out, struct err *e)
{
	const struct json *item;
	int r = read_list(v, "env", LIMIT_RECIPE_ENV, &item, &out->nenv, e);

	if (r) {
		return r;
	}
	out->env_names = arena_array(a, out->nenv, sizeof(*out->env_names));
	out->env_values = arena_array(a, out->nenv, sizeof(*out->env_values));
	for (size_t i = 0; i < out->nenv; i++, item = json_next(item)) {
		const struct json *name = json_first(item);
		struct str n, s;

		if (!json_is_array(item) || json_count(item) != 2) {
			return err_set(e, RC_SYNTAX, "env[%zu]: not a pair", i);
		}
		r = json_to_str(name, "env", &n, e);
		r = r ? r : json_to_str(json_next(name), "env", &s, e);
		if (r) {
			return r;
		}
		out->env_names[i] = arena_str(a, n);
		out->env_values[i] = arena_str(a, s);
	}
	return 0;
}

static int by_file(const void *key, const void *pick)
{
	size_t file = *(const size_t *)key, other = ((const struct manifest_pick *)pick)->file;

	return (file > other) - (file < other);
}

static bool is_for_build(const struct manifest_target *t, size_t file)
{
	const struct manifest_pick *p = t->npicks ? bsearch(&file, t->picks, t->npicks, sizeof(*p), by_file) : NULL;

	return p && (p->use & USE_BUILD);
}

static int read_environment(struct arena *a, const struct json *v, const struct manifest_target *t,
	struct manifest_recipe *out, struct err *e)
{
	const struct json *item;
	int r = read_list(v, "environment", LIMIT_CLOSURE, &item, &out->nenvironment, e);

	if (r) {
		return r;
	}
	out->environment = arena_array(a, out->nenvironment, sizeof(*out->environment));
	for (size_t i = 0; i < out->nenvironment; i++, item = json_next(item)) {
		uint64_t file = 0;

		r = json_to_u64(item, "environment", &file, e);
		if (!r && !is_for_build(t, (size_t)file)) {
			r = err_set(e, RC_INVALID, "environment: file %llu: the plan has none to build with",
				(unsigned long long)file);
		}
		if (!r && i && file <= out->environment[i - 1]) {
			r = err_set(e, RC_INVALID, "environment: file %llu: twice, or not in order",
				(unsigned long long)file);
		}
		if (r) {
			return r;
		}
		out->environment[i] = (size_t)file;
	}
	return 0;
}

static int read_recipes(struct manifest *m, const struct json *v, struct manifest_target *t, struct err *e)
{
	const struct json *item;
	struct arena *a = &m->arena;
	int r = read_list(v, "recipes", LIMIT_CLOSURE, &item, &t->nrecipes, e);

	if (r) {
		return r;
	}
	t->recipes = arena_array(a, t->nrecipes, sizeof(*t->recipes));
	for (size_t i = 0; i < t->nrecipes; i++, item = json_next(item)) {
		struct manifest_recipe *p = &t->recipes[i];

		r = read_index(item, m->nfiles, &p->file, e);
		r = r ? r : json_need_bool(item, "device_code", &p->device_code, e);
		r = r ? r : read_environment(a, item, t, p, e);
		r = r ? r : read_env(a, item, p, e);
		if (!r && i && p->file <= t->recipes[i - 1].file) {
			r = err_set(e, RC_INVALID, "file %zu: twice, or not in order", p->file);
		}
		if (r) {
			return err_wrap(e, "recipes[%zu]", i);
		}
	}
	return 0;
}

static int read_targets(const struct json *root, struct manifest *m, struct err *e)
{
	const struct json *item, *machine;
	int r = read_list(root, "targets", LIMIT_TARGETS, &item, &m->ntargets, e);

	if (r) {
		return r;
	}
	m->targets = arena_array(&m->arena, m->ntargets, sizeof(*m->targets));
	for (size_t i = 0; i < m->ntargets; i++, item = json_next(item)) {
		struct manifest_target *t = &m->targets[i];

		r = json_need_object(item, "machine", &machine, e);
		r = r ? r : target_from_json(&m->arena, machine, &t->target, e);
		r = r ? r : read_picks(m, item, t, e);
		r = r ? r : read_recipes(m, item, t, e);
		r = r ? r : read_text(&m->arena, item, "toolkit", LIMIT_WORD, &t->toolkit, e);
		if (!r && manifest_target_of(m, t->target.name) != t) {
			r = err_set(e, RC_INVALID, "\"%.*s\" stands twice", STR_ARG(t->target.name));
		}
		if (r) {
			return err_wrap(e, "targets[%zu]", i);
		}
	}
	return 0;
}

static int read_files(const struct json *root, struct manifest *m, struct err *e)
{
	const struct json *item;
	int r = read_list(root, "files", LIMIT_FILES, &item, &m->nfiles, e);

	if (r) {
		return r;
	}
	m->files = arena_array(&m->arena, m->nfiles, sizeof(*m->files));
	for (size_t i = 0; i < m->nfiles; i++, item = json_next(item)) {
		r = read_file(&m->arena, item, &m->files[i], e);
		if (!r && i && manifest_file_cmp(&m->files[i - 1], &m->files[i]) >= 0) {
			r = err_set(e, RC_INVALID, "twice, or not in order");
		}
		if (r) {
			return err_wrap(e, "files[%zu]", i);
		}
	}
	return 0;
}

static int read_waivers(const struct json *root, struct manifest *m, struct err *e)
{
	const struct json *item;
	int r = read_list(root, "waivers", LIMIT_CLOSURE, &item, &m->nwaivers, e);

	if (r) {
		return r;
	}
	m->waivers = arena_array(&m->arena, m->nwaivers, sizeof(*m->waivers));
	for (size_t i = 0; i < m->nwaivers; i++, item = json_next(item)) {
		struct manifest_waiver *w = &m->waivers[i];

		r = read_text(&m->arena, item, "project", LIMIT_NAME, &w->project, e);
		r = r ? r : read_text(&m->arena, item, "reason", LIMIT_REASON, &w->reason, e);
		r = r ? r : read_text(&m->arena, item, "target", LIMIT_TARGET_NAME, &w->target, e);
		r = r ? r : read_text(&m->arena, item, "what", LIMIT_WORD, &w->what, e);
		if (r) {
			return err_wrap(e, "waivers[%zu]", i);
		}
	}
	return 0;
}

/* A manifest of another spec or kind is not damaged: it asks for a newer program. */
static int check_kind(const struct json *root, struct err *e)
{
	struct str type = STR_NULL, kind = STR_NULL;
	uint64_t spec = 0;
	int r = json_need_str(root, "type", &type, e);

	if (!r && !str_is(type, "gpkg-bundle-manifest")) {
		r = err_set(e, RC_BUNDLE_MANIFEST, "type: not a gpkg-bundle manifest");
	}
	r = r ? r : json_need_u64(root, "spec", &spec, e);
	r = r ? r : json_need_str(root, "kind", &kind, e);
	if (!r && (spec != MANIFEST_SPEC || !str_is(kind, "full"))) {
		r = err_set(e, RC_BUNDLE_SPEC, "spec %llu, kind \"%.*s\": this program reads spec %d, \"full\"",
			(unsigned long long)spec, STR_ARG(str_first(kind, 32)), MANIFEST_SPEC);
		err_hint(e, "a newer gpkg-bundle is needed on this side");
	}
	return r;
}

static int read_root(const struct json *root, struct manifest *m, struct err *e)
{
	const struct json *previous = json_get(root, "previous");
	int r = check_kind(root, e);

	r = r ? r : read_text(&m->arena, root, "channel", LIMIT_CHANNEL, &m->channel, e);
	r = r ? r : manifest_check_channel(m->channel, e);
	r = r ? r : json_need_u64(root, "created", &m->created, e);
	r = r ? r : json_need_u64(root, "epoch", &m->epoch, e);
	r = r ? r : json_need_u64(root, "expires", &m->expires, e);
	r = r ? r : json_need_u64(root, "serial", &m->serial, e);
	r = r ? r : read_digest(root, "lock_sha256", &m->lock_sha256, e);
	r = r ? r : read_text(&m->arena, root, "tool", LIMIT_WORD, &m->tool, e);
	m->has_previous = previous && !json_is_null(previous);
	if (!r && m->has_previous) {
		r = json_need_u64(previous, "serial", &m->previous_serial, e);
		r = r ? r : read_digest(previous, "sha256", &m->previous_sha256, e);
	}
	r = r ? r : read_files(root, m, e);
	r = r ? r : read_targets(root, m, e);
	return r ? r : read_waivers(root, m, e);
}

static int read_and_compare(struct str bytes, struct manifest *m, struct err *e)
{
	CLEANUP_JSON struct json *root = NULL;
	CLEANUP_BUF struct buf again = BUF_INIT;
	int r = json_parse(bytes, &root, e);

	r = r ? r : read_root(root, m, e);
	if (r) {
		return r;
	}
	manifest_write(m, &again);
	if (!str_eq(bytes, buf_str(&again))) {
		return err_set(e, RC_BUNDLE_MANIFEST,
			"not in canonical form: an unknown field, another order or another spelling");
	}
	return 0;
}

int manifest_read(struct str bytes, struct manifest *out, struct err *e)
{
	struct manifest m = MANIFEST_INIT;

	if (bytes.n > LIMIT_MANIFEST) {
		return err_set(e, RC_BUNDLE_MANIFEST, "larger than %llu bytes",
			(unsigned long long)LIMIT_MANIFEST);
	}
	int r = read_and_compare(bytes, &m, e);
	if (r) {
		manifest_release(&m);
		return e->rc == RC_BUNDLE_SPEC ? r : err_recode(e, RC_BUNDLE_MANIFEST);
	}
	*out = m;
	return 0;
}

/* The canonical bytes -> struct manifest. Every field is read by type and range here; that nothing else
 * stands in the text, and in one spelling only, is proved by writing it again and comparing. */
#include "manifests/dist_name.h"
#include "manifests/limits.h"
#include "manifests/manifest_reader.h"

static int read_metadata(const struct json *v, struct manifest_file *f, struct err *e)
{
	const struct json *m;

	if (f->kind != DIST_WHEEL) {
		return 0;
	}
	int r = json_need_object(v, "metadata", &m, e);
	r = r ? r : field_digest(m, "sha256", &f->metadata_sha256, e);
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
	int r = field_text(a, v, "file", LIMIT_FILE_NAME, &f->file, e);

	r = r ? r : field_word(v, "kind", kinds, &kind, e);
	r = r ? r : field_word(v, "encoding", encodings, &encoding, e);
	r = r ? r : field_word(v, "hash_from", promises, &promise, e);
	f->kind = (enum dist_kind)kind;
	f->hash_from = (enum manifest_hash_from)promise;
	r = r ? r : field_text(a, v, "device_code", LIMIT_DEVICE_CODE, &f->device_code, e);
	r = r ? r : field_text(a, v, "license", LIMIT_LICENSE, &f->license, e);
	r = r ? r : json_need_bool(v, "local_mismatch", &f->local_mismatch, e);
	r = r ? r : read_metadata(v, f, e);
	r = r ? r : field_text(a, v, "name", LIMIT_NAME, &f->name, e);
	r = r ? r : field_text(a, v, "origin", LIMIT_ORIGIN, &f->origin, e);
	r = r ? r : field_text(a, v, "requires_python", LIMIT_REQUIRES_PYTHON, &f->requires_python, e);
	r = r ? r : field_digest(v, "sha256", &f->sha256, e);
	r = r ? r : json_need_u64(v, "size", &f->size, e);
	r = r ? r : field_text(a, v, "version", LIMIT_VERSION, &f->version, e);
	f->is_yanked = yanked && !json_is_null(yanked);
	if (!r && f->is_yanked) {
		r = field_text(a, v, "yanked", LIMIT_YANKED, &f->yanked, e);
	}
	return r ? r : check_file(a, f, e);
}

static int read_files(const struct json *root, struct manifest *m, struct err *e)
{
	const struct json *item;
	int r = field_list(root, "files", LIMIT_FILES, &item, &m->nfiles, e);

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
	int r = field_list(root, "waivers", LIMIT_CLOSURE, &item, &m->nwaivers, e);

	if (r) {
		return r;
	}
	m->waivers = arena_array(&m->arena, m->nwaivers, sizeof(*m->waivers));
	for (size_t i = 0; i < m->nwaivers; i++, item = json_next(item)) {
		struct manifest_waiver *w = &m->waivers[i];

		r = field_text(&m->arena, item, "project", LIMIT_NAME, &w->project, e);
		r = r ? r : field_text(&m->arena, item, "reason", LIMIT_REASON, &w->reason, e);
		r = r ? r : field_text(&m->arena, item, "target", LIMIT_TARGET_NAME, &w->target, e);
		r = r ? r : field_text(&m->arena, item, "what", LIMIT_WORD, &w->what, e);
		if (r) {
			return err_wrap(e, "waivers[%zu]", i);
		}
	}
	return 0;
}

/* A manifest of another spec or kind is not damaged: it asks for a newer program. */
static int read_kind(const struct json *root, unsigned *out, struct err *e)
{
	struct str type = STR_NULL, kind = STR_NULL;
	uint64_t spec = 0;
	int r = json_need_str(root, "type", &type, e);

	if (!r && !str_is(type, "gpkg-bundle-manifest")) {
		r = err_set(e, RC_BUNDLE_MANIFEST, "type: not a gpkg-bundle manifest");
	}
	r = r ? r : json_need_u64(root, "spec", &spec, e);
	r = r ? r : json_need_str(root, "kind", &kind, e);
	if (r) {
		return r;
	}
	if (spec < MANIFEST_SPEC_OLDEST || spec > MANIFEST_SPEC || !str_is(kind, "full")) {
		err_set(e, RC_BUNDLE_SPEC,
			"spec %llu, kind \"%.*s\": this program reads spec %d to %d, \"full\"",
			(unsigned long long)spec, STR_ARG(str_first(kind, 32)), MANIFEST_SPEC_OLDEST,
			MANIFEST_SPEC);
		return err_hint(e, "a newer gpkg-bundle is needed on this side");
	}
	*out = (unsigned)spec;
	return 0;
}

static int read_root(const struct json *root, struct manifest *m, struct err *e)
{
	const struct json *previous = json_get(root, "previous");
	int r = read_kind(root, &m->spec, e);

	r = r ? r : field_text(&m->arena, root, "channel", LIMIT_CHANNEL, &m->channel, e);
	r = r ? r : manifest_check_channel(m->channel, e);
	r = r ? r : json_need_u64(root, "created", &m->created, e);
	r = r ? r : json_need_u64(root, "epoch", &m->epoch, e);
	r = r ? r : json_need_u64(root, "expires", &m->expires, e);
	r = r ? r : json_need_u64(root, "serial", &m->serial, e);
	r = r ? r : field_digest(root, "lock_sha256", &m->lock_sha256, e);
	r = r ? r : field_text(&m->arena, root, "tool", LIMIT_WORD, &m->tool, e);
	m->has_previous = previous && !json_is_null(previous);
	if (!r && m->has_previous) {
		r = json_need_u64(previous, "serial", &m->previous_serial, e);
		r = r ? r : field_digest(previous, "sha256", &m->previous_sha256, e);
	}
	r = r ? r : read_files(root, m, e);
	r = r ? r : manifest_read_targets(root, m, e);
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

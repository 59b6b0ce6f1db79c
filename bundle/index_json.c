#include "bundle/index_page.h"
#include "manifests/base/json.h"
#include "manifests/base/uri.h"

static int wrong(struct err *e, size_t i)
{
	err_recode(e, RC_INDEX);
	return err_wrap(e, "files[%zu]", i);
}

/* PEP 629 through PEP 691: a newer minor is readable, another major is not. */
static int read_version(const struct json *root, struct err *e)
{
	const struct json *meta = NULL;
	struct str version, major;

	if (json_need_object(root, "meta", &meta, e) ||
		json_need_str(meta, "api-version", &version, e)) {
		err_recode(e, RC_INDEX);
		return err_wrap(e, "no simple API");
	}
	struct str rest = version;
	str_cut(&rest, '.', &major);
	if (!str_is(major, "1")) {
		return err_set(e, RC_INDEX,
			"it speaks version %.*s of the simple API; 1.x is understood",
			STR_ARG(str_first(version, 24)));
	}
	return 0;
}

/* `hashes` must be there and may be empty; other algorithms than sha256 are passed over. */
static int read_hashes(const struct json *file, struct index_file *out, struct err *e)
{
	const struct json *hashes = NULL;
	struct str hex = STR_NULL;

	if (json_need_object(file, "hashes", &hashes, e) ||
		json_opt_str(hashes, "sha256", &hex, e)) {
		return -1;
	}
	if (!hex.n) {
		return 0;
	}
	if (digest_parse(hex, &out->sha256, e)) {
		return err_wrap(e, "hashes.sha256");
	}
	out->has_sha256 = true;
	return 0;
}

/* false, true, or the reason. */
static int read_yanked(
	struct arena *a, const struct json *file, struct index_file *out, struct err *e)
{
	const struct json *v = json_get(file, "yanked");
	struct str reason;

	if (!v || json_is_null(v)) {
		return 0;
	}
	if (json_is_bool(v)) {
		return json_to_bool(v, "yanked", &out->is_yanked, e);
	}
	if (json_to_str(v, "yanked", &reason, e)) {
		return -1;
	}
	out->is_yanked = true;
	out->yanked = arena_str(a, reason);
	return 0;
}

/* PEP 714: the new name wins over the two old ones. A digest here is METADATA's, never the file's.
 */
static int read_metadata(const struct json *file, struct index_file *out, struct err *e)
{
	static const char *const keys[] = { "core-metadata", "dist-info-metadata",
		"data-dist-info-metadata" };
	const struct json *v = NULL;
	struct str hex = STR_NULL;

	for (size_t i = 0; !v && i < sizeof(keys) / sizeof(*keys); i++) {
		v = json_get(file, keys[i]);
		v = v && json_is_null(v) ? NULL : v;
	}
	if (!v) {
		return 0;
	}
	if (json_is_bool(v)) {
		return json_to_bool(v, "core-metadata", &out->has_metadata, e);
	}
	if (!json_is_object(v)) {
		return err_set(
			e, RC_INDEX, "core-metadata: neither true, false nor a table of hashes");
	}
	out->has_metadata = true;
	if (json_opt_str(v, "sha256", &hex, e)) {
		return err_wrap(e, "core-metadata");
	}
	if (hex.n && digest_parse(hex, &out->metadata_sha256, e)) {
		return err_wrap(e, "core-metadata.sha256");
	}
	out->has_metadata_sha256 = hex.n != 0;
	return 0;
}

/* The file name is the URL's, as for HTML; "filename" where the URL ends in something else. Most need no
 * memory of their own: a page may list ten thousand. */
static struct str file_name(struct arena *a, const char *url, struct str said)
{
	struct str last = uri_last_segment(str_of(url));

	if (str_find(last, '%') < last.n) {
		last = str_of(uri_decode(a, last));
	}
	return index_is_dist_file(last) ? last : arena_str(a, said);
}

/* Neighbours on a page mostly say the same. */
static struct str keep_python(struct arena *a, const struct index_page *page, struct str python)
{
	struct str before = page->links.n ? page->links.v[page->links.n - 1].requires_python : STR_NULL;

	return str_eq(before, python) ? before : arena_str(a, python);
}

static int read_file(struct arena *a, const struct json *file, const char *url,
	struct index_page *page, struct err *e)
{
	struct index_file link = { .name = { .file = STR_NULL } };
	struct str name, href, python = STR_NULL;

	if (json_need_str(file, "filename", &name, e) || json_need_str(file, "url", &href, e) ||
		json_opt_str(file, "requires-python", &python, e) || read_hashes(file, &link, e) ||
		read_yanked(a, file, &link, e) || read_metadata(file, &link, e)) {
		return -1;
	}
	const struct json *size = json_get(file, "size");
	link.has_size = size && !json_is_null(size);
	if (json_opt_u64(file, "size", &link.size, e)) {
		return -1;
	}
	char *target = uri_resolve(a, str_of(url), href);
	if (!target) {
		return err_set(e, RC_INDEX, "url: not a link");
	}
	target[uri_without_fragment(str_of(target)).n] = '\0';
	link.url = target;
	link.name.file = file_name(a, link.url, name);
	link.requires_python = keep_python(a, page, str_trim(python));
	if (!index_is_dist_file(link.name.file)) {
		page->nunreadable++;
		return 0;
	}
	vec_push(&page->links, link);
	return 0;
}

static int read_files(struct arena *a, const struct json *root, const char *url,
	struct index_page *page, struct err *e)
{
	const struct json *files = NULL;
	size_t i = 0;

	if (json_need_array(root, "files", &files, e)) {
		return err_recode(e, RC_INDEX);
	}
	for (const struct json *f = json_first(files); f; f = json_next(f), i++) {
		if (read_file(a, f, url, page, e)) {
			return wrong(e, i);
		}
	}
	page->is_index = true;
	return 0;
}

int index_json_read(
	struct arena *a, struct str json, const char *url, struct index_page *out, struct err *e)
{
	CLEANUP_JSON struct json *root = NULL;
	struct index_page page = INDEX_PAGE_INIT;

	if (json_parse(json, &root, e)) {
		return err_recode(e, RC_INDEX);
	}
	int r = read_version(root, e);
	if (!r) {
		r = read_files(a, root, url, &page, e);
	}
	if (r) {
		index_page_release(&page);
		return r;
	}
	*out = page;
	return 0;
}

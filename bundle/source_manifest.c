#include "bundle/source_page.h"
#include "manifests/base/json.h"
#include "manifests/base/uri.h"

enum { SCHEMA = 1 };

/* As for every page, the name is the URL's; "filename" where the URL ends in something else. */
static const char *file_name(struct arena *a, const char *url, struct str said)
{
	char *last = uri_decode(a, uri_last_segment(str_of(url)));

	return last && index_is_dist_file(str_of(last)) ? last : arena_dup(a, said);
}

static int read_facts(const struct json *wheel, struct index_file *out, struct err *e)
{
	const struct json *size = json_get(wheel, "size");
	struct str hex = STR_NULL;

	if (json_opt_str(wheel, "sha256", &hex, e) || json_opt_u64(wheel, "size", &out->size, e)) {
		return -(int)e->rc;
	}
	out->has_size = size && !json_is_null(size);
	out->has_sha256 = hex.n > 0;
	return hex.n && digest_parse(hex, &out->sha256, e) ? err_wrap(e, "sha256") : 0;
}

static int read_wheel(struct arena *a, const struct json *wheel, const char *url,
	bool is_torch_free, struct index_page *page, struct err *e)
{
	struct index_file link = { .is_torch_free = is_torch_free };
	struct str name = STR_NULL, href;

	if (json_need_str(wheel, "url", &href, e) || json_opt_str(wheel, "filename", &name, e) ||
		read_facts(wheel, &link, e)) {
		return -(int)e->rc;
	}
	char *target = uri_resolve(a, str_of(url), href);
	if (!target) {
		return err_set(e, RC_INDEX, "url: not a link");
	}
	link.url = arena_dup(a, uri_without_fragment(str_of(target)));
	link.name.file = str_of(file_name(a, link.url, name));
	if (!index_is_dist_file(link.name.file)) {
		page->nunreadable++;
		return 0;
	}
	vec_push(&page->links, link);
	return 0;
}

static int read_package(struct arena *a, const struct json *package, const char *url,
	struct index_page *page, struct err *e)
{
	const struct json *wheels = NULL;
	bool is_torch_free = false;
	size_t i = 0;

	if (json_opt_bool(package, "torch_free", &is_torch_free, e) ||
		json_need_array(package, "wheels", &wheels, e)) {
		return -(int)e->rc;
	}
	for (const struct json *v = json_first(wheels); v; v = json_next(v), i++) {
		if (read_wheel(a, v, url, is_torch_free, page, e)) {
			return err_wrap(e, "wheels[%zu]", i);
		}
	}
	return 0;
}

static int read_packages(struct arena *a, const struct json *root, const char *url,
	struct index_page *page, struct err *e)
{
	const struct json *packages = NULL;
	uint64_t schema = 0;
	size_t i = 0;

	if (json_need_u64(root, "schema", &schema, e)) {
		return err_wrap(e, "no list of packages");
	}
	if (schema != SCHEMA) {
		return err_set(e, RC_INDEX, "a list of packages of schema %llu; %d is understood",
			(unsigned long long)schema, SCHEMA);
	}
	if (json_need_object(root, "packages", &packages, e)) {
		return -(int)e->rc;
	}
	for (const struct json *v = json_first(packages); v; v = json_next(v), i++) {
		if (read_package(a, v, url, page, e)) {
			return err_wrap(e, "packages[%zu]", i);
		}
	}
	page->is_index = true;
	return 0;
}

int source_manifest_read(
	struct arena *a, struct str text, const char *url, struct index_page *out, struct err *e)
{
	CLEANUP_JSON struct json *root = NULL;
	struct index_page page = INDEX_PAGE_INIT;

	if (json_parse(text, &root, e)) {
		return err_recode(e, RC_INDEX);
	}
	if (read_packages(a, root, url, &page, e)) {
		index_page_release(&page);
		return err_recode(e, RC_INDEX);
	}
	*out = page;
	return 0;
}

#include "bundle/source_page.h"
#include "manifests/base/json.h"
#include "manifests/base/uri.h"

/* "sha256:<hex>", null for what was uploaded before there were digests, or of another algorithm. */
static int read_digest(const struct json *asset, struct index_file *out, struct err *e)
{
	struct str digest = STR_NULL;

	if (json_opt_str(asset, "digest", &digest, e)) {
		return -(int)e->rc;
	}
	if (!str_starts(digest, "sha256:")) {
		return 0;
	}
	if (digest_parse(str_skip(digest, 7), &out->sha256, e)) {
		return err_wrap(e, "digest");
	}
	out->has_sha256 = true;
	return 0;
}

static int read_asset(struct arena *a, const struct json *asset, const char *url,
	struct index_page *page, struct err *e)
{
	struct index_file link = { .name = { .file = STR_NULL } };
	struct str href, state = STR("uploaded");

	if (json_need_str(asset, "browser_download_url", &href, e) ||
		json_opt_str(asset, "state", &state, e) || read_digest(asset, &link, e)) {
		return -(int)e->rc;
	}
	const struct json *size = json_get(asset, "size");
	link.has_size = size && !json_is_null(size);
	if (json_opt_u64(asset, "size", &link.size, e)) {
		return -(int)e->rc;
	}
	char *target = uri_resolve(a, str_of(url), href);
	char *file = target ? uri_decode(a, uri_last_segment(str_of(target))) : NULL;
	if (!file || !index_is_dist_file(str_of(file)) || !str_is(state, "uploaded")) {
		page->nunreadable++;
		return 0;
	}
	link.name.file = str_of(file);
	link.url = arena_dup(a, uri_without_fragment(str_of(target)));
	vec_push(&page->links, link);
	return 0;
}

static int read_release(struct arena *a, const struct json *release, const char *url,
	struct index_page *page, struct err *e)
{
	const struct json *assets = NULL;
	bool is_draft = false;
	size_t i = 0;

	if (json_opt_bool(release, "draft", &is_draft, e) ||
		json_need_array(release, "assets", &assets, e)) {
		return -(int)e->rc;
	}
	for (const struct json *v = json_first(assets); v && !is_draft; v = json_next(v), i++) {
		if (read_asset(a, v, url, page, e)) {
			return err_wrap(e, "assets[%zu]", i);
		}
	}
	return 0;
}

static int read_releases(struct arena *a, const struct json *root, const char *url,
	struct index_page *page, struct err *e)
{
	size_t i = 0;

	if (!json_is_array(root)) {
		return err_set(e, RC_INDEX, "no list of releases");
	}
	for (const struct json *v = json_first(root); v; v = json_next(v), i++) {
		if (read_release(a, v, url, page, e)) {
			err_recode(e, RC_INDEX);
			return err_wrap(e, "[%zu]", i);
		}
	}
	page->is_index = true;
	return 0;
}

int source_releases_read(
	struct arena *a, struct str text, const char *url, struct index_page *out, struct err *e)
{
	CLEANUP_JSON struct json *root = NULL;
	struct index_page page = INDEX_PAGE_INIT;

	if (json_parse(text, &root, e)) {
		return err_recode(e, RC_INDEX);
	}
	int r = read_releases(a, root, url, &page, e);
	if (r) {
		index_page_release(&page);
		return r;
	}
	*out = page;
	return 0;
}

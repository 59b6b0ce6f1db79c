#include "bundle/index_page.h"
#include "manifests/base/fs.h"
#include "manifests/limits.h"

#include <sys/stat.h>

static bool is_html(const char *name)
{
	return str_ends(str_of(name), ".html") || str_ends(str_of(name), ".htm");
}

/* The links of one HTML file go to the end of `out`. */
static int read_html(struct arena *a, const char *path, struct index_page *out, struct err *e)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct index_page page = INDEX_PAGE_INIT;

	int r = fs_read(path, LIMIT_INDEX_PAGE, &text, e);
	if (!r && index_html_read(a, buf_str(&text), index_file_url(a, path), &page, e)) {
		r = err_wrap(e, "%s", path);
	}
	if (r) {
		return r;
	}
	vec_each(struct index_file, link, &page.links) {
		vec_push(&out->links, *link);
	}
	out->nunreadable += page.nunreadable;
	index_page_release(&page);
	return 0;
}

static int read_entry(struct arena *a, const char *folder, const char *name, struct index_page *out,
	struct err *e)
{
	const char *path = arena_printf(a, "%s/%s", folder, name);
	struct stat st;

	if (stat(path, &st) || !S_ISREG(st.st_mode)) {
		return 0;
	}
	if (is_html(name)) {
		return read_html(a, path, out, e);
	}
	if (!index_is_dist_file(str_of(name))) {
		out->nunreadable++;
		return 0;
	}
	vec_push(&out->links, (struct index_file){
				      .name = { .file = str_of(name) },
				      .url = index_file_url(a, path),
				      .has_size = true,
				      .size = (uint64_t)st.st_size,
			      });
	return 0;
}

static int read_folder(struct arena *a, const char *path, struct index_page *out, struct err *e)
{
	char **names = NULL;
	size_t n = 0;

	int r = fs_list(path, a, &names, &n, e);
	for (size_t i = 0; !r && i < n; i++) {
		r = read_entry(a, path, names[i], out, e);
	}
	return r;
}

int index_dir_read(struct arena *a, const char *path, struct index_page *out, struct err *e)
{
	struct index_page page = INDEX_PAGE_INIT;
	struct stat st;
	int r = 0;

	page.is_index = true;
	if (stat(path, &st)) {
		/* pip is often configured with a folder that is made later, or never. */
	} else if (S_ISDIR(st.st_mode)) {
		r = read_folder(a, path, &page, e);
	} else if (is_html(path)) {
		r = read_html(a, path, &page, e);
	} else if (index_is_dist_file(str_of(path))) {
		r = read_entry(a, fs_dirname(a, path), fs_basename(path), &page, e);
	} else {
		r = err_set(e, RC_INDEX,
			"%s: neither a folder, nor an HTML page, nor a distribution", path);
	}
	if (r) {
		index_page_release(&page);
		return r;
	}
	*out = page;
	return 0;
}

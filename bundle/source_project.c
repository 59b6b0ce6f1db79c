#include "bundle/source_project.h"
#include "bundle/http_wire.h"
#include "bundle/index_load.h"
#include "bundle/index_merge.h"
#include "bundle/source_page.h"
#include "manifests/base/fs.h"
#include "manifests/base/uri.h"
#include "manifests/limits.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct asking {
	struct index *x;
	const struct source *s;
	const struct target *t;
	struct str project; /* normalised */
	struct arena *a;
	const char *shown; /* of the page in hand, without credentials */
	bool is_found;
	size_t nlinks;    /* of all pages */
	size_t nmisnamed; /* files of the project that wheel_name leaves out */
	struct index_merge files;
};

/* ---- links ---- */

/* A folder of wheel hosts that is another accelerator's: old files are linked from every index
 * there. */
static bool is_of_other_accelerator(struct asking *q, struct str segment)
{
	const struct cuda_version cuda = q->t->cuda;
	struct variant v;

	variant_parse(q->a, segment, VARIANT_TORCH_ANY, &v);
	if (v.accelerator == VARIANT_UNSAID || v.ntorch || v.rest.n) {
		return false;
	}
	if (v.accelerator == VARIANT_CUDA) {
		return v.cuda.major != cuda.major ||
		       (v.has_cuda_minor && v.cuda.minor != cuda.minor);
	}
	return cuda.major != 0;
}

static bool is_elsewhere(struct asking *q, const char *url)
{
	struct str path = uri_path(str_of(url)), segment;
	size_t slash = str_rfind(path, '/');
	bool is_out = false;

	path = str_first(path, slash < path.n ? slash : 0);
	while (str_has(q->s->url, "{accelerator}") && str_cut(&path, '/', &segment)) {
		is_out = is_out || is_of_other_accelerator(q, segment);
	}
	return is_out;
}

/* The CUDA that a place is for, where the source's URL names it in full. */
static struct cuda_version cuda_of_place(const struct asking *q)
{
	bool is_said = str_has(q->s->url, "{accelerator}") ||
		       (str_has(q->s->url, "{cuda}") && q->s->cuda_style != SOURCE_CUDA_SHORT);

	return q->s->kind == SOURCE_INDEX && is_said ? q->t->cuda : (struct cuda_version){ 0, 0 };
}

static void take_page(struct asking *q, struct index_page *page)
{
	size_t n = 0;

	q->is_found = true;
	q->nlinks += page->links.n;
	vec_each(struct index_file, link, &page->links) {
		if (is_elsewhere(q, link->url)) {
			continue;
		}
		link->source = q->shown;
		link->place_cuda = cuda_of_place(q);
		page->links.v[n++] = *link;
	}
	page->links.n = n;
	index_merge_add(&q->files, page, true);
	index_page_release(page);
}

static void take_file(struct asking *q, const char *url, const char *file)
{
	struct index_page page = INDEX_PAGE_INIT;
	struct index_file link = { .name = { .file = str_of(file) }, .url = url };
	const char *path = index_file_path(q->a, str_of(url));
	struct stat st;

	if (path) {
		link.has_size = stat(path, &st) == 0;
		link.size = link.has_size ? (uint64_t)st.st_size : 0;
	}
	vec_push(&page.links, link);
	take_page(q, &page);
}

/* ---- this machine ---- */

static int read_local_manifest(
	struct asking *q, const char *path, struct index_page *page, struct err *e)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	int r = fs_read(path, LIMIT_INDEX_PAGE, &text, e);

	if (!r && source_manifest_read(q->a, buf_str(&text), index_file_url(q->a, path), page, e)) {
		return err_wrap(e, "%s", path);
	}
	return r;
}

/* DIR/<project>/index.html, as pip reads an index there, else the folder of files. */
static const char *local_index(struct asking *q, const char *path)
{
	const char *folder = arena_printf(q->a, "%s/%.*s", path, STR_ARG(q->project));
	const char *page = arena_printf(q->a, "%s/index.html", folder);

	return fs_exists(page) ? page : folder;
}

static int read_local(struct asking *q, const char *url, const char *path, struct err *e)
{
	struct index_page page = INDEX_PAGE_INIT;
	int r = 0;

	path = q->s->kind == SOURCE_INDEX ? local_index(q, path) : path;
	q->shown = path;
	if (!fs_exists(path)) {
		return 0;
	}
	if (q->s->kind == SOURCE_FILE) {
		take_file(q, url, fs_basename(path));
		return 0;
	}
	r = q->s->kind == SOURCE_MANIFEST ? read_local_manifest(q, path, &page, e)
					  : index_dir_read(q->a, path, &page, e);
	if (!r) {
		take_page(q, &page);
	}
	return r;
}

/* ---- remote ---- */

static int load_page(struct asking *q, const char *url, struct index_load *load, struct err *e)
{
	*load = (struct index_load){ .url = url,
		.source = q->shown,
		.may_be_absent = true,
		.is_403_absent = q->s->is_403_absent,
		.page = INDEX_PAGE_INIT };
	if (q->s->kind == SOURCE_GITHUB) {
		load->read = source_releases_read;
		load->accept = "application/vnd.github+json, application/json;q=0.9";
	} else if (q->s->kind == SOURCE_MANIFEST) {
		load->read = source_manifest_read;
		load->accept = "application/json, */*;q=0.1";
	}
	return index_load_pages(
		index_http(q->x), index_cache(q->x), load, 1, q->a, NULL, NULL, e);
}

static bool is_seen(const struct str *seen, size_t n, const char *url)
{
	for (size_t i = 0; i < n; i++) {
		if (str_is(seen[i], url)) {
			return true;
		}
	}
	return false;
}

/* A list that leads back into itself never ends, and what another host says is not this one's word.
 */
static int check_next(
	struct asking *q, const char *next, const struct str *seen, size_t n, struct err *e)
{
	const char *origin = http_url_origin(q->a, str_of(next));

	if (n == LIMIT_SOURCE_PAGES) {
		return err_set(e, RC_LIMIT, "%s: goes on for more than %d pages", q->shown,
			LIMIT_SOURCE_PAGES);
	}
	if (!origin || !str_is(str_of(origin), http_url_origin(q->a, seen[0]))) {
		return err_set(e, RC_INDEX, "%s: goes on at another host: %.*s", q->shown,
			STR_ARG(uri_host(str_of(next))));
	}
	if (is_seen(seen, n, next)) {
		return err_set(e, RC_INDEX, "%s: its pages go round in a circle", q->shown);
	}
	return 0;
}

static int read_remote(struct asking *q, const char *url, struct err *e)
{
	struct str *seen = arena_array(q->a, LIMIT_SOURCE_PAGES, sizeof(*seen));
	struct index_load load;

	for (size_t n = 0; url;) {
		int r = load_page(q, url, &load, e);

		if (!r && load.is_absent && n) {
			r = err_set(e, RC_INDEX, "%s: page %zu of the list is not there", q->shown,
				n + 1);
		}
		if (r || load.is_absent) {
			return r;
		}
		take_page(q, &load.page);
		seen[n++] = str_of(url);
		url = q->s->kind == SOURCE_GITHUB ? load.next : NULL;
		if (url && check_next(q, url, seen, n, e)) {
			return -(int)e->rc;
		}
	}
	return 0;
}

/* ---- a place ---- */

static const char *page_url(struct asking *q, struct str url)
{
	if (q->s->kind != SOURCE_INDEX) {
		return arena_dup(q->a, url);
	}
	while (str_ends(url, "/")) {
		url = str_first(url, url.n - 1);
	}
	return arena_printf(q->a, "%.*s/%.*s/", STR_ARG(url), STR_ARG(q->project));
}

static int read_place(struct asking *q, struct str place, struct err *e)
{
	const char *path = index_file_path(q->a, place);
	const char *url = page_url(q, place);

	if (path) {
		return read_local(q, arena_dup(q->a, place), path, e);
	}
	q->shown = http_url_without_login(q->a, str_of(url));
	if (index_check_url(q->x, url, e)) {
		return -(int)e->rc;
	}
	if (q->s->kind == SOURCE_FILE) {
		const char *file = uri_decode(q->a, uri_last_segment(place));

		take_file(q, url, file ? file : "");
		return 0;
	}
	return read_remote(q, url, e);
}

/* One place in several spellings: the first that exists is the answer. */
static int read_places(
	struct asking *q, const struct source_pages *pages, struct buf *asked, struct err *e)
{
	int r = 0;

	for (size_t i = 0; i < pages->n && !r && !q->is_found; i++) {
		r = read_place(q, pages->urls[i], e);
		buf_addf(asked, "%s%s", i ? " and " : "", q->shown);
	}
	return r ? err_wrap(e, "source %.*s", STR_ARG(q->s->name)) : 0;
}

/* ---- the answer ---- */

static struct str why_nothing(struct asking *q, const struct source_pages *pages, struct str asked)
{
	struct str name = q->s->name;

	if (pages->why.n) {
		return str_of(arena_printf(q->a, "the source %.*s", STR_ARG(pages->why)));
	}
	if (!q->is_found) {
		return str_of(arena_printf(q->a,
			"the source %.*s has no %s for the target %.*s: %.*s %s not there",
			STR_ARG(name), q->s->kind == SOURCE_FILE ? "file" : "page",
			STR_ARG(q->t->name), STR_ARG(asked), pages->n > 1 ? "are" : "is"));
	}
	if (q->nmisnamed) {
		return str_of(arena_printf(q->a,
			"of %zu file%s of %.*s at %.*s none has a name as the source %.*s "
			"takes: %.*s",
			q->nmisnamed, q->nmisnamed == 1 ? "" : "s", STR_ARG(q->project),
			STR_ARG(asked), STR_ARG(name), STR_ARG(q->s->wheel_name)));
	}
	return str_of(arena_printf(q->a,
		"the source %.*s has no %.*s: none of the %zu files at %.*s is of it",
		STR_ARG(name), STR_ARG(q->project), q->nlinks, STR_ARG(asked)));
}

static struct str why_not_asked(struct asking *q)
{
	const struct source *s = q->s;
	CLEANUP_BUF struct buf b = BUF_INIT;

	buf_addf(&b, "the source %.*s has no %.*s, but ", STR_ARG(s->name), STR_ARG(q->project));
	for (size_t i = 0; i < s->npackages; i++) {
		buf_addf(&b, "%s%.*s", i ? ", " : "", STR_ARG(s->packages[i]));
	}
	return arena_str(q->a, buf_str(&b));
}

/* A registry's other name for a project is good for finding the source; what its files are called
 * is not changed by it. */
static bool has_project(const struct asking *q)
{
	struct source s = *q->s;

	s.known_as = STR_NULL;
	return source_has_package(&s, q->project);
}

static void keep_named(struct asking *q)
{
	size_t n = 0;

	vec_each(struct index_file, f, &q->files.files) {
		if (source_has_name(q->s, f->name.file)) {
			q->files.files.v[n++] = *f;
		} else {
			q->nmisnamed++;
		}
	}
	q->files.files.n = n;
}

struct str source_github_api(void)
{
	struct str base = str_of(getenv("GPKG_BUNDLE_GITHUB_API"));

	while (str_ends(base, "/")) {
		base = str_first(base, base.n - 1);
	}
	return base;
}

int source_project(struct index *x, const struct source *s, const struct target *t,
	struct str project, struct arena *a, struct source_answer *out, struct err *e)
{
	struct asking q = { .x = x, .s = s, .t = t, .project = arena_str(a, project), .a = a };
	CLEANUP_BUF struct buf asked = BUF_INIT;
	struct source_pages pages = { .n = 0 };

	q.files = (struct index_merge){ .a = a, .project = q.project };
	int r = has_project(&q) ? source_locate(s, t, source_github_api(), a, &pages, e) : 0;
	r = r ? r : read_places(&q, &pages, &asked, e);
	if (r) {
		vec_release(&q.files.files);
		return r;
	}
	keep_named(&q);
	index_merge_end(&q.files, &out->project);
	struct str places = arena_str(a, buf_str(&asked));
	out->where = str_of(arena_printf(a, "the source %.*s%s%.*s", STR_ARG(s->name),
		places.n ? " at " : "", STR_ARG(places)));
	out->why = out->project.nfiles ? STR_NULL
		   : has_project(&q)   ? why_nothing(&q, &pages, places)
				       : why_not_asked(&q);
	return 0;
}

#include "bundle/index.h"
#include "bundle/http_wire.h"
#include "bundle/index_load.h"
#include "bundle/index_merge.h"
#include "manifests/base/fs.h"
#include "manifests/base/uri.h"
#include "manifests/name.h"

#include <stdlib.h>
#include <string.h>

struct place {
	const char *url;  /* without credentials and without '/' at its end; NULL: local */
	const char *path; /* of this machine; NULL: remote */
	const char *shown;
};

struct index {
	struct arena arena;
	const struct pip_config *config;
	struct cache *cache;
	struct http *http;
	struct place *indexes, *flats;
	size_t nindexes, nflats;
	struct index_page *flat_pages; /* read at the first question; one a flat source */
};

/* ---- opening ---- */

static struct place make_place(struct arena *a, const char *place)
{
	struct str text = str_of(place), scheme = uri_scheme(text);
	struct place s = { .url = NULL };

	if (str_eq_nocase(scheme, STR("http")) || str_eq_nocase(scheme, STR("https"))) {
		s.url = http_url_without_login(a, uri_without_fragment(text));
		s.shown = s.url;
		return s;
	}
	s.path = index_file_path(a, text);
	s.path = s.path ? s.path : place;
	s.shown = s.path;
	return s;
}

int index_check_url(const struct index *x, const char *url, struct err *e)
{
	const struct pip_config *config = x->config;
	struct arena a = ARENA_INIT;
	struct str text = str_of(url);
	const char *shown = http_url_without_login(&a, text);
	int r = 0;

	if (!uri_host(text).n) {
		r = err_set(e, RC_INVALID, "%s: an index URL without a host", shown);
	} else if (str_eq_nocase(uri_scheme(text), STR("http")) && !http_host_is_loopback(text) &&
		   !http_host_is_trusted(text, config->trusted_hosts, config->ntrusted_hosts)) {
		err_set(e, RC_INDEX, "%s: plain http, and its host is not trusted", shown);
		r = err_hint(e, "use https, or tell pip that you trust it: PIP_TRUSTED_HOST=%.*s",
			STR_ARG(uri_host(text)));
	}
	arena_release(&a);
	return r;
}

static int make_places(struct index *x, const struct pip_config *config, struct err *e)
{
	int r = 0;

	x->nindexes = config->nindexes;
	x->nflats = config->nfind_links;
	x->indexes = arena_array(&x->arena, x->nindexes + 1, sizeof(*x->indexes));
	x->flats = arena_array(&x->arena, x->nflats + 1, sizeof(*x->flats));
	for (size_t i = 0; i < x->nindexes && !r; i++) {
		struct place *s = &x->indexes[i];

		*s = make_place(&x->arena, config->indexes[i]);
		if (s->url) { /* ".../simple/" and ".../simple" are one place */
			size_t n = strlen(s->url);

			while (n && s->url[n - 1] == '/') {
				n--;
			}
			s->url = arena_dup(&x->arena, (struct str){ s->url, n });
		}
		r = s->url ? index_check_url(x, s->url, e) : 0;
	}
	for (size_t i = 0; i < x->nflats && !r; i++) {
		struct place *s = &x->flats[i];

		*s = make_place(&x->arena, config->find_links[i]);
		r = s->url ? index_check_url(x, s->url, e) : 0;
	}
	return r;
}

static int make_client(struct index *x, const struct pip_config *config, struct err *e)
{
	const char **logins =
		arena_array(&x->arena, config->nindexes + config->nfind_links + 1, sizeof(*logins));
	size_t n = 0;

	for (size_t i = 0; i < config->nindexes; i++) {
		logins[n++] = config->indexes[i];
	}
	for (size_t i = 0; i < config->nfind_links; i++) {
		logins[n++] = config->find_links[i];
	}
	return http_new(
		&(struct http_options){
			.cert = config->cert,
			.client_cert = config->client_cert,
			.proxy = config->proxy,
			.trusted_hosts = config->trusted_hosts,
			.ntrusted_hosts = config->ntrusted_hosts,
			.timeout = config->timeout,
			.retries = config->retries,
			.logins = logins,
			.nlogins = n,
		},
		&x->http, e);
}

int index_open(
	const struct pip_config *config, struct cache *cache, struct index **out, struct err *e)
{
	struct index *x = mem_alloc(sizeof(*x));

	x->config = config;
	x->cache = cache;
	int r = make_places(x, config, e);
	if (!r) {
		r = make_client(x, config, e);
	}
	if (r) {
		index_close(x);
		return r;
	}
	*out = x;
	return 0;
}

void index_close(struct index *x)
{
	if (x) {
		for (size_t i = 0; x->flat_pages && i < x->nflats; i++) {
			index_page_release(&x->flat_pages[i]);
		}
		http_free(x->http);
		arena_release(&x->arena);
		free(x);
	}
}

struct http *index_http(struct index *x)
{
	return x->http;
}

struct cache *index_cache(struct index *x)
{
	return x->cache;
}

const char *index_where(const struct index *x, struct arena *a)
{
	CLEANUP_BUF struct buf b = BUF_INIT;

	for (size_t i = 0; i < x->nindexes + x->nflats; i++) {
		bool is_index = i < x->nindexes;
		const struct place *s = is_index ? &x->indexes[i] : &x->flats[i - x->nindexes];

		buf_addf(&b, "%s%s %s", i ? " and " : "",
			is_index ? "the index at"
			: s->url ? "the page"
				 : "the folder",
			s->shown);
	}
	if (!b.n) {
		buf_adds(&b, "no index (pip is configured with no-index and without find-links)");
	}
	return arena_dup(a, buf_str(&b));
}

/* ---- loading ---- */

/* find-links locations are read once, whatever the names. */
static int load_flats(struct index *x, struct err *e)
{
	CLEANUP(free) struct index_load *loads = mem_array(x->nflats + 1, sizeof(*loads));
	CLEANUP(free) size_t *of = mem_array(x->nflats + 1, sizeof(*of));
	size_t n = 0;
	int r = 0;

	if (x->flat_pages) {
		return 0;
	}
	x->flat_pages = arena_array(&x->arena, x->nflats + 1, sizeof(*x->flat_pages));
	for (size_t i = 0; i < x->nflats && !r; i++) {
		const struct place *s = &x->flats[i];

		if (s->url) {
			of[n] = i;
			loads[n++] = (struct index_load){ .url = s->url, .source = s->shown };
			continue;
		}
		r = index_dir_read(&x->arena, s->path, &x->flat_pages[i], e);
		vec_each(struct index_file, link, &x->flat_pages[i].links) {
			link->source = s->shown;
		}
	}
	if (!r) {
		r = index_load_pages(x->http, x->cache, loads, n, &x->arena, NULL, NULL, e);
	}
	for (size_t i = 0; i < n; i++) {
		x->flat_pages[of[i]] = loads[i].page;
	}
	return r ? err_wrap(e, "find-links") : 0;
}

/* An index in a folder, as pip reads one: DIR/<name>/index.html. */
static int load_local(const struct place *s, const char *name, struct arena *a,
	struct index_page *out, struct err *e)
{
	const char *page = arena_printf(a, "%s/%s/index.html", s->path, name);

	if (!fs_exists(s->path)) {
		err_set(e, RC_NOT_FOUND, "%s: there is no index in this folder", s->shown);
		return err_hint(e, "correct PIP_INDEX_URL, or index-url in pip.conf");
	}
	if (!fs_exists(page)) {
		return 0;
	}
	int r = index_dir_read(a, page, out, e);
	vec_each(struct index_file, link, &out->links) {
		link->source = s->shown;
	}
	return r;
}

/* ---- projects ---- */

/* Projects of which pages come in, in any order: pages[project * nindexes + index]. */
struct gathering {
	struct index *x;
	struct arena *a;
	const char *const *names;
	struct index_page *pages;
	size_t *nmissing; /* pages of each project that are to come */
	struct index_project *out;
	const struct index_load *loads; /* the pages that are loaded, and which they are */
	size_t *of;
};

static void merge_project(struct gathering *g, size_t i)
{
	const struct index *x = g->x;
	struct index_page *pages = &g->pages[i * x->nindexes];
	struct index_merge m = { .a = g->a, .project = str_of(g->names[i]) };

	for (size_t j = 0; j < x->nflats; j++) {
		index_merge_add(&m, &x->flat_pages[j], true);
	}
	for (size_t j = 0; j < x->nindexes; j++) {
		index_merge_add(&m, &pages[j], false);
		index_page_release(&pages[j]);
	}
	index_merge_end(&m, &g->out[i]);
}

static void take_page(void *context, struct index_load *load)
{
	struct gathering *g = context;
	size_t at = g->of[load - g->loads], project = at / g->x->nindexes;

	g->pages[at] = load->page;
	load->page = (struct index_page)INDEX_PAGE_INIT;
	if (--g->nmissing[project] == 0) {
		merge_project(g, project);
	}
}

static int load_projects(struct gathering *g, size_t n, struct err *e)
{
	const struct index *x = g->x;
	CLEANUP(free) struct index_load *loads = mem_array(n * x->nindexes + 1, sizeof(*loads));
	size_t count = 0;
	int r = 0;

	for (size_t i = 0; i < n * x->nindexes && !r; i++) {
		const char *name = g->names[i / x->nindexes];
		const struct place *s = &x->indexes[i % x->nindexes];

		if (!s->url) {
			r = load_local(s, name, g->a, &g->pages[i], e);
			continue;
		}
		g->nmissing[i / x->nindexes]++;
		g->of[count] = i;
		loads[count++] = (struct index_load){
			.url = arena_printf(g->a, "%s/%s/", s->url, name),
			.source = s->shown,
			.may_be_absent = true,
		};
	}
	for (size_t i = 0; i < n && !r; i++) {
		if (!g->nmissing[i]) {
			merge_project(g, i);
		}
	}
	g->loads = loads;
	return r ? r : index_load_pages(x->http, x->cache, loads, count, g->a, take_page, g, e);
}

int index_projects(struct index *x, const struct str *names, size_t n, struct arena *a,
	struct index_project *out, struct err *e)
{
	CLEANUP(free) const char **plain = mem_array(n + 1, sizeof(*plain));
	CLEANUP(free) struct index_page *pages = mem_array(n * x->nindexes + 1, sizeof(*pages));
	CLEANUP(free) size_t *nmissing = mem_array(n + 1, sizeof(*nmissing));
	CLEANUP(free) size_t *of = mem_array(n * x->nindexes + 1, sizeof(*of));
	struct gathering g = { .x = x, .a = a, .names = plain, .pages = pages, .nmissing = nmissing,
		.out = out, .of = of };

	for (size_t i = 0; i < n; i++) {
		if (!name_is_valid(names[i])) {
			return err_set(e, RC_INVALID, "\"%.*s\": not a project name",
				STR_ARG(str_first(names[i], 100)));
		}
		plain[i] = name_normalize(a, names[i]);
	}
	int r = load_flats(x, e);
	if (!r) {
		r = load_projects(&g, n, e);
	}
	for (size_t i = 0; i < n * x->nindexes; i++) {
		index_page_release(&pages[i]);
	}
	return r;
}

#include "bundle/index.h"
#include "bundle/http_wire.h"
#include "bundle/index_load.h"
#include "manifests/base/fs.h"
#include "manifests/base/uri.h"
#include "manifests/name.h"

#include <stdlib.h>
#include <string.h>

struct source {
	const char *url;  /* without credentials and without '/' at its end; NULL: local */
	const char *path; /* of this machine; NULL: remote */
	const char *shown;
};

struct index {
	struct arena arena;
	struct cache *cache;
	struct http *http;
	struct source *indexes, *flats;
	size_t nindexes, nflats;
	struct index_page *flat_pages; /* read at the first question; one a flat source */
};

/* ---- opening ---- */

static struct source make_source(struct arena *a, const char *place)
{
	struct str text = str_of(place), scheme = uri_scheme(text);
	struct source s = { .url = NULL };

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

static int check_source(const struct pip_config *config, const struct source *s, struct err *e)
{
	struct str url = str_of(s->url);

	if (!s->url) {
		return 0;
	}
	if (!uri_host(url).n) {
		return err_set(e, RC_INVALID, "%s: an index URL without a host", s->shown);
	}
	if (!str_eq_nocase(uri_scheme(url), STR("http")) || http_host_is_loopback(url) ||
		http_host_is_trusted(url, config->trusted_hosts, config->ntrusted_hosts)) {
		return 0;
	}
	err_set(e, RC_INDEX, "%s: plain http, and its host is not trusted", s->shown);
	return err_hint(e, "use https, or tell pip that you trust it: PIP_TRUSTED_HOST=%.*s",
		STR_ARG(uri_host(url)));
}

static int make_sources(struct index *x, const struct pip_config *config, struct err *e)
{
	int r = 0;

	x->nindexes = config->nindexes;
	x->nflats = config->nfind_links;
	x->indexes = arena_array(&x->arena, x->nindexes + 1, sizeof(*x->indexes));
	x->flats = arena_array(&x->arena, x->nflats + 1, sizeof(*x->flats));
	for (size_t i = 0; i < x->nindexes && !r; i++) {
		struct source *s = &x->indexes[i];

		*s = make_source(&x->arena, config->indexes[i]);
		if (s->url) { /* ".../simple/" and ".../simple" are one place */
			size_t n = strlen(s->url);

			while (n && s->url[n - 1] == '/') {
				n--;
			}
			s->url = arena_dup(&x->arena, (struct str){ s->url, n });
		}
		r = check_source(config, s, e);
	}
	for (size_t i = 0; i < x->nflats && !r; i++) {
		x->flats[i] = make_source(&x->arena, config->find_links[i]);
		r = check_source(config, &x->flats[i], e);
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

	x->cache = cache;
	int r = make_sources(x, config, e);
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
		const struct source *s = is_index ? &x->indexes[i] : &x->flats[i - x->nindexes];

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
		const struct source *s = &x->flats[i];

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
		r = index_load_pages(x->http, x->cache, loads, n, &x->arena, e);
	}
	for (size_t i = 0; i < n; i++) {
		x->flat_pages[of[i]] = loads[i].page;
	}
	return r ? err_wrap(e, "find-links") : 0;
}

/* An index in a folder, as pip reads one: DIR/<name>/index.html. */
static int load_local(const struct source *s, const char *name, struct arena *a,
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

/* The pages of all names on all indexes: pages[name * nindexes + index]. */
static int load_projects(struct index *x, const char *const *names, size_t n, struct arena *a,
	struct index_page *pages, struct err *e)
{
	CLEANUP(free) struct index_load *loads = mem_array(n * x->nindexes + 1, sizeof(*loads));
	CLEANUP(free) size_t *of = mem_array(n * x->nindexes + 1, sizeof(*of));
	size_t count = 0;
	int r = 0;

	for (size_t i = 0; i < n * x->nindexes && !r; i++) {
		const char *name = names[i / x->nindexes];
		const struct source *s = &x->indexes[i % x->nindexes];

		if (!s->url) {
			r = load_local(s, name, a, &pages[i], e);
			continue;
		}
		of[count] = i;
		loads[count++] = (struct index_load){
			.url = arena_printf(a, "%s/%s/", s->url, name),
			.source = s->shown,
			.may_be_absent = true,
		};
	}
	if (!r) {
		r = index_load_pages(x->http, x->cache, loads, count, a, e);
	}
	for (size_t i = 0; i < count; i++) {
		pages[of[i]] = loads[i].page;
	}
	return r;
}

/* ---- merging ---- */

struct merge {
	struct arena *a;
	struct str project; /* normalised */
	VEC(struct index_file) files;
	size_t nunreadable;
};

/* Does a file name begin with the project's name, whatever its spelling, and a '-'? An sdist's name
 * can be cut only by who knows the project. */
static bool begins_with_project(struct str file, struct str project)
{
	size_t at = 0, i = 0;

	while (at < file.n && i < project.n) {
		char c = file.p[at];
		bool is_gap = c == '-' || c == '_' || c == '.';

		c = c >= 'A' && c <= 'Z' ? (char)(c | 32) : is_gap ? '-' : c;
		if (c != project.p[i]) {
			return false;
		}
		i++;
		at++;
		while (is_gap && at < file.n && strchr("-_.", file.p[at])) {
			at++;
		}
	}
	return i == project.n && at < file.n && file.p[at] == '-';
}

static bool parse_name(struct merge *m, struct str file, struct dist_name *out)
{
	struct err ignored = ERR_INIT;

	if (!dist_name_is_safe(file)) {
		return false;
	}
	if (str_ends(file, ".whl")) {
		return dist_name_parse(m->a, file, out, &ignored) == 0;
	}
	return dist_name_parse_sdist(m->a, file, m->project, out, &ignored) == 0;
}

/* A link of a page that may list other projects, too. */
static void add_link(struct merge *m, const struct index_file *link, bool is_flat)
{
	struct index_file f = *link;

	if (!begins_with_project(link->name.file, m->project)) {
		m->nunreadable += !is_flat;
	} else if (!parse_name(m, link->name.file, &f.name)) {
		m->nunreadable++;
	} else if (str_eq(f.name.name, m->project)) { /* "torch-1-py3..." could be of "torch-1" */
		vec_push(&m->files, f);
	}
}

static void add_page(struct merge *m, const struct index_page *page, bool is_flat)
{
	vec_each(const struct index_file, link, &page->links) {
		add_link(m, link, is_flat);
	}
	m->nunreadable += is_flat ? 0 : page->nunreadable;
}

static int by_file_and_place(const void *a, const void *b)
{
	const struct index_file *x = *(struct index_file *const *)a,
				*y = *(struct index_file *const *)b;
	int order = str_cmp(x->name.file, y->name.file);

	return order ? order : x < y ? -1 : x > y;
}

/* Two links to one name: the first stays, unless only the other says what the bytes are. */
static void join_twins(struct index_file *first, struct index_file *other)
{
	const char *conflict = first->conflict;

	if (first->has_sha256 && other->has_sha256 && !digest_eq(&first->sha256, &other->sha256)) {
		conflict = str_eq(str_of(first->source), str_of(other->source)) ? other->url
										: other->source;
	}
	if (!first->has_sha256 && other->has_sha256) {
		*first = *other;
	}
	first->conflict = conflict;
	other->source = NULL; /* marks it as gone */
}

static void remove_twins(struct merge *m)
{
	CLEANUP(free) struct index_file **sorted = mem_array(m->files.n + 1, sizeof(*sorted));
	size_t n = 0, first = 0;

	for (size_t i = 0; i < m->files.n; i++) {
		sorted[i] = &m->files.v[i];
	}
	qsort(sorted, m->files.n, sizeof(*sorted), by_file_and_place);
	for (size_t i = 1; i < m->files.n; i++) {
		if (str_eq(sorted[first]->name.file, sorted[i]->name.file)) {
			join_twins(sorted[first], sorted[i]);
		} else {
			first = i;
		}
	}
	for (size_t i = 0; i < m->files.n; i++) {
		if (m->files.v[i].source) {
			m->files.v[n++] = m->files.v[i];
		}
	}
	m->files.n = n;
}

static void merge_project(struct index *x, struct str name, const struct index_page *pages,
	struct arena *a, struct index_project *out)
{
	struct merge m = { .a = a, .project = name };

	for (size_t i = 0; i < x->nflats; i++) {
		add_page(&m, &x->flat_pages[i], true);
	}
	for (size_t i = 0; i < x->nindexes; i++) {
		add_page(&m, &pages[i], false);
	}
	remove_twins(&m);
	out->name = name;
	out->nfiles = m.files.n;
	out->nunreadable = m.nunreadable;
	out->files = arena_array(a, m.files.n + 1, sizeof(*out->files));
	if (m.files.n) {
		memcpy(out->files, m.files.v, m.files.n * sizeof(*out->files));
	}
	vec_release(&m.files);
}

int index_projects(struct index *x, const struct str *names, size_t n, struct arena *a,
	struct index_project *out, struct err *e)
{
	CLEANUP(free) const char **plain = mem_array(n + 1, sizeof(*plain));
	CLEANUP(free) struct index_page *pages = mem_array(n * x->nindexes + 1, sizeof(*pages));

	for (size_t i = 0; i < n; i++) {
		if (!name_is_valid(names[i])) {
			return err_set(e, RC_INVALID, "\"%.*s\": not a project name",
				STR_ARG(str_first(names[i], 100)));
		}
		plain[i] = name_normalize(a, names[i]);
	}
	int r = load_flats(x, e);
	if (!r) {
		r = load_projects(x, plain, n, a, pages, e);
	}
	for (size_t i = 0; !r && i < n; i++) {
		merge_project(x, str_of(plain[i]), &pages[i * x->nindexes], a, &out[i]);
	}
	for (size_t i = 0; i < n * x->nindexes; i++) {
		index_page_release(&pages[i]);
	}
	return r;
}

int index_check_file(const struct index_file *f, struct err *e)
{
	char hex[DIGEST_HEX + 1];

	if (!f->conflict) {
		return 0;
	}
	err_set(e, RC_AMBIGUOUS,
		"%.*s: two different files of this name, on %s (sha256 %s) and on %s",
		STR_ARG(f->name.file), f->source, digest_hex(&f->sha256, hex), f->conflict);
	return err_hint(
		e, "name the one you want in the lock, by url and sha256, or leave one index out");
}

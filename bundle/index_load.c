#include "bundle/index_load.h"
#include "bundle/index_kept.h"
#include "manifests/base/uri.h"
#include "manifests/limits.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FRESH_S = 600, FRESH_MAX_S = 86400 };

/* pip's own list: JSON first, then the two names of HTML. */
static const char accept[] = "application/vnd.pypi.simple.v1+json, "
			     "application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.01";

struct loader {
	struct cache *cache;
	struct arena *a;
	struct index_load **todo; /* those that are asked for, in the order of the requests */
	index_load_done *done;    /* or NULL */
	void *context;            /* of done */
};

static uint64_t now_s(void)
{
	time_t t = time(NULL);

	return t > 0 ? (uint64_t)t : 0;
}

/* ---- reading a page ---- */

static int refuse_html(const struct index_page *page, struct err *e)
{
	err_set(e, RC_INDEX, "the server answers with an HTML page%s%s%s that is no index page",
		page->title[0] ? " titled \"" : "", page->title, page->title[0] ? "\"" : "");
	return err_hint(e, "is this the index URL that pip needs (it often ends in /simple)? "
			   "a login page or a proxy may stand between");
}

static int read_body(const struct index_load *load, struct arena *a, const struct http_response *from,
	struct index_page *out, struct err *e)
{
	static const char *const json[] = { "application/vnd.pypi.simple.v1+json",
		"application/vnd.pypi.simple.latest+json" };
	static const char *const html[] = { "text/html", "application/vnd.pypi.simple.v1+html",
		"application/vnd.pypi.simple.latest+html" };
	struct str body = buf_str(&from->body);

	if (load->read) {
		return load->read(a, body, from->url, out, e);
	}
	for (size_t i = 0; i < sizeof(json) / sizeof(*json); i++) {
		if (strcmp(from->content_type, json[i]) == 0) {
			return index_json_read(a, body, from->url, out, e);
		}
	}
	for (size_t i = 0; i < sizeof(html) / sizeof(*html); i++) {
		if (strcmp(from->content_type, html[i]) != 0) {
			continue;
		}
		int r = index_html_read(a, body, from->url, out, e);
		if (!r && !out->is_index) {
			r = refuse_html(out, e);
			index_page_release(out);
		}
		return r;
	}
	err_set(e, RC_INDEX,
		"the server answers with content of type \"%.100s\", which is no index page",
		from->content_type);
	return err_hint(e, "is this the index URL that pip needs (it often ends in /simple)?");
}

/* A page may not lead to files of this machine. */
static void finish_links(struct index_load *load)
{
	size_t n = 0;

	vec_each(struct index_file, link, &load->page.links) {
		struct str scheme = uri_scheme(str_of(link->url));

		if (str_eq_nocase(scheme, STR("http")) || str_eq_nocase(scheme, STR("https"))) {
			link->source = load->source;
			load->page.links.v[n++] = *link;
		} else {
			load->page.nunreadable++;
		}
	}
	load->page.links.n = n;
}

static int read_answer(
	struct loader *l, struct index_load *load, const struct http_response *r, struct err *e)
{
	if (read_body(load, l->a, r, &load->page, e)) {
		err_wrap(e, "%s", load->url);
		return err_hint(e, "look at that URL with another client: the index, or a proxy before it, "
				   "answers wrongly");
	}
	load->next = *r->next ? uri_resolve(l->a, str_of(r->url), str_of(r->next)) : NULL;
	finish_links(load);
	return 0;
}

/* ---- answers ---- */

static int refuse_answer(const struct index_load *load, const struct http_response *r, struct err *e)
{
	if (r->status != 404) {
		return http_refuse(r, load->url, e);
	}
	err_set(e, RC_INDEX, "%s: the index answers 404 Not Found", load->url);
	return err_hint(e, "correct find-links (PIP_FIND_LINKS, or pip.conf)");
}

/* S3 says 403 for a key that does not exist where the folder may not be listed: large wheel indexes
 * live there, and they know only a few projects. A refusal by anything else is a refusal. */
static bool is_absent(const struct index_load *load, const struct http_response *r)
{
	if (r->status == 404 || r->status == 410) {
		return true;
	}
	if (r->status == 403 && load->is_403_absent) {
		return true;
	}
	return r->status == 403 && strcmp(r->content_type, "application/xml") == 0 &&
	       str_has(buf_str(&r->body), "<Code>AccessDenied</Code>");
}

/* As long as the server says; ten minutes where it says nothing, but not for a project that is missing:
 * it may be there the next minute. (A run that fails gives up all freshness: cache_expire_pages.) */
static uint64_t fresh_until(const struct http_response *r, bool absent, uint64_t now)
{
	uint64_t unsaid = absent ? 0 : FRESH_S;
	uint64_t seconds = r->no_cache ? 0 : r->age_left ? r->age_left : unsaid;

	return now + (seconds < FRESH_MAX_S ? seconds : FRESH_MAX_S);
}

/* A cache that cannot be written is no reason to stop. */
static void keep_answer(struct loader *l, const struct index_load *load, const struct http_response *r)
{
	struct err ignored = ERR_INIT;
	CLEANUP_BUF struct buf links = BUF_INIT;
	uint64_t now = now_s();

	if (!load->is_absent) {
		index_kept_write(&load->page, &links);
	}
	cache_put_page(l->cache, load->key,
		&(struct cache_page){
			.body = buf_str(&links),
			.etag = r->etag,
			.last_modified = r->last_modified,
			.next = load->next,
			.fetched = now,
			.fresh_until = fresh_until(r, load->is_absent, now),
			.status = load->is_absent ? 404 : 200,
		},
		&ignored);
}

/* 304 (RFC 9110 section 15.4.5): the kept page is good for another while. */
static void renew(struct loader *l, struct index_load *load, const struct http_response *r)
{
	struct err ignored = ERR_INIT;
	uint64_t now = now_s();

	cache_renew_page(l->cache, load->key, now, fresh_until(r, false, now), &ignored);
}

static void forget_kept(struct index_load *load)
{
	index_page_release(&load->page);
	load->page = (struct index_page)INDEX_PAGE_INIT;
	load->is_kept = load->is_absent = false;
	load->next = NULL;
}

static void tell(struct loader *l, struct index_load *load)
{
	if (l->done) {
		l->done(l->context, load);
	}
}

static int take_answer(
	struct loader *l, struct index_load *load, const struct http_response *r, struct err *e)
{
	if (r->status == 304 && load->is_kept) {
		renew(l, load, r);
		return 0;
	}
	forget_kept(load);
	load->is_absent = load->may_be_absent && is_absent(load, r);
	if (r->status != 200 && !load->is_absent) {
		return refuse_answer(load, r, e);
	}
	if (!load->is_absent && read_answer(l, load, r, e)) {
		return -(int)e->rc;
	}
	if (!r->no_store) {
		keep_answer(l, load, r);
	}
	return 0;
}

static int end_load(
	void *context, size_t i, struct http_response *r, const struct err *failed, struct err *e)
{
	struct loader *l = context;

	if (failed) {
		*e = *failed;
		return -(int)failed->rc;
	}
	int code = take_answer(l, l->todo[i], r, e);
	if (!code) {
		tell(l, l->todo[i]);
	}
	return code;
}

/* ---- the whole ---- */

static bool is_fresh(const struct cache_page *p)
{
	uint64_t now = now_s();

	return p->fresh_until > now && p->fetched <= now; /* one from the future has another clock */
}

/* Reads the kept page even where it is to be asked for again: what cannot be read cannot be compared. */
static bool read_kept(struct loader *l, struct index_load *load)
{
	const struct cache_page *kept = &load->kept;

	if (!cache_get_page(l->cache, load->key, l->a, &load->kept)) {
		return false;
	}
	load->is_absent = kept->status == 404;
	load->next = *kept->next ? kept->next : NULL;
	load->is_kept = load->is_absent ? load->may_be_absent : index_kept_read(kept->body, &load->page);
	if (!load->is_kept) {
		forget_kept(load);
		return false;
	}
	finish_links(load);
	return true;
}

/* What the answer is depends on what is asked for. */
static const char *accept_of(const struct index_load *load)
{
	return load->accept ? load->accept : accept;
}

int index_load_pages(struct http *h, struct cache *c, struct index_load *loads, size_t n,
	struct arena *a, index_load_done *done, void *context, struct err *e)
{
	CLEANUP(free) struct http_request *requests = mem_array(n + 1, sizeof(*requests));
	CLEANUP(free) struct index_load **todo = mem_array(n + 1, sizeof(*todo));
	struct loader l = { .cache = c, .a = a, .todo = todo, .done = done, .context = context };
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		loads[i].key = arena_printf(a, "%s %s", accept_of(&loads[i]), loads[i].url);
		if (read_kept(&l, &loads[i]) && is_fresh(&loads[i].kept)) {
			tell(&l, &loads[i]);
			continue;
		}
		bool may_compare = loads[i].is_kept && !loads[i].is_absent;
		todo[count] = &loads[i];
		requests[count++] = (struct http_request){
			.url = loads[i].url,
			.accept = accept_of(&loads[i]),
			.if_none_match = may_compare ? loads[i].kept.etag : NULL,
			.if_modified_since = may_compare ? loads[i].kept.last_modified : NULL,
			.max = LIMIT_INDEX_PAGE,
		};
	}
	int r = http_get_many(h, requests, count, 0, end_load, &l, e);
	for (size_t i = 0; r && i < n; i++) {
		index_page_release(&loads[i].page);
	}
	return r;
}

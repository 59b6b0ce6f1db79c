#include "bundle/index_load.h"
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

static int read_body(
	struct arena *a, const struct cache_page *from, struct index_page *out, struct err *e)
{
	static const char *const json[] = { "application/vnd.pypi.simple.v1+json",
		"application/vnd.pypi.simple.latest+json" };
	static const char *const html[] = { "text/html", "application/vnd.pypi.simple.v1+html",
		"application/vnd.pypi.simple.latest+html" };
	struct str body = buf_str(&from->body);

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

static int use_page(
	struct loader *l, struct index_load *load, const struct cache_page *from, struct err *e)
{
	if (from->status == 404) {
		return 0;
	}
	int r = read_body(l->a, from, &load->page, e);
	if (r) {
		err_wrap(e, "%s", load->url);
		return err_hint(e, "look at that URL with another client: the index, or a proxy before it, "
				   "answers wrongly");
	}
	finish_links(load);
	return 0;
}

/* ---- answers ---- */

static int refuse_answer(const struct index_load *load, long status, struct err *e)
{
	const char *hint = "try again later, or look at the URL with another client";

	if (status == 401 || status == 403) {
		hint = "it asks for credentials: put them into ~/.netrc or into the index URL of "
		       "pip";
	} else if (status == 407) {
		hint = "the proxy asks for credentials: put them into PIP_PROXY or https_proxy";
	} else if (status == 404) {
		hint = "correct find-links (PIP_FIND_LINKS, or pip.conf)";
	}
	err_set(e, RC_INDEX, "%s: the index answers %ld %s", load->url, status,
		http_status_text(status));
	return err_hint(e, "%s", hint);
}

/* S3 says 403 for a key that does not exist where the folder may not be listed: large wheel indexes
 * live there, and they know only a few projects. A refusal by anything else is a refusal. */
static bool is_absent(const struct http_response *r)
{
	if (r->status == 404 || r->status == 410) {
		return true;
	}
	return r->status == 403 && strcmp(r->content_type, "application/xml") == 0 &&
	       str_has(buf_str(&r->body), "<Code>AccessDenied</Code>");
}

/* As long as the server says; ten minutes where it says nothing, but not for a project that is missing:
 * it may be there the next minute. (A run that fails gives up all freshness: cache_expire_pages.) */
static uint64_t fresh_until(const struct http_response *r, uint64_t now)
{
	uint64_t unsaid = is_absent(r) ? 0 : FRESH_S;
	uint64_t seconds = r->no_cache ? 0 : r->age_left ? r->age_left : unsaid;

	return now + (seconds < FRESH_MAX_S ? seconds : FRESH_MAX_S);
}

/* Moves what is kept out of the response. */
static struct cache_page page_of(struct http_response *r)
{
	uint64_t now = now_s();
	struct cache_page p = {
		.url = r->url,
		.etag = r->etag,
		.last_modified = r->last_modified,
		.content_type = r->content_type,
		.fetched = now,
		.fresh_until = fresh_until(r, now),
		.status = is_absent(r) ? 404 : 200,
		.body = r->body,
	};

	if (p.status == 404) {
		buf_release(&p.body);
	}
	r->url = r->etag = r->last_modified = r->content_type = NULL;
	r->body = (struct buf)BUF_INIT;
	return p;
}

/* 304 (RFC 9110 section 15.4.5): the kept page is good for another while. */
static int renew(struct loader *l, struct index_load *load, struct http_response *r, struct err *e)
{
	struct err ignored = ERR_INIT;

	load->kept.fetched = now_s();
	load->kept.fresh_until = fresh_until(r, load->kept.fetched);
	cache_put_page(l->cache, load->url, &load->kept, &ignored);
	return use_page(l, load, &load->kept, e);
}

static int end_load(
	void *context, size_t i, struct http_response *r, const struct err *failed, struct err *e)
{
	struct loader *l = context;
	struct index_load *load = l->todo[i];
	struct err ignored = ERR_INIT;

	if (failed) {
		*e = *failed;
		return -(int)failed->rc;
	}
	if (r->status == 304 && load->is_kept) {
		return renew(l, load, r, e);
	}
	bool absent = load->may_be_absent && is_absent(r);
	if (r->status != 200 && !absent) {
		return refuse_answer(load, r->status, e);
	}
	bool keep = !r->no_store;
	struct cache_page page = page_of(r);
	int code = use_page(l, load, &page, e);
	if (!code && keep) { /* a cache that cannot be written is no reason to stop */
		cache_put_page(l->cache, load->url, &page, &ignored);
	}
	cache_page_release(&page);
	return code;
}

/* ---- the whole ---- */

static bool use_kept(struct loader *l, struct index_load *load)
{
	struct err ignored = ERR_INIT;
	uint64_t now = now_s();

	load->is_kept = cache_get_page(l->cache, load->url, &load->kept);
	if (load->is_kept && load->kept.status == 404 && !load->may_be_absent) {
		cache_page_release(&load->kept);
		load->is_kept = false;
	}
	/* A page from the future was written under another clock. */
	if (!load->is_kept || load->kept.fresh_until <= now || load->kept.fetched > now) {
		return false;
	}
	return use_page(l, load, &load->kept, &ignored) == 0;
}

int index_load_pages(struct http *h, struct cache *c, struct index_load *loads, size_t n,
	struct arena *a, struct err *e)
{
	CLEANUP(free) struct http_request *requests = mem_array(n + 1, sizeof(*requests));
	CLEANUP(free) struct index_load **todo = mem_array(n + 1, sizeof(*todo));
	struct loader l = { .cache = c, .a = a, .todo = todo };
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		if (use_kept(&l, &loads[i])) {
			continue;
		}
		bool may_compare = loads[i].is_kept && loads[i].kept.status == 200;
		todo[count] = &loads[i];
		requests[count++] = (struct http_request){
			.url = loads[i].url,
			.accept = accept,
			.if_none_match = may_compare ? loads[i].kept.etag : NULL,
			.if_modified_since = may_compare ? loads[i].kept.last_modified : NULL,
			.max = LIMIT_INDEX_PAGE,
		};
	}
	int r = http_get_many(h, requests, count, 0, end_load, &l, e);
	for (size_t i = 0; i < n; i++) {
		cache_page_release(&loads[i].kept);
	}
	return r;
}

#include "mirror/respond.h"
#include "manifests/base/uri.h"
#include "manifests/name.h"
#include "mirror/route.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define CACHE_PAGE "no-cache"
#define CACHE_FILE "max-age=31536000, immutable"
#define TYPE_TEXT "text/plain; charset=utf-8"
#define CSP_NOTHING "default-src 'none'; frame-ancestors 'none'"

enum { HOST_MAX = 255 };

struct exchange { /* one request on its way */
	const struct site *site;
	const struct respond_setting *setting;
	const struct request *request;
	struct response *out;
	struct route route;
};

/* ---- parts of an answer ---- */

static void add_header(struct response *r, const char *name, const char *value)
{
	if (r->nheaders < RESPONSE_HEADERS_MAX) {
		r->headers[r->nheaders++] = (struct response_header){ name, value };
	}
}

static void __attribute__((format(printf, 3, 4)))
add_headerf(struct response *r, const char *name, const char *fmt, ...)
{
	char *to = r->text + r->text_used;
	size_t room = sizeof(r->text) - r->text_used;
	va_list args;

	va_start(args, fmt);
	int n = vsnprintf(to, room, fmt, args);
	va_end(args);
	if (n >= 0 && (size_t)n < room) {
		r->text_used += (size_t)n + 1;
		add_header(r, name, to);
	}
}

static void begin(struct response *r, unsigned status, const char *type, const char *csp)
{
	r->status = status;
	if (type) {
		add_header(r, "Content-Type", type);
	}
	add_header(r, "X-Content-Type-Options", "nosniff");
	add_header(r, "Content-Security-Policy", csp);
}

static void say(struct response *r, unsigned status, const char *text)
{
	begin(r, status, TYPE_TEXT, CSP_NOTHING);
	buf_addf(&r->made, "%u %s\n", status, text);
	r->length = r->made.n;
}

void respond_failure(unsigned status, const char *text, struct response *out)
{
	*out = (struct response){ .made = BUF_INIT };
	say(out, status, text);
	add_header(out, "Cache-Control", "no-store");
}

static void refuse(struct response *r, unsigned status, const char *text)
{
	say(r, status, text);
	add_header(r, "Connection", "close");
	r->close = true;
}

static void not_found(struct response *r, const char *text)
{
	say(r, 404, text);
	add_header(r, "Cache-Control", CACHE_PAGE);
}

/* Relative, so that it is right below any prefix and under any host name (RFC 9110 10.2.2). */
static void redirect(struct response *r, const char *up, struct str name)
{
	struct buf encoded = BUF_INIT;

	uri_encode(&encoded, name);
	begin(r, 301, TYPE_TEXT, CSP_NOTHING);
	add_headerf(r, "Location", "%s%s/", up, encoded.p);
	add_header(r, "Cache-Control", CACHE_PAGE);
	buf_addf(&r->made, "301 moved to %s%s/\n", up, encoded.p);
	r->length = r->made.n;
	buf_release(&encoded);
}

static void answer_page(struct exchange *x, struct page *page)
{
	struct response *r = x->out;
	bool is_same = etag_list_has(x->request->if_none_match, str_of(page->etag));

	begin(r, is_same ? 304 : 200, page->type, CSP_NOTHING);
	add_header(r, "ETag", page->etag);
	add_header(r, "Cache-Control", CACHE_PAGE);
	if (page->varies) {
		add_header(r, "Vary", "Accept");
	}
	r->page = page;
	r->total = page->body.n;
	r->length = is_same ? 0 : r->total;
}

/* A text with the mirror's address in it. */
static void answer_text(struct exchange *x, struct str text, const char *type, const char *csp)
{
	struct response *r = x->out;
	char url[HOST_MAX + 8], etag[ETAG_SIZE];
	struct client_base base = { x->setting->url, x->request->host };

	if (base.url.n) {
		base.host = str_skip(base.url, uri_scheme(base.url).n + 3);
		base.host = str_first(base.host, str_find(base.host, '/'));
	} else {
		snprintf(url, sizeof(url), "http://%.*s", STR_ARG(base.host));
		base.url = str_of(url);
	}
	client_text_fill(text, &base, &r->made);
	etag_of(buf_str(&r->made), etag);
	bool is_same = etag_list_has(x->request->if_none_match, str_of(etag));
	r->total = r->made.n;
	if (is_same) {
		buf_clear(&r->made);
	}
	begin(r, is_same ? 304 : 200, is_same ? NULL : type, csp);
	add_headerf(r, "ETag", "%s", etag);
	add_header(r, "Cache-Control", CACHE_PAGE);
	r->length = r->made.n;
}

/* ---- the places ---- */

static void answer_form(struct exchange *x, struct page *const *forms)
{
	enum page_form form;

	if (accept_choose(x->request->accept, x->request->naccept, &form)) {
		answer_page(x, forms[form]);
		return;
	}
	say(x->out, 406,
		"an index is application/vnd.pypi.simple.v1+json, "
		"application/vnd.pypi.simple.v1+html or text/html");
	add_header(x->out, "Vary", "Accept");
}

static bool is_normal(struct str name)
{
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];
		bool is_letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');

		if (!is_letter && (c != '-' || i == 0 || name.p[i - 1] == '-')) {
			return false;
		}
	}
	return name.n > 0;
}

static void answer_project(struct exchange *x, const struct site_index *index)
{
	struct arena a = ARENA_INIT;
	struct str name = x->route.project;
	struct page *const *forms = NULL;

	if (!is_normal(name) && name_is_valid(name)) {
		name = str_of(name_normalize(&a, name));
	}
	forms = site_find_project(index, name);
	if (!forms) {
		not_found(x->out, "no such project here");
	} else if (!x->route.has_slash) {
		redirect(x->out, "", name);
	} else if (!str_eq(name, x->route.project)) {
		redirect(x->out, "../", name);
	} else {
		answer_form(x, forms);
	}
	arena_release(&a);
}

/* A slice of the object, or all of it, or nothing because the client has it. */
static void answer_object(
	struct exchange *x, const struct digest *d, uint64_t size, const char *type)
{
	const struct request *q = x->request;
	struct response *r = x->out;
	struct range part = { 0, size };
	enum range_answer answer = RANGE_WHOLE;
	char etag[ETAG_SIZE];

	etag[0] = '"';
	digest_hex(d, etag + 1);
	memcpy(etag + 1 + DIGEST_HEX, "\"", 2);
	bool is_same = etag_list_has(q->if_none_match, str_of(etag));
	/* RFC 9110 section 13.1.5: If-Range compares strongly, and a date is never ours. */
	if (!is_same && q->nranges == 1 && (!q->if_range.n || str_is(q->if_range, etag))) {
		answer = range_parse(q->range, size, &part);
	}
	if (answer == RANGE_OUTSIDE) {
		say(r, 416, "the range lies outside the file");
		add_headerf(r, "Content-Range", "bytes */%llu", (unsigned long long)size);
		return;
	}
	unsigned status = answer == RANGE_PART ? 206 : 200;
	begin(r, is_same ? 304 : status, is_same ? NULL : type, CSP_NOTHING);
	add_headerf(r, "ETag", "%s", etag);
	add_header(r, "Cache-Control", CACHE_FILE);
	r->total = size;
	if (is_same) {
		return;
	}
	add_header(r, "Accept-Ranges", "bytes");
	if (answer == RANGE_PART) {
		add_headerf(r, "Content-Range", "bytes %llu-%llu/%llu",
			(unsigned long long)part.offset,
			(unsigned long long)(part.offset + part.length - 1),
			(unsigned long long)size);
	}
	r->is_object = true;
	r->object = *d;
	r->offset = part.offset;
	r->length = part.length;
}

static void answer_file(struct exchange *x)
{
	const struct route *route = &x->route;
	const struct manifest_file *f = site_find_file(x->site, &route->digest, route->file);

	if (f && route->kind == ROUTE_FILE) {
		answer_object(x, &f->sha256, f->size, "application/octet-stream");
	} else if (f && f->kind == DIST_WHEEL) {
		answer_object(x, &f->metadata_sha256, f->metadata_size, TYPE_TEXT);
	} else {
		not_found(x->out, "no such file here");
	}
}

static void answer_target_text(struct exchange *x)
{
	const struct site_texts *texts = site_find_texts(x->site, x->route.target);

	if (!texts) {
		not_found(x->out, "no such target here");
	} else if (x->route.kind == ROUTE_PIP_CONF) {
		answer_text(x, texts->pip_conf, TYPE_TEXT, CSP_NOTHING);
	} else if (x->route.kind == ROUTE_UV_TOML) {
		answer_text(x, texts->uv_toml, TYPE_TEXT, CSP_NOTHING);
	} else {
		answer_text(x, texts->requirements, TYPE_TEXT, CSP_NOTHING);
	}
}

/* Places of an index: its target must exist before anything else is said about them. */
static void answer_index(struct exchange *x)
{
	const struct site_index *index = site_find_index(x->site, x->route.target);

	if (!index) {
		not_found(x->out, "no such target here");
	} else if (x->route.kind == ROUTE_SLASH) {
		redirect(x->out, "", x->route.last);
	} else if (x->route.kind == ROUTE_ROOT) {
		answer_form(x, index->root);
	} else if (x->route.kind == ROUTE_FLAT) {
		answer_page(x, index->flat);
	} else if (x->route.kind == ROUTE_PROJECT) {
		answer_project(x, index);
	} else { /* ROUTE_TARGET: its part of the page for people */
		begin(x->out, 301, NULL, CSP_NOTHING);
		add_headerf(x->out, "Location", "../../#%.*s", STR_ARG(x->route.target));
		add_header(x->out, "Cache-Control", CACHE_PAGE);
	}
}

static void answer_health(struct exchange *x)
{
	begin(x->out, 200, TYPE_TEXT, CSP_NOTHING);
	add_header(x->out, "Cache-Control", "no-store");
	buf_adds(&x->out->made, "ok\n");
	x->out->length = x->out->made.n;
}

static void answer_metrics(struct exchange *x)
{
	begin(x->out, 200, "text/plain; version=0.0.4; charset=utf-8", CSP_NOTHING);
	add_header(x->out, "Cache-Control", "no-store");
	metrics_text(x->setting->metrics, &x->site->view, &x->out->made);
	x->out->length = x->out->made.n;
}

static void answer(struct exchange *x)
{
	switch (x->route.kind) {
	case ROUTE_BAD:
		refuse(x->out, 400, "this request target is not allowed");
		break;
	case ROUTE_NONE:
		not_found(x->out, "nothing is here; the page at / says what there is");
		break;
	case ROUTE_HOME:
		answer_text(x, x->site->home, "text/html; charset=utf-8", x->site->csp_home);
		break;
	case ROUTE_SLASH:
	case ROUTE_TARGET:
	case ROUTE_ROOT:
	case ROUTE_PROJECT:
	case ROUTE_FLAT:
		answer_index(x);
		break;
	case ROUTE_FILE:
	case ROUTE_METADATA:
		answer_file(x);
		break;
	case ROUTE_PIP_CONF:
	case ROUTE_UV_TOML:
	case ROUTE_REQUIREMENTS:
		answer_target_text(x);
		break;
	case ROUTE_HEALTH:
		answer_health(x);
		break;
	case ROUTE_METRICS:
		answer_metrics(x);
		break;
	}
}

/* ---- who asks, and how ---- */

static bool is_host_byte(char c, bool in_brackets)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '.' || (in_brackets ? c == ':' : c == '-' || c == '_');
}

/* A name or an address and perhaps a port (RFC 9110 section 7.2): it goes into pages and files. */
static bool parse_host(struct str host, struct str *name)
{
	bool in_brackets = str_starts(host, "[");
	struct str inner = str_skip(host, in_brackets);
	size_t n = 0;
	uint64_t port;

	while (n < inner.n && is_host_byte(inner.p[n], in_brackets)) {
		n++;
	}
	struct str rest = str_skip(inner, n);
	*name = str_first(inner, n);
	if (n == 0 || host.n > HOST_MAX || (in_brackets && !str_starts(rest, "]"))) {
		return false;
	}
	rest = str_skip(rest, in_brackets);
	return rest.n == 0 ||
	       (rest.p[0] == ':' && str_to_u64(str_skip(rest, 1), &port) && port <= UINT16_MAX);
}

static bool is_allowed_host(const struct respond_setting *setting, struct str name)
{
	for (size_t i = 0; i < setting->nhosts; i++) {
		if (str_eq_nocase(setting->hosts[i], name)) {
			return true;
		}
	}
	return setting->nhosts == 0;
}

bool request_is_token(struct str name)
{
	for (size_t i = 0; i < name.n; i++) {
		unsigned char c = (unsigned char)name.p[i];

		if (c <= ' ' || c >= 0x7f || strchr("\"(),/:;<=>?@[\\]{}", c)) {
			return false;
		}
	}
	return name.n > 0;
}

static bool check_request(struct exchange *x)
{
	const struct request *q = x->request;
	struct str name;

	if (q->has_bad_field) {
		refuse(x->out, 400, "a header name is not allowed");
	} else if (q->nhosts != 1 || !parse_host(q->host, &name)) {
		refuse(x->out, 400, "one Host header, with a name or an address, is needed");
	} else if (!is_allowed_host(x->setting, name)) {
		refuse(x->out, 421, "this host name is not served here");
	} else if (!str_is(q->method, "GET") && !str_is(q->method, "HEAD")) {
		refuse(x->out, 405, "only GET and HEAD are known here");
		add_header(x->out, "Allow", "GET, HEAD");
	} else if (q->has_body) {
		refuse(x->out, 400, "a request with a body is not allowed");
	} else {
		return true;
	}
	return false;
}

void respond(const struct site *site, const struct respond_setting *setting,
	const struct request *request, struct response *out)
{
	struct exchange x = { .site = site, .setting = setting, .request = request, .out = out };

	*out = (struct response){ .made = BUF_INIT };
	if (check_request(&x)) {
		route_parse(request->target, &x.route);
		answer(&x);
	}
}

void response_release(struct response *r)
{
	buf_release(&r->made);
}

#include "tests/unit/respond_fixture.h"
#include "tests/unit/unit.h"
#include "tests/unit/view_fixture.h"

#include <string.h>

static const struct {
	const char *target;
	unsigned status;
	const char *location;
} places[] = {
	{ "/", 200, "" },
	{ "/simple/", 200, "" },
	{ "/simple", 301, "simple/" },
	{ "/flat/", 200, "" },
	{ "/flat", 301, "flat/" },
	{ "/t/h100", 301, "h100/" },
	{ "/t/h100/", 301, "../../#h100" },
	{ "/t/h100/simple", 301, "simple/" },
	{ "/t/h100/simple/", 200, "" },
	{ "/t/h100/simple/demo/", 200, "" },
	{ "/t/h100/simple/demo", 301, "demo/" },
	{ "/t/h100/simple/flash-attn/", 200, "" },
	{ "/t/h100/simple/flash_attn", 301, "flash-attn/" },
	{ "/t/h100/simple/flash_attn/", 301, "../flash-attn/" },
	{ "/t/h100/simple/Flash.Attn/", 301, "../flash-attn/" },
	{ "/t/h100/simple/FLASH--attn/", 301, "../flash-attn/" },
	{ "/t/h100/simple/flash%2Dattn/", 200, "" },
	{ "/t/h100/simple/nothing/", 404, "" },
	{ "/t/h100/simple/Nothing", 404, "" },
	{ "/t/h100/simple/-demo/", 404, "" },
	{ "/t/h100/simple/demo-/", 404, "" },
	{ "/t/h100/simple/index.html", 404, "" },
	{ "/t/a100/simple/flash-attn/", 404, "" },
	{ "/t/none/simple/", 404, "" },
	{ "/t/none", 404, "" },
	{ "/t/none/", 404, "" },
	{ "/t/H100/simple/", 404, "" },
	{ "/t/none/pip.conf", 404, "" },
	{ "/t/h100/pip.conf", 200, "" },
	{ "/t/h100/uv.toml", 200, "" },
	{ "/t/h100/requirements.txt", 200, "" },
	{ "/simple/demo/", 200, "" },
	{ "/simple/torch/", 404, "" }, /* two builds fit one machine */
	{ "/healthz", 200, "" },
	{ "/metrics", 200, "" },
	{ "/favicon.ico", 404, "" },
	{ "/../etc/passwd", 400, "" },
	{ "/simple/%2e%2e/", 400, "" },
	{ "http://mirror.lan/simple/", 400, "" },
};

UNIT(respond_statuses_and_redirects)
{
	fixture_site_begin();
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct request q = fixture_get(places[i].target);
		struct response r;

		fixture_ask(&q, &r);
		ck_assert_msg(r.status == places[i].status, "%s: %u", places[i].target, r.status);
		ck_assert_msg(strcmp(fixture_header(&r, "Location"), places[i].location) == 0, "%s: Location %s",
			places[i].target, fixture_header(&r, "Location"));
		ck_assert_str_eq(fixture_header(&r, "X-Content-Type-Options"), "nosniff");
		ck_assert_msg(str_starts(str_of(fixture_header(&r, "Content-Security-Policy")),
				      "default-src 'none'"),
			"%s", places[i].target);
		ck_assert_int_eq(r.close, r.status == 400);
		response_release(&r);
	}
	fixture_site_end();
}

UNIT(respond_negotiates_the_form)
{
	static const struct {
		const char *accept;
		unsigned status;
		const char *type;
		const char *begin;
	} rows[] = {
		{ NULL, 200, "text/html; charset=utf-8", "<!DOCTYPE html>" },
		{ "*/*", 200, "text/html; charset=utf-8", "<!DOCTYPE html>" },
		{ "application/vnd.pypi.simple.v1+html", 200, "application/vnd.pypi.simple.v1+html",
			"<!DOCTYPE html>" },
		{ "application/vnd.pypi.simple.v1+json", 200, "application/vnd.pypi.simple.v1+json",
			"{\"meta\":" },
		{ "application/vnd.pypi.simple.latest+json", 200, "application/vnd.pypi.simple.v1+json",
			"{\"meta\":" },
		{ "image/png", 406, "text/plain; charset=utf-8", "406 " },
	};
	static const char *const targets[] = { "/simple/", "/t/h100/simple/", "/t/h100/simple/demo/" };

	fixture_site_begin();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (size_t j = 0; j < sizeof(targets) / sizeof(targets[0]); j++) {
			struct request q = fixture_get(targets[j]);
			struct response r;

			q.accept[0] = str_of(rows[i].accept);
			q.naccept = rows[i].accept != NULL;
			fixture_ask(&q, &r);
			ck_assert_uint_eq(r.status, rows[i].status);
			ck_assert_str_eq(fixture_header(&r, "Content-Type"), rows[i].type);
			ck_assert_str_eq(fixture_header(&r, "Vary"), "Accept");
			ck_assert(str_starts(fixture_body(&r), rows[i].begin));
			ck_assert_uint_eq(r.length, fixture_body(&r).n);
			response_release(&r);
		}
	}
	fixture_site_end();
}

UNIT(respond_flat_is_html_whatever_is_asked)
{
	struct request q = fixture_get("/t/h100/flat/");
	struct response r;

	fixture_site_begin();
	q.accept[q.naccept++] = STR("application/vnd.pypi.simple.v1+json");
	fixture_ask(&q, &r);
	ck_assert_str_eq(fixture_header(&r, "Content-Type"), "text/html; charset=utf-8");
	ck_assert_str_eq(fixture_header(&r, "Vary"), "");
	ck_assert(str_has(fixture_body(&r), "<a href=\"../../../files/"));
	response_release(&r);
	fixture_site_end();
}

UNIT(respond_revalidates_pages)
{
	static const char *const targets[] = { "/", "/simple/", "/t/h100/simple/demo/", "/t/h100/flat/",
		"/t/h100/pip.conf", "/t/h100/requirements.txt" };

	fixture_site_begin();
	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
		struct request q = fixture_get(targets[i]);
		struct response r, again;

		fixture_ask(&q, &r);
		ck_assert_uint_eq(r.status, 200);
		ck_assert_str_eq(fixture_header(&r, "Cache-Control"), "no-cache");
		ck_assert_uint_eq(strlen(fixture_header(&r, "ETag")), ETAG_SIZE - 1);
		q.if_none_match = str_of(fixture_header(&r, "ETag"));
		fixture_ask(&q, &again);
		ck_assert_uint_eq(again.status, 304);
		ck_assert_uint_eq(again.length, 0);
		ck_assert_uint_eq(again.total, fixture_body(&r).n);
		ck_assert_str_eq(fixture_header(&again, "ETag"), fixture_header(&r, "ETag"));
		ck_assert_str_eq(fixture_header(&again, "Cache-Control"), "no-cache");
		response_release(&again);
		q.if_none_match = STR("\"other\"");
		fixture_ask(&q, &again);
		ck_assert_uint_eq(again.status, 200);
		response_release(&again);
		response_release(&r);
	}
	fixture_site_end();
}

static const struct {
	const char *method, *host;
	size_t nhosts;
	bool has_body, has_bad_field;
	unsigned status;
} refusals[] = {
	{ "GET", "a", 1, false, false, 200 },
	{ "HEAD", "a", 1, false, false, 200 },
	{ "GET", "a:80", 1, false, false, 200 },
	{ "GET", "[::1]:80", 1, false, false, 200 },
	{ "GET", "127.0.0.1", 1, false, false, 200 },
	{ "GET", "", 0, false, false, 400 },
	{ "GET", "", 1, false, false, 400 },
	{ "GET", "a", 2, false, false, 400 },
	{ "GET", "a b", 1, false, false, 400 },
	{ "GET", "a\"><script>", 1, false, false, 400 },
	{ "GET", "a/b", 1, false, false, 400 },
	{ "GET", "user@a", 1, false, false, 400 },
	{ "GET", "a:", 1, false, false, 400 },
	{ "GET", "a:x", 1, false, false, 400 },
	{ "GET", "a:65536", 1, false, false, 400 },
	{ "GET", "[::1", 1, false, false, 400 },
	{ "GET", "[::1]x", 1, false, false, 400 },
	{ "GET", "::1", 1, false, false, 400 },
	{ "GET", "a\1b", 1, false, false, 400 },
	{ "GET", "a", 1, true, false, 400 },
	{ "GET", "a", 1, false, true, 400 },
	{ "POST", "a", 1, true, false, 405 },
	{ "PUT", "a", 1, false, false, 405 },
	{ "get", "a", 1, false, false, 405 },
	{ "OPTIONS", "a", 1, false, false, 405 },
	{ "", "a", 1, false, false, 405 },
};

UNIT(respond_refuses_what_is_no_plain_get)
{
	fixture_site_begin();
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		struct request q = fixture_get("/simple/");
		struct response r;

		q.method = str_of(refusals[i].method);
		q.host = str_of(refusals[i].host);
		q.nhosts = refusals[i].nhosts;
		q.has_body = refusals[i].has_body;
		q.has_bad_field = refusals[i].has_bad_field;
		fixture_ask(&q, &r);
		ck_assert_msg(r.status == refusals[i].status, "%s %s: %u", refusals[i].method, refusals[i].host, r.status);
		ck_assert_int_eq(r.close, r.status != 200);
		ck_assert_str_eq(fixture_header(&r, "Connection"), r.status == 200 ? "" : "close");
		ck_assert_str_eq(fixture_header(&r, "Allow"), r.status == 405 ? "GET, HEAD" : "");
		response_release(&r);
	}
	fixture_site_end();
}

UNIT(respond_tokens)
{
	ck_assert(request_is_token(STR("If-None-Match")));
	ck_assert(request_is_token(STR("x_!#$%&'*+.^`|~")));
	ck_assert(!request_is_token(STR("")));
	ck_assert(!request_is_token(STR("Content-Length ")));
	ck_assert(!request_is_token(STR("\tTransfer-Encoding")));
	ck_assert(!request_is_token(STR("a(b)")));
	ck_assert(!request_is_token(STR("a\x80")));
	ck_assert(!request_is_token((struct str){ "a\0b", 3 }));
}

UNIT(respond_allowed_hosts)
{
	const struct str hosts[] = { STR("mirror.lan"), STR("::1") };
	const struct respond_setting setting = { .hosts = hosts, .nhosts = 2, .metrics = &fixture_metrics };
	static const struct {
		const char *host;
		unsigned status;
	} rows[] = {
		{ "mirror.lan", 200 },
		{ "MIRROR.lan:8080", 200 },
		{ "[::1]:80", 200 },
		{ "evil.lan", 421 },
		{ "mirror.lan.evil", 421 },
	};

	fixture_site_begin();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct request q = fixture_get("/simple/");
		struct response r;

		q.host = str_of(rows[i].host);
		respond(fixture_site, &setting, &q, &r);
		ck_assert_msg(r.status == rows[i].status, "%s: %u", rows[i].host, r.status);
		response_release(&r);
	}
	fixture_site_end();
}

UNIT(respond_same_pages_are_kept_once)
{
	struct page *const *h100, *const *a100;

	fixture_site_begin();
	h100 = site_find_project(site_find_index(fixture_site, STR("h100")), STR("torch"));
	a100 = site_find_project(site_find_index(fixture_site, STR("a100")), STR("torch"));
	ck_assert_ptr_ne(h100[FORM_JSON], a100[FORM_JSON]);
	ck_assert_ptr_eq(h100[FORM_HTML]->body.p, h100[FORM_V1_HTML]->body.p);
	ck_assert_ptr_ne(h100[FORM_HTML], h100[FORM_V1_HTML]);
	fixture_site_end();
}

#include "mirror/respond.h"
#include "tests/unit/unit.h"
#include "tests/unit/view_fixture.h"

#include <stdio.h>
#include <string.h>

static struct site *site;
static struct metrics metrics;

static void begin(void)
{
	struct store_view view;

	view_fixture(&view);
	site = site_build(&view);
}

static void end(void)
{
	site_free(site, NULL);
	site = NULL;
}

static const char *header(const struct response *r, const char *name)
{
	for (size_t i = 0; i < r->nheaders; i++) {
		if (strcmp(r->headers[i].name, name) == 0) {
			return r->headers[i].value;
		}
	}
	return "";
}

/* A good request for this target. */
static struct request get(const char *target)
{
	return (struct request){ .method = STR("GET"),
		.target = str_of(target),
		.host = STR("mirror.lan:8080"),
		.nhosts = 1 };
}

static void ask(const struct request *q, struct response *r)
{
	const struct respond_setting setting = { .metrics = &metrics };

	respond(site, &setting, q, r);
}

static struct str body_of(const struct response *r)
{
	return r->page ? r->page->body : buf_str(&r->made);
}

static const char *file_path(unsigned byte, const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "/files/%s/%s", fixture_hex(byte), name);
	return path;
}

#define FLASH_FILE "flash_attn-2.8.3+cu12torch2.8-cp312-cp312-linux_x86_64.whl"
#define FLASH_ALIAS "flash_attn-2.8.3-1cu12torch2.8-cp312-cp312-linux_x86_64.whl"
#define TORCH_FILE "torch-2.8.0%2Bcu128-cp312-cp312-manylinux_2_28_x86_64.whl"

UNIT(respond_statuses_and_redirects)
{
	static const struct {
		const char *target;
		unsigned status;
		const char *location;
	} rows[] = {
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

	begin();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct request q = get(rows[i].target);
		struct response r;

		ask(&q, &r);
		ck_assert_msg(r.status == rows[i].status, "%s: %u", rows[i].target, r.status);
		ck_assert_msg(strcmp(header(&r, "Location"), rows[i].location) == 0, "%s: Location %s",
			rows[i].target, header(&r, "Location"));
		ck_assert_str_eq(header(&r, "X-Content-Type-Options"), "nosniff");
		ck_assert_msg(str_starts(str_of(header(&r, "Content-Security-Policy")),
				      "default-src 'none'"),
			"%s", rows[i].target);
		ck_assert_int_eq(r.close, r.status == 400);
		response_release(&r);
	}
	end();
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

	begin();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (size_t j = 0; j < sizeof(targets) / sizeof(targets[0]); j++) {
			struct request q = get(targets[j]);
			struct response r;

			q.accept[0] = str_of(rows[i].accept);
			q.naccept = rows[i].accept != NULL;
			ask(&q, &r);
			ck_assert_uint_eq(r.status, rows[i].status);
			ck_assert_str_eq(header(&r, "Content-Type"), rows[i].type);
			ck_assert_str_eq(header(&r, "Vary"), "Accept");
			ck_assert(str_starts(body_of(&r), rows[i].begin));
			ck_assert_uint_eq(r.length, body_of(&r).n);
			response_release(&r);
		}
	}
	end();
}

UNIT(respond_flat_is_html_whatever_is_asked)
{
	struct request q = get("/t/h100/flat/");
	struct response r;

	begin();
	q.accept[q.naccept++] = STR("application/vnd.pypi.simple.v1+json");
	ask(&q, &r);
	ck_assert_str_eq(header(&r, "Content-Type"), "text/html; charset=utf-8");
	ck_assert_str_eq(header(&r, "Vary"), "");
	ck_assert(str_has(body_of(&r), "<a href=\"../../../files/"));
	response_release(&r);
	end();
}

UNIT(respond_revalidates_pages)
{
	static const char *const targets[] = { "/", "/simple/", "/t/h100/simple/demo/", "/t/h100/flat/",
		"/t/h100/pip.conf", "/t/h100/requirements.txt" };

	begin();
	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
		struct request q = get(targets[i]);
		struct response r, again;

		ask(&q, &r);
		ck_assert_uint_eq(r.status, 200);
		ck_assert_str_eq(header(&r, "Cache-Control"), "no-cache");
		ck_assert_uint_eq(strlen(header(&r, "ETag")), ETAG_SIZE - 1);
		q.if_none_match = str_of(header(&r, "ETag"));
		ask(&q, &again);
		ck_assert_uint_eq(again.status, 304);
		ck_assert_uint_eq(again.length, 0);
		ck_assert_uint_eq(again.total, body_of(&r).n);
		ck_assert_str_eq(header(&again, "ETag"), header(&r, "ETag"));
		ck_assert_str_eq(header(&again, "Cache-Control"), "no-cache");
		response_release(&again);
		q.if_none_match = STR("\"other\"");
		ask(&q, &again);
		ck_assert_uint_eq(again.status, 200);
		response_release(&again);
		response_release(&r);
	}
	end();
}

UNIT(respond_files_by_every_spelling)
{
	static const struct {
		unsigned byte;
		const char *name;
		unsigned status;
		unsigned object; /* its digest's byte */
		uint64_t length;
	} rows[] = {
		{ FIXTURE_DEMO, "demo-1.0-py3-none-any.whl", 200, FIXTURE_DEMO, 885 },
		{ FIXTURE_DEMO, "demo-1.0-py3-none-any.whl.metadata", 200, FIXTURE_DEMO + 1, 70 },
		{ FIXTURE_DEMO_SDIST, "demo-1.0.tar.gz", 200, FIXTURE_DEMO_SDIST, 937 },
		{ FIXTURE_DEMO_SDIST, "demo-1.0.tar.gz.metadata", 404, 0, 0 },
		{ FIXTURE_DEMO, "demo-1.0.tar.gz", 404, 0, 0 },
		{ FIXTURE_DEMO, "Demo-1.0-py3-none-any.whl", 404, 0, 0 },
		{ FIXTURE_DEMO + 1, "METADATA", 404, 0, 0 },
		{ FIXTURE_DEMO + 1, "demo-1.0-py3-none-any.whl", 404, 0, 0 },
		{ FIXTURE_TORCH_128, TORCH_FILE, 200, FIXTURE_TORCH_128, UINT64_C(5) << 30 },
		{ FIXTURE_TORCH_128, "torch-2.8.0%2bcu128-cp312-cp312-manylinux_2_28_x86_64.whl", 200,
			FIXTURE_TORCH_128, UINT64_C(5) << 30 },
		{ FIXTURE_TORCH_128, "torch-2.8.0+cu128-cp312-cp312-manylinux_2_28_x86_64.whl", 200,
			FIXTURE_TORCH_128, UINT64_C(5) << 30 },
		{ FIXTURE_TORCH_128, "torch-2.8.0%252Bcu128-cp312-cp312-manylinux_2_28_x86_64.whl", 404, 0, 0 },
		{ FIXTURE_TORCH_128, "torch-2.8.0%20cu128-cp312-cp312-manylinux_2_28_x86_64.whl", 400, 0, 0 },
		{ FIXTURE_TORCH_128, TORCH_FILE ".metadata", 200, FIXTURE_TORCH_128 + 1, 70 },
		{ FIXTURE_FLASH, FLASH_FILE, 200, FIXTURE_FLASH, 5000 },
		{ FIXTURE_FLASH, FLASH_ALIAS, 200, FIXTURE_FLASH, 5000 },
		{ FIXTURE_FLASH, FLASH_ALIAS ".metadata", 200, FIXTURE_FLASH + 1, 70 },
	};

	begin();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct request q = get(file_path(rows[i].byte, rows[i].name));
		struct response r;

		ask(&q, &r);
		ck_assert_msg(r.status == rows[i].status, "%s: %u", rows[i].name, r.status);
		if (rows[i].status == 200) {
			char hex[DIGEST_HEX + 1];

			ck_assert(r.is_object);
			ck_assert_str_eq(digest_hex(&r.object, hex), fixture_hex(rows[i].object));
			ck_assert_uint_eq(r.length, rows[i].length);
			ck_assert_uint_eq(r.total, rows[i].length);
			ck_assert_str_eq(header(&r, "Accept-Ranges"), "bytes");
			ck_assert_str_eq(header(&r, "Cache-Control"), "max-age=31536000, immutable");
			ck_assert(strncmp(header(&r, "ETag") + 1, fixture_hex(rows[i].object), 64) == 0);
		}
		response_release(&r);
	}
	end();
}

UNIT(respond_ranges)
{
	static char etag[80];
	static const struct {
		const char *range, *if_range;
		unsigned status;
		uint64_t offset, length;
		const char *content_range;
	} rows[] = {
		{ "bytes=0-0", "", 206, 0, 1, "bytes 0-0/885" },
		{ "bytes=-16384", "", 206, 0, 885, "bytes 0-884/885" },
		{ "bytes=800-", "", 206, 800, 85, "bytes 800-884/885" },
		{ "bytes=9999999999999-", "", 416, 0, 0, "bytes */885" },
		{ "bytes=0-1,3-4", "", 200, 0, 885, "" },
		{ "bytes=0-1", etag, 206, 0, 2, "bytes 0-1/885" },
		{ "bytes=0-1", "\"other\"", 200, 0, 885, "" },
		{ "bytes=0-1", "Mon, 30 Nov 2026 15:07:00 GMT", 200, 0, 885, "" },
		{ "bytes=0-1", "W/\"other\"", 200, 0, 885, "" },
	};

	begin();
	snprintf(etag, sizeof(etag), "\"%s\"", fixture_hex(FIXTURE_DEMO));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct request q = get(file_path(FIXTURE_DEMO, "demo-1.0-py3-none-any.whl"));
		struct response r;

		q.range = str_of(rows[i].range);
		q.if_range = str_of(rows[i].if_range);
		q.nranges = 1;
		ask(&q, &r);
		ck_assert_msg(r.status == rows[i].status, "%s %s: %u", rows[i].range, rows[i].if_range,
			r.status);
		ck_assert_str_eq(header(&r, "Content-Range"), rows[i].content_range);
		if (r.is_object) {
			ck_assert_uint_eq(r.offset, rows[i].offset);
			ck_assert_uint_eq(r.length, rows[i].length);
		}
		response_release(&r);
	}
	end();
}

UNIT(respond_ranges_weak_and_twice)
{
	struct request q;
	struct response r;
	char weak[80];

	begin();
	q = get(file_path(FIXTURE_DEMO, "demo-1.0-py3-none-any.whl"));
	snprintf(weak, sizeof(weak), "W/\"%s\"", fixture_hex(FIXTURE_DEMO));
	q.range = STR("bytes=0-1");
	q.nranges = 1;
	q.if_range = str_of(weak);
	ask(&q, &r);
	ck_assert_uint_eq(r.status, 200);
	response_release(&r);
	q.if_range = STR_NULL;
	q.nranges = 2;
	ask(&q, &r);
	ck_assert_uint_eq(r.status, 200);
	response_release(&r);
	q.nranges = 1;
	q.if_none_match = str_of(weak); /* comes before Range */
	ask(&q, &r);
	ck_assert_uint_eq(r.status, 304);
	ck_assert(!r.is_object && r.length == 0 && r.total == 885);
	response_release(&r);
	end();
}

UNIT(respond_refuses_what_is_no_plain_get)
{
	static const struct {
		const char *method, *host;
		size_t nhosts;
		bool has_body, has_bad_field;
		unsigned status;
	} rows[] = {
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

	begin();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct request q = get("/simple/");
		struct response r;

		q.method = str_of(rows[i].method);
		q.host = str_of(rows[i].host);
		q.nhosts = rows[i].nhosts;
		q.has_body = rows[i].has_body;
		q.has_bad_field = rows[i].has_bad_field;
		ask(&q, &r);
		ck_assert_msg(r.status == rows[i].status, "%s %s: %u", rows[i].method, rows[i].host, r.status);
		ck_assert_int_eq(r.close, r.status != 200);
		ck_assert_str_eq(header(&r, "Connection"), r.status == 200 ? "" : "close");
		ck_assert_str_eq(header(&r, "Allow"), r.status == 405 ? "GET, HEAD" : "");
		response_release(&r);
	}
	end();
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
	const struct respond_setting setting = { .hosts = hosts, .nhosts = 2, .metrics = &metrics };
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

	begin();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct request q = get("/simple/");
		struct response r;

		q.host = str_of(rows[i].host);
		respond(site, &setting, &q, &r);
		ck_assert_msg(r.status == rows[i].status, "%s: %u", rows[i].host, r.status);
		response_release(&r);
	}
	end();
}

static void check_text(const char *target, struct str url, struct str host, const char *expected)
{
	const struct respond_setting setting = { .url = url, .metrics = &metrics };
	struct request q = get(target);
	struct response r;

	q.host = host;
	respond(site, &setting, &q, &r);
	ck_assert_uint_eq(r.status, 200);
	ck_assert_msg(str_is(buf_str(&r.made), expected), "%s:\n%s", target, r.made.p);
	response_release(&r);
}

UNIT(respond_client_files)
{
	begin();
	check_text("/t/h100/pip.conf", STR_NULL, STR("mirror.lan:8080"),
		"# packages for target h100\n[global]\n"
		"index-url = http://mirror.lan:8080/t/h100/simple/\ntrusted-host = mirror.lan:8080\n");
	check_text("/t/h100/pip.conf", STR("https://mirror.lan/gpu"), STR("10.0.0.1"),
		"# packages for target h100\n[global]\n"
		"index-url = https://mirror.lan/gpu/t/h100/simple/\n");
	check_text("/t/a100/uv.toml", STR_NULL, STR("localhost:1"),
		"# packages for target a100\npython-downloads = \"never\"\n\n[[index]]\n"
		"url = \"http://localhost:1/t/a100/simple/\"\ndefault = true\n");
	end();
}

UNIT(respond_requirements)
{
	char expected[2048];

	begin();
	/* Neither what is only for building nor the other target's. The built wheel stands with its source. */
	snprintf(expected, sizeof(expected),
		"# packages for target h100\n"
		"--index-url http://mirror.lan/t/h100/simple/\n"
		"--trusted-host mirror.lan\n"
		"demo[fast,gpu]==1.0 \\\n    --hash=sha256:%s \\\n    --hash=sha256:%s\n"
		"flash-attn==2.8.3 \\\n    --hash=sha256:%s\n"
		"kern==0.1 \\\n    --hash=sha256:%s \\\n    --hash=sha256:%s\n"
		"old==0.9 \\\n    --hash=sha256:%s\n"
		"torch==2.8.0+cu128 \\\n    --hash=sha256:%s\n",
		fixture_hex(FIXTURE_DEMO), fixture_hex(FIXTURE_DEMO_SDIST), fixture_hex(FIXTURE_FLASH),
		fixture_hex(FIXTURE_KERN_BUILT), fixture_hex(FIXTURE_KERN), fixture_hex(FIXTURE_OLD),
		fixture_hex(FIXTURE_TORCH_128));
	check_text("/t/h100/requirements.txt", STR_NULL, STR("mirror.lan"), expected);
	end();
}

UNIT(respond_home_page)
{
	struct request q = get("/");
	struct response r;

	begin();
	ask(&q, &r);
	struct str page = body_of(&r);
	ck_assert_str_eq(header(&r, "Content-Type"), "text/html; charset=utf-8");
	ck_assert(str_has(str_of(header(&r, "Content-Security-Policy")), "style-src 'sha256-"));
	ck_assert(str_has(page, "<section id=\"h100\">") && str_has(page, "<section id=\"a100\">"));
	ck_assert(str_has(page, "pip install --trusted-host mirror.lan:8080 --index-url "
				"http://mirror.lan:8080/t/h100/simple/ demo\n"));
	ck_assert(str_has(page, "uv pip install --default-index http://mirror.lan:8080/t/h100/simple/ demo"));
	ck_assert(str_has(page, "Python 3.12, linux_x86_64"));
	ck_assert(str_has(page, "wheel, built here"));
	ck_assert(str_has(page, "name=\"viewport\"") && str_has(page, "color-scheme:light dark"));
	ck_assert(!str_has(page, "<script") && !str_has(page, "src=") && !str_has(page, "@import"));
	for (size_t i = 0; i < page.n; i++) {
		ck_assert((unsigned char)page.p[i] >= ' ' || page.p[i] == '\n'); /* no mark is left */
	}
	response_release(&r);
	end();
}

UNIT(respond_metrics_count)
{
	struct request q = get("/metrics");
	struct metrics m = { .reloads = 2 };
	const struct respond_setting setting = { .metrics = &m };
	struct response r;

	begin();
	metrics_count(&m, 200, 100);
	metrics_count(&m, 200, 11);
	metrics_count(&m, 404, 9);
	respond(site, &setting, &q, &r);
	ck_assert(str_has(body_of(&r), "gpkg_bundle_requests_total{code=\"200\"} 2\n"));
	ck_assert(str_has(body_of(&r), "gpkg_bundle_requests_total{code=\"404\"} 1\n"));
	ck_assert(str_has(body_of(&r), "gpkg_bundle_body_bytes_total 120\n"));
	ck_assert(str_has(body_of(&r), "gpkg_bundle_generation 7\n"));
	ck_assert(str_has(body_of(&r), "gpkg_bundle_reloads_total 2\n"));
	response_release(&r);
	end();
}

UNIT(respond_same_pages_are_kept_once)
{
	struct page *const *h100, *const *a100;

	begin();
	h100 = site_find_project(site_find_index(site, STR("h100")), STR("torch"));
	a100 = site_find_project(site_find_index(site, STR("a100")), STR("torch"));
	ck_assert_ptr_ne(h100[FORM_JSON], a100[FORM_JSON]);
	ck_assert_ptr_eq(h100[FORM_HTML]->body.p, h100[FORM_V1_HTML]->body.p);
	ck_assert_ptr_ne(h100[FORM_HTML], h100[FORM_V1_HTML]);
	end();
}

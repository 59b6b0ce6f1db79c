#include "tests/unit/respond_fixture.h"
#include "tests/unit/unit.h"
#include "tests/unit/view_fixture.h"

#include <stdio.h>

static void check_text(const char *target, struct str url, struct str host, const char *expected)
{
	const struct respond_setting setting = { .url = url, .metrics = &fixture_metrics };
	struct request q = fixture_get(target);
	struct response r;

	q.host = host;
	respond(fixture_site, &setting, &q, &r);
	ck_assert_uint_eq(r.status, 200);
	ck_assert_msg(str_is(buf_str(&r.made), expected), "%s:\n%s", target, r.made.p);
	response_release(&r);
}

UNIT(respond_client_files)
{
	fixture_site_begin();
	check_text("/t/h100/pip.conf", STR_NULL, STR("mirror.lan:8080"),
		"# packages for target h100\n[global]\n"
		"index-url = http://mirror.lan:8080/t/h100/simple/\ntrusted-host = mirror.lan:8080\n");
	check_text("/t/h100/pip.conf", STR("https://mirror.lan/gpu"), STR("10.0.0.1"),
		"# packages for target h100\n[global]\n"
		"index-url = https://mirror.lan/gpu/t/h100/simple/\n");
	check_text("/t/a100/uv.toml", STR_NULL, STR("localhost:1"),
		"# packages for target a100\npython-downloads = \"never\"\n\n[[index]]\n"
		"url = \"http://localhost:1/t/a100/simple/\"\ndefault = true\n");
	fixture_site_end();
}

UNIT(respond_requirements)
{
	char expected[2048];

	fixture_site_begin();
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
	fixture_site_end();
}

UNIT(respond_home_page)
{
	struct request q = fixture_get("/");
	struct response r;

	fixture_site_begin();
	fixture_ask(&q, &r);
	struct str page = fixture_body(&r);
	ck_assert_str_eq(fixture_header(&r, "Content-Type"), "text/html; charset=utf-8");
	ck_assert(str_has(str_of(fixture_header(&r, "Content-Security-Policy")), "style-src 'sha256-"));
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
	fixture_site_end();
}

UNIT(respond_metrics_count)
{
	struct request q = fixture_get("/metrics");
	struct metrics m = { .reloads = 2 };
	const struct respond_setting setting = { .metrics = &m };
	struct response r;

	fixture_site_begin();
	metrics_count(&m, 200, 100);
	metrics_count(&m, 200, 11);
	metrics_count(&m, 404, 9);
	respond(fixture_site, &setting, &q, &r);
	ck_assert(str_has(fixture_body(&r), "gpkg_bundle_requests_total{code=\"200\"} 2\n"));
	ck_assert(str_has(fixture_body(&r), "gpkg_bundle_requests_total{code=\"404\"} 1\n"));
	ck_assert(str_has(fixture_body(&r), "gpkg_bundle_body_bytes_total 120\n"));
	ck_assert(str_has(fixture_body(&r), "gpkg_bundle_generation 7\n"));
	ck_assert(str_has(fixture_body(&r), "gpkg_bundle_reloads_total 2\n"));
	response_release(&r);
	fixture_site_end();
}

#include "tests/unit/respond_fixture.h"
#include "tests/unit/view_fixture.h"

#include <stdio.h>
#include <string.h>

struct site *fixture_site;
struct metrics fixture_metrics;

void fixture_site_begin(void)
{
	struct store_view view;

	view_fixture(&view);
	fixture_site = site_build(&view);
}

void fixture_site_end(void)
{
	site_free(fixture_site, NULL);
	fixture_site = NULL;
}

const char *fixture_header(const struct response *r, const char *name)
{
	for (size_t i = 0; i < r->nheaders; i++) {
		if (strcmp(r->headers[i].name, name) == 0) {
			return r->headers[i].value;
		}
	}
	return "";
}

struct request fixture_get(const char *target)
{
	return (struct request){ .method = STR("GET"),
		.target = str_of(target),
		.host = STR("mirror.lan:8080"),
		.nhosts = 1 };
}

void fixture_ask(const struct request *q, struct response *r)
{
	const struct respond_setting setting = { .metrics = &fixture_metrics };

	respond(fixture_site, &setting, q, r);
}

struct str fixture_body(const struct response *r)
{
	return r->page ? r->page->body : buf_str(&r->made);
}

const char *fixture_file_path(unsigned byte, const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "/files/%s/%s", fixture_hex(byte), name);
	return path;
}

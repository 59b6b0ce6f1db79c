#include "tests/unit/respond_fixture.h"
#include "tests/unit/unit.h"
#include "tests/unit/view_fixture.h"

#include <stdio.h>
#include <string.h>

#define FLASH_FILE "flash_attn-2.8.3+cu12torch2.8-cp312-cp312-linux_x86_64.whl"
#define FLASH_ALIAS "flash_attn-2.8.3-1cu12torch2.8-cp312-cp312-linux_x86_64.whl"
#define TORCH_FILE "torch-2.8.0%2Bcu128-cp312-cp312-manylinux_2_28_x86_64.whl"

static const struct {
	unsigned byte;
	const char *name;
	unsigned status;
	unsigned object; /* its digest's byte */
	uint64_t length;
} spellings[] = {
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

UNIT(respond_files_by_every_spelling)
{
	fixture_site_begin();
	for (size_t i = 0; i < sizeof(spellings) / sizeof(spellings[0]); i++) {
		struct request q = fixture_get(fixture_file_path(spellings[i].byte, spellings[i].name));
		struct response r;

		fixture_ask(&q, &r);
		ck_assert_msg(r.status == spellings[i].status, "%s: %u", spellings[i].name, r.status);
		if (spellings[i].status == 200) {
			char hex[DIGEST_HEX + 1];

			ck_assert(r.is_object);
			ck_assert_str_eq(digest_hex(&r.object, hex), fixture_hex(spellings[i].object));
			ck_assert_uint_eq(r.length, spellings[i].length);
			ck_assert_uint_eq(r.total, spellings[i].length);
			ck_assert_str_eq(fixture_header(&r, "Accept-Ranges"), "bytes");
			ck_assert_str_eq(fixture_header(&r, "Cache-Control"), "max-age=31536000, immutable");
			ck_assert(strncmp(fixture_header(&r, "ETag") + 1, fixture_hex(spellings[i].object), 64) == 0);
		}
		response_release(&r);
	}
	fixture_site_end();
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

	fixture_site_begin();
	snprintf(etag, sizeof(etag), "\"%s\"", fixture_hex(FIXTURE_DEMO));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct request q = fixture_get(fixture_file_path(FIXTURE_DEMO, "demo-1.0-py3-none-any.whl"));
		struct response r;

		q.range = str_of(rows[i].range);
		q.if_range = str_of(rows[i].if_range);
		q.nranges = 1;
		fixture_ask(&q, &r);
		ck_assert_msg(r.status == rows[i].status, "%s %s: %u", rows[i].range, rows[i].if_range,
			r.status);
		ck_assert_str_eq(fixture_header(&r, "Content-Range"), rows[i].content_range);
		if (r.is_object) {
			ck_assert_uint_eq(r.offset, rows[i].offset);
			ck_assert_uint_eq(r.length, rows[i].length);
		}
		response_release(&r);
	}
	fixture_site_end();
}

UNIT(respond_ranges_weak_and_twice)
{
	struct request q;
	struct response r;
	char weak[80];

	fixture_site_begin();
	q = fixture_get(fixture_file_path(FIXTURE_DEMO, "demo-1.0-py3-none-any.whl"));
	snprintf(weak, sizeof(weak), "W/\"%s\"", fixture_hex(FIXTURE_DEMO));
	q.range = STR("bytes=0-1");
	q.nranges = 1;
	q.if_range = str_of(weak);
	fixture_ask(&q, &r);
	ck_assert_uint_eq(r.status, 200);
	response_release(&r);
	q.if_range = STR_NULL;
	q.nranges = 2;
	fixture_ask(&q, &r);
	ck_assert_uint_eq(r.status, 200);
	response_release(&r);
	q.nranges = 1;
	q.if_none_match = str_of(weak); /* comes before Range */
	fixture_ask(&q, &r);
	ck_assert_uint_eq(r.status, 304);
	ck_assert(!r.is_object && r.length == 0 && r.total == 885);
	response_release(&r);
	fixture_site_end();
}

#include "bundle/index_page.h"
#include "tests/unit/unit.h"

#include <string.h>

#define HEX "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define PAGE "https://host/simple/x/"
#define META "{\"meta\":{\"api-version\":\"1.1\"},\"name\":\"x\",\"files\":"

static struct arena a;

static int read_page(const char *json, struct index_page *out, struct err *e)
{
	return index_json_read(&a, str_of(json), PAGE, out, e);
}

static const struct {
	const char *rest; /* of {"filename":"x-1.zip","url":"x-1.zip",... */
	bool has_sha256, yanked;
	const char *reason, *python;
	bool has_size;
	uint64_t size;
	bool metadata, metadata_sha256;
} file_cases[] = {
	{ "\"hashes\":{}", false, false, "", "", false, 0, false, false },
	{ "\"hashes\":{\"md5\":\"00\",\"blake2b\":7}", false, false, "", "", false, 0, false,
		false },
	{ "\"hashes\":{\"sha256\":\"" HEX "\"},\"size\":12", true, false, "", "", true, 12, false,
		false },
	{ "\"hashes\":{},\"requires-python\":null,\"size\":null", false, false, "", "", false, 0,
		false, false },
	{ "\"hashes\":{},\"requires-python\":\" >=3.8 \"", false, false, "", ">=3.8", false, 0,
		false, false },
	{ "\"hashes\":{},\"yanked\":false", false, false, "", "", false, 0, false, false },
	{ "\"hashes\":{},\"yanked\":true", false, true, "", "", false, 0, false, false },
	{ "\"hashes\":{},\"yanked\":\"\"", false, true, "", "", false, 0, false, false },
	{ "\"hashes\":{},\"yanked\":\"bad <x>\"", false, true, "bad <x>", "", false, 0, false,
		false },
	{ "\"hashes\":{},\"core-metadata\":true", false, false, "", "", false, 0, true, false },
	{ "\"hashes\":{},\"core-metadata\":false", false, false, "", "", false, 0, false, false },
	{ "\"hashes\":{},\"core-metadata\":{\"sha256\":\"" HEX "\"}", false, false, "", "", false,
		0, true, true },
	{ "\"hashes\":{},\"core-metadata\":{\"sha512\":\"00\"}", false, false, "", "", false, 0,
		true, false },
	{ "\"hashes\":{},\"core-metadata\":false,\"dist-info-metadata\":true", false, false, "", "",
		false, 0, false, false },
	{ "\"hashes\":{},\"dist-info-metadata\":{\"sha256\":\"" HEX "\"}", false, false, "", "",
		false, 0, true, true },
	{ "\"hashes\":{},\"data-dist-info-metadata\":true", false, false, "", "", false, 0, true,
		false },
	{ "\"hashes\":{},\"provenance\":{\"x\":[1,2]},\"upload-time\":\"2024-01-01T00:00:"
	  "00Z\"",
		false, false, "", "", false, 0, false, false },
};

UNIT(index_json_files)
{
	for (size_t i = 0; i < sizeof(file_cases) / sizeof(file_cases[0]); i++) {
		struct index_page page;
		struct err e = ERR_INIT;

		int r = read_page(
			arena_printf(&a,
				META "[{\"filename\":\"x-1.zip\",\"url\":\"x-1.zip\",%s}]}",
				file_cases[i].rest),
			&page, &e);
		ck_assert_msg(r == 0, "%s: %s", file_cases[i].rest, e.text);
		ck_assert_uint_eq(page.links.n, 1);
		const struct index_file *f = &page.links.v[0];
		ck_assert_msg(f->has_sha256 == file_cases[i].has_sha256, "%s", file_cases[i].rest);
		ck_assert_msg(f->is_yanked == file_cases[i].yanked &&
				      str_is(f->yanked, file_cases[i].reason),
			"%s", file_cases[i].rest);
		ck_assert_msg(
			str_is(f->requires_python, file_cases[i].python), "%s", file_cases[i].rest);
		ck_assert_msg(
			f->has_size == file_cases[i].has_size && f->size == file_cases[i].size,
			"%s", file_cases[i].rest);
		ck_assert_msg(f->has_metadata == file_cases[i].metadata &&
				      f->has_metadata_sha256 == file_cases[i].metadata_sha256,
			"%s", file_cases[i].rest);
		index_page_release(&page);
	}
	arena_release(&a);
}

UNIT(index_json_urls_and_names)
{
	static const struct {
		const char *file, *url, *want_file, *want_url; /* want_file "": left out */
	} cases[] = {
		{ "x-1+c.zip", "https://cdn/f/x-1%2Bc.zip", "x-1+c.zip",
			"https://cdn/f/x-1%2Bc.zip" },
		{ "x-1.zip", "../../f/x-1.zip#sha256=00", "x-1.zip", "https://host/f/x-1.zip" },
		{ "x-1.zip", "/download/17?raw=1", "x-1.zip", "https://host/download/17?raw=1" },
		{ "y-1.zip", "x-1.zip", "x-1.zip", PAGE "x-1.zip" },
		{ "x-1.exe", "x-1.exe", "", "" },
		{ "x-1.tar.bz2", "x-1.tar.bz2", "", "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool kept = cases[i].want_file[0] != '\0';
		struct index_page page;
		struct err e = ERR_INIT;

		ck_assert_int_eq(
			read_page(arena_printf(&a,
					  META
					  "[{\"filename\":\"%s\",\"url\":\"%s\",\"hashes\":{}}]}",
					  cases[i].file, cases[i].url),
				&page, &e),
			0);
		ck_assert_uint_eq(page.links.n, kept);
		ck_assert_uint_eq(page.nunreadable, !kept);
		if (kept) {
			ck_assert(str_is(page.links.v[0].name.file, cases[i].want_file));
			ck_assert_str_eq(page.links.v[0].url, cases[i].want_url);
		}
		index_page_release(&page);
	}
	arena_release(&a);
}

static const struct {
	const char *json, *message; /* NULL: readable */
} page_cases[] = {
	{ META "[]}", NULL },
	{ "{\"meta\":{\"api-version\":\"1.0\"},\"files\":[]}", NULL },
	{ "{\"meta\":{\"api-version\":\"1\"},\"files\":[]}", NULL },
	{ "{\"meta\":{\"api-version\":\"1.99\",\"x\":0},\"files\":[],\"versions\":[\"1\"],"
	  "\"more\":{}}",
		NULL },
	{ "{\"meta\":{\"api-version\":\"2.0\"},\"files\":[]}", "version 2.0" },
	{ "{\"meta\":{\"api-version\":\"10.0\"},\"files\":[]}", "version 10.0" },
	{ "{\"meta\":{\"api-version\":1.0},\"files\":[]}", "api-version" },
	{ "{\"meta\":{},\"files\":[]}", "api-version" },
	{ "{\"files\":[]}", "meta" },
	{ "{\"error\":\"no\"}", "no simple API" },
	{ "[]", "no simple API" },
	{ "", "JSON" },
	{ "<html>", "JSON" },
	{ META "{}}", "files" },
	{ META "[[]]}", "files[0]" },
	{ META "[{\"filename\":\"x-1.zip\",\"url\":\"x-1.zip\"}]}", "hashes" },
	{ META "[{\"filename\":\"x-1.zip\",\"hashes\":{}}]}", "files[0]: url" },
	{ META "[{\"url\":\"x-1.zip\",\"hashes\":{}}]}", "files[0]: filename" },
	{ META "[{\"filename\":\"x-1.zip\",\"url\":7,\"hashes\":{}}]}", "url" },
	{ META "[{\"filename\":\"x-1.zip\",\"url\":\"x-1.zip\",\"hashes\":[]}]}", "hashes" },
	{ META "[{\"filename\":\"x-1.zip\",\"url\":\"x-1.zip\",\"hashes\":{\"sha256\":"
	       "\"12\"}}]}",
		"sha256" },
	{ META "[{\"filename\":\"x-1.zip\",\"url\":\"x-1.zip\",\"hashes\":{\"sha256\":1}}]"
	       "}",
		"sha256" },
	{ META "[{\"filename\":\"x-1.zip\",\"url\":\"x-1.zip\",\"hashes\":{},\"size\":-1}]"
	       "}",
		"size" },
	{ META "[{\"filename\":\"x-1.zip\",\"url\":\"x-1.zip\",\"hashes\":{},\"size\":"
	       "\"1\"}]}",
		"size" },
	{ META "[{\"filename\":\"x-1.zip\",\"url\":\"x-1.zip\",\"hashes\":{},\"yanked\":1}]"
	       "}",
		"yanked" },
	{ META "[{\"filename\":\"x-1.zip\",\"url\":\"x-1.zip\",\"hashes\":{},\"core-"
	       "metadata\":\"x\"}]}",
		"core-metadata" },
	{ META "[{\"filename\":\"x-1.zip\",\"url\":\"x-1.zip\",\"hashes\":{},"
	       "\"core-metadata\":{\"sha256\":\"1\"}}]}",
		"core-metadata" },
	{ META "[]} x", "JSON" },
	{ META "[],\"files\":[]}", "JSON" },
};

UNIT(index_json_pages)
{
	for (size_t i = 0; i < sizeof(page_cases) / sizeof(page_cases[0]); i++) {
		struct index_page page;
		struct err e = ERR_INIT;
		int r = read_page(page_cases[i].json, &page, &e);

		ck_assert_msg(r == (page_cases[i].message ? -RC_INDEX : 0), "%s: %d %s",
			page_cases[i].json, r, e.text);
		ck_assert_msg(!page_cases[i].message || strstr(e.text, page_cases[i].message),
			"%s: %s", page_cases[i].json, e.text);
		if (!r) {
			ck_assert(page.is_index);
			index_page_release(&page);
		}
	}
	arena_release(&a);
}

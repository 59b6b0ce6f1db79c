#include "bundle/source_page.h"
#include "tests/unit/unit.h"

#include <string.h>

#define HEX "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define PAGE "https://api.host/repos/o/r/releases?page=1"
#define FILES "https://host/o/r/releases/download/v1/"

static struct arena a;

/* ---- releases ---- */

static const struct {
	const char *json;
	size_t nlinks, nunreadable;
	const char *file, *url; /* of the first link */
	bool has_sha256, has_size;
} release_cases[] = {
	{ "[]", 0, 0, NULL, NULL, false, false },
	{ "[{\"assets\":[]}]", 0, 0, NULL, NULL, false, false },
	/* A '+' stays, and %2B is decoded once. */
	{ "[{\"draft\":false,\"assets\":[{\"browser_download_url\":\"" FILES
	  "x-1+cu12-py3-none-any.whl\","
	  "\"name\":\"other\",\"size\":7,\"digest\":\"sha256:" HEX "\"}]}]",
		1, 0, "x-1+cu12-py3-none-any.whl", FILES "x-1+cu12-py3-none-any.whl", true, true },
	{ "[{\"assets\":[{\"browser_download_url\":\"" FILES
	  "x-1%2Bcu12-py3-none-any.whl\",\"size\":null,"
	  "\"digest\":null}]}]",
		1, 0, "x-1+cu12-py3-none-any.whl", FILES "x-1%2Bcu12-py3-none-any.whl", false,
		false },
	{ "[{\"assets\":[{\"browser_download_url\":\"" FILES "x-1%252B-py3-none-any.whl\"}]}]", 1,
		0, "x-1%2B-py3-none-any.whl", FILES "x-1%252B-py3-none-any.whl", false, false },
	{ "[{\"assets\":[{\"browser_download_url\":\"/files/"
	  "x-1.tar.gz\",\"digest\":\"sha512:00\"}]}]",
		1, 0, "x-1.tar.gz", "https://api.host/files/x-1.tar.gz", false, false },
	/* Drafts, halves, and what is no distribution. */
	{ "[{\"draft\":true,\"assets\":[{\"browser_download_url\":\"" FILES "x-1.zip\"}]}]", 0, 0,
		NULL, NULL, false, false },
	{ "[{\"assets\":[{\"browser_download_url\":\"" FILES "x-1.zip\",\"state\":\"starter\"},"
	  "{\"browser_download_url\":\"" FILES "notes.txt\"},"
	  "{\"browser_download_url\":\"" FILES "x-2.zip\",\"state\":\"uploaded\"}]}]",
		1, 2, "x-2.zip", FILES "x-2.zip", false, false },
	{ "[{\"prerelease\":true,\"assets\":[{\"browser_download_url\":\"" FILES "x-1.zip\"}]},"
	  "{\"assets\":[{\"browser_download_url\":\"" FILES "x-2.zip\"}]}]",
		2, 0, "x-1.zip", FILES "x-1.zip", false, false },
};

UNIT(source_releases)
{
	for (size_t i = 0; i < sizeof(release_cases) / sizeof(release_cases[0]); i++) {
		struct index_page page;
		struct err e = ERR_INIT;

		ck_assert_msg(source_releases_read(
				      &a, str_of(release_cases[i].json), PAGE, &page, &e) == 0,
			"%zu: %s", i, e.text);
		ck_assert_msg(page.is_index && page.links.n == release_cases[i].nlinks,
			"%zu: %zu links", i, page.links.n);
		ck_assert_uint_eq(page.nunreadable, release_cases[i].nunreadable);
		if (page.links.n) {
			const struct index_file *f = &page.links.v[0];

			ck_assert_msg(str_is(f->name.file, release_cases[i].file), "%.*s",
				STR_ARG(f->name.file));
			ck_assert_str_eq(f->url, release_cases[i].url);
			ck_assert_int_eq(f->has_sha256, release_cases[i].has_sha256);
			ck_assert_int_eq(f->has_size, release_cases[i].has_size);
		}
		index_page_release(&page);
	}
	arena_release(&a);
}

/* ---- packages.json ---- */

#define MANIFEST(packages) "{\"schema\":1,\"packages\":{" packages "}}"

UNIT(source_manifest)
{
	static const char text[] =
		MANIFEST("\"cumm\":{\"torch_free\":true,\"wheels\":[{\"filename\":\"lies.whl\","
			 "\"url\":\"../w/"
			 "cumm-0.8.2%2Bcu128-py3-none-any.whl#x\",\"sha256\":\"" HEX
			 "\",\"size\":12,\"python\":null}]},"
			 "\"x\":{\"wheels\":[{\"filename\":\"x-1-py3-none-any.whl\",\"url\":"
			 "\"https://host/get?id=1\"},"
			 "{\"filename\":\"notes.txt\",\"url\":\"https://host/notes.txt\"}]}");
	struct index_page page;
	struct err e = ERR_INIT;

	ck_assert_msg(source_manifest_read(
			      &a, str_of(text), "https://host/a/packages.json", &page, &e) == 0,
		"%s", e.text);
	ck_assert_uint_eq(page.links.n, 2);
	ck_assert_uint_eq(page.nunreadable, 1);
	const struct index_file *cumm = &page.links.v[0], *x = &page.links.v[1];
	ck_assert(str_is(cumm->name.file, "cumm-0.8.2+cu128-py3-none-any.whl"));
	ck_assert_str_eq(cumm->url, "https://host/w/cumm-0.8.2%2Bcu128-py3-none-any.whl");
	ck_assert(cumm->is_torch_free && cumm->has_sha256 && cumm->has_size && cumm->size == 12);
	ck_assert(str_is(x->name.file, "x-1-py3-none-any.whl"));
	ck_assert(!x->is_torch_free && !x->has_sha256 && !x->has_size);
	index_page_release(&page);
	arena_release(&a);
}

/* ---- what is neither ---- */

static const struct {
	index_page_reader *read;
	const char *text, *error;
} wrong_cases[] = {
	{ source_releases_read, "", "" },
	{ source_releases_read, "{}", "no list of releases" },
	{ source_releases_read, "[7]", "[0]: " },
	{ source_releases_read, "[{}]", "[0]: " },
	{ source_releases_read, "[{\"draft\":\"no\",\"assets\":[]}]", "draft" },
	{ source_releases_read, "[{\"assets\":[]},{\"assets\":[{}]}]", "[1]: assets[0]: " },
	{ source_releases_read, "[{\"assets\":[{\"browser_download_url\":7}]}]",
		"browser_download_url" },
	{ source_releases_read, "[{\"assets\":[{\"browser_download_url\":\"x.zip\",\"size\":-1}]}]",
		"size" },
	{ source_releases_read,
		"[{\"assets\":[{\"browser_download_url\":\"x.zip\",\"digest\":\"sha256:0\"}]}]",
		"digest" },
	{ source_manifest_read, "[]", "no list of packages" },
	{ source_manifest_read, "{}", "no list of packages" },
	{ source_manifest_read, "{\"schema\":2,\"packages\":{}}", "schema 2" },
	{ source_manifest_read, "{\"schema\":1,\"packages\":[]}", "packages" },
	{ source_manifest_read, MANIFEST("\"x\":{}"), "packages[0]: " },
	{ source_manifest_read, MANIFEST("\"x\":{\"torch_free\":1,\"wheels\":[]}"), "torch_free" },
	{ source_manifest_read, MANIFEST("\"x\":{\"wheels\":[{}]}"), "wheels[0]: " },
	{ source_manifest_read,
		MANIFEST("\"x\":{\"wheels\":[{\"url\":\"x.zip\",\"sha256\":\"00\"}]}"), "sha256" },
};

UNIT(source_pages_that_are_wrong)
{
	for (size_t i = 0; i < sizeof(wrong_cases) / sizeof(wrong_cases[0]); i++) {
		struct index_page page;
		struct err e = ERR_INIT;

		ck_assert_msg(wrong_cases[i].read(&a, str_of(wrong_cases[i].text), PAGE, &page,
				      &e) == -(int)RC_INDEX,
			"%zu: \"%s\"", i, e.text);
		ck_assert_msg(str_has(str_of(e.text), wrong_cases[i].error), "%zu: %s", i, e.text);
	}
	arena_release(&a);
}

#include "bundle/index_page.h"
#include "tests/unit/unit.h"

#include <string.h>

#define HEX "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define OTHER "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
#define PAGE "https://host/whl/torch/"

static struct arena a;

static int read_page(const char *html, struct index_page *out)
{
	struct err e = ERR_INIT;

	int r = index_html_read(&a, str_of(html), PAGE, out, &e);
	ck_assert(!r || (e.rc == RC_INDEX && e.text[0]));
	return r;
}

static struct index_file read_link(const char *html)
{
	struct index_page page;

	ck_assert_int_eq(read_page(html, &page), 0);
	ck_assert_msg(page.links.n == 1, "%zu links in %s", page.links.n, html);
	struct index_file link = page.links.v[0];
	index_page_release(&page);
	return link;
}

static const char *hash_of(const struct index_file *f)
{
	static char hex[DIGEST_HEX + 1];

	return f->has_sha256 ? digest_hex(&f->sha256, hex) : "";
}

UNIT(index_html_links)
{
	static const struct {
		const char *html, *file, *url, *sha256;
	} cases[] = {
		{ "<a href=\"x-1-py3-none-any.whl\">text lies</a>", "x-1-py3-none-any.whl",
			PAGE "x-1-py3-none-any.whl", "" },
		{ "<a href='../../f/x-1%2Bcu1-py3-none-any.whl#sha256=" HEX "'>x</a>",
			"x-1+cu1-py3-none-any.whl", "https://host/f/x-1%2Bcu1-py3-none-any.whl",
			HEX },
		{ "<A HREF=/f/x-1.tar.gz>x</A>", "x-1.tar.gz", "https://host/f/x-1.tar.gz", "" },
		{ "<a href=x-1.zip#sha256=" HEX ">", "x-1.zip", PAGE "x-1.zip", HEX },
		{ "<a href=\"https://cdn/x-1.zip?sig=a/b.whl&amp;t=1#egg=x&amp;sha256=" HEX
		  "\">x</a>",
			"x-1.zip", "https://cdn/x-1.zip?sig=a/b.whl&t=1", HEX },
		{ "<a href=\"//cdn/x-1.zip#md5=00112233445566778899aabbccddeeff\">x</a>", "x-1.zip",
			"https://cdn/x-1.zip", "" },
		{ "<a href=\"x-1.zip#sha256=12\">x</a>", "x-1.zip", PAGE "x-1.zip", "" },
		{ "<a href=\"x-1.zip#sha512=" HEX HEX "\">x</a>", "x-1.zip", PAGE "x-1.zip", "" },
		{ "<base href=\"https://cdn/b/\"><base href=\"https://evil/\"><a href=\"x-1.zip\">",
			"x-1.zip", "https://cdn/b/x-1.zip", "" },
		{ "<base href=\"/c/\"><a href=\"x-1.zip\">", "x-1.zip", "https://host/c/x-1.zip",
			"" },
		{ "<base target=_top><a href=\"x-1.zip\">", "x-1.zip", PAGE "x-1.zip", "" },
		/* The digest of METADATA is never the file's. */
		{ "<a href=\"/whl/x-1-py3-none-any.whl\" data-dist-info-metadata=\"sha256=" HEX
		  "\" data-core-metadata=\"sha256=" HEX "\">x</a>",
			"x-1-py3-none-any.whl", "https://host/whl/x-1-py3-none-any.whl", "" },
		{ "<!-- <a href=y-1.zip> --><script>'<a href=z-1.zip>'</script><a href=x-1.zip>",
			"x-1.zip", PAGE "x-1.zip", "" },
		{ "<!DOCTYPE html [<!ENTITY e SYSTEM \"file:///etc/passwd\">]><a "
		  "href=\"x-1.zip\">&e;</a>",
			"x-1.zip", PAGE "x-1.zip", "" },
		{ "<html><body></body></html>\n<a href=\"x-1.zip\">", "x-1.zip", PAGE "x-1.zip",
			"" },
		{ "<title>x</title><a href=x-1.zip>", "x-1.zip", PAGE "x-1.zip", "" },
		{ "<a href=\" x-1.zip \">", "x-1.zip", PAGE "x-1.zip", "" },
		{ "\xEF\xBB\xBF<html><a href=x-1.zip>", "x-1.zip", PAGE "x-1.zip", "" },
		{ "<a href=y.exe><a href=../><a name=z.whl><a><a href=''><a href=x-1.zip>",
			"x-1.zip", PAGE "x-1.zip", "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct index_file f = read_link(cases[i].html);

		ck_assert_msg(str_is(f.name.file, cases[i].file), "%s: %.*s", cases[i].html,
			STR_ARG(f.name.file));
		ck_assert_msg(strcmp(f.url, cases[i].url) == 0, "%s: %s", cases[i].html, f.url);
		ck_assert_msg(strcmp(hash_of(&f), cases[i].sha256) == 0, "%s: %s", cases[i].html,
			hash_of(&f));
	}
	arena_release(&a);
}

UNIT(index_html_attributes)
{
	static const struct {
		const char *attributes;
		bool yanked;
		const char *reason, *python;
		bool metadata;
		const char *metadata_sha256;
	} cases[] = {
		{ "", false, "", "", false, "" },
		{ "data-yanked", true, "", "", false, "" },
		{ "data-yanked=\"\"", true, "", "", false, "" },
		{ "data-yanked=\"broken &lt;build&gt; &amp; more\"", true, "broken <build> & more",
			"", false, "" },
		{ "DATA-YANKED='x'", true, "x", "", false, "" },
		{ "data-requires-python=\"&gt;=3.8,&lt;4\"", false, "", ">=3.8,<4", false, "" },
		{ "data-requires-python=\">=3.8\"", false, "", ">=3.8", false, "" },
		{ "data-requires-python", false, "", "", false, "" },
		{ "data-core-metadata=\"true\"", false, "", "", true, "" },
		{ "data-core-metadata=\"sha256=" HEX "\"", false, "", "", true, HEX },
		{ "data-dist-info-metadata=\"sha256=" HEX "\"", false, "", "", true, HEX },
		{ "data-dist-info-metadata=\"sha256=" OTHER "\" data-core-metadata=\"sha256=" HEX
		  "\"",
			false, "", "", true, HEX },
		{ "data-core-metadata=\"sha256=12\"", false, "", "", true, "" },
		{ "data-core-metadata=\"sha512=12\"", false, "", "", true, "" },
		{ "data-core-metadata=\"false\"", false, "", "", false, "" },
		{ "data-core-metadata", false, "", "", false, "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char hex[DIGEST_HEX + 1] = "";
		struct index_file f = read_link(
			arena_printf(&a, "<a href=x-1.zip %s>x</a>", cases[i].attributes));

		ck_assert_msg(f.is_yanked == cases[i].yanked && str_is(f.yanked, cases[i].reason),
			"%s", cases[i].attributes);
		ck_assert_msg(
			str_is(f.requires_python, cases[i].python), "%s", cases[i].attributes);
		ck_assert_msg(f.has_metadata == cases[i].metadata, "%s", cases[i].attributes);
		if (f.has_metadata_sha256) {
			digest_hex(&f.metadata_sha256, hex);
		}
		ck_assert_msg(
			strcmp(hex, cases[i].metadata_sha256) == 0, "%s", cases[i].attributes);
		ck_assert(!f.has_sha256);
	}
	arena_release(&a);
}

UNIT(index_html_is_it_an_index)
{
	static const struct {
		const char *html;
		bool is_index;
		const char *title;
	} cases[] = {
		{ "<a href=x-1.zip>", true, "" },
		{ "<meta name=\"pypi:repository-version\" content=\"1.0\">", true, "" },
		{ "<META NAME='pypi:repository-version' CONTENT='1.99'>", true, "" },
		{ "<title>Links for torch</title>", true, "Links for torch" },
		{ "<h1>Index of /whl/</h1><a href=../>..</a>", true, "Index of /whl/" },
		{ "<title>\n Sign\n\n in </title><h1>no</h1><a href=/login>x</a>", false,
			"Sign in " },
		{ "<html><body></body></html>", false, "" },
		{ "", false, "" },
		{ "not html at all", false, "" },
		{ "</HTML ><html><body></body ></html", false, "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct index_page page;

		ck_assert_int_eq(read_page(cases[i].html, &page), 0);
		ck_assert_msg(page.is_index == cases[i].is_index, "%s", cases[i].html);
		ck_assert_str_eq(page.title, cases[i].title);
		index_page_release(&page);
	}
	arena_release(&a);
}

UNIT(index_html_of_another_major_is_refused)
{
	struct index_page page;

	ck_assert_int_eq(
		read_page("<meta name=pypi:repository-version content=2.0><a href=x-1.zip>", &page),
		-RC_INDEX);
	ck_assert_int_eq(
		read_page("<meta name=pypi:repository-version content=10.1>", &page), -RC_INDEX);
	ck_assert_int_eq(
		read_page("<meta name=pypi:repository-version content=\"\">", &page), -RC_INDEX);
	arena_release(&a);
}

UNIT(index_html_large_page)
{
	CLEANUP_BUF struct buf b = BUF_INIT;
	struct index_page page;
	size_t n = 200000;

	buf_adds(&b, "<!DOCTYPE html><html><body>\n");
	for (size_t i = 0; i < n; i++) {
		buf_addf(&b,
			"<a href=\"x-1.%zu-py3-none-any.whl#sha256=" HEX "\" data-requires-python="
			"\"&gt;=3.8\">x-1.%zu-py3-none-any.whl</a><br/>\n",
			i, i);
	}
	ck_assert_uint_gt(b.n, 25 << 20);
	ck_assert_int_eq(read_page(b.p, &page), 0);
	ck_assert_uint_eq(page.links.n, n);
	ck_assert(str_is(page.links.v[n - 1].name.file, "x-1.199999-py3-none-any.whl"));
	ck_assert(page.links.v[n - 1].has_sha256);
	index_page_release(&page);
	arena_release(&a);
}

#include "manifests/base/uri.h"
#include "tests/unit/unit.h"

#include <string.h>

/* RFC 3986 section 5.4, and what index pages do. */
static const char rfc[] = "http://a/b/c/d;p?q", page[] = "https://host/simple/torch/";
static const struct {
	const char *base, *link, *want;
} resolve_cases[] = {
	{ rfc, "g:h", "g:h" },
	{ rfc, "g", "http://a/b/c/g" },
	{ rfc, "./g", "http://a/b/c/g" },
	{ rfc, "g/", "http://a/b/c/g/" },
	{ rfc, "/g", "http://a/g" },
	{ rfc, "//g", "http://g" },
	{ rfc, "?y", "http://a/b/c/d;p?y" },
	{ rfc, "g?y", "http://a/b/c/g?y" },
	{ rfc, "#s", "http://a/b/c/d;p?q#s" },
	{ rfc, "g#s", "http://a/b/c/g#s" },
	{ rfc, "g?y#s", "http://a/b/c/g?y#s" },
	{ rfc, ";x", "http://a/b/c/;x" },
	{ rfc, "", "http://a/b/c/d;p?q" },
	{ rfc, ".", "http://a/b/c/" },
	{ rfc, "./", "http://a/b/c/" },
	{ rfc, "..", "http://a/b/" },
	{ rfc, "../", "http://a/b/" },
	{ rfc, "../g", "http://a/b/g" },
	{ rfc, "../..", "http://a/" },
	{ rfc, "../../g", "http://a/g" },
	{ rfc, "../../../g", "http://a/g" },
	{ rfc, "../../../../g", "http://a/g" },
	{ rfc, "/./g", "http://a/g" },
	{ rfc, "/../g", "http://a/g" },
	{ rfc, "g.", "http://a/b/c/g." },
	{ rfc, "..g", "http://a/b/c/..g" },
	{ rfc, "./../g", "http://a/b/g" },
	{ rfc, "g/./h", "http://a/b/c/g/h" },
	{ rfc, "g/../h", "http://a/b/c/h" },
	{ rfc, "g;x=1/../y", "http://a/b/c/y" },
	{ rfc, "g?y/../x", "http://a/b/c/g?y/../x" },
	{ rfc, "g#s/../x", "http://a/b/c/g#s/../x" },
	{ page, "../../files/a%2Bb.whl#sha256=00", "https://host/files/a%2Bb.whl#sha256=00" },
	{ page, " x.whl\n", "https://host/simple/torch/x.whl" },
	{ page, "/a//b/x.whl", "https://host/a//b/x.whl" },
	{ page, "HTTPS://other/x.whl", "HTTPS://other/x.whl" },
	{ "https://host", "x.whl", "https://host/x.whl" },
	{ "https://host", "", "https://host" },
	{ "https://u:p@host:8/a/", "x", "https://u:p@host:8/a/x" },
	{ "file:///srv/simple/a/index.html", "../../w/x.whl", "file:///srv/w/x.whl" },
	{ "file:///srv/l.html", "x y.whl", "file:///srv/x y.whl" },
};

UNIT(uri_resolve_follows_the_standard)
{
	struct arena a = ARENA_INIT;

	for (size_t i = 0; i < sizeof(resolve_cases) / sizeof(resolve_cases[0]); i++) {
		char *got = uri_resolve(
			&a, str_of(resolve_cases[i].base), str_of(resolve_cases[i].link));

		ck_assert_msg(got && strcmp(got, resolve_cases[i].want) == 0,
			"%s + \"%s\" is %s, not %s", resolve_cases[i].base, resolve_cases[i].link,
			got, resolve_cases[i].want);
	}
	ck_assert_ptr_null(uri_resolve(&a, STR("/srv/index.html"), STR("x.whl")));
	ck_assert_ptr_null(uri_resolve(&a, STR(""), STR("x.whl")));
	arena_release(&a);
}

UNIT(uri_decode_takes_one_layer)
{
	static const struct {
		const char *text, *want; /* NULL: malformed */
	} cases[] = {
		{ "torch-2.8.0%2Bcu128-x.whl", "torch-2.8.0+cu128-x.whl" },
		{ "torch-2.8.0%2bcu128-x.whl", "torch-2.8.0+cu128-x.whl" },
		{ "torch-2.8.0+cu128-x.whl", "torch-2.8.0+cu128-x.whl" },
		{ "torch-2.8.0%252Bcu128-x.whl", "torch-2.8.0%2Bcu128-x.whl" },
		{ "", "" },
		{ "%41", "A" },
		{ "%", NULL },
		{ "%4", NULL },
		{ "a%4", NULL },
		{ "%4g", NULL },
		{ "%g4", NULL },
		{ "%00", NULL },
		{ "a%00b", NULL },
		{ "%ff", "\xff" },
	};
	struct arena a = ARENA_INIT;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *got = uri_decode(&a, str_of(cases[i].text));

		ck_assert_msg(cases[i].want ? got && strcmp(got, cases[i].want) == 0 : !got, "%s",
			cases[i].text);
	}
	arena_release(&a);
}

UNIT(uri_encode_and_back)
{
	CLEANUP_BUF struct buf b = BUF_INIT;
	struct arena a = ARENA_INIT;
	char all[255];

	for (size_t i = 0; i < sizeof(all); i++) {
		all[i] = (char)(i + 1);
	}
	uri_encode(&b, (struct str){ all, sizeof(all) });
	ck_assert(str_eq(str_of(uri_decode(&a, buf_str(&b))), (struct str){ all, sizeof(all) }));
	buf_clear(&b);
	uri_encode(&b, STR("a+b/c d~.whl"));
	ck_assert_str_eq(b.p, "a%2Bb/c%20d~.whl");
	arena_release(&a);
}

UNIT(uri_parts)
{
	static const struct {
		const char *url, *scheme, *host, *path, *last;
	} cases[] = {
		{ "https://host/a/b.whl?x=/y#z", "https", "host", "/a/b.whl", "b.whl" },
		{ "HTTP://Host:80/", "HTTP", "Host", "/", "" },
		{ "https://u:p@h@host:8443/a", "https", "host", "/a", "a" },
		{ "https://[2001:db8::1]:80/a", "https", "[2001:db8::1]", "/a", "a" },
		{ "https://host", "https", "host", "", "" },
		{ "https://host?q=@evil/x", "https", "host", "", "" },
		{ "https://host#@evil/x", "https", "host", "", "" },
		{ "file:///srv/a%20b.whl", "file", "", "/srv/a%20b.whl", "a%20b.whl" },
		{ "file:/srv/a.whl", "file", "", "/srv/a.whl", "a.whl" },
		{ "/srv/a.whl", "", "", "/srv/a.whl", "a.whl" },
		{ "a.whl", "", "", "a.whl", "a.whl" },
		{ "1http://host/a", "", "", "1http://host/a", "a" },
		{ "", "", "", "", "" },
		{ ":", "", "", ":", ":" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str url = str_of(cases[i].url);

		ck_assert_msg(
			str_is(uri_scheme(url), cases[i].scheme), "scheme of %s", cases[i].url);
		ck_assert_msg(str_is(uri_host(url), cases[i].host), "host of %s", cases[i].url);
		ck_assert_msg(str_is(uri_path(url), cases[i].path), "path of %s", cases[i].url);
		ck_assert_msg(str_is(uri_last_segment(url), cases[i].last), "last segment of %s",
			cases[i].url);
	}
}

UNIT(uri_redact_hides_passwords)
{
	static const struct {
		const char *url, *want;
	} cases[] = {
		{ "https://me:secret@host/a", "https://***@host/a" },
		{ "https://token@host:8/a@b", "https://***@host:8/a@b" },
		{ "https://a@b@host/", "https://***@host/" },
		{ "https://host/a@b", "https://host/a@b" },
		{ "/srv/a@b", "/srv/a@b" },
		{ "", "" },
	};
	struct arena a = ARENA_INIT;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert_str_eq(uri_redact(&a, str_of(cases[i].url)), cases[i].want);
	}
	arena_release(&a);
}

UNIT(uri_without_login_drops_passwords)
{
	static const struct {
		const char *url, *want;
	} cases[] = {
		{ "https://me:secret@example.org/x@y", "https://example.org/x@y" },
		{ "https://me@example.org:8080/", "https://example.org:8080/" },
		{ "https://a@b@example.org/", "https://example.org/" },
		{ "https://example.org/a@b", "https://example.org/a@b" },
		{ "file:///a@b", "file:///a@b" },
	};
	struct arena a = ARENA_INIT;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert_str_eq(uri_without_login(&a, str_of(cases[i].url)), cases[i].want);
	}
	arena_release(&a);
}

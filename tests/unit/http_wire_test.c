#include "bundle/http_wire.h"
#include "tests/unit/unit.h"

#include <string.h>

static struct http_head read_head(const char *const *lines)
{
	struct http_head h = { 0 };

	for (; *lines; lines++) {
		http_head_line(&h, str_of(*lines));
	}
	return h;
}

UNIT(http_head_fields)
{
	static const char *const lines[] = { "HTTP/1.1 100 Continue", "ETag: \"old\"", "",
		"HTTP/2 206", "content-TYPE:  Text/HTML ; charset=x", "ETag: W/\"a\"",
		"Last-Modified: yesterday", "Content-Length: 10", "Content-Range: bytes 5-14/1000",
		"Accept-Ranges: bytes", "Cache-Control: private, MAX-AGE=600", "Age: 100",
		"Location: /x", "nonsense", ": x", "", NULL };
	struct http_head h = read_head(lines);

	ck_assert_int_eq(h.status, 206);
	ck_assert_str_eq(h.content_type, "text/html");
	ck_assert_str_eq(h.etag, "W/\"a\"");
	ck_assert_str_eq(h.last_modified, "yesterday");
	ck_assert_str_eq(h.location, "/x");
	ck_assert(h.has_length && h.length == 10 && h.has_first && h.first == 5 && h.has_size &&
		  h.size == 1000);
	ck_assert(h.accepts_ranges && !h.no_cache && !h.no_store);
	ck_assert_uint_eq(h.max_age, 600);
	ck_assert_uint_eq(h.age, 100);
	http_head_clear(&h);
	ck_assert_ptr_null(h.etag);
}

UNIT(http_next_link)
{
	static const struct {
		const char *lines[3], *next;
	} cases[] = {
		{ { "HTTP/2 200" }, NULL },
		{ { "Link: <https://h/x?page=2>; rel=\"next\", <https://h/x?page=9>; rel=\"last\"" }, "https://h/x?page=2" },
		{ { "link: <https://h/x?page=1>; rel=\"prev\", <https://h/x?a=1,2&page=3>; rel=\"next\"" },
			"https://h/x?a=1,2&page=3" },
		{ { "Link: <a>;rel=next" }, "a" },
		{ { "Link: <a> ; title=\"x\" ; REL = \"last  NEXT\"" }, "a" },
		{ { "Link: <a>; rel=\"first\"", "Link: <b>; rel=\"next\"" }, "b" },
		{ { "Link: <a>; rel=\"next\"", "Link: <b>; rel=\"next\"" }, "a" },
		{ { "Link: <a>; rel=\"nextpage\", <b>; rel=\"\", <c>" }, NULL },
		{ { "Link: a; rel=next" }, NULL },
		{ { "Link: <a; rel=next" }, NULL },
		{ { "Link: <a>; rel=\"next\"", "HTTP/2 200" }, NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct http_head h = read_head(cases[i].lines);

		ck_assert_msg(h.next ? cases[i].next && strcmp(h.next, cases[i].next) == 0 : !cases[i].next,
			"%zu: %s", i, h.next ? h.next : "none");
		http_head_clear(&h);
	}
}

UNIT(http_rate_limits)
{
	static const struct {
		const char *lines[5];
		uint64_t retry_after, reset;
		bool is_limit;
	} cases[] = {
		{ { "HTTP/2 403", "x-ratelimit-remaining: 0", "X-RateLimit-Reset: 1700000000" }, 0,
			1700000000, true },
		{ { "HTTP/2 429", "X-RateLimit-Remaining: 0" }, 0, 0, true },
		{ { "HTTP/2 403", "X-RateLimit-Remaining: 1", "X-RateLimit-Reset: 5" }, 0, 5, false },
		{ { "HTTP/2 403", "X-RateLimit-Remaining: 00" }, 0, 0, false },
		{ { "HTTP/2 403", "X-RateLimit-Reset: soon" }, 0, 0, false },
		{ { "HTTP/2 403" }, 0, 0, false },
		{ { "HTTP/2 403" }, 1, 0, true }, /* of some hosts: too many at once */
		{ { "HTTP/2 429" }, 60, 0, false },
		{ { "HTTP/2 429" }, 61, 0, true },
		{ { "HTTP/2 200", "X-RateLimit-Remaining: 0" }, 0, 0, false },
		{ { "HTTP/2 503" }, 3600, 0, false },
		/* Another head is another answer. */
		{ { "HTTP/2 403", "X-RateLimit-Remaining: 0", "HTTP/2 403" }, 0, 0, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct http_head h = read_head(cases[i].lines);

		ck_assert_msg(http_head_is_limit(&h, cases[i].retry_after) == cases[i].is_limit,
			"case %zu", i);
		ck_assert_uint_eq(h.reset, cases[i].reset);
		http_head_clear(&h);
	}
}

UNIT(http_head_ranges_and_caching)
{
	static const struct {
		const char *line;
		bool has_first, has_size;
		uint64_t first, size;
		bool no_cache, no_store;
	} cases[] = {
		{ "Content-Range: bytes 0-0/1", true, true, 0, 1, false, false },
		{ "Content-Range: bytes 7-9/*", true, false, 7, 0, false, false },
		{ "Content-Range: bytes */12", false, true, 0, 12, false, false },
		{ "Content-Range: bytes", false, false, 0, 0, false, false },
		{ "Content-Range: lines 1-2/3", false, false, 0, 0, false, false },
		{ "Content-Range: bytes -5-9/10", false, true, 0, 10, false, false },
		{ "Content-Range: bytes 99999999999999999999-1/2", false, true, 0, 2, false,
			false },
		{ "Cache-Control: no-cache", false, false, 0, 0, true, false },
		{ "Cache-Control: max-age=0, must-revalidate", false, false, 0, 0, true, false },
		{ "Cache-Control: max-age=x", false, false, 0, 0, false, false },
		{ "Cache-Control: no-store, no-cache=\"x\"", false, false, 0, 0, true, true },
		{ "Content-Length: -1", false, false, 0, 0, false, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct http_head h =
			read_head((const char *const[]){ "HTTP/1.1 200 OK", cases[i].line, NULL });

		ck_assert_msg(h.has_first == cases[i].has_first && h.has_size == cases[i].has_size,
			"%s", cases[i].line);
		ck_assert_msg((!h.has_first || h.first == cases[i].first) &&
				      (!h.has_size || h.size == cases[i].size),
			"%s", cases[i].line);
		ck_assert_msg(h.no_cache == cases[i].no_cache && h.no_store == cases[i].no_store,
			"%s", cases[i].line);
		ck_assert(!h.has_length);
		http_head_clear(&h);
	}
}

UNIT(http_pauses_grow_and_obey)
{
	static const struct {
		unsigned tries;
		uint64_t after, want;
	} cases[] = {
		{ 0, 0, 250 },
		{ 1, 0, 250 },
		{ 2, 0, 500 },
		{ 3, 0, 1000 },
		{ 6, 0, 8000 },
		{ 7, 0, 8000 },
		{ 1000, 0, 8000 },
		{ 1, 3, 3000 },
		{ 6, 3, 8000 },
		{ 1, 60, 60000 },
		{ 1, 61, 60000 },
		{ 1, UINT64_MAX, 60000 },
	};
	static const long retried[] = { 408, 425, 429, 500, 502, 503, 504 };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert_uint_eq(http_pause_ms(cases[i].tries, cases[i].after), cases[i].want);
	}
	for (long status = 100, i = 0; status < 600; status++) {
		bool want = i < 7 && retried[i] == status;

		ck_assert_msg(http_status_is_retried(status) == want, "%ld", status);
		i += want;
	}
}

UNIT(http_url_forms)
{
	static const struct {
		const char *url;
		bool is_redirect;
		const char *wire, *origin, *bare;
	} cases[] = {
		{ "https://Host/a+b.whl?x=1+2#f", false, "https://Host/a%2Bb.whl?x=1+2",
			"https://host:443", "https://Host/a+b.whl?x=1+2#f" },
		{ "https://host/a+b?s=x+y", true, "https://host/a+b?s=x+y", "https://host:443",
			"https://host/a+b?s=x+y" },
		{ "http://u:p@host:8080/a b\\<>", false, "http://u:p@host:8080/a%20b%5C%3C%3E",
			"http://host:8080", "http://host:8080/a b\\<>" },
		{ "HTTP://host/\xc3\xa9", false, "HTTP://host/%C3%A9", "http://host:80",
			"HTTP://host/\xc3\xa9" },
		{ "http://[::1]:81/", false, "http://[::1]:81/", "http://[::1]:81",
			"http://[::1]:81/" },
		{ "http://[::1]/", false, "http://[::1]/", "http://[::1]:80", "http://[::1]/" },
		{ "/path", false, "/path", NULL, "/path" },
	};
	struct arena a = ARENA_INIT;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str url = str_of(cases[i].url);
		const char *origin = http_url_origin(&a, url);

		ck_assert_str_eq(http_url_wire(&a, url, cases[i].is_redirect), cases[i].wire);
		ck_assert_str_eq(origin ? origin : "", cases[i].origin ? cases[i].origin : "");
		ck_assert_str_eq(http_url_without_login(&a, url), cases[i].bare);
	}
	arena_release(&a);
}

UNIT(http_url_logins)
{
	static const struct {
		const char *url, *user, *password; /* NULL: none */
	} cases[] = {
		{ "https://me:p%40ss%3A@host/", "me", "p@ss:" },
		{ "https://token@host/", "token", "" },
		{ "https://:secret@host/", "", "secret" },
		{ "https://me:a:b@host/", "me", "a:b" },
		{ "https://host/x@y", NULL, NULL },
		{ "https://host/?u=a:b@c", NULL, NULL },
		{ "https://me:%zz@host/", NULL, NULL },
		{ "me:pass@host", NULL, NULL },
	};
	struct arena a = ARENA_INIT;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *user = NULL, *password = NULL;
		bool found = http_url_login(&a, str_of(cases[i].url), &user, &password);

		ck_assert_msg(found == (cases[i].user != NULL), "%s", cases[i].url);
		if (found) {
			ck_assert_str_eq(user, cases[i].user);
			ck_assert_str_eq(password, cases[i].password);
		}
	}
	arena_release(&a);
}

UNIT(http_hosts)
{
	static const struct {
		const char *url;
		bool trusted, loopback;
	} cases[] = {
		{ "https://one/x", true, false },
		{ "https://ONE:8443/x", true, false },
		{ "https://one.evil/x", false, false },
		{ "https://one@evil/x", false, false },
		{ "https://two:8080/", true, false },
		{ "https://two/", false, false },
		{ "https://three/", true, false },
		{ "http://three/", false, false },
		{ "http://[::1]:5/", true, true },
		{ "http://127.0.0.1:5/", false, true },
		{ "http://127.255.0.1/", false, true },
		{ "http://127.evil.example/", false, false },
		{ "http://localhost/", false, true },
		{ "http://localhost.example/", false, false },
		{ "http://10.0.0.1/", false, false },
	};
	static const char *const hosts[] = { "one", "two:8080", "three:443", "[::1]" };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str url = str_of(cases[i].url);

		ck_assert_msg(http_host_is_trusted(url, hosts, 4) == cases[i].trusted, "%s",
			cases[i].url);
		ck_assert_msg(http_host_is_loopback(url) == cases[i].loopback, "%s", cases[i].url);
	}
}

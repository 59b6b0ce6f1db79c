#include "bundle/http_wire.h"
#include "manifests/base/buf.h"
#include "manifests/base/mem.h"
#include "manifests/base/uri.h"

#include <stdlib.h>
#include <string.h>

enum { PAUSE_FIRST_MS = 250, PAUSE_MAX_MS = 8000 };

void http_head_clear(struct http_head *h)
{
	free(h->location);
	free(h->content_type);
	free(h->etag);
	free(h->last_modified);
	free(h->next);
	*h = (struct http_head){ 0 };
}

static void keep(char **to, struct str text)
{
	free(*to);
	*to = mem_alloc(text.n + 1);
	if (text.n) {
		memcpy(*to, text.p, text.n);
	}
}

/* "text/HTML; charset=utf-8" -> "text/html" */
static void keep_media_type(char **to, struct str text)
{
	keep(to, str_trim(str_first(text, str_find(text, ';'))));
	for (char *p = *to; *p; p++) {
		if (*p >= 'A' && *p <= 'Z') {
			*p = (char)(*p | 32);
		}
	}
}

/* "bytes 5-9/10", "bytes 5-9/" followed by '*', or for 416 "bytes" and '*' with the size (RFC 9110
 * section 14.4). */
static void read_content_range(struct http_head *h, struct str text)
{
	struct str range, first;

	if (!str_eq_nocase(str_first(text, 5), STR("bytes"))) {
		return;
	}
	text = str_trim(str_skip(text, 5));
	if (!str_cut(&text, '/', &range)) {
		return;
	}
	h->has_size = str_to_u64(str_trim(text), &h->size);
	if (str_cut(&range, '-', &first)) {
		h->has_first = str_to_u64(str_trim(first), &h->first);
	}
}

static void read_cache_control(struct http_head *h, struct str text)
{
	struct str piece;

	while (str_cut(&text, ',', &piece)) {
		piece = str_trim(piece);
		if (str_eq_nocase(piece, STR("no-store"))) {
			h->no_store = true;
		} else if (str_eq_nocase(str_first(piece, 8), STR("no-cache"))) {
			h->no_cache = true;
		} else if (str_eq_nocase(str_first(piece, 8), STR("max-age="))) {
			if (str_to_u64(str_skip(piece, 8), &h->max_age) && h->max_age == 0) {
				h->no_cache = true;
			}
		}
	}
}

/* Does rel="prev next", in any case, name "next"? */
static bool is_next(struct str parameters)
{
	struct str piece, word;

	while (str_cut(&parameters, ';', &piece)) {
		size_t at = str_find(piece, '=');
		struct str relations = str_trim(str_skip(piece, at + 1));

		if (!str_eq_nocase(str_trim(str_first(piece, at)), STR("rel"))) {
			continue;
		}
		if (str_starts(relations, "\"") && str_ends(relations, "\"")) {
			relations = str_trim(str_first(str_skip(relations, 1), relations.n - 2));
		}
		while (str_cut(&relations, ' ', &word)) {
			if (str_eq_nocase(word, STR("next"))) {
				return true;
			}
		}
	}
	return false;
}

/* RFC 8288: <URI>; rel="next", <URI>; rel="last". A ',' inside of <> belongs to the URI. */
static void read_link(struct http_head *h, struct str text)
{
	while (str_find(text, '<') < text.n && !h->next) {
		text = str_skip(text, str_find(text, '<') + 1);
		struct str uri = str_first(text, str_find(text, '>'));

		text = str_skip(text, uri.n + 1);
		size_t n = str_find(text, '<');
		if (is_next(str_first(text, n < text.n ? str_rfind(str_first(text, n), ',') : n))) {
			keep(&h->next, uri);
		}
	}
}

/* "HTTP/1.1 404 Not Found" */
static void read_status(struct http_head *h, struct str line)
{
	struct str word = STR_NULL;
	uint64_t status = 0;

	http_head_clear(h);
	str_cut(&line, ' ', &word);
	if (str_cut(&line, ' ', &word) && str_to_u64(word, &status) && status < 1000) {
		h->status = (long)status;
	}
}

void http_head_line(struct http_head *h, struct str line)
{
	size_t at = str_find(line, ':');
	struct str name = str_first(line, at), value = str_trim(str_skip(line, at + 1));

	if (str_starts(line, "HTTP/")) {
		read_status(h, line);
	} else if (at == line.n) {
		return;
	} else if (str_eq_nocase(name, STR("location"))) {
		keep(&h->location, value);
	} else if (str_eq_nocase(name, STR("content-type"))) {
		keep_media_type(&h->content_type, value);
	} else if (str_eq_nocase(name, STR("etag"))) {
		keep(&h->etag, value);
	} else if (str_eq_nocase(name, STR("last-modified"))) {
		keep(&h->last_modified, value);
	} else if (str_eq_nocase(name, STR("content-length"))) {
		h->has_length = str_to_u64(value, &h->length);
	} else if (str_eq_nocase(name, STR("content-range"))) {
		read_content_range(h, value);
	} else if (str_eq_nocase(name, STR("accept-ranges"))) {
		h->accepts_ranges = str_eq_nocase(value, STR("bytes"));
	} else if (str_eq_nocase(name, STR("cache-control"))) {
		read_cache_control(h, value);
	} else if (str_eq_nocase(name, STR("age"))) {
		str_to_u64(value, &h->age);
	} else if (str_eq_nocase(name, STR("link"))) {
		read_link(h, value);
	} else if (str_eq_nocase(name, STR("x-ratelimit-remaining"))) {
		h->is_used_up = str_is(value, "0");
	} else if (str_eq_nocase(name, STR("x-ratelimit-reset"))) {
		str_to_u64(value, &h->reset);
	}
}

bool http_status_is_retried(long status)
{
	static const long retried[] = { 408, 425, 429, 500, 502, 503, 504 };

	for (size_t i = 0; i < sizeof(retried) / sizeof(*retried); i++) {
		if (retried[i] == status) {
			return true;
		}
	}
	return false;
}

bool http_head_is_limit(const struct http_head *h, uint64_t retry_after_seconds)
{
	return (h->status == 403 && (h->is_used_up || retry_after_seconds)) ||
	       (h->status == 429 && (h->is_used_up || retry_after_seconds > HTTP_RETRY_AFTER_MAX));
}

bool http_status_is_redirect(long status)
{
	return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

uint64_t http_pause_ms(unsigned tries, uint64_t retry_after_seconds)
{
	uint64_t pause =
		tries > 5 ? PAUSE_MAX_MS : (uint64_t)PAUSE_FIRST_MS << (tries ? tries - 1 : 0);
	uint64_t asked =
		retry_after_seconds > HTTP_RETRY_AFTER_MAX ? HTTP_RETRY_AFTER_MAX : retry_after_seconds;

	return asked * 1000 > pause ? asked * 1000 : pause;
}

char *http_url_wire(struct arena *a, struct str url, bool is_redirect)
{
	CLEANUP_BUF struct buf out = BUF_INIT;
	bool query = false;

	url = uri_without_fragment(url);
	for (size_t i = 0; i < url.n; i++) {
		unsigned char c = (unsigned char)url.p[i];

		query = query || c == '?';
		if (c <= ' ' || c >= 0x7f || strchr("\"<>\\^`{|}", c) ||
			(c == '+' && !query && !is_redirect)) {
			buf_addf(&out, "%%%02X", (unsigned)c);
		} else {
			buf_addc(&out, (char)c);
		}
	}
	return arena_dup(a, buf_str(&out));
}

/* "user:password@host:port" of "scheme://user:password@host:port/path". */
static struct str authority_of(struct str url)
{
	struct str rest = str_skip(url, uri_scheme(url).n);
	size_t n = 0;

	if (!str_starts(rest, "://")) {
		return STR_NULL;
	}
	rest = str_skip(rest, 3);
	while (n < rest.n && !strchr("/?#", rest.p[n])) {
		n++;
	}
	return str_first(rest, n);
}

static struct str without_userinfo(struct str authority)
{
	size_t at = str_rfind(authority, '@');

	return at < authority.n ? str_skip(authority, at + 1) : authority;
}

/* What follows the host's colon; empty where there is none. */
static struct str port_of(struct str url)
{
	struct str place = without_userinfo(authority_of(url));

	return str_skip(place, uri_host(url).n + 1);
}

static char *lower(char *text)
{
	for (char *p = text; *p; p++) {
		if (*p >= 'A' && *p <= 'Z') {
			*p = (char)(*p | 32);
		}
	}
	return text;
}

char *http_url_origin(struct arena *a, struct str url)
{
	struct str scheme = uri_scheme(url), host = uri_host(url), port = port_of(url);

	if (!host.n) {
		return NULL;
	}
	if (!port.n) {
		port = str_eq_nocase(scheme, STR("https")) ? STR("443") : STR("80");
	}
	return lower(
		arena_printf(a, "%.*s://%.*s:%.*s", STR_ARG(scheme), STR_ARG(host), STR_ARG(port)));
}

bool http_url_login(struct arena *a, struct str url, const char **user, const char **password)
{
	struct str who = authority_of(url), name;
	size_t at = str_rfind(who, '@');

	if (at == who.n) {
		return false;
	}
	who = str_first(who, at);
	str_cut(&who, ':', &name);
	*user = uri_decode(a, name);
	*password = uri_decode(a, who);
	return *user && *password;
}

char *http_url_without_login(struct arena *a, struct str url)
{
	struct str who = authority_of(url);
	size_t at = str_rfind(who, '@');

	if (at == who.n) {
		return arena_dup(a, url);
	}
	struct str before = str_range(url.p, who.p),
		   after = str_range(who.p + at + 1, url.p + url.n);
	return arena_printf(a, "%.*s%.*s", STR_ARG(before), STR_ARG(after));
}

bool http_host_is_trusted(struct str url, const char *const *hosts, size_t n)
{
	struct str host = uri_host(url), port = port_of(url);

	if (!port.n) {
		port = str_eq_nocase(uri_scheme(url), STR("https")) ? STR("443") : STR("80");
	}
	for (size_t i = 0; i < n; i++) {
		struct str trusted = str_of(hosts[i]);
		size_t close = str_rfind(trusted, ']'), colon = str_rfind(trusted, ':');
		bool has_port = colon < trusted.n && (close == trusted.n || colon > close);
		struct str name = has_port ? str_first(trusted, colon) : trusted;

		if (str_eq_nocase(name, host) &&
			(!has_port || str_eq(str_skip(trusted, colon + 1), port))) {
			return true;
		}
	}
	return false;
}

bool http_host_is_loopback(struct str url)
{
	struct str host = uri_host(url), piece;
	uint64_t part;

	if (str_eq_nocase(host, STR("localhost")) || str_is(host, "[::1]")) {
		return true;
	}
	if (!str_starts(host, "127.")) {
		return false;
	}
	while (str_cut(&host, '.', &piece)) {
		if (!str_to_u64(piece, &part) || part > 255) {
			return false;
		}
	}
	return true;
}

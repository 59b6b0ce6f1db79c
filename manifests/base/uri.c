#include "manifests/base/uri.h"

#include <string.h>

static bool is_unreserved(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c && strchr("-._~", c));
}

void uri_encode(struct buf *out, struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (is_unreserved(s.p[i]) || s.p[i] == '/') {
			buf_addc(out, s.p[i]);
		} else {
			buf_addf(out, "%%%02X", (unsigned)(unsigned char)s.p[i]);
		}
	}
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9') {
		return c - '0';
	}
	c = (char)(c | 32);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

char *uri_decode(struct arena *a, struct str s)
{
	char *out = arena_alloc(a, s.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] != '%') {
			out[n++] = s.p[i];
			continue;
		}
		int high = i + 2 < s.n ? hex_value(s.p[i + 1]) : -1;
		int low = i + 2 < s.n ? hex_value(s.p[i + 2]) : -1;
		if (high < 0 || low < 0 || (high == 0 && low == 0)) {
			return NULL;
		}
		out[n++] = (char)(high << 4 | low);
		i += 2;
	}
	return out;
}

struct str uri_scheme(struct str url)
{
	size_t n = str_find(url, ':');

	if (n == url.n || n == 0) {
		return STR_NULL;
	}
	for (size_t i = 0; i < n; i++) {
		char c = (char)(url.p[i] | 32);
		bool digit = (url.p[i] >= '0' && url.p[i] <= '9') || strchr("+-.", url.p[i]);

		if (!(c >= 'a' && c <= 'z') && !(i && digit)) {
			return STR_NULL;
		}
	}
	return str_first(url, n);
}

/* What stands between "scheme://" and the path, or the empty slice. */
static struct str authority(struct str url)
{
	struct str scheme = uri_scheme(url);
	struct str rest = str_skip(url, scheme.n ? scheme.n + 1 : 0);

	if (!str_starts(rest, "//")) {
		return STR_NULL;
	}
	rest = str_skip(rest, 2);
	size_t n = 0;
	while (n < rest.n && !strchr("/?#", rest.p[n])) {
		n++;
	}
	return str_first(rest, n);
}

struct str uri_host(struct str url)
{
	struct str host = authority(url);
	size_t at = str_rfind(host, '@');

	if (at < host.n) {
		host = str_skip(host, at + 1);
	}
	if (str_starts(host, "[")) {
		size_t close = str_find(host, ']');
		return str_first(host, close < host.n ? close + 1 : host.n);
	}
	return str_first(host, str_find(host, ':'));
}

struct str uri_without_fragment(struct str url)
{
	return str_first(url, str_find(url, '#'));
}

struct str uri_path(struct str url)
{
	struct str scheme = uri_scheme(url), who = authority(url);
	struct str rest = who.p ? str_range(who.p + who.n, url.p + url.n)
				: str_skip(url, scheme.n ? scheme.n + 1 : 0);

	rest = uri_without_fragment(rest);
	return str_first(rest, str_find(rest, '?'));
}

struct str uri_last_segment(struct str url)
{
	struct str path = uri_path(url);
	size_t at = str_rfind(path, '/');

	return at < path.n ? str_skip(path, at + 1) : path;
}

/* With `login` in place of what stands before the '@', if anything does. */
static char *with_login(struct arena *a, struct str url, const char *login)
{
	struct str who = authority(url);
	size_t at = str_rfind(who, '@');

	if (at == who.n) {
		return arena_dup(a, url);
	}
	struct str before = str_range(url.p, who.p);
	struct str after = str_range(who.p + at + 1, url.p + url.n);
	return arena_printf(a, "%.*s%s%.*s", STR_ARG(before), login, STR_ARG(after));
}

char *uri_redact(struct arena *a, struct str url)
{
	return with_login(a, url, "***@");
}

char *uri_without_login(struct arena *a, struct str url)
{
	return with_login(a, url, "");
}

/* RFC 3986 section 5.2.4, on a path that begins with '/'. */
static void remove_dots(struct buf *out, struct str path)
{
	struct str rest = str_skip(path, 1), piece;

	while (str_cut(&rest, '/', &piece)) {
		bool last = rest.p == NULL;

		if (str_is(piece, "..")) {
			while (out->n && out->p[--out->n] != '/') {
			}
			if (out->p) {
				out->p[out->n] = '\0';
			}
		}
		if (str_is(piece, ".") || str_is(piece, "..")) {
			if (last) {
				buf_addc(out, '/');
			}
			continue;
		}
		buf_addc(out, '/');
		buf_addstr(out, piece);
	}
	if (out->n == 0) {
		buf_addc(out, '/');
	}
}

static size_t path_length(struct str s)
{
	size_t n = 0;

	while (n < s.n && s.p[n] != '?' && s.p[n] != '#') {
		n++;
	}
	return n;
}

char *uri_resolve(struct arena *a, struct str base, struct str link)
{
	CLEANUP_BUF struct buf path = BUF_INIT, clean = BUF_INIT;
	struct str scheme = uri_scheme(base);

	link = str_trim(link);
	if (!scheme.n) {
		return NULL;
	}
	if (uri_scheme(link).n) {
		return arena_dup(a, link);
	}
	if (str_starts(link, "//")) {
		return arena_printf(a, "%.*s:%.*s", STR_ARG(scheme), STR_ARG(link));
	}
	base = uri_without_fragment(base);
	struct str who = authority(base);
	struct str root = str_first(base, scheme.n + 1);
	if (str_starts(str_skip(base, root.n), "//")) {
		root = str_first(base, root.n + 2 + who.n);
	}
	struct str base_path = str_skip(base, root.n);
	if (link.n == 0 || link.p[0] == '#') {
		return arena_printf(a, "%.*s%.*s", STR_ARG(base), STR_ARG(link));
	}
	base_path = str_first(base_path, path_length(base_path));
	struct str link_path = str_first(link, path_length(link));
	struct str tail = str_skip(link, link_path.n);
	if (link_path.n == 0) {
		buf_addstr(&path, base_path);
	} else if (link_path.p[0] == '/') {
		buf_addstr(&path, link_path);
	} else {
		size_t at = str_rfind(base_path, '/');

		buf_addstr(&path, at < base_path.n ? str_first(base_path, at + 1) : STR("/"));
		buf_addstr(&path, link_path);
	}
	remove_dots(&clean, buf_str(&path));
	return arena_printf(a, "%.*s%.*s%.*s", STR_ARG(root), STR_ARG(buf_str(&clean)), STR_ARG(tail));
}

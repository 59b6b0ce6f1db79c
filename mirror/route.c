#include "mirror/route.h"

#include <string.h>

enum { SEGMENTS_MAX = 6 };

struct path {
	struct str segment[SEGMENTS_MAX];
	size_t n;
	bool has_slash; /* at its end */
};

static int hex_value(char c)
{
	if (c >= '0' && c <= '9') {
		return c - '0';
	}
	if (c >= 'a' && c <= 'f') {
		return c - 'a' + 10;
	}
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool is_plain(int c)
{
	return c > 0x20 && c < 0x7f && c != '\\' && c != '#';
}

/* The byte at *i of the raw text, decoded; -1 where it is not allowed. Moves *i behind it. */
static int decode_byte(struct str raw, size_t *i)
{
	char c = raw.p[*i];

	if (c != '%') {
		(*i)++;
		return is_plain((unsigned char)c) ? c : -1;
	}
	int high = *i + 2 < raw.n ? hex_value(raw.p[*i + 1]) : -1;
	int low = *i + 2 < raw.n ? hex_value(raw.p[*i + 2]) : -1;
	*i += 3;
	if (high < 0 || low < 0) {
		return -1;
	}
	int value = high << 4 | low;
	return is_plain(value) && value != '/' ? value : -1;
}

static bool is_dots(struct str s)
{
	return str_is(s, ".") || str_is(s, "..");
}

/* Decodes one segment to *to. */
static bool decode_segment(struct str raw, char **to, const char *end, struct str *out)
{
	char *begin = *to;

	for (size_t i = 0; i < raw.n;) {
		int c = decode_byte(raw, &i);

		if (c < 0 || *to == end) {
			return false;
		}
		*(*to)++ = (char)c;
	}
	*out = str_range(begin, *to);
	return !is_dots(*out);
}

/* False: not allowed. More segments than any place of ours has are counted, not kept. */
static bool split(struct str raw, struct route *r, struct path *out)
{
	char *to = r->text;
	const char *end = r->text + sizeof(r->text);
	struct str rest = str_skip(raw, 1), piece, decoded;

	*out = (struct path){ .n = 0 };
	while (str_cut(&rest, '/', &piece)) {
		if (!decode_segment(piece, &to, end, &decoded)) {
			return false;
		}
		if (piece.n == 0 && rest.p == NULL) {
			out->has_slash = true;
			break;
		}
		if (out->n < SEGMENTS_MAX) {
			out->segment[out->n] = decoded;
		}
		out->n++;
	}
	return true;
}

/* A folder of ours: with its '/' it is the place, without it the way there. */
static void folder(struct route *r, const struct path *p, enum route_kind kind)
{
	r->last = p->segment[p->n - 1];
	r->kind = p->has_slash ? kind : ROUTE_SLASH;
}

/* What /simple/ and /flat/ mean, for all or below a target; `at` is the segment of their name. */
static void index_route(struct route *r, const struct path *p, size_t at)
{
	if (p->n == at + 1) {
		folder(r, p, str_is(p->segment[at], "flat") ? ROUTE_FLAT : ROUTE_ROOT);
	} else if (p->n == at + 2 && str_is(p->segment[at], "simple") && p->segment[at + 1].n) {
		r->kind = ROUTE_PROJECT;
		r->project = r->last = p->segment[at + 1];
		r->has_slash = p->has_slash;
	}
}

static void target_route(struct route *r, const struct path *p)
{
	static const struct {
		const char *name;
		enum route_kind kind;
	} text[] = {
		{ "pip.conf", ROUTE_PIP_CONF },
		{ "uv.toml", ROUTE_UV_TOML },
		{ "requirements.txt", ROUTE_REQUIREMENTS },
	};

	if (p->n < 2 || p->segment[1].n == 0) {
		return;
	}
	r->target = p->segment[1];
	if (p->n == 2) {
		folder(r, p, ROUTE_TARGET);
		return;
	}
	if (str_is(p->segment[2], "simple") || str_is(p->segment[2], "flat")) {
		index_route(r, p, 2);
		return;
	}
	for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++) {
		if (p->n == 3 && !p->has_slash && str_is(p->segment[2], text[i].name)) {
			r->kind = text[i].kind;
		}
	}
}

static bool is_lower_hex(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (!(s.p[i] >= '0' && s.p[i] <= '9') && !(s.p[i] >= 'a' && s.p[i] <= 'f')) {
			return false;
		}
	}
	return s.n == DIGEST_HEX;
}

static void file_route(struct route *r, const struct path *p)
{
	static const char suffix[] = ".metadata";
	struct err ignored = ERR_INIT;

	if (p->n != 3 || p->has_slash || p->segment[2].n == 0 || !is_lower_hex(p->segment[1]) ||
		digest_parse(p->segment[1], &r->digest, &ignored)) {
		return;
	}
	r->file = p->segment[2];
	r->kind = ROUTE_FILE;
	if (str_ends(r->file, suffix)) {
		r->file = str_first(r->file, r->file.n - strlen(suffix));
		r->kind = ROUTE_METADATA;
	}
}

static void known_route(struct route *r, const struct path *p)
{
	struct str first = p->n ? p->segment[0] : STR_NULL;

	if (p->n == 0) {
		r->kind = ROUTE_HOME;
	} else if (str_is(first, "t")) {
		target_route(r, p);
	} else if (str_is(first, "files")) {
		file_route(r, p);
	} else if (str_is(first, "simple") || str_is(first, "flat")) {
		index_route(r, p, 0);
	} else if (p->n == 1 && !p->has_slash && str_is(first, "healthz")) {
		r->kind = ROUTE_HEALTH;
	} else if (p->n == 1 && !p->has_slash && str_is(first, "metrics")) {
		r->kind = ROUTE_METRICS;
	}
}

void route_parse(struct str raw, struct route *out)
{
	struct path p;

	out->kind = ROUTE_BAD;
	out->target = out->project = out->file = out->last = STR_NULL;
	out->has_slash = false;
	if (raw.n == 0 || raw.p[0] != '/') {
		return;
	}
	raw = str_first(raw, str_find(raw, '?'));
	if (!split(raw, out, &p)) {
		return;
	}
	out->kind = ROUTE_NONE;
	if (p.n <= SEGMENTS_MAX) {
		known_route(out, &p);
	}
}

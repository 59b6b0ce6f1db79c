/* The header of METADATA and PKG-INFO is read as Python's mail parser reads it, because installers
 * do: a field is NAME ":" VALUE, a line that begins with a blank goes on with the value before it
 * (RFC 822 section 3.1.1), and the first line that is neither ends the header, as an empty one. */
#include "manifests/core_metadata.h"
#include "manifests/base/vec.h"
#include "manifests/limits.h"
#include "manifests/name.h"

#include <inttypes.h>

struct header {
	struct str name;
	struct str value; /* without the blanks around it, lines joined by one space */
	struct str first_line;
};

struct metadata_reader {
	struct arena *arena;
	struct str rest;
	struct core_metadata core;
	struct str license_text; /* License, where there is no License-Expression */
	VEC(struct str) requires_dist;
	VEC(struct str) provides_extra;
	struct err *err;
};

/* A line ends with LF, CR LF or, in files of old tools, CR. */
static struct str peek_line(struct str text, size_t *taken)
{
	size_t n = 0;

	while (n < text.n && text.p[n] != '\n' && text.p[n] != '\r') {
		n++;
	}
	struct str end = str_skip(text, n);
	*taken = n + (str_starts(end, "\r\n") ? 2 : end.n ? 1 : 0);
	return str_first(text, n);
}

static bool is_continuation(struct str line)
{
	return line.n && (line.p[0] == ' ' || line.p[0] == '\t');
}

/* A field's name is printable ASCII without blanks. */
static bool is_field(struct str line, size_t *colon)
{
	*colon = str_find(line, ':');
	for (size_t i = 0; i < *colon; i++) {
		if (line.p[i] <= ' ' || line.p[i] > '~') {
			return false;
		}
	}
	return *colon < line.n;
}

static struct str unfold(struct metadata_reader *r, struct str value)
{
	CLEANUP_BUF struct buf joined = BUF_INIT;
	size_t taken;

	buf_addstr(&joined, value);
	for (struct str line = peek_line(r->rest, &taken); is_continuation(line);
		line = peek_line(r->rest, &taken)) {
		line = str_trim(line);
		if (line.n && joined.n) {
			buf_addc(&joined, ' ');
		}
		buf_addstr(&joined, line);
		r->rest = str_skip(r->rest, taken);
	}
	return arena_str(r->arena, buf_str(&joined));
}

/* The next field, or false at the end of the header. */
static bool next_header(struct metadata_reader *r, struct header *out)
{
	size_t taken, colon;
	struct str line = peek_line(r->rest, &taken);

	if (!is_field(line, &colon)) {
		return false;
	}
	r->rest = str_skip(r->rest, taken);
	out->name = str_first(line, colon);
	out->first_line = out->value = str_trim(str_skip(line, colon + 1));
	if (is_continuation(peek_line(r->rest, &taken))) {
		out->value = unfold(r, out->value);
	}
	return true;
}

/* Fields that stand once: clients do not agree on which of two different values counts. */
static int keep_once(struct metadata_reader *r, const struct header *h, struct str *to)
{
	if (to->n && !str_eq(*to, h->value)) {
		struct str had = str_first(*to, 100), has = str_first(h->value, 100);

		return err_set(r->err, RC_WHEEL,
			"core metadata: %.*s is both \"%.*s\" and \"%.*s\"", STR_ARG(h->name),
			STR_ARG(had), STR_ARG(has));
	}
	*to = h->value;
	return 0;
}

static void keep_first(struct str value, struct str *to)
{
	/* Old setuptools wrote UNKNOWN where nothing was said. */
	if (to->n == 0 && !str_is(value, "UNKNOWN")) {
		*to = value;
	}
}

static int keep_header(struct metadata_reader *r, const struct header *h)
{
	struct core_metadata *core = &r->core;

	if (str_eq_nocase(h->name, STR("Name"))) {
		return keep_once(r, h, &core->name);
	}
	if (str_eq_nocase(h->name, STR("Version"))) {
		return keep_once(r, h, &core->version);
	}
	if (str_eq_nocase(h->name, STR("Requires-Python"))) {
		return keep_once(r, h, &core->requires_python);
	}
	if (str_eq_nocase(h->name, STR("Metadata-Version"))) {
		keep_first(h->value, &core->metadata_version);
	} else if (str_eq_nocase(h->name, STR("Requires-Dist"))) {
		vec_push(&r->requires_dist, h->value);
	} else if (str_eq_nocase(h->name, STR("Provides-Extra"))) {
		vec_push(&r->provides_extra, h->value);
	} else if (str_eq_nocase(h->name, STR("License-Expression"))) {
		keep_first(h->value, &core->license);
	} else if (str_eq_nocase(h->name, STR("License"))) {
		keep_first(h->first_line, &r->license_text);
	} else if (str_eq_nocase(h->name, STR("Summary"))) {
		keep_first(h->value, &core->summary);
	} else if (str_eq_nocase(h->name, STR("Dynamic"))) {
		core->is_dynamic_requires |= str_eq_nocase(h->value, STR("Requires-Dist"));
	}
	return 0;
}

static struct str *strs_dup(struct arena *a, const struct str *v, size_t n)
{
	struct str *copy = arena_array(a, n + 1, sizeof(*copy));

	for (size_t i = 0; i < n; i++) {
		copy[i] = v[i];
	}
	return copy;
}

static void finish(struct metadata_reader *r)
{
	struct core_metadata *core = &r->core;

	if (core->license.n == 0) {
		core->license = r->license_text;
	}
	core->requires_dist = strs_dup(r->arena, r->requires_dist.v, r->requires_dist.n);
	core->nrequires_dist = r->requires_dist.n;
	core->provides_extra = strs_dup(r->arena, r->provides_extra.v, r->provides_extra.n);
	core->nprovides_extra = r->provides_extra.n;
}

static int check(const struct core_metadata *core, struct err *e)
{
	if (core->name.n == 0 || core->version.n == 0) {
		return err_set(e, RC_WHEEL, "core metadata: the field %s is missing",
			core->name.n == 0 ? "Name" : "Version");
	}
	if (!name_is_valid(core->name)) {
		struct str shown = str_first(core->name, 100);

		return err_set(e, RC_WHEEL, "core metadata: Name \"%.*s\" is no project name",
			STR_ARG(shown));
	}
	return 0;
}

static int read_headers(struct metadata_reader *r)
{
	struct header h;
	int rc = 0;

	unfold(r, STR_NULL); /* blanks before the first field go on with nothing */
	while (!rc && next_header(r, &h)) {
		rc = keep_header(r, &h);
	}
	return rc ? rc : check(&r->core, r->err);
}

int core_metadata_parse(struct arena *a, struct str text, struct core_metadata *out, struct err *e)
{
	struct metadata_reader r = { .arena = a, .rest = text, .err = e };

	if (text.n > LIMIT_METADATA) {
		return err_set(e, RC_LIMIT, "core metadata: %zu bytes, limit %" PRIu64, text.n,
			(uint64_t)LIMIT_METADATA);
	}
	if (str_starts(text, "\xEF\xBB\xBF")) { /* a byte order mark */
		r.rest = str_skip(text, 3);
	}
	int rc = read_headers(&r);
	if (!rc) {
		finish(&r);
		*out = r.core;
	}
	vec_release(&r.requires_dist);
	vec_release(&r.provides_extra);
	return rc;
}

/* requirements.txt as pip 26 reads it: the files that a file includes, and the options that say
 * where packages come from. */
#include "manifests/lock_requirements.h"
#include "manifests/base/fs.h"
#include "manifests/base/uri.h"
#include "manifests/limits.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 32, FILES_MAX = 1000 };

struct requirements_reader {
	struct lock *l;
	struct requirements all;
	VEC(struct str) extra_indexes, find_links;
	uint64_t bytes; /* of all files so far */
	unsigned nfiles;
	struct err *err;
};

static int read_text(
	struct requirements_reader *r, const struct requirements_source *source, struct str text);

/* ---- where packages come from ---- */

static bool has_url_scheme(struct str text)
{
	struct str scheme = uri_scheme(text);

	return str_eq_nocase(scheme, STR("http")) || str_eq_nocase(scheme, STR("https")) ||
	       str_eq_nocase(scheme, STR("file"));
}

/* A path counts from the file that it stands in, or, as for pip, from the working folder. */
static int place_of(struct requirements_reader *r, const struct requirements_source *source,
	const struct toml *at, struct str value, struct str *out)
{
	struct arena *a = &r->l->arena;
	bool is_file = str_eq_nocase(uri_scheme(value), STR("file"));

	if (has_url_scheme(value)) {
		if (is_file ? !str_starts(value, "file:///") : uri_host(value).n == 0) {
			lock_fail(at, r->err, RC_INVALID, "\"%.300s\" is not a URL",
				uri_redact(a, value));
			return err_hint(
				r->err, "https://host/path, http://host/path or file:///path");
		}
		*out = arena_str(a, value);
		return 0;
	}
	if (str_has(value, "://")) {
		return lock_fail(at, r->err, RC_INVALID,
			"\"%.300s\" is not a place that files are "
			"fetched from",
			uri_redact(a, value));
	}
	const char *beside =
		arena_printf(a, "%s/%.*s", fs_dirname(a, source->path.p), STR_ARG(value));
	bool is_beside = value.p[0] == '/' || fs_exists(beside);
	if (lock_path_url(
		    a, is_beside ? source->path : STR("."), value, LOCK_PATH_ANY, out, r->err)) {
		return lock_wrap(at, r->err);
	}
	return 0;
}

/* pip forgets the indexes before an --index-url, and all of them for good at --no-index. */
static int read_index(struct requirements_reader *r, const struct requirements_source *source,
	const struct requirements_line *line, const struct requirements_given *o)
{
	struct lock *l = r->l;
	struct toml at = requirements_at(line, o->at, o->value);
	struct str url = STR_NULL;

	if (o->option == REQUIREMENTS_NO_INDEX) {
		l->no_index = true;
		l->index_url = STR_NULL;
		r->extra_indexes.n = 0;
		return 0;
	}
	if (place_of(r, source, &at, o->value, &url)) {
		return -(int)r->err->rc;
	}
	if (o->option == REQUIREMENTS_FIND_LINKS) {
		vec_push(&r->find_links, url);
	} else if (!l->no_index && o->option == REQUIREMENTS_EXTRA_INDEX_URL) {
		vec_push(&r->extra_indexes, url);
	} else if (!l->no_index) {
		l->index_url = url;
		r->extra_indexes.n = 0;
	}
	return 0;
}

/* ---- included files ---- */

static int check_chain(struct requirements_reader *r, const struct requirements_source *source,
	const struct toml *at)
{
	for (const struct requirements_source *s = source->parent; s && source->real;
		s = s->parent) {
		if (s->real && strcmp(s->real, source->real) == 0) {
			return lock_fail(at, r->err, RC_INVALID, "%.*s includes itself",
				STR_ARG(source->path));
		}
	}
	if (source->depth > DEPTH_MAX || r->nfiles == FILES_MAX) {
		return lock_fail(at, r->err, RC_LIMIT,
			"%.*s: files within files are read %d deep, and %d of them",
			STR_ARG(source->path), DEPTH_MAX, FILES_MAX);
	}
	r->nfiles++;
	return 0;
}

/* A path as short as it can be, for messages. */
static struct str without_dot(struct str s)
{
	while (str_starts(s, "./")) {
		s = str_skip(s, 2);
	}
	return s;
}

static int include_path(struct requirements_reader *r, const struct requirements_source *source,
	const struct toml *at, struct str value, const char **out)
{
	struct arena *a = &r->l->arena;
	struct str scheme = uri_scheme(value);

	if (str_eq_nocase(scheme, STR("file"))) {
		*out = uri_decode(a, uri_path(value));
		return *out && **out == '/'
			       ? 0
			       : lock_fail(at, r->err, RC_INVALID, "\"%.*s\" is not a file's URL",
					 STR_ARG(str_first(value, 300)));
	}
	if (str_has(value, "://")) {
		lock_fail(at, r->err, RC_UNSUPPORTED, "%.300s is not on this machine",
			uri_redact(a, value));
		return err_hint(r->err, "download it, look at it, and name the copy");
	}
	*out = value.p[0] == '/' ? arena_dup(a, value)
				 : arena_printf(a, "%s/%.*s", fs_dirname(a, source->path.p),
					   STR_ARG(without_dot(value)));
	return 0;
}

static int include(struct requirements_reader *r, const struct requirements_source *source,
	const struct requirements_line *line, const struct requirements_given *o)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct requirements_source *s = arena_array(&r->l->arena, 1, sizeof(*s));
	struct toml at = requirements_at(line, o->at, STR_NULL);
	const char *path = NULL;

	if (include_path(r, source, &at, o->value, &path)) {
		return -(int)r->err->rc;
	}
	CLEANUP(free) char *real = realpath(path, NULL);
	*s = (struct requirements_source){ .path = without_dot(str_of(path)),
		.parent = source,
		.from = at,
		.real = real ? arena_dup(&r->l->arena, str_of(real)) : NULL,
		.depth = source->depth + 1,
		.is_constraint = o->option == REQUIREMENTS_CONSTRAINT };
	if (check_chain(r, s, &at)) {
		return -(int)r->err->rc;
	}
	if (fs_read(s->path.p, LIMIT_LOCK - r->bytes, &text, r->err)) {
		return lock_wrap(&at, r->err);
	}
	if (read_text(r, s, arena_str(&r->l->arena, buf_str(&text)))) {
		err_wrap(r->err, "%.*s", STR_ARG(s->path));
		return lock_wrap(&at, r->err);
	}
	return 0;
}

/* ---- lines ---- */

static int read_requirement(struct requirements_reader *r, const struct requirements_source *source,
	const struct requirements_line *line, struct str text,
	const struct requirements_options *options)
{
	struct requirements_list *list =
		source->is_constraint ? &r->all.constraints : &r->all.wanted;
	struct requirements_entry entry;

	if (requirements_entry(r->l, source, line, text, options, &entry, r->err)) {
		return -(int)r->err->rc;
	}
	if (source->is_constraint && (entry.refused || entry.file.url.n || entry.req.nextras)) {
		lock_fail(&entry.at, r->err, RC_UNSUPPORTED,
			"a constraint that is not a name and versions");
		return err_hint(r->err, "name files and extras in the requirements");
	}
	if (list->n == LIMIT_CLOSURE) {
		return lock_fail(
			&entry.at, r->err, RC_LIMIT, "more than %d requirements", LIMIT_CLOSURE);
	}
	vec_push(list, entry);
	return 0;
}

static int refuse_editable(struct requirements_reader *r, const struct toml *at, struct str what)
{
	lock_fail(at, r->err, RC_UNSUPPORTED,
		"-e %.300s: a project to be edited in place is not a file that can be carried",
		uri_redact(&r->l->arena, str_first(what, 300)));
	return requirements_hint_build(r->err);
}

static int read_option(struct requirements_reader *r, const struct requirements_source *source,
	const struct requirements_line *line, const struct requirements_given *o)
{
	struct toml at = requirements_at(line, o->at, STR_NULL);

	switch (o->option) {
	case REQUIREMENTS_INDEX_URL:
	case REQUIREMENTS_EXTRA_INDEX_URL:
	case REQUIREMENTS_NO_INDEX:
	case REQUIREMENTS_FIND_LINKS:
		return read_index(r, source, line, o);
	case REQUIREMENTS_FILE:
	case REQUIREMENTS_CONSTRAINT:
		return include(r, source, line, o);
	case REQUIREMENTS_EDITABLE:
		return refuse_editable(r, &at, o->value);
	case REQUIREMENTS_HASH:
		lock_fail(&at, r->err, RC_SYNTAX, "--hash without a requirement before it");
		return err_hint(r->err, "a back-slash ends the line before; a comment line ends "
					"what is continued");
	case REQUIREMENTS_REQUIRE_HASHES:
		r->all.require_hashes = true;
		break;
	case REQUIREMENTS_NO_REQUIRE_HASHES:
		r->all.no_require_hashes = true;
		break;
	case REQUIREMENTS_IGNORED:
		break;
	}
	return 0;
}

/* Of several -r, -c, -f and -e in one line pip takes one and forgets the others, and all else
 * beside -r and -c. */
static int check_alone(struct requirements_reader *r, const struct requirements_line *line,
	const struct requirements_options *options)
{
	for (size_t i = 0; i < options->n && options->n > 1; i++) {
		const struct requirements_given *o = &options->v[i];
		struct toml at = requirements_at(line, o->at, STR_NULL);

		if (o->option == REQUIREMENTS_FILE || o->option == REQUIREMENTS_CONSTRAINT ||
			o->option == REQUIREMENTS_FIND_LINKS ||
			o->option == REQUIREMENTS_EDITABLE) {
			lock_fail(&at, r->err, RC_SYNTAX, "%s shares its line with other options",
				o->name);
			return err_hint(r->err, "pip would forget some of them: write each into a "
						"line of its own");
		}
	}
	return 0;
}

static int read_line(struct requirements_reader *r, const struct requirements_source *source,
	const struct requirements_line *line)
{
	struct requirements_options options = { .v = NULL };
	struct str text = STR_NULL;
	int status = requirements_split(&r->l->arena, line, &text, &options, r->err);

	if (!status && text.n) {
		status = read_requirement(r, source, line, text, &options);
	} else if (!status) {
		status = check_alone(r, line, &options);
		for (size_t i = 0; !status && i < options.n; i++) {
			status = read_option(r, source, line, &options.v[i]);
		}
	}
	vec_release(&options);
	return status;
}

static int read_text(
	struct requirements_reader *r, const struct requirements_source *source, struct str text)
{
	struct requirements_text lines;
	struct requirements_line line;
	int status = requirements_open(&r->l->arena, text, &lines, r->err);

	r->bytes += text.n;
	while (!status) {
		status = requirements_next(&lines, &line, r->err);
		if (status || line.text.n == 0) {
			break;
		}
		status = read_line(r, source, &line);
	}
	return status;
}

/* ---- the whole ---- */

static void keep_places(struct requirements_reader *r)
{
	struct lock *l = r->l;

	l->extra_index_urls = arena_strs(&l->arena, r->extra_indexes.v, r->extra_indexes.n);
	l->nextra_index_urls = r->extra_indexes.n;
	l->find_links = arena_strs(&l->arena, r->find_links.v, r->find_links.n);
	l->nfind_links = r->find_links.n;
}

int lock_requirements_read(
	struct lock *l, struct str text, const struct lock_options *o, struct err *e)
{
	struct requirements_reader r = { .l = l, .err = e };
	CLEANUP(free) char *real = realpath(l->path.p, NULL);
	struct requirements_source source = { .path = l->path, .real = real };

	(void)o; /* extras and groups are refused before */
	int status = read_text(&r, &source, text);
	status = status ? status : requirements_rows(l, &r.all, e);
	if (!status) {
		keep_places(&r);
	}
	vec_release(&r.all.wanted);
	vec_release(&r.all.constraints);
	vec_release(&r.extra_indexes);
	vec_release(&r.find_links);
	return status;
}

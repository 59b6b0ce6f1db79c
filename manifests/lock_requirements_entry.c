/* requirements.txt, one requirement: what PEP 508 writes, and the URLs and paths that pip takes
 * beside it. */
#include "manifests/lock_requirements.h"
#include "manifests/base/uri.h"

#include <string.h>

struct entry_reader {
	struct lock *l;
	const struct requirements_line *line;
	struct requirements_entry *out;
	struct err *err;
};

int requirements_hint_build(struct err *e)
{
	return err_hint(e,
		"build a wheel of it and name that (./dist/NAME-VERSION-py3-none-any.whl), or "
		"leave it out: `uv export --no-emit-project --no-emit-local`");
}

/* ---- hashes ---- */

static int read_hash(
	struct entry_reader *r, struct str text, const struct toml *at, struct digest *out)
{
	if (digest_parse(text, out, r->err)) {
		return lock_wrap(at, r->err);
	}
	return 0;
}

static bool has_hash(const struct requirements_entry *entry, const struct digest *hash)
{
	for (size_t i = 0; i < entry->nhashes; i++) {
		if (digest_eq(&entry->hashes[i], hash)) {
			return true;
		}
	}
	return false;
}

static int refuse_algorithms(struct entry_reader *r, const struct toml *at, struct str algorithm)
{
	lock_fail(at, r->err, RC_INVALID, "%.*s has a hash by %.*s, and none by sha256",
		STR_ARG(str_first(r->out->at.text, 200)), STR_ARG(str_first(algorithm, 40)));
	return err_hint(r->err, "add --hash=sha256:..., the digest that an index gives");
}

/* "sha256:HEX"; the other strong algorithms of pip may stand beside it. */
static int read_hashes(struct entry_reader *r, const struct requirements_options *options)
{
	struct requirements_entry *out = r->out;
	struct str other = STR_NULL;

	out->hashes = arena_array(&r->l->arena, options->n, sizeof(*out->hashes));
	for (size_t i = 0; i < options->n; i++) {
		const struct requirements_given *o = &options->v[i];
		struct toml at = requirements_at(r->line, o->at, STR_NULL);
		struct str hex = o->value, algorithm = STR_NULL;

		if (o->option != REQUIREMENTS_HASH) {
			continue;
		}
		out->has_hash_option = true;
		if (str_find(hex, ':') == hex.n) {
			return lock_fail(&at, r->err, RC_INVALID,
				"--hash=%.*s: an algorithm and a digest are needed, as sha256:...",
				STR_ARG(str_first(hex, 100)));
		}
		str_cut(&hex, ':', &algorithm);
		if (!str_is(algorithm, "sha256")) {
			other = algorithm;
			continue;
		}
		if (read_hash(r, hex, &at, &out->hashes[out->nhashes])) {
			return -(int)r->err->rc;
		}
		out->nhashes++;
	}
	return other.n && !out->nhashes ? refuse_algorithms(r, &out->at, other) : 0;
}

static bool is_algorithm(struct str key)
{
	static const char *const known[] = { "sha1", "sha224", "sha384", "sha512", "md5" };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (str_is(key, known[i])) {
			return true;
		}
	}
	return false;
}

/* "#sha256=HEX" narrows what --hash promises. */
static int add_fragment_hash(struct entry_reader *r, struct str hex)
{
	struct requirements_entry *out = r->out;
	struct digest *hash = arena_array(&r->l->arena, 1, sizeof(*hash));

	if (read_hash(r, hex, &out->at, hash)) {
		return -(int)r->err->rc;
	}
	if (out->nhashes && !has_hash(out, hash)) {
		return lock_fail(&out->at, r->err, RC_INVALID,
			"the hash behind the URL's '#' is none of those that --hash gives");
	}
	out->hashes = hash;
	out->nhashes = 1;
	return 0;
}

/* "sha256=...&egg=name&subdirectory=..." */
static int read_fragment(struct entry_reader *r, struct str fragment)
{
	struct str piece, other = STR_NULL;
	bool has_sha256 = false;

	while (str_cut(&fragment, '&', &piece)) {
		struct str value = piece, key = STR_NULL;

		str_cut(&value, '=', &key);
		if (str_is(key, "sha256")) {
			has_sha256 = true;
			if (add_fragment_hash(r, value)) {
				return -(int)r->err->rc;
			}
		} else if (is_algorithm(key)) {
			other = key;
		} else if (str_is(key, "subdirectory")) {
			r->out->refused = "a project in a folder of an archive";
		}
	}
	if (other.n && !has_sha256 && !r->out->nhashes) {
		return refuse_algorithms(r, &r->out->at, other);
	}
	return 0;
}

/* ---- direct files ---- */

static bool is_version_control(struct str scheme)
{
	static const char *const known[] = { "git", "hg", "svn", "bzr", "ssh" };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (str_is(scheme, known[i])) {
			return true;
		}
	}
	return str_find(scheme, '+') < scheme.n;
}

/* The endings by which pip knows a file that can be installed. */
static bool is_archive(struct str path)
{
	static const char *const known[] = { ".whl", ".zip", ".tar", ".tgz", ".tbz", ".txz", ".tlz",
		".tar.gz", ".tar.bz2", ".tar.xz", ".tar.lz", ".tar.lzma", ".tar.Z" };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (str_ends(path, known[i])) {
			return true;
		}
	}
	return false;
}

/* A bare URL or path is of the project that its file is called after. */
static int read_name(struct entry_reader *r, const struct toml *at, struct dist_name *out)
{
	struct str name = r->out->req.name, file = r->out->file.file;

	if (name.n) {
		return lock_dist(r->l, at, file, name, out, r->err);
	}
	return dist_name_parse(&r->l->arena, file, out, r->err) ? lock_wrap(at, r->err) : 0;
}

/* The file that the URL ends in, and the project and the version that its name says. */
static int read_url(struct entry_reader *r, struct str url)
{
	struct requirements_entry *out = r->out;
	struct dist_name file = { .kind = DIST_WHEEL };
	struct toml at = out->at;

	at.text = url;
	if (lock_url(r->l, &at, &out->file.file, r->err) || read_name(r, &at, &file)) {
		return -(int)r->err->rc;
	}
	if (out->req.name.n && !str_eq(out->req.name, file.name)) {
		return lock_fail(&at, r->err, RC_INVALID, "the file %.*s is of %.*s, not of %.*s",
			STR_ARG(out->file.file), STR_ARG(file.name), STR_ARG(out->req.name));
	}
	if (!out->req.name.n && lock_project(r->l, &at, file.project, &out->req.name, r->err)) {
		return -(int)r->err->rc;
	}
	out->file.url = url;
	out->file.line = at.line;
	return lock_pin(r->l, &at, &file.version, &out->req.specifiers, r->err);
}

/* A path goes from the file that it stands in. */
static int path_to_url(struct entry_reader *r, struct str path, struct str *url)
{
	if (lock_path_url(
		    &r->l->arena, r->out->source->path, path, LOCK_PATH_ABSOLUTE, url, r->err)) {
		err_hint(r->err, "name it by its absolute path");
		return lock_wrap(&r->out->at, r->err);
	}
	return 0;
}

static int read_direct(struct entry_reader *r, struct str text)
{
	struct requirements_entry *out = r->out;
	struct str scheme = uri_scheme(text), url = uri_without_fragment(text);
	bool has_fragment = scheme.n || is_archive(url); /* a '#' in a path's folder is none */
	bool is_http = str_eq_nocase(scheme, STR("http")) || str_eq_nocase(scheme, STR("https"));

	if (is_version_control(scheme)) {
		out->refused = "in version control, not in a file";
		return 0;
	}
	if (has_fragment && read_fragment(r, str_skip(text, url.n + 1))) {
		return -(int)r->err->rc;
	}
	url = has_fragment ? url : text;
	if (str_starts(url, "file://localhost/")) {
		url = str_of(arena_printf(&r->l->arena, "file://%.*s", STR_ARG(str_skip(url, 16))));
	}
	if (!is_http && !is_archive(url)) {
		out->refused = "a folder, not a file";
	}
	if (out->refused) {
		return 0;
	}
	if (!scheme.n && path_to_url(r, url, &url)) {
		return -(int)r->err->rc;
	}
	return read_url(r, url);
}

/* ---- what stands in the line ---- */

/* "./x.whl[extra]": the extras, in brackets, as PEP 508 has them. */
static int take_extras(struct entry_reader *r, struct str *path)
{
	size_t open = str_rfind(*path, '[');
	struct requirement named;

	if (!str_ends(*path, "]") || open == path->n) {
		return 0;
	}
	const char *text = arena_printf(&r->l->arena, "x%.*s", STR_ARG(str_skip(*path, open)));
	if (requirement_parse(&r->l->arena, str_of(text), &named, r->err)) {
		return lock_wrap(&r->out->at, r->err);
	}
	r->out->req.extras = named.extras;
	r->out->req.nextras = named.nextras;
	*path = str_trim(str_first(*path, open));
	return 0;
}

/* Where the marker of a URL or a path begins: a URL may hold a ';' itself. */
static size_t marker_begin(struct str text, bool is_url)
{
	for (size_t i = 0; i < text.n; i++) {
		bool has_blank =
			(i > 0 && text.p[i - 1] == ' ') || (i + 1 < text.n && text.p[i + 1] == ' ');

		if (text.p[i] == ';' && (!is_url || has_blank)) {
			return i;
		}
	}
	return text.n;
}

static int read_unnamed(struct entry_reader *r, struct str text, bool is_url)
{
	size_t end = marker_begin(text, is_url);
	struct str what = str_trim(str_first(text, end)),
		   marker = str_trim(str_skip(text, end + 1));
	struct requirement *req = &r->out->req;

	if (marker.n && marker_parse(&r->l->arena, marker, &req->marker, r->err)) {
		return lock_wrap(&r->out->at, r->err);
	}
	if (!is_url && take_extras(r, &what)) {
		return -(int)r->err->rc;
	}
	return read_direct(r, what);
}

/* As pip: what begins with a dot, holds a slash or ends as an archive does, unless it is "name @
 * URL". */
static bool is_path(struct str text)
{
	struct str what = str_trim(str_first(text, marker_begin(text, false)));
	size_t open = str_ends(what, "]") ? str_rfind(what, '[') : what.n;
	struct str path = str_first(what, open), before_at = str_first(path, str_find(path, '@'));

	return str_starts(path, ".") || str_find(before_at, '/') < before_at.n ||
	       (before_at.n == path.n && is_archive(path));
}

/* The message of the parser would quote a password. */
static int explain(struct entry_reader *r, struct str text)
{
	struct err *e = r->err;

	if (str_has(text, "://")) {
		err_clear(e);
		err_set(e, RC_SYNTAX, "not a requirement with a URL");
		err_hint(e, "write: name @ https://... ; marker");
	}
	err_hint(e, "a requirement is written name==version or name>=version, <version");
	return lock_wrap(&r->out->at, e);
}

/* pip takes a ';' with nothing behind it. */
static struct str without_empty_marker(struct str text)
{
	return str_ends(text, ";") ? str_trim(str_first(text, text.n - 1)) : text;
}

static int read_named(struct entry_reader *r, struct str text)
{
	struct requirement *req = &r->out->req;

	text = without_empty_marker(text);
	if (requirement_parse(&r->l->arena, text, req, r->err)) {
		return explain(r, text);
	}
	struct str url = req->url;
	req->url = STR_NULL;
	return url.n ? read_direct(r, url) : 0;
}

static int check_options(struct entry_reader *r, const struct requirements_options *options)
{
	for (size_t i = 0; i < options->n; i++) {
		const struct requirements_given *o = &options->v[i];
		struct toml at = requirements_at(r->line, o->at, STR_NULL);

		if (o->option != REQUIREMENTS_HASH && o->option != REQUIREMENTS_IGNORED) {
			lock_fail(
				&at, r->err, RC_SYNTAX, "%s stands behind a requirement", o->name);
			return err_hint(r->err, "write it into a line of its own");
		}
	}
	return 0;
}

int requirements_entry(struct lock *l, const struct requirements_source *source,
	const struct requirements_line *line, struct str text,
	const struct requirements_options *options, struct requirements_entry *out, struct err *e)
{
	struct entry_reader r = { .l = l, .line = line, .out = out, .err = e };
	bool is_url = uri_scheme(text).n > 0;

	*out = (struct requirements_entry){ .source = source,
		.at = requirements_at(line, text.p, text) };
	if (check_options(&r, options) || read_hashes(&r, options)) {
		return -(int)e->rc;
	}
	return is_url || is_path(text) ? read_unnamed(&r, text, is_url) : read_named(&r, text);
}

/* gpkg.lock.toml as gpkg 0.4 writes it: one [environment], [[wheels]] with a URL and no digest. */
#include "manifests/lock_reader.h"
#include "manifests/base/uri.h"
#include "manifests/limits.h"
#include "manifests/name.h"

#include <string.h>

/* ---- URLs: gpkg has decoded every escape before it wrote them ---- */

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'f');
}

/* Escapes what may not stand in a URL, and '+', which stores take for a space. Escapes stay. */
static void put_escaped(struct buf *out, struct str s, const char *kept)
{
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];
		bool is_alnum = (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
		bool is_escape =
			c == '%' && i + 2 < s.n && is_hex(s.p[i + 1]) && is_hex(s.p[i + 2]);

		if (is_alnum || is_escape || (c && strchr(kept, c))) {
			buf_addc(out, (char)c);
		} else {
			buf_addf(out, "%%%02X", c);
		}
	}
}

/* Where the path ends: behind the file's name, as a decoded '#' or '?' may stand before it. A name
 * that is not in the URL leaves the first '?' or '#'. */
static size_t path_end(struct str rest, struct str file)
{
	size_t query = str_find(rest, '?'), fragment = str_find(rest, '#');

	for (size_t i = rest.n; i-- > 0;) {
		struct str name = str_skip(rest, i + 1), behind = str_skip(name, file.n);

		if (rest.p[i] == '/' && str_eq(str_first(name, file.n), file) &&
			(behind.n == 0 || behind.p[0] == '?' || behind.p[0] == '#')) {
			return i + 1 + file.n;
		}
	}
	return query < fragment ? query : fragment;
}

struct str lock_gpkg_url(struct lock *l, struct str url, struct str file)
{
	CLEANUP_BUF struct buf out = BUF_INIT;
	struct str scheme = uri_scheme(url);
	size_t prefix = scheme.n ? scheme.n + 3 : 0; /* "://" */

	prefix += str_find(str_skip(url, prefix), '/');
	buf_addstr(&out, str_first(url, prefix));
	struct str rest = str_skip(url, prefix);
	size_t end = path_end(rest, file);
	put_escaped(&out, str_first(rest, end), "-._~/!$&'()*,;=:@");
	put_escaped(&out, str_skip(rest, end), "-._~/!$&'()*,;=:@?#");
	return arena_str(&l->arena, buf_str(&out));
}

/* ---- [[wheels]] ---- */

/* gpkg's own name of a package, or the project's with a publisher's word before it: grouped-gemm is
 * published as nv-grouped-gemm, and that is the name that installers know. */
static int read_project(struct lock *l, const struct toml *row, const struct dist_name *file,
	struct str package, struct str *out, struct err *e)
{
	struct str own = STR_NULL;

	if (lock_project(l, toml_get(row, "package"), package, &own, e)) {
		return -(int)e->rc;
	}
	bool is_prefixed = file->name.n > own.n + 1 && str_ends(file->name, own.p) &&
			   file->name.p[file->name.n - own.n - 1] == '-';
	if (!str_eq(file->name, own) && !is_prefixed) {
		return lock_fail(toml_get(row, "filename"), e, RC_INVALID,
			"the file %.*s is of %.*s, not of %.*s", STR_ARG(file->file),
			STR_ARG(file->name), STR_ARG(own));
	}
	*out = file->name;
	return 0;
}

static int read_version(struct lock *l, const struct toml *row, const struct dist_name *file,
	struct str text, struct specifier_set *out, struct err *e)
{
	const struct toml *at = toml_get(row, "version");
	struct version version;

	if (version_parse(&l->arena, text, &version, e)) {
		return lock_wrap(at, e);
	}
	if (version_cmp_public(&version, &file->version) != 0) {
		return lock_fail(at, e, RC_INVALID, "the file %.*s is not of version %.*s",
			STR_ARG(file->file), STR_ARG(text));
	}
	return lock_pin(l, at, &version, out, e);
}

static int read_url(struct lock *l, const struct toml *row, struct lock_package *p, struct err *e)
{
	const struct toml *at = toml_get(row, "url");
	struct toml escaped = *at;
	struct str last = STR_NULL;

	for (size_t i = 0; i < at->text.n; i++) {
		if ((unsigned char)at->text.p[i] < 0x20 || at->text.p[i] == 0x7F) {
			return lock_fail(at, e, RC_INVALID, "a control character in a URL");
		}
	}
	escaped.text = lock_gpkg_url(l, at->text, p->file);
	if (lock_url(l, &escaped, &last, e)) {
		return -(int)e->rc;
	}
	if (str_ends(last, ".whl") && !str_eq(last, p->file)) {
		return lock_fail(at, e, RC_INVALID, "the URL ends in %.*s, the filename is %.*s",
			STR_ARG(last), STR_ARG(p->file));
	}
	p->url = escaped.text;
	return 0;
}

static int read_wheel(struct lock *l, const struct toml *row, struct lock_package *p, struct err *e)
{
	static const char *const keys[] = { "package", "version", "filename", "url", "source",
		"release_tag", NULL };
	CLEANUP_BUF struct buf raw = BUF_INIT;
	struct str package = STR_NULL, version = STR_NULL, url = STR_NULL;
	struct dist_name file = { .kind = DIST_WHEEL };

	p->line = row->line;
	if (toml_only(row, keys, e) || toml_need_str(row, "package", &package, e) ||
		toml_need_str(row, "version", &version, e) ||
		toml_need_str(row, "filename", &p->file, e) || toml_need_str(row, "url", &url, e)) {
		return -(int)e->rc;
	}
	if (!dist_name_is_safe(p->file) || !str_ends(p->file, ".whl")) {
		return lock_fail(toml_get(row, "filename"), e, RC_INVALID,
			"\"%.*s\" is not a wheel's file name", STR_ARG(str_first(p->file, 300)));
	}
	if (lock_dist(l, toml_get(row, "filename"), p->file, STR_NULL, &file, e) ||
		read_project(l, row, &file, package, &p->req.name, e) ||
		read_version(l, row, &file, version, &p->req.specifiers, e) ||
		read_url(l, row, p, e)) {
		return -(int)e->rc;
	}
	requirement_format(&p->req, &raw);
	p->req.raw = arena_str(&l->arena, buf_str(&raw));
	return 0;
}

static int read_wheels(struct lock *l, const struct toml *root, struct err *e)
{
	const struct toml *list = toml_get(root, "wheels"), *row = NULL;

	if (toml_opt_tables(root, "wheels", &row, e)) {
		return -(int)e->rc;
	}
	l->packages = arena_array(&l->arena, list ? list->count : 0, sizeof(*l->packages));
	for (; row; row = row->next) {
		if (read_wheel(l, row, &l->packages[l->npackages], e)) {
			return -(int)e->rc;
		}
		l->npackages++;
	}
	return 0;
}

/* ---- [environment] ---- */

/* "128" is CUDA 12.8: the last digit is the minor number. "12.8" and "12" are taken as well. */
static int read_cuda(const struct toml *environment, struct str *out, struct err *e)
{
	struct str text = STR_NULL;
	uint64_t number;

	if (toml_opt_str(environment, "cuda", &text, e)) {
		return -(int)e->rc;
	}
	if (text.n == 0 || str_find(text, '.') < text.n) {
		*out = text.n ? text : *out;
		return 0;
	}
	if (!str_to_u64(text, &number) || text.n < 2 || text.n > 3) {
		lock_fail(toml_get(environment, "cuda"), e, RC_INVALID,
			"\"%.*s\" is not a CUDA version as gpkg writes it",
			STR_ARG(str_first(text, 50)));
		return err_hint(e, "CUDA 12.8 is written \"128\"");
	}
	*out = text;
	return 0;
}

static int read_abi(const struct toml *environment, int *out, struct err *e)
{
	struct str text = STR_NULL;

	if (toml_opt_str(environment, "cxx11_abi", &text, e)) {
		return -(int)e->rc;
	}
	if (str_eq_nocase(text, STR("true")) || str_eq_nocase(text, STR("false"))) {
		*out = text.n == 4;
	} else if (text.n) {
		return lock_fail(toml_get(environment, "cxx11_abi"), e, RC_INVALID,
			"cxx11_abi is \"TRUE\" or \"FALSE\", not \"%.*s\"",
			STR_ARG(str_first(text, 50)));
	}
	return 0;
}

static int read_environment(const struct toml *environment, struct target_spec *spec, struct err *e)
{
	if (toml_need_str(environment, "python", &spec->python, e) ||
		toml_need_str(environment, "platform", &spec->platform, e) ||
		toml_opt_str(environment, "torch", &spec->torch, e) ||
		read_cuda(environment, &spec->cuda, e) ||
		read_abi(environment, &spec->cxx11_abi, e)) {
		return -(int)e->rc;
	}
	if (str_starts(spec->platform, "linux_") && spec->glibc.n == 0 && spec->musl.n == 0) {
		lock_fail(toml_get(environment, "platform"), e, RC_INVALID,
			"gpkg's lock does not say which glibc the %.*s machines have",
			STR_ARG(str_first(spec->platform, 60)));
		return err_hint(e, "say it: --glibc 2.28 (`ldd --version` on a node of the cluster "
				   "prints it)");
	}
	return 0;
}

/* "cp312-cu128-linux_x86_64": what tells one gpkg lock from another. */
static struct str default_name(struct lock *l, const struct target_spec *spec)
{
	CLEANUP_BUF struct buf name = BUF_INIT;

	buf_adds(&name, "cp");
	for (size_t i = 0; i < spec->python.n; i++) {
		if (spec->python.p[i] != '.') {
			buf_addc(&name, spec->python.p[i]);
		}
	}
	if (spec->cuda.n) {
		buf_adds(&name, "-cu");
	}
	for (size_t i = 0; i < spec->cuda.n; i++) {
		if (spec->cuda.p[i] != '.') {
			buf_addc(&name, spec->cuda.p[i]);
		}
	}
	buf_addf(&name, "-%.*s", STR_ARG(spec->platform));
	return arena_str(&l->arena, buf_str(&name));
}

/* The options outlive nothing: what the lock keeps of them is copied. */
static struct target_spec copy_spec(struct lock *l, const struct target_spec *extra)
{
	struct target_spec spec = { .cxx11_abi = -1 };

	if (!extra) {
		return spec;
	}
	spec.name = arena_str(&l->arena, extra->name);
	spec.glibc = arena_str(&l->arena, extra->glibc);
	spec.musl = arena_str(&l->arena, extra->musl);
	spec.driver = arena_str(&l->arena, extra->driver);
	struct str *gpus = arena_array(&l->arena, extra->ngpus, sizeof(*gpus));
	for (size_t i = 0; i < extra->ngpus; i++) {
		gpus[i] = arena_str(&l->arena, extra->gpus[i]);
	}
	spec.gpus = gpus;
	spec.ngpus = extra->ngpus;
	return spec;
}

int lock_gpkg_target(struct lock *l, const struct toml *environment,
	const struct target_spec *extra, struct target *out, struct err *e)
{
	struct target_spec spec = copy_spec(l, extra);

	if (read_environment(environment, &spec, e)) {
		return -(int)e->rc;
	}
	if (spec.name.n == 0) {
		spec.name = default_name(l, &spec);
	}
	return target_make(&l->arena, &spec, out, e) ? lock_wrap(environment, e) : 0;
}

int lock_gpkg_read(
	struct lock *l, const struct toml *root, const struct target_spec *extra, struct err *e)
{
	static const char *const keys[] = { "environment", "wheels", NULL };
	static const char *const environment_keys[] = { "torch", "cuda", "python", "platform",
		"cxx11_abi", NULL };
	const struct toml *environment = NULL;

	if (toml_only(root, keys, e) || toml_opt_table(root, "environment", &environment, e)) {
		return -(int)e->rc;
	}
	if (!environment) {
		return lock_fail(root, e, RC_SYNTAX, "[environment] is missing");
	}
	l->targets = arena_array(&l->arena, 1, sizeof(*l->targets));
	if (toml_only(environment, environment_keys, e) ||
		lock_gpkg_target(l, environment, extra, l->targets, e)) {
		return -(int)e->rc;
	}
	l->ntargets = 1;
	return read_wheels(l, root, e);
}

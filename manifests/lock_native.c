#include "manifests/lock_reader.h"
#include "manifests/limits.h"
#include "manifests/name.h"

#include <inttypes.h>

enum { LOCK_VERSION = 1 };

static size_t count_of(const struct toml *root, const char *key)
{
	const struct toml *list = toml_get(root, key);

	return list ? list->count : 0;
}

static bool is_channel(struct str name)
{
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') &&
			(i == 0 || (c != '-' && c != '_' && c != '.'))) {
			return false;
		}
	}
	return name.n >= 1 && name.n <= LIMIT_CHANNEL;
}

static int read_head(struct lock *l, const struct toml *root, struct err *e)
{
	uint64_t version = 0;

	if (toml_opt_u64(root, "lock-version", &version, e)) {
		return -(int)e->rc;
	}
	if (version != LOCK_VERSION) {
		lock_fail(toml_get(root, "lock-version"), e, RC_UNSUPPORTED,
			"lock-version %" PRIu64 "; this version of the program reads %d", version,
			LOCK_VERSION);
		return err_hint(
			e, "use a newer gpkg-bundle, or write lock-version = %d", LOCK_VERSION);
	}
	if (toml_opt_str(root, "name", &l->name, e)) {
		return -(int)e->rc;
	}
	if (toml_get(root, "name") && !is_channel(l->name)) {
		lock_fail(toml_get(root, "name"), e, RC_INVALID,
			"\"%.*s\" is no name for a channel", STR_ARG(str_first(l->name, 100)));
		return err_hint(e, "[a-z0-9][a-z0-9._-]*, at most %d characters", LIMIT_CHANNEL);
	}
	return 0;
}

/* ---- [[target]] ---- */

static int read_target_spec(
	struct lock *l, const struct toml *row, struct target_spec *spec, struct err *e)
{
	static const char *const keys[] = { "name", "python", "platform", "glibc", "musl", "gpus",
		"driver", "torch", "cuda", "cxx11_abi", NULL };
	struct str *gpus = NULL;
	bool abi = false;

	if (toml_only(row, keys, e) || toml_need_str(row, "name", &spec->name, e) ||
		toml_need_str(row, "python", &spec->python, e) ||
		toml_need_str(row, "platform", &spec->platform, e) ||
		toml_opt_str(row, "glibc", &spec->glibc, e) ||
		toml_opt_str(row, "musl", &spec->musl, e) ||
		toml_opt_str(row, "driver", &spec->driver, e) ||
		toml_opt_str(row, "torch", &spec->torch, e) ||
		toml_opt_str(row, "cuda", &spec->cuda, e) ||
		toml_opt_strs(&l->arena, row, "gpus", true, &gpus, &spec->ngpus, e) ||
		toml_opt_bool(row, "cxx11_abi", &abi, e)) {
		return -(int)e->rc;
	}
	spec->gpus = gpus;
	spec->cxx11_abi = toml_get(row, "cxx11_abi") ? abi : -1;
	return 0;
}

/* target_make says "target h100: python ...": the value of that key, where the row has it. */
static const struct toml *field_at_fault(const struct toml *row, const struct err *e)
{
	struct arena a = ARENA_INIT;
	struct str rest = str_of(e->text), before = STR_NULL;
	size_t n = 0;

	str_cut(&rest, ':', &before);
	rest = str_trim(rest);
	while (n < rest.n && rest.p[n] != ' ' && rest.p[n] != ':') {
		n++;
	}
	const struct toml *field = toml_get(row, arena_dup(&a, str_first(rest, n)));
	arena_release(&a);
	return field ? field : row;
}

static int read_targets(struct lock *l, const struct toml *root, struct err *e)
{
	const struct toml *first = NULL;
	size_t n = count_of(root, "target");

	if (toml_opt_tables(root, "target", &first, e)) {
		return -(int)e->rc;
	}
	if (n == 0) {
		err_set(e, RC_INVALID, "line 1, column 1: no [[target]]: for which machines?");
		return err_hint(
			e, "`gpkg-bundle detect` on a node of the cluster prints the block");
	}
	if (n > LIMIT_TARGETS) {
		return lock_fail(first, e, RC_LIMIT, "%zu targets, at most %d", n, LIMIT_TARGETS);
	}
	l->targets = arena_array(&l->arena, n, sizeof(*l->targets));
	for (const struct toml *row = first; row; row = row->next) {
		struct target_spec spec = { .cxx11_abi = -1 };
		struct target *t = &l->targets[l->ntargets];

		if (read_target_spec(l, row, &spec, e)) {
			return -(int)e->rc;
		}
		if (target_make(&l->arena, &spec, t, e)) {
			return lock_wrap(field_at_fault(row, e), e);
		}
		if (lock_target(l, t->name)) {
			return lock_fail(toml_get(row, "name"), e, RC_INVALID,
				"the target \"%.*s\" stands twice", STR_ARG(t->name));
		}
		l->ntargets++;
	}
	return 0;
}

/* ---- [[package]] ---- */

static int read_extras(struct lock *l, const struct toml *row, struct requirement *r, struct err *e)
{
	const struct toml *v = toml_get(row, "extras");
	struct str *list = NULL;
	size_t n = 0;

	if (toml_opt_strs(&l->arena, row, "extras", true, &list, &n, e)) {
		return -(int)e->rc;
	}
	for (size_t i = 0; i < n; i++) {
		size_t j = 0;

		if (!name_is_valid(list[i])) {
			return lock_fail(v, e, RC_INVALID, "\"%.*s\" is not the name of an extra",
				STR_ARG(str_first(list[i], 200)));
		}
		struct str extra = str_of(name_normalize(&l->arena, list[i]));
		while (j < r->nextras && !str_eq(list[j], extra)) {
			j++;
		}
		if (j == r->nextras) {
			list[r->nextras++] = extra;
		}
	}
	r->extras = list;
	return 0;
}

/* One "==", no wildcard: this version of the program finds files, it does not choose versions. */
static int read_pin(struct lock *l, const struct toml *row, struct requirement *r, struct err *e)
{
	const struct toml *v = toml_get(row, "version");
	struct err scratch = ERR_INIT;
	struct version bare;

	if (v->type == TOML_STRING && version_parse(&l->arena, v->text, &bare, &scratch) == 0) {
		lock_fail(v, e, RC_INVALID, "\"%.*s\" is a version, not a specifier",
			STR_ARG(v->text));
		return err_hint(e, "write version = \"==%.*s\"", STR_ARG(bare.raw));
	}
	struct str text = STR_NULL;
	if (toml_opt_str(row, "version", &text, e)) {
		return -(int)e->rc;
	}
	if (specifier_parse(&l->arena, text, &r->specifiers, e)) {
		return lock_wrap(v, e);
	}
	const struct specifier *pin = specifier_pin(&r->specifiers);
	if (r->specifiers.n != 1 || !pin || pin->op != SPECIFIER_EQ || pin->wildcard) {
		lock_fail(v, e, RC_INVALID, "\"%.*s\" of %.*s leaves the version open",
			STR_ARG(str_first(text, 200)), STR_ARG(r->name));
		return err_hint(e,
			"write one exact version, as in version = \"==2.8.3\", or the file: "
			"url = \"https://...\"");
	}
	return 0;
}

static int read_package_url(
	struct lock *l, const struct toml *row, struct lock_package *p, struct err *e)
{
	const struct toml *v = toml_get(row, "url");
	const struct specifier *pin = p->req.specifiers.n ? &p->req.specifiers.v[0] : NULL;
	struct dist_name file = { .kind = DIST_WHEEL };

	if (toml_opt_str(row, "url", &p->url, e) || lock_url(l, v, &p->file, e) ||
		lock_dist(l, v, p->file, p->req.name, &file, e)) {
		return -(int)e->rc;
	}
	if (!str_eq(file.name, p->req.name)) {
		return lock_fail(v, e, RC_INVALID, "the file %.*s is of %.*s, not of %.*s",
			STR_ARG(p->file), STR_ARG(file.name), STR_ARG(p->req.name));
	}
	if (pin && version_cmp_public(&file.version, &pin->version) != 0) {
		return lock_fail(v, e, RC_INVALID, "the file %.*s is not of version %.*s",
			STR_ARG(p->file), STR_ARG(pin->raw));
	}
	return pin ? 0 : lock_pin(l, v, &file.version, &p->req.specifiers, e);
}

static int read_package_targets(
	struct lock *l, const struct toml *row, struct lock_package *p, struct err *e)
{
	const struct toml *v = toml_get(row, "targets");

	if (toml_opt_strs(&l->arena, row, "targets", true, &p->targets, &p->ntargets, e)) {
		return -(int)e->rc;
	}
	if (v && p->ntargets == 0) {
		lock_fail(v, e, RC_INVALID, "%.*s is for no target", STR_ARG(p->req.name));
		return err_hint(e, "leave the key targets out where every target is meant");
	}
	for (size_t i = 0; i < p->ntargets; i++) {
		if (!lock_target(l, p->targets[i])) {
			return lock_unknown_target(l, v, p->targets[i], e);
		}
	}
	return 0;
}

static int read_use(const struct toml *row, enum lock_use *out, struct err *e)
{
	struct str use = STR_NULL;

	if (toml_opt_str(row, "use", &use, e)) {
		return -(int)e->rc;
	}
	if (toml_get(row, "use") && !str_is(use, "build")) {
		lock_fail(toml_get(row, "use"), e, RC_INVALID, "use = \"%.*s\" is not known",
			STR_ARG(str_first(use, 100)));
		return err_hint(e,
			"use = \"build\" is for build environments only; leave it out for "
			"packages to install");
	}
	*out = use.n ? LOCK_BUILD : LOCK_RUN;
	return 0;
}

static int read_marker(struct lock *l, const struct toml *row, struct requirement *r, struct err *e)
{
	struct str text = STR_NULL;

	if (toml_opt_str(row, "marker", &text, e)) {
		return -(int)e->rc;
	}
	if (text.n && marker_parse(&l->arena, text, &r->marker, e)) {
		return lock_wrap(toml_get(row, "marker"), e);
	}
	return 0;
}

static int read_package(
	struct lock *l, const struct toml *row, struct lock_package *p, struct err *e)
{
	static const char *const keys[] = { "name", "version", "marker", "extras", "targets", "use",
		"url", NULL };
	CLEANUP_BUF struct buf raw = BUF_INIT;
	struct str name = STR_NULL;

	p->line = row->line;
	if (toml_only(row, keys, e) || toml_need_str(row, "name", &name, e) ||
		lock_project(l, toml_get(row, "name"), name, &p->req.name, e) ||
		read_extras(l, row, &p->req, e) || read_marker(l, row, &p->req, e) ||
		read_use(row, &p->use, e) || read_package_targets(l, row, p, e) ||
		(toml_get(row, "version") && read_pin(l, row, &p->req, e)) ||
		(toml_get(row, "url") && read_package_url(l, row, p, e))) {
		return -(int)e->rc;
	}
	if (!p->req.specifiers.n && !p->url.n) {
		lock_fail(row, e, RC_INVALID, "%.*s has neither version nor url",
			STR_ARG(p->req.name));
		return err_hint(e,
			"write one exact version, as in version = \"==2.8.3\", or the file: "
			"url = \"https://...\"");
	}
	requirement_format(&p->req, &raw);
	p->req.raw = arena_str(&l->arena, buf_str(&raw));
	return 0;
}

static int read_packages(struct lock *l, const struct toml *root, struct err *e)
{
	const struct toml *row = NULL;

	if (toml_opt_tables(root, "package", &row, e)) {
		return -(int)e->rc;
	}
	l->packages = arena_array(&l->arena, count_of(root, "package"), sizeof(*l->packages));
	for (; row; row = row->next) {
		if (read_package(l, row, &l->packages[l->npackages], e)) {
			return -(int)e->rc;
		}
		l->npackages++;
	}
	return 0;
}

/* ---- [[file]] ---- */

static int read_file(struct lock *l, const struct toml *row, struct lock_file *f, struct err *e)
{
	static const char *const keys[] = { "url", "size", "sha256", "name", NULL };
	struct str sha256 = STR_NULL, name = STR_NULL;

	f->line = row->line;
	if (toml_only(row, keys, e) || toml_need_str(row, "url", &f->url, e) ||
		lock_url(l, toml_get(row, "url"), &f->file, e) ||
		toml_need_str(row, "sha256", &sha256, e) || toml_opt_str(row, "name", &name, e) ||
		toml_opt_u64(row, "size", &f->size, e)) {
		return -(int)e->rc;
	}
	f->has_size = toml_get(row, "size") != NULL;
	if (f->size > LIMIT_FILE) {
		return lock_fail(toml_get(row, "size"), e, RC_LIMIT,
			"a file of %" PRIu64 " bytes, at most %" PRIu64, f->size, LIMIT_FILE);
	}
	if (digest_parse(sha256, &f->sha256, e)) {
		return lock_wrap(toml_get(row, "sha256"), e);
	}
	f->has_sha256 = true;
	f->file = toml_get(row, "name") ? name : f->file;
	if (!dist_name_is_safe(f->file)) {
		const struct toml *at = toml_get(row, toml_get(row, "name") ? "name" : "url");

		return lock_fail(at, e, RC_INVALID, "\"%.*s\" is not a safe file name",
			STR_ARG(str_first(f->file, 300)));
	}
	return 0;
}

static int read_files(struct lock *l, const struct toml *root, struct err *e)
{
	const struct toml *row = NULL;
	size_t n = count_of(root, "file");

	if (toml_opt_tables(root, "file", &row, e)) {
		return -(int)e->rc;
	}
	if (n > LIMIT_FILES) {
		return lock_fail(row, e, RC_LIMIT, "%zu files, at most %d", n, LIMIT_FILES);
	}
	l->files = arena_array(&l->arena, n, sizeof(*l->files));
	for (; row; row = row->next) {
		if (read_file(l, row, &l->files[l->nfiles], e)) {
			return -(int)e->rc;
		}
		l->nfiles++;
	}
	return 0;
}

int lock_native_read(struct lock *l, const struct toml *root, struct err *e)
{
	static const char *const keys[] = { "lock-version", "name", "target", "package", "file",
		"toolkit", "recipe", "waive", NULL };

	/* The version first: a later format may have other keys. */
	if (read_head(l, root, e) || toml_only(root, keys, e) || read_targets(l, root, e) ||
		read_packages(l, root, e) || read_files(l, root, e) ||
		lock_toolkit_read(l, root, e) || lock_recipes_read(l, root, e) ||
		lock_waivers_read(l, root, e)) {
		return -(int)e->rc;
	}
	return 0;
}

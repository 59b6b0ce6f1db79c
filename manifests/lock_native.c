/* lock.toml: its head, [[target]] and [[file]]. */
#include "manifests/lock_reader.h"
#include "manifests/limits.h"

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

/* resolved-from: the digest of the lock that this one was made from. */
static int read_origin(struct lock *l, const struct toml *root, struct err *e)
{
	const struct toml *v = toml_get(root, "resolved-from");
	struct str hex = STR_NULL;

	if (toml_opt_str(root, "resolved-from", &hex, e)) {
		return -(int)e->rc;
	}
	if (l->kind != LOCK_NATIVE) {
		lock_fail_key(v, e, RC_USAGE, "not a file of targets: it names every file itself");
		return err_hint(e, "give it as the lock, without --targets");
	}
	if (digest_parse(hex, &l->sha256, e)) {
		return lock_wrap(v, e);
	}
	l->is_frozen = l->is_closed = true;
	return 0;
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
	if (toml_get(root, "resolved-from") && read_origin(l, root, e)) {
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

/* ---- [[file]] ---- */

/* What the index said of a file when it was chosen. */
static int read_index_word(const struct toml *row, struct lock_file *f, struct err *e)
{
	struct str by = STR("lock");

	if (toml_opt_str(row, "yanked", &f->yanked, e) ||
		toml_opt_str(row, "promised-by", &by, e)) {
		return -(int)e->rc;
	}
	f->is_yanked = toml_get(row, "yanked") != NULL;
	f->is_by_index = str_is(by, "index");
	f->is_first_use = str_is(by, "first-use");
	if (f->yanked.n > LIMIT_YANKED) {
		return lock_fail(toml_get(row, "yanked"), e, RC_LIMIT,
			"a reason of %zu bytes, at most %d", f->yanked.n, LIMIT_YANKED);
	}
	if (!f->is_by_index && !f->is_first_use && !str_is(by, "lock")) {
		return lock_fail(toml_get(row, "promised-by"), e, RC_INVALID,
			"promised-by = \"%.*s\" is not known; it is \"index\", \"lock\" or "
			"\"first-use\"",
			STR_ARG(str_first(by, 100)));
	}
	return 0;
}

static int read_file(struct lock *l, const struct toml *row, struct lock_file *f, struct err *e)
{
	static const char *const keys[] = { "url", "size", "sha256", "name", NULL };
	static const char *const frozen_keys[] = { "url", "size", "sha256", "name", "yanked",
		"promised-by", NULL };
	struct str sha256 = STR_NULL, name = STR_NULL;

	f->line = row->line;
	if (toml_only(row, l->is_frozen ? frozen_keys : keys, e) || read_index_word(row, f, e) ||
		toml_need_str(row, "url", &f->url, e) ||
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

int lock_native_read(struct lock *l, const struct toml *root, struct str path,
	const struct lock_options *o, struct err *e)
{
	static const char *const keys[] = { "lock-version", "name", "resolved-from", "target",
		"package", "packages", "constraints", "build-constraints", "exclude", "override",
		"source", "file", "toolkit", "recipe", "waive", NULL };

	/* The version first: a later format may have other keys. */
	if (read_head(l, root, e) || toml_only(root, keys, e) || read_targets(l, root, e) ||
		read_files(l, root, e) || lock_packages_read(l, root, e) ||
		lock_constraints_read(l, root, path, e) || lock_overrides_read(l, root, e) ||
		lock_sources_read(l, root, path, o, e) || lock_toolkit_read(l, root, e) ||
		lock_recipes_read(l, root, e) || lock_waivers_read(l, root, e)) {
		return -(int)e->rc;
	}
	return l->is_frozen ? lock_frozen_read(l, root, e) : 0;
}

#include "manifests/lock_reader.h"

static bool has(const struct toml *table, const char *key, enum toml_type type)
{
	const struct toml *v = table && table->type == TOML_TABLE ? toml_get(table, key) : NULL;

	return v && v->type == type;
}

/* Poetry and pdm keep their own version in [metadata], and name files without saying where they
 * are. */
static int refuse_files_only(
	const struct toml *version, const char *tool, const char *command, struct err *e)
{
	err_set(e, RC_UNSUPPORTED,
		"this is a %s.lock (lock-version %.*s), which names files but no URLs", tool,
		STR_ARG(str_first(version->text, 20)));
	return err_hint(e, "write one that says where its files are, and give that: `%s`", command);
}

static int refuse_unknown(struct err *e)
{
	err_set(e, RC_SYNTAX,
		"line 1, column 1: not a lock: neither lock.toml (lock-version = 1), "
		"gpkg.lock.toml "
		"([environment]), stacks.toml ([[stacks]]), pylock.toml (lock-version = \"1.0\") "
		"nor uv.lock (version = 1)");
	return err_hint(e, "a lock.toml begins with lock-version = 1: gpkg-lock(5)");
}

/* A pylock says its version as a text, a native lock as a number; both may have `packages`. */
static bool is_pylock(const struct toml *root)
{
	bool is_native = has(root, "lock-version", TOML_INTEGER) || toml_get(root, "target");

	return has(root, "created-by", TOML_STRING) ||
	       (has(root, "packages", TOML_ARRAY) && !is_native);
}

static bool is_uv(const struct toml *root)
{
	return has(root, "version", TOML_INTEGER) &&
	       (toml_get(root, "requires-python") || toml_get(root, "revision") ||
		       has(root, "package", TOML_ARRAY));
}

int lock_kind_of(const struct toml *root, enum lock_kind *out, struct err *e)
{
	const struct toml *metadata = toml_get(root, "metadata");

	if (toml_get(root, "environment") || toml_get(root, "wheels")) {
		*out = LOCK_GPKG;
	} else if (has(root, "stacks", TOML_ARRAY) || has(root, "stacks", TOML_TABLE)) {
		*out = LOCK_STACKS;
	} else if (is_pylock(root)) {
		*out = LOCK_PYLOCK;
	} else if (toml_get(root, "lock-version")) {
		*out = LOCK_NATIVE;
	} else if (has(metadata, "lock-version", TOML_STRING)) {
		return refuse_files_only(toml_get(metadata, "lock-version"), "poetry",
			"poetry export -f pylock.toml -o pylock.toml", e);
	} else if (has(metadata, "lock_version", TOML_STRING)) {
		return refuse_files_only(toml_get(metadata, "lock_version"), "pdm",
			"pdm export -f pylock -o pylock.toml", e);
	} else if (is_uv(root)) {
		*out = LOCK_UV;
	} else if (toml_get(root, "target") || toml_get(root, "package")) {
		err_set(e, RC_SYNTAX, "line 1, column 1: lock-version is missing");
		return err_hint(e, "write lock-version = 1 in the first line");
	} else {
		return refuse_unknown(e);
	}
	return 0;
}

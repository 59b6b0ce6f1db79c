#include "manifests/lock_reader.h"

static bool has(const struct toml *table, const char *key, enum toml_type type)
{
	const struct toml *v = table && table->type == TOML_TABLE ? toml_get(table, key) : NULL;

	return v && v->type == type;
}

static int refuse_foreign(struct err *e, const char *what, const char *remedy)
{
	err_set(e, RC_UNSUPPORTED, "this is %s, which this version does not read", what);
	return err_hint(e, "%s", remedy);
}

static int refuse_pylock(const struct toml *root, struct err *e)
{
	err_set(e, RC_UNSUPPORTED,
		"this is a pylock.toml (PEP 751, lock-version %.*s), which this "
		"version does not read",
		STR_ARG(str_first(toml_get(root, "lock-version")->text, 20)));
	return err_hint(e, "name its packages in a lock.toml: gpkg-lock(5)");
}

/* Poetry and pdm keep their own version in [metadata], and name files without saying where they
 * are. */
static int refuse_poetry(const struct toml *metadata, struct err *e)
{
	err_set(e, RC_UNSUPPORTED,
		"this is a poetry.lock (lock-version %.*s), which names files but no URLs",
		STR_ARG(str_first(toml_get(metadata, "lock-version")->text, 20)));
	return err_hint(e, "name its packages in a lock.toml (gpkg-lock(5)); `poetry export -o "
			   "requirements.txt` lists them with exact versions");
}

static int refuse_unknown(struct err *e)
{
	err_set(e, RC_SYNTAX,
		"line 1, column 1: neither a lock.toml (lock-version = 1) nor a "
		"gpkg.lock.toml ([environment])");
	return err_hint(e, "a lock.toml begins with lock-version = 1: gpkg-lock(5)");
}

int lock_kind_of(const struct toml *root, enum lock_kind *out, struct err *e)
{
	const struct toml *metadata = toml_get(root, "metadata");
	bool has_packages =
		has(root, "packages", TOML_ARRAY) || has(root, "created-by", TOML_STRING);

	if (toml_get(root, "environment") || toml_get(root, "wheels")) {
		*out = LOCK_GPKG;
		return 0;
	}
	if (has(root, "lock-version", TOML_STRING) && has_packages) {
		return refuse_pylock(root, e);
	}
	if (toml_get(root, "lock-version")) {
		*out = LOCK_NATIVE;
		return 0;
	}
	if (has(metadata, "lock-version", TOML_STRING)) {
		return refuse_poetry(metadata, e);
	}
	if (has(metadata, "lock_version", TOML_STRING)) {
		return refuse_foreign(e, "a pdm.lock",
			"name its packages in a lock.toml (gpkg-lock(5)); `pdm export -f "
			"requirements` "
			"lists them with exact versions");
	}
	if (has(root, "version", TOML_INTEGER) &&
		(toml_get(root, "requires-python") || toml_get(root, "revision") ||
			has(root, "package", TOML_ARRAY))) {
		return refuse_foreign(e, "a uv.lock",
			"name its packages in a lock.toml (gpkg-lock(5)); `uv export` lists them "
			"with "
			"exact versions");
	}
	if (toml_get(root, "target") || toml_get(root, "package")) {
		err_set(e, RC_SYNTAX, "line 1, column 1: lock-version is missing");
		return err_hint(e, "write lock-version = 1 in the first line");
	}
	return refuse_unknown(e);
}

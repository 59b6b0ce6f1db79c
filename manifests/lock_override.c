/* lock.toml: exclude = [...] and [override.<package>], what the lock knows better than other
 * packages. */
#include "manifests/lock_reader.h"
#include "manifests/limits.h"

static int add_override(
	struct lock *l, const struct toml *at, const struct lock_override *new, struct err *e)
{
	const struct lock_override *old = lock_override_of(l, new->name);

	if (old) {
		return lock_fail_key(at, e, RC_INVALID, "%.*s is overridden already, in line %u",
			STR_ARG(new->name), old->line);
	}
	l->overrides[l->noverrides++] = *new;
	return 0;
}

/* ---- exclude ---- */

static int read_excluded(struct lock *l, const struct toml *at, struct err *e)
{
	struct lock_override new = {
		.is_exclude = true, .reason = STR("excluded by the lock"), .line = at->line
	};

	if (lock_project(l, at, at->text, &new.name, e)) {
		return -(int)e->rc;
	}
	if (lock_override_of(l, new.name)) {
		return lock_fail(at, e, RC_INVALID, "%.*s is excluded twice", STR_ARG(new.name));
	}
	l->overrides[l->noverrides++] = new;
	return 0;
}

/* ---- [override.<package>] ---- */

static int read_override(
	struct lock *l, const struct toml *row, struct lock_override *new, struct err *e)
{
	static const char *const keys[] = { "version", "exclude", "reason", NULL };
	const struct toml *version = toml_get(row, "version"), *reason = toml_get(row, "reason");

	new->line = row->line;
	if (toml_only(row, keys, e) || lock_project(l, row, row->key, &new->name, e) ||
		toml_opt_bool(row, "exclude", &new->is_exclude, e) ||
		toml_opt_str(row, "version", &new->text, e)) {
		return -(int)e->rc;
	}
	if (new->is_exclude == (version != NULL)) {
		lock_fail(row, e, RC_INVALID, "%.*s needs one of version and exclude",
			STR_ARG(new->name));
		return err_hint(e, "version = \">=2.5\" (\"*\": any), or exclude = true");
	}
	if (version && lock_specifiers(l, version, &new->specifiers, e)) {
		return -(int)e->rc;
	}
	new->text = new->specifiers.n ? str_trim(new->text) : STR_NULL;
	if (!reason) {
		lock_fail(row, e, RC_INVALID, "the override of %.*s has no reason",
			STR_ARG(new->name));
		return err_hint(e, "reason = \"why\": it is signed into the bundle");
	}
	return lock_reason(reason, &new->reason, e);
}

static int read_overrides(struct lock *l, const struct toml *table, struct err *e)
{
	for (const struct toml *row = table->first; row; row = row->next) {
		struct lock_override new = { .is_exclude = false };

		if (row->type != TOML_TABLE) {
			lock_fail_key(row, e, RC_SYNTAX, "\"%.*s\" is not a table",
				STR_ARG(str_first(row->key, 100)));
			return err_hint(e, "an override is written [override.<package>]");
		}
		if (read_override(l, row, &new, e) || add_override(l, row, &new, e)) {
			return -(int)e->rc;
		}
	}
	return 0;
}

int lock_overrides_read(struct lock *l, const struct toml *root, struct err *e)
{
	const struct toml *list = toml_get(root, "exclude"), *table = NULL;
	struct str *ignored = NULL;
	size_t n = 0;

	if (toml_opt_strs(&l->arena, root, "exclude", false, &ignored, &n, e) ||
		toml_opt_table(root, "override", &table, e)) {
		return -(int)e->rc;
	}
	n += table ? table->count : 0;
	if (n > LIMIT_CLOSURE) {
		return lock_fail(table ? table : list, e, RC_LIMIT, "%zu overrides, at most %d", n,
			LIMIT_CLOSURE);
	}
	l->overrides = arena_array(&l->arena, n, sizeof(*l->overrides));
	for (const struct toml *at = list ? list->first : NULL; at; at = at->next) {
		if (read_excluded(l, at, e)) {
			return -(int)e->rc;
		}
	}
	return table ? read_overrides(l, table, e) : 0;
}

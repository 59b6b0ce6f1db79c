/* The tables of a native lock that are no lists: [toolkit], [recipe.<package>], [waive]. */
#include "manifests/lock_reader.h"
#include "manifests/limits.h"

/* ---- [toolkit] ---- */

static bool is_toolkit_version(struct str text)
{
	struct str part;
	uint64_t number;
	size_t n = 0;

	while (str_cut(&text, '.', &part)) {
		if (part.n > 6 || !str_to_u64(part, &number)) {
			return false;
		}
		n++;
	}
	return n == 2 || n == 3;
}

static int read_wheels_toolkit(struct lock *l, const struct toml *table, struct err *e)
{
	const struct toml *v = toml_get(table, "packages");
	struct str *list = NULL;

	if (toml_get(table, "version")) {
		lock_fail_key(toml_get(table, "version"), e, RC_INVALID,
			"version is for from = \"site\": wheels are pinned by their [[package]] "
			"rows");
		return -(int)e->rc;
	}
	if (toml_opt_strs(&l->arena, table, "packages", false, &list, &l->ntoolkit_packages, e)) {
		return -(int)e->rc;
	}
	if (l->ntoolkit_packages == 0) {
		lock_fail(v ? v : table, e, RC_INVALID, "from = \"wheels\" needs packages");
		return err_hint(
			e, "packages = [\"nvidia-cuda-nvcc\", ...]: the wheels that nvcc comes in");
	}
	for (size_t i = 0; i < l->ntoolkit_packages; i++) {
		if (lock_project(l, v, list[i], &list[i], e)) {
			return -(int)e->rc;
		}
	}
	l->toolkit = LOCK_TOOLKIT_WHEELS;
	l->toolkit_packages = list;
	return 0;
}

static int read_site_toolkit(struct lock *l, const struct toml *table, struct err *e)
{
	const struct toml *packages = toml_get(table, "packages");

	if (packages) {
		return lock_fail_key(packages, e, RC_INVALID, "packages is for from = \"wheels\"");
	}
	if (toml_need_str(table, "version", &l->toolkit_version, e)) {
		return -(int)e->rc;
	}
	if (!is_toolkit_version(l->toolkit_version)) {
		return lock_fail(toml_get(table, "version"), e, RC_INVALID,
			"\"%.*s\" is not a CUDA version such as \"13.0\"",
			STR_ARG(str_first(l->toolkit_version, 100)));
	}
	l->toolkit = LOCK_TOOLKIT_SITE;
	return 0;
}

int lock_toolkit_read(struct lock *l, const struct toml *root, struct err *e)
{
	static const char *const keys[] = { "from", "packages", "version", NULL };
	const struct toml *table = NULL;
	struct str from = STR_NULL;

	if (toml_opt_table(root, "toolkit", &table, e)) {
		return -(int)e->rc;
	}
	if (!table) {
		return 0;
	}
	if (toml_only(table, keys, e) || toml_need_str(table, "from", &from, e)) {
		return -(int)e->rc;
	}
	if (str_is(from, "wheels")) {
		return read_wheels_toolkit(l, table, e);
	}
	if (str_is(from, "site")) {
		return read_site_toolkit(l, table, e);
	}
	return lock_fail(toml_get(table, "from"), e, RC_INVALID,
		"from = \"%.*s\" is not known; nvcc comes from \"wheels\" or from the \"site\"",
		STR_ARG(str_first(from, 100)));
}

/* ---- [recipe.<package>] ---- */

static bool is_variable(struct str name)
{
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];
		bool is_letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';

		if (!is_letter && (i == 0 || c < '0' || c > '9')) {
			return false;
		}
	}
	return name.n > 0;
}

/* Only the three names that the builder fills in may stand in ${...}. */
static int check_value(const struct toml *v, struct err *e)
{
	static const char *const known[] = { "arch_list}", "sm_list}", "sm_base_list}",
		"cmake_list}", "gencode}", "jobs}" };
	struct str rest = v->text;

	if (str_find(rest, '\0') < rest.n) {
		return lock_fail(v, e, RC_INVALID, "a variable cannot hold U+0000");
	}
	for (; rest.n; rest = str_skip(rest, 1)) {
		struct str name = str_skip(rest, 2);
		bool is_known = !str_starts(rest, "${");

		for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
			is_known = is_known || str_starts(name, known[i]);
		}
		if (!is_known) {
			name = str_first(name, str_find(name, '}'));
			lock_fail(v, e, RC_INVALID, "${%.*s} is not filled in",
				STR_ARG(str_first(name, 100)));
			return err_hint(e, "${arch_list}, ${sm_list}, ${sm_base_list}, ${cmake_list}, ${gencode} and ${jobs} are");
		}
	}
	return 0;
}

static int read_env(struct lock *l, const struct toml *row, struct lock_recipe *r, struct err *e)
{
	const struct toml *env = NULL;

	if (toml_opt_table(row, "env", &env, e)) {
		return -(int)e->rc;
	}
	if (!env) {
		return 0;
	}
	r->env_names = arena_array(&l->arena, env->count, sizeof(*r->env_names));
	r->env_values = arena_array(&l->arena, env->count, sizeof(*r->env_values));
	for (const struct toml *v = env->first; v; v = v->next) {
		if (!is_variable(v->key)) {
			return lock_fail_key(v, e, RC_INVALID,
				"\"%.*s\" is not the name of an environment variable",
				STR_ARG(str_first(v->key, 100)));
		}
		if (v->type != TOML_STRING) {
			return lock_fail(v, e, RC_SYNTAX, "the value of %.*s is not a string",
				STR_ARG(str_first(v->key, 100)));
		}
		if (check_value(v, e)) {
			return -(int)e->rc;
		}
		r->env_names[r->nenv] = v->key;
		r->env_values[r->nenv++] = v->text;
	}
	return 0;
}

static int read_recipe(struct lock *l, const struct toml *row, struct lock_recipe *r, struct err *e)
{
	static const char *const keys[] = { "requires", "env", "device-code", "reason", NULL };

	r->line = row->line;
	r->has_device_code = toml_get(row, "device-code") != NULL;
	if (toml_only(row, keys, e) || lock_project(l, row, row->key, &r->name, e) ||
		toml_opt_bool(row, "device-code", &r->device_code, e) ||
		toml_opt_strs(&l->arena, row, "requires", false, &r->requires, &r->nrequires, e) ||
		read_env(l, row, r, e) ||
		(toml_get(row, "reason") && lock_reason(toml_get(row, "reason"), &r->reason, e))) {
		return -(int)e->rc;
	}
	for (size_t i = 0; i < r->nrequires; i++) {
		struct requirement ignored;

		if (requirement_parse(&l->arena, r->requires[i], &ignored, e)) {
			return lock_wrap(toml_get(row, "requires"), e);
		}
	}
	return 0;
}

int lock_recipes_read(struct lock *l, const struct toml *root, struct err *e)
{
	const struct toml *table = NULL;

	if (toml_opt_table(root, "recipe", &table, e)) {
		return -(int)e->rc;
	}
	if (!table) {
		return 0;
	}
	if (table->count > LIMIT_CLOSURE) {
		return lock_fail(
			table, e, RC_LIMIT, "%zu recipes, at most %d", table->count, LIMIT_CLOSURE);
	}
	l->recipes = arena_array(&l->arena, table->count, sizeof(*l->recipes));
	for (const struct toml *row = table->first; row; row = row->next) {
		struct lock_recipe *r = &l->recipes[l->nrecipes];

		if (row->type != TOML_TABLE) {
			lock_fail_key(row, e, RC_SYNTAX, "\"%.*s\" is not a table",
				STR_ARG(str_first(row->key, 100)));
			return err_hint(e, "a recipe is written [recipe.<package>]");
		}
		if (read_recipe(l, row, r, e)) {
			return -(int)e->rc;
		}
		const struct lock_recipe *old = lock_recipe_of(l, r->name);
		if (old) {
			return lock_fail_key(row, e, RC_INVALID,
				"%.*s has a recipe already, in line %u", STR_ARG(r->name),
				old->line);
		}
		l->nrecipes++;
	}
	return 0;
}

/* ---- [waive] ---- */

static int read_waiver(struct lock *l, const struct toml *v, struct lock_waiver *w, struct err *e)
{
	size_t at = str_find(v->key, '@');

	if (lock_project(l, v, str_first(v->key, at), &w->name, e) ||
		lock_reason(v, &w->reason, e)) {
		return -(int)e->rc;
	}
	w->target = at < v->key.n ? str_skip(v->key, at + 1) : STR_NULL;
	if (at < v->key.n && !lock_target(l, w->target)) {
		return lock_unknown_target(l, v, w->target, e);
	}
	for (size_t i = 0; i < l->nwaivers; i++) {
		if (str_eq(l->waivers[i].name, w->name) &&
			str_eq(l->waivers[i].target, w->target)) {
			return lock_fail_key(v, e, RC_INVALID, "%.*s is waived twice",
				STR_ARG(str_first(v->key, 200)));
		}
	}
	return 0;
}

int lock_waivers_read(struct lock *l, const struct toml *root, struct err *e)
{
	const struct toml *table = NULL;

	if (toml_opt_table(root, "waive", &table, e)) {
		return -(int)e->rc;
	}
	if (!table) {
		return 0;
	}
	if (table->count > LIMIT_CLOSURE) {
		return lock_fail(
			table, e, RC_LIMIT, "%zu waivers, at most %d", table->count, LIMIT_CLOSURE);
	}
	l->waivers = arena_array(&l->arena, table->count, sizeof(*l->waivers));
	for (const struct toml *v = table->first; v; v = v->next) {
		if (read_waiver(l, v, &l->waivers[l->nwaivers], e)) {
			return -(int)e->rc;
		}
		l->nwaivers++;
	}
	return 0;
}

/* gpkg's stacks.toml: curated sets of packages, each for one environment; [[stacks]] with a name
 * each, or [stacks.<name>]. Several of one name are one set for several environments: a target
 * each. Texts for people (description, use_case, tested_on ...) are passed over. */
#include "manifests/lock_reader.h"
#include "manifests/limits.h"

/* ---- which ones ---- */

static struct str stack_name(const struct toml *stacks, const struct toml *row)
{
	const struct toml *name = toml_get(row, "name");
	bool has_name = name && name->type == TOML_STRING;

	return stacks->type == TOML_TABLE ? row->key : has_name ? name->text : STR_NULL;
}

static int check_stacks(const struct toml *stacks, struct err *e)
{
	for (const struct toml *row = stacks->first; row; row = row->next) {
		if (row->type != TOML_TABLE) {
			return lock_fail(row, e, RC_SYNTAX, "a stack is not a table");
		}
		if (stack_name(stacks, row).n == 0) {
			return lock_fail(row, e, RC_SYNTAX, "a stack without a name");
		}
	}
	if (!stacks->first) {
		return lock_fail(stacks, e, RC_INVALID, "there is no stack in it");
	}
	return 0;
}

/* "a, b, c": each name once, in order of writing. */
static void put_names(const struct toml *stacks, struct buf *out)
{
	for (const struct toml *row = stacks->first; row && out->n < 500; row = row->next) {
		const struct toml *old = stacks->first;
		struct str name = stack_name(stacks, row);

		while (old != row && !str_eq(stack_name(stacks, old), name)) {
			old = old->next;
		}
		if (old == row) {
			buf_addf(out, "%s%.*s", out->n ? ", " : "", STR_ARG(str_first(name, 100)));
		}
	}
}

static size_t count_stacks(const struct toml *stacks, struct str name)
{
	size_t n = 0;

	for (const struct toml *row = stacks->first; row; row = row->next) {
		n += str_eq(stack_name(stacks, row), name);
	}
	return n;
}

/* The name that is asked for, or the only one; never a guess. */
static int choose_name(const struct toml *stacks, struct str wanted, struct str *out, struct err *e)
{
	CLEANUP_BUF struct buf names = BUF_INIT;
	struct str name = wanted.n ? wanted : stack_name(stacks, stacks->first);
	size_t n = count_stacks(stacks, name);

	if (wanted.n ? n > 0 : n == stacks->count) {
		*out = name;
		return 0;
	}
	put_names(stacks, &names);
	if (wanted.n) {
		return err_set(e, RC_USAGE, "there is no stack \"%.*s\"; the stacks are %.*s",
			STR_ARG(str_first(wanted, 100)), STR_ARG(buf_str(&names)));
	}
	err_set(e, RC_USAGE, "several stacks: %.*s", STR_ARG(buf_str(&names)));
	return err_hint(e, "choose one with --stack NAME");
}

/* ---- packages ---- */

/* "2.8.3" is that version; anything else is a specifier. */
static int read_version(
	struct lock *l, const struct toml *at, struct lock_package *p, struct err *e)
{
	struct err no_version = ERR_INIT;
	struct version version;

	if (version_parse(&l->arena, at->text, &version, &no_version)) {
		return lock_specifiers(l, at, &p->req.specifiers, e);
	}
	return lock_pin(l, at, &version, &p->req.specifiers, e);
}

static int read_url(struct lock *l, const struct toml *at, struct lock_package *p, struct err *e)
{
	struct toml escaped = *at;

	escaped.text = lock_gpkg_url(l, at->text, STR_NULL);
	return lock_package_url(l, &escaped, p, e);
}

/* name = "2.8.3", or a table. What was built on somebody's own machine has no URL that counts. */
static int read_package(struct lock *l, const struct toml *v, struct lock_package *p, struct err *e)
{
	const struct toml *version = v->type == TOML_STRING ? v : NULL, *url = NULL;
	struct str text = STR_NULL, source = STR_NULL;

	p->line = v->line;
	if (v->type != TOML_STRING && v->type != TOML_TABLE) {
		return lock_fail(v, e, RC_SYNTAX, "a package is a version or a table");
	}
	if (v->type == TOML_TABLE) {
		if (toml_opt_str(v, "version", &text, e) || toml_opt_str(v, "url", &text, e) ||
			toml_opt_str(v, "source", &source, e)) {
			return -(int)e->rc;
		}
		version = toml_get(v, "version");
		url = str_is(source, "local-build") ? NULL : toml_get(v, "url");
	}
	if (lock_project(l, v, v->key, &p->req.name, e) ||
		(version && read_version(l, version, p, e)) || (url && read_url(l, url, p, e))) {
		return -(int)e->rc;
	}
	lock_spell(l, &p->req);
	return 0;
}

static int read_packages(struct lock *l, const struct toml *stack, struct str target, struct err *e)
{
	const struct toml *table = NULL;

	if (toml_opt_table(stack, "packages", &table, e)) {
		return -(int)e->rc;
	}
	if (!table || !table->first) {
		return lock_fail(stack, e, RC_INVALID, "the stack has no packages");
	}
	struct lock_package *p = lock_add_packages(l, table->count);
	for (const struct toml *v = table->first; v; v = v->next, p++) {
		p->targets = arena_strs(&l->arena, &target, 1);
		p->ntargets = 1;
		if (read_package(l, v, p, e)) {
			return -(int)e->rc;
		}
		l->npackages++;
	}
	return 0;
}

/* ---- the whole ---- */

static int read_stack(
	struct lock *l, const struct toml *stack, const struct target_spec *extra, struct err *e)
{
	struct target *t = &l->targets[l->ntargets];

	if (lock_gpkg_target(l, stack, extra, t, e)) {
		return -(int)e->rc;
	}
	if (lock_target(l, t->name)) {
		lock_fail(stack, e, RC_INVALID, "the stack is there twice for the target %.*s",
			STR_ARG(t->name));
		return err_hint(e, "delete one of them, or leave out --name");
	}
	l->ntargets++;
	return read_packages(l, stack, t->name, e);
}

int lock_stacks_read(
	struct lock *l, const struct toml *root, const struct lock_options *o, struct err *e)
{
	const struct toml *stacks = toml_get(root, "stacks");
	struct str name = STR_NULL;

	if (check_stacks(stacks, e) || choose_name(stacks, o->stack, &name, e)) {
		return -(int)e->rc;
	}
	size_t n = count_stacks(stacks, name);
	if (n > LIMIT_TARGETS) {
		return lock_fail(stacks, e, RC_LIMIT, "%zu stacks of one name, at most %d", n,
			LIMIT_TARGETS);
	}
	l->targets = arena_array(&l->arena, n, sizeof(*l->targets));
	for (const struct toml *row = stacks->first; row; row = row->next) {
		if (str_eq(stack_name(stacks, row), name) && read_stack(l, row, o->extra, e)) {
			return -(int)e->rc;
		}
	}
	return 0;
}

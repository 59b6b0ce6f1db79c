/* The targets of a manifest: their plans, what the audit found, their recipes. */
#include "manifests/limits.h"
#include "manifests/manifest_reader.h"
#include "manifests/target_text.h"

#include <stdlib.h>

static int read_index(const struct json *v, size_t nfiles, size_t *out, struct err *e)
{
	uint64_t file;
	int r = json_need_u64(v, "file", &file, e);

	if (!r && file >= nfiles) {
		r = err_set(e, RC_INVALID, "file: %llu of %zu", (unsigned long long)file, nfiles);
	}
	*out = r ? 0 : (size_t)file;
	return r;
}

static int read_use(const struct json *v, unsigned *out, struct err *e)
{
	static const char *const words[] = { "run", "build", "toolkit" };
	const struct json *item;
	size_t n;
	int r = field_list(v, "use", 3, &item, &n, e);

	*out = 0;
	for (size_t i = 0; !r && i < n; i++, item = json_next(item)) {
		struct str word;
		unsigned bit = 0;

		r = json_to_str(item, "use", &word, e);
		while (!r && bit < 3 && !str_is(word, words[bit])) {
			bit++;
		}
		if (!r && bit == 3) {
			r = err_set(e, RC_BUNDLE_SPEC, "use: \"%.*s\" is not known to this version",
				STR_ARG(str_first(word, 64)));
		}
		*out |= r ? 0 : 1u << bit;
	}
	return !r && *out == 0 ? err_set(e, RC_INVALID, "use: empty") : r;
}

/* Pick i, after those before it. Files are sorted by name, so the picks of a project stand
 * together. */
static int check_pick(
	const struct manifest *m, const struct manifest_target *t, size_t i, struct err *e)
{
	const struct manifest_pick *p = &t->picks[i];
	struct str name = m->files[p->file].name;

	if (i && p->file <= t->picks[i - 1].file) {
		return err_set(e, RC_INVALID, "file %zu: twice, or not in order", p->file);
	}
	for (size_t j = i;
		(p->use & USE_RUN) && j && str_eq(m->files[t->picks[j - 1].file].name, name); j--) {
		if (t->picks[j - 1].use & USE_RUN) {
			return err_set(e, RC_INVALID, "file %zu: the second of %.*s to run with",
				p->file, STR_ARG(name));
		}
	}
	return 0;
}

static bool is_check_name(struct str name)
{
	for (size_t i = 0; i < name.n; i++) {
		if (!(name.p[i] >= 'a' && name.p[i] <= 'z') && name.p[i] != '-') {
			return false;
		}
	}
	return name.n > 0;
}

static int read_finding(
	struct arena *a, const struct json *v, struct manifest_finding *out, struct err *e)
{
	static const char *const results[] = { "WARN", "UNKNOWN", "FAIL", NULL };
	int result = 0;
	int r = field_text(a, v, "check", LIMIT_WORD, &out->check, e);

	r = r ? r : field_text(a, v, "member", LIMIT_FINDING_KEPT, &out->member, e);
	r = r ? r : field_word(v, "result", results, &result, e);
	r = r ? r : field_text(a, v, "text", LIMIT_FINDING_KEPT, &out->text, e);
	if (!r && !is_check_name(out->check)) {
		r = err_set(e, RC_INVALID, "check: not a name");
	}
	out->result = r ? STR_NULL : str_of(results[result - 1]);
	return r;
}

static int read_findings(
	struct arena *a, const struct json *v, struct manifest_pick *p, struct err *e)
{
	const struct json *item;
	int r = field_list(v, "findings", LIMIT_PICK_FINDINGS, &item, &p->nfindings, e);

	if (r) {
		return r;
	}
	p->findings = arena_array(a, p->nfindings, sizeof(*p->findings));
	for (size_t i = 0; i < p->nfindings; i++, item = json_next(item)) {
		r = read_finding(a, item, &p->findings[i], e);
		if (r) {
			return err_wrap(e, "findings[%zu]", i);
		}
	}
	return p->nfindings && !p->audit.n ? err_set(e, RC_INVALID, "findings: without an audit")
					   : 0;
}

static int read_audit(const struct manifest *m, struct arena *a, const struct json *v,
	struct manifest_pick *p, struct err *e)
{
	if (m->spec < MANIFEST_SPEC_AUDIT) {
		return 0;
	}
	int r = field_text(a, v, "audit", LIMIT_AUDIT_LINE, &p->audit, e);
	return r ? r : read_findings(a, v, p, e);
}

static int read_pick(
	struct manifest *m, const struct json *v, struct manifest_pick *p, struct err *e)
{
	struct arena *a = &m->arena;
	int r = read_index(v, m->nfiles, &p->file, e);

	r = r ? r : read_use(v, &p->use, e);
	r = r ? r : json_need_bool(v, "requested", &p->is_requested, e);
	r = r ? r : field_strs(a, v, "extras", &p->extras, &p->nextras, e);
	return r ? r : read_audit(m, a, v, p, e);
}

static int read_picks(
	struct manifest *m, const struct json *v, struct manifest_target *t, struct err *e)
{
	const struct json *item;
	int r = field_list(v, "plan", LIMIT_CLOSURE, &item, &t->npicks, e);

	if (r) {
		return r;
	}
	t->picks = arena_array(&m->arena, t->npicks, sizeof(*t->picks));
	for (size_t i = 0; i < t->npicks; i++, item = json_next(item)) {
		r = read_pick(m, item, &t->picks[i], e);
		r = r ? r : check_pick(m, t, i, e);
		if (r) {
			return err_wrap(e, "plan[%zu]", i);
		}
	}
	return 0;
}

static int read_env(
	struct arena *a, const struct json *v, struct manifest_recipe *out, struct err *e)
{
	const struct json *item;
	int r = field_list(v, "env", LIMIT_RECIPE_ENV, &item, &out->nenv, e);

	if (r) {
		return r;
	}
	out->env_names = arena_array(a, out->nenv, sizeof(*out->env_names));
	out->env_values = arena_array(a, out->nenv, sizeof(*out->env_values));
	for (size_t i = 0; i < out->nenv; i++, item = json_next(item)) {
		const struct json *name = json_first(item);
		struct str n, s;

		if (!json_is_array(item) || json_count(item) != 2) {
			return err_set(e, RC_SYNTAX, "env[%zu]: not a pair", i);
		}
		r = json_to_str(name, "env", &n, e);
		r = r ? r : json_to_str(json_next(name), "env", &s, e);
		if (r) {
			return r;
		}
		out->env_names[i] = arena_str(a, n);
		out->env_values[i] = arena_str(a, s);
	}
	return 0;
}

static int by_file(const void *key, const void *pick)
{
	size_t file = *(const size_t *)key, other = ((const struct manifest_pick *)pick)->file;

	return (file > other) - (file < other);
}

static bool is_for_build(const struct manifest_target *t, size_t file)
{
	const struct manifest_pick *p =
		t->npicks ? bsearch(&file, t->picks, t->npicks, sizeof(*p), by_file) : NULL;

	return p && (p->use & USE_BUILD);
}

static int read_environment(struct arena *a, const struct json *v, const struct manifest_target *t,
	struct manifest_recipe *out, struct err *e)
{
	const struct json *item;
	int r = field_list(v, "environment", LIMIT_CLOSURE, &item, &out->nenvironment, e);

	if (r) {
		return r;
	}
	out->environment = arena_array(a, out->nenvironment, sizeof(*out->environment));
	for (size_t i = 0; i < out->nenvironment; i++, item = json_next(item)) {
		uint64_t file = 0;

		r = json_to_u64(item, "environment", &file, e);
		if (!r && !is_for_build(t, (size_t)file)) {
			r = err_set(e, RC_INVALID,
				"environment: file %llu: the plan has none to build with",
				(unsigned long long)file);
		}
		if (!r && i && file <= out->environment[i - 1]) {
			r = err_set(e, RC_INVALID, "environment: file %llu: twice, or not in order",
				(unsigned long long)file);
		}
		if (r) {
			return r;
		}
		out->environment[i] = (size_t)file;
	}
	return 0;
}

static int read_recipes(
	struct manifest *m, const struct json *v, struct manifest_target *t, struct err *e)
{
	const struct json *item;
	struct arena *a = &m->arena;
	int r = field_list(v, "recipes", LIMIT_CLOSURE, &item, &t->nrecipes, e);

	if (r) {
		return r;
	}
	t->recipes = arena_array(a, t->nrecipes, sizeof(*t->recipes));
	for (size_t i = 0; i < t->nrecipes; i++, item = json_next(item)) {
		struct manifest_recipe *p = &t->recipes[i];

		r = read_index(item, m->nfiles, &p->file, e);
		r = r ? r : json_need_bool(item, "device_code", &p->device_code, e);
		r = r ? r : read_environment(a, item, t, p, e);
		r = r ? r : read_env(a, item, p, e);
		if (!r && i && p->file <= t->recipes[i - 1].file) {
			r = err_set(e, RC_INVALID, "file %zu: twice, or not in order", p->file);
		}
		if (r) {
			return err_wrap(e, "recipes[%zu]", i);
		}
	}
	return 0;
}

int manifest_read_targets(const struct json *root, struct manifest *m, struct err *e)
{
	const struct json *item, *machine;
	int r = field_list(root, "targets", LIMIT_TARGETS, &item, &m->ntargets, e);

	if (r) {
		return r;
	}
	m->targets = arena_array(&m->arena, m->ntargets, sizeof(*m->targets));
	for (size_t i = 0; i < m->ntargets; i++, item = json_next(item)) {
		struct manifest_target *t = &m->targets[i];

		r = json_need_object(item, "machine", &machine, e);
		r = r ? r : target_from_json(&m->arena, machine, &t->target, e);
		r = r ? r : read_picks(m, item, t, e);
		r = r ? r : read_recipes(m, item, t, e);
		r = r ? r : field_text(&m->arena, item, "toolkit", LIMIT_WORD, &t->toolkit, e);
		if (!r && manifest_target_of(m, t->target.name) != t) {
			r = err_set(
				e, RC_INVALID, "\"%.*s\" stands twice", STR_ARG(t->target.name));
		}
		if (r) {
			return err_wrap(e, "targets[%zu]", i);
		}
	}
	return 0;
}

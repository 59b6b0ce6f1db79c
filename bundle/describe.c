#include "bundle/describe.h"
#include "manifests/base/mem.h"
#include "manifests/base/uri.h"
#include "manifests/limits.h"
#include "manifests/recipe.h"
#include "verify/hash.h"

#include <stdlib.h>

/* ---- one file ---- */

static bool has_local_mismatch(const struct plan_file *f)
{
	struct arena a = ARENA_INIT;
	struct err ignored = ERR_INIT;
	struct version inside;
	bool mismatch = f->from.name.version.nlocal && f->core.version.n &&
			version_parse(&a, f->core.version, &inside, &ignored) == 0 && inside.nlocal == 0;

	arena_release(&a);
	return mismatch;
}

static void describe_file(
	struct arena *a, const struct plan_file *f, struct str device_code, struct manifest_file *out)
{
	bool is_wheel = f->from.name.kind == DIST_WHEEL;
	struct str version = f->core.version.n ? f->core.version : f->from.name.version.raw;

	*out = (struct manifest_file){
		.sha256 = f->from.sha256,
		.size = f->from.size,
		.file = arena_str(a, f->from.name.file),
		.name = arena_str(a, f->project),
		.version = arena_str(a, version),
		.kind = f->from.name.kind,
		.requires_python = arena_str(a, f->core.requires_python),
		.metadata_size = is_wheel ? f->metadata.n : 0,
		.local_mismatch = has_local_mismatch(f),
		.device_code = arena_str(a, device_code),
		.is_yanked = f->from.is_yanked,
		.yanked = arena_str(a, f->from.yanked),
		.origin = str_of(uri_redact(a, str_of(f->from.url))),
		.hash_from = f->hash_from,
		.license = f->core.license.n <= LIMIT_LICENSE ? arena_str(a, f->core.license) : STR_NULL,
	};
	if (is_wheel) {
		hash_bytes(f->metadata, &out->metadata_sha256);
	}
}

/* ---- order: by name, file and digest; picks follow ---- */

static int by_name(const void *a, const void *b)
{
	return manifest_file_cmp(a, b);
}

/* Sorts, drops what two URLs gave twice, and tells where each plan file went. */
static size_t *sort_files(struct arena *a, const struct plan *plan, struct manifest *m)
{
	size_t *place = arena_array(a, plan->nfiles, sizeof(*place)), n = 0;

	qsort(m->files, m->nfiles, sizeof(*m->files), by_name);
	for (size_t i = 0; i < m->nfiles; i++) {
		if (n == 0 || by_name(&m->files[n - 1], &m->files[i]) != 0) {
			m->files[n++] = m->files[i];
		}
	}
	m->nfiles = n;
	for (size_t i = 0; i < plan->nfiles; i++) {
		const struct manifest_file key = { .name = plan->files[i].project,
			.file = plan->files[i].from.name.file, .sha256 = plan->files[i].from.sha256 };
		const struct manifest_file *at = bsearch(&key, m->files, n, sizeof(key), by_name);

		place[i] = (size_t)(at - m->files);
	}
	return place;
}

/* ---- targets ---- */

static int by_env_name(const void *a, const void *b)
{
	return str_cmp(((const struct str *)a)[0], ((const struct str *)b)[0]);
}

struct env {
	struct str (*v)[2]; /* name and value */
	size_t n;
};

/* A later value takes the place of an earlier one of that name. */
static void set_env(struct env *env, struct str name, struct str value)
{
	size_t i = 0;

	while (i < env->n && !str_eq(env->v[i][0], name)) {
		i++;
	}
	env->v[i][0] = name;
	env->v[i][1] = value;
	env->n += i == env->n;
}

/* What is known of the project, and the lock's own variables over it. */
static void copy_env(struct arena *a, const struct lock *lock, struct str project, struct manifest_recipe *out)
{
	const struct lock_recipe *own = lock_recipe_of(lock, project);
	const struct recipe_env *known = recipe_find(project)->env;
	size_t nown = own ? own->nenv : 0, nknown = 0;
	struct env env = { .n = 0 };

	while (known[nknown].name) {
		nknown++;
	}
	env.v = arena_array(a, nown + nknown, sizeof(*env.v));
	for (size_t i = 0; i < nknown; i++) {
		set_env(&env, str_of(known[i].name), str_of(known[i].value));
	}
	for (size_t i = 0; i < nown; i++) {
		set_env(&env, arena_str(a, own->env_names[i]), arena_str(a, own->env_values[i]));
	}
	qsort(env.v, env.n, sizeof(*env.v), by_env_name);
	out->env_names = arena_array(a, env.n, sizeof(struct str));
	out->env_values = arena_array(a, env.n, sizeof(struct str));
	out->nenv = env.n;
	for (size_t i = 0; i < env.n; i++) {
		out->env_names[i] = env.v[i][0];
		out->env_values[i] = env.v[i][1];
	}
}

static int by_file(const void *a, const void *b)
{
	const struct manifest_pick *x = a, *y = b;

	return (x->file > y->file) - (x->file < y->file);
}

static int by_recipe_file(const void *a, const void *b)
{
	const struct manifest_recipe *x = a, *y = b;

	return (x->file > y->file) - (x->file < y->file);
}

static int by_index(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return (x > y) - (x < y);
}

static void describe_environment(struct arena *a, const struct plan_pick *p, const size_t *place,
	struct manifest_recipe *out)
{
	size_t n = 0;

	out->environment = arena_array(a, p->nenvironment, sizeof(*out->environment));
	for (size_t i = 0; i < p->nenvironment; i++) {
		out->environment[i] = place[p->environment[i]];
	}
	qsort(out->environment, p->nenvironment, sizeof(*out->environment), by_index);
	for (size_t i = 0; i < p->nenvironment; i++) {
		if (n == 0 || out->environment[n - 1] != out->environment[i]) {
			out->environment[n++] = out->environment[i];
		}
	}
	out->nenvironment = n;
}

static void describe_toolkit(struct arena *a, const struct lock *lock, struct manifest_target *out)
{
	bool carried = false;

	for (size_t i = 0; i < out->npicks; i++) {
		carried |= (out->picks[i].use & USE_TOOLKIT) != 0;
	}
	if (carried) {
		out->toolkit = STR("wheels");
	} else if (lock->toolkit == LOCK_TOOLKIT_SITE && out->nrecipes) {
		out->toolkit = str_of(arena_printf(a, "site:%.*s", STR_ARG(lock->toolkit_version)));
	}
}

/* ---- what the audit found ---- */

static struct str cut_text(struct arena *a, struct str text)
{
	struct str s = str_first(text, LIMIT_FINDING_KEPT);

	while (s.n && s.n < text.n && ((unsigned char)s.p[s.n] & 0xc0) == 0x80) {
		s.n--; /* not within a character */
	}
	return arena_str(a, s);
}

static void add_finding(struct arena *a, const struct audit_finding *f, struct manifest_pick *out)
{
	out->findings[out->nfindings++] =
		(struct manifest_finding){ .check = str_of(audit_check_name(f->check)),
			.result = str_of(audit_result_text(f->result)),
			.member = cut_text(a, f->member),
			.text = cut_text(a, f->text) };
}

/* Is there room for it, where the gravest come first? */
static bool has_room(const struct plan_audited *x, size_t finding, size_t room)
{
	size_t before = 0;

	for (size_t i = 0; i < x->nfindings; i++) {
		before += x->findings[i].result > x->findings[finding].result ||
			  (x->findings[i].result == x->findings[finding].result && i < finding);
	}
	return before < room;
}

static void describe_audit(struct arena *a, const struct plan_audited *x, struct manifest_pick *out)
{
	bool is_all = x->nfindings <= LIMIT_PICK_FINDINGS;
	size_t room = is_all ? x->nfindings : LIMIT_PICK_FINDINGS - 1;
	const struct audit_finding *left_out = NULL; /* the gravest of them */

	out->audit = arena_str(a, x->line);
	out->findings = arena_array(a, room + 1, sizeof(*out->findings));
	for (size_t i = 0; i < x->nfindings; i++) {
		const struct audit_finding *f = &x->findings[i];

		if (has_room(x, i, room)) {
			add_finding(a, f, out);
		} else if (!left_out || f->result > left_out->result) {
			left_out = f;
		}
	}
	if (left_out) {
		struct audit_finding more = *left_out;

		more.member = STR_NULL;
		more.text = str_of(arena_printf(a, "and %zu more findings", x->nfindings - room));
		add_finding(a, &more, out);
	}
}

static void describe_target(struct arena *a, const struct lock *lock, const struct plan *plan,
	const struct plan_target *pt, const struct plan_audited *audited, const size_t *place,
	struct manifest_target *out)
{
	out->target = *pt->target;
	out->picks = arena_array(a, pt->npicks, sizeof(*out->picks));
	out->recipes = arena_array(a, pt->npicks, sizeof(*out->recipes));
	for (size_t i = 0; i < pt->npicks; i++) {
		const struct plan_pick *p = &pt->picks[i];
		const struct plan_file *f = &plan->files[p->file];

		out->picks[out->npicks++] = (struct manifest_pick){ .file = place[p->file], .use = p->use,
			.is_requested = p->is_requested, .nextras = p->nextras,
			.extras = arena_strs(a, p->extras, p->nextras) };
		describe_audit(a, &audited[i], &out->picks[i]);
		if (f->from.name.kind == DIST_SDIST) {
			struct manifest_recipe *r = &out->recipes[out->nrecipes++];

			r->file = place[p->file];
			r->device_code = p->device_code;
			describe_environment(a, p, place, r);
			copy_env(a, lock, f->project, r);
		}
	}
	qsort(out->picks, out->npicks, sizeof(*out->picks), by_file);
	qsort(out->recipes, out->nrecipes, sizeof(*out->recipes), by_recipe_file);
	describe_toolkit(a, lock, out);
}

static void add_waiver(struct arena *a, struct manifest *m, struct str project, struct str target, const char *what,
	struct str reason)
{
	m->waivers[m->nwaivers++] = (struct manifest_waiver){ .project = arena_str(a, project),
		.target = arena_str(a, target), .what = str_of(what), .reason = arena_str(a, reason) };
}

static int by_project(const void *a, const void *b)
{
	const struct manifest_waiver *x = a, *y = b;
	int order = str_cmp(x->project, y->project);

	order = order ? order : str_cmp(x->target, y->target);
	order = order ? order : str_cmp(x->what, y->what);
	return order ? order : str_cmp(x->reason, y->reason);
}

/* In an order that does not tell how the plan came about, each once. */
static void sort_waivers(struct manifest *m)
{
	size_t n = 0;

	if (m->nwaivers) {
		qsort(m->waivers, m->nwaivers, sizeof(*m->waivers), by_project);
	}
	for (size_t i = 0; i < m->nwaivers; i++) {
		if (n == 0 || by_project(&m->waivers[n - 1], &m->waivers[i]) != 0) {
			m->waivers[n++] = m->waivers[i];
		}
	}
	m->nwaivers = n;
}

static void describe_audit_waivers(
	struct arena *a, const struct plan *plan, const struct plan_audit *audit, struct manifest *m)
{
	for (size_t i = 0; i < plan->ntargets; i++) {
		const struct plan_target *t = &plan->targets[i];

		for (size_t k = 0; k < t->npicks; k++) {
			if (audit->picks[i][k].is_unfit) {
				add_waiver(a, m, plan->files[t->picks[k].file].project, t->target->name,
					"audit", audit->picks[i][k].waived);
			}
		}
	}
}

static void describe_waivers(struct arena *a, const struct lock *lock, const struct plan *plan,
	const struct plan_audit *audit, struct manifest *m)
{
	size_t most = plan->nholes + 2 * plan->nfiles;

	for (size_t i = 0; i < plan->ntargets; i++) {
		most += plan->targets[i].npicks;
	}
	m->waivers = arena_array(a, most, sizeof(*m->waivers));
	describe_audit_waivers(a, plan, audit, m);
	for (size_t i = 0; i < plan->nholes; i++) {
		const struct plan_hole *h = &plan->holes[i];

		add_waiver(a, m, h->project, h->target, "hole", h->waived);
	}
	for (size_t i = 0; i < plan->nfiles; i++) {
		struct str project = plan->files[i].project;

		if (audit->is_record_waived[i]) {
			add_waiver(a, m, project, STR_NULL, "record",
				lock_waives(lock, project, STR_NULL)->reason);
		}
		if (plan->files[i].hash_from == HASH_FROM_FIRST_USE) {
			add_waiver(a, m, project, STR_NULL, "first-use", STR("--trust-first-use"));
		}
	}
	sort_waivers(m);
}

void describe(const struct lock *lock, const struct plan *plan, const struct plan_audit *audit,
	struct manifest *out)
{
	struct arena *a = &out->arena;

	out->files = arena_array(a, plan->nfiles, sizeof(*out->files));
	out->nfiles = plan->nfiles;
	for (size_t i = 0; i < plan->nfiles; i++) {
		describe_file(a, &plan->files[i], audit->device_code[i], &out->files[i]);
	}
	size_t *place = sort_files(a, plan, out);
	out->targets = arena_array(a, plan->ntargets, sizeof(*out->targets));
	out->ntargets = plan->ntargets;
	for (size_t i = 0; i < plan->ntargets; i++) {
		describe_target(a, lock, plan, &plan->targets[i], audit->picks[i], place, &out->targets[i]);
	}
	describe_waivers(a, lock, plan, audit, out);
}

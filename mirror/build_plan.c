#include "mirror/build_plan.h"

#include "manifests/base/log.h"
#include "manifests/base/vec.h"
#include "manifests/name.h"
#include "mirror/child.h"
#include "mirror/closure.h"

#include <string.h>

const char *build_state_name(enum build_state state)
{
	static const char *const names[] = { "", "to-do", "built-before", "built", "failed",
		"not-here" };

	return names[state];
}

static bool is_asked(struct build_plan *p, const struct build_request *r, struct str project)
{
	for (size_t i = 0; i < r->nnames; i++) {
		if (str_is(project, name_normalize(&p->arena, str_of(r->names[i])))) {
			return true;
		}
	}
	return r->nnames == 0;
}

/* A source that the target sees no more, because of a newer one, is nobody's need, unless a build
 * environment of the plan in force has it. */
static void add_item(struct build_plan *p, const struct store_target *t,
	const struct manifest_recipe *recipe, bool again)
{
	const struct store_file *sdist = &t->files[recipe->file];
	const struct store_file *built = closure_build_of(t, sdist);
	const struct store_file *seen = closure_pick(t, sdist->file.name, sdist->use);
	bool is_needed = seen == sdist || (built && seen == built) ||
			 (sdist->is_current && (sdist->use & USE_BUILD));
	struct build_item item = { .target = t, .recipe = recipe, .sdist = &sdist->file };

	if (is_needed && (!built || (again && built->is_built))) {
		item.state = BUILD_TO_DO;
	} else if (is_needed || (seen && seen->file.kind == DIST_WHEEL && !seen->is_built)) {
		item.state = BUILD_DONE_BEFORE;
		item.wheel = is_needed ? &built->file : &seen->file;
	} else {
		return;
	}
	vec_push(p, item);
}

static void add_target(
	struct build_plan *p, const struct store_target *t, const struct build_request *r)
{
	for (size_t i = 0; i < t->nrecipes; i++) {
		if (is_asked(p, r, t->files[t->recipes[i].file].file.name)) {
			add_item(p, t, &t->recipes[i], r->again);
		}
	}
}

static bool has_project(
	const struct store_view *v, const struct build_request *r, const char *project)
{
	for (size_t i = 0; i < v->ntargets; i++) {
		const struct store_target *t = &v->targets[i];

		if (r->target && !str_is(t->target.name, r->target)) {
			continue;
		}
		for (size_t k = 0; k < t->nfiles; k++) {
			if (str_is(t->files[k].file.name, project)) {
				return true;
			}
		}
	}
	return false;
}

static bool is_planned(const struct build_plan *p, const char *project)
{
	vec_each(struct build_item, item, p) {
		if (str_is(item->sdist->name, project)) {
			return true;
		}
	}
	return false;
}

/* Each project that was named must be in the plan. */
static int check_names(struct build_plan *p, const struct store_view *v,
	const struct build_request *r, struct err *e)
{
	for (size_t i = 0; i < r->nnames; i++) {
		const char *name = name_normalize(&p->arena, str_of(r->names[i]));

		if (!has_project(v, r, name)) {
			return err_set(e, RC_NOT_FOUND, "%s: %s%s has no package of that name",
				r->names[i], r->target ? "target " : "the store",
				r->target ? r->target : "");
		}
		if (!is_planned(p, name)) {
			return err_set(e, RC_INVALID,
				"%s: came as a wheel: there is nothing to build", r->names[i]);
		}
	}
	return 0;
}

static int check_target(const struct store_view *v, const char *name, struct err *e)
{
	CLEANUP_BUF struct buf known = BUF_INIT;

	if (store_view_target(v, str_of(name))) {
		return 0;
	}
	for (size_t i = 0; i < v->ntargets; i++) {
		buf_addf(&known, "%s%.*s", i ? ", " : "", STR_ARG(v->targets[i].target.name));
	}
	err_set(e, RC_NOT_FOUND, "target %s: not in this store", name);
	return err_hint(e, "it has: %s", known.n ? known.p : "none");
}

int build_plan_make(struct build_plan *p, const struct store_view *v, const struct build_request *r,
	struct err *e)
{
	if (r->target && check_target(v, r->target, e)) {
		return -(int)e->rc;
	}
	for (size_t i = 0; i < v->ntargets; i++) {
		if (!r->target || str_is(v->targets[i].target.name, r->target)) {
			add_target(p, &v->targets[i], r);
		}
	}
	return check_names(p, v, r, e);
}

void build_plan_release(struct build_plan *p)
{
	vec_release(p);
	arena_release(&p->arena);
}

size_t build_plan_count(const struct build_plan *p, enum build_state state)
{
	size_t n = 0;

	vec_each(struct build_item, item, p) {
		n += item->state == state;
	}
	return n;
}

/* Is another item of its target, that is still to be built, in its environment? */
static bool is_waiting(const struct build_plan *p, const struct build_item *item)
{
	vec_each(struct build_item, other, p) {
		if (other->state != BUILD_TO_DO || other->target != item->target || other == item) {
			continue;
		}
		for (size_t i = 0; i < item->recipe->nenvironment; i++) {
			if (item->recipe->environment[i] == other->recipe->file) {
				return true;
			}
		}
	}
	return false;
}

struct build_item *build_plan_next(struct build_plan *p)
{
	struct build_item *first = NULL;

	vec_each(struct build_item, item, p) {
		if (item->state != BUILD_TO_DO) {
			continue;
		}
		if (!is_waiting(p, item)) {
			return item;
		}
		first = first ? first : item; /* a circle: its first fails and says why */
	}
	return first;
}

void build_item_fail(
	struct build_plan *p, struct build_item *i, enum build_state state, const struct err *why)
{
	i->state = state;
	i->why = arena_alloc(&p->arena, sizeof(*why));
	*i->why = *why;
}

static void set_aside(struct build_plan *p, const struct store_target *t, const struct err *why)
{
	vec_each(struct build_item, item, p) {
		if (item->target == t && item->state == BUILD_TO_DO) {
			build_item_fail(p, item, BUILD_NOT_HERE, why);
		}
	}
}

static void set_foreign_targets_aside(struct build_plan *p, struct builder *b)
{
	const struct store_target *seen = NULL;

	vec_each(struct build_item, item, p) {
		struct err why = ERR_INIT;

		if (item->target != seen && item->state == BUILD_TO_DO &&
			builder_can(b, &item->target->target, &why)) {
			set_aside(p, item->target, &why);
		}
		seen = item->target;
	}
}

static void build_one(struct build_plan *p, struct build_item *item, struct builder *b)
{
	struct err why = ERR_INIT;

	log_say("building %.*s %.*s for %.*s", STR_ARG(item->sdist->name),
		STR_ARG(item->sdist->version), STR_ARG(item->target->target.name));
	if (builder_build(b, item->target->target.name, &item->sdist->sha256, &item->built, &why)) {
		build_item_fail(p, item, BUILD_FAILED, &why);
		return;
	}
	item->state = BUILD_MADE;
	item->wheel = &item->built.wheel;
	if (item->built.warning) {
		log_warn("%.*s: %s", STR_ARG(item->wheel->file), item->built.warning);
	}
	log_say("  %.*s in %.0f s, %.1f GiB; log: %s", STR_ARG(item->wheel->file),
		item->built.seconds, (double)item->built.memory_peak / (double)(1 << 30),
		item->built.log);
}

int build_plan_run(struct build_plan *p, struct builder *b, struct err *e)
{
	set_foreign_targets_aside(p, b);
	log_say("%u compilers at once, cut off by %s", builder_jobs(b), builder_confinement(b));
	for (struct build_item *item; (item = build_plan_next(p));) {
		build_one(p, item, b);
		if (child_stopped_by()) {
			return err_set(e, RC_BUILD, "stopped by %s", strsignal(child_stopped_by()));
		}
	}
	return 0;
}

/* What `build` has to do: one item for each source that a target needs built, and how it went. */
#ifndef MIRROR_BUILD_PLAN_H
#define MIRROR_BUILD_PLAN_H

#include "mirror/build.h"
#include "mirror/store.h"

enum build_state { BUILD_TO_DO = 1, BUILD_DONE_BEFORE, BUILD_MADE, BUILD_FAILED, BUILD_NOT_HERE };

struct build_item {
	const struct store_target *target;
	const struct manifest_recipe *recipe;
	const struct manifest_file *sdist;
	enum build_state state;
	const struct manifest_file *wheel; /* done before, or made */
	struct built built;                /* made */
	struct err *why;                   /* failed, or not here */
};

struct build_plan {
	struct arena arena;
	struct build_item *v;
	size_t n, cap;
};
#define BUILD_PLAN_INIT { .arena = ARENA_INIT }

struct build_request {
	const char *target;       /* NULL: all */
	const char *const *names; /* projects as the user wrote them; none: all */
	size_t nnames;
	bool again; /* also what has been built */
};

/* RC_NOT_FOUND: a target or project that is not there; RC_INVALID: a project that is no source
 * anywhere. */
int build_plan_make(struct build_plan *p, const struct store_view *v, const struct build_request *r,
	struct err *e);
void build_plan_release(struct build_plan *p);
size_t build_plan_count(const struct build_plan *p, enum build_state state);
/* The next item to do, after what it needs to be built with; NULL: none is left. */
struct build_item *build_plan_next(struct build_plan *p);
void build_item_fail(
	struct build_plan *p, struct build_item *i, enum build_state state, const struct err *why);
/* Builds everything that can be built here, one after the other, and tells about it: how each went
 * stands in its item. RC_BUILD only when a signal asked to stop. */
int build_plan_run(struct build_plan *p, struct builder *b, struct err *e);

const char *build_state_name(enum build_state state); /* "built", "failed", ... */

#endif

/* gpkg-bundle build: compiles what came as source. */
#include "manifests/base/log.h"
#include "manifests/base/opt.h"
#include "mirror/build_report.h"
#include "verify/store_place.h"

#include <limits.h>
#include <stdio.h>

int cmd_build(int argc, char **argv);

enum { JOBS_MAX = 4096, MINUTES_MAX = 1000000 };

struct build_call {
	struct opt_common common;
	struct opt_list packages;
	const char *target, *store;
	struct opt_number jobs, minutes;
	bool again;
};

/* The worst that happened; what cannot be built here counts where it was asked for by name. */
static int tell(const struct build_plan *p, const struct build_call *c)
{
	int status = 0;

	vec_each(struct build_item, i, p) {
		bool is_asked = c->target || c->packages.n;

		if (i->state == BUILD_FAILED || (i->state == BUILD_NOT_HERE && is_asked)) {
			int one = log_error("gpkg-bundle build", i->why, false);

			status = one > status ? one : status;
		} else if (i->state == BUILD_NOT_HERE) {
			log_say("%.*s for %.*s: not here: %s", STR_ARG(i->sdist->name),
				STR_ARG(i->target->target.name), i->why->text);
		}
	}
	return status;
}

static int build_all(
	struct build_plan *p, const struct build_call *c, struct builder **b, struct err *e)
{
	struct build_options options = { .jobs = (unsigned)c->jobs.value,
		.minutes = (unsigned)c->minutes.value };

	if (build_plan_count(p, BUILD_TO_DO) == 0) {
		log_say("nothing to build: %s",
			p->n ? "all has been built" : "everything came as a wheel");
		return 0;
	}
	int r = builder_open(c->store, &options, b, e);

	return r ? r : build_plan_run(p, *b, e);
}

static int check_numbers(const struct build_call *c, struct err *e)
{
	if ((c->jobs.given && (c->jobs.value < 1 || c->jobs.value > JOBS_MAX)) ||
		(c->minutes.given && (c->minutes.value < 1 || c->minutes.value > MINUTES_MAX))) {
		return err_set(e, RC_USAGE, "--jobs is 1 to %d, --time-limit 1 to %d minutes",
			JOBS_MAX, MINUTES_MAX);
	}
	return 0;
}

static int run(const struct build_call *c, int *status, struct err *e)
{
	CLEANUP_STORE struct store *s = NULL;
	CLEANUP_BUILDER struct builder *b = NULL; /* owns the results until they are printed */
	struct store_view v = STORE_VIEW_INIT;
	struct build_plan p = BUILD_PLAN_INIT;
	struct build_request request = { .target = c->target,
		.names = c->packages.v,
		.nnames = c->packages.n,
		.again = c->again };
	int r = check_numbers(c, e);

	if (!r) {
		r = store_open(c->store, STORE_READ, &s, e);
	}
	if (!r) {
		r = store_view_load(s, &v, e);
	}
	if (!r) {
		r = build_plan_make(&p, &v, &request, e);
	}
	if (!r) {
		r = build_all(&p, c, &b, e);
	}
	if (!r && c->common.json) {
		build_report_json(&p, c->store);
	} else if (!r) {
		build_report_text(&p);
	}
	if (!r) {
		*status = tell(&p, c);
	}
	build_plan_release(&p);
	store_view_release(&v);
	return r;
}

int cmd_build(int argc, char **argv)
{
	struct build_call c = { .target = NULL };
	const struct opt options[] = {
		{ 't', "target", OPT_TEXT, &c.target, "NAME", "only this target" },
		{ 'j', "jobs", OPT_NUMBER, &c.jobs, "N",
			"compilers at once; default: by cores and memory" },
		{ 0, "time-limit", OPT_NUMBER, &c.minutes, "MINUTES",
			"for each package; default: 720" },
		{ 0, "rebuild", OPT_FLAG, &c.again, NULL, "also what has been built before" },
		{ .name = NULL },
	};
	const struct opt_verb verb = { "build", "[PKG]...",
		"Compile what came as source, without network, for the targets that fit this "
		"machine.",
		options, 0, OPT_MANY };
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	int status = opt_parse(&verb, argc, argv, &c.common, &c.packages);

	if (status == OPT_GO) {
		c.store = store_place(&a, c.common.store);
		status = run(&c, &status, &e) ? log_error("gpkg-bundle build", &e, c.common.json)
					      : status;
	}
	vec_release(&c.packages);
	arena_release(&a);
	return status;
}

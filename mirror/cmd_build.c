/* gpkg-bundle build: compiles what came as source. */
#include "manifests/base/json.h"
#include "manifests/base/log.h"
#include "manifests/base/opt.h"
#include "mirror/build_plan.h"
#include "verify/store_place.h"

#include <limits.h>
#include <stdio.h>

int cmd_build(int argc, char **argv);

struct build_call {
	struct opt_common common;
	struct opt_list packages;
	const char *target, *store;
	struct opt_number jobs, minutes;
	bool again;
};

static void put_error(struct json_out *o, const struct err *e)
{
	json_put_key(o, "error");
	json_begin_object(o);
	json_cstr(o, "hint", e->hint);
	json_cstr(o, "reason", err_reason(e->rc));
	json_cstr(o, "text", e->text);
	json_end_object(o);
}

static void put_item(struct json_out *o, const struct build_item *i)
{
	char hex[DIGEST_HEX + 1];

	json_begin_object(o);
	if (i->wheel) {
		json_str(o, "device_code", i->wheel->device_code);
	}
	if (i->why) {
		put_error(o, i->why);
	}
	if (i->wheel) {
		json_str(o, "file", i->wheel->file);
	}
	if (i->state == BUILD_MADE) {
		json_cstr(o, "log", i->built.log);
		json_u64(o, "memory_peak", i->built.memory_peak);
	}
	json_str(o, "name", i->sdist->name);
	if (i->state == BUILD_MADE) {
		json_u64(o, "seconds", (uint64_t)i->built.seconds);
	}
	if (i->wheel) {
		json_cstr(o, "sha256", digest_hex(&i->wheel->sha256, hex));
	}
	json_cstr(o, "state", build_state_name(i->state));
	json_str(o, "target", i->target->target.name);
	json_str(o, "version", i->sdist->version);
	json_end_object(o);
}

static void print_json(const struct build_plan *p, const char *store)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct json_out o;

	json_out_init(&o, &text, true);
	json_begin_object(&o);
	json_put_key(&o, "builds");
	json_begin_array(&o);
	vec_each(struct build_item, i, p)
	{
		put_item(&o, i);
	}
	json_end_array(&o);
	json_cstr(&o, "store", store);
	json_end_object(&o);
	puts(text.p);
}

static void print_text(const struct build_plan *p)
{
	vec_each(struct build_item, i, p)
	{
		struct str file = i->wheel ? i->wheel->file : i->sdist->file;

		printf("%-12s  %.*s  %.*s%s%.*s\n", build_state_name(i->state),
			STR_ARG(i->target->target.name), STR_ARG(file),
			i->wheel && i->wheel->device_code.n ? "  " : "",
			STR_ARG(i->wheel ? i->wheel->device_code : STR_NULL));
	}
}

/* The worst that happened; what cannot be built here counts where it was asked for by name. */
static int tell(const struct build_plan *p, const struct build_call *c)
{
	int status = 0;

	vec_each(struct build_item, i, p)
	{
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

static int build_all(struct build_plan *p, const struct build_call *c, struct err *e)
{
	CLEANUP_BUILDER struct builder *b = NULL;
	struct build_options options = { .jobs = (unsigned)c->jobs.value,
		.minutes = (unsigned)c->minutes.value };

	if (build_plan_count(p, BUILD_TO_DO) == 0) {
		log_say("nothing to build: %s", p->n ? "all has been built" : "everything came as a wheel");
		return 0;
	}
	int r = builder_open(c->store, &options, &b, e);

	return r ? r : build_plan_run(p, b, e);
}

static int run(const struct build_call *c, int *status, struct err *e)
{
	CLEANUP_STORE struct store *s = NULL;
	struct store_view v = STORE_VIEW_INIT;
	struct build_plan p = BUILD_PLAN_INIT;
	struct build_request request = { .target = c->target, .names = c->packages.v,
		.nnames = c->packages.n, .again = c->again };
	bool is_right = (!c->jobs.given || (c->jobs.value >= 1 && c->jobs.value <= 4096)) &&
			(!c->minutes.given || (c->minutes.value >= 1 && c->minutes.value <= 1000000));
	int r = is_right ? store_open(c->store, STORE_READ, &s, e) :
			   err_set(e, RC_USAGE, "--jobs is 1 to 4096, --time-limit 1 to 1000000 minutes");

	if (!r) {
		r = store_view_load(s, &v, e);
	}
	if (!r) {
		r = build_plan_make(&p, &v, &request, e);
	}
	if (!r) {
		r = build_all(&p, c, e);
	}
	if (!r) {
		(c->common.json ? print_json(&p, c->store) : print_text(&p));
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
		{ 'j', "jobs", OPT_NUMBER, &c.jobs, "N", "compilers at once; default: by cores and memory" },
		{ 0, "time-limit", OPT_NUMBER, &c.minutes, "MINUTES", "for each package; default: 720" },
		{ 0, "rebuild", OPT_FLAG, &c.again, NULL, "also what has been built before" },
		{ .name = NULL },
	};
	const struct opt_verb verb = { "build", "[PKG]...",
		"Compile what came as source, without network, for the targets that fit this machine.",
		options, 0, OPT_MANY };
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	int status = opt_parse(&verb, argc, argv, &c.common, &c.packages);

	if (status == OPT_GO) {
		c.store = store_place(&a, c.common.store);
		status = run(&c, &status, &e) ? log_error("gpkg-bundle build", &e, c.common.json) : status;
	}
	vec_release(&c.packages);
	arena_release(&a);
	return status;
}

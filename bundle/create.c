#include "bundle/create.h"
#include "bundle/describe.h"
#include "bundle/output_place.h"
#include "bundle/pack.h"
#include "bundle/texts_out.h"
#include "manifests/base/log.h"
#include "manifests/base/vec.h"
#include "manifests/limits.h"
#include "manifests/tool.h"

#include <sys/stat.h>

struct create_run {
	const struct create_options *o;
	resolution_say *say;
	struct create_result *out;
};

void create_result_release(struct create_result *r)
{
	manifest_release(&r->manifest);
	plan_audit_release(&r->audit);
	resolution_release(&r->resolution);
	arena_release(&r->arena);
}

static int name_bundle(struct create_run *c, struct err *e)
{
	const struct lock *lock = &c->out->resolution.lock;
	struct manifest *m = &c->out->manifest;
	struct arena *a = &c->out->arena;

	m->channel = c->o->channel ? str_of(c->o->channel) : lock->name.n ? lock->name : STR("default");
	m->created = c->o->created;
	m->serial = c->o->has_serial ? c->o->serial : c->o->created;
	m->lock_sha256 = lock->sha256;
	m->tool = STR(TOOL);
	int r = manifest_check_channel(m->channel, e);
	if (!r && m->serial > LIMIT_SERIAL) {
		r = err_set(e, RC_USAGE, "--serial: at most 2^53");
	}
	if (r) {
		return r;
	}
	c->out->path = c->o->output ? arena_dup(a, str_of(c->o->output))
				    : arena_printf(a, "%.*s-%llu.tar.zst", STR_ARG(m->channel),
					      (unsigned long long)m->serial);
	return output_place_check(c->out->path, "the bundle", "-o", e);
}

static int write_bundle(struct create_run *c, size_t *damaged, struct err *e)
{
	struct create_result *out = c->out;
	struct pack pack = { .manifest = &out->manifest, .key = c->o->key, .cache = out->resolution.cache };
	struct log_progress progress;

	texts_write(&out->arena, &out->manifest, &pack.later);
	log_progress_begin(&progress, "pack", manifest_total(&out->manifest));
	int r = pack_bundle(&pack, out->path, &progress, damaged, e);
	vec_release(&pack.later);
	if (!r) {
		struct stat st;

		log_progress_end(&progress);
		out->bundle_size = stat(out->path, &st) == 0 ? (uint64_t)st.st_size : 0;
	}
	return r;
}

static int audit_and_describe(struct create_run *c, struct err *e)
{
	const struct resolution *from = &c->out->resolution;
	struct plan_audit *audit = &c->out->audit;

	plan_audit_release(audit);
	int r = audit_plan(&from->lock, &from->plan, from->cache, audit, e);
	if (!r && !audit->nread) {
		c->say("audit: all %zu wheels were read before", audit->nwheels);
	}
	r = r ? r : audit_plan_check(&from->plan, audit, e);
	if (!r) {
		describe(&from->lock, &from->plan, audit, &c->out->manifest);
	}
	return r;
}

/* A cached copy that rotted is found by the pass that reads or packs it: it is evicted, fetched once more, and the
 * pass begins again. */
static int fetch_and_write(struct create_run *c, struct err *e)
{
	struct resolution *from = &c->out->resolution;
	struct manifest head = c->out->manifest;

	for (int tries = 0;; tries++) {
		struct resolution_fetched now = { .bytes = 0 };
		size_t damaged = 0;
		int r = resolution_fetch(from, RESOLUTION_ALL_FILES, c->o->resolution.jobs, c->say, &now, e);

		c->out->fetched.bytes += now.bytes;
		c->out->fetched.reused = now.reused;
		r = r ? r : audit_and_describe(c, e);
		r = r ? r : write_bundle(c, &damaged, e);
		if (!r || e->rc != RC_HASH || tries == 2) {
			return r;
		}
		c->say("%s: fetching it again", e->text);
		err_clear(e);
		manifest_release(&c->out->manifest);
		c->out->manifest = head;
	}
}

static int run(struct create_run *c, struct err *e)
{
	const struct resolution_options *o = &c->o->resolution;
	struct resolution *resolution = &c->out->resolution;
	int r = resolution_open(o, resolution, e);

	r = r ? r : name_bundle(c, e);
	r = r ? r : resolution_run(o, c->say, resolution, e);
	r = r ? r : resolution_check_holes(resolution, e);
	return r ? r : fetch_and_write(c, e);
}

int create(const struct create_options *o, resolution_say *say, struct create_result *out, struct err *e)
{
	struct create_run c = { .o = o, .say = say, .out = out };
	int r = run(&c, e);

	if (r) {
		resolution_forget_pages(&out->resolution);
	}
	return r;
}

/* gpkg-bundle audit: would these wheels work on those machines? By what is inside, not by names. */
#include "manifests/base/log.h"
#include "manifests/base/opt.h"
#include "manifests/lock.h"
#include "verify/audit_report.h"

#include <stdio.h>

int cmd_audit(int argc, char **argv);

struct arguments {
	struct opt_common common;
	struct opt_list files, targets, torches;
	const char *targets_file;
	bool is_map, is_all;
};

struct work {
	struct lock lock; /* for its targets */
	VEC(const struct target *) targets;
	struct audit_set set;
};

static int choose_target(const char *name, const char *path, struct work *w, struct err *e)
{
	const struct target *t = lock_target(&w->lock, str_of(name));

	if (!t) {
		return err_set(e, RC_USAGE, "--target: %s has no target \"%s\"", path, name);
	}
	vec_push(&w->targets, t);
	return 0;
}

static int read_targets(const struct arguments *a, struct work *w, struct err *e)
{
	if (!a->targets_file) {
		return a->targets.n ? err_set(e, RC_USAGE,
					      "--target: name the file that describes it with "
					      "--targets FILE")
				    : 0;
	}
	int r = lock_read(a->targets_file, NULL, &w->lock, e);
	for (size_t i = 0; !r && i < a->targets.n; i++) {
		r = choose_target(a->targets.v[i], a->targets_file, w, e);
	}
	for (size_t i = 0; !r && a->targets.n == 0 && i < w->lock.ntargets; i++) {
		vec_push(&w->targets, &w->lock.targets[i]);
	}
	return r;
}

/* A comparison that was asked for and is not made must not go unseen. */
static void tell_of_torches(const struct work *w)
{
	vec_each(const struct target *, at, &w->targets) {
		const struct target *t = *at;

		if (!audit_set_torch_for(&w->set, t)) {
			log_warn("target %.*s has torch %.*s, which is not the one of "
				 "--torch-wheel: symbols are not compared",
				STR_ARG(t->name), STR_ARG(t->torch));
		}
	}
}

static int read_all(const struct arguments *a, struct work *w, struct err *e)
{
	int r = read_targets(a, w, e);

	for (size_t i = 0; !r && i < a->torches.n; i++) {
		r = audit_set_add_torch(&w->set, a->torches.v[i], e);
	}
	if (r) {
		return r;
	}
	audit_set_read(&w->set, a->files.v, a->files.n);
	if (a->torches.n) {
		tell_of_torches(w);
	}
	return 0;
}

static int print(const struct arguments *a, const struct work *w)
{
	const struct audit_choice choice = { .targets = w->targets.v,
		.ntargets = w->targets.n,
		.is_map = a->is_map,
		.is_all = a->is_all };
	CLEANUP_BUF struct buf text = BUF_INIT;
	enum audit_result worst;
	struct json_out o;

	if (a->common.json) {
		json_out_init(&o, &text, false);
		worst = audit_set_json(&w->set, &choice, &o);
		buf_addc(&text, '\n');
	} else {
		worst = audit_set_text(&w->set, &choice, &text);
	}
	fputs(text.n ? text.p : "", stdout);
	int status = worst == AUDIT_FAIL;
	for (size_t i = 0; i < w->set.nentries; i++) {
		const struct err *fault = &w->set.entries[i].fault;
		int own = fault->rc ? log_error("gpkg-bundle audit", fault, false) : 0;

		status = own > status ? own : status;
	}
	return status;
}

static int run(const struct arguments *a)
{
	struct work w = { .lock = LOCK_INIT, .targets = VEC_INIT, .set = AUDIT_SET_INIT };
	struct err e = ERR_INIT;
	int status = read_all(a, &w, &e) ? log_error("gpkg-bundle audit", &e, a->common.json)
					 : print(a, &w);

	audit_set_release(&w.set);
	vec_release(&w.targets);
	lock_release(&w.lock);
	return status;
}

int cmd_audit(int argc, char **argv)
{
	struct arguments a = { .targets_file = NULL };
	const struct opt options[] = {
		{ 0, "targets", OPT_TEXT, &a.targets_file, "FILE", "a lock.toml with [[target]]s" },
		{ 't', "target", OPT_LIST, &a.targets, "NAME",
			"only this target; may be repeated" },
		{ 0, "torch-wheel", OPT_LIST, &a.torches, "WHEEL",
			"compare symbols with this torch; may be repeated" },
		{ 0, "show", OPT_FLAG, &a.is_map, NULL, "print the map of each wheel's binaries" },
		{ 'v', "verbose", OPT_FLAG, &a.is_all, NULL, "print what passes too" },
		{ .name = NULL },
	};
	const struct opt_verb verb = { "audit", "FILE...",
		"Check wheels against targets by what is inside; without --targets, show what is.",
		options, 1, OPT_MANY };
	int status = opt_parse(&verb, argc, argv, &a.common, &a.files);

	if (status == OPT_GO) {
		status = run(&a);
	}
	vec_release(&a.files);
	vec_release(&a.targets);
	vec_release(&a.torches);
	return status;
}

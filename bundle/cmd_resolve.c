/* gpkg-bundle resolve: the plan that create would make, why, and as a lock that leaves nothing to
 * choose. */
#include "bundle/lock_out.h"
#include "bundle/output_place.h"
#include "bundle/plan_report.h"
#include "bundle/resolution_args.h"
#include "bundle/resolve_report.h"
#include "manifests/base/fs.h"
#include "manifests/base/log.h"
#include "manifests/name.h"

#include <stdio.h>
#include <sys/stat.h>

int cmd_resolve(int argc, char **argv);

struct arguments {
	struct opt_common common;
	struct opt_list words;
	struct resolution_args lock;
	const char *explain, *write_lock;
};

static bool is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* What the user wrote is never replaced. */
static int check_place(const struct arguments *a, struct err *e)
{
	const char *given[] = { a->words.v[0], a->lock.targets_file };

	for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++) {
		if (given[i] && is_same_file(given[i], a->write_lock)) {
			err_set(e, RC_USAGE, "--write-lock %s: would replace %s, which is read",
				a->write_lock, given[i]);
			return err_hint(
				e, "name another file; the lock that is read stays as it is");
		}
	}
	return output_place_check(a->write_lock, "the lock", "--write-lock", e);
}

/* What the index does not tell of a file, its bytes do. */
static int write_lock(const struct arguments *a, const struct resolution_options *o,
	struct resolution *r, struct err *e)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct resolution_fetched ignored;
	int rc = resolution_fetch(r, RESOLUTION_UNKNOWN_FILES, o->jobs, log_say, &ignored, e);

	if (rc) {
		return rc;
	}
	lock_write(&r->lock, &r->plan, &text);
	return fs_write(a->write_lock, buf_str(&text), 0644, e);
}

static int run(const struct arguments *a, struct arena *arena, struct str *project,
	struct resolution *r, struct err *e)
{
	struct resolution_options options;

	resolution_args_take(&a->lock, a->words.v[0], arena, &options);
	if (a->explain && !name_is_valid(str_of(a->explain))) {
		return err_set(
			e, RC_USAGE, "--explain %.200s: not the name of a package", a->explain);
	}
	if (a->explain) {
		*project = str_of(name_normalize(arena, str_of(a->explain)));
		options.resolve.explain = *project;
	}
	int rc = resolution_open(&options, r, e);
	rc = !rc && a->write_lock ? check_place(a, e) : rc;
	rc = rc ? rc : resolution_run(&options, log_say, r, e);
	rc = rc ? rc : resolution_check_holes(r, e);
	rc = !rc && a->write_lock ? write_lock(a, &options, r, e) : rc;
	if (rc) {
		resolution_forget_pages(r);
	}
	return rc;
}

/* A plan with holes is shown too: what it lacks is only a part of the answer. */
static int finish(const struct arguments *a, struct str project, const struct plan *plan, int r,
	struct err *e)
{
	CLEANUP_BUF struct buf text = BUF_INIT;

	plan_report_problems(plan);
	if (a->common.json) {
		resolve_report_json(plan, r ? e : NULL, &text);
		buf_addc(&text, '\n');
	} else if (project.n) {
		resolve_report_explain(plan, project, &text);
	} else if (plan->ntargets) {
		resolve_report_text(plan, &text);
	}
	fputs(buf_str(&text).n ? text.p : "", stdout);
	return r ? log_error("gpkg-bundle resolve", e, false) : 0;
}

int cmd_resolve(int argc, char **argv)
{
	struct arguments a = { .explain = NULL };
	const struct opt options[] = {
		{ 0, "explain", OPT_TEXT, &a.explain, "PKG",
			"show every candidate of PKG, and why it was left" },
		{ 0, "write-lock", OPT_TEXT, &a.write_lock, "FILE",
			"write the plan as a lock that names every file" },
		RESOLUTION_OPTS(&a.lock),
		{ .name = NULL },
	};
	const struct opt_verb verb = { "resolve", "LOCK",
		"Show the exact files that each target of a lock would get, and what is missing.",
		options, 1, 1 };
	CLEANUP_RESOLUTION struct resolution resolution = RESOLUTION_INIT;
	struct arena arena = ARENA_INIT;
	struct str project = STR_NULL;
	struct err e = ERR_INIT;
	int status = opt_parse(&verb, argc, argv, &a.common, &a.words);

	if (status == OPT_GO) {
		int r = run(&a, &arena, &project, &resolution, &e);

		status = finish(&a, project, &resolution.plan, r, &e);
	}
	vec_release(&a.words);
	resolution_args_release(&a.lock);
	arena_release(&arena);
	return status;
}

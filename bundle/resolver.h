/* The inside of resolve: targets and files (resolve.c), choosing by the solver (resolve_solve.c) or by the rows
 * of a lock that chooses nothing (resolve_rows.c), build environments (resolve_build.c), the proof
 * (resolve_prove.c), and resolve --explain (resolve_explain.c). Nobody else includes it. */
#ifndef BUNDLE_RESOLVER_H
#define BUNDLE_RESOLVER_H

#include "bundle/candidates.h"
#include "bundle/library.h"
#include "bundle/resolve.h"
#include "bundle/universe.h"

struct resolver_favours { /* a VEC */
	struct universe_favour *v;
	size_t n, cap;
};

struct resolver_target { /* one target while its plan grows */
	struct target_view view;
	VEC(struct plan_pick) picks;
	VEC(struct plan_given) given;
	struct resolver_favours run; /* what it installs */
};

struct resolver {
	const struct lock *lock;
	const struct resolve_options *options;
	struct arena *a; /* the plan's */
	struct library library;
	struct resolver_target *targets;
	size_t ntargets;
	VEC(struct plan_file) files;
	struct map file_of; /* URL to an index into files */
	VEC(struct plan_hole) holes;
	VEC(struct str) notes;
	VEC(struct plan_explained) explained;
	struct resolver_favours run, build; /* what earlier targets and environments got */
};

/* ---- resolve.c ---- */
/* Is the row meant for the target? RC_INVALID where its marker cannot be decided. */
int resolver_is_meant(const struct resolver *v, const struct lock_package *row, const struct resolver_target *t,
	bool *out, struct err *e);
/* The plan's file of a page's file, which has been read; by_lock: the lock promised its hash. */
int resolver_add_file(struct resolver *v, const struct library_page *page, size_t file, bool by_lock,
	size_t *out, struct err *e);
/* The target's pick of a file, new with no use or the one that is there. Valid until the next call. */
struct plan_pick *resolver_pick(struct resolver_target *t, size_t file);
/* What a row of the lock asks for; the proof drops what stands twice. */
void resolver_add_extras(struct resolver *v, struct plan_pick *p, const struct requirement *req);
/* Records that the target lacks something of a project, once for each; waived where the lock says so. */
void resolver_hole(struct resolver *v, const struct resolver_target *t, struct str project, const char *text);
/* The same where it has the project, in a version that others do not admit: an override waives that, too. */
void resolver_misfit(struct resolver *v, const struct resolver_target *t, struct str project, const char *text);
/* Is there a waiver for the hole, or is the project excluded? */
bool resolver_is_waived(const struct resolver *v, const struct resolver_target *t, struct str project);
void resolver_note(struct resolver *v, const char *text); /* for the packer; each text once */

/* ---- how the picks come about ---- */
int resolver_take_rows(struct resolver *v, struct err *e); /* closed locks: of all targets */
int resolver_solve(struct resolver *v, struct resolver_target *t, struct err *e);

/* One solve in rounds: what cannot be had becomes a hole, and the rest is solved without it, so that one run tells of
 * all holes. take() gets what was chosen. `what` is for the texts of holes, or "": "x.tar.gz needs, to be
 * built,". */
struct resolver_request {
	const struct universe_root *roots;
	size_t nroots;
	bool is_build;
	const struct universe_favour *fixed;
	size_t nfixed;
	const char *built; /* as universe_options */
	const struct resolver_favours *favours;
	const char *what;
	int (*take)(void *context, const struct universe *u, const struct solve_result *r, struct err *e);
	void *context;
};
int resolver_ask(struct resolver *v, struct resolver_target *t, const struct resolver_request *request,
	struct err *e);
/* Each chosen project with its file in the plan; what the target has already is recorded and left out. */
typedef int resolver_chosen(void *context, const struct universe_project *p, size_t candidate, size_t file,
	struct err *e);
int resolver_each_chosen(struct resolver *v, struct resolver_target *t, const struct universe *u,
	const struct solve_result *r, resolver_chosen *take, void *context, struct err *e);

/* RC_AMBIGUOUS where two builds of the chosen version are allowed and nothing speaks for one of them: no guess.
 * allowed NULL: all candidates are. `torch`: what the lock pins, which speaks for what was built for it; or NULL. */
int resolver_check_rivals(const struct resolver_target *t, const struct index_project *page,
	const struct candidates *c, const struct bits *allowed, size_t chosen, const struct version *torch,
	struct err *e);
int resolver_by_number(const void *a, const void *b); /* size_t, ascending, for qsort */

/* This target's own, for what it builds: what it installs, then what earlier builds got. In the plan's arena. */
struct resolver_favours resolver_build_favours(struct resolver *v, const struct resolver_target *t);
/* Solves the build environment of each sdist of the target, also of those that environments bring in. */
int resolver_solve_builds(struct resolver *v, struct resolver_target *t, struct err *e);

/* Adds the target's holes, and what each of its sdists needs to be compiled. */
int resolver_prove(struct resolver *v, struct resolver_target *t, struct err *e);

/* The candidates of the project that resolve_options.explain names. `r` may be NULL: nothing was solved. */
int resolver_explain(struct resolver *v, struct resolver_target *t, const struct universe *u,
	const struct solve_result *r, struct err *e);

#endif

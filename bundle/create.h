/* The connected side from end to end: lock -> plan -> files -> manifest -> signed bundle. */
#ifndef BUNDLE_CREATE_H
#define BUNDLE_CREATE_H

#include "bundle/resolve.h"
#include "manifests/base/log.h"
#include "verify/key.h"

struct create_options {
	const char *lock;    /* path */
	const char *output;  /* NULL: <channel>-<serial>.tar.zst here */
	const char *channel; /* NULL: the lock's name, else "default" */
	bool has_serial;
	uint64_t serial;     /* else the creation time */
	uint64_t created;    /* seconds since 1970 */
	const char *cache;   /* folder, NULL: the default place */
	unsigned jobs;       /* downloads at once; 0: 8 */
	struct resolve_options resolve;
	const char *const *waivers; /* "PKG[@TARGET]=REASON" */
	size_t nwaivers;
	const struct target_spec *extra; /* completes a gpkg lock's target, or NULL */
	/* Foreign locks: the native file that has their targets, and what of the project is meant. */
	const char *targets_file;
	const struct str *extras, *groups, *projects; /* in any spelling */
	size_t nextras, ngroups, nprojects;
	bool no_default_groups, all_projects;
	const struct secret_key *key;
};

struct create_result {
	struct arena arena;
	char *path; /* of the bundle */
	struct manifest manifest; /* its slices point into lock and plan too: alive as long as this is */
	struct lock lock;
	struct plan plan;
	uint64_t bundle_size, fetched; /* bytes of the bundle; bytes that came over the network */
	size_t reused; /* files that were in the cache */
};
#define CREATE_RESULT_INIT { .arena = ARENA_INIT, .lock = LOCK_INIT, .plan = PLAN_INIT }
void create_result_release(struct create_result *r);

/* RC_HOLE where something is missing and not waived: then out->plan has the holes, and nothing was written.
 * `say` gets a line about each step, or is NULL. */
int create(const struct create_options *o, void (*say)(const char *fmt, ...), struct create_result *out,
	struct err *e);

#endif

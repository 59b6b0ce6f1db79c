/* What every verb needs that plans from a lock: the lock with what options add to it, the indexes
 *that pip and the lock name, the cache, and the plan.
 *
 *	CLEANUP_RESOLUTION struct resolution r = RESOLUTION_INIT;
 *	resolution_open(&options, &r, e);         the lock alone: cheap, and it may be looked at
 *	resolution_run(&options, say, &r, e);     indexes, metadata, sdists; then r.plan is there
 *	resolution_fetch(&r, ...);                the plan's files into the cache
 */
#ifndef BUNDLE_RESOLUTION_H
#define BUNDLE_RESOLUTION_H

#include "bundle/resolve.h"

typedef void resolution_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

struct resolution_options {
	const char *lock; /* path */
	struct lock_options reading;
	const char *const *waivers; /* "PKG[@TARGET]=REASON" */
	size_t nwaivers;
	const char *cache; /* folder, NULL: the default place */
	const char *registry; /* file, NULL: source_list_choose decides */
	unsigned jobs;     /* downloads at once; 0: 8 */
	struct resolve_options resolve;
};

struct resolution {
	struct arena arena; /* the sources, to which the lock points */
	struct lock lock;
	struct plan plan;
	struct pip_config config;
	struct cache *cache;
	struct index *index;
};
#define RESOLUTION_INIT                                                         \
	{                                                                       \
		.arena = ARENA_INIT, .lock = LOCK_INIT, .plan = PLAN_INIT, .config = PIP_CONFIG_INIT \
	}
#define CLEANUP_RESOLUTION __attribute__((cleanup(resolution_release)))
void resolution_release(struct resolution *r); /* also what failed half-way */

/* Reads the lock and adds the options' waivers to its own; its sha256 is filled in. */
int resolution_open(const struct resolution_options *o, struct resolution *out, struct err *e);
/* pip's configuration with the lock's own indexes, the cache and the index; resolution_run does it itself. */
int resolution_connect(const struct resolution_options *o, struct resolution *r, struct err *e);
/* Holes are no error here. `say` gets a line about each step. */
int resolution_run(const struct resolution_options *o, resolution_say *say, struct resolution *r,
	struct err *e);
/* RC_HOLE where the plan has holes that nobody waives. */
int resolution_check_holes(const struct resolution *r, struct err *e);

struct resolution_fetched {
	uint64_t bytes; /* that came over the network */
	size_t reused;  /* files that were in the cache */
};
enum resolution_files {
	RESOLUTION_ALL_FILES,
	RESOLUTION_UNKNOWN_FILES, /* only those whose sha256 or size nobody has told */
};
/* Files of the plan into the cache; then the plan has sha256 and size of each. */
int resolution_fetch(struct resolution *r, enum resolution_files which, unsigned jobs,
	resolution_say *say, struct resolution_fetched *out, struct err *e);
/* After a failure: what the indexes said is asked for again by the next run, for it may have been
 * put right. */
void resolution_forget_pages(struct resolution *r);

#endif

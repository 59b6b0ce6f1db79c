/* Is everything that a lock names still there? Every URL of its files is asked for (HEAD; where
 * that is not answered with success, one byte by GET) and its size compared with the one recorded,
 * every index, page of links and source that pip and the lock name is asked for, files of this machine are
 * looked at. Nothing is downloaded unless that is wanted. A host that fails three times without an
 * answer of use in between is not asked any more. */
#ifndef BUNDLE_DOCTOR_H
#define BUNDLE_DOCTOR_H

#include "bundle/index.h"
#include "manifests/lock.h"

enum doctor_kind {
	DOCTOR_FILE,
	DOCTOR_INDEX,
	DOCTOR_LINKS
}; /* links: a find-links page or folder */
enum doctor_status { DOCTOR_OK, DOCTOR_FAIL, DOCTOR_SKIP };

struct doctor_check {
	enum doctor_kind kind;
	enum doctor_status status;
	const char *url;  /* as the lock names it, without credentials */
	const char *text; /* what was found, what is wrong, or why nobody looked */
	const char *hint; /* what to do; "" none */
	enum rc rc;       /* of a failure */
};

struct doctor_report {
	struct arena arena;          /* owns everything below */
	struct doctor_check *checks; /* files in the lock's order, then indexes, then links */
	size_t n, nok, nfailed, nskipped;
	bool is_offline; /* no host has given any answer */
};
#define DOCTOR_REPORT_INIT          \
	{                           \
		.arena = ARENA_INIT \
	}

struct doctor_options {
	bool deep; /* files whose sha256 is recorded come into the cache, and are compared */
	unsigned parallel; /* 0: 8 */
};

/* What is wrong with a URL is no error; a cache that cannot be written is. */
int doctor_run(const struct lock *lock, const struct pip_config *config, struct index *index,
	const struct doctor_options *options, struct doctor_report *out, struct err *e);
void doctor_release(struct doctor_report *r);

/* A line for each check, "[ok]   URL: what was found", and the verdict as the last one. */
void doctor_report_text(const struct doctor_report *r, struct buf *out);
void doctor_report_json(const struct doctor_report *r, struct buf *out);

#endif

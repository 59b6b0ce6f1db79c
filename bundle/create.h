/* The connected side from end to end: lock -> plan -> files -> manifest -> signed bundle. */
#ifndef BUNDLE_CREATE_H
#define BUNDLE_CREATE_H

#include "bundle/audit_plan.h"
#include "bundle/resolution.h"
#include "manifests/manifest.h"
#include "verify/key.h"

struct create_options {
	struct resolution_options resolution;
	const char *output;  /* NULL: <channel>-<serial>.tar.zst here */
	const char *channel; /* NULL: the lock's name, else "default" */
	bool has_serial;
	uint64_t serial;     /* else the creation time */
	uint64_t created;    /* seconds since 1970 */
	const struct secret_key *key;
};

struct create_result {
	struct arena arena;
	char *path; /* of the bundle */
	struct manifest manifest; /* its slices point into the resolution too: alive as long as this is */
	struct resolution resolution;
	struct plan_audit audit; /* empty until the files are there */
	uint64_t bundle_size;
	struct resolution_fetched fetched;
};
#define CREATE_RESULT_INIT                                                                      \
	{                                                                                       \
		.arena = ARENA_INIT, .manifest = MANIFEST_INIT, .resolution = RESOLUTION_INIT,  \
		.audit = PLAN_AUDIT_INIT                                                        \
	}
void create_result_release(struct create_result *r);

/* RC_HOLE where something is missing and not waived: then out->resolution.plan has the holes. RC_AUDIT where a
 * wheel does not fit a target: then out->audit says why. Nothing was written. `say` gets a line about each step. */
int create(const struct create_options *o, resolution_say *say, struct create_result *out, struct err *e);

#endif

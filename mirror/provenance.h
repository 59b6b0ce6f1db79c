/* Where a wheel that was built here comes from: an in-toto Statement v1 with SLSA's provenance v1
 * as its predicate, as canonical JSON (sorted keys, no white space), signed by the site key in
 * minisign's format. A machine that nobody else controls is SLSA Build L1: the statement says what
 * this site says. */
#ifndef MIRROR_PROVENANCE_H
#define MIRROR_PROVENANCE_H

#include "manifests/manifest.h"
#include "mirror/build_vars.h"
#include "mirror/closure.h"
#include "verify/sign.h"

struct provenance {
	const struct target *target;
	const struct manifest_file *sdist, *wheel;
	const struct closure *env, *toolkit; /* wheels that the build could see; may be empty */
	const struct build_vars *vars; /* the environment, whole */
	const char *python, *nvcc, *compiler; /* what they call themselves; NULL: none */
	const char *platform, *confinement;
	struct digest log;
	uint64_t began, ended; /* seconds since 1970 */
	struct public_key builder;
};

void provenance_write(const struct provenance *p, struct buf *out);
/* The signature file for the statement; its trusted comment names target, wheel and digest. */
int provenance_sign(const struct provenance *p, struct str statement, const struct secret_key *k,
	struct buf *out, struct err *e);

#endif

/* The closure proof of one target: every requirement of every chosen file is met by a chosen file. */
#ifndef BUNDLE_CLOSURE_PROOF_H
#define BUNDLE_CLOSURE_PROOF_H

#include "bundle/choose.h"
#include "bundle/plan.h"
#include "manifests/base/vec.h"

struct closure_hole { /* a requirement that nothing meets */
	struct str project; /* who is missing, or has the wrong version */
	struct str requirement; /* as METADATA writes it */
	struct str asker;       /* "requests 2.32.3" */
	struct specifier_set specifiers;
	bool is_build;      /* it is a build requirement of an sdist */
	struct str chosen;  /* the version that is there and does not fit, or "" */
};
struct closure_holes {
	struct closure_hole *v;
	size_t n, cap;
};

/* Walks from the rows of the lock. Sets each pick's use bits and extras to what is really asked for, in
 * the order of METADATA. RC_WHEEL where a requirement cannot be read: it could not be proved. */
int closure_prove(struct arena *a, const struct choose_target *t, const struct lock *lock,
	const struct plan_file *files, struct plan_target *out, struct closure_holes *holes, struct err *e);

/* The projects that an sdist's build environment consists of: its build requirements and their own
 * requirements, normalised, sorted. Call after closure_prove. */
int closure_build_environment(struct arena *a, const struct choose_target *t, const struct plan_file *files,
	const struct plan_target *pt, size_t pick, struct str **names, size_t *n, struct err *e);

#endif

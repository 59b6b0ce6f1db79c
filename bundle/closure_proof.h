/* The closure proof: every requirement of every file of a set is met by a file of that set. It reads METADATA alone
 * and knows nothing of how the files were chosen. */
#ifndef BUNDLE_CLOSURE_PROOF_H
#define BUNDLE_CLOSURE_PROOF_H

#include "bundle/candidates.h"
#include "bundle/plan.h"
#include "manifests/base/vec.h"

struct closure_member {
	size_t file;        /* index into plan.files */
	unsigned use;       /* USE_* bits; grows by those of whoever requires it */
	struct str *extras; /* grows to what is really asked for; sorted */
	size_t nextras;
};

struct closure_set {
	const struct plan_file *files;
	struct closure_member *members; /* of several of one project, the first that fits meets a requirement */
	size_t nmembers;
	size_t nroots; /* the first ones are there anyway; the others matter where they are required */
	const struct plan_given *given; /* what the target has already */
	size_t ngiven;
	const struct plan_file *sdist; /* NULL, or whose build the set serves: its build requirements count, too */
};

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

/* Holes are added, in the order of METADATA. RC_WHEEL where a requirement cannot be read, RC_INVALID where its
 * marker cannot be decided: it could not be proved. */
int closure_prove(struct arena *a, const struct target_view *t, struct closure_set *set,
	struct closure_holes *holes, struct err *e);

#endif

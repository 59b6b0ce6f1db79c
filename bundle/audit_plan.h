/* The audit of a plan: every wheel against every target that gets it, by what is inside
 * (verify/audit.h), among the other wheels of that target. */
#ifndef BUNDLE_AUDIT_PLAN_H
#define BUNDLE_AUDIT_PLAN_H

#include "bundle/plan.h"
#include "verify/audit.h"

struct plan_audited {                   /* a wheel against a target */
	struct str line;                /* audit_line; "": an sdist, which is not audited */
	struct audit_finding *findings; /* but for those that PASS */
	size_t nfindings;
	bool is_unfit;     /* something FAILs (RECORD is judged by itself) */
	struct str waived; /* is_unfit: why it is taken all the same, or "" */
};

struct plan_audit {
	struct arena arena;
	struct plan_audited **picks; /* of each target of the plan, of each of its picks */
	struct str *device_code;     /* of each file of the plan: "sm_90 compute_90" */
	bool *is_record_waived;      /* of each file: it is taken in spite of its RECORD */
	size_t nwheels, nread;       /* distinct wheels, and those that had to be opened for it */
};
#define PLAN_AUDIT_INIT             \
	{                           \
		.arena = ARENA_INIT \
	}
void plan_audit_release(struct plan_audit *a);

/* Every file of the plan has its sha256 and lies in the cache. What does not fit is no error here.
 * RC_WHEEL: a wheel is damaged, its METADATA is not what the index served, or its RECORD
 * contradicts it and nobody waives that; RC_HASH: a cached copy is (it is evicted). */
int audit_plan(const struct lock *lock, const struct plan *plan, struct cache *cache,
	struct plan_audit *out, struct err *e);
/* RC_AUDIT where a wheel does not fit and nobody waives that. */
int audit_plan_check(const struct plan *plan, const struct plan_audit *a, struct err *e);

#endif

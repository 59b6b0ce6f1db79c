/* plan + audit -> manifest. */
#ifndef BUNDLE_DESCRIBE_H
#define BUNDLE_DESCRIBE_H

#include "bundle/audit_plan.h"

/* Fills files, targets and waivers of the manifest (channel, serial and times are the caller's). Every file of the
 * plan has its sha256 and size; what is inside, the audit has found. Of the findings for a file and a target
 * LIMIT_PICK_FINDINGS are kept, the gravest. */
void describe(const struct lock *lock, const struct plan *plan, const struct plan_audit *audit,
	struct manifest *out);

#endif

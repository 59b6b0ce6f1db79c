/* What the audit of a plan has found, for people and as JSON. */
#ifndef BUNDLE_AUDIT_PLAN_REPORT_H
#define BUNDLE_AUDIT_PLAN_REPORT_H

#include "bundle/audit_plan.h"
#include "manifests/base/json.h"

/* On stderr. What FAILs for a target, with the error that it would have been and what to do, or why
 * it was waived; of what is doubtful a line for each wheel and check. Nothing where there was no
 * audit. */
void audit_plan_report(const struct plan *p, const struct plan_audit *a);
/* The member "audit" of an object that the caller has opened: every wheel and target. */
void audit_plan_put(const struct plan *p, const struct plan_audit *a, struct json_out *o);

#endif

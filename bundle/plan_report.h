/* What a plan lacks, for people and as JSON: the same words from every verb that plans. */
#ifndef BUNDLE_PLAN_REPORT_H
#define BUNDLE_PLAN_REPORT_H

#include "bundle/plan.h"
#include "manifests/base/json.h"

/* Holes and notes on stderr, each beginning with a line of its own; further lines are indented. */
void plan_report_problems(const struct plan *p);

/* The members "holes" and "notes" of an object that the caller has opened, and its "error". */
void plan_put_holes(const struct plan *p, struct json_out *o);
void plan_put_notes(const struct plan *p, struct json_out *o);
void plan_put_error(const struct err *failed, struct json_out *o);

#endif

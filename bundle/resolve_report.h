/* A plan in words and as JSON: what each target gets, and why a project's candidates were taken or
 * left. */
#ifndef BUNDLE_RESOLVE_REPORT_H
#define BUNDLE_RESOLVE_REPORT_H

#include "bundle/plan.h"

/* A paragraph for each target, a line for each of its files, sorted by name, with sums. */
void resolve_report_text(const struct plan *p, struct buf *out);
/* A table for each target: every candidate, newest first, with what speaks against it; then how
 * many each demand left out. Nothing is cut. */
void resolve_report_explain(const struct plan *p, struct str project, struct buf *out);
/* One object, with "error" where `failed` is not NULL. The plan may be empty. */
void resolve_report_json(const struct plan *p, const struct err *failed, struct buf *out);

#endif

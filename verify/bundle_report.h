/* A verified bundle in words and as JSON: who signed, what is inside, for whom. */
#ifndef VERIFY_BUNDLE_REPORT_H
#define VERIFY_BUNDLE_REPORT_H

#include "manifests/base/json.h"
#include "verify/bundle_check.h"

void bundle_report_text(const struct verified *v, struct buf *out);
/* Members channel ... waivers, sorted, inside an object that the caller has opened. */
void bundle_report_json(const struct verified *v, struct json_out *o);
/* Sum of the sizes of the target's files. */
uint64_t bundle_target_total(const struct manifest *m, const struct manifest_target *t);

#endif

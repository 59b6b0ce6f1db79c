/* What `create` did, or could not do, for people and as JSON. */
#ifndef BUNDLE_CREATE_REPORT_H
#define BUNDLE_CREATE_REPORT_H

#include "bundle/create.h"

void create_report_text(const struct create_result *r, struct buf *out);
/* One object, with "error" where `failed` is not NULL, and all holes. */
void create_report_json(const struct create_result *r, const struct err *failed, struct buf *out);

#endif

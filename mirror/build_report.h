/* What became of each item of a build plan, on standard output. */
#ifndef MIRROR_BUILD_REPORT_H
#define MIRROR_BUILD_REPORT_H

#include "mirror/build_plan.h"

void build_report_json(const struct build_plan *p, const char *store); /* gpkg-bundle-build(1) */
void build_report_text(const struct build_plan *p);                    /* a line for each */

#endif

/* What a failed build's log says about its cause. */
#ifndef MIRROR_BUILD_LOG_H
#define MIRROR_BUILD_LOG_H

#include "manifests/base/buf.h"

/* Appends the remedy for the first known cause in the text: no network, out of memory, a module
 * that the recipe lacks, an unknown architecture, an unfit compiler. False: nothing known. */
bool build_log_cause(struct str text, struct buf *remedy);
/* Appends the last lines of the text that are not blank, each after "  | "; pip's own words about a
 * program that failed are left out, and so is what would command a terminal. */
void build_log_tail(struct str text, size_t lines, struct buf *out);

#endif

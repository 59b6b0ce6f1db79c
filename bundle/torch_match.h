/* Wheels that were built for one torch, against the torch that a plan chooses. Where a target
 * states its torch, candidates are judged by that before all choosing (candidates.h); where it does
 * not, this keeps the two together. */
#ifndef BUNDLE_TORCH_MATCH_H
#define BUNDLE_TORCH_MATCH_H

#include "bundle/index.h"
#include "manifests/variant.h"

/* Would the file fit the target, were this its torch? A file that says nothing of torch does. `why`
 * may be NULL; else a sentence in the arena where it does not: "built for torch 2.9, the target
 * has 2.8.0+cu128". */
bool torch_match(const struct index_file *f, enum variant_torch_style style, const struct target *t,
	const struct version *torch, struct arena *a, struct str *why);
/* Does the file name say for which torch it was built? */
bool torch_is_said(const struct index_file *f, enum variant_torch_style style);

#endif

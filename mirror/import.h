/* Import: one pass over a verified bundle into the store (design 6; facts: import protocol). */
#ifndef MIRROR_IMPORT_H
#define MIRROR_IMPORT_H

#include "manifests/base/log.h"
#include "mirror/store.h"
#include "verify/bundle_check.h"

struct import_result {
	size_t files, new_files; /* in the bundle; written by this import */
	uint64_t bytes, new_bytes;
	bool was_known; /* this very manifest was imported before */
};

/* Takes nothing but what was verified. Every wheel is opened after its bytes were checked: its
 * METADATA must have the manifest's digest, and becomes an object of its own. On any error the
 * catalogue is as it was. */
int import_bundle(struct store *s, struct verified *v, uint64_t now, struct log_progress *progress,
	struct import_result *out, struct err *e);

#endif

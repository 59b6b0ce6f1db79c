/* What the server counts, and its Prometheus text (exposition format 0.0.4). */
#ifndef MIRROR_METRICS_H
#define MIRROR_METRICS_H

#include "manifests/base/buf.h"
#include "mirror/store.h"

#include <stdatomic.h>

enum { METRICS_STATUSES = 16 };

struct metrics {
	struct {
		_Atomic unsigned status; /* 0: free */
		_Atomic uint64_t count;
	} requests[METRICS_STATUSES]; /* by status, in order of appearance */
	_Atomic uint64_t body_bytes;  /* announced in answers to GET */
	_Atomic uint64_t reloads, failed_reloads;
	_Atomic uint64_t connections, cut_connections; /* open now; closed for being too slow */
};

void metrics_count(struct metrics *m, unsigned status, uint64_t bytes);
void metrics_text(struct metrics *m, const struct store_view *v, struct buf *out);

#endif

/* Compressed device code, opened from its beginning in pieces: the payload of a container's entry,
 * as it is, an LZ4 block or a Zstandard frame. Only as much is opened as is asked for, never more
 * than LIMIT_DEVICE_OPENED of one that is compressed, nor more of them than was allowed for all. */
#ifndef VERIFY_DEVICE_PAYLOAD_H
#define VERIFY_DEVICE_PAYLOAD_H

#include "verify/device_code.h"

struct device_payload; /* for one payload after the other, of one thread */

/* `take` gets the opened bytes; false: the rest is not wanted. `budget`: bytes
 * that may be decompressed in all, or a little more. */
struct device_payload *device_payload_new(
	uint64_t budget, bool (*take)(void *context, const void *bytes, size_t n), void *context);
void device_payload_free(struct device_payload *p); /* NULL is fine */
/* `stored` bytes will come in; `size`: of what is in them. */
void device_payload_begin(
	struct device_payload *p, enum device_packing packing, uint64_t stored, uint64_t size);
/* False: no more is wanted, or can be had: it is damaged, or over a limit. */
bool device_payload_add(struct device_payload *p, const void *bytes, size_t n);

#endif

/* Device code of one member of a wheel, from a stream: pieces come in once, in order. What it is,
 * is told by its first piece. For those who read a member for other reasons too;
 * device_code_of_wheel reads for this alone.
 *
 * For the toolkit that made it, the beginning of each cubin is opened, as long as that is little
 * work compared with reading the member: at most 16 times its size is opened. */
#ifndef VERIFY_DEVICE_SCAN_H
#define VERIFY_DEVICE_SCAN_H

#include "verify/cubin.h"
#include "verify/device_code.h"
#include "verify/device_payload.h"
#include "verify/fatbin.h"

enum device_member {
	DEVICE_MEMBER_UNKNOWN,
	DEVICE_MEMBER_OTHER,
	DEVICE_MEMBER_CONTAINERS,
	DEVICE_MEMBER_CUBIN
};

struct device_scan { /* must not move once it was fed */
	struct device_code *out;
	size_t member;
	uint64_t size;
	enum device_member kind; /* OTHER: nothing of it needs to come in any more */
	/* private */
	size_t first; /* of its entries in out */
	struct fatbin_scan containers;
	struct device_entry entry;      /* the cubin whose payload is read */
	struct device_payload *payload; /* NULL until one is needed */
	struct cubin_scan *cubin;       /* likewise */
};

/* Entries are added to `out` as they come, unsorted; those of one member must come together.
 * `size`: of the whole member. */
void device_scan_init(struct device_scan *s, size_t member, uint64_t size, struct device_code *out);
/* RC_WHEEL: a container or a cubin is damaged; RC_LIMIT: over LIMIT_DEVICE_KINDS. */
int device_scan_add(struct device_scan *s, const void *bytes, size_t n, struct err *e);
int device_scan_end(struct device_scan *s, struct err *e);
void device_scan_release(struct device_scan *s);

#endif

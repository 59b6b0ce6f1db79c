/* One byte range of a representation (RFC 9110 section 14). */
#ifndef MIRROR_RANGE_H
#define MIRROR_RANGE_H

#include "manifests/base/str.h"

enum range_answer {
	RANGE_WHOLE = 1, /* no range, several, another unit, a broken header: 200 with everything */
	RANGE_PART,      /* 206 */
	RANGE_OUTSIDE    /* 416 */
};

struct range {
	uint64_t offset, length;
};

/* `header` is the value of Range, empty where there is none. */
enum range_answer range_parse(struct str header, uint64_t size, struct range *out);

/* Does an If-None-Match list (weak comparison, "*" included) name this entity tag? `etag` has its
 * quotes. */
bool etag_list_has(struct str header, struct str etag);

#endif

/* The tar headers of a bundle (POSIX.1-2008 pax interchange format), as a codec of one spelling: a
 * member is a regular file with a path, a size and the bundle's time; mode 0644, owner 0, no names.
 * Long paths and sizes of 8 GiB and more get a pax header with just `path` or `size`.
 *
 * Writing and reading share tar_put_header: a reader takes path and size out of a header, makes the
 * header anew and demands the same bytes. So links, devices, sparse files, other modes, other pax keys
 * and every second spelling are refused by one comparison. */
#ifndef MANIFESTS_TAR_H
#define MANIFESTS_TAR_H

#include "manifests/base/buf.h"
#include "manifests/base/err.h"

enum { TAR_BLOCK = 512, TAR_HEADER_MAX = 4 * TAR_BLOCK, TAR_END = 2 * TAR_BLOCK };

/* Appends 512 bytes, or 1536 and more with a pax header. The path is at most 400 bytes. */
void tar_put_header(struct buf *out, struct str path, uint64_t size, uint64_t mtime);
uint64_t tar_padding(uint64_t size); /* zero bytes behind a member's contents */

/* What a block says: call with the first block; when *more is set, read that many further bytes and
 * call again with all of them. `path` is a slice of `path_room`. RC_BUNDLE_MEMBER. */
struct tar_member {
	char path_room[512];
	struct str path;
	uint64_t size, mtime;
	bool is_end; /* a zero block: half of the end marker */
};
int tar_read_header(struct str blocks, size_t *more, struct tar_member *out, struct err *e);

#endif

/* A wheel, read as what it is: a zip file from somebody else ("Binary distribution format"; zip per
 * APPNOTE 6.3.10 and the stricter rules of PyPI). Nothing is executed or written. Random access
 * goes through a source, so that the same reader serves a file and ranges of a remote file.
 *
 * wheel_open reads the end record and the central directory and refuses: two end records or bytes
 * around them, ZIP64 lies, counts and offsets that do not fit, duplicate or unsafe names ("..",
 * absolute, backslash, control bytes, not UTF-8), encryption, methods other than stored and
 * deflate, sizes over the limits, overlapping members, no or two .dist-info folders, a .dist-info
 * that does not belong to the file name. Local headers are compared with the central directory when
 * a member is read. */
#ifndef VERIFY_WHEEL_IN_H
#define VERIFY_WHEEL_IN_H

#include "manifests/core_metadata.h"
#include "manifests/digest.h"
#include "manifests/dist_name.h"

struct wheel_source {
	/* Exactly n bytes at offset, or an error. */
	int (*read_at)(void *context, uint64_t offset, void *to, size_t n, struct err *e);
	void *context;
	uint64_t size; /* of the whole file */
};

struct wheel_member {
	struct str name;
	uint64_t packed, size; /* bytes stored, bytes inflated */
	uint64_t offset;       /* of its local header */
	uint32_t crc;
	uint16_t method; /* 0 stored, 8 deflate */
	uint32_t mode;   /* Unix mode from the external attributes; 0 unknown */
	bool is_dir;
	uint16_t flags; /* general purpose bits */
	uint64_t next;  /* where the next local header, or the central directory, begins */
};

struct wheel; /* owns its members and texts; for one thread */

/* Messages of every function here begin with the file's name. Over a network: one read of at most
 * 64 KiB at the end, one for the rest of a larger central directory, one for METADATA where it lies
 * elsewhere. */
int wheel_open(
	const struct wheel_source *source, struct str file_name, struct wheel **out, struct err *e);
/* Keeps the descriptor only while the wheel is open; does not close it. */
int wheel_open_fd(int fd, struct str file_name, struct wheel **out, struct err *e);
/* Another handle on the same wheel, for another thread; `w` must stay open for as long, and have a
 * source that two threads may read from. Never NULL. */
struct wheel *wheel_twin(const struct wheel *w);
void wheel_close(struct wheel *w);
void cleanup_wheel(struct wheel **w);
#define CLEANUP_WHEEL __attribute__((cleanup(cleanup_wheel)))

const struct dist_name *wheel_name(const struct wheel *w);
const struct wheel_member *wheel_members(const struct wheel *w, size_t *n);
const struct wheel_member *wheel_find(const struct wheel *w, const char *name); /* NULL: none */
/* A file of its .dist-info folder: "WHEEL", "entry_points.txt". NULL: none. */
const struct wheel_member *wheel_find_info(const struct wheel *w, const char *name);
/* Whole member, at most `max` bytes, CRC checked. */
int wheel_read(struct wheel *w, const struct wheel_member *m, uint64_t max, struct buf *out,
	struct err *e);
/* The same in pieces: `take` gets at most 256 KiB a time, and at least 64 KiB but for the last
 * piece, so that the first one tells what the member is. What it returns but 0 stops the reading
 * and is returned: its error, or a positive value of its own (the rest of the member is then not
 * checked). `take` must not read from the same wheel. */
int wheel_stream(struct wheel *w, const struct wheel_member *m,
	int (*take)(void *context, const void *bytes, size_t n, struct err *e), void *context,
	struct err *e);

/* METADATA: bytes as they are, parsed; its name must be the file name's, its public version too.
 * Whether the local versions agree is has_local_mismatch: such a wheel is listed by path. */
struct wheel_metadata {
	struct str text; /* byte-exact */
	struct digest sha256;
	struct core_metadata core;
	struct version version;
	bool has_local_mismatch;
};
int wheel_metadata(
	struct wheel *w, const struct wheel_metadata **out, struct err *e); /* kept by w */

/* Reads the whole wheel: every member against RECORD (present, hashed with sha256 or better, right;
 * no row twice or without its member), every local header, the version of WHEEL, the names of entry
 * points, and whether the file is also a tar. RC_WHEEL names the first fault. */
int wheel_check_record(struct wheel *w, struct err *e);

#endif

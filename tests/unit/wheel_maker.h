/* Makes wheels in memory: honest ones in three calls, and every hostile form by a field that tells
 *a lie.
 *
 *	struct wheel_maker m = WHEEL_MAKER("demo-1.0-py3-none-any.whl");
 *	wheel_maker_add(&m, "demo/__init__.py", STR("x = 1\n"));
 *	wheel_maker_info(&m, "Requires-Dist: numpy\n");
 *	wheel_maker_record(&m);
 *	wheel_maker_write(&m, &bytes);
 *	wheel_maker_release(&m);
 */
#ifndef TESTS_WHEEL_MAKER_H
#define TESTS_WHEEL_MAKER_H

#include "manifests/base/arena.h"
#include "manifests/base/buf.h"
#include "manifests/base/vec.h"
#include "verify/wheel_in.h"

struct made_member {
	struct str name, bytes;
	uint16_t method; /* 8 deflate, 0 stored; others: the bytes are put in as they are */
	uint16_t flags;
	uint32_t mode;
	unsigned descriptor; /* its length: 0 none, 12 16 (32-bit sizes), 20 24 (ZIP64); sets flag 3
			      */
	bool zip64;          /* sizes in extra fields; the offset too in the central directory */
	struct str extra, local_extra, comment; /* as bytes */
	/* Lies. Numbers are added to the true ones. */
	struct str local_name; /* p NULL: the same name */
	struct str packed;     /* p NULL: the bytes, compressed */
	struct str before;     /* bytes in front of its local header */
	int64_t size_add, packed_add, offset_add, local_size_add, local_packed_add;
	uint32_t crc_xor, local_crc_xor, descriptor_crc_xor, local_magic_xor;
	uint16_t local_flags_xor, local_method_xor;
	bool is_unlisted; /* no central record */
	bool is_virtual;  /* no local header: the central record points to offset_add */
};

struct wheel_maker {
	struct arena arena;
	struct str file; /* "demo-1.0-py3-none-any.whl" */
	VEC(struct made_member) members;
	/* Lies. */
	struct str before, between, after; /* bytes before all (not counted in offsets), before the
					      end record, behind */
	struct str comment;
	int64_t count_add, central_size_add, central_offset_add;
	bool zip64;        /* a ZIP64 end record and its locator */
	bool is_saturated; /* the end record's own numbers are all ones */
	int64_t count64_add, locator_add;
	uint64_t disk;
	struct str extensible; /* behind the ZIP64 end record's fields */
};

#define WHEEL_MAKER(name)                              \
	{                                              \
		.arena = ARENA_INIT, .file = STR(name) \
	}

/* Valid until the next one is added; bytes are copied. */
struct made_member *wheel_maker_add(struct wheel_maker *m, const char *name, struct str bytes);
/* METADATA (with `more` lines) and WHEEL, of the file's name. */
void wheel_maker_info(struct wheel_maker *m, const char *more);
struct made_member *wheel_maker_record(struct wheel_maker *m); /* of the members so far */
const char *wheel_maker_info_name(
	struct wheel_maker *m, const char *name); /* "demo-1.0.dist-info/..." */
void wheel_maker_write(struct wheel_maker *m, struct buf *out);
void wheel_maker_release(struct wheel_maker *m);

/* A source that reads from memory and counts. */
struct made_source {
	struct str bytes;
	unsigned reads;
	uint64_t total;
};
struct wheel_source made_source_open(struct made_source *s);

#endif

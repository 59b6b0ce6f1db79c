/* CUDA's fat binary containers (magic 0xBA55ED50) in a stream of bytes from somebody else: a shared
 * library, a static archive, a loose .fatbin. The format has no public description; the fields read
 * here were compared with what nvcc writes.
 *
 *	container  u32 magic, u16 version 1, u16 header size 16, u64 size of its entries
 *	entry      u16 kind, u16 0x0101, u32 header size (64 or more), u64 size stored, ...
 *
 * CUDA before 4 wrote another form (magic 0x1EE55A01, then pointers); it is recognised, not read.
 *
 * A push parser: pieces of any size go in, entries come out, and payloads are skipped or handed on
 * as they come, so that a member of any size needs no memory. Containers stand at multiples of 8
 * bytes in the file (2 in a static archive); the pointers to them are relocated at load time and
 * useless on disk. */
#ifndef VERIFY_FATBIN_H
#define VERIFY_FATBIN_H

#include "manifests/base/err.h"
#include "manifests/base/str.h"

enum { FATBIN_CONTAINER_HEADER = 16, FATBIN_ENTRY_HEADER = 64 };

struct fatbin_entry {
	uint16_t kind;                 /* 1 PTX, 2 cubin, 8 LTO; others are passed on as they are */
	unsigned sm;                   /* 90, 100 */
	char suffix;                   /* 0, 'a', 'f' */
	unsigned isa_major, isa_minor; /* PTX: the ISA version */
	uint64_t flags;
	uint64_t stored; /* bytes of the payload, padded */
	uint64_t packed; /* bytes that are compressed; 0 where they are not */
	uint64_t size;   /* of what is in them; 0 where they are not compressed */
};

enum { FATBIN_FLAG_LZ4 = 0x2000, FATBIN_FLAG_ZSTD = 0x8000 };

/* Answers of the two functions: neither payload nor what is left of it is wanted, or it is. What is
 * less than 0 is an error, which ends the scan. */
enum { FATBIN_SKIP = 0, FATBIN_WANT = 1 };

struct fatbin_scan {
	int (*take)(void *context, const struct fatbin_entry *entry, struct err *e);
	/* The payload of the last entry, in pieces; NULL: never asked for. */
	int (*payload)(void *context, const void *bytes, size_t n, struct err *e);
	void *context;
	unsigned step;      /* containers begin at its multiples */
	uint64_t size;      /* of the whole stream */
	bool is_certain;    /* set by the caller: what looks like a container is one */
	size_t nunreadable; /* headers that no sound entry follows, where that may be chance */
	size_t nold;        /* of those: in the old form */
	/* private */
	uint64_t at;     /* bytes that came in, less what is pushed back */
	uint64_t skip;   /* of what comes next */
	uint64_t wanted; /* behind that: bytes of a payload that somebody wants */
	uint64_t end;    /* of the container that is being read; 0 outside */
	size_t entries;  /* in it so far */
	char head[FATBIN_CONTAINER_HEADER +
		  FATBIN_ENTRY_HEADER]; /* the beginning of what is looked at */
	size_t have;
};

/* Does it begin with a container? */
bool fatbin_is(struct str bytes);
/* `take` gets each entry. For payloads, set `payload` afterwards. */
void fatbin_scan_init(struct fatbin_scan *s, uint64_t size, unsigned step,
	int (*take)(void *context, const struct fatbin_entry *entry, struct err *e), void *context);
/* RC_WHEEL where a container goes wrong behind its first entry, or anywhere if that is_certain. */
int fatbin_scan_add(struct fatbin_scan *s, const void *bytes, size_t n, struct err *e);
int fatbin_scan_end(struct fatbin_scan *s, struct err *e);

#endif

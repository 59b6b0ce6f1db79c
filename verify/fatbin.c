#include "verify/fatbin.h"

#include "verify/le.h"

#include <inttypes.h>
#include <string.h>

/* Magic, version 1 and header size 16, as one number. */
#define CONTAINER_BEGIN UINT64_C(0x00100001ba55ed50)

/* The old form: its magic in 8 bytes, then a version in 8, of which the last one was 4. */
#define OLD_BEGIN UINT64_C(0x1ee55a01)
enum { OLD_VERSION_MAX = 8 };

enum { ENTRY_MARK = 0x0101 };
enum { FLAG_ARCH_SPECIFIC = 0x100000, FLAG_FAMILY_SPECIFIC = 0x200000 };

bool fatbin_is(struct str bytes)
{
	return bytes.n >= 8 && le64(bytes.p) == CONTAINER_BEGIN;
}

void fatbin_scan_init(struct fatbin_scan *s, uint64_t size, unsigned step,
	int (*take)(void *context, const struct fatbin_entry *entry, struct err *e), void *context)
{
	*s = (struct fatbin_scan){ .take = take, .context = context, .step = step, .size = size };
}

/* ---- the bytes at hand ---- */

static void bytes_use(struct fatbin_scan *s, struct str *rest, size_t n)
{
	*rest = str_skip(*rest, n);
	s->at += n;
}

static void bytes_skip(struct fatbin_scan *s, struct str *rest)
{
	size_t n = s->skip < rest->n ? (size_t)s->skip : rest->n;

	bytes_use(s, rest, n);
	s->skip -= n;
}

/* Gathers `want` bytes in head; false: more must come in first. */
static bool head_fill(struct fatbin_scan *s, struct str *rest, size_t want)
{
	size_t n = want > s->have ? want - s->have : 0;

	n = n < rest->n ? n : rest->n;
	if (n) {
		memcpy(s->head + s->have, rest->p, n);
	}
	s->have += n;
	bytes_use(s, rest, n);
	return s->have >= want;
}

/* No container begins where head does: on to the next place. */
static void head_reject(struct fatbin_scan *s)
{
	s->have -= s->step;
	memmove(s->head, s->head + s->step, s->have);
}

/* Back into the piece with what head holds, where it came from there: seeking there is faster. */
static void head_return(struct fatbin_scan *s, struct str *rest, const char *piece)
{
	if (s->have && (size_t)(rest->p - piece) >= s->have) {
		*rest = (struct str){ rest->p - s->have, rest->n + s->have };
		s->at -= s->have;
		s->have = 0;
	}
}

/* ---- entries ---- */

static bool entry_fits(const char *p, uint64_t room)
{
	uint64_t header = le32(p + 4), stored = le64(p + 8);

	return header >= FATBIN_ENTRY_HEADER && header <= room && stored <= room - header;
}

static int entry_emit(struct fatbin_scan *s, const char *p, struct err *e)
{
	uint64_t flags = le64(p + 40);
	struct fatbin_entry entry = {
		.kind = le16(p),
		.sm = le32(p + 28),
		.suffix = flags & FLAG_ARCH_SPECIFIC     ? 'a'
			  : flags & FLAG_FAMILY_SPECIFIC ? 'f'
							 : 0,
		.isa_major = le16(p + 26),
		.isa_minor = le16(p + 24),
		.flags = flags,
		.stored = le64(p + 8),
		.packed = le32(p + 16),
		.size = le64(p + 56),
	};

	s->entries++;
	return s->take(s->context, &entry, e);
}

/* Behind the last entry of a container, on to where another one may begin. */
static void container_leave(struct fatbin_scan *s)
{
	if (s->end && s->at + s->skip == s->end) {
		s->skip += (s->step - s->end % s->step) % s->step;
		s->end = 0;
	}
}

/* Past the entry at p, of whose header FATBIN_ENTRY_HEADER bytes were used; its payload may be
 * wanted. */
static int entry_pass(struct fatbin_scan *s, const char *p, struct err *e)
{
	int answer = entry_emit(s, p, e);
	uint64_t stored = le64(p + 8);

	s->wanted = answer == FATBIN_WANT && s->payload ? stored : 0;
	s->skip = le32(p + 4) - FATBIN_ENTRY_HEADER + (s->wanted ? 0 : stored);
	s->have = 0;
	if (!s->wanted) {
		container_leave(s);
	}
	return answer < 0 ? answer : 0;
}

static int payload_pass(struct fatbin_scan *s, struct str *rest, bool *starved, struct err *e)
{
	struct str part = str_first(*rest, s->wanted < rest->n ? (size_t)s->wanted : rest->n);

	if (part.n == 0) {
		*starved = true;
		return 0;
	}
	bytes_use(s, rest, part.n);
	s->wanted -= part.n;
	int answer = s->payload(s->context, part.p, part.n, e);
	if (answer == FATBIN_SKIP) {
		s->skip = s->wanted;
		s->wanted = 0;
	}
	if (!s->wanted) {
		container_leave(s);
	}
	return answer < 0 ? answer : 0;
}

static int entry_next(struct fatbin_scan *s, struct str *rest, bool *starved, struct err *e)
{
	uint64_t room = s->end - (s->at - s->have);

	if (room >= FATBIN_ENTRY_HEADER && !head_fill(s, rest, FATBIN_ENTRY_HEADER)) {
		*starved = true;
		return 0;
	}
	if (room < FATBIN_ENTRY_HEADER || !entry_fits(s->head, room)) {
		return err_set(e, RC_WHEEL,
			"fat binary container that ends at offset %" PRIu64 ": entry %zu leaves it",
			s->end, s->entries + 1);
	}
	return entry_pass(s, s->head, e);
}

/* ---- containers ---- */

static bool is_begin(uint64_t first)
{
	return first == CONTAINER_BEGIN || first == OLD_BEGIN;
}

/* Goes over the bytes at hand to where the first eight of a container stand. */
static void begin_seek(struct fatbin_scan *s, struct str *rest)
{
	size_t i = 0;

	while (i + 8 <= rest->n && !is_begin(le64(rest->p + i))) {
		i += s->step;
	}
	bytes_use(s, rest, i < rest->n ? i : rest->n);
}

/* Eight bytes may be there by chance, in a program that makes containers: only a sound first entry
 * makes a container. */
static int container_deny(struct fatbin_scan *s, struct err *e)
{
	if (s->is_certain) {
		return err_set(e, RC_WHEEL,
			"fat binary container at offset %" PRIu64
			": its size or its first entry is damaged",
			s->at - s->have);
	}
	s->nunreadable++;
	head_reject(s);
	return 0;
}

static int container_try(struct fatbin_scan *s, struct str *rest, bool *starved, struct err *e)
{
	uint64_t begin = s->at - s->have, total = le64(s->head + 8);
	const char *first = s->head + FATBIN_CONTAINER_HEADER;

	if (total > s->size - begin - FATBIN_CONTAINER_HEADER ||
		(total != 0 && total < FATBIN_ENTRY_HEADER)) {
		return container_deny(s, e);
	}
	if (total == 0) {
		head_reject(s);
		return 0;
	}
	if (!head_fill(s, rest, sizeof(s->head))) {
		*starved = true;
		return 0;
	}
	if (le16(first + 2) != ENTRY_MARK || !entry_fits(first, total)) {
		return container_deny(s, e);
	}
	s->end = begin + FATBIN_CONTAINER_HEADER + total;
	s->entries = 0;
	return entry_pass(s, first, e);
}

static int container_seek(struct fatbin_scan *s, struct str *rest, bool *starved, struct err *e)
{
	if (s->have == 0) {
		begin_seek(s, rest);
	}
	if (!head_fill(s, rest, FATBIN_CONTAINER_HEADER)) {
		*starved = true;
		return 0;
	}
	uint64_t first = le64(s->head), second = le64(s->head + 8);
	if (first != CONTAINER_BEGIN) {
		bool is_old = first == OLD_BEGIN && second && second <= OLD_VERSION_MAX;

		s->nold += is_old;
		s->nunreadable += is_old;
		head_reject(s);
		return 0;
	}
	return container_try(s, rest, starved, e);
}

int fatbin_scan_add(struct fatbin_scan *s, const void *bytes, size_t n, struct err *e)
{
	struct str rest = { bytes, n };
	bool starved = false;
	int rc = 0;

	if (n > s->size - s->at) {
		return err_set(e, RC_BUG, "fatbin: more bytes than were announced");
	}
	while (!rc && !starved) {
		bytes_skip(s, &rest);
		if (s->skip) {
			break;
		}
		rc = s->wanted ? payload_pass(s, &rest, &starved, e)
		     : s->end  ? entry_next(s, &rest, &starved, e)
			       : container_seek(s, &rest, &starved, e);
		if (!starved) {
			head_return(s, &rest, bytes);
		}
	}
	return rc;
}

int fatbin_scan_end(struct fatbin_scan *s, struct err *e)
{
	if (s->at != s->size) {
		return err_set(
			e, RC_WHEEL, "it ends at byte %" PRIu64 " of %" PRIu64, s->at, s->size);
	}
	return 0;
}

#include "verify/cubin.h"

#include "verify/elf.h"
#include "verify/le.h"

#include <string.h>

enum { HEADER_SIZE = 64, OSABI_AT = 7, ABI_VERSION_AT = 8, MACHINE_AT = 18, VERSION_AT = 20 };
enum {
	SEGMENTS_AT = 32,
	SECTIONS_AT = 40,
	FLAGS_AT = 48,
	SEGMENT_SIZE_AT = 54,
	SECTION_SIZE_AT = 58
};
enum { OSABI_CUDA12 = 0x33, OSABI_CUDA13 = 0x41 };
enum { ABI7_ARCH_SPECIFIC = 0x800, ABI7_VERSION_MIN = 50, ABI7_VERSION_MAX = 199 };

/* A note: lengths of owner and contents, type, owner, contents; all at multiples of 4. */
enum { NOTE_HEADER = 12, NOTE_TKINFO = 2000, NOTES_MAX = CUBIN_WINDOW / 2 };
static const char owner[] = "NVIDIA Corp";

bool cubin_is(struct str head)
{
	return elf_is(head) && head.n >= VERSION_AT && le16(head.p + MACHINE_AT) == CUBIN_MACHINE;
}

void cubin_scan_init(struct cubin_scan *s, uint64_t size)
{
	s->size = size;
	s->have = 0;
	s->is_headed = s->has_note = s->is_done = false;
	s->facts = (struct cubin_facts){ 0 };
	s->fault = NULL;
}

/* ---- its header ---- */

static bool is_abi8(const char *p)
{
	unsigned char osabi = (unsigned char)p[OSABI_AT];

	return osabi == OSABI_CUDA13 ||
	       (osabi != OSABI_CUDA12 && (unsigned char)p[ABI_VERSION_AT] >= 8);
}

static void abi7_read(struct cubin_scan *s, uint32_t flags, uint32_t version)
{
	s->facts.sm = flags & 0xff;
	s->facts.suffix = flags & ABI7_ARCH_SPECIFIC ? 'a' : 0;
	if (version >= ABI7_VERSION_MIN && version <= ABI7_VERSION_MAX) {
		s->facts.toolkit =
			(struct toolkit_release){ .major = version / 10, .minor = version % 10 };
	}
}

static bool has_table(const struct cubin_scan *s, const char *p, size_t at, size_t size_at)
{
	uint64_t offset = le64(p + at);
	uint64_t size = (uint64_t)le16(p + size_at) * le16(p + size_at + 2);

	return offset <= s->size && size <= s->size - offset;
}

/* One of the tables stands at its end: without them it was cut. */
static bool is_whole(const struct cubin_scan *s, const char *p)
{
	return has_table(s, p, SECTIONS_AT, SECTION_SIZE_AT) &&
	       has_table(s, p, SEGMENTS_AT, SEGMENT_SIZE_AT);
}

static void header_read(struct cubin_scan *s)
{
	const char *p = s->window;
	uint32_t flags = le32(p + FLAGS_AT);

	s->is_headed = true;
	if (!cubin_is((struct str){ p, HEADER_SIZE })) {
		s->fault = "no cubin: not an ELF file for a CUDA GPU";
	} else if (!is_whole(s, p)) {
		s->fault = "cubin: its tables lie outside of it";
	} else if (is_abi8(p)) {
		s->facts.sm = flags >> 8 & 0xff;
		s->facts.suffix = 'a';
		return;
	} else {
		abi7_read(s, flags, le32(p + VERSION_AT));
	}
	s->is_done = true;
}

/* ---- its notes ---- */

/* The whole length of the note that begins `bytes`, 0 where none does. */
static size_t note_length(struct str bytes)
{
	if (bytes.n < NOTE_HEADER + sizeof(owner) || le32(bytes.p) != sizeof(owner) ||
		memcmp(bytes.p + NOTE_HEADER, owner, sizeof(owner)) != 0) {
		return 0;
	}
	uint64_t contents = ((uint64_t)le32(bytes.p + 4) + 3) / 4 * 4;
	return contents < NOTES_MAX ? NOTE_HEADER + sizeof(owner) + (size_t)contents : 0;
}

/* Of "-arch sm_90a" among the options in the note; false: none are there. */
static bool note_suffix(struct str note, char *suffix)
{
	static const char option[] = "-arch sm_";

	for (; note.n >= sizeof(option); note = str_skip(note, 1)) {
		if (!str_starts(note, option)) {
			continue;
		}
		struct str rest = str_skip(note, sizeof(option) - 1);
		while (rest.n && rest.p[0] >= '0' && rest.p[0] <= '9') {
			rest = str_skip(rest, 1);
		}
		*suffix = rest.n && (rest.p[0] == 'a' || rest.p[0] == 'f') ? rest.p[0] : 0;
		return true;
	}
	return false;
}

static void note_read(struct cubin_scan *s, struct str note)
{
	struct toolkit_release found;

	if (toolkit_release_find(note, &found) &&
		toolkit_release_cmp(found, s->facts.toolkit) > 0) {
		s->facts.toolkit = found;
	}
	note_suffix(note, &s->facts.suffix);
}

/* The notes that stand one behind the other at the beginning of the window. */
static void notes_read(struct cubin_scan *s)
{
	struct str rest = { s->window, s->have };
	size_t n;

	while ((n = note_length(rest)) != 0) {
		if (le32(rest.p + 8) == NOTE_TKINFO) {
			note_read(s, str_first(rest, n));
		}
		rest = str_skip(rest, n);
	}
	s->is_done = true;
}

/* Moves the window to the first note in it, or to its end. */
static void note_seek(struct cubin_scan *s)
{
	size_t i = 0;

	while (i + NOTE_HEADER + sizeof(owner) <= s->have &&
		!(le32(s->window + i + 8) == NOTE_TKINFO &&
			note_length((struct str){ s->window + i, s->have - i }))) {
		i += 4;
	}
	s->has_note = i + NOTE_HEADER + sizeof(owner) <= s->have;
	s->have -= i;
	memmove(s->window, s->window + i, s->have);
}

static void window_read(struct cubin_scan *s)
{
	if (!s->is_headed && s->have >= HEADER_SIZE) {
		header_read(s);
	}
	if (s->is_headed && !s->is_done && !s->has_note) {
		note_seek(s);
	}
	if (s->has_note && s->have >= NOTES_MAX) {
		notes_read(s);
	}
}

bool cubin_scan_add(struct cubin_scan *s, const void *bytes, size_t n)
{
	struct str rest = { bytes, n };

	while (!s->is_done && rest.n) {
		struct str part = str_first(rest, sizeof(s->window) - s->have);

		memcpy(s->window + s->have, part.p, part.n);
		s->have += part.n;
		rest = str_skip(rest, part.n);
		window_read(s);
	}
	return !s->is_done;
}

int cubin_scan_end(struct cubin_scan *s, struct cubin_facts *out, struct err *e)
{
	if (!s->is_headed) {
		return err_set(e, RC_WHEEL, "cubin: its header is cut");
	}
	if (s->fault) {
		return err_set(e, RC_WHEEL, "%s", s->fault);
	}
	if (!s->is_done) {
		notes_read(s);
	}
	*out = s->facts;
	return 0;
}

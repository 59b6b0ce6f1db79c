#include "mirror/glibc_floor.h"

#include "manifests/limits.h"
#include "verify/elf.h"
#include "verify/le.h"

#include <stdio.h>

/* Elf64_Verneed: vn_cnt at 2, vn_aux at 8, vn_next at 12. Elf64_Vernaux: vna_name at 8, vna_next
 * at 12. */
enum { RECORD = 16, COUNT_AT = 2, AUX_AT = 8, NAME_AT = 8, NEXT_AT = 12, RECORDS_MAX = 10000 };

struct floor_search {
	struct str records, names; /* .gnu.version_r and .dynstr */
	unsigned major, minor;
};

static bool find_sections(const struct elf *elf, struct floor_search *s)
{
	struct err ignored = ERR_INIT;
	struct str name, contents;

	for (size_t i = 0; i < elf->nsections; i++) {
		if (elf_section(elf, i, &name, &contents, &ignored)) {
			return false;
		}
		if (str_is(name, ".gnu.version_r")) {
			s->records = contents;
		} else if (str_is(name, ".dynstr")) {
			s->names = contents;
		}
	}
	return s->records.n && s->names.n;
}

static void take_name(struct floor_search *s, uint32_t at)
{
	struct str name;
	unsigned major, minor;
	char text[32];

	if (at >= s->names.n) {
		return;
	}
	name = str_skip(s->names, at);
	snprintf(text, sizeof(text), "%.*s", STR_ARG(str_first(name, str_find(name, '\0'))));
	if (sscanf(text, "GLIBC_%u.%u", &major, &minor) == 2 &&
		(major > s->major || (major == s->major && minor > s->minor))) {
		s->major = major;
		s->minor = minor;
	}
}

/* Is there a whole record at this place? */
static bool has_record(const struct floor_search *s, uint64_t at)
{
	return at <= s->records.n && s->records.n - at >= RECORD;
}

static void walk_names(struct floor_search *s, uint64_t at, unsigned count, unsigned *left)
{
	for (; count && *left && has_record(s, at); count--, (*left)--) {
		const char *p = s->records.p + at;
		uint32_t next = le32(p + NEXT_AT);

		take_name(s, le32(p + NAME_AT));
		if (next == 0) {
			return;
		}
		at += next;
	}
}

bool glibc_floor_of_elf(struct str bytes, unsigned *major, unsigned *minor)
{
	struct floor_search s = { .major = 0 };
	struct err ignored = ERR_INIT;
	struct elf elf;
	unsigned left = RECORDS_MAX; /* distances may form a circle */

	if (!elf_is(bytes) || elf_open(bytes, &elf, &ignored) || !find_sections(&elf, &s)) {
		return false;
	}
	for (uint64_t at = 0; left && has_record(&s, at); left--) {
		const char *p = s.records.p + at;
		uint32_t next = le32(p + NEXT_AT);

		walk_names(&s, at + le32(p + AUX_AT), le16(p + COUNT_AT), &left);
		if (next == 0 || left == 0) {
			break;
		}
		at += next;
	}
	*major = s.major;
	*minor = s.minor;
	return s.major != 0;
}

int glibc_floor_of_wheel(struct wheel *w, struct glibc_floor *out, struct err *e)
{
	size_t n = 0;
	const struct wheel_member *members = wheel_members(w, &n);
	struct glibc_floor found = { .major = 0 };

	for (size_t i = 0; i < n; i++) {
		CLEANUP_BUF struct buf bytes = BUF_INIT;
		unsigned major = 0, minor = 0;

		if (members[i].is_dir || members[i].size > 4 * GIB ||
			!str_has(members[i].name, ".so")) {
			continue;
		}
		if (wheel_read(w, &members[i], members[i].size, &bytes, e)) {
			return -(int)e->rc;
		}
		if (glibc_floor_of_elf(buf_str(&bytes), &major, &minor) &&
			(major > found.major || (major == found.major && minor > found.minor))) {
			found = (struct glibc_floor){ major, minor, members[i].name };
		}
	}
	*out = found;
	return 0;
}

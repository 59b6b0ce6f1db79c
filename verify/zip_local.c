#include "verify/zip_local.h"

#include "verify/le.h"
#include "verify/member_name.h"
#include "verify/zip_extra.h"

#include <inttypes.h>

enum { HEADER_SIZE = 30 };
/* Encryption, data descriptor, UTF-8: the flags that change what is read. */
enum { FLAG_DESCRIPTOR = 1 << 3, FLAGS_COMPARED = 1 << 0 | 1 << 3 | 1 << 11 };

#define HEADER_MAGIC UINT32_C(0x04034b50)
#define DESCRIPTOR_MAGIC UINT32_C(0x08074b50)

static int contradiction(const char *what, struct err *e)
{
	return err_set(e, RC_WHEEL, "its local header contradicts the central directory: %s", what);
}

struct local_numbers {
	uint32_t crc;
	uint64_t packed, size;
};

static int numbers_read(const char *p, struct str extra, struct local_numbers *out, struct err *e)
{
	struct local_numbers n = { le32(p + 14), le32(p + 18), le32(p + 22) };
	struct str zip64;
	int rc = zip_extra_zip64(extra, &zip64, e);

	if (rc) {
		return rc;
	}
	/* 4.5.3: in a local header both sizes are there. */
	if (zip64.p && (zip64.n != 16 || n.size != UINT32_MAX || n.packed != UINT32_MAX)) {
		return contradiction("its ZIP64 field does not fit its sizes", e);
	}
	if (zip64.p) {
		n.size = le64(zip64.p);
		n.packed = le64(zip64.p + 8);
	}
	*out = n;
	return 0;
}

/* With a descriptor the writer knew the numbers only afterwards: then they are 0 here (4.4.4),
 * though some writers fill in what they know. */
static int numbers_check(const struct wheel_member *m, const struct local_numbers *n, struct err *e)
{
	bool late = m->flags & FLAG_DESCRIPTOR;

	if (n->size != m->size && !(late && n->size == 0)) {
		return contradiction("size", e);
	}
	if (n->packed != m->packed && !(late && n->packed == 0)) {
		return contradiction("packed size", e);
	}
	if (n->crc != m->crc && !(late && n->crc == 0)) {
		return contradiction("CRC-32", e);
	}
	return 0;
}

static int extent_check(const struct wheel_member *m, size_t header, struct err *e)
{
	uint64_t room = m->next - m->offset;
	bool late = m->flags & FLAG_DESCRIPTOR;

	if (room < header || room - header < m->packed) {
		return err_set(e, RC_WHEEL, "it overlaps what follows it");
	}
	uint64_t gap = room - header - m->packed;
	if (late ? gap != 12 && gap != 16 && gap != 20 && gap != 24 : gap != 0) {
		return err_set(e, RC_WHEEL, "%" PRIu64 " bytes behind it are no %s", gap,
			late ? "data descriptor" : "part of any member");
	}
	return 0;
}

int zip_local_check(const struct wheel_member *m, struct str bytes, size_t *header, struct err *e)
{
	const char *p = bytes.p;

	if (bytes.n < HEADER_SIZE || le32(p) != HEADER_MAGIC) {
		return err_set(e, RC_WHEEL, "no local header at offset %" PRIu64, m->offset);
	}
	size_t name = le16(p + 26), extra = le16(p + 28);
	if (bytes.n - HEADER_SIZE < name + extra) {
		return err_set(e, RC_WHEEL, "its local header overlaps what follows it");
	}
	if (!str_eq((struct str){ p + HEADER_SIZE, name }, m->name)) {
		return contradiction("name", e);
	}
	if ((le16(p + 6) ^ m->flags) & FLAGS_COMPARED) {
		return contradiction("flags", e);
	}
	if (le16(p + 8) != m->method) {
		return contradiction("compression method", e);
	}
	struct local_numbers numbers = { 0 };
	int rc = numbers_read(p, (struct str){ p + HEADER_SIZE + name, extra }, &numbers, e);
	rc = rc ? rc : numbers_check(m, &numbers, e);
	rc = rc ? rc : extent_check(m, HEADER_SIZE + name + extra, e);
	if (!rc) {
		*header = HEADER_SIZE + name + extra;
	}
	return rc;
}

int zip_descriptor_check(const struct wheel_member *m, struct str bytes, struct err *e)
{
	struct local_numbers n = { 0 };

	if (!(m->flags & FLAG_DESCRIPTOR)) {
		return 0;
	}
	/* 4.3.9.3: the signature is optional, and the sizes have 4 or 8 bytes each. */
	bool is_signed = bytes.n == 16 || bytes.n == 24, is_wide = bytes.n >= 20;
	if (is_signed && le32(bytes.p) != DESCRIPTOR_MAGIC) {
		return err_set(e, RC_WHEEL, "its data descriptor has no signature");
	}
	const char *p = bytes.p + (is_signed ? 4 : 0);
	n.crc = le32(p);
	n.packed = is_wide ? le64(p + 4) : le32(p + 4);
	n.size = is_wide ? le64(p + 12) : le32(p + 8);
	if (n.crc != m->crc || n.packed != m->packed || n.size != m->size) {
		return err_set(
			e, RC_WHEEL, "its data descriptor contradicts the central directory");
	}
	return 0;
}

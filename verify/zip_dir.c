#include "verify/zip_dir.h"

#include "manifests/limits.h"
#include "verify/le.h"
#include "verify/member_name.h"
#include "verify/zip_end.h"
#include "verify/zip_extra.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { CENTRAL_SIZE = 46, LOCAL_SIZE = 30 };
/* The tail holds the longest comment that an end record can have, but for a few bytes. */
enum { TAIL_SIZE = 64 * 1024, CENTRAL_SIZE_MAX = 64 * 1024 * 1024 };
/* Between two members: extra fields of the local header, and a data descriptor of ZIP64. */
enum { GAP_MAX = UINT16_MAX + 24 };
/* PyPI's measure of a decompression bomb, over the whole file. */
enum { BOMB_SIZE = 64 * 1024 * 1024, BOMB_RATIO = 50 };

enum {
	FLAG_ENCRYPTED = 1 << 0,
	FLAG_UTF8 = 1 << 11,
	/* Bits 1 and 2 tell the compressor's effort, bit 3 a data descriptor. */
	FLAGS_ALLOWED = 1 << 1 | 1 << 2 | 1 << 3 | FLAG_UTF8,
};

#define CENTRAL_MAGIC UINT32_C(0x02014b50)

/* ---- one header ---- */

static int flags_check(const struct wheel_member *m, struct err *e)
{
	if (m->flags & FLAG_ENCRYPTED) {
		return err_set(e, RC_WHEEL, "it is encrypted");
	}
	if (m->flags & ~FLAGS_ALLOWED) {
		return err_set(e, RC_WHEEL,
			"its flags 0x%04x are not supported (encryption, patches)", m->flags);
	}
	for (size_t i = 0; i < m->name.n; i++) {
		if ((unsigned char)m->name.p[i] >= 0x80 && !(m->flags & FLAG_UTF8)) {
			return err_set(e, RC_WHEEL,
				"its name is not ASCII and not marked as UTF-8: clients differ "
				"about it");
		}
	}
	if (m->method != 0 && m->method != 8) {
		return err_set(e, RC_WHEEL,
			"compression method %u: only stored (0) and deflate (8) are allowed",
			m->method);
	}
	return 0;
}

static int kind_check(const struct wheel_member *m, struct err *e)
{
	uint32_t type = m->mode & S_IFMT;

	if (type == S_IFLNK) {
		return err_set(e, RC_WHEEL, "it is a symbolic link");
	}
	if (type != 0 && type != S_IFREG && type != S_IFDIR) {
		return err_set(
			e, RC_WHEEL, "it is neither a file nor a folder (mode 0%o)", m->mode);
	}
	if (type == S_IFDIR && !m->is_dir) {
		return err_set(e, RC_WHEEL, "its mode says folder, its name says file");
	}
	if (m->is_dir && m->size != 0) {
		return err_set(e, RC_WHEEL, "it is a folder that has contents");
	}
	return 0;
}

static int sizes_check(const struct wheel_member *m, struct err *e)
{
	if (m->method == 0 && m->packed != m->size) {
		return err_set(e, RC_WHEEL,
			"it is stored, but its sizes differ (%" PRIu64 " and %" PRIu64 ")",
			m->packed, m->size);
	}
	/* Deflate makes at most 1032 bytes of one. */
	if (m->method == 8 && m->size / 1032 > m->packed) {
		return err_set(e, RC_WHEEL,
			"%" PRIu64 " bytes cannot come from %" PRIu64 " deflated ones", m->size,
			m->packed);
	}
	return 0;
}

static int zip64_take(struct str *from, uint64_t *value, struct err *e)
{
	if (*value != UINT32_MAX) {
		return 0;
	}
	if (from->n < 8) {
		return err_set(e, RC_WHEEL, "a ZIP64 number is missing");
	}
	*value = le64(from->p);
	*from = str_skip(*from, 8);
	return 0;
}

/* 4.5.3: the field holds exactly the numbers whose places in the header are filled with ones. */
static int zip64_apply(struct wheel_member *m, struct str extra, struct err *e)
{
	struct str zip64;
	int rc = zip_extra_zip64(extra, &zip64, e);

	if (rc || !zip64.p) {
		return rc;
	}
	rc = zip64_take(&zip64, &m->size, e);
	rc = rc ? rc : zip64_take(&zip64, &m->packed, e);
	rc = rc ? rc : zip64_take(&zip64, &m->offset, e);
	if (!rc && zip64.n) {
		rc = err_set(e, RC_WHEEL, "its ZIP64 field has numbers that nothing asks for");
	}
	return rc;
}

static int member_check(struct wheel_member *m, const char *header, struct str extra, struct err *e)
{
	int rc = flags_check(m, e);

	rc = rc ? rc : zip64_apply(m, extra, e);
	rc = rc ? rc : kind_check(m, e);
	rc = rc ? rc : sizes_check(m, e);
	if (!rc && le16(header + 32) != 0) {
		rc = err_set(e, RC_WHEEL, "it has a comment");
	}
	if (!rc && le16(header + 34) != 0) {
		rc = err_set(e, RC_WHEEL, "it lies on another disk");
	}
	return rc;
}

static int member_parse(struct str *rest, struct wheel_member *m, struct err *e)
{
	char shown[MEMBER_NAME_SHOWN];
	const char *p = rest->p;

	if (rest->n < CENTRAL_SIZE || le32(p) != CENTRAL_MAGIC) {
		return err_set(e, RC_WHEEL, "no record of a member is there");
	}
	size_t name = le16(p + 28), extra = le16(p + 30), comment = le16(p + 32);
	if (rest->n - CENTRAL_SIZE < name + extra + comment) {
		return err_set(e, RC_WHEEL, "a record leaves the directory");
	}
	*m = (struct wheel_member){
		.name = { p + CENTRAL_SIZE, name },
		.packed = le32(p + 20),
		.size = le32(p + 24),
		.offset = le32(p + 42),
		.crc = le32(p + 16),
		.method = le16(p + 10),
		.flags = le16(p + 8),
		.mode = le32(p + 38) >> 16,
		.is_dir = name && p[CENTRAL_SIZE + name - 1] == '/',
	};
	*rest = str_skip(*rest, CENTRAL_SIZE + name + extra + comment);
	int rc = member_name_check(m->name, MEMBER_NAME_LINUX, e); /* wheel_layout.c knows for whom it is */
	if (rc) {
		return rc;
	}
	rc = member_check(m, p, (struct str){ p + CENTRAL_SIZE + name, extra }, e);
	return rc ? err_wrap(e, "member \"%s\"", member_name_show(m->name, shown)) : 0;
}

static int members_parse(struct zip_dir *d, struct str central, struct err *e)
{
	d->members = arena_array(&d->arena, d->n ? d->n : 1, sizeof(*d->members));
	for (size_t i = 0; i < d->n; i++) {
		int rc = member_parse(&central, &d->members[i], e);
		if (rc) {
			return err_wrap(
				e, "zip: central directory, record %zu of %zu", i + 1, d->n);
		}
	}
	if (central.n) {
		return err_set(e, RC_WHEEL,
			"zip: central directory: %zu bytes follow its %zu records", central.n,
			d->n);
	}
	return 0;
}

/* ---- all of them ---- */

static int by_name_cmp(const void *a, const void *b)
{
	const struct wheel_member *const *x = a, *const *y = b;

	return str_cmp((*x)->name, (*y)->name);
}

static int by_offset_cmp(const void *a, const void *b)
{
	const struct wheel_member *const *x = a, *const *y = b;

	return ((*x)->offset > (*y)->offset) - ((*x)->offset < (*y)->offset);
}

static const struct wheel_member **members_sorted(
	struct zip_dir *d, int (*cmp)(const void *, const void *))
{
	const struct wheel_member **list = arena_array(&d->arena, d->n ? d->n : 1, sizeof(*list));

	for (size_t i = 0; i < d->n; i++) {
		list[i] = &d->members[i];
	}
	qsort(list, d->n, sizeof(*list), cmp);
	return list;
}

const struct wheel_member *zip_dir_find(const struct zip_dir *d, struct str name)
{
	const struct wheel_member key = { .name = name }, *at = &key;
	const struct wheel_member **found =
		bsearch(&at, d->by_name, d->n, sizeof(*d->by_name), by_name_cmp);

	return found ? *found : NULL;
}

/* No name twice, and none that is a file for one member and a folder for another. */
static int names_check(const struct zip_dir *d, struct err *e)
{
	char shown[MEMBER_NAME_SHOWN];

	for (size_t i = 0; i < d->n; i++) {
		struct str name = d->by_name[i]->name;

		if (i && str_eq(name, d->by_name[i - 1]->name)) {
			return err_set(e, RC_WHEEL, "zip: two members are named \"%s\"",
				member_name_show(name, shown));
		}
		for (size_t k = 0; k < name.n; k++) {
			if (name.p[k] == '/' && zip_dir_find(d, str_first(name, k))) {
				return err_set(e, RC_WHEEL, "zip: \"%s\" is a file and a folder",
					member_name_show(str_first(name, k), shown));
			}
		}
	}
	return 0;
}

static int gap_check(const struct wheel_member *m, uint64_t next, struct err *e)
{
	char shown[MEMBER_NAME_SHOWN];
	uint64_t head = LOCAL_SIZE + m->name.n;

	if (next < m->offset || next - m->offset < head || next - m->offset - head < m->packed) {
		return err_set(e, RC_WHEEL,
			"zip: member \"%s\" overlaps what follows it, at %" PRIu64,
			member_name_show(m->name, shown), next);
	}
	if (next - m->offset - head - m->packed > GAP_MAX) {
		return err_set(e, RC_WHEEL,
			"zip: bytes between member \"%s\" and offset %" PRIu64
			" belong to no member",
			member_name_show(m->name, shown), next);
	}
	return 0;
}

/* From the first byte of the file to the central directory, members lie one behind the other. */
static int layout_check(struct zip_dir *d, uint64_t central, struct err *e)
{
	uint64_t first = d->n ? d->by_offset[0]->offset : central;

	if (first != 0) {
		return err_set(
			e, RC_WHEEL, "zip: %" PRIu64 " bytes stand before the first member", first);
	}
	for (size_t i = 0; i < d->n; i++) {
		struct wheel_member *m = &d->members[d->by_offset[i] - d->members];

		m->next = i + 1 < d->n ? d->by_offset[i + 1]->offset : central;
		int rc = gap_check(m, m->next, e);
		if (rc) {
			return rc;
		}
	}
	return 0;
}

static int bomb_check(const struct zip_dir *d, uint64_t file_size, struct err *e)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < d->n; i++) {
		if (d->members[i].size > LIMIT_WHEEL_INFLATED - sum) {
			return err_set(e, RC_LIMIT,
				"zip: its members inflate to over %" PRIu64 " GiB",
				LIMIT_WHEEL_INFLATED / GIB);
		}
		sum += d->members[i].size;
	}
	if (sum > BOMB_SIZE && sum / BOMB_RATIO > file_size) {
		return err_set(e, RC_WHEEL,
			"zip: a decompression bomb: %" PRIu64 " bytes inflate to %" PRIu64,
			file_size, sum);
	}
	return 0;
}

/* ---- reading ---- */

static int tail_read(
	const struct wheel_source *source, struct zip_dir *d, uint64_t from, struct err *e)
{
	size_t n = (size_t)(source->size - from), old = d->tail.n;
	char *bytes = arena_alloc(&d->arena, n + 1);
	int rc = source->read_at(source->context, from, bytes, n - old, e);

	if (rc) {
		return rc;
	}
	if (old) {
		memcpy(bytes + n - old, d->tail.p, old);
	}
	d->tail = (struct str){ bytes, n };
	d->tail_offset = from;
	return 0;
}

static int end_check(const struct zip_end *end, struct err *e)
{
	if (end->count > LIMIT_WHEEL_MEMBERS || end->size > CENTRAL_SIZE_MAX) {
		return err_set(e, RC_LIMIT,
			"zip: %" PRIu64 " members in a directory of %" PRIu64
			" bytes: over the limit of %d and %d",
			end->count, end->size, LIMIT_WHEEL_MEMBERS, CENTRAL_SIZE_MAX);
	}
	if (end->size / CENTRAL_SIZE < end->count) {
		return err_set(e, RC_WHEEL,
			"zip: a central directory of %" PRIu64 " bytes cannot list %" PRIu64
			" members",
			end->size, end->count);
	}
	return 0;
}

static int dir_load(const struct wheel_source *source, struct zip_dir *d, struct err *e)
{
	uint64_t size = source->size;
	struct zip_end end = { 0 };
	int rc = tail_read(source, d, size > TAIL_SIZE ? size - TAIL_SIZE : 0, e);

	rc = rc ? rc : zip_end_find(d->tail, d->tail_offset, &end, e);
	rc = rc ? rc : end_check(&end, e);
	if (!rc && end.offset < d->tail_offset) {
		rc = tail_read(source, d, end.offset, e);
	}
	if (rc) {
		return rc;
	}
	struct str central = str_skip(d->tail, (size_t)(end.offset - d->tail_offset));
	d->n = (size_t)end.count;
	rc = members_parse(d, str_first(central, (size_t)end.size), e);
	if (rc) {
		return rc;
	}
	d->by_name = members_sorted(d, by_name_cmp);
	d->by_offset = members_sorted(d, by_offset_cmp);
	rc = names_check(d, e);
	rc = rc ? rc : layout_check(d, end.offset, e);
	return rc ? rc : bomb_check(d, size, e);
}

int zip_dir_read(const struct wheel_source *source, struct zip_dir *out, struct err *e)
{
	struct zip_dir d = ZIP_DIR_INIT;
	int rc = dir_load(source, &d, e);

	if (rc) {
		zip_dir_release(&d);
		return rc;
	}
	*out = d;
	return 0;
}

void zip_dir_release(struct zip_dir *d)
{
	arena_release(&d->arena);
	*d = (struct zip_dir)ZIP_DIR_INIT;
}

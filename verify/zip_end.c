#include "verify/zip_end.h"

#include "verify/le.h"

#include <inttypes.h>

enum { END_SIZE = 22, END64_SIZE = 56, LOCATOR_SIZE = 20 };

#define END_MAGIC UINT32_C(0x06054b50)
#define END64_MAGIC UINT32_C(0x06064b50)
#define LOCATOR_MAGIC UINT32_C(0x07064b50)

/* Clients search the record in different directions, so there must be one candidate only. */
static int end_locate(struct str tail, size_t *at, struct err *e)
{
	size_t found = tail.n;
	bool is_seen = false;

	for (size_t i = tail.n < 4 ? 0 : tail.n - 3; i-- > 0;) {
		if (le32(tail.p + i) != END_MAGIC) {
			continue;
		}
		size_t rest = tail.n - i;
		bool fits = rest >= END_SIZE && rest - END_SIZE == le16(tail.p + i + 20);
		if (fits && (is_seen || found != tail.n)) {
			return err_set(e, RC_WHEEL, "zip: two end records");
		}
		if (fits) {
			found = i;
		}
		/* In front of the record, members may hold the four bytes by chance. */
		is_seen = is_seen || found == tail.n;
	}
	if (found == tail.n) {
		return err_set(e, RC_WHEEL, "zip: %s",
			is_seen ? "bytes follow the end record, or it is cut"
				: "no end record: the file is cut, or no zip file");
	}
	*at = found;
	return 0;
}

static bool agrees16(uint16_t small, uint64_t large)
{
	return small == UINT16_MAX || small == large;
}

static bool agrees32(uint32_t small, uint64_t large)
{
	return small == UINT32_MAX || small == large;
}

/* The ZIP64 record stands in front of its locator, and that in front of the end record. */
static int end64_read(struct str tail, uint64_t base, size_t at, struct zip_end *out,
	uint64_t *begin, struct err *e)
{
	if (at < LOCATOR_SIZE + END64_SIZE) {
		return err_set(e, RC_WHEEL, "zip: no ZIP64 end record stands before its locator");
	}
	size_t record = at - LOCATOR_SIZE - END64_SIZE;
	const char *end = tail.p + at, *locator = end - LOCATOR_SIZE, *p = tail.p + record;
	if (le64(locator + 8) != base + record || le32(p) != END64_MAGIC) {
		return err_set(e, RC_WHEEL, "zip: no ZIP64 end record stands before its locator");
	}
	if (le64(p + 4) != END64_SIZE - 12) {
		return err_set(e, RC_WHEEL, "zip: the ZIP64 end record has extensible data");
	}
	if (le32(locator + 4) != 0 || le32(locator + 16) > 1 || le32(p + 16) != 0 ||
		le32(p + 20) != 0 || le64(p + 24) != le64(p + 32)) {
		return err_set(e, RC_WHEEL, "zip: it is split over several disks");
	}
	*out = (struct zip_end){
		.count = le64(p + 32), .size = le64(p + 40), .offset = le64(p + 48)
	};
	if (!agrees16(le16(end + 10), out->count) || !agrees32(le32(end + 12), out->size) ||
		!agrees32(le32(end + 16), out->offset)) {
		return err_set(e, RC_WHEEL, "zip: the ZIP64 end record contradicts the end record");
	}
	*begin = base + record;
	return 0;
}

static int end_read(struct str tail, uint64_t base, size_t at, struct zip_end *out, uint64_t *begin,
	struct err *e)
{
	const char *end = tail.p + at;

	if (le16(end + 4) != 0 || le16(end + 6) != 0 || le16(end + 8) != le16(end + 10)) {
		return err_set(e, RC_WHEEL, "zip: it is split over several disks");
	}
	if (at >= LOCATOR_SIZE && le32(end - LOCATOR_SIZE) == LOCATOR_MAGIC) {
		return end64_read(tail, base, at, out, begin, e);
	}
	*begin = base + at;
	*out = (struct zip_end){
		.count = le16(end + 10),
		.size = le32(end + 12),
		.offset = le32(end + 16),
	};
	return 0;
}

int zip_end_find(struct str tail, uint64_t offset, struct zip_end *out, struct err *e)
{
	struct zip_end end = { 0 };
	uint64_t begin = 0;
	size_t at = 0;
	int rc = end_locate(tail, &at, e);

	rc = rc ? rc : end_read(tail, offset, at, &end, &begin, e);
	if (rc) {
		return rc;
	}
	if (end.offset > begin || end.size != begin - end.offset) {
		return err_set(e, RC_WHEEL,
			"zip: the central directory (%" PRIu64 " bytes at %" PRIu64
			") does not reach to the end record at %" PRIu64
			": bytes were put before or between them",
			end.size, end.offset, begin);
	}
	*out = end;
	return 0;
}

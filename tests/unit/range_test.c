#include "mirror/range.h"
#include "tests/unit/unit.h"

#include <inttypes.h>

static const struct {
	const char *header;
	uint64_t size;
	enum range_answer answer;
	uint64_t offset, length;
} ranges[] = {
	{ "", 100, RANGE_WHOLE, 0, 0 },
	{ "bytes=0-0", 100, RANGE_PART, 0, 1 },
	{ "bytes=0-", 100, RANGE_PART, 0, 100 },
	{ "bytes=0-99", 100, RANGE_PART, 0, 100 },
	{ "bytes=0-100", 100, RANGE_PART, 0, 100 },
	{ "bytes=99-", 100, RANGE_PART, 99, 1 },
	{ "bytes=10-19", 100, RANGE_PART, 10, 10 },
	{ "Bytes=10-19", 100, RANGE_PART, 10, 10 },
	{ " bytes=10-19 ", 100, RANGE_PART, 10, 10 },
	{ "bytes=-1", 100, RANGE_PART, 99, 1 },
	{ "bytes=-100", 100, RANGE_PART, 0, 100 },
	{ "bytes=-16384", 100, RANGE_PART, 0, 100 },
	{ "bytes=-16384", 5368709120, RANGE_PART, 5368709120 - 16384, 16384 },
	{ "bytes=4294967296-4294967297", 5368709120, RANGE_PART, 4294967296, 2 },
	{ "bytes=0-18446744073709551615", 100, RANGE_PART, 0, 100 },
	{ "bytes=0-99999999999999999999999", 100, RANGE_PART, 0, 100 },
	{ "bytes=-99999999999999999999999", 100, RANGE_PART, 0, 100 },
	{ "bytes=100-", 100, RANGE_OUTSIDE, 0, 0 },
	{ "bytes=100-200", 100, RANGE_OUTSIDE, 0, 0 },
	{ "bytes=9999999999999-", 100, RANGE_OUTSIDE, 0, 0 },
	{ "bytes=99999999999999999999999-", 100, RANGE_OUTSIDE, 0, 0 },
	{ "bytes=-0", 100, RANGE_OUTSIDE, 0, 0 },
	{ "bytes=0-", 0, RANGE_OUTSIDE, 0, 0 },
	{ "bytes=-5", 0, RANGE_OUTSIDE, 0, 0 },
	{ "bytes=0-1,5-6", 100, RANGE_WHOLE, 0, 0 },
	{ "bytes=0-1,", 100, RANGE_WHOLE, 0, 0 },
	{ "bytes=5-1", 100, RANGE_WHOLE, 0, 0 },
	{ "bytes=", 100, RANGE_WHOLE, 0, 0 },
	{ "bytes=-", 100, RANGE_WHOLE, 0, 0 },
	{ "bytes=5", 100, RANGE_WHOLE, 0, 0 },
	{ "bytes=a-b", 100, RANGE_WHOLE, 0, 0 },
	{ "bytes=1-b", 100, RANGE_WHOLE, 0, 0 },
	{ "bytes=0x1-2", 100, RANGE_WHOLE, 0, 0 },
	{ "bytes=+1-2", 100, RANGE_WHOLE, 0, 0 },
	{ "bytes=1--2", 100, RANGE_WHOLE, 0, 0 },
	{ "bytes:1-2", 100, RANGE_WHOLE, 0, 0 },
	{ "items=0-1", 100, RANGE_WHOLE, 0, 0 },
};

UNIT(range_table)
{
	static const uint64_t big = UINT64_C(5) << 30;

	ck_assert_uint_eq(big, 5368709120);
	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		struct range range = { 0, 0 };

		ck_assert_msg(range_parse(str_of(ranges[i].header), ranges[i].size, &range) == ranges[i].answer,
			"%s", ranges[i].header);
		ck_assert_msg(range.offset == ranges[i].offset && range.length == ranges[i].length,
			"%s: %" PRIu64 " + %" PRIu64, ranges[i].header, range.offset, range.length);
	}
}

UNIT(range_etag_lists)
{
	static const struct {
		const char *header;
		bool has;
	} rows[] = {
		{ "\"abc\"", true },
		{ "W/\"abc\"", true },
		{ "\"x\", \"abc\"", true },
		{ "\"x\",W/\"abc\" , \"y\"", true },
		{ "*", true },
		{ " * ", true },
		{ "", false },
		{ "abc", false },
		{ "\"ab\"", false },
		{ "\"abcd\"", false },
		{ "\"x\", *", false },
		{ "w/\"abc\"", false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ck_assert_msg(etag_list_has(str_of(rows[i].header), STR("\"abc\"")) == rows[i].has, "%s",
			rows[i].header);
	}
}

#include "mirror/range.h"

/* A number too large for 64 bits lies behind every end. */
static bool parse_number(struct str s, uint64_t *out)
{
	if (s.n == 0) {
		return false;
	}
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9') {
			return false;
		}
	}
	if (!str_to_u64(s, out)) {
		*out = UINT64_MAX;
	}
	return true;
}

static enum range_answer suffix(struct str digits, uint64_t size, struct range *out)
{
	uint64_t n;

	if (!parse_number(digits, &n)) {
		return RANGE_WHOLE;
	}
	if (n == 0 || size == 0) {
		return RANGE_OUTSIDE;
	}
	n = n < size ? n : size;
	*out = (struct range){ size - n, n };
	return RANGE_PART;
}

enum range_answer range_parse(struct str header, uint64_t size, struct range *out)
{
	struct str spec = str_trim(header), first;
	uint64_t begin, end = UINT64_MAX;

	if (!str_eq_nocase(str_first(spec, 6), STR("bytes=")) || str_find(spec, ',') < spec.n) {
		return RANGE_WHOLE;
	}
	spec = str_trim(str_skip(spec, 6));
	if (str_find(spec, '-') == spec.n) {
		return RANGE_WHOLE;
	}
	str_cut(&spec, '-', &first);
	if (first.n == 0) {
		return suffix(spec, size, out);
	}
	if (!parse_number(first, &begin) || (spec.n && !parse_number(spec, &end)) || end < begin) {
		return RANGE_WHOLE;
	}
	if (begin >= size) {
		return RANGE_OUTSIDE;
	}
	end = end < size ? end : size - 1;
	*out = (struct range){ begin, end - begin + 1 };
	return RANGE_PART;
}

bool etag_list_has(struct str header, struct str etag)
{
	struct str item;

	if (str_is(str_trim(header), "*")) {
		return true;
	}
	while (str_cut(&header, ',', &item)) {
		item = str_trim(item);
		if (str_starts(item, "W/")) {
			item = str_skip(item, 2);
		}
		if (str_eq(item, etag)) {
			return true;
		}
	}
	return false;
}

#include "verify/toolkit_release.h"

static bool number_take(struct str *text, unsigned *out)
{
	uint64_t value = 0;
	size_t n = 0;

	while (n < text->n && text->p[n] >= '0' && text->p[n] <= '9') {
		n++;
	}
	if (n > 4 || !str_to_u64(str_first(*text, n), &value)) {
		return false;
	}
	*text = str_skip(*text, n);
	*out = (unsigned)value;
	return true;
}

static bool dot_take(struct str *text)
{
	bool is_there = str_starts(*text, ".");

	*text = str_skip(*text, is_there);
	return is_there;
}

static bool release_take(struct str text, struct toolkit_release *out)
{
	return number_take(&text, &out->major) && dot_take(&text) &&
	       number_take(&text, &out->minor) && dot_take(&text) &&
	       number_take(&text, &out->patch) && out->major;
}

bool toolkit_release_find(struct str text, struct toolkit_release *out)
{
	struct toolkit_release newest = { 0 }, found;

	for (text = str_skip(text, str_find(text, ',')); text.n;
		text = str_skip(text, str_find(text, ','))) {
		if (str_starts(text, ", V") && release_take(str_skip(text, 3), &found) &&
			toolkit_release_cmp(found, newest) > 0) {
			newest = found;
		}
		text = str_skip(text, 1);
	}
	if (newest.major) {
		*out = newest;
	}
	return newest.major != 0;
}

int toolkit_release_cmp(struct toolkit_release a, struct toolkit_release b)
{
	if (a.major != b.major) {
		return a.major < b.major ? -1 : 1;
	}
	if (a.minor != b.minor) {
		return a.minor < b.minor ? -1 : 1;
	}
	return (a.patch > b.patch) - (a.patch < b.patch);
}

void toolkit_release_format(struct toolkit_release r, struct buf *out)
{
	if (!r.major) {
		buf_adds(out, "unknown");
		return;
	}
	buf_addf(out, "%u.%u", r.major, r.minor);
	if (r.patch) {
		buf_addf(out, ".%u", r.patch);
	}
}

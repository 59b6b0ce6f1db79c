#include "verify/kept_ranges.h"

void kept_want(struct kept_ranges *k, uint64_t offset, uint64_t size)
{
	if (size > UINT64_MAX - offset) {
		size = UINT64_MAX - offset;
	}
	if (size) {
		vec_push(&k->wanted, (struct kept_range){ offset, offset + size });
	}
}

/* The first wanted piece at or behind `at`; false: there is none. */
static bool next_piece(const struct kept_ranges *k, uint64_t at, struct kept_range *out)
{
	struct kept_range best = { UINT64_MAX, UINT64_MAX };

	vec_each(const struct kept_range, r, &k->wanted) {
		uint64_t begin = r->begin > at ? r->begin : at;

		if (begin < r->end && begin < best.begin) {
			best = (struct kept_range){ begin, r->end };
		}
	}
	*out = best;
	return best.begin != UINT64_MAX;
}

static void keep(struct kept_ranges *k, uint64_t offset, const char *bytes, size_t n)
{
	struct kept_run *last = k->runs.n ? &k->runs.v[k->runs.n - 1] : NULL;
	size_t room = k->limit - k->bytes.n;

	n = n < room ? n : room;
	if (n == 0) {
		return;
	}
	if (last && last->offset + last->n == offset) {
		last->n += n;
	} else {
		vec_push(&k->runs, (struct kept_run){ offset, k->bytes.n, n });
	}
	buf_add(&k->bytes, bytes, n);
}

void kept_add(struct kept_ranges *k, const void *bytes, size_t n)
{
	uint64_t begin = k->at, end = k->at + n;
	struct kept_range piece;

	for (uint64_t at = begin; next_piece(k, at, &piece) && piece.begin < end; at = piece.end) {
		uint64_t stop = piece.end < end ? piece.end : end;

		keep(k, piece.begin, (const char *)bytes + (piece.begin - begin),
			(size_t)(stop - piece.begin));
	}
	k->at = end;
}

struct str kept_from(const struct kept_ranges *k, uint64_t offset)
{
	vec_each(const struct kept_run, run, &k->runs) {
		if (offset >= run->offset && offset - run->offset < run->n) {
			size_t skip = (size_t)(offset - run->offset);

			return (struct str){ k->bytes.p + run->at + skip, run->n - skip };
		}
	}
	return STR_NULL;
}

void kept_stop(struct kept_ranges *k)
{
	k->wanted.n = 0;
}

void kept_restart(struct kept_ranges *k)
{
	k->at = 0;
	k->wanted.n = 0;
	k->runs.n = 0;
	buf_clear(&k->bytes);
}

void kept_release(struct kept_ranges *k)
{
	vec_release(&k->wanted);
	vec_release(&k->runs);
	buf_release(&k->bytes);
}

#include "manifests/base/bits.h"
#include "tests/unit/unit.h"

/* Sizes around the edges of words. */
static const size_t sizes[] = { 1, 2, 63, 64, 65, 127, 128, 129, 1000 };

UNIT(bits_fill_stays_within_its_size)
{
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct arena a = ARENA_INIT;
		struct bits s = bits_new(&a, sizes[i]);

		ck_assert(bits_is_empty(&s) && !bits_is_full(&s));
		bits_fill(&s);
		ck_assert_uint_eq(bits_count(&s), sizes[i]);
		ck_assert(bits_is_full(&s));
		ck_assert_uint_eq(bits_highest(&s), sizes[i] - 1);
		bits_drop(&s, sizes[i] - 1);
		ck_assert(!bits_is_full(&s) && !bits_has(&s, sizes[i] - 1));
		bits_clear(&s);
		ck_assert(bits_is_empty(&s));
		arena_release(&a);
	}
}

UNIT(bits_of_no_size)
{
	struct arena a = ARENA_INIT;
	struct bits s = bits_new(&a, 0), t = bits_copy(&a, &s);

	bits_fill(&s);
	ck_assert(bits_is_empty(&s) && bits_is_full(&s) && bits_is_equal(&s, &t));
	ck_assert(bits_is_subset(&s, &t) && !bits_meet(&s, &t));
	ck_assert_uint_eq(bits_count(&s), 0);
	ck_assert_uint_eq(bits_highest(&s), SIZE_MAX);
	ck_assert_uint_eq(bits_next(&s, 0), SIZE_MAX);
	ck_assert_uint_eq(bits_below(&s, 0), SIZE_MAX);
	arena_release(&a);
}

UNIT(bits_walk_both_ways)
{
	static const size_t members[] = { 0, 5, 63, 64, 127, 128, 199 };
	enum { N = sizeof(members) / sizeof(members[0]) };
	struct arena a = ARENA_INIT;
	struct bits s = bits_new(&a, 200);
	size_t at = 0, end = s.n;

	for (size_t i = 0; i < N; i++) {
		bits_add(&s, members[i]);
	}
	ck_assert_uint_eq(bits_count(&s), N);
	for (size_t i = 0; i < N; i++) {
		at = bits_next(&s, at);
		ck_assert_uint_eq(at++, members[i]);
		end = bits_below(&s, end);
		ck_assert_uint_eq(end, members[N - 1 - i]);
	}
	ck_assert_uint_eq(bits_next(&s, at), SIZE_MAX);
	ck_assert_uint_eq(bits_below(&s, end), SIZE_MAX);
	ck_assert_uint_eq(bits_highest(&s), 199);
	arena_release(&a);
}

/* Every operation against the same one member by member. */
UNIT(bits_operations)
{
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct arena a = ARENA_INIT;
		size_t n = sizes[i], nboth = 0, nextra = 0;
		struct bits s = bits_new(&a, n), t = bits_new(&a, n);

		for (size_t k = 0; k < n; k++) {
			bool in_s = k % 3 == 0, in_t = k % 5 == 0;

			in_s ? bits_add(&s, k) : bits_drop(&s, k);
			in_t ? bits_add(&t, k) : bits_drop(&t, k);
			nboth += in_s && in_t;
			nextra += in_s && !in_t;
		}
		struct bits and = bits_copy(&a, &s), or = bits_copy(&a, &s),
			    not = bits_copy(&a, &s);
		bits_and(&and, &t);
		bits_or(& or, &t);
		bits_and_not(&not, &t);
		ck_assert_uint_eq(bits_count(&and), nboth);
		ck_assert_uint_eq(bits_count(& or), bits_count(&s) + bits_count(&t) - nboth);
		ck_assert_uint_eq(bits_count(&not ), nextra);
		ck_assert(bits_is_subset(&and, &s) && bits_is_subset(&s, & or));
		ck_assert_int_eq(bits_is_subset(&s, &t), nextra == 0);
		ck_assert_int_eq(bits_meet(&s, &t), nboth > 0);
		ck_assert(!bits_meet(&not, &t));
		bits_or(&and, &not );
		ck_assert(bits_is_equal(&and, &s));
		bits_drop(&and, 0);
		ck_assert(!bits_is_equal(&and, &s));
		arena_release(&a);
	}
}

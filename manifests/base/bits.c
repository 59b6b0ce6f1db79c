#include "manifests/base/bits.h"

#include <string.h>

struct bits bits_new(struct arena *a, size_t n)
{
	return (struct bits){ arena_array(a, bits_words(n), sizeof(uint64_t)), n };
}

struct bits bits_copy(struct arena *a, const struct bits *s)
{
	struct bits copy = bits_new(a, s->n);

	if (s->n) {
		memcpy(copy.w, s->w, bits_words(s->n) * sizeof(*s->w));
	}
	return copy;
}

void bits_fill(struct bits *s)
{
	for (size_t i = 0; i < bits_words(s->n); i++) {
		s->w[i] = UINT64_MAX;
	}
	if (s->n % 64) {
		s->w[s->n / 64] >>= 64 - s->n % 64;
	}
}

void bits_clear(struct bits *s)
{
	for (size_t i = 0; i < bits_words(s->n); i++) {
		s->w[i] = 0;
	}
}

void bits_and(struct bits *s, const struct bits *other)
{
	for (size_t i = 0; i < bits_words(s->n); i++) {
		s->w[i] &= other->w[i];
	}
}

void bits_or(struct bits *s, const struct bits *other)
{
	for (size_t i = 0; i < bits_words(s->n); i++) {
		s->w[i] |= other->w[i];
	}
}

void bits_and_not(struct bits *s, const struct bits *other)
{
	for (size_t i = 0; i < bits_words(s->n); i++) {
		s->w[i] &= ~other->w[i];
	}
}

bool bits_is_empty(const struct bits *s)
{
	for (size_t i = 0; i < bits_words(s->n); i++) {
		if (s->w[i]) {
			return false;
		}
	}
	return true;
}

bool bits_is_full(const struct bits *s)
{
	for (size_t i = 0; i < s->n / 64; i++) {
		if (s->w[i] != UINT64_MAX) {
			return false;
		}
	}
	return s->n % 64 == 0 || s->w[s->n / 64] == UINT64_MAX >> (64 - s->n % 64);
}

bool bits_is_equal(const struct bits *a, const struct bits *b)
{
	return a->n == 0 || memcmp(a->w, b->w, bits_words(a->n) * sizeof(*a->w)) == 0;
}

bool bits_is_subset(const struct bits *a, const struct bits *b)
{
	for (size_t i = 0; i < bits_words(a->n); i++) {
		if (a->w[i] & ~b->w[i]) {
			return false;
		}
	}
	return true;
}

bool bits_meet(const struct bits *a, const struct bits *b)
{
	for (size_t i = 0; i < bits_words(a->n); i++) {
		if (a->w[i] & b->w[i]) {
			return true;
		}
	}
	return false;
}

size_t bits_count(const struct bits *s)
{
	size_t count = 0;

	for (size_t i = 0; i < bits_words(s->n); i++) {
		count += (size_t)__builtin_popcountll(s->w[i]);
	}
	return count;
}

size_t bits_highest(const struct bits *s)
{
	return bits_below(s, s->n);
}

size_t bits_below(const struct bits *s, size_t end)
{
	for (size_t i = bits_words(end); i-- > 0;) {
		uint64_t word = s->w[i];

		if (end < i * 64 + 64) {
			word &= (UINT64_C(1) << end % 64) - 1;
		}
		if (word) {
			return i * 64 + 63 - (size_t)__builtin_clzll(word);
		}
	}
	return SIZE_MAX;
}

size_t bits_next(const struct bits *s, size_t from)
{
	if (from >= s->n) {
		return SIZE_MAX;
	}
	uint64_t word = s->w[from / 64] & UINT64_MAX << from % 64;
	for (size_t i = from / 64;; word = s->w[i]) {
		if (word) {
			return i * 64 + (size_t)__builtin_ctzll(word);
		}
		if (++i == bits_words(s->n)) {
			return SIZE_MAX;
		}
	}
}

/* Sets of small numbers: one bit each, in words of 64. A set knows its size (how many numbers there
 * are, not how many it holds), and both sides of an operation have the same size. Bits past the
 * size are zero. The words belong to the arena they were made in, or to the caller. */
#ifndef MANIFESTS_BASE_BITS_H
#define MANIFESTS_BASE_BITS_H

#include "manifests/base/arena.h"

#include <stdbool.h>
#include <stdint.h>

struct bits {
	uint64_t *w;
	size_t n; /* numbers 0 to n - 1 */
};

static inline size_t bits_words(size_t n)
{
	return (n + 63) / 64;
}
struct bits bits_new(struct arena *a, size_t n); /* empty */
struct bits bits_copy(struct arena *a, const struct bits *s);
void bits_fill(struct bits *s); /* all of them */
void bits_clear(struct bits *s);

static inline void bits_add(struct bits *s, size_t i)
{
	s->w[i / 64] |= UINT64_C(1) << i % 64;
}
static inline void bits_drop(struct bits *s, size_t i)
{
	s->w[i / 64] &= ~(UINT64_C(1) << i % 64);
}
static inline bool bits_has(const struct bits *s, size_t i)
{
	return s->w[i / 64] >> i % 64 & 1;
}

void bits_and(struct bits *s, const struct bits *other);     /* s keeps what both have */
void bits_or(struct bits *s, const struct bits *other);      /* s takes what either has */
void bits_and_not(struct bits *s, const struct bits *other); /* s loses what other has */
bool bits_is_empty(const struct bits *s);
bool bits_is_full(const struct bits *s);
bool bits_is_equal(const struct bits *a, const struct bits *b);
bool bits_is_subset(const struct bits *a, const struct bits *b); /* is all of a in b? */
bool bits_meet(const struct bits *a, const struct bits *b);      /* have they a number in common? */
size_t bits_count(const struct bits *s);
size_t bits_highest(const struct bits *s);           /* SIZE_MAX: empty */
size_t bits_next(const struct bits *s, size_t from); /* the first one >= from; SIZE_MAX: none */
size_t bits_below(const struct bits *s, size_t end); /* the last one < end; SIZE_MAX: none */

#endif

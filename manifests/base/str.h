/* A slice of text by value: pointer and length, not NUL-terminated, owned by somebody else (an arena
 * or the input buffer). The empty slice may have a NULL pointer. Bytes are compared, not characters. */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct str {
	const char *p;
	size_t n;
};

#define STR(literal) ((struct str){ "" literal, sizeof(literal) - 1 })
#define STR_NULL ((struct str){ NULL, 0 })
#define STR_ARG(s) (int)(s).n, (s).p ? (s).p : "" /* for "%.*s" */

struct str str_of(const char *text); /* NULL gives the empty slice */
struct str str_range(const char *begin, const char *end);

bool str_eq(struct str a, struct str b);
bool str_is(struct str a, const char *b);
bool str_eq_nocase(struct str a, struct str b); /* ASCII */
int str_cmp(struct str a, struct str b);        /* memcmp order, the shorter first */
bool str_starts(struct str s, const char *prefix);
bool str_ends(struct str s, const char *suffix);
struct str str_skip(struct str s, size_t n);  /* without its first n bytes */
struct str str_first(struct str s, size_t n); /* at most its first n bytes */
struct str str_trim(struct str s);            /* without ASCII white space at both ends */

/* Finds: index of the first (last) byte c, or s.n. */
size_t str_find(struct str s, char c);
size_t str_rfind(struct str s, char c);
bool str_has(struct str s, const char *part); /* substring */

/* Takes what stands before the first `sep` off *rest (all of it when there is none) into *piece.
 * False when *rest was used up: while (str_cut(&rest, ',', &piece)). "a," gives "a" and "". */
bool str_cut(struct str *rest, char sep, struct str *piece);

/* Decimal digits only, the whole slice, no sign, no overflow. False leaves *out alone. */
bool str_to_u64(struct str s, uint64_t *out);

bool str_is_utf8(struct str s); /* well-formed, no surrogates, no overlong forms */

#endif

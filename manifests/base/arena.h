/* An arena owns everything that one noun is made of: releasing the noun is one call.
 * Memory is zeroed, aligned for any type, and never moves. Not safe for use by two threads at once. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "manifests/base/str.h"

#include <stddef.h>

struct arena_page;
struct arena {
	struct arena_page *pages; /* newest first */
};

#define ARENA_INIT { .pages = NULL } /* valid without allocation */

void *arena_alloc(struct arena *a, size_t size);
void *arena_array(struct arena *a, size_t count, size_t size); /* overflow is out of memory */
char *arena_dup(struct arena *a, struct str text);             /* NUL-terminated copy */
struct str arena_str(struct arena *a, struct str text);        /* the same as a slice */
struct str *arena_strs(struct arena *a, const struct str *texts, size_t n); /* of each, in a new array */
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void arena_adopt(struct arena *a, struct arena *from); /* takes over all that `from` owns; back to ARENA_INIT */
void arena_release(struct arena *a); /* back to ARENA_INIT */

#endif

/* A typed growing array in one macro.
 *
 *	VEC(struct file) files = VEC_INIT;
 *	vec_push(&files, (struct file){ ... });
 *	vec_each(struct file, f, &files) { use(f); }
 *	vec_release(&files);
 *
 * Elements move when it grows: keep indices, not pointers, while adding. */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include "manifests/base/mem.h"

#include <stdlib.h>

#define VEC(type)                                                                                  \
	struct {                                                                                   \
		type *v;                                                                           \
		size_t n, cap;                                                                     \
	}
#define VEC_INIT { .v = NULL }

#define vec_push(vec, ...)                                                                         \
	do {                                                                                       \
		if ((vec)->n == (vec)->cap) {                                                      \
			(vec)->cap = (vec)->cap ? (vec)->cap * 2 : 8;                              \
			(vec)->v = mem_grow((vec)->v, (vec)->cap, sizeof(*(vec)->v));              \
		}                                                                                  \
		(vec)->v[(vec)->n++] = (__VA_ARGS__);                                              \
	} while (0)

#define vec_each(type, it, vec)                                                                    \
	for (type *it = (vec)->v; it && it < (vec)->v + (vec)->n; it++)

#define vec_release(vec)                                                                           \
	do {                                                                                       \
		free((vec)->v);                                                                    \
		(vec)->v = NULL;                                                                   \
		(vec)->n = (vec)->cap = 0;                                                         \
	} while (0)

#endif

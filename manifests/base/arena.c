#include "manifests/base/arena.h"
#include "manifests/base/mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_FIRST = 1024 - 64, PAGE = 16 * 1024 - 64 };

struct arena_page {
	struct arena_page *next;
	size_t used, size;
	max_align_t data[];
};

void *arena_alloc(struct arena *a, size_t size)
{
	const size_t align = sizeof(max_align_t);

	if (size > SIZE_MAX / 2) {
		return mem_array(SIZE_MAX, 2);
	}
	size = (size + align - 1) / align * align;
	struct arena_page *page = a->pages;
	if (!page || page->size - page->used < size) {
		size_t full = page ? PAGE : PAGE_FIRST; /* many an arena is for a few words */
		size_t room = size > full / 4 ? size : full;

		page = mem_alloc(sizeof(*page) + room);
		page->size = room;
		/* A page made for one large object goes behind the one that is being filled. */
		if (a->pages && room == size) {
			page->next = a->pages->next;
			a->pages->next = page;
		} else {
			page->next = a->pages;
			a->pages = page;
		}
	}
	void *p = (char *)page->data + page->used;
	page->used += size;
	return p;
}

void *arena_array(struct arena *a, size_t count, size_t size)
{
	if (size && count > SIZE_MAX / size) {
		return mem_array(SIZE_MAX, 2);
	}
	return arena_alloc(a, count * size);
}

char *arena_dup(struct arena *a, struct str text)
{
	char *p = arena_alloc(a, text.n + 1);

	if (text.n) {
		memcpy(p, text.p, text.n);
	}
	return p;
}

struct str arena_str(struct arena *a, struct str text)
{
	return (struct str){ arena_dup(a, text), text.n };
}

struct str *arena_strs(struct arena *a, const struct str *texts, size_t n)
{
	struct str *out = arena_array(a, n, sizeof(*out));

	for (size_t i = 0; i < n; i++) {
		out[i] = arena_str(a, texts[i]);
	}
	return out;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list args, again;

	va_start(args, fmt);
	va_copy(again, args);
	int n = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	char *p = arena_alloc(a, (size_t)n + 1);
	vsnprintf(p, (size_t)n + 1, fmt, again);
	va_end(again);
	return p;
}

void arena_adopt(struct arena *a, struct arena *from)
{
	struct arena_page **end = &a->pages;

	while (*end) {
		end = &(*end)->next;
	}
	*end = from->pages;
	from->pages = NULL;
}

void arena_release(struct arena *a)
{
	while (a->pages) {
		struct arena_page *next = a->pages->next;

		free(a->pages);
		a->pages = next;
	}
}

#include "manifests/base/buf.h"
#include "manifests/base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *buf_room(struct buf *b, size_t n)
{
	if (b->cap - b->n <= n) {
		size_t cap = b->cap ? b->cap * 2 : 256;

		while (cap - b->n <= n) {
			cap *= 2;
		}
		b->p = mem_grow(b->p, cap, 1);
		b->cap = cap;
	}
	return b->p + b->n;
}

void buf_add(struct buf *b, const void *bytes, size_t n)
{
	char *to = buf_room(b, n);

	if (n) {
		memcpy(to, bytes, n);
	}
	to[n] = '\0';
	b->n += n;
}

void buf_adds(struct buf *b, const char *text)
{
	buf_add(b, text, strlen(text));
}

void buf_addstr(struct buf *b, struct str text)
{
	buf_add(b, text.p, text.n);
}

void buf_addc(struct buf *b, char c)
{
	buf_add(b, &c, 1);
}

void buf_addf(struct buf *b, const char *fmt, ...)
{
	va_list args, again;

	va_start(args, fmt);
	va_copy(again, args);
	int n = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	vsnprintf(buf_room(b, (size_t)n), (size_t)n + 1, fmt, again);
	va_end(again);
	b->n += (size_t)n;
}

struct str buf_str(const struct buf *b)
{
	return (struct str){ b->p ? b->p : "", b->n };
}

char *buf_detach(struct buf *b)
{
	if (!b->p) {
		buf_add(b, "", 0);
	}
	char *p = b->p;
	*b = (struct buf)BUF_INIT;
	return p;
}

void buf_clear(struct buf *b)
{
	b->n = 0;
	if (b->p) {
		b->p[0] = '\0';
	}
}

void buf_release(struct buf *b)
{
	free(b->p);
	*b = (struct buf)BUF_INIT;
}

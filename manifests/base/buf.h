/* A growing byte buffer, always NUL-terminated behind its last byte. Owns its memory. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include "manifests/base/str.h"

struct buf {
	char *p; /* never NULL after the first add */
	size_t n, cap;
};

#define BUF_INIT { .p = NULL } /* valid without allocation */
#define CLEANUP_BUF __attribute__((cleanup(buf_release)))

void buf_add(struct buf *b, const void *bytes, size_t n);
void buf_adds(struct buf *b, const char *text);
void buf_addstr(struct buf *b, struct str text);
void buf_addc(struct buf *b, char c);
void buf_addf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *buf_room(struct buf *b, size_t n); /* where n more bytes may be written; then b->n += n */
struct str buf_str(const struct buf *b); /* valid until the next add */
char *buf_detach(struct buf *b);         /* the caller frees it; the buffer is empty again */
void buf_clear(struct buf *b);           /* keeps the memory */
void buf_release(struct buf *b);

#endif

/* Cuts connections that are kept open by a trickle: a request header that is not complete ten
 * seconds after its first byte, an answer that moves slower than 512 bytes a second. A connection
 * that is merely idle is the server's to time out. One thread looks at all of them, twice a second,
 * by the kernel's counters. */
#ifndef MIRROR_SLOW_CLIENT_H
#define MIRROR_SLOW_CLIENT_H

#include <stdatomic.h>
#include <stdint.h>

enum { SLOW_HEADER_SECONDS = 10, SLOW_WINDOW_SECONDS = 30, SLOW_BYTES_PER_SECOND = 512 };

struct slow_watch;  /* the thread */
struct slow_client; /* one connection */

/* `cut` counts what was closed; the times of the limits are divided by `speed` (1; tests take
 * more). */
struct slow_watch *slow_watch_new(_Atomic uint64_t *cut, unsigned speed);
void slow_watch_free(struct slow_watch *w); /* after the last connection was removed */

struct slow_client *slow_watch_add(struct slow_watch *w, int fd);
/* A request is complete and is being answered; the answer is out. */
void slow_client_busy(struct slow_client *c);
void slow_client_idle(struct slow_client *c);
/* Before its socket is closed. */
void slow_watch_remove(struct slow_watch *w, struct slow_client *c);

#endif

#include "mirror/slow_client.h"
#include "manifests/base/mem.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

enum { TICK_MS = 500 };

struct slow_client {
	struct slow_client *next, *previous;
	int fd;
	_Atomic unsigned phase; /* odd: busy; grows with every change */
	/* The watch's own: */
	unsigned seen_phase;
	uint64_t received, acknowledged; /* when the phase or the window began */
	long long began; /* of a header's first bytes, or of the window; ms, 0: not yet */
	bool is_cut;
};

struct slow_watch {
	pthread_t thread;
	pthread_mutex_t lock; /* the list, and that no socket in it is closed */
	pthread_cond_t wake;
	bool stop;
	unsigned speed;
	struct slow_client *first;
	_Atomic uint64_t *cut;
};

static long long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (long long)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void begin_phase(
	struct slow_client *c, unsigned phase, const struct tcp_info *info, long long now)
{
	c->seen_phase = phase;
	c->received = info->tcpi_bytes_received;
	c->acknowledged = info->tcpi_bytes_acked;
	c->began = phase & 1 ? now : 0;
}

static bool is_slow_header(
	struct slow_client *c, const struct tcp_info *info, long long now, unsigned speed)
{
	if (info->tcpi_bytes_received == c->received) {
		return false;
	}
	if (c->began == 0) {
		c->began = now;
	}
	return now - c->began > SLOW_HEADER_SECONDS * 1000LL / speed;
}

static bool is_slow_reader(
	struct slow_client *c, const struct tcp_info *info, long long now, unsigned speed)
{
	if (now - c->began < SLOW_WINDOW_SECONDS * 1000LL / speed) {
		return false;
	}
	uint64_t moved = info->tcpi_bytes_acked - c->acknowledged;
	c->acknowledged = info->tcpi_bytes_acked;
	c->began = now;
	return moved < (uint64_t)SLOW_WINDOW_SECONDS * SLOW_BYTES_PER_SECOND / speed;
}

static void look_at(struct slow_watch *w, struct slow_client *c, long long now)
{
	struct tcp_info info = { .tcpi_state = 0 };
	socklen_t n = sizeof(info);
	unsigned phase = atomic_load(&c->phase);

	if (c->is_cut || getsockopt(c->fd, IPPROTO_TCP, TCP_INFO, &info, &n)) {
		return;
	}
	if (phase != c->seen_phase) {
		begin_phase(c, phase, &info, now);
	} else if (phase & 1 ? is_slow_reader(c, &info, now, w->speed)
			     : is_slow_header(c, &info, now, w->speed)) {
		c->is_cut = true;
		shutdown(c->fd, SHUT_RDWR);
		atomic_fetch_add(w->cut, 1);
	}
}

static void *watch(void *context)
{
	struct slow_watch *w = context;

	pthread_mutex_lock(&w->lock);
	while (!w->stop) {
		struct timespec until;
		long long now = now_ms();

		for (struct slow_client *c = w->first; c; c = c->next) {
			look_at(w, c, now);
		}
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += TICK_MS * 1000000L;
		until.tv_sec += until.tv_nsec / 1000000000L;
		until.tv_nsec %= 1000000000L;
		pthread_cond_timedwait(&w->wake, &w->lock, &until);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

struct slow_watch *slow_watch_new(_Atomic uint64_t *cut, unsigned speed)
{
	struct slow_watch *w = mem_alloc(sizeof(*w));
	pthread_condattr_t monotonic;

	w->cut = cut;
	w->speed = speed ? speed : 1;
	pthread_mutex_init(&w->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&w->wake, &monotonic);
	pthread_condattr_destroy(&monotonic);
	if (pthread_create(&w->thread, NULL, watch, w)) {
		pthread_cond_destroy(&w->wake);
		pthread_mutex_destroy(&w->lock);
		free(w);
		return NULL;
	}
	return w;
}

void slow_watch_free(struct slow_watch *w)
{
	if (!w) {
		return;
	}
	pthread_mutex_lock(&w->lock);
	w->stop = true;
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	pthread_cond_destroy(&w->wake);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

struct slow_client *slow_watch_add(struct slow_watch *w, int fd)
{
	struct slow_client *c = mem_alloc(sizeof(*c));

	c->fd = fd;
	pthread_mutex_lock(&w->lock);
	c->next = w->first;
	if (c->next) {
		c->next->previous = c;
	}
	w->first = c;
	pthread_mutex_unlock(&w->lock);
	return c;
}

void slow_client_busy(struct slow_client *c)
{
	atomic_store_explicit(&c->phase,
		(atomic_load_explicit(&c->phase, memory_order_relaxed) + 1) | 1,
		memory_order_relaxed);
}

void slow_client_idle(struct slow_client *c)
{
	unsigned phase = atomic_load_explicit(&c->phase, memory_order_relaxed);

	if (phase & 1) {
		atomic_store_explicit(&c->phase, phase + 1, memory_order_relaxed);
	}
}

void slow_watch_remove(struct slow_watch *w, struct slow_client *c)
{
	pthread_mutex_lock(&w->lock);
	if (c->previous) {
		c->previous->next = c->next;
	} else {
		w->first = c->next;
	}
	if (c->next) {
		c->next->previous = c->previous;
	}
	pthread_mutex_unlock(&w->lock);
	free(c);
}

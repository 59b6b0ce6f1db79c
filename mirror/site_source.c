#include "mirror/site_source.h"
#include "manifests/base/log.h"
#include "manifests/base/mem.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum { RETRY_MS = 1000 }; /* after a catalogue that could not be loaded */

struct site_source {
	struct store *store;
	struct metrics *metrics;
	void (*forget)(void *prepared);
	pthread_mutex_t lock; /* `current`, and that it gains no user while it is being replaced */
	struct site *current; /* the source is one of its users */
	pthread_mutex_t loading;
	_Atomic uint64_t looked; /* when `current` was last looked at */
	_Atomic uint64_t failed; /* when the last load failed; 0: it did not */
};

/* Milliseconds in steps of the kernel's tick (1 to 10 ms); reading it costs no system call. */
static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static int load(struct site_source *s, struct site **out, struct err *e)
{
	struct store_view view = STORE_VIEW_INIT;
	int r = store_view_load(s->store, &view, e);

	if (!r) {
		*out = site_build(&view);
		atomic_store(&(*out)->users, 1);
		atomic_fetch_add(&s->metrics->reloads, 1);
	}
	return r;
}

int site_source_open(struct store *store, struct metrics *metrics, void (*forget)(void *prepared),
	struct site_source **out, struct err *e)
{
	struct site_source *s = mem_alloc(sizeof(*s));

	s->store = store;
	s->metrics = metrics;
	s->forget = forget;
	int r = load(s, &s->current, e);
	if (r) {
		free(s);
		return r;
	}
	pthread_mutex_init(&s->lock, NULL);
	pthread_mutex_init(&s->loading, NULL);
	*out = s;
	return 0;
}

static void replace(struct site_source *s, struct site *site)
{
	pthread_mutex_lock(&s->lock);
	struct site *old = s->current;
	s->current = site;
	pthread_mutex_unlock(&s->lock);
	site_source_give(s, old);
}

/* The caller holds s->loading. The old site goes on being served when the new one cannot be loaded.
 */
static void reload(struct site_source *s)
{
	struct err e = ERR_INIT;
	struct site *site = NULL;

	if (load(s, &site, &e)) {
		atomic_fetch_add(&s->metrics->failed_reloads, 1);
		if (atomic_exchange(&s->failed, now_ms()) == 0) {
			log_warn("the old catalogue stays in force: %s", e.text);
		}
		return;
	}
	atomic_store(&s->failed, 0);
	replace(s, site);
}

static struct site *take_current(struct site_source *s)
{
	pthread_mutex_lock(&s->lock);
	struct site *site = s->current;
	atomic_fetch_add(&site->users, 1);
	pthread_mutex_unlock(&s->lock);
	return site;
}

/* Under load many requests fall into one tick of the clock: the first of them looks. */
static bool is_due(struct site_source *s, const struct site *site)
{
	uint64_t now = now_ms();
	uint64_t failed = atomic_load_explicit(&s->failed, memory_order_relaxed);

	if (atomic_load_explicit(&s->looked, memory_order_relaxed) == now) {
		return false;
	}
	if (!store_view_is_stale(s->store, &site->view)) {
		atomic_store_explicit(&s->looked, now, memory_order_relaxed);
		return false;
	}
	return !failed || now > failed + RETRY_MS;
}

struct site *site_source_take(struct site_source *s)
{
	struct site *site = take_current(s);

	if (!is_due(s, site) || pthread_mutex_trylock(&s->loading)) {
		return site;
	}
	site_source_give(s, site);
	site = take_current(s); /* another thread may just have loaded it */
	if (is_due(s, site)) {
		site_source_give(s, site);
		reload(s);
		site = take_current(s);
	}
	pthread_mutex_unlock(&s->loading);
	return site;
}

void site_source_give(struct site_source *s, struct site *site)
{
	if (atomic_fetch_sub(&site->users, 1) == 1) {
		site_free(site, s->forget);
	}
}

void site_source_close(struct site_source *s)
{
	if (!s) {
		return;
	}
	site_source_give(s, s->current);
	pthread_mutex_destroy(&s->lock);
	pthread_mutex_destroy(&s->loading);
	free(s);
}

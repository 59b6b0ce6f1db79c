#include "verify/native.h"

#include "manifests/base/mem.h"
#include "verify/native_device.h"
#include "verify/native_reader.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS_MAX = 16, CORES_MAX = 4 };

/* ---- members, dealt out ---- */

struct run {
	size_t n;
	size_t *order; /* indices of members, the largest first: no thread is left alone with one at
			  the end */
	atomic_size_t next;
	atomic_size_t failed; /* the first member, in their own order, that is damaged */
	pthread_mutex_t lock; /* of `err` */
	struct err err;
};

struct worker {
	struct run *run;
	struct native_reader reader;
	pthread_t thread;
};

struct sized { /* to sort by */
	uint64_t size;
	size_t member;
};

static int by_size(const void *a, const void *b)
{
	const struct sized *x = a, *y = b;

	if (x->size != y->size) {
		return x->size > y->size ? -1 : 1;
	}
	return (x->member > y->member) - (x->member < y->member);
}

static size_t *largest_first(const struct wheel_member *members, size_t n)
{
	CLEANUP(free) struct sized *list = mem_array(n + 1, sizeof(*list));
	size_t *order = mem_array(n + 1, sizeof(*order));

	for (size_t i = 0; i < n; i++) {
		list[i] = (struct sized){ members[i].size, i };
	}
	qsort(list, n, sizeof(*list), by_size);
	for (size_t i = 0; i < n; i++) {
		order[i] = list[i].member;
	}
	return order;
}

static void note_failure(struct run *run, size_t member, const struct err *e)
{
	pthread_mutex_lock(&run->lock);
	if (member < atomic_load(&run->failed)) {
		atomic_store(&run->failed, member);
		run->err = *e;
	}
	pthread_mutex_unlock(&run->lock);
}

/* Behind a damaged member nothing is read any more; those before it are, so that the first one is
 * always the same. */
static void *work(void *argument)
{
	struct worker *worker = argument;
	struct run *run = worker->run;

	for (size_t i; (i = atomic_fetch_add(&run->next, 1)) < run->n;) {
		struct err e = ERR_INIT;
		size_t member = run->order[i];

		if (member < atomic_load(&run->failed) &&
			native_reader_take(&worker->reader, member, &e)) {
			note_failure(run, member, &e);
		}
	}
	return NULL;
}

/* ---- what they found, in order ---- */

static int by_member(const void *a, const void *b)
{
	const struct native_module *x = a, *y = b;

	return (x->member > y->member) - (x->member < y->member);
}

static void take_modules(struct worker *workers, unsigned n, struct native *out)
{
	size_t nmodules = 0;

	for (unsigned i = 0; i < n; i++) {
		nmodules += workers[i].reader.modules.n;
	}
	out->modules = arena_array(&out->arena, nmodules, sizeof(*out->modules));
	for (unsigned i = 0; i < n; i++) {
		vec_each(struct native_module, m, &workers[i].reader.modules) {
			m->name = arena_str(&out->arena, m->name);
			out->modules[out->nmodules++] = *m;
		}
		arena_adopt(&out->arena, &workers[i].reader.arena);
	}
	if (out->nmodules) {
		qsort(out->modules, out->nmodules, sizeof(*out->modules), by_member);
	}
}

static void take_device_code(struct worker *workers, unsigned n, struct native *out)
{
	for (unsigned i = 0; i < n; i++) {
		const struct device_code *d = &workers[i].reader.device;

		for (size_t k = 0; k < d->n; k++) {
			vec_push(&out->device, d->v[k]);
		}
		out->device.nunreadable += d->nunreadable;
		out->device.nold += d->nold;
	}
	device_code_sort(&out->device);
}

static void take_results(
	struct worker *workers, unsigned n, const struct record *record, struct native *out)
{
	struct err fault = ERR_INIT;

	*out = (struct native)NATIVE_INIT;
	take_modules(workers, n, out);
	take_device_code(workers, n, out);
	native_device_deal(out);
	if (record_verdict(record, &fault)) {
		out->record_fault = arena_str(&out->arena, str_of(fault.text));
	}
}

/* ---- the run ---- */

static unsigned threads_for(unsigned asked, size_t nmembers)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned n = asked               ? asked
		     : cores < 1         ? 1
		     : cores > CORES_MAX ? CORES_MAX
					 : (unsigned)cores;

	n = n > THREADS_MAX ? THREADS_MAX : n;
	return n > nmembers ? (unsigned)nmembers : n;
}

/* The first worker is the caller's own thread; where no more threads can be had, it does all. */
static void run_workers(struct worker *workers, unsigned n)
{
	unsigned started = 1;

	while (started < n &&
		pthread_create(&workers[started].thread, NULL, work, &workers[started]) == 0) {
		started++;
	}
	work(&workers[0]);
	while (started > 1) {
		pthread_join(workers[--started].thread, NULL);
	}
}

static int members_read(
	struct wheel *w, struct record *record, unsigned threads, struct native *out, struct err *e)
{
	struct native_room room = NATIVE_ROOM_INIT;
	struct worker workers[THREADS_MAX];
	struct run run = { .n = w->dir.n,
		.failed = SIZE_MAX,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.order = largest_first(w->dir.members, w->dir.n) };

	for (unsigned i = 0; i < threads; i++) {
		workers[i].run = &run;
		native_reader_init(&workers[i].reader, i ? wheel_twin(w) : w, record, &room);
	}
	run_workers(workers, threads);
	if (run.err.rc) {
		*e = run.err;
	} else {
		take_results(workers, threads, record, out);
	}
	for (unsigned i = 0; i < threads; i++) {
		native_reader_release(&workers[i].reader);
		if (i) {
			wheel_close(workers[i].reader.w);
		}
	}
	free(run.order);
	return -(int)run.err.rc;
}

int native_read(int fd, struct str file_name, unsigned threads, struct native *out, struct err *e)
{
	CLEANUP_WHEEL struct wheel *w = NULL;
	struct record record;
	int rc = wheel_open_fd(fd, file_name, &w, e);

	if (rc) {
		return rc;
	}
	rc = wheel_check_frame(w, e);
	rc = rc ? rc : record_load(w, &record, e);
	if (!rc) {
		rc = members_read(w, &record, threads_for(threads, w->dir.n), out, e);
		record_release(&record);
	}
	/* What the threads leave in their heaps would add up, wheel by wheel. */
	malloc_trim(0);
	return rc ? err_wrap(e, "%.*s", STR_ARG(file_name)) : 0;
}

void native_release(struct native *n)
{
	device_code_release(&n->device);
	arena_release(&n->arena);
	*n = (struct native)NATIVE_INIT;
}

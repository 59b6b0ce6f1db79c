#include "verify/native_device.h"

#include "manifests/base/mem.h"

#include <stdlib.h>

/* Entries are sorted among those of all members: within one, their places tell the order. */
static int by_member_and_place(const void *a, const void *b)
{
	const struct device_entry *x = *(const struct device_entry *const *)a;
	const struct device_entry *y = *(const struct device_entry *const *)b;

	if (x->member != y->member) {
		return x->member < y->member ? -1 : 1;
	}
	return (x > y) - (x < y);
}

static struct device_entry *entries_by_member(struct arena *a, const struct device_code *d)
{
	CLEANUP(free)
	const struct device_entry **places = mem_array(d->n + 1, sizeof(struct device_entry *));
	struct device_entry *entries = arena_array(a, d->n, sizeof(*entries));

	for (size_t i = 0; i < d->n; i++) {
		places[i] = &d->v[i];
	}
	qsort(places, d->n, sizeof(*places), by_member_and_place);
	for (size_t i = 0; i < d->n; i++) {
		entries[i] = *places[i];
	}
	return entries;
}

static int by_release(const void *a, const void *b)
{
	return toolkit_release_cmp(
		*(const struct toolkit_release *)a, *(const struct toolkit_release *)b);
}

static void name_toolkits(struct arena *a, struct native_module *m)
{
	CLEANUP(free) struct toolkit_release *known = mem_array(m->device.n + 1, sizeof(*known));
	size_t n = 0;

	for (size_t i = 0; i < m->device.n; i++) {
		known[n] = m->device.v[i].toolkit;
		n += known[n].major > 0;
	}
	qsort(known, n, sizeof(*known), by_release);
	m->toolkits = arena_array(a, n, sizeof(*m->toolkits));
	for (size_t i = 0; i < n; i++) {
		CLEANUP_BUF struct buf text = BUF_INIT;

		if (i && by_release(&known[i], &known[i - 1]) == 0) {
			continue;
		}
		toolkit_release_format(known[i], &text);
		m->toolkits[m->ntoolkits++] = arena_str(a, buf_str(&text));
	}
}

/* Members without a module have device code too: loose files. */
void native_device_deal(struct native *out)
{
	struct device_entry *entries = entries_by_member(&out->arena, &out->device);
	size_t at = 0;

	for (size_t i = 0; i < out->nmodules; i++) {
		struct native_module *m = &out->modules[i];

		while (at < out->device.n && entries[at].member < m->member) {
			at++;
		}
		m->device.v = &entries[at];
		while (at < out->device.n && entries[at].member == m->member) {
			m->device.n++;
			at++;
		}
		name_toolkits(&out->arena, m);
	}
}

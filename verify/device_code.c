#include "verify/device_code.h"

#include "manifests/base/vec.h"
#include "verify/device_scan.h"
#include "verify/member_name.h"

#include <stdlib.h>

enum { STOP = 1 }; /* wheel_stream ends there, and that is no error */

void device_code_release(struct device_code *d)
{
	vec_release(d);
	d->nunreadable = d->nold = 0;
}

static int key_cmp(const struct device_entry *x, const struct device_entry *y)
{
	const unsigned a[] = { x->kind, x->sm, (unsigned char)x->suffix, x->isa_major,
		x->isa_minor };
	const unsigned b[] = { y->kind, y->sm, (unsigned char)y->suffix, y->isa_major,
		y->isa_minor };

	for (size_t i = 0; i < sizeof(a) / sizeof(a[0]); i++) {
		if (a[i] != b[i]) {
			return a[i] < b[i] ? -1 : 1;
		}
	}
	int by_toolkit = toolkit_release_cmp(x->toolkit, y->toolkit);
	return by_toolkit ? by_toolkit : (x->member > y->member) - (x->member < y->member);
}

static int entry_cmp(const void *a, const void *b)
{
	return key_cmp(a, b);
}

/* Members come one after the other, so equal entries are among the last. */
void device_code_add(struct device_code *d, struct device_entry entry)
{
	for (size_t i = d->n; i-- > 0 && d->v[i].member == entry.member;) {
		if (key_cmp(&d->v[i], &entry) == 0) {
			d->v[i].count++;
			d->v[i].packing |= entry.packing;
			return;
		}
	}
	entry.count = 1;
	vec_push(d, entry);
}

void device_code_sort(struct device_code *d)
{
	if (d->n) {
		qsort(d->v, d->n, sizeof(*d->v), entry_cmp);
	}
}

/* ---- a whole wheel, for its device code alone ---- */

static int member_take(void *context, const void *bytes, size_t n, struct err *e)
{
	struct device_scan *s = context;
	int rc = device_scan_add(s, bytes, n, e);

	return !rc && s->kind == DEVICE_MEMBER_OTHER ? STOP : rc;
}

static int member_scan(struct wheel *w, size_t member, struct device_code *out, struct err *e)
{
	char shown[MEMBER_NAME_SHOWN];
	size_t n;
	const struct wheel_member *m = &wheel_members(w, &n)[member];
	struct device_scan s;

	device_scan_init(&s, member, m->size, out);
	int rc = wheel_stream(w, m, member_take, &s, e);
	if (rc == 0) {
		rc = device_scan_end(&s, e);
		if (rc) {
			err_wrap(e, "%s", member_name_show(m->name, shown));
			err_wrap(e, "%.*s", STR_ARG(wheel_name(w)->file));
		}
	}
	device_scan_release(&s);
	return rc == STOP ? 0 : rc;
}

int device_code_of_wheel(struct wheel *w, struct device_code *out, struct err *e)
{
	struct device_code d = { .n = 0 };
	size_t n;
	const struct wheel_member *members = wheel_members(w, &n);

	for (size_t i = 0; i < n; i++) {
		int rc = members[i].size ? member_scan(w, i, &d, e) : 0;

		if (rc) {
			device_code_release(&d);
			return rc;
		}
	}
	device_code_sort(&d);
	*out = d;
	return 0;
}

/* ---- what it runs on ---- */

/* Chips with CPU and GPU in one (Tegra): NVIDIA promises no exchange of cubins with other GPUs. */
static bool is_integrated(unsigned sm)
{
	return sm == 32 || sm == 53 || sm == 62 || sm == 72 || sm == 87 || sm == 101;
}

static bool cubin_runs(const struct device_entry *d, unsigned device)
{
	if (d->sm == device) {
		return true;
	}
	return d->suffix != 'a' && d->sm / 10 == device / 10 && d->sm < device &&
	       !is_integrated(d->sm) && !is_integrated(device);
}

static bool ptx_compiles(const struct device_entry *d, unsigned device)
{
	switch (d->suffix) {
	case 'a':
		return d->sm == device;
	case 'f':
		return cubin_runs(d, device);
	default:
		return d->sm <= device;
	}
}

bool device_code_covers(const struct device_code *d, struct gpu gpu, bool *by_ptx)
{
	unsigned device = gpu.major * 10 + gpu.minor;
	bool runs = false, compiles = false;

	for (size_t i = 0; i < d->n; i++) {
		const struct device_entry *entry = &d->v[i];

		runs = runs || (entry->kind == DEVICE_CUBIN && cubin_runs(entry, device));
		compiles = compiles || (entry->kind == DEVICE_PTX && ptx_compiles(entry, device));
	}
	if (runs || compiles) {
		*by_ptx = !runs;
	}
	return runs || compiles;
}

void device_code_format(const struct device_code *d, struct buf *out)
{
	static const struct {
		enum device_kind kind;
		const char *prefix;
	} order[] = { { DEVICE_CUBIN, "sm" }, { DEVICE_PTX, "compute" }, { DEVICE_LTO, "lto" } };
	const struct device_entry *last = NULL;

	for (size_t k = 0; k < sizeof(order) / sizeof(order[0]); k++) {
		for (size_t i = 0; i < d->n; i++) {
			const struct device_entry *entry = &d->v[i];

			if (entry->kind != order[k].kind ||
				(last && last->kind == entry->kind && last->sm == entry->sm &&
					last->suffix == entry->suffix)) {
				continue;
			}
			buf_addf(out, "%s%s_%u%.1s", last ? " " : "", order[k].prefix, entry->sm,
				entry->suffix ? &entry->suffix : "");
			last = entry;
		}
	}
}

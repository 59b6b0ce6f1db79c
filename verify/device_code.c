#include "verify/device_code.h"

#include "manifests/limits.h"
#include "manifests/base/vec.h"
#include "verify/cubin.h"
#include "verify/fatbin.h"
#include "verify/le.h"
#include "verify/member_name.h"
#include "verify/ptx.h"

#include <stdlib.h>

enum { STOP = 1 };                           /* wheel_stream ends there, and that is no error */
enum { STEP_LIBRARY = 8, STEP_ARCHIVE = 2 }; /* members of an ar archive begin at even offsets */

#define CUBIN_MAX (64 * MIB)

void device_code_release(struct device_code *d)
{
	vec_release(d);
	d->nunreadable = 0;
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
	return (x->member > y->member) - (x->member < y->member);
}

static int entry_cmp(const void *a, const void *b)
{
	return key_cmp(a, b);
}

/* Members come one after the other, so equal entries are among the last. */
static void entry_add(struct device_code *d, struct device_entry entry)
{
	for (size_t i = d->n; i-- > 0 && d->v[i].member == entry.member;) {
		if (key_cmp(&d->v[i], &entry) == 0) {
			d->v[i].count++;
			return;
		}
	}
	entry.count = 1;
	vec_push(d, entry);
}

/* ---- one member ---- */

enum member_kind { MEMBER_UNKNOWN, MEMBER_OTHER, MEMBER_CONTAINERS, MEMBER_CUBIN };

struct member_scan {
	struct device_code *out;
	size_t member;
	uint64_t size;
	enum member_kind kind;
	struct fatbin_scan containers;
};

static int container_entry(void *context, const struct fatbin_entry *entry, struct err *e)
{
	struct member_scan *s = context;

	(void)e;
	if (entry->kind != DEVICE_PTX && entry->kind != DEVICE_CUBIN && entry->kind != DEVICE_LTO) {
		return 0;
	}
	bool has_isa = entry->kind == DEVICE_PTX;
	entry_add(s->out, (struct device_entry){
				  .kind = (enum device_kind)entry->kind,
				  .sm = entry->sm,
				  .suffix = entry->suffix,
				  .isa_major = has_isa ? entry->isa_major : 0,
				  .isa_minor = has_isa ? entry->isa_minor : 0,
				  .member = s->member,
			  });
	return 0;
}

/* What a member is, by its first bytes. */
static void member_classify(struct member_scan *s, struct str head)
{
	struct ptx_arch ptx;
	bool is_archive = str_starts(head, "!<arch>\n");

	s->kind = MEMBER_OTHER;
	if (elf_is(head) && head.n >= 20 && le16(head.p + 18) == CUBIN_MACHINE) {
		s->kind = MEMBER_CUBIN;
	} else if (elf_is(head) || str_starts(head, "MZ") || is_archive || fatbin_is(head)) {
		s->kind = MEMBER_CONTAINERS;
		fatbin_scan_init(&s->containers, s->size, is_archive ? STEP_ARCHIVE : STEP_LIBRARY,
			container_entry, s);
		/* A loose .fatbin is nothing else. */
		s->containers.is_certain = fatbin_is(head);
	} else if (ptx_arch_read(head, &ptx)) {
		entry_add(s->out, (struct device_entry){
					  .kind = DEVICE_PTX,
					  .sm = ptx.sm,
					  .suffix = ptx.suffix,
					  .isa_major = ptx.isa_major,
					  .isa_minor = ptx.isa_minor,
					  .member = s->member,
				  });
	}
}

static int member_take(void *context, const void *bytes, size_t n, struct err *e)
{
	struct member_scan *s = context;

	if (s->kind == MEMBER_UNKNOWN) {
		member_classify(s, (struct str){ bytes, n });
	}
	return s->kind == MEMBER_CONTAINERS ? fatbin_scan_add(&s->containers, bytes, n, e) : STOP;
}

static int loose_cubin_add(
	struct wheel *w, const struct wheel_member *m, struct member_scan *s, struct err *e)
{
	char shown[MEMBER_NAME_SHOWN];
	struct cubin_arch arch;
	CLEANUP_BUF struct buf bytes = BUF_INIT;
	int rc = wheel_read(w, m, CUBIN_MAX, &bytes, e);

	if (rc) {
		return rc;
	}
	rc = cubin_arch_read(buf_str(&bytes), &arch, e);
	if (rc) {
		err_wrap(e, "%s", member_name_show(m->name, shown));
		return err_wrap(e, "%.*s", STR_ARG(wheel_name(w)->file));
	}
	entry_add(s->out, (struct device_entry){
				  .kind = DEVICE_CUBIN,
				  .sm = arch.sm,
				  .suffix = arch.suffix,
				  .member = s->member,
			  });
	return 0;
}

static int member_scan(
	struct wheel *w, const struct wheel_member *m, struct member_scan *s, struct err *e)
{
	int rc = wheel_stream(w, m, member_take, s, e);

	if (rc < 0) {
		return rc;
	}
	if (s->kind == MEMBER_CUBIN) {
		return loose_cubin_add(w, m, s, e);
	}
	if (s->kind == MEMBER_CONTAINERS) {
		s->out->nunreadable += s->containers.nunreadable;
		return fatbin_scan_end(&s->containers, e);
	}
	return 0;
}

int device_code_of_wheel(struct wheel *w, struct device_code *out, struct err *e)
{
	struct device_code d = { .n = 0 };
	size_t n;
	const struct wheel_member *members = wheel_members(w, &n);

	for (size_t i = 0; i < n; i++) {
		struct member_scan s = { .out = &d, .member = i, .size = members[i].size };
		int rc = members[i].size ? member_scan(w, &members[i], &s, e) : 0;

		if (rc) {
			device_code_release(&d);
			return rc;
		}
	}
	if (d.n) {
		qsort(d.v, d.n, sizeof(*d.v), entry_cmp);
	}
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

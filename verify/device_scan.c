#include "verify/device_scan.h"

#include "manifests/limits.h"
#include "manifests/base/mem.h"
#include "verify/elf.h"
#include "verify/ptx.h"

enum { STEP_LIBRARY = 8, STEP_ARCHIVE = 2 }; /* members of an ar archive begin at even offsets */
enum { PTX_COMMENT = 1024 };                 /* in front of a loose PTX text: names its toolkit */

/* Opening costs less than a tenth of what inflating the member and hashing its contents cost, per
 * byte; real cubins, of which only the beginning is opened, need twice the member's size. */
enum { OPENED_PER_BYTE = 16 };

void device_scan_init(struct device_scan *s, size_t member, uint64_t size, struct device_code *out)
{
	*s = (struct device_scan){
		.out = out,
		.member = member,
		.size = size,
		.first = out->n,
	};
}

void device_scan_release(struct device_scan *s)
{
	device_payload_free(s->payload);
	free(s->cubin);
}

/* ---- payloads ---- */

static void cubin_begin(struct device_scan *s, uint64_t size)
{
	if (!s->cubin) {
		s->cubin = mem_alloc(sizeof(*s->cubin));
	}
	cubin_scan_init(s->cubin, size);
}

static bool opened_take(void *context, const void *bytes, size_t n)
{
	struct device_scan *s = context;

	return cubin_scan_add(s->cubin, bytes, n);
}

static void payload_begin(struct device_scan *s, const struct fatbin_entry *entry)
{
	uint64_t stored = s->entry.packing != DEVICE_RAW && entry->packed < entry->stored
				  ? entry->packed
				  : entry->stored;
	uint64_t size = s->entry.packing == DEVICE_RAW ? stored : entry->size;

	if (!s->payload) {
		s->payload = device_payload_new(OPENED_PER_BYTE * s->size, opened_take, s);
	}
	device_payload_begin(s->payload, (enum device_packing)s->entry.packing, stored, size);
	cubin_begin(s, size);
}

/* What cannot be opened has no known toolkit; its architecture stands in the entry. */
static void payload_end(struct device_scan *s)
{
	struct err ignored = ERR_INIT;
	struct cubin_facts facts;

	if (cubin_scan_end(s->cubin, &facts, &ignored) == 0) {
		s->entry.toolkit = facts.toolkit;
	}
	device_code_add(s->out, s->entry);
}

/* ---- containers ---- */

static enum device_packing packing_of(uint64_t flags)
{
	return flags & FATBIN_FLAG_ZSTD  ? DEVICE_ZSTD
	       : flags & FATBIN_FLAG_LZ4 ? DEVICE_LZ4
					 : DEVICE_RAW;
}

static int container_entry(void *context, const struct fatbin_entry *entry, struct err *e)
{
	struct device_scan *s = context;
	bool is_ptx = entry->kind == DEVICE_PTX;

	if (s->out->n - s->first > LIMIT_DEVICE_KINDS) {
		return err_set(e, RC_LIMIT, "over %d kinds of device code", LIMIT_DEVICE_KINDS);
	}
	if (!is_ptx && entry->kind != DEVICE_CUBIN && entry->kind != DEVICE_LTO) {
		return FATBIN_SKIP;
	}
	s->entry = (struct device_entry){
		.kind = (enum device_kind)entry->kind,
		.sm = entry->sm,
		.suffix = entry->suffix,
		.isa_major = is_ptx ? entry->isa_major : 0,
		.isa_minor = is_ptx ? entry->isa_minor : 0,
		.member = s->member,
		.packing = packing_of(entry->flags),
	};
	/* PTX in containers is without the comments that name its toolkit. */
	if (entry->kind != DEVICE_CUBIN || entry->stored == 0) {
		device_code_add(s->out, s->entry);
		return FATBIN_SKIP;
	}
	payload_begin(s, entry);
	return FATBIN_WANT;
}

static int container_payload(void *context, const void *bytes, size_t n, struct err *e)
{
	struct device_scan *s = context;

	(void)e;
	if (device_payload_add(s->payload, bytes, n)) {
		return FATBIN_WANT;
	}
	payload_end(s);
	return FATBIN_SKIP;
}

/* ---- one member ---- */

static void loose_ptx_add(struct device_scan *s, const struct ptx_arch *ptx, struct str head)
{
	struct device_entry entry = {
		.kind = DEVICE_PTX,
		.sm = ptx->sm,
		.suffix = ptx->suffix,
		.isa_major = ptx->isa_major,
		.isa_minor = ptx->isa_minor,
		.member = s->member,
		.packing = DEVICE_RAW,
	};

	toolkit_release_find(str_first(head, PTX_COMMENT), &entry.toolkit);
	device_code_add(s->out, entry);
}

/* What a member is, by its first bytes. */
static void member_classify(struct device_scan *s, struct str head)
{
	struct ptx_arch ptx;
	bool is_archive = str_starts(head, "!<arch>\n");

	s->kind = DEVICE_MEMBER_OTHER;
	if (cubin_is(head)) {
		s->kind = DEVICE_MEMBER_CUBIN;
		cubin_begin(s, s->size);
	} else if (elf_is(head) || str_starts(head, "MZ") || is_archive || fatbin_is(head)) {
		s->kind = DEVICE_MEMBER_CONTAINERS;
		fatbin_scan_init(&s->containers, s->size, is_archive ? STEP_ARCHIVE : STEP_LIBRARY,
			container_entry, s);
		s->containers.payload = container_payload;
		/* A loose .fatbin is nothing else. */
		s->containers.is_certain = fatbin_is(head);
	} else if (ptx_arch_read(head, &ptx)) {
		loose_ptx_add(s, &ptx, head);
	}
}

int device_scan_add(struct device_scan *s, const void *bytes, size_t n, struct err *e)
{
	if (s->kind == DEVICE_MEMBER_UNKNOWN) {
		member_classify(s, (struct str){ bytes, n });
	}
	if (s->kind == DEVICE_MEMBER_CONTAINERS) {
		return fatbin_scan_add(&s->containers, bytes, n, e);
	}
	if (s->kind == DEVICE_MEMBER_CUBIN) {
		cubin_scan_add(s->cubin, bytes, n);
	}
	return 0;
}

static int loose_cubin_add(struct device_scan *s, struct err *e)
{
	struct cubin_facts facts;
	int rc = cubin_scan_end(s->cubin, &facts, e);

	if (!rc) {
		device_code_add(s->out, (struct device_entry){
						.kind = DEVICE_CUBIN,
						.sm = facts.sm,
						.suffix = facts.suffix,
						.toolkit = facts.toolkit,
						.member = s->member,
						.packing = DEVICE_RAW,
					});
	}
	return rc;
}

int device_scan_end(struct device_scan *s, struct err *e)
{
	if (s->kind == DEVICE_MEMBER_CUBIN) {
		return loose_cubin_add(s, e);
	}
	if (s->kind == DEVICE_MEMBER_CONTAINERS) {
		s->out->nunreadable += s->containers.nunreadable;
		s->out->nold += s->containers.nold;
		return fatbin_scan_end(&s->containers, e);
	}
	return 0;
}

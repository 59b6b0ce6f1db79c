#include "verify/native_reader.h"

#include "verify/cubin.h"
#include "verify/device_scan.h"
#include "verify/elf.h"
#include "verify/elf_scan.h"
#include "verify/le.h"
#include "verify/member_name.h"

#include <inttypes.h>

enum { PE_HEADER_AT = 0x3c, NAME_COST = 32 };

/* ---- what a reader may keep ---- */

/* Whoever has some waits for no more, so that there is always one who goes on. False: there is no
 * room for names any more, and none was taken. */
static bool room_take(struct native_room *room, uint64_t n)
{
	pthread_mutex_lock(&room->lock);
	while (room->left < n) {
		pthread_cond_wait(&room->freed, &room->lock);
	}
	bool has_room = room->names_left > 0;
	room->left -= has_room ? n : 0;
	pthread_mutex_unlock(&room->lock);
	return has_room;
}

static void room_give(struct native_room *room, uint64_t n)
{
	pthread_mutex_lock(&room->lock);
	room->left += n;
	pthread_cond_broadcast(&room->freed);
	pthread_mutex_unlock(&room->lock);
}

static uint64_t names_size(const struct str *v, size_t n)
{
	uint64_t size = 0;

	for (size_t i = 0; i < n; i++) {
		size += NAME_COST + v[i].n;
	}
	return size;
}

static uint64_t module_size(const struct native_module *m)
{
	uint64_t size = names_size(m->needed, m->nneeded) +
			names_size(m->undefined, m->nundefined) +
			names_size(m->exported, m->nexported) + m->soname.n + m->rpath.n;

	for (size_t i = 0; i < m->nversions; i++) {
		size += 2 * NAME_COST + m->versions[i].library.n + m->versions[i].name.n;
	}
	return size;
}

static int names_take(struct native_room *room, uint64_t n, struct err *e)
{
	pthread_mutex_lock(&room->lock);
	bool fits = room->names_left > n;
	room->names_left = fits ? room->names_left - n : 0;
	pthread_mutex_unlock(&room->lock);
	return fits ? 0
		    : err_set(e, RC_LIMIT,
			      "up to here, binaries have over %" PRIu64 " bytes of names",
			      (uint64_t)LIMIT_NATIVE_NAMES);
}

/* ---- one member while it is read ---- */

struct pass {
	struct native_reader *r;
	const struct wheel_member *m;
	bool is_begun;
	enum native_format format; /* 0: no native code for a CPU */
	struct elf_scan *elf;
	struct pe_scan *pe;
	struct device_scan device;
	uint64_t room;
};

/* Many files begin with "MZ"; programs for Windows say where their header is, and it is near. */
static bool pe_is(struct str head)
{
	if (!str_starts(head, "MZ") || head.n < PE_HEADER_AT + 4) {
		return false;
	}
	struct str rest = str_skip(head, le32(head.p + PE_HEADER_AT));
	return rest.n >= 4 && str_eq(str_first(rest, 4), STR("PE\0\0"));
}

/* A loose cubin is an ELF file, but no loader's: the reader of device code takes it. */
static enum native_format format_of(struct str head)
{
	if (elf_is(head)) {
		return cubin_is(head) ? 0 : NATIVE_ELF;
	}
	return pe_is(head)                     ? NATIVE_PE
	       : macho_is(head)                ? NATIVE_MACHO
	       : str_starts(head, "!<arch>\n") ? NATIVE_ARCHIVE
					       : 0;
}

static void pass_begin(struct pass *p, struct str head)
{
	uint64_t size = p->m->size;

	p->is_begun = true;
	p->format = format_of(head);
	if (p->format == NATIVE_PE || p->format == NATIVE_ELF) {
		uint64_t room = size < LIMIT_ELF_KEPT ? size : LIMIT_ELF_KEPT;

		p->room = room_take(p->r->room, room) ? room : 0;
	}
	if (p->room && p->format == NATIVE_ELF) {
		p->elf = elf_scan_new(size);
	} else if (p->room) {
		p->pe = pe_scan_new(size);
	}
}

static int scan_add(struct pass *p, const void *bytes, size_t n, struct err *e)
{
	if (p->elf) {
		return elf_scan_add(p->elf, bytes, n, e);
	}
	return p->pe ? pe_scan_add(p->pe, bytes, n, e) : 0;
}

static int scan_end(struct pass *p, struct native_module *out, struct err *e)
{
	if (p->elf) {
		return elf_scan_end(p->elf, &p->r->arena, out, e);
	}
	return p->pe ? pe_scan_end(p->pe, &p->r->arena, out, e) : 0;
}

static int contents_take(void *context, const void *bytes, size_t n, struct err *e)
{
	struct pass *p = context;

	if (!p->is_begun) {
		pass_begin(p, (struct str){ bytes, n });
	}
	record_reader_add(&p->r->record, bytes, n);
	int rc = device_scan_add(&p->device, bytes, n, e);
	return rc ? rc : scan_add(p, bytes, n, e);
}

static int again_take(void *context, const void *bytes, size_t n, struct err *e)
{
	return scan_add(context, bytes, n, e);
}

static int member_wrap(const struct pass *p, struct err *e)
{
	char shown[MEMBER_NAME_SHOWN];

	return err_wrap(e, "%s", member_name_show(p->m->name, shown));
}

static int module_read(struct pass *p, struct native_module *out, struct err *e)
{
	int rc = scan_end(p, out, e);

	if (rc > 0) {
		rc = member_stream(p->r->w, p->m, again_take, p, e);
		if (rc) {
			return rc;
		}
		rc = scan_end(p, out, e);
		rc = rc > 0 ? err_set(e, RC_BUG, "a binary is asked for a third time") : rc;
	}
	rc = rc ? rc : names_take(p->r->room, module_size(out), e);
	return rc ? member_wrap(p, e) : 0;
}

static int module_add(struct pass *p, struct err *e)
{
	struct native_module module = { .format = 0 };
	int rc = module_read(p, &module, e);

	if (rc) {
		return rc;
	}
	module.member = (size_t)(p->m - p->r->w->dir.members);
	module.name = p->m->name;
	module.format = p->format;
	vec_push(&p->r->modules, module);
	return 0;
}

static int member_read(struct pass *p, struct err *e)
{
	int rc = member_stream(p->r->w, p->m, contents_take, p, e);

	record_reader_end(&p->r->record, rc == 0);
	if (rc) {
		return rc;
	}
	rc = device_scan_end(&p->device, e);
	if (rc) {
		return member_wrap(p, e);
	}
	return p->format ? module_add(p, e) : 0;
}

int native_reader_take(struct native_reader *r, size_t member, struct err *e)
{
	struct pass p = { .r = r, .m = &r->w->dir.members[member] };

	device_scan_init(&p.device, member, p.m->size, &r->device);
	record_reader_begin(&r->record, p.m);
	int rc = member_read(&p, e);
	elf_scan_free(p.elf);
	pe_scan_free(p.pe);
	device_scan_release(&p.device);
	if (p.room) {
		room_give(r->room, p.room);
	}
	return rc;
}

/* ---- a reader ---- */

void native_reader_init(
	struct native_reader *r, struct wheel *w, struct record *record, struct native_room *room)
{
	*r = (struct native_reader){ .w = w, .room = room };
	record_reader_init(&r->record, record);
}

void native_reader_release(struct native_reader *r)
{
	record_reader_release(&r->record);
	arena_release(&r->arena);
	vec_release(&r->modules);
	device_code_release(&r->device);
}

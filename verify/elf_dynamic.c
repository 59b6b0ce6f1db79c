#include "verify/elf_scan_private.h"

#include "manifests/limits.h"
#include "verify/le.h"
#include "verify/loader_name.h"

#include <elf.h>
#include <inttypes.h>
#include <stddef.h>

/* Second pass: how far each table may reach. A million symbols. */
#define STRINGS_MAX (48 * MIB)
#define SYMBOLS_MAX (24 * MIB)
#define HASH_MAX (12 * MIB)
#define VERSIONS_MAX MIB

enum { ENTRY_SIZE = sizeof(Elf64_Dyn), NEED_SIZE = sizeof(Elf64_Verneed) };
enum { NAME_COST = 32 }; /* many empty names cost memory too */
enum { VERSION_SIZE = sizeof(Elf64_Vernaux) };

int elf_dynamic_entries(const struct elf_scan *s, struct str *out, struct err *e)
{
	struct str all = STR_NULL;
	int rc = elf_span(s, s->dynamic.address, s->dynamic.size, &all, e);

	if (rc) {
		return rc;
	}
	all = str_first(all, (size_t)s->dynamic.size);
	size_t n = 0;
	while (all.n - n >= ENTRY_SIZE && le64(all.p + n) != DT_NULL) {
		n += ENTRY_SIZE;
	}
	*out = str_first(all, n);
	return 0;
}

bool elf_dynamic_find(struct str entries, uint64_t tag, uint64_t *out)
{
	for (size_t at = entries.n; at; at -= ENTRY_SIZE) {
		const char *entry = entries.p + at - ENTRY_SIZE;

		if (le64(entry) == tag) {
			*out = le64(entry + offsetof(Elf64_Dyn, d_un));
			return true;
		}
	}
	return false;
}

int elf_tables_want(struct elf_scan *s, struct str entries, struct err *e)
{
	const struct {
		uint64_t tag, max;
	} tables[] = { { DT_STRTAB, STRINGS_MAX }, { DT_SYMTAB, SYMBOLS_MAX }, { DT_HASH, KIB },
		{ DT_GNU_HASH, HASH_MAX }, { DT_VERNEED, VERSIONS_MAX } };

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		uint64_t address = 0, offset = 0, left;

		if (!elf_dynamic_find(entries, tables[i].tag, &address)) {
			continue;
		}
		left = elf_left(s, address, &offset);
		if (left == 0) {
			return err_set(e, RC_WHEEL, "ELF: no bytes at address 0x%" PRIx64, address);
		}
		kept_want(&s->kept, offset, left < tables[i].max ? left : tables[i].max);
	}
	return 0;
}

/* ---- names ---- */

int elf_name(struct elf_dynamic *d, uint64_t offset, struct str *out, struct err *e)
{
	if (offset >= d->strings.n) {
		return err_set(e, RC_WHEEL, "ELF: a name leaves the table of names");
	}
	struct str rest = str_skip(d->strings, (size_t)offset);
	size_t n = str_find(rest, '\0');
	if (n == rest.n) {
		return err_set(e, RC_WHEEL, "ELF: a name leaves the table of names");
	}
	if (n + NAME_COST > d->names_left) {
		return err_set(e, RC_LIMIT, "ELF: its names have more than %" PRIu64 " bytes",
			(uint64_t)LIMIT_ELF_NAMES);
	}
	d->names_left -= n + NAME_COST;
	*out = str_first(rest, n);
	return 0;
}

/* Those that end in messages and JSON. */
static int text_read(
	struct elf_dynamic *d, uint64_t offset, struct arena *a, struct str *out, struct err *e)
{
	struct str name = STR_NULL;
	int rc = elf_name(d, offset, &name, e);

	if (rc) {
		return rc;
	}
	rc = loader_name_check(name, e);
	if (rc) {
		return err_wrap(e, "ELF");
	}
	*out = arena_str(a, name);
	return 0;
}

static int tagged_text(
	struct elf_dynamic *d, uint64_t tag, struct arena *a, struct str *out, struct err *e)
{
	uint64_t offset = 0;

	return elf_dynamic_find(d->entries, tag, &offset) ? text_read(d, offset, a, out, e) : 0;
}

static int needed_read(
	struct elf_dynamic *d, struct arena *a, struct native_module *out, struct err *e)
{
	size_t n = 0;
	int rc = 0;

	for (size_t at = 0; at < d->entries.n; at += ENTRY_SIZE) {
		n += le64(d->entries.p + at) == DT_NEEDED;
	}
	out->needed = arena_array(a, n, sizeof(out->needed[0]));
	for (size_t at = 0; !rc && at < d->entries.n; at += ENTRY_SIZE) {
		const char *entry = d->entries.p + at;

		if (le64(entry) == DT_NEEDED) {
			rc = text_read(d, le64(entry + offsetof(Elf64_Dyn, d_un)), a,
				&out->needed[out->nneeded++], e);
		}
	}
	return rc;
}

/* ---- versions ---- */

typedef VEC(struct native_version) versions;

/* Those that one library must have. The loader follows the offsets, not the counts. */
static int library_versions(const struct elf_scan *s, struct elf_dynamic *d, uint64_t need,
	struct arena *a, versions *found, struct err *e)
{
	struct native_version v = { .library = STR_NULL };
	struct str row = STR_NULL;
	int rc = elf_span(s, need, NEED_SIZE, &row, e);

	rc = rc ? rc
		: text_read(d, le32(row.p + offsetof(Elf64_Verneed, vn_file)), a, &v.library, e);
	if (rc) {
		return rc;
	}
	uint64_t at = need + le32(row.p + offsetof(Elf64_Verneed, vn_aux));
	for (uint32_t next = 1; next; at += next) {
		rc = elf_span(s, at, VERSION_SIZE, &row, e);
		rc = rc ? rc
			: text_read(d, le32(row.p + offsetof(Elf64_Vernaux, vna_name)), a, &v.name,
				  e);
		if (rc) {
			return rc;
		}
		/* The loader only warns where a weak one is missing. */
		if (!(le16(row.p + offsetof(Elf64_Vernaux, vna_flags)) & VER_FLG_WEAK)) {
			vec_push(found, v);
		}
		next = le32(row.p + offsetof(Elf64_Vernaux, vna_next));
		if (next && next < VERSION_SIZE) {
			return err_set(e, RC_WHEEL, "ELF: needed versions overlap");
		}
	}
	return 0;
}

static int versions_read(const struct elf_scan *s, struct elf_dynamic *d, struct arena *a,
	versions *found, struct err *e)
{
	struct str row = STR_NULL;
	uint64_t at = 0;

	if (!elf_dynamic_find(d->entries, DT_VERNEED, &at)) {
		return 0;
	}
	for (uint32_t next = 1; next; at += next) {
		int rc = library_versions(s, d, at, a, found, e);

		rc = rc ? rc : elf_span(s, at, NEED_SIZE, &row, e);
		if (rc) {
			return rc;
		}
		next = le32(row.p + offsetof(Elf64_Verneed, vn_next));
		if (next && next < NEED_SIZE) {
			return err_set(e, RC_WHEEL, "ELF: needed versions overlap");
		}
	}
	return 0;
}

static int versions_take(const struct elf_scan *s, struct elf_dynamic *d, struct arena *a,
	struct native_module *out, struct err *e)
{
	versions found = VEC_INIT;
	int rc = versions_read(s, d, a, &found, e);

	if (!rc && found.n) {
		out->versions = arena_array(a, found.n, sizeof(found.v[0]));
		for (size_t i = 0; i < found.n; i++) {
			out->versions[i] = found.v[i];
		}
		out->nversions = found.n;
	}
	vec_release(&found);
	return rc;
}

static int strings_find(const struct elf_scan *s, struct elf_dynamic *d, struct err *e)
{
	uint64_t address = 0, size = 0;

	if (!elf_dynamic_find(d->entries, DT_STRTAB, &address)) {
		return 0;
	}
	if (!elf_dynamic_find(d->entries, DT_STRSZ, &size)) {
		return err_set(e, RC_WHEEL, "ELF: the size of the table of names is missing");
	}
	int rc = size ? elf_span(s, address, size, &d->strings, e) : 0;
	d->strings = str_first(d->strings, (size_t)size);
	return rc;
}

int elf_dynamic_read(const struct elf_scan *s, struct elf_dynamic *d, struct arena *a,
	struct native_module *out, struct err *e)
{
	uint64_t value = 0;
	bool has_runpath = elf_dynamic_find(d->entries, DT_RUNPATH, &value);
	int rc = strings_find(s, d, e);

	out->has_relr = elf_dynamic_find(d->entries, DT_RELR, &value);
	rc = rc ? rc : tagged_text(d, DT_SONAME, a, &out->soname, e);
	rc = rc ? rc : tagged_text(d, has_runpath ? DT_RUNPATH : DT_RPATH, a, &out->rpath, e);
	rc = rc ? rc : needed_read(d, a, out, e);
	return rc ? rc : versions_take(s, d, a, out, e);
}

#include "verify/native_json.h"

#include "manifests/base/vec.h"
#include "manifests/limits.h"
#include "verify/name_list.h"
#include "verify/native_device.h"

#include <inttypes.h>

static const char *const format_words[] = {
	[NATIVE_ELF] = "elf",
	[NATIVE_PE] = "pe",
	[NATIVE_MACHO] = "macho",
	[NATIVE_ARCHIVE] = "archive",
};
static const char *const machine_words[] = {
	[NATIVE_MACHINE_OTHER] = "other",
	[NATIVE_X86_64] = "x86_64",
	[NATIVE_AARCH64] = "aarch64",
};
enum {
	FORMATS = sizeof(format_words) / sizeof(format_words[0]),
	MACHINES = sizeof(machine_words) / sizeof(machine_words[0]),
};

const char *native_format_word(enum native_format f)
{
	return format_words[f];
}

const char *native_machine_word(enum native_machine m)
{
	return machine_words[m];
}

/* ---- device code: one array of numbers for each entry ---- */

enum {
	ENTRY_KIND,
	ENTRY_SM,
	ENTRY_SUFFIX, /* its character, or 0 */
	ENTRY_ISA_MAJOR,
	ENTRY_ISA_MINOR,
	ENTRY_TOOLKIT_MAJOR,
	ENTRY_TOOLKIT_MINOR,
	ENTRY_TOOLKIT_PATCH,
	ENTRY_MEMBER,
	ENTRY_COUNT,
	ENTRY_PACKING,
	ENTRY_NUMBERS,
};

static void put_entry(struct json_out *o, const struct device_entry *d)
{
	const uint64_t numbers[ENTRY_NUMBERS] = {
		[ENTRY_KIND] = (uint64_t)d->kind,
		[ENTRY_SM] = d->sm,
		[ENTRY_SUFFIX] = (unsigned char)d->suffix,
		[ENTRY_ISA_MAJOR] = d->isa_major,
		[ENTRY_ISA_MINOR] = d->isa_minor,
		[ENTRY_TOOLKIT_MAJOR] = d->toolkit.major,
		[ENTRY_TOOLKIT_MINOR] = d->toolkit.minor,
		[ENTRY_TOOLKIT_PATCH] = d->toolkit.patch,
		[ENTRY_MEMBER] = d->member,
		[ENTRY_COUNT] = d->count,
		[ENTRY_PACKING] = d->packing,
	};

	json_begin_array(o);
	for (size_t i = 0; i < ENTRY_NUMBERS; i++) {
		json_put_u64(o, numbers[i]);
	}
	json_end_array(o);
}

static bool is_kind(uint64_t kind)
{
	return kind == DEVICE_PTX || kind == DEVICE_CUBIN || kind == DEVICE_LTO;
}

static int read_entry(const struct json *v, struct device_entry *out, struct err *e)
{
	uint64_t numbers[ENTRY_NUMBERS];
	size_t n = 0;

	for (const struct json *at = json_first(v); at; at = json_next(at)) {
		if (n == ENTRY_NUMBERS) {
			return err_set(e, RC_SYNTAX, "too many numbers");
		}
		int rc = json_to_u64(at, "a number", &numbers[n], e);
		if (rc) {
			return rc;
		}
		if (numbers[n++] > UINT32_MAX) {
			return err_set(e, RC_SYNTAX, "a number that is too large");
		}
	}
	if (n != ENTRY_NUMBERS || !is_kind(numbers[ENTRY_KIND]) ||
		numbers[ENTRY_SUFFIX] > INT8_MAX) {
		return err_set(e, RC_SYNTAX, "not an entry of device code");
	}
	*out = (struct device_entry){
		.kind = (enum device_kind)numbers[ENTRY_KIND],
		.sm = (unsigned)numbers[ENTRY_SM],
		.suffix = (char)numbers[ENTRY_SUFFIX],
		.isa_major = (unsigned)numbers[ENTRY_ISA_MAJOR],
		.isa_minor = (unsigned)numbers[ENTRY_ISA_MINOR],
		.toolkit = { (unsigned)numbers[ENTRY_TOOLKIT_MAJOR],
			(unsigned)numbers[ENTRY_TOOLKIT_MINOR],
			(unsigned)numbers[ENTRY_TOOLKIT_PATCH] },
		.member = (size_t)numbers[ENTRY_MEMBER],
		.count = (uint32_t)numbers[ENTRY_COUNT],
		.packing = (unsigned)numbers[ENTRY_PACKING],
	};
	return 0;
}

static int read_device(const struct json *root, struct native *n, struct err *e)
{
	const struct json *list = NULL;
	uint64_t old = 0, unreadable = 0;
	int rc = json_need_array(root, "device", &list, e);

	rc = rc ? rc : json_need_u64(root, "old_containers", &old, e);
	rc = rc ? rc : json_need_u64(root, "unreadable_containers", &unreadable, e);
	if (rc) {
		return rc;
	}
	for (const struct json *at = json_first(list); at; at = json_next(at)) {
		struct device_entry entry;

		rc = read_entry(at, &entry, e);
		if (rc) {
			return err_wrap(e, "device");
		}
		vec_push(&n->device, entry);
	}
	device_code_sort(&n->device);
	n->device.nold = (size_t)old;
	n->device.nunreadable = (size_t)unreadable;
	return 0;
}

/* ---- modules ---- */

/* Library and version by turns. */
static void put_versions(struct json_out *o, const struct native_module *m)
{
	CLEANUP_BUF struct buf list = BUF_INIT;

	for (size_t i = 0; i < m->nversions; i++) {
		name_list_write(&m->versions[i].library, 1, &list);
		name_list_write(&m->versions[i].name, 1, &list);
	}
	json_str(o, "versions", buf_str(&list));
}

static int read_versions(
	const struct json *object, struct arena *a, struct native_module *m, struct err *e)
{
	struct str *names = NULL;
	size_t n = 0;
	int rc = name_list_need(object, "versions", a, &names, &n, e);

	if (!rc && n % 2) {
		rc = err_set(e, RC_SYNTAX, "versions: a library without its version");
	}
	if (rc) {
		return rc;
	}
	m->versions = arena_array(a, n / 2, sizeof(*m->versions));
	for (size_t i = 0; i < n; i += 2) {
		m->versions[m->nversions++] = (struct native_version){ names[i], names[i + 1] };
	}
	return 0;
}

static void put_module(struct json_out *o, const struct native_module *m)
{
	json_begin_object(o);
	json_u64(o, "elf_machine", m->elf_machine);
	name_list_put(o, "exported", m->exported, m->nexported);
	json_cstr(o, "format", native_format_word(m->format));
	json_cstr(o, "machine", native_machine_word(m->machine));
	json_u64(o, "member", m->member);
	json_str(o, "name", m->name);
	name_list_put(o, "needed", m->needed, m->nneeded);
	json_bool(o, "readable", m->is_readable);
	json_bool(o, "relr", m->has_relr);
	json_str(o, "rpath", m->rpath);
	json_str(o, "soname", m->soname);
	name_list_put(o, "undefined", m->undefined, m->nundefined);
	put_versions(o, m);
	json_end_object(o);
}

static int need_word(const struct json *object, const char *key, const char *const *words,
	unsigned n, unsigned *out, struct err *e)
{
	struct str text = STR_NULL;
	int rc = json_need_str(object, key, &text, e);

	for (unsigned i = 0; !rc && i < n; i++) {
		if (words[i] && str_is(text, words[i])) {
			*out = i;
			return 0;
		}
	}
	return rc ? rc : err_set(e, RC_SYNTAX, "%s: not a known word", key);
}

static int need_number(const struct json *object, const char *key, unsigned *out, struct err *e)
{
	uint64_t number = 0;
	int rc = json_need_u64(object, key, &number, e);

	if (!rc && number > UINT32_MAX) {
		rc = err_set(e, RC_SYNTAX, "%s: too large", key);
	}
	if (!rc) {
		*out = (unsigned)number;
	}
	return rc;
}

static int need_text(
	const struct json *object, const char *key, struct arena *a, struct str *out, struct err *e)
{
	struct str text = STR_NULL;
	int rc = json_need_str(object, key, &text, e);

	if (!rc) {
		*out = arena_str(a, text);
	}
	return rc;
}

static int read_module(
	const struct json *v, struct arena *a, struct native_module *out, struct err *e)
{
	struct native_module m = { .format = 0 };
	unsigned format = 0, machine = 0, member = 0;
	int rc = need_number(v, "elf_machine", &m.elf_machine, e);

	rc = rc ? rc : name_list_need_sorted(v, "exported", a, &m.exported, &m.nexported, e);
	rc = rc ? rc : need_word(v, "format", format_words, FORMATS, &format, e);
	rc = rc ? rc : need_word(v, "machine", machine_words, MACHINES, &machine, e);
	rc = rc ? rc : need_number(v, "member", &member, e);
	rc = rc ? rc : need_text(v, "name", a, &m.name, e);
	rc = rc ? rc : name_list_need(v, "needed", a, &m.needed, &m.nneeded, e);
	rc = rc ? rc : json_need_bool(v, "readable", &m.is_readable, e);
	rc = rc ? rc : json_need_bool(v, "relr", &m.has_relr, e);
	rc = rc ? rc : need_text(v, "rpath", a, &m.rpath, e);
	rc = rc ? rc : need_text(v, "soname", a, &m.soname, e);
	rc = rc ? rc : name_list_need_sorted(v, "undefined", a, &m.undefined, &m.nundefined, e);
	rc = rc ? rc : read_versions(v, a, &m, e);
	if (rc) {
		return rc;
	}
	m.format = (enum native_format)format;
	m.machine = (enum native_machine)machine;
	m.member = member;
	*out = m;
	return 0;
}

static int read_modules(const struct json *root, struct native *n, struct err *e)
{
	const struct json *list = NULL;
	int rc = json_need_array(root, "modules", &list, e);

	if (rc) {
		return rc;
	}
	n->modules = arena_array(&n->arena, json_count(list), sizeof(*n->modules));
	for (const struct json *at = json_first(list); at; at = json_next(at)) {
		struct native_module *m = &n->modules[n->nmodules];

		rc = read_module(at, &n->arena, m, e);
		if (!rc && n->nmodules && m->member <= m[-1].member) {
			rc = err_set(e, RC_SYNTAX, "not in the order of the members");
		}
		if (rc) {
			return err_wrap(e, "modules[%zu]", n->nmodules);
		}
		n->nmodules++;
	}
	return 0;
}

/* ---- all ---- */

void native_json_write(const struct native *n, struct buf *out)
{
	struct json_out o;

	json_out_init(&o, out, true);
	json_begin_object(&o);
	json_put_key(&o, "device");
	json_begin_array(&o);
	for (size_t i = 0; i < n->device.n; i++) {
		put_entry(&o, &n->device.v[i]);
	}
	json_end_array(&o);
	json_put_key(&o, "modules");
	json_begin_array(&o);
	for (size_t i = 0; i < n->nmodules; i++) {
		put_module(&o, &n->modules[i]);
	}
	json_end_array(&o);
	json_u64(&o, "old_containers", n->device.nold);
	json_str(&o, "record_fault", n->record_fault);
	json_u64(&o, "unreadable_containers", n->device.nunreadable);
	json_end_object(&o);
}

static int read_root(struct str text, struct native *n, struct err *e)
{
	CLEANUP_JSON struct json *root = NULL;
	int rc = json_parse(text, &root, e);

	rc = rc ? rc : read_modules(root, n, e);
	rc = rc ? rc : read_device(root, n, e);
	rc = rc ? rc : need_text(root, "record_fault", &n->arena, &n->record_fault, e);
	if (!rc) {
		native_device_deal(n);
	}
	return rc;
}

/* What is not written again as it was read has an unknown member, another order, another spelling.
 */
static int check_canonical(struct str text, const struct native *n, struct err *e)
{
	CLEANUP_BUF struct buf again = BUF_INIT;

	native_json_write(n, &again);
	return str_eq(text, buf_str(&again)) ? 0 : err_set(e, RC_SYNTAX, "not in canonical form");
}

int native_json_read(struct str text, struct native *out, struct err *e)
{
	struct native n = NATIVE_INIT;

	if (text.n > LIMIT_NATIVE_TEXT) {
		return err_set(e, RC_LIMIT, "native code: %zu bytes, at most %" PRIu64, text.n,
			(uint64_t)LIMIT_NATIVE_TEXT);
	}
	int rc = read_root(text, &n, e);
	rc = rc ? rc : check_canonical(text, &n, e);
	if (rc) {
		native_release(&n);
		return err_wrap(e, "native code");
	}
	*out = n;
	return 0;
}

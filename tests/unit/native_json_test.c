/* The map of native code as text and back. */
#include "tests/unit/unit.h"

#include "manifests/base/vec.h"
#include "manifests/limits.h"
#include "verify/native_device.h"
#include "verify/native_json.h"
#include "verify/native_text.h"

#include <string.h>

#define TEXT(literal)                        \
	{                                    \
		literal, sizeof(literal) - 1 \
	} /* in static storage */

static struct native_module modules[] = {
	{ .member = 3,
		.name = TEXT("demo/_C.so"),
		.format = NATIVE_ELF,
		.machine = NATIVE_X86_64,
		.elf_machine = 62,
		.is_readable = true,
		.soname = TEXT("_C.so"),
		.needed = (struct str[]){ TEXT("libc10.so"), TEXT("lib with space.so") },
		.nneeded = 2,
		.rpath = TEXT("$ORIGIN:\xc3\xa4"),
		.versions = (struct native_version[]){ { TEXT("libc.so.6"), TEXT("GLIBC_2.28") },
			{ TEXT("libc.so.6"), TEXT("GLIBC_2.2.5") } },
		.nversions = 2,
		.has_relr = true,
		.undefined = (struct str[]){ TEXT("PyList_New"), TEXT("_ZN2at1xEv"),
			TEXT("_ZN3c10\xff\n ") },
		.nundefined = 3,
		.exported = (struct str[]){ TEXT("PyInit__C") },
		.nexported = 1 },
	{ .member = 7, .name = TEXT("demo/x.dll"), .format = NATIVE_PE, .machine = NATIVE_AARCH64 },
	{ .member = 8, .name = TEXT("demo/lib.a"), .format = NATIVE_ARCHIVE },
	{ .member = 9, .name = TEXT("demo/x.dylib"), .format = NATIVE_MACHO },
};

static void sample_make(struct native *n)
{
	const struct device_entry entries[] = {
		{ .kind = DEVICE_CUBIN,
			.sm = 90,
			.suffix = 'a',
			.toolkit = { 13, 2, 86 },
			.member = 3,
			.packing = DEVICE_ZSTD },
		{ .kind = DEVICE_CUBIN,
			.sm = 80,
			.toolkit = { 12, 8, 0 },
			.member = 3,
			.packing = DEVICE_RAW },
		{ .kind = DEVICE_PTX,
			.sm = 90,
			.isa_major = 9,
			.isa_minor = 2,
			.member = 3,
			.packing = DEVICE_LZ4 },
		{ .kind = DEVICE_LTO, .sm = 100, .suffix = 'f', .member = 12 },
	};

	*n = (struct native)NATIVE_INIT;
	n->modules = arena_array(&n->arena, 4, sizeof(*n->modules));
	n->nmodules = 4;
	memcpy(n->modules, modules, sizeof(modules));
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		device_code_add(&n->device, entries[i]);
		device_code_add(&n->device, entries[i]);
	}
	device_code_sort(&n->device);
	n->device.nunreadable = 2;
	n->device.nold = 1;
	n->record_fault = STR("RECORD: line 1: \"x\"");
	native_device_deal(n);
}

static void sample_write(struct buf *out)
{
	struct native n;

	sample_make(&n);
	native_json_write(&n, out);
	native_release(&n);
}

static bool is_same_list(const struct str *a, size_t na, const struct str *b, size_t nb)
{
	bool same = na == nb;

	for (size_t i = 0; same && i < na; i++) {
		same = str_eq(a[i], b[i]);
	}
	return same;
}

static void modules_compare(const struct native_module *a, const struct native_module *b)
{
	ck_assert(a->member == b->member && str_eq(a->name, b->name) && a->format == b->format);
	ck_assert(a->machine == b->machine && a->elf_machine == b->elf_machine);
	ck_assert(a->is_readable == b->is_readable && a->has_relr == b->has_relr);
	ck_assert(str_eq(a->soname, b->soname) && str_eq(a->rpath, b->rpath));
	ck_assert(is_same_list(a->needed, a->nneeded, b->needed, b->nneeded));
	ck_assert(is_same_list(a->undefined, a->nundefined, b->undefined, b->nundefined));
	ck_assert(is_same_list(a->exported, a->nexported, b->exported, b->nexported));
	ck_assert(is_same_list(a->toolkits, a->ntoolkits, b->toolkits, b->ntoolkits));
	ck_assert_uint_eq(a->nversions, b->nversions);
	for (size_t i = 0; i < a->nversions; i++) {
		ck_assert(str_eq(a->versions[i].library, b->versions[i].library) &&
			  str_eq(a->versions[i].name, b->versions[i].name));
	}
	ck_assert_uint_eq(a->device.n, b->device.n);
	for (size_t i = 0; i < a->device.n; i++) {
		ck_assert_int_eq(a->device.v[i].sm, b->device.v[i].sm);
	}
}

static void entries_compare(const struct device_entry *a, const struct device_entry *b)
{
	ck_assert(a->kind == b->kind && a->sm == b->sm && a->suffix == b->suffix);
	ck_assert(a->isa_major == b->isa_major && a->isa_minor == b->isa_minor);
	ck_assert(toolkit_release_cmp(a->toolkit, b->toolkit) == 0);
	ck_assert(a->member == b->member && a->count == b->count && a->packing == b->packing);
}

UNIT(native_json_gives_the_same_map_back)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct native before, after = NATIVE_INIT;
	struct err e = ERR_INIT;

	sample_make(&before);
	native_json_write(&before, &text);
	ck_assert_msg(native_json_read(buf_str(&text), &after, &e) == 0, "%s", e.text);
	ck_assert_uint_eq(after.nmodules, before.nmodules);
	for (size_t i = 0; i < before.nmodules; i++) {
		modules_compare(&before.modules[i], &after.modules[i]);
	}
	ck_assert_uint_eq(after.modules[0].device.n, 3);
	ck_assert_uint_eq(after.modules[0].ntoolkits, 2);
	ck_assert_uint_eq(after.device.n, before.device.n);
	for (size_t i = 0; i < before.device.n; i++) {
		entries_compare(&before.device.v[i], &after.device.v[i]);
	}
	ck_assert(after.device.nunreadable == 2 && after.device.nold == 1);
	ck_assert(str_eq(after.record_fault, before.record_fault));
	native_release(&before);
	native_release(&after);
}

UNIT(native_json_of_nothing)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct native none = NATIVE_INIT, after = NATIVE_INIT;
	struct err e = ERR_INIT;

	native_json_write(&none, &text);
	ck_assert_str_eq(text.p,
		"{\"device\":[],\"modules\":[],\"old_containers\":0,\"record_fault\":"
		"\"\",\"unreadable_containers\":0}");
	ck_assert_int_eq(native_json_read(buf_str(&text), &after, &e), 0);
	ck_assert_uint_eq(after.nmodules + after.device.n, 0);
	native_release(&after);
}

static bool is_refused(struct str text)
{
	struct native n = NATIVE_INIT;
	struct err e = ERR_INIT;
	int rc = native_json_read(text, &n, &e);

	native_release(&n);
	return rc == -RC_SYNTAX;
}

/* Each takes something of the sample's text for something else. */
UNIT(native_json_refuses_what_it_would_not_write)
{
	static const struct {
		const char *from, *to;
	} cases[] = {
		{ "{\"device\"", "{ \"device\"" },
		{ "\"elf_machine\":62", "\"elf_machine\":062" },
		{ "\"elf_machine\":62", "\"elf_machine\":4294967296" },
		{ "\"elf_machine\":62", "\"elf_machine\":-1" },
		{ "\"format\":\"elf\"", "\"format\":\"coff\"" },
		{ "\"machine\":\"x86_64\"", "\"machine\":\"\"" },
		{ "\"member\":3", "\"member\":7" }, /* twice */
		{ "\"member\":3", "\"member\":8" }, /* another order */
		{ "\"member\":3", "\"member\":\"3\"" },
		{ "\"readable\":true", "\"readable\":1" },
		{ "lib%20with%20space.so ", "lib%20with%20space.so" },
		{ "\"needed\":\"libc10.so ", "\"needed\":[],\"x\":\"" },
		{ "PyList_New _ZN2at1xEv ", "_ZN2at1xEv PyList_New " },
		{ "PyList_New _ZN2at1xEv ", "PyList_New PyList_New " },
		{ "libc.so.6 GLIBC_2.28 ", "libc.so.6 " },
		{ "\"old_containers\":1", "\"old_containers\":1,\"other\":1" },
		{ "\"old_containers\":1,", "" },
		{ "\"modules\":[", "\"modules\":[1," },
		{ "\"modules\":[", "\"modules\":[{}," },
		{ "[2,80,0,", "[2,80," },
		{ "[2,80,0,", "[2,80,0,0," },
		{ "[2,80,0,", "[3,80,0," },
		{ "[2,80,0,", "[2,80,300," },
		{ "[2,80,0,", "[2,99999999999,0," },
		{ "[2,80,0,", "[2,91,0," }, /* not sorted any more */
		{ "\"device\":[", "\"device\":[0," },
	};
	CLEANUP_BUF struct buf text = BUF_INIT;

	sample_write(&text);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CLEANUP_BUF struct buf other = BUF_INIT;
		const char *at = strstr(text.p, cases[i].from);

		ck_assert_msg(at != NULL, "%s: not in %s", cases[i].from, text.p);
		buf_add(&other, text.p, (size_t)(at - text.p));
		buf_adds(&other, cases[i].to);
		buf_adds(&other, at + strlen(cases[i].from));
		ck_assert_msg(is_refused(buf_str(&other)), "%s is taken", cases[i].to);
	}
}

UNIT(native_json_refuses_every_part_of_a_text)
{
	CLEANUP_BUF struct buf text = BUF_INIT;

	sample_write(&text);
	for (size_t n = 0; n < text.n; n++) {
		ck_assert_msg(is_refused(str_first(buf_str(&text), n)), "%zu bytes", n);
	}
}

UNIT(native_json_is_bounded)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct native n = NATIVE_INIT;
	struct err e = ERR_INIT;
	const size_t size = LIMIT_NATIVE_TEXT + 1;

	memset(buf_room(&text, size), ' ', size);
	text.n = size;
	ck_assert_int_eq(native_json_read(buf_str(&text), &n, &e), -RC_LIMIT);
}

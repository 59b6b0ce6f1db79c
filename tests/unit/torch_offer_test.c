/* What a torch wheel offers, and wheels opened for the audit. */
#include "tests/unit/library_maker.h"
#include "tests/unit/unit.h"
#include "tests/unit/wheel_maker.h"

#include "manifests/base/mem.h"
#include "verify/audit_torch.h"
#include "verify/audit_wheel.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- torch/version.py ---- */

UNIT(torch_version_is_read_literally)
{
	static const struct {
		const char *text, *version;
		unsigned major, minor;
	} cases[] = {
		{ "__version__ = '2.15.0+cu132'\ndebug = False\ncuda: Optional[str] = '13.2'\n",
			"2.15.0+cu132", 13, 2 },
		{ "from x import y\r\n__version__ = \"2.6.0\"\r\ncuda = \"12.4\"\r\n", "2.6.0", 12,
			4 },
		{ "cuda: Optional[str] = None\n__version__ = '2.6.0+cpu'\n", "2.6.0+cpu", 0, 0 },
		{ "__version__ = '2.5.0a0+e000cf0ad9.nv24.10'  # built\ncuda='12.6.20' # x\n",
			"2.5.0a0+e000cf0ad9.nv24.10", 12, 6 },
		{ "__version__='1'\ncuda = None # none\n", "1", 0, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cuda_version cuda = { 9, 9 };
		struct str version = STR_NULL;
		struct err e = ERR_INIT;

		ck_assert_msg(torch_version_read(str_of(cases[i].text), &version, &cuda, &e) == 0,
			"%zu: %s", i, e.text);
		ck_assert_msg(str_is(version, cases[i].version), "%zu", i);
		ck_assert(cuda.major == cases[i].major && cuda.minor == cases[i].minor);
	}
}

UNIT(torch_version_refuses_what_would_have_to_be_run)
{
	static const char *const wrong[] = {
		"",
		"__version__ = '1'\n",
		"cuda = '13.2'\n",
		"__version__ = f()\ncuda = '13.2'\n",
		"__version__ = '1' + '2'\ncuda = '13.2'\n",
		"__version__ = '1\ncuda = '13.2'\n",
		"__version__ = '1\\x32'\ncuda = '13.2'\n",
		"__version__ = '1'\ncuda = 13.2\n",
		"__version__ = '1'\ncuda = 'thirteen'\n",
		"__version__ = '1'\ncuda = '13'\n",
		"__version__ = '1'\ncuda = '13.'\n",
		"__version__ = '1'\ncuda = '13000.1'\n",
		"__version__ = '1'\ncuda = \n",
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct cuda_version cuda = { 9, 9 };
		struct str version = STR_NULL;
		struct err e = ERR_INIT;

		ck_assert_msg(
			torch_version_read(str_of(wrong[i]), &version, &cuda, &e) == -RC_WHEEL,
			"%s is taken", wrong[i]);
		ck_assert(version.p == NULL && cuda.major == 9);
	}
}

/* ---- wheels ---- */

static const struct made_symbol first_symbols[] = { { "_ZN3c101bEv", 0x10, 0, 0 },
	{ "_ZN3c101aEv", 0x10, 0, 1 }, { "malloc", 0x10, 0, 1 }, { "_ZN2at1zEv", 0x20, 0, 1 },
	{ .name = NULL } };
static const struct made_symbol second_symbols[] = { { "aoti_torch_x", 0x10, 0, 1 },
	{ "_ZN2at1zEv", 0x20, 0, 1 }, { .name = NULL } };

static void library_add(struct wheel_maker *m, const char *name, const char *soname,
	const struct made_symbol *symbols)
{
	CLEANUP_BUF struct buf bytes = BUF_INIT;
	struct made_places places;

	library_make(&(struct made_library){ .soname = soname,
			     .needed = (const char *const[]){ "libc.so.6", NULL },
			     .symbols = symbols,
			     .hash = MADE_SYSV_HASH },
		&bytes, &places);
	wheel_maker_add(m, name, buf_str(&bytes));
}

static void torch_make(struct wheel_maker *m, const char *version_py, bool has_libraries)
{
	if (version_py) {
		wheel_maker_add(m, "torch/version.py", str_of(version_py));
	}
	if (has_libraries) {
		library_add(m, "torch/lib/libtorch_cpu.so", "libtorch_cpu.so", first_symbols);
		library_add(m, "torch/lib/libc10-1234.so", "libc10.so", second_symbols);
	}
	wheel_maker_info(m, "");
	wheel_maker_record(m);
}

static int offer_of(struct wheel_maker *m, struct torch_offer *out, struct err *e)
{
	CLEANUP_BUF struct buf bytes = BUF_INIT;
	struct audit_file f = AUDIT_FILE_INIT;
	CLEANUP(fd) int fd = memfd_create("wheel", MFD_CLOEXEC);

	wheel_maker_write(m, &bytes);
	ck_assert_int_eq(write(fd, bytes.p, bytes.n), (ssize_t)bytes.n);
	ck_assert_msg(audit_file_open(fd, m->file, &f, e) == 0, "%s", e->text);
	ck_assert_msg(native_read(fd, m->file, 1, &f.native, e) == 0, "%s", e->text);
	int rc = torch_offer_read(f.open, &f.native, out, e);
	audit_file_release(&f);
	wheel_maker_release(m);
	return rc;
}

static void offer_expect(const struct torch_offer *o)
{
	static const char *const symbols[] = { "_ZN2at1zEv", "_ZN3c101aEv", "aoti_torch_x" };
	static const char *const libraries[] = { "libc10-1234.so", "libc10.so", "libtorch_cpu.so" };

	ck_assert_uint_eq(o->torch.nsymbols, 3);
	ck_assert_uint_eq(o->torch.nlibraries, 3);
	for (size_t i = 0; i < 3; i++) {
		ck_assert(str_is(o->torch.symbols[i], symbols[i]));
		ck_assert(str_is(o->torch.libraries[i], libraries[i]));
	}
	ck_assert(o->torch.cuda.major == 13 && o->torch.cuda.minor == 2);
	ck_assert_msg(str_is(o->torch.version, "2.15.0+cu132"), "%.*s", STR_ARG(o->torch.version));
}

UNIT(torch_offer_is_what_its_libraries_export)
{
	struct wheel_maker m = WHEEL_MAKER("torch-2.15.0-cp312-cp312-linux_x86_64.whl");
	struct torch_offer o = TORCH_OFFER_INIT, again = TORCH_OFFER_INIT;
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct err e = ERR_INIT;

	torch_make(&m, "__version__ = '2.15.0+cu132'\ncuda = '13.2'\n", true);
	ck_assert_msg(offer_of(&m, &o, &e) == 0, "%s", e.text);
	offer_expect(&o);
	torch_offer_write(&o, &text);
	ck_assert_msg(torch_offer_parse(buf_str(&text), &again, &e) == 0, "%s", e.text);
	offer_expect(&again);
	torch_offer_release(&o);
	torch_offer_release(&again);
}

UNIT(torch_offer_keeps_the_label_of_metadata)
{
	struct wheel_maker m = WHEEL_MAKER("torch-2.15.0+cu130-cp312-cp312-linux_x86_64.whl");
	struct torch_offer o = TORCH_OFFER_INIT;
	struct err e = ERR_INIT;

	torch_make(&m, "__version__ = '2.15.0'\ncuda = '13.0'\n", true);
	ck_assert_msg(offer_of(&m, &o, &e) == 0, "%s", e.text);
	ck_assert_msg(str_is(o.torch.version, "2.15.0+cu130"), "%.*s", STR_ARG(o.torch.version));
	torch_offer_release(&o);
}

UNIT(torch_offer_needs_something_to_compare_with)
{
	static const struct {
		const char *version_py;
		bool has_libraries;
		int rc;
	} cases[] = {
		{ NULL, true, -RC_NOT_FOUND },
		{ "__version__ = '2.15.0'\ncuda = None\n", false, -RC_NOT_FOUND },
		{ "__version__ = '2.14.0'\ncuda = None\n", true, -RC_WHEEL },
		{ "__version__ = 'two'\ncuda = None\n", true, -RC_WHEEL },
		{ "cuda = None\n", true, -RC_WHEEL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct wheel_maker m = WHEEL_MAKER("torch-2.15.0-cp312-cp312-linux_x86_64.whl");
		struct torch_offer o = TORCH_OFFER_INIT;
		struct err e = ERR_INIT;

		torch_make(&m, cases[i].version_py, cases[i].has_libraries);
		ck_assert_int_eq(offer_of(&m, &o, &e), cases[i].rc);
		ck_assert_msg(
			str_starts(str_of(e.text), "torch-2.15.0-cp312-cp312-linux_x86_64.whl: "),
			"%s", e.text);
	}
}

UNIT(torch_offer_text_is_strict)
{
	static const char *const wrong[] = {
		"",
		"{}",
		"{\"cuda_major\":13,\"cuda_minor\":2,\"libraries\":\"b a \",\"symbols\":\"\","
		"\"version\":\"1\"}",
		"{\"cuda_major\":13,\"cuda_minor\":2,\"libraries\":\"\",\"symbols\":\"b b \","
		"\"version\":\"1\"}",
		"{\"cuda_major\":9999,\"cuda_minor\":2,\"libraries\":\"\",\"symbols\":\"\","
		"\"version\":\"1\"}",
		"{\"cuda_major\":13,\"cuda_minor\":2,\"libraries\":\"\",\"more\":1,\"symbols\":"
		"\"\","
		"\"version\":\"1\"}",
		"{\"cuda_major\":13,\"cuda_minor\":2,\"libraries\":\"\",\"symbols\":\"\","
		"\"version\":1}",
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct torch_offer o = TORCH_OFFER_INIT;
		struct err e = ERR_INIT;

		ck_assert_msg(torch_offer_parse(str_of(wrong[i]), &o, &e) == -RC_SYNTAX,
			"%s is taken", wrong[i]);
	}
}

UNIT(torch_offer_is_for_the_target_of_its_version)
{
	static const struct {
		const char *offered, *stated;
		bool is_for;
	} cases[] = {
		{ "2.15.0+cu132", "", true },
		{ "2.15.0+cu132", "2.15.0+cu132", true },
		{ "2.15.0+cu132", "2.15.0", true },
		{ "2.15.0", "2.15.0+cu132", true },
		{ "2.15.0+cu132", "2.15.0+cu130", false },
		{ "2.15.0+cu132", "2.15.1+cu132", false },
		{ "2.15.0+cu132", "2.11.0", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct torch_offer o = { .torch = { .version = str_of(cases[i].offered) } };
		const struct target t = { .torch = str_of(cases[i].stated) };

		ck_assert_msg(torch_offer_is_for(&o, &t) == cases[i].is_for, "%s for \"%s\"",
			cases[i].offered, cases[i].stated);
	}
}

/* ---- WHEEL ---- */

UNIT(audit_file_reads_the_tags_of_wheel)
{
	struct wheel_maker m = WHEEL_MAKER("demo-1.0-cp312-cp312-linux_x86_64.whl");
	CLEANUP_BUF struct buf bytes = BUF_INIT;
	struct audit_file f = AUDIT_FILE_INIT;
	struct err e = ERR_INIT;
	CLEANUP(fd) int fd = memfd_create("wheel", MFD_CLOEXEC);

	wheel_maker_info(&m, "Requires-Dist: torch\n");
	m.members.v[1].bytes = STR("Wheel-Version: 1.0\r\nroot-is-purelib: True\r\n"
				   "Tag: cp312-cp312-linux_x86_64\r\nTags: x\r\nno colon\r\n"
				   "tag:py3-none-any\r\n");
	wheel_maker_record(&m);
	wheel_maker_write(&m, &bytes);
	ck_assert_int_eq(write(fd, bytes.p, bytes.n), (ssize_t)bytes.n);
	ck_assert_msg(audit_file_open(fd, m.file, &f, &e) == 0, "%s", e.text);
	ck_assert_uint_eq(f.wheel.nwheel_tags, 2);
	ck_assert(str_is(f.wheel.wheel_tags[0], "cp312-cp312-linux_x86_64"));
	ck_assert(str_is(f.wheel.wheel_tags[1], "py3-none-any"));
	ck_assert(f.wheel.is_purelib);
	ck_assert(str_is(f.wheel.name->name, "demo"));
	ck_assert_uint_eq(f.wheel.metadata->core.nrequires_dist, 1);
	ck_assert(f.wheel.native == &f.native && f.native.nmodules == 0);
	audit_file_release(&f);
	wheel_maker_release(&m);
}

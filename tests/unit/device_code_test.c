/* The device code of a wheel, and what it runs on. */
#include "tests/unit/device_maker.h"
#include "tests/unit/unit.h"
#include "tests/unit/wheel_maker.h"

#include "verify/device_code.h"

#include <string.h>
#include <zstd.h>

static const struct made_entry library[] = {
	{ .kind = 2, .sm = 90, .flags = FLAG_A, .stored = 24 },
	{ .kind = 2, .sm = 80, .stored = 8 },
	{ .kind = 2,
		.sm = 80,
		.stored = 8,
		.isa_major = 1,
		.isa_minor = 7 }, /* of a cubin: no ISA */
	{ .kind = 1, .sm = 90, .isa_major = 8, .isa_minor = 7 }, { .kind = 8, .sm = 90 },
	{ .kind = 0x40, .sm = 75 }, /* not code that we know */
};

static int code_of(struct wheel_maker *m, struct device_code *d, struct err *e)
{
	struct buf bytes = BUF_INIT;
	struct made_source s = { .reads = 0 };
	struct wheel *w = NULL;

	wheel_maker_info(m, "");
	wheel_maker_record(m);
	wheel_maker_write(m, &bytes);
	s.bytes = buf_str(&bytes);
	struct wheel_source source = made_source_open(&s);
	ck_assert_msg(wheel_open(&source, m->file, &w, e) == 0, "%s", e->text);
	int rc = device_code_of_wheel(w, d, e);
	wheel_close(w);
	buf_release(&bytes);
	wheel_maker_release(m);
	return rc;
}

/* A library whose container stands far behind the first piece of its member. */
static void library_add(struct wheel_maker *m, const char *name, const char *magic)
{
	struct buf bytes = BUF_INIT, container = BUF_INIT;

	buf_adds(&bytes, magic);
	while (bytes.n < 400000) {
		buf_addc(&bytes, (char)(bytes.n >> 4));
	}
	fatbin_make(library, 6, 0, &container);
	fatbin_make(library, 2, 0, &container);
	buf_addstr(&bytes, buf_str(&container));
	wheel_maker_add(m, name, buf_str(&bytes));
	buf_release(&bytes);
	buf_release(&container);
}

UNIT(device_code_counts_what_libraries_hold)
{
	struct wheel_maker m = WHEEL_MAKER("demo-1.0-cp312-cp312-linux_x86_64.whl");
	struct device_code d = { .n = 0 };
	struct buf text = BUF_INIT;
	struct err e = ERR_INIT;

	wheel_maker_add(&m, "demo/__init__.py", STR("x = 1\n"));
	library_add(&m, "demo/_C.so", "\177ELF");
	ck_assert_msg(code_of(&m, &d, &e) == 0, "%s", e.text);
	ck_assert_uint_eq(d.n, 4);
	ck_assert(d.v[0].kind == DEVICE_PTX && d.v[0].sm == 90 && d.v[0].count == 1);
	ck_assert(d.v[0].isa_major == 8 && d.v[0].isa_minor == 7 && d.v[0].member == 1);
	ck_assert(d.v[1].kind == DEVICE_CUBIN && d.v[1].sm == 80 && d.v[1].count == 3);
	ck_assert(d.v[1].isa_major == 0);
	ck_assert(d.v[2].kind == DEVICE_CUBIN && d.v[2].suffix == 'a' && d.v[2].count == 2);
	ck_assert(d.v[3].kind == DEVICE_LTO && d.v[3].sm == 90);
	device_code_format(&d, &text);
	ck_assert_str_eq(text.p, "sm_80 sm_90a compute_90 lto_90");
	device_code_release(&d);
	buf_release(&text);
}

UNIT(device_code_is_told_by_contents_not_by_names)
{
	static const char ptx[] =
		"//\n// Generated\n/* and\n more */\n.version 9.0\n.target sm_100f, debug\n";
	struct wheel_maker m = WHEEL_MAKER("demo-1.0-cp312-cp312-linux_x86_64.whl");
	struct device_code d = { .n = 0 };
	struct buf text = BUF_INIT, bytes = BUF_INIT;
	struct err e = ERR_INIT;

	library_add(&m, "demo/README.txt", "no library here");
	library_add(&m, "demo/kernels.bin", "MZ"); /* Windows */
	wheel_maker_add(&m, "demo/a.txt", str_of(ptx));
	wheel_maker_add(&m, "demo/b.ptx", STR("#version 1\n.target sm_75\n"));
	fatbin_make(library, 1, 0, &bytes);
	wheel_maker_add(&m, "demo/c", buf_str(&bytes));
	struct buf note = BUF_INIT;
	note_make(2000, "-arch sm_120a", &note);
	buf_clear(&bytes);
	elf_make(&(struct made_elf){ .machine = 190,
			 .abi = 8,
			 .flags = 0x6007802,
			 .section = ".note.nv.tkinfo",
			 .contents = buf_str(&note) },
		&bytes);
	buf_release(&note);
	wheel_maker_add(&m, "demo/d.so", buf_str(&bytes));
	/* In a static archive the object begins at an even offset. */
	buf_clear(&bytes);
	buf_adds(&bytes, "!<arch>\nxx");
	struct buf container = BUF_INIT;
	fatbin_make(&(struct made_entry){ .kind = 2, .sm = 103 }, 1, 0, &container);
	buf_addstr(&bytes, buf_str(&container));
	wheel_maker_add(&m, "demo/e.a", buf_str(&bytes));
	ck_assert_msg(code_of(&m, &d, &e) == 0, "%s", e.text);
	device_code_format(&d, &text);
	ck_assert_str_eq(text.p, "sm_80 sm_90a sm_103 sm_120a compute_90 compute_100f lto_90");
	device_code_release(&d);
	buf_release(&text);
	buf_release(&bytes);
	buf_release(&container);
}

/* "90 13.2.86 x2, ..." */
static void toolkits_format(const struct device_code *d, struct buf *out)
{
	for (size_t i = 0; i < d->n; i++) {
		buf_addf(out, "%s%u ", i ? ", " : "", d->v[i].sm);
		toolkit_release_format(d->v[i].toolkit, out);
		buf_addf(out, " x%u p%u", d->v[i].count, d->v[i].packing);
	}
}

UNIT(device_code_tells_toolkits)
{
	static const char loose[] = "// Cuda compilation tools, release 13.0, V13.0.88\n"
				    ".version 9.0\n.target sm_75\n";
	struct wheel_maker m = WHEEL_MAKER("demo-1.0-cp312-cp312-linux_x86_64.whl");
	struct buf older = BUF_INIT, newer = BUF_INIT, packed = BUF_INIT, all = BUF_INIT;
	struct device_code d = { .n = 0 };
	struct buf text = BUF_INIT;
	struct err e = ERR_INIT;

	elf_make(&(struct made_elf){ .machine = 190,
			 .abi = 7,
			 .version = 128,
			 .flags = 0x500550,
			 .section = "x" },
		&older);
	cubin_make("13.2.86", 400000, &newer);
	packed.n = ZSTD_compress(buf_room(&packed, ZSTD_compressBound(newer.n)),
		ZSTD_compressBound(newer.n), newer.p, newer.n, 1);
	const struct made_entry entries[] = {
		{ .kind = 2, .sm = 80, .payload = buf_str(&older) },
		{ .kind = 2, .sm = 100, .payload = buf_str(&newer) },
		{ .kind = 2,
			.sm = 100,
			.flags = 0x8000,
			.payload = buf_str(&packed),
			.stored = packed.n + 7,
			.packed = (uint32_t)packed.n,
			.size = newer.n },
		{ .kind = 2, .sm = 100, .stored = 300 },
		{ .kind = 1, .sm = 120, .payload = { loose, sizeof(loose) } },
	};
	buf_adds(&all, "\177ELF....");
	fatbin_make(entries, 5, 0, &all);
	wheel_maker_add(&m, "demo/_C.so", buf_str(&all));
	wheel_maker_add(&m, "demo/k.ptx", str_of(loose));
	ck_assert_msg(code_of(&m, &d, &e) == 0, "%s", e.text);
	toolkits_format(&d, &text);
	ck_assert_str_eq(text.p, "75 13.0.88 x1 p1, 120 unknown x1 p1, 80 12.8 x1 p1, "
				 "100 unknown x1 p1, 100 13.2.86 x2 p5");
	device_code_release(&d);
	buf_release(&older);
	buf_release(&newer);
	buf_release(&packed);
	buf_release(&all);
	buf_release(&text);
}

/* A PE32+ file as link.exe lays it out: headers, then a section at a multiple of 512, its name cut
 * to eight letters. */
static void pe_make(struct str contents, struct buf *out)
{
	static const char dos[64] = { 'M', 'Z', [60] = 0x40 };
	static const char header[24 + 240] = { 'P', 'E', [4] = 0x64, [5] = (char)0x86, [6] = 1,
		[20] = (char)240, [24] = 0x0b, [25] = 0x02 };
	const uint32_t section[] = { (uint32_t)contents.n, 0x1000, (uint32_t)contents.n, 512, 0, 0,
		0, 0x40000040 };

	buf_add(out, dos, sizeof(dos));
	buf_add(out, header, sizeof(header));
	buf_add(out, ".nv_fatb", 8);
	buf_add(out, section, sizeof(section));
	while (out->n < 512) {
		buf_addc(out, '\0');
	}
	buf_addstr(out, contents);
}

UNIT(device_code_of_a_windows_library)
{
	struct wheel_maker m = WHEEL_MAKER("demo-1.0-cp312-cp312-win_amd64.whl");
	struct buf container = BUF_INIT, bytes = BUF_INIT, text = BUF_INIT;
	struct device_code d = { .n = 0 };
	struct err e = ERR_INIT;

	fatbin_make(library, 2, 0, &container);
	pe_make(buf_str(&container), &bytes);
	wheel_maker_add(&m, "demo/_C.cp312-win_amd64.pyd", buf_str(&bytes));
	ck_assert_msg(code_of(&m, &d, &e) == 0, "%s", e.text);
	device_code_format(&d, &text);
	ck_assert_str_eq(text.p, "sm_80 sm_90a");
	device_code_release(&d);
	buf_release(&container);
	buf_release(&bytes);
	buf_release(&text);
}

UNIT(device_code_of_the_old_form_is_reported_as_unreadable)
{
	struct wheel_maker m = WHEEL_MAKER("demo-1.0-cp312-cp312-linux_x86_64.whl");
	static const char old[] = "\177ELF....\1\x5a\xe5\x1e\0\0\0\0\4\0\0\0\0\0\0\0";
	struct gpu gpu = { 8, 0 };
	struct target t = { .name = STR("cluster"), .gpus = &gpu, .ngpus = 1 };
	struct device_code d = { .n = 0 };
	struct err e = ERR_INIT;

	wheel_maker_add(&m, "demo/_C.so", (struct str){ old, sizeof(old) - 1 });
	ck_assert_msg(code_of(&m, &d, &e) == 0, "%s", e.text);
	ck_assert_uint_eq(d.nunreadable, 1);
	ck_assert_uint_eq(d.nold, 1);
	ck_assert_int_eq(check_device_code(&d, &t, STR("x.whl"), &e), -RC_NO_DEVICE_CODE);
	ck_assert_str_eq(e.text,
		"x.whl: has no device code at all and 1 containers that could not be "
		"read; target cluster needs sm_80");
	device_code_release(&d);
}

UNIT(device_code_of_too_many_kinds_is_refused)
{
	struct buf bytes = BUF_INIT;

	buf_adds(&bytes, "\177ELF....");
	for (uint32_t i = 0; i < 600; i++) {
		fatbin_make(&(struct made_entry){ .kind = 1, .sm = i }, 1, 0, &bytes);
		if (i == 400 || i == 599) {
			struct wheel_maker m = WHEEL_MAKER("demo-1.0-cp312-cp312-linux_x86_64.whl");
			struct device_code d = { .n = 0 };
			struct err e = ERR_INIT;

			wheel_maker_add(&m, "demo/_C.so", buf_str(&bytes));
			wheel_maker_add(&m, "demo/_D.so", buf_str(&bytes));
			ck_assert_int_eq(code_of(&m, &d, &e), i == 400 ? 0 : -RC_LIMIT);
			device_code_release(&d);
		}
	}
	buf_release(&bytes);
}

UNIT(device_code_of_a_damaged_member_is_an_error)
{
	struct buf bytes = BUF_INIT;
	struct device_code d = { .n = 0 };

	fatbin_make(library, 2, 100, &bytes);
	for (int i = 0; i < 3; i++) {
		struct wheel_maker m = WHEEL_MAKER("demo-1.0-cp312-cp312-linux_x86_64.whl");
		struct err e = ERR_INIT;

		if (i == 0) {
			wheel_maker_add(&m, "demo/k.fatbin", buf_str(&bytes));
		} else if (i == 1) {
			struct buf cubin = BUF_INIT;

			elf_make(&(struct made_elf){ .machine = 190, .section = "x" }, &cubin);
			wheel_maker_add(
				&m, "demo/k.cubin", str_first(buf_str(&cubin), cubin.n - 1));
			buf_release(&cubin);
		} else {
			wheel_maker_add(&m, "demo/k.fatbin", STR("x"))->crc_xor = 1;
			m.members.v[0].local_crc_xor = 1;
			library_add(&m, "demo/_C.so", "\177ELF");
			m.members.v[1].crc_xor = m.members.v[1].local_crc_xor = 1;
		}
		ck_assert_int_eq(code_of(&m, &d, &e), -RC_WHEEL);
		ck_assert_msg(
			str_starts(str_of(e.text), "demo-1.0-cp312-cp312-linux_x86_64.whl: demo/"),
			"%s", e.text);
		ck_assert_uint_eq(d.n, 0);
	}
	buf_release(&bytes);
}

/* ---- coverage ---- */

/* "80 90a p90 p90a l90": cubins, PTX, LTO. */
static void code_make(const char *text, struct device_code *d)
{
	struct str rest = str_of(text), word;

	while (str_cut(&rest, ' ', &word)) {
		struct device_entry entry = { .kind = DEVICE_CUBIN, .count = 1 };
		uint64_t sm = 0;

		if (str_starts(word, "p") || str_starts(word, "l")) {
			entry.kind = word.p[0] == 'p' ? DEVICE_PTX : DEVICE_LTO;
			word = str_skip(word, 1);
		}
		if (str_ends(word, "a") || str_ends(word, "f")) {
			entry.suffix = word.p[--word.n];
		}
		if (word.n) {
			ck_assert(str_to_u64(word, &sm));
			entry.sm = (unsigned)sm;
			vec_push(d, entry);
		}
	}
}

enum { NO, YES, BY_PTX };

static const struct {
	const char *code;
	struct gpu gpu;
	int verdict;
} coverage[] = {
	{ "80", { 8, 0 }, YES },
	{ "80", { 8, 6 }, YES },
	{ "80", { 8, 9 }, YES },
	{ "86", { 8, 0 }, NO },
	{ "80", { 9, 0 }, NO },
	{ "90", { 10, 0 }, NO },
	{ "90", { 9, 0 }, YES },
	{ "120", { 12, 1 }, YES },
	{ "121", { 12, 0 }, NO },
	{ "100", { 10, 3 }, YES },
	{ "103", { 10, 0 }, NO },
	{ "75", { 8, 0 }, NO },
	{ "100", { 11, 0 }, NO },
	{ "60", { 6, 1 }, YES },
	{ "", { 9, 0 }, NO },
	/* that device only */
	{ "90a", { 9, 0 }, YES },
	{ "90a", { 10, 0 }, NO },
	{ "100a", { 10, 3 }, NO },
	{ "120a", { 12, 1 }, NO },
	{ "80 90a", { 9, 0 }, YES },
	/* its family */
	{ "100f", { 10, 0 }, YES },
	{ "100f", { 10, 3 }, YES },
	{ "103f", { 10, 0 }, NO },
	{ "103f", { 10, 3 }, YES },
	{ "110f", { 11, 0 }, YES },
	{ "120f", { 12, 1 }, YES },
	{ "121f", { 12, 0 }, NO },
	{ "100f", { 11, 0 }, NO },
	{ "100f", { 12, 0 }, NO },
	/* PTX goes forward */
	{ "p80", { 8, 0 }, BY_PTX },
	{ "p80", { 12, 1 }, BY_PTX },
	{ "p90", { 8, 9 }, NO },
	{ "80 p80", { 9, 0 }, BY_PTX },
	{ "80 p80", { 8, 6 }, YES },
	{ "p120", { 10, 3 }, NO },
	{ "p90a", { 9, 0 }, BY_PTX },
	{ "p90a", { 10, 0 }, NO },
	{ "p100f", { 10, 3 }, BY_PTX },
	{ "p100f", { 12, 0 }, NO },
	/* LTO code alone runs nowhere */
	{ "l90", { 9, 0 }, NO },
	{ "l90 p80", { 9, 0 }, BY_PTX },
	/* Tegra is an island */
	{ "80", { 8, 7 }, NO },
	{ "87", { 8, 7 }, YES },
	{ "87", { 8, 9 }, NO },
	{ "70", { 7, 2 }, NO },
	{ "72", { 7, 5 }, NO },
	{ "p80", { 8, 7 }, BY_PTX },
};

UNIT(device_code_covers_what_cuda_promises)
{
	for (size_t i = 0; i < sizeof(coverage) / sizeof(coverage[0]); i++) {
		struct device_code d = { .n = 0 };
		bool by_ptx = coverage[i].verdict == YES; /* the opposite of what is right */

		code_make(coverage[i].code, &d);
		bool covers = device_code_covers(&d, coverage[i].gpu, &by_ptx);
		ck_assert_msg(covers == (coverage[i].verdict != NO), "%s on %u.%u",
			coverage[i].code, coverage[i].gpu.major, coverage[i].gpu.minor);
		if (covers) {
			ck_assert_msg(by_ptx == (coverage[i].verdict == BY_PTX), "%s on %u.%u",
				coverage[i].code, coverage[i].gpu.major, coverage[i].gpu.minor);
		}
		device_code_release(&d);
	}
}

UNIT(check_device_code_names_what_is_missing)
{
	struct gpu gpus[] = { { 8, 0 }, { 9, 0 }, { 12, 0 } };
	struct target t = { .name = STR("cluster"), .gpus = gpus, .ngpus = 3 };
	static const struct {
		const char *code, *text, *hint; /* text NULL: it fits */
	} cases[] = {
		{ "80 90 120", NULL, NULL },
		{ "p80", NULL, NULL },
		{ "80 90a", "x.whl: has sm_80 sm_90a; target cluster needs sm_120",
			"no kernel image" },
		{ "86 p120", "x.whl: has sm_86 compute_120; target cluster needs sm_80, sm_90",
			"sm_80, sm_90" },
		{ "", "x.whl: has no device code at all; target cluster needs sm_80, sm_90, sm_120",
			"without the GPU" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct device_code d = { .n = 0 };
		struct err e = ERR_INIT;

		code_make(cases[i].code, &d);
		int rc = check_device_code(&d, &t, STR("x.whl"), &e);
		ck_assert_int_eq(rc, cases[i].text ? -RC_NO_DEVICE_CODE : 0);
		ck_assert_str_eq(e.text, cases[i].text ? cases[i].text : "");
		ck_assert(!cases[i].hint || str_has(str_of(e.hint), cases[i].hint));
		device_code_release(&d);
	}
	struct device_code none = { .n = 0 };
	struct err e = ERR_INIT;
	t.ngpus = 0;
	ck_assert_int_eq(check_device_code(&none, &t, STR("x.whl"), &e), 0);
}

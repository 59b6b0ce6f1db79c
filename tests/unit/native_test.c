/* The native code of a wheel, read on any number of threads. */
#include "tests/unit/device_maker.h"
#include "tests/unit/unit.h"
#include "tests/unit/wheel_maker.h"

#include "verify/native_text.h"

#include "manifests/base/mem.h"

#include <elf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const unsigned thread_counts[] = { 1, 2, 4, 16, 0 };
enum { COUNTS = sizeof(thread_counts) / sizeof(thread_counts[0]) };

static int file_of(struct wheel_maker *m)
{
	CLEANUP_BUF struct buf bytes = BUF_INIT;
	int fd = memfd_create("wheel", MFD_CLOEXEC);

	wheel_maker_write(m, &bytes);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, bytes.p, bytes.n), (ssize_t)bytes.n);
	return fd;
}

/* ---- members ---- */

static void library_add(struct wheel_maker *m, const char *name, size_t size, unsigned sm)
{
	struct buf container = BUF_INIT, contents = BUF_INIT, bytes = BUF_INIT;

	fatbin_make(&(struct made_entry){ .kind = 2, .sm = sm, .stored = 16 }, 1, 0, &container);
	while (contents.n < size || contents.n % 8) { /* containers are aligned */
		buf_addc(&contents, (char)(contents.n >> 5));
	}
	buf_addstr(&contents, buf_str(&container));
	elf_make(
		&(struct made_elf){
			.machine = 62, .section = ".nv_fatbin", .contents = buf_str(&contents) },
		&bytes);
	wheel_maker_add(m, name, buf_str(&bytes));
	buf_release(&container);
	buf_release(&contents);
	buf_release(&bytes);
}

static void cubin_add(struct wheel_maker *m, const char *name)
{
	struct buf bytes = BUF_INIT;

	elf_make(&(struct made_elf){ .machine = 190,
			 .abi = 8,
			 .flags = 0x6007802,
			 .section = ".note.nv.tkinfo",
			 .contents = STR("-arch sm_120a") },
		&bytes);
	wheel_maker_add(m, name, buf_str(&bytes));
	buf_release(&bytes);
}

static void mixed_make(struct wheel_maker *m)
{
	wheel_maker_add(m, "demo/", STR(""));
	wheel_maker_add(m, "demo/__init__.py", STR("x = 1\n"));
	library_add(m, "demo/small.so", 100, 80);
	library_add(m, "demo/README.txt", 700000, 90);
	wheel_maker_add(m, "demo/lib.a", STR("!<arch>\n"));
	cubin_add(m, "demo/kernel.bin");
	wheel_maker_add(
		m, "demo/words", STR("MZ is how this text begins, and no program is so short."));
	wheel_maker_add(m, "demo/empty.so", STR(""));
	for (int i = 0; i < 40; i++) {
		library_add(m, arena_printf(&m->arena, "demo/many%02d.so", i),
			(size_t)(i * 7919 % 40000), 70);
	}
	wheel_maker_info(m, "");
	wheel_maker_record(m);
}

/* ---- tests ---- */

UNIT(native_read_tells_binaries_by_their_contents)
{
	static const struct {
		const char *name;
		enum native_format format;
	} first[] = {
		{ "demo/small.so", NATIVE_ELF },
		{ "demo/README.txt", NATIVE_ELF },
		{ "demo/lib.a", NATIVE_ARCHIVE },
		{ "demo/many00.so", NATIVE_ELF },
	};
	struct wheel_maker m = WHEEL_MAKER("demo-1.0-cp312-cp312-linux_x86_64.whl");
	struct native n = NATIVE_INIT;
	struct err e = ERR_INIT;

	mixed_make(&m);
	CLEANUP(fd) int fd = file_of(&m);
	ck_assert_msg(native_read(fd, m.file, 1, &n, &e) == 0, "%s", e.text);
	ck_assert_uint_eq(n.nmodules, 43);
	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++) {
		ck_assert_msg(str_is(n.modules[i].name, first[i].name), "%zu: %.*s", i,
			STR_ARG(n.modules[i].name));
		ck_assert_int_eq(n.modules[i].format, first[i].format);
		ck_assert(str_eq(n.modules[i].name, m.members.v[n.modules[i].member].name));
	}
	ck_assert_int_eq(n.modules[0].machine, NATIVE_X86_64);
	ck_assert_uint_eq(n.record_fault.n, 0);
	native_release(&n);
	wheel_maker_release(&m);
}

UNIT(native_read_is_the_same_on_any_number_of_threads)
{
	struct wheel_maker m = WHEEL_MAKER("demo-1.0-cp312-cp312-linux_x86_64.whl");
	CLEANUP_BUF struct buf expected = BUF_INIT;

	mixed_make(&m);
	CLEANUP(fd) int fd = file_of(&m);
	for (size_t i = 0; i < COUNTS; i++) {
		struct native n = NATIVE_INIT;
		struct err e = ERR_INIT;
		CLEANUP_BUF struct buf text = BUF_INIT;

		ck_assert_msg(native_read(fd, m.file, thread_counts[i], &n, &e) == 0, "%s", e.text);
		native_text_write(&n, i ? &text : &expected);
		if (i) {
			ck_assert_str_eq(text.p, expected.p);
		}
		native_release(&n);
	}
	ck_assert_msg(
		str_has(buf_str(&expected), "GPU code of all files: sm_70 sm_80 sm_90 sm_120a\n"),
		"%s", expected.p);
	ck_assert(str_has(
		buf_str(&expected), "demo/small.so\n  format   ELF, x86_64\n  GPU code sm_80\n"));
	ck_assert(str_has(buf_str(&expected), "RECORD: every file fits\n"));
	wheel_maker_release(&m);
}

UNIT(native_read_finds_device_code_as_its_own_reader_does)
{
	struct wheel_maker m = WHEEL_MAKER("demo-1.0-cp312-cp312-linux_x86_64.whl");
	struct device_code alone = { .n = 0 };
	struct native n = NATIVE_INIT;
	struct wheel *w = NULL;
	struct err e = ERR_INIT;

	mixed_make(&m);
	CLEANUP(fd) int fd = file_of(&m);
	ck_assert_int_eq(wheel_open_fd(fd, m.file, &w, &e), 0);
	ck_assert_int_eq(device_code_of_wheel(w, &alone, &e), 0);
	ck_assert_int_eq(native_read(fd, m.file, 4, &n, &e), 0);
	ck_assert_uint_eq(n.device.n, alone.n);
	for (size_t i = 0; i < alone.n; i++) {
		ck_assert(
			n.device.v[i].kind == alone.v[i].kind && n.device.v[i].sm == alone.v[i].sm);
		ck_assert(n.device.v[i].member == alone.v[i].member &&
			  n.device.v[i].count == alone.v[i].count);
	}
	native_release(&n);
	device_code_release(&alone);
	wheel_close(w);
	wheel_maker_release(&m);
}

/* ---- a binary whose tables lie far apart ---- */

enum { FAR = 25 * 1024 * 1024, DYNAMIC_AT = 4096 };

static void poke(struct buf *b, size_t at, uint64_t value, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		b->p[at + i] = (char)(value >> (8 * i) & 0xff);
	}
}

static void segment_poke(struct buf *b, size_t at, uint32_t type, uint64_t offset, uint64_t size)
{
	poke(b, at, type, 4);
	poke(b, at + 8, offset, 8);
	poke(b, at + 16, offset, 8);
	poke(b, at + 32, size, 8);
	poke(b, at + 40, size, 8);
}

/* A library of `size` bytes with one segment, whose dynamic section has n entries. */
static void dynamic_make(struct buf *b, size_t size, const uint64_t (*dynamic)[2], size_t n)
{
	char *p = buf_room(b, size);

	memset(p, 0, size);
	b->n = size;
	memcpy(p, "\177ELF\2\1\1", 7);
	poke(b, 16, ET_DYN, 2);
	poke(b, 18, EM_X86_64, 2);
	poke(b, 32, 64, 8); /* program headers: where, of which size, how many */
	poke(b, 54, 56, 2);
	poke(b, 56, 2, 2);
	segment_poke(b, 64, PT_LOAD, 0, size);
	segment_poke(b, 120, PT_DYNAMIC, DYNAMIC_AT, n * sizeof(*dynamic));
	for (size_t i = 0; i < n; i++) {
		poke(b, DYNAMIC_AT + 16 * i, dynamic[i][0], 8);
		poke(b, DYNAMIC_AT + 16 * i + 8, dynamic[i][1], 8);
	}
}

static void far_library_make(struct buf *b)
{
	static const uint64_t dynamic[][2] = { { DT_STRTAB, FAR }, { DT_STRSZ, 64 },
		{ DT_SONAME, 1 }, { DT_NEEDED, 8 }, { DT_NULL, 0 } };

	dynamic_make(b, FAR + 64, dynamic, 5);
	memcpy(b->p + FAR, "\0far.so\0near.so", 16);
}

UNIT(native_read_reads_twice_where_it_must)
{
	struct wheel_maker m = WHEEL_MAKER("demo-1.0-cp312-cp312-linux_x86_64.whl");
	struct buf bytes = BUF_INIT;

	far_library_make(&bytes);
	wheel_maker_add(&m, "demo/far.so", buf_str(&bytes));
	wheel_maker_info(&m, "");
	wheel_maker_record(&m);
	CLEANUP(fd) int fd = file_of(&m);
	for (size_t i = 0; i < 2; i++) {
		struct native n = NATIVE_INIT;
		struct err e = ERR_INIT;

		ck_assert_msg(native_read(fd, m.file, thread_counts[i], &n, &e) == 0, "%s", e.text);
		ck_assert_uint_eq(n.nmodules, 1);
		ck_assert_msg(str_is(n.modules[0].soname, "far.so"), "%.*s",
			STR_ARG(n.modules[0].soname));
		ck_assert_uint_eq(n.modules[0].nneeded, 1);
		ck_assert(str_is(n.modules[0].needed[0], "near.so"));
		ck_assert_uint_eq(n.record_fault.n, 0);
		native_release(&n);
	}
	buf_release(&bytes);
	wheel_maker_release(&m);
}

enum { NAME_LENGTH = 500, NEEDS = 55000, NAMES_AT = 1000 * 1000 };

/* A small file may name much: one name, wanted many times. */
static void greedy_library_add(struct wheel_maker *m, const char *name)
{
	CLEANUP(free) uint64_t(*dynamic)[2] = mem_array(NEEDS + 3, sizeof(*dynamic));
	struct buf bytes = BUF_INIT;

	for (size_t i = 0; i < NEEDS; i++) {
		dynamic[i][0] = DT_NEEDED;
	}
	dynamic[NEEDS][0] = DT_STRTAB;
	dynamic[NEEDS][1] = NAMES_AT;
	dynamic[NEEDS + 1][0] = DT_STRSZ;
	dynamic[NEEDS + 1][1] = NAME_LENGTH + 1;
	dynamic_make(&bytes, NAMES_AT + NAME_LENGTH + 1, (const uint64_t(*)[2])dynamic, NEEDS + 3);
	memset(bytes.p + NAMES_AT, 'n', NAME_LENGTH);
	wheel_maker_add(m, name, buf_str(&bytes));
	buf_release(&bytes);
}

static int greedy_read(size_t libraries, unsigned threads, struct err *e)
{
	struct wheel_maker m = WHEEL_MAKER("demo-1.0-cp312-cp312-linux_x86_64.whl");
	struct native n = NATIVE_INIT;

	for (size_t i = 0; i < libraries; i++) {
		greedy_library_add(&m, arena_printf(&m.arena, "demo/lib%zu.so", i));
	}
	wheel_maker_info(&m, "");
	wheel_maker_record(&m);
	CLEANUP(fd) int fd = file_of(&m);
	int rc = native_read(fd, m.file, threads, &n, e);
	if (!rc) {
		ck_assert_uint_eq(n.modules[0].nneeded, NEEDS);
	}
	native_release(&n);
	wheel_maker_release(&m);
	return rc;
}

UNIT(native_read_bounds_what_is_taken_from_all_binaries)
{
	for (size_t i = 0; i < COUNTS; i++) {
		struct err e = ERR_INIT;

		ck_assert_msg(greedy_read(1, thread_counts[i], &e) == 0, "%s", e.text);
		ck_assert_int_eq(greedy_read(4, thread_counts[i], &e), -RC_LIMIT);
		ck_assert_msg(str_has(str_of(e.text), "binaries have over"), "%s", e.text);
	}
}

/* Deflate may begin with blocks that hold nothing; a reader that judges by what comes first must
 * still see it. */
UNIT(native_read_is_not_deceived_by_empty_blocks)
{
	struct wheel_maker m = WHEEL_MAKER("demo-1.0-cp312-cp312-linux_x86_64.whl");
	struct buf packed = BUF_INIT;
	struct native n = NATIVE_INIT;
	struct err e = ERR_INIT;

	library_add(&m, "demo/late.so", 100, 80);
	struct made_member *late = &m.members.v[0];
	buf_add(&packed, "\0\1\0\376\377\177", 6); /* its first byte */
	while (packed.n < 600000) {
		buf_add(&packed, "\0\0\0\377\377", 5);
	}
	size_t rest = late->bytes.n - 1;
	const char header[] = { 1, (char)(rest & 0xff), (char)(rest >> 8), (char)(~rest & 0xff),
		(char)(~rest >> 8) };
	buf_add(&packed, header, 5);
	buf_add(&packed, late->bytes.p + 1, rest);
	late->packed = buf_str(&packed);
	wheel_maker_info(&m, "");
	wheel_maker_record(&m);
	CLEANUP(fd) int fd = file_of(&m);
	ck_assert_msg(native_read(fd, m.file, 1, &n, &e) == 0, "%s", e.text);
	ck_assert_uint_eq(n.nmodules, 1);
	ck_assert_uint_eq(n.device.n, 1);
	native_release(&n);
	buf_release(&packed);
	wheel_maker_release(&m);
}

/* ---- RECORD ---- */

static struct str other_bytes(struct wheel_maker *m, struct str bytes)
{
	char *p = arena_dup(&m->arena, bytes);

	p[bytes.n - 1] ^= 1;
	return (struct str){ p, bytes.n };
}

/* What every number of threads says, and wheel_check_record too. */
static void fault_expect(struct wheel_maker *m, const char *text)
{
	CLEANUP(fd) int fd = file_of(m);
	CLEANUP_WHEEL struct wheel *w = NULL;
	struct err e = ERR_INIT;

	for (size_t i = 0; i < COUNTS; i++) {
		struct native n = NATIVE_INIT;

		ck_assert_msg(
			native_read(fd, m->file, thread_counts[i], &n, &e) == 0, "%s", e.text);
		ck_assert_msg(str_is(n.record_fault, text), "%.*s", STR_ARG(n.record_fault));
		ck_assert_uint_gt(n.nmodules, 0); /* the rest is read all the same */
		native_release(&n);
	}
	ck_assert_int_eq(wheel_open_fd(fd, m->file, &w, &e), 0);
	ck_assert_int_eq(wheel_check_record(w, &e), -RC_WHEEL);
	ck_assert_str_eq(e.text, arena_printf(&m->arena, "%.*s: %s", STR_ARG(m->file), text));
}

UNIT(native_read_names_the_first_fault_of_record)
{
	struct wheel_maker m = WHEEL_MAKER("demo-1.0-cp312-cp312-linux_x86_64.whl");

	library_add(&m, "demo/a.so", 90,
		80); /* the largest comes first to be read, the least in RECORD */
	library_add(&m, "demo/b.so", 50, 80);
	library_add(&m, "demo/c.so", 90000, 80);
	wheel_maker_add(&m, "demo/unlisted.py", STR("x = 1\n"));
	wheel_maker_info(&m, "");
	struct made_member *record = wheel_maker_record(&m);
	struct str text = record->bytes, line;
	CLEANUP_BUF struct buf rows = BUF_INIT;
	while (str_cut(&text, '\n', &line)) {
		if (line.n && !str_has(line, "unlisted")) {
			buf_addf(&rows, "%.*s\n", STR_ARG(line));
		}
	}
	record->bytes = buf_str(&rows);
	fault_expect(&m, "RECORD does not list \"demo/unlisted.py\"");
	m.members.v[2].bytes = other_bytes(&m, m.members.v[2].bytes);
	fault_expect(&m, "RECORD: line 3: \"demo/c.so\" has another digest than the file");
	m.members.v[1].bytes = other_bytes(&m, m.members.v[1].bytes);
	fault_expect(&m, "RECORD: line 2: \"demo/b.so\" has another digest than the file");
	buf_adds(&rows, "demo/nowhere.py,,\n");
	record->bytes = buf_str(&rows);
	fault_expect(&m, "RECORD: line 2: \"demo/b.so\" has another digest than the file");
	m.members.v[m.members.n - 1].bytes = STR("demo/nowhere.py,,\ndemo/b.so,,7\n");
	fault_expect(&m, "RECORD: line 1: \"demo/nowhere.py\" is not a file of the wheel");
	m.members.v[m.members.n - 1].bytes = STR("no row");
	fault_expect(&m, "RECORD: line 1: not three fields: path,hash,size");
	m.members.n--;
	fault_expect(&m, "it has no RECORD");
	wheel_maker_release(&m);
}

/* ---- errors ---- */

UNIT(native_read_names_the_first_damaged_member)
{
	struct wheel_maker m = WHEEL_MAKER("demo-1.0-cp312-cp312-linux_x86_64.whl");

	mixed_make(&m);
	for (size_t i = 9; i < m.members.n - 3; i += 2) {
		m.members.v[i].crc_xor = m.members.v[i].local_crc_xor = 1;
	}
	CLEANUP(fd) int fd = file_of(&m);
	for (size_t i = 0; i < COUNTS; i++) {
		struct native n = NATIVE_INIT;
		struct err e = ERR_INIT;

		ck_assert_int_eq(native_read(fd, m.file, thread_counts[i], &n, &e), -RC_WHEEL);
		ck_assert_msg(str_starts(str_of(e.text), "demo-1.0-cp312-cp312-linux_x86_64.whl: "
							 "demo/many01.so: wrong CRC-32: "),
			"%s", e.text);
		native_release(&n);
	}
	wheel_maker_release(&m);
}

UNIT(native_read_refuses_damaged_binaries)
{
	struct wheel_maker m = WHEEL_MAKER("demo-1.0-cp312-cp312-linux_x86_64.whl");
	struct native n = NATIVE_INIT;
	struct err e = ERR_INIT;

	wheel_maker_add(&m, "demo/cut.so", STR("\177ELF\2\1\1"));
	wheel_maker_info(&m, "");
	wheel_maker_record(&m);
	CLEANUP(fd) int fd = file_of(&m);
	ck_assert_int_eq(native_read(fd, m.file, 1, &n, &e), -RC_WHEEL);
	ck_assert_msg(str_has(str_of(e.text), "whl: demo/cut.so: "), "%s", e.text);
	wheel_maker_release(&m);
}

/* Wheels that are right: what is read, how, and with how few reads. */
#include "tests/unit/unit.h"
#include "tests/unit/wheel_maker.h"

#include "verify/hash.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void demo_make(struct wheel_maker *m)
{
	wheel_maker_add(m, "demo/__init__.py", STR("x = 1\n"));
	wheel_maker_add(m, "demo/empty.txt", STR(""));
	wheel_maker_info(m, "Requires-Dist: numpy\nRequires-Python: >=3.9\n");
	wheel_maker_record(m);
}

/* Opens what the maker writes; the bytes stay in *bytes. */
static struct wheel *opened(struct wheel_maker *m, struct buf *bytes, struct made_source *s)
{
	struct err e = ERR_INIT;
	struct wheel *w = NULL;

	wheel_maker_write(m, bytes);
	s->bytes = buf_str(bytes);
	struct wheel_source source = made_source_open(s);
	ck_assert_msg(wheel_open(&source, m->file, &w, &e) == 0, "%s", e.text);
	return w;
}

static void check_all(struct wheel_maker *m)
{
	struct err e = ERR_INIT;
	struct buf bytes = BUF_INIT;
	struct made_source s = { .reads = 0 };
	struct wheel *w = opened(m, &bytes, &s);
	const struct wheel_metadata *md;

	ck_assert_msg(wheel_metadata(w, &md, &e) == 0, "%s", e.text);
	ck_assert_msg(wheel_check_record(w, &e) == 0, "%s", e.text);
	wheel_close(w);
	buf_release(&bytes);
	wheel_maker_release(m);
}

UNIT(wheel_reads_members_and_metadata)
{
	struct wheel_maker m = WHEEL_MAKER("demo-1.0-py3-none-any.whl");
	struct buf bytes = BUF_INIT, text = BUF_INIT;
	struct made_source s = { .reads = 0 };
	struct err e = ERR_INIT;
	struct digest digest;
	const struct wheel_metadata *md, *again;
	size_t n = 0;

	demo_make(&m);
	struct wheel *w = opened(&m, &bytes, &s);
	const struct wheel_member *members = wheel_members(w, &n);
	ck_assert_uint_eq(n, 5);
	ck_assert(str_is(members[0].name, "demo/__init__.py"));
	ck_assert_uint_eq(members[0].size, 6);
	ck_assert_uint_eq(members[0].mode, 0100644);
	ck_assert(!members[0].is_dir);
	ck_assert(str_is(wheel_name(w)->name, "demo"));
	ck_assert_ptr_null(wheel_find(w, "demo"));
	ck_assert_ptr_null(wheel_find_info(w, "LICENSE"));
	ck_assert_ptr_eq(wheel_find(w, "demo-1.0.dist-info/WHEEL"), wheel_find_info(w, "WHEEL"));

	ck_assert_int_eq(wheel_read(w, wheel_find(w, "demo/__init__.py"), 6, &text, &e), 0);
	ck_assert(str_is(buf_str(&text), "x = 1\n"));
	ck_assert_int_eq(wheel_read(w, wheel_find(w, "demo/empty.txt"), 0, &text, &e), 0);
	ck_assert_uint_eq(text.n, 6);
	ck_assert_int_eq(wheel_read(w, wheel_find(w, "demo/__init__.py"), 5, &text, &e), -RC_LIMIT);
	err_clear(&e);

	ck_assert_int_eq(wheel_metadata(w, &md, &e), 0);
	ck_assert(str_eq(md->text, m.members.v[2].bytes));
	hash_bytes(m.members.v[2].bytes, &digest);
	ck_assert(digest_eq(&digest, &md->sha256));
	ck_assert_uint_eq(md->core.nrequires_dist, 1);
	ck_assert(str_is(md->core.requires_python, ">=3.9"));
	ck_assert(!md->has_local_mismatch);
	ck_assert_int_eq(wheel_metadata(w, &again, &e), 0);
	ck_assert_ptr_eq(md, again);
	ck_assert_uint_eq(s.reads, 1); /* a small wheel is read once */
	wheel_close(w);
	buf_release(&bytes);
	buf_release(&text);
	wheel_maker_release(&m);
}

UNIT(wheel_accepts_every_honest_form)
{
	static const struct {
		uint16_t method, flags;
		uint32_t mode;
		unsigned descriptor;
		bool zip64;
	} forms[] = {
		{ 8, 0, 0100644, 0, false },
		{ 0, 0, 0100755, 0, false },
		{ 8, 0, 0, 0, false },
		{ 8, 0, 0644, 0, false }, /* no file type: hatchling */
		{ 8, 1 << 11, 0100644, 0, false },
		{ 8, 1 << 1, 0100644, 0, false },
		{ 8, 0, 0100644, 12, false },
		{ 8, 0, 0100644, 16, false },
		{ 8, 0, 0100644, 20, true },
		{ 8, 0, 0100644, 24, true },
		{ 0, 0, 0100644, 24, false },
		{ 8, 0, 0100644, 0, true },
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct wheel_maker m = WHEEL_MAKER("demo-1.0-py3-none-any.whl");

		demo_make(&m);
		for (size_t k = 0; k < m.members.n; k++) {
			m.members.v[k].method = forms[i].method;
			m.members.v[k].flags = forms[i].flags;
			m.members.v[k].mode = forms[i].mode;
			m.members.v[k].descriptor = forms[i].descriptor;
			m.members.v[k].zip64 = forms[i].zip64;
		}
		check_all(&m);
	}
}

UNIT(wheel_accepts_zip64_ends_folders_extra_fields_and_comments)
{
	struct wheel_maker m = WHEEL_MAKER("demo-1.0-py3-none-any.whl");

	wheel_maker_add(&m, "demo/", STR(""));
	wheel_maker_add(&m, "demo/d\303\244ta.txt", STR("x"))->flags = 1 << 11;
	wheel_maker_add(&m, "demo-1.0.data/scripts/run", STR("#!python\n"))->mode = 0100755;
	demo_make(&m);
	/* A time stamp of Info-ZIP. */
	m.members.v[1].extra = m.members.v[1].local_extra = STR("UT\5\0\3abcd");
	m.zip64 = true;
	m.is_saturated = true;
	m.comment = STR("made by hand");
	check_all(&m);
}

UNIT(wheel_accepts_a_zip64_end_beside_true_numbers)
{
	struct wheel_maker m = WHEEL_MAKER("demo-1.0-py3-none-any.whl");

	demo_make(&m);
	m.zip64 = true;
	check_all(&m);
}

UNIT(wheel_accepts_case_twins_for_linux_only)
{
	struct wheel_maker m =
		WHEEL_MAKER("demo-1.0-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl");

	wheel_maker_add(&m, "demo/xt_MARK.h", STR("1"));
	wheel_maker_add(&m, "demo/xt_mark.h", STR("2"));
	demo_make(&m);
	check_all(&m);
}

UNIT(wheel_accepts_folders_that_end_in_a_dot_for_linux_only)
{
	struct wheel_maker m =
		WHEEL_MAKER("demo-1.0-cp312-cp312-manylinux_2_28_x86_64.whl");

	wheel_maker_add(&m, "demo./libxcb-5ddf6756.so", STR("1"));
	demo_make(&m);
	check_all(&m);
}

UNIT(wheel_tells_a_local_version_that_only_the_file_name_has)
{
	static const struct {
		const char *file, *metadata;
		bool is_mismatch;
	} cases[] = {
		{ "1.0+cu128torch2.8", "1.0", true },
		{ "1.0", "1.0+cpu", true },
		{ "1.0+cu12.torch2", "1.0+CU12_torch2", false },
		{ "1.0+cpu", "1.0+cpu", false },
		{ "1.0", "1.0.0", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct wheel_maker m = WHEEL_MAKER("");
		struct buf bytes = BUF_INIT, text = BUF_INIT;
		struct made_source s = { .reads = 0 };
		const struct wheel_metadata *md;
		struct err e = ERR_INIT;

		m.file = str_of(arena_printf(&m.arena, "Demo-%s-py3-none-any.whl", cases[i].file));
		demo_make(&m);
		buf_addf(&text, "Metadata-Version: 2.1\nName: dEmO\nVersion: %s\n",
			cases[i].metadata);
		m.members.v[2].bytes = buf_str(&text);
		struct wheel *w = opened(&m, &bytes, &s);
		ck_assert_msg(wheel_metadata(w, &md, &e) == 0, "%s", e.text);
		ck_assert_int_eq(md->has_local_mismatch, cases[i].is_mismatch);
		wheel_close(w);
		buf_release(&bytes);
		buf_release(&text);
		wheel_maker_release(&m);
	}
}

/* Random text, which does not get smaller. */
static struct str noise(struct wheel_maker *m, size_t n)
{
	char *p = arena_alloc(&m->arena, n);
	uint64_t x = 88172645463325252u;

	for (size_t i = 0; i < n; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		p[i] = (char)x;
	}
	return (struct str){ p, n };
}

UNIT(wheel_metadata_of_a_remote_wheel_takes_three_reads)
{
	struct wheel_maker m = WHEEL_MAKER("demo-1.0-py3-none-any.whl");
	struct buf bytes = BUF_INIT;
	struct made_source s = { .reads = 0 };
	const struct wheel_metadata *md;
	struct err e = ERR_INIT;

	/* METADATA far from the end, and a central directory of over 64 KiB. */
	wheel_maker_info(&m, "");
	wheel_maker_add(&m, "demo/noise.bin", noise(&m, 600000));
	for (int i = 0; i < 1500; i++) {
		wheel_maker_add(&m, arena_printf(&m.arena, "demo/module_%d.py", i), STR("pass\n"));
	}
	wheel_maker_record(&m);
	struct wheel *w = opened(&m, &bytes, &s);
	ck_assert_uint_eq(s.reads, 2);
	ck_assert_int_eq(wheel_metadata(w, &md, &e), 0);
	ck_assert_uint_eq(s.reads, 3);
	ck_assert_uint_lt(s.total, 200000);
	ck_assert_msg(wheel_check_record(w, &e) == 0, "%s", e.text);
	wheel_close(w);
	buf_release(&bytes);
	wheel_maker_release(&m);
}

struct pieces {
	struct buf all;
	size_t largest, count, stop_at;
};

static int piece_take(void *context, const void *bytes, size_t n, struct err *e)
{
	struct pieces *p = context;

	buf_add(&p->all, bytes, n);
	p->largest = n > p->largest ? n : p->largest;
	p->count++;
	if (p->stop_at && p->all.n >= p->stop_at) {
		return p->stop_at == 1 ? 7 : err_set(e, RC_HOLE, "enough");
	}
	return 0;
}

UNIT(wheel_stream_gives_pieces_and_stops_when_told)
{
	for (uint16_t method = 0; method <= 8; method += 8) {
		struct wheel_maker m = WHEEL_MAKER("demo-1.0-py3-none-any.whl");
		struct buf bytes = BUF_INIT;
		struct made_source s = { .reads = 0 };
		struct err e = ERR_INIT;

		struct made_member *big = wheel_maker_add(&m, "demo/big.bin", noise(&m, 1000003));
		big->method = method;
		big->descriptor = 16; /* behind the piece that is in memory */
		demo_make(&m);
		struct wheel *w = opened(&m, &bytes, &s);
		const struct wheel_member *member = wheel_find(w, "demo/big.bin");
		for (size_t stop = 0; stop < 3; stop++) {
			struct pieces p = { .stop_at = stop };
			int rc = wheel_stream(w, member, piece_take, &p, &e);

			ck_assert_int_eq(rc, stop == 0 ? 0 : stop == 1 ? 7 : -RC_HOLE);
			ck_assert_uint_le(p.largest, 256 * 1024);
			ck_assert(stop ? p.count == 1
				       : str_eq(buf_str(&p.all), m.members.v[0].bytes));
			buf_release(&p.all);
		}
		ck_assert_str_eq(e.text, "demo-1.0-py3-none-any.whl: demo/big.bin: enough");
		wheel_close(w);
		buf_release(&bytes);
		wheel_maker_release(&m);
	}
}

UNIT(wheel_open_fd_reads_a_file)
{
	struct wheel_maker m = WHEEL_MAKER("demo-1.0-py3-none-any.whl");
	struct buf bytes = BUF_INIT;
	struct err e = ERR_INIT;
	struct wheel *w = NULL;
	FILE *f = tmpfile();

	demo_make(&m);
	wheel_maker_write(&m, &bytes);
	ck_assert_uint_eq(fwrite(bytes.p, 1, bytes.n, f), bytes.n);
	fflush(f);
	ck_assert_int_eq(wheel_open_fd(fileno(f), m.file, &w, &e), 0);
	ck_assert_msg(wheel_check_record(w, &e) == 0, "%s", e.text);
	ck_assert_int_eq(ftruncate(fileno(f), 10), 0);
	struct buf text = BUF_INIT;
	ck_assert_int_eq(wheel_read(w, wheel_find(w, "demo/__init__.py"), 100, &text, &e), 0);
	wheel_close(w);
	ck_assert_int_eq(wheel_open_fd(fileno(f), m.file, &w, &e), -RC_WHEEL);
	fclose(f);

	int folder = open("/", O_RDONLY | O_DIRECTORY);
	ck_assert_int_eq(wheel_open_fd(folder, m.file, &w, &e), -RC_WHEEL);
	close(folder);
	buf_release(&text);
	buf_release(&bytes);
	wheel_maker_release(&m);
}

UNIT(wheel_read_reports_a_file_that_became_shorter)
{
	struct wheel_maker m = WHEEL_MAKER("demo-1.0-py3-none-any.whl");
	struct buf bytes = BUF_INIT, text = BUF_INIT;
	struct err e = ERR_INIT;
	struct wheel *w = NULL;
	FILE *f = tmpfile();

	wheel_maker_add(&m, "demo/big.bin", noise(&m, 300000));
	demo_make(&m);
	wheel_maker_write(&m, &bytes);
	ck_assert_uint_eq(fwrite(bytes.p, 1, bytes.n, f), bytes.n);
	fflush(f);
	ck_assert_int_eq(wheel_open_fd(fileno(f), m.file, &w, &e), 0);
	ck_assert_int_eq(ftruncate(fileno(f), 1000), 0);
	ck_assert_int_eq(wheel_read(w, wheel_find(w, "demo/big.bin"), 300000, &text, &e), -RC_IO);
	ck_assert_uint_eq(text.n, 0);
	wheel_close(w);
	fclose(f);
	buf_release(&text);
	buf_release(&bytes);
	wheel_maker_release(&m);
}

UNIT(wheel_open_refuses_names_that_are_no_wheel)
{
	static const char *const names[] = { "demo-1.0.tar.gz", "demo.whl", "a-b-c-d-e-f-g.whl",
		"" };
	struct made_source s = { .bytes = STR("") };
	struct wheel_source source = made_source_open(&s);

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct err e = ERR_INIT;
		struct wheel *w = NULL;

		ck_assert_int_eq(wheel_open(&source, str_of(names[i]), &w, &e), -RC_INVALID);
		ck_assert_ptr_null(w);
	}
}

#include "mirror/store.h"
#include "manifests/base/fs.h"
#include "manifests/limits.h"
#include "tests/unit/key_fixture.h"
#include "tests/unit/store_fixture.h"
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- opening ---- */

UNIT(store_absent_or_empty_cannot_be_read)
{
	struct store *s = NULL;
	struct err e = ERR_INIT;

	ck_assert_int_eq(store_open(fixture_path("store"), STORE_READ, &s, &e), -RC_STORE);
	ck_assert(str_has(str_of(e.hint), "import a bundle first"));
	store_close(fixture_store(STORE_WRITE));
	err_clear(&e);
	ck_assert_int_eq(store_open(fixture_path("store"), STORE_READ, &s, &e), -RC_STORE);
	ck_assert(str_has(str_of(e.hint), "import a bundle first"));
}

UNIT(store_that_others_can_write_to_is_refused)
{
	static const mode_t modes[] = { 0775, 0757, 0777 };
	struct store *s = NULL;

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		struct err e = ERR_INIT;

		s = fixture_store(STORE_WRITE);
		ck_assert_int_eq(COMMIT(s, i + 1, { "a-1-py3-none-any.whl", "1", 0 }), 0);
		store_close(s);
		ck_assert_int_eq(chmod(fixture_path("store"), modes[i]), 0);
		ck_assert_int_eq(store_open(fixture_path("store"), STORE_WRITE, &s, &e), -RC_STORE);
		ck_assert(str_has(str_of(e.hint), "chmod go-w"));
		err_clear(&e);
		ck_assert_int_eq(store_open(fixture_path("store"), STORE_READ, &s, &e), -RC_STORE);
		ck_assert_int_eq(chmod(fixture_path("store"), 0755), 0);
	}
}

UNIT(store_takes_over_an_empty_folder)
{
	struct stat st;

	ck_assert_int_eq(mkdir(fixture_path("store"), 0700), 0);
	ck_assert_int_eq(chmod(fixture_path("store"), 0777), 0);
	store_close(fixture_store(STORE_WRITE));
	ck_assert_int_eq(stat(fixture_path("store"), &st), 0);
	ck_assert_int_eq(st.st_mode & 0777, 0755);
}

UNIT(store_lock_names_its_holder)
{
	struct store *s = fixture_store(STORE_WRITE), *second = NULL;
	struct err e = ERR_INIT;
	char pid[32];

	snprintf(pid, sizeof(pid), "process %ld", (long)getpid());
	ck_assert_int_eq(store_open(fixture_path("store"), STORE_WRITE, &second, &e), -RC_LOCKED);
	ck_assert_msg(str_has(str_of(e.text), pid), "%s", e.text);
	store_close(s);
	store_close(fixture_store(STORE_WRITE));
}

UNIT(store_of_a_newer_program_is_refused)
{
	struct store *s = NULL;
	struct err e = ERR_INIT;
	char path[4096];

	store_close(fixture_store(STORE_WRITE));
	snprintf(path, sizeof(path), "%s/catalog.db", fixture_path("store"));
	int fd = open(path, O_WRONLY); /* user_version: SQLite's header, byte 60, big endian */
	ck_assert_int_eq(pwrite(fd, "\0\0\0\x63", 4, 60), 4);
	close(fd);
	ck_assert_int_eq(store_open(fixture_path("store"), STORE_WRITE, &s, &e), -RC_STORE);
	ck_assert(str_has(str_of(e.text), "newer"));
}

/* ---- objects ---- */

UNIT(store_objects_round_trip)
{
	struct store *s = fixture_store(STORE_WRITE);
	struct buf b = BUF_INIT;
	struct err e = ERR_INIT;
	struct digest d, other = { .b = { 1 } };
	struct stat st;
	uint64_t size;
	int fd;

	ck_assert_int_eq(store_put_text(s, STR("hello"), &d, &e), 0);
	ck_assert(store_object_exists(s, &d, 5) && !store_object_exists(s, &d, 6));
	ck_assert_int_eq(store_object_read(s, &d, 5, &b, &e), 0);
	ck_assert_str_eq(b.p, "hello");
	ck_assert_int_eq(store_object_read(s, &d, 4, &b, &e), -RC_LIMIT);
	ck_assert_int_eq(store_object_open(s, &d, &fd, &size, &e), 0);
	ck_assert_uint_eq(size, 5);
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_int_eq(st.st_mode & 07777, 0444);
	close(fd);
	err_clear(&e);
	ck_assert_int_eq(store_object_open(s, &other, &fd, &size, &e), -RC_NOT_FOUND);
	ck_assert_int_eq(store_put_text(s, STR(""), &d, &e), 0);
	ck_assert(store_object_exists(s, &d, 0));
	buf_release(&b);
	store_close(s);
}

UNIT(store_object_has_the_size_that_was_announced)
{
	struct store *s = fixture_store(STORE_WRITE);
	struct store_object *o;
	struct err e = ERR_INIT;
	struct digest d = { .b = { 7 } };

	ck_assert_int_eq(store_object_begin(s, 5, &o, &e), 0);
	ck_assert_int_eq(store_object_add(o, "hell", 4, &e), 0);
	ck_assert_int_eq(store_object_commit(o, &d, &e), -RC_HASH);
	ck_assert(!store_object_exists(s, &d, 4));
	err_clear(&e);
	ck_assert_int_eq(store_object_begin(s, 5, &o, &e), 0);
	ck_assert_int_eq(store_object_add(o, "hello!", 6, &e), -RC_HASH);
	store_object_abort(o);
	store_close(s);
}

UNIT(store_object_that_is_there_is_kept)
{
	struct store *s = fixture_store(STORE_WRITE);
	struct err e = ERR_INIT;
	struct digest d;
	struct stat before, after;

	ck_assert_int_eq(store_put_text(s, STR("hello"), &d, &e), 0);
	ck_assert_int_eq(stat(fixture_object_path(&d), &before), 0);
	ck_assert_int_eq(store_put_text(s, STR("hello"), &d, &e), 0);
	ck_assert_int_eq(stat(fixture_object_path(&d), &after), 0);
	ck_assert_uint_eq(before.st_ino, after.st_ino);
	store_close(s);
}

UNIT(store_object_that_is_damaged_is_found_and_mended)
{
	static const char *const bytes[] = { "hellO", "hell", "hello and more" };
	struct store *s = fixture_store(STORE_WRITE);
	struct err e = ERR_INIT;
	struct digest d;

	ck_assert_int_eq(store_put_text(s, STR("hello"), &d, &e), 0);
	for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++) {
		struct buf b = BUF_INIT;

		fixture_damage(&d, bytes[i]);
		ck_assert_int_eq(store_object_read(s, &d, 100, &b, &e), -RC_HASH);
		ck_assert_uint_eq(b.n, 0);
		err_clear(&e);
		ck_assert_int_eq(store_put_text(s, STR("hello"), &d, &e), 0);
		ck_assert_int_eq(store_object_read(s, &d, 100, &b, &e), 0);
		ck_assert_str_eq(b.p, "hello");
		buf_release(&b);
	}
	store_close(s);
}

UNIT(store_object_is_never_a_link)
{
	struct store *s = fixture_store(STORE_WRITE);
	struct err e = ERR_INIT;
	struct digest d;
	uint64_t size;
	int fd = -1;

	ck_assert_int_eq(store_put_text(s, STR("hello"), &d, &e), 0);
	ck_assert_int_eq(unlink(fixture_object_path(&d)), 0);
	ck_assert_int_eq(symlink("/etc/passwd", fixture_object_path(&d)), 0);
	ck_assert_int_lt(store_object_open(s, &d, &fd, &size, &e), 0);
	ck_assert(!store_object_exists(s, &d, 5));
	ck_assert_int_eq(unlink(fixture_object_path(&d)), 0);
	ck_assert_int_eq(mkdir(fixture_object_path(&d), 0700), 0);
	err_clear(&e);
	ck_assert_int_lt(store_object_open(s, &d, &fd, &size, &e), 0);
	store_close(s);
}

UNIT(store_space_is_checked_with_a_reserve)
{
	struct store *s = fixture_store(STORE_WRITE);
	struct err e = ERR_INIT;

	ck_assert_int_eq(store_check_space(s, 0, &e), 0);
	ck_assert_int_eq(store_check_space(s, LIMIT_FILE * 1024, &e), -RC_NO_SPACE);
	store_close(s);
}

/* ---- publishing ---- */

UNIT(store_view_knows_when_it_is_stale)
{
	struct store *s = fixture_store(STORE_WRITE), *reader;
	struct store_view v;
	struct err e = ERR_INIT;

	ck_assert_int_eq(COMMIT(s, 1, { "a-1.tar.gz", "1", 0 }), 0);
	reader = fixture_store(STORE_READ);
	ck_assert_int_eq(store_view_load(reader, &v, &e), 0);
	ck_assert(!store_view_is_stale(reader, &v));
	ck_assert_int_eq(COMMIT(s, 2, { "a-2.tar.gz", "2", 0 }), 0);
	ck_assert(store_view_is_stale(reader, &v));
	store_view_release(&v);
	ck_assert_int_eq(store_view_load(reader, &v, &e), 0);
	ck_assert_uint_eq(v.generation, 2);
	ck_assert(!store_view_is_stale(reader, &v));
	store_view_release(&v);
	store_close(reader);
	store_close(s);
}

UNIT(store_opening_repairs_what_a_killed_writer_left)
{
	struct store *s = fixture_store(STORE_WRITE);
	struct store_view v;
	struct err e = ERR_INIT;

	ck_assert_int_eq(COMMIT(s, 1, { "a-1.tar.gz", "1", 0 }), 0);
	ck_assert_int_eq(COMMIT(s, 2, { "a-2.tar.gz", "2", 0 }), 0);
	store_close(s);
	/* As if it had been killed between commit and publishing, with half a copy lying about. */
	ck_assert_int_eq(fs_write(fixture_store_path("current"), STR("1.db\n"), 0644, &e), 0);
	ck_assert_int_eq(unlink(fixture_store_path("published/2.db")), 0);
	ck_assert_int_eq(fs_write(fixture_store_path("published/2.db.new"), STR("half"), 0644, &e), 0);
	ck_assert_int_eq(mkdir(fixture_store_path("staging"), 0700), 0);
	ck_assert_int_eq(fs_write(fixture_store_path("staging/1.1"), STR("half"), 0644, &e), 0);
	fixture_load(&v);
	ck_assert_uint_eq(v.generation, 1);
	store_view_release(&v);
	store_close(fixture_store(STORE_WRITE));
	fixture_load(&v);
	ck_assert_uint_eq(v.generation, 2);
	store_view_release(&v);
	ck_assert(!fs_exists(fixture_store_path("staging")));
	ck_assert(!fs_exists(fixture_store_path("published/2.db.new")));
	ck_assert_int_eq(unlink(fixture_store_path("current")), 0);
	store_close(fixture_store(STORE_WRITE));
	fixture_load(&v);
	store_view_release(&v);
}

UNIT(store_keeps_two_published_copies)
{
	struct store *s = fixture_store(STORE_WRITE);

	for (uint64_t i = 1; i <= 4; i++) {
		ck_assert_int_eq(COMMIT(s, i, { "a-1.tar.gz", "1", 0 }), 0);
	}
	store_close(s);
	ck_assert(!fs_exists(fixture_store_path("published/2.db")));
	ck_assert(fs_exists(fixture_store_path("published/3.db")));
	ck_assert(fs_exists(fixture_store_path("published/4.db")));
}

UNIT(store_damaged_current_is_an_error_not_a_crash)
{
	static const char *const texts[] = { "", "x", "../../etc/passwd.db", "1.db.db", "-1.db", "1" };
	struct store *s = fixture_store(STORE_WRITE);
	struct store_view v;

	ck_assert_int_eq(COMMIT(s, 1, { "a-1.tar.gz", "1", 0 }), 0);
	store_close(s);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct err e = ERR_INIT;

		ck_assert_int_eq(fs_write(fixture_store_path("current"), str_of(texts[i]), 0644, &e), 0);
		s = fixture_store(STORE_READ);
		ck_assert_int_eq(store_view_load(s, &v, &e), -RC_STORE);
		store_close(s);
	}
	store_close(fixture_store(STORE_WRITE));
	fixture_load(&v);
	store_view_release(&v);
}

UNIT(store_damaged_copy_is_an_error_not_a_crash)
{
	struct store *s = fixture_store(STORE_WRITE);
	struct store_view v;
	struct err e = ERR_INIT;
	struct stat st;

	ck_assert_int_eq(COMMIT(s, 1, { "a-1.tar.gz", "1", 0 }, { "b-1-py3-none-any.whl", "1", 0 }), 0);
	store_close(s);
	ck_assert_int_eq(chmod(fixture_store_path("published/1.db"), 0644), 0);
	int fd = open(fixture_store_path("published/1.db"), O_RDWR);
	ck_assert_int_eq(fstat(fd, &st), 0);
	for (off_t at = 0; at < st.st_size; at += 97) {
		unsigned char was = 0, other;

		err_clear(&e);
		ck_assert_int_eq(pread(fd, &was, 1, at), 1);
		other = (unsigned char)~was;
		ck_assert_int_eq(pwrite(fd, &other, 1, at), 1);
		s = fixture_store(STORE_READ);
		if (store_view_load(s, &v, &e) == 0) {
			store_view_release(&v);
		}
		store_close(s);
		ck_assert_int_eq(pwrite(fd, &was, 1, at), 1);
	}
	ck_assert_int_eq(ftruncate(fd, st.st_size / 2), 0);
	close(fd);
	s = fixture_store(STORE_READ);
	ck_assert_int_lt(store_view_load(s, &v, &e), 0);
	store_close(s);
}

#include "bundle/cache.h"
#include "manifests/base/fs.h"
#include "tests/unit/unit.h"
#include "verify/hash.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static struct arena a;

static const char *make_folder(void)
{
	const char *base = getenv("TMPDIR");
	char *made = arena_printf(&a, "%s/cache-XXXXXX", base ? base : P_tmpdir);

	ck_assert_ptr_nonnull(mkdtemp(made));
	return made;
}

static struct cache *open_cache(const char *folder)
{
	struct cache *c = NULL;
	struct err e = ERR_INIT;

	ck_assert_msg(
		cache_open(arena_printf(&a, "%s/sub/cache", folder), &c, &e) == 0, "%s", e.text);
	return c;
}

static void end(struct cache *c, const char *folder)
{
	struct err e = ERR_INIT;

	cache_close(c);
	ck_assert_int_eq(fs_remove_tree(folder, &e), 0);
	arena_release(&a);
}

static void put_page(struct cache *c, const char *key, const char *body)
{
	struct cache_page page = { .body = str_of(body),
		.etag = "\"e\"",
		.last_modified = "yesterday",
		.next = "http://h/?page=2",
		.fetched = 1u << 31,
		.fresh_until = (1u << 31) + 5,
		.status = 200 };
	struct err e = ERR_INIT;

	ck_assert_msg(cache_put_page(c, key, &page, &e) == 0, "%s", e.text);
}

UNIT(cache_pages_come_back)
{
	const char *folder = make_folder();
	struct cache *c = open_cache(folder);
	struct cache_page page;

	ck_assert(!cache_get_page(c, "k", &a, &page));
	put_page(c, "k", "one");
	put_page(c, "k", "two");
	put_page(c, "other", "");
	cache_close(c);
	c = open_cache(folder);
	ck_assert(cache_get_page(c, "k", &a, &page));
	ck_assert(str_is(page.body, "two"));
	ck_assert_str_eq(page.etag, "\"e\"");
	ck_assert_str_eq(page.last_modified, "yesterday");
	ck_assert_str_eq(page.next, "http://h/?page=2");
	ck_assert(page.status == 200 && page.fetched == 1u << 31 &&
		  page.fresh_until == (1u << 31) + 5);
	ck_assert(cache_get_page(c, "other", &a, &page));
	ck_assert_uint_eq(page.body.n, 0);
	end(c, folder);
}

UNIT(cache_pages_are_renewed)
{
	const char *folder = make_folder();
	struct cache *c = open_cache(folder);
	struct cache_page page;
	struct err e = ERR_INIT;

	put_page(c, "k", "one");
	put_page(c, "other", "two");
	ck_assert_int_eq(cache_renew_page(c, "k", 7, 8, &e), 0);
	ck_assert_int_eq(cache_renew_page(c, "nobody", 7, 8, &e), 0);
	ck_assert(!cache_get_page(c, "nobody", &a, &page));
	ck_assert(cache_get_page(c, "k", &a, &page));
	ck_assert(page.fetched == 7 && page.fresh_until == 8 && page.status == 200);
	ck_assert(str_is(page.body, "one"));
	ck_assert_str_eq(page.etag, "\"e\"");
	ck_assert(cache_get_page(c, "other", &a, &page));
	ck_assert(page.fetched == 1u << 31);
	end(c, folder);
}

UNIT(cache_texts_come_back)
{
	const char *folder = make_folder();
	struct cache *c = open_cache(folder);
	struct digest d, other;
	struct buf text = BUF_INIT;
	struct err e = ERR_INIT;

	hash_bytes(STR("a"), &d);
	hash_bytes(STR("b"), &other);
	ck_assert(!cache_get_text(c, &d, "METADATA", &text));
	ck_assert_int_eq(cache_put_text(c, &d, "METADATA", STR("Name: a\n"), &e), 0);
	ck_assert(cache_get_text(c, &d, "METADATA", &text));
	ck_assert_str_eq(text.p, "Name: a\n");
	ck_assert(!cache_get_text(c, &other, "METADATA", &text));
	ck_assert(!cache_get_text(c, &d, "PKG-INFO", &text));
	buf_release(&text);
	end(c, folder);
}

UNIT(cache_database_is_made_anew)
{
	static const char *const damaged[] = { "",
		"this is no database at all, not even a short one", "SQLite format 3" };
	const char *folder = make_folder();
	struct err e = ERR_INIT;

	for (size_t i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++) {
		struct cache *c = open_cache(folder);
		const char *file = arena_printf(&a, "%s/cache.sqlite", cache_dir(c));
		struct cache_page page;

		put_page(c, "k", "one");
		cache_close(c);
		ck_assert_int_eq(fs_write(file, str_of(damaged[i]), 0600, &e), 0);
		c = open_cache(folder);
		ck_assert(!cache_get_page(c, "k", &a, &page));
		put_page(c, "k", "two");
		ck_assert(cache_get_page(c, "k", &a, &page));
		cache_close(c);
		/* A link in its place is not followed. */
		ck_assert_int_eq(unlink(file), 0);
		ck_assert_int_eq(symlink(arena_printf(&a, "%s/elsewhere", folder), file), 0);
		cache_close(open_cache(folder));
		ck_assert(!fs_exists(arena_printf(&a, "%s/elsewhere", folder)));
		ck_assert_int_eq(unlink(file), 0);
	}
	ck_assert_int_eq(fs_remove_tree(folder, &e), 0);
	arena_release(&a);
}

UNIT(cache_files)
{
	const char *folder = make_folder();
	struct cache *c = open_cache(folder);
	struct digest d;
	struct err e = ERR_INIT;
	struct cache_usage u;
	int fd = -1;
	uint64_t size = 0;

	hash_bytes(STR("bytes"), &d);
	ck_assert(!cache_open_file(c, &d, &fd, &size));
	const char *partial = cache_partial_path(c, &a, "key");
	int to = open(partial, O_RDWR | O_CREAT | O_EXCL, 0600);
	ck_assert_int_eq((int)write(to, "bytes", 5), 5);
	ck_assert_int_eq(cache_measure(c, &u, &e), 0);
	ck_assert(u.files == 0 && u.partials == 1 && u.partial_bytes == 5);
	ck_assert_int_eq(cache_commit_file(c, partial, to, &d, &e), 0);
	close(to);
	ck_assert(cache_open_file(c, &d, &fd, &size));
	ck_assert_uint_eq(size, 5);
	close(fd);
	ck_assert_int_eq(cache_measure(c, &u, &e), 0);
	ck_assert(u.files == 1 && u.file_bytes == 5 && u.partials == 0 && u.database_bytes > 0);
	cache_evict(c, &d);
	cache_evict(c, &d);
	ck_assert(!cache_open_file(c, &d, &fd, &size));
	/* What is no regular file is not there. */
	const char *path = cache_file_path(c, &a, &d);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert(!cache_open_file(c, &d, &fd, &size));
	cache_evict(c, &d);
	ck_assert_int_eq(symlink("/etc/passwd", path), 0);
	ck_assert(!cache_open_file(c, &d, &fd, &size));
	ck_assert_int_eq(cache_clear(c, UINT64_MAX, &u, &e), 0);
	ck_assert(!fs_exists(path));
	end(c, folder);
}

/* A cached file, a partial one and a text, all of the same age in seconds. */
static const char *put_aged(struct cache *c, struct str bytes, time_t age)
{
	struct timespec when = { .tv_sec = time(NULL) - age };
	const char *partial = cache_partial_path(c, &a, arena_dup(&a, bytes));
	const struct timespec times[] = { when, when };
	struct err e = ERR_INIT;
	struct digest d;

	hash_bytes(bytes, &d);
	for (int i = 0; i < 2; i++) {
		int to = open(partial, O_RDWR | O_CREAT, 0600);

		ck_assert_int_eq((int)write(to, bytes.p, bytes.n), (int)bytes.n);
		ck_assert_int_eq(futimens(to, times), 0);
		ck_assert(i || cache_commit_file(c, partial, to, &d, &e) == 0);
		close(to);
	}
	return cache_file_path(c, &a, &d);
}

UNIT(cache_clears_by_age)
{
	const char *folder = make_folder();
	struct cache *c = open_cache(folder);
	uint64_t now = (uint64_t)time(NULL), size = 0;
	struct cache_usage u;
	struct err e = ERR_INIT;
	struct digest d;
	int fd = -1;

	const char *old = put_aged(c, STR("old"), 1000), *used = put_aged(c, STR("used"), 1000),
		   *new = put_aged(c, STR("new"), 10);
	ck_assert_int_eq(cache_measure(c, &u, &e), 0);
	ck_assert(u.files == 3 && u.partials == 3 && u.file_bytes == 10);
	ck_assert(u.oldest + 1000 <= now + 5 && u.oldest + 1005 >= now && u.newest + 15 >= now);
	hash_bytes(STR("used"), &d);
	ck_assert(cache_open_file(c, &d, &fd, &size)); /* which makes it a recent one */
	close(fd);
	put_page(c, "k", "of the year 2038");
	ck_assert_int_eq(cache_put_text(c, &d, "METADATA", STR("x"), &e), 0);
	ck_assert_int_eq(cache_clear(c, now - 500, &u, &e), 0);
	ck_assert(u.files == 1 && u.file_bytes == 3 && u.partials == 2 && !u.pages && !u.texts);
	ck_assert(!fs_exists(old) && fs_exists(used) && fs_exists(new));
	ck_assert_int_eq(cache_clear(c, UINT64_MAX, &u, &e), 0);
	ck_assert(u.files == 2 && u.partials == 1 && u.pages == 1 && u.texts == 1);
	ck_assert_int_eq(cache_measure(c, &u, &e), 0);
	ck_assert(!u.files && !u.partials && !u.pages && !u.texts && !u.oldest && !u.newest);
	end(c, folder);
}

UNIT(cache_keeps_what_is_being_written)
{
	const char *folder = make_folder();
	struct cache *c = open_cache(folder);
	const char *partial = cache_partial_path(c, &a, "key");
	struct cache_usage u;
	struct err e = ERR_INIT;

	int held = open(partial, O_RDWR | O_CREAT, 0600);
	ck_assert_int_eq(flock(held, LOCK_EX), 0);
	ck_assert_int_eq(cache_clear(c, UINT64_MAX, &u, &e), 0);
	ck_assert(fs_exists(partial) && !u.partials);
	close(held);
	ck_assert_int_eq(cache_clear(c, UINT64_MAX, &u, &e), 0);
	ck_assert(!fs_exists(partial) && u.partials == 1);
	end(c, folder);
}

UNIT(cache_place)
{
	const char *folder = make_folder();
	struct cache *c = NULL;
	struct err e = ERR_INIT;

	setenv("XDG_CACHE_HOME", arena_printf(&a, "%s/x", folder), 1);
	ck_assert_int_eq(cache_open(NULL, &c, &e), 0);
	ck_assert_str_eq(cache_dir(c), arena_printf(&a, "%s/x/gpkg-bundle", folder));
	cache_close(c);
	setenv("XDG_CACHE_HOME", "relative", 1);
	setenv("HOME", folder, 1);
	ck_assert_int_eq(cache_open(NULL, &c, &e), 0);
	ck_assert_str_eq(cache_dir(c), arena_printf(&a, "%s/.cache/gpkg-bundle", folder));
	cache_close(c);
	ck_assert_int_eq(fs_write(arena_printf(&a, "%s/file", folder), STR(""), 0600, &e), 0);
	ck_assert_int_ne(cache_open(arena_printf(&a, "%s/file", folder), &c, &e), 0);
	ck_assert_ptr_nonnull(strstr(e.hint, "XDG_CACHE_HOME"));
	ck_assert_int_eq(fs_remove_tree(folder, &e), 0);
	arena_release(&a);
}

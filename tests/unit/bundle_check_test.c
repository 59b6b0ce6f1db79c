/* A bundle packed from the fixture, read back, and every way to spoil its stream. */
#include "bundle/pack.h"
#include "bundle/texts_out.h"
#include "manifests/base/fs.h"
#include "tests/unit/manifest_fixture.h"
#include "tests/unit/unit.h"
#include "verify/bundle_parallel.h"
#include "verify/hash.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct made {
	char dir[64];
	struct arena a;
	struct manifest m;
	struct trust trust;
	struct secret_key *key;
	struct buf bytes; /* the bundle */
};

static void fill_cache(struct made *b, struct cache *cache, const struct str *texts)
{
	struct err e = ERR_INIT;

	for (size_t i = 0; i < b->m.nfiles; i++) {
		char *path = cache_file_path(cache, &b->a, &b->m.files[i].sha256);

		ck_assert_msg(fs_mkdirs(fs_dirname(&b->a, path), 0755, &e) == 0, "%s", e.text);
		ck_assert_msg(fs_write(path, texts[i], 0644, &e) == 0, "%s", e.text);
	}
}

static void make_bundle(struct made *b)
{
	static const uint8_t seed[32] = { 1 }, number[8] = { 2 };
	const struct str *texts;
	struct cache *cache;
	struct err e = ERR_INIT;
	struct log_progress progress;
	size_t damaged;

	memset(b, 0, sizeof(*b));
	snprintf(b->dir, sizeof(b->dir), "/tmp/gpkg-unit-XXXXXX");
	ck_assert_ptr_ne(mkdtemp(b->dir), NULL);
	manifest_fixture(&b->m, &texts);
	ck_assert_int_eq(secret_key_from_seed(seed, number, &b->key, &e), 0);
	struct trust_key who = { .from = STR("test") };
	secret_key_public(b->key, &who.key);
	vec_push(&b->trust, who);
	ck_assert_msg(cache_open(arena_printf(&b->a, "%s/cache", b->dir), &cache, &e) == 0, "%s", e.text);
	fill_cache(b, cache, texts);
	struct pack pack = { .manifest = &b->m, .key = b->key, .cache = cache };
	texts_write(&b->a, &b->m, &pack.later);
	log_quiet(true);
	log_progress_begin(&progress, "pack", 0);
	char *path = arena_printf(&b->a, "%s/b.tar.zst", b->dir);
	ck_assert_msg(pack_bundle(&pack, path, &progress, &damaged, &e) == 0, "%s", e.text);
	ck_assert_int_eq(fs_read(path, 1 << 24, &b->bytes, &e), 0);
	vec_release(&pack.later);
	cache_close(cache);
}

static void drop_bundle(struct made *b)
{
	struct err e = ERR_INIT;

	fs_remove_tree(b->dir, &e);
	buf_release(&b->bytes);
	secret_key_free(b->key);
	trust_release(&b->trust);
	manifest_release(&b->m);
	arena_release(&b->a);
}

static int collect(void *context, const void *bytes, size_t n, struct err *e)
{
	(void)e;
	buf_add(context, bytes, n);
	return 0;
}

/* Reads the bundle to its end through a file; counts the bytes of its files. */
static int check(const struct made *b, struct str bytes, struct buf *out, struct err *e)
{
	struct verified *v = NULL;
	const struct manifest_file *f;
	char path[96];

	snprintf(path, sizeof(path), "%s/c.tar.zst", b->dir);
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
	ck_assert_int_eq(fs_write_all(fd, bytes.p, bytes.n, path, e), 0);
	lseek(fd, 0, SEEK_SET);
	int r = verified_open(fd, "bundle", &b->trust, 1764500001, &v, e);
	while (!r && (r = verified_next(v, &f, e)) > 0) {
		r = verified_copy(v, collect, out, e);
	}
	r = r ? r : verified_finish(v, e);
	verified_close(v);
	close(fd);
	return r;
}

UNIT(bundle_comes_back_whole)
{
	CLEANUP_BUF struct buf files = BUF_INIT;
	struct made b;
	struct err e = ERR_INIT;

	make_bundle(&b);
	ck_assert_msg(check(&b, buf_str(&b.bytes), &files, &e) == 0, "%s", e.text);
	ck_assert_uint_eq(files.n, 299999 + 8);
	ck_assert(str_ends(buf_str(&files), "wwwan sdist"));
	drop_bundle(&b);
}

UNIT(bundle_refused_without_trust)
{
	CLEANUP_BUF struct buf files = BUF_INIT;
	struct made b;
	struct err e = ERR_INIT;

	make_bundle(&b);
	b.trust.v[0].key.key[0] ^= 1;
	ck_assert(check(&b, buf_str(&b.bytes), &files, &e) != 0);
	ck_assert(e.rc == RC_BUNDLE_STRANGER || e.rc == RC_BUNDLE_SIGNATURE);
	ck_assert_uint_eq(files.n, 0);
	drop_bundle(&b);
}

static void add_up(void *context, uint64_t bytes)
{
	*(uint64_t *)context += bytes;
}

/* What the parallel check says of these bytes, behind the metadata of the good ones. */
static bool check_parallel(const struct made *b, struct str bytes, uint64_t *counted)
{
	struct verified *v = NULL;
	struct err e = ERR_INIT;
	char path[96];

	snprintf(path, sizeof(path), "%s/p.tar.zst", b->dir);
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
	ck_assert_int_eq(fs_write_all(fd, b->bytes.p, b->bytes.n, path, &e), 0);
	lseek(fd, 0, SEEK_SET);
	ck_assert_msg(verified_open(fd, "bundle", &b->trust, 1764500001, &v, &e) == 0, "%s", e.text);
	ck_assert_int_eq(ftruncate(fd, 0), 0);
	lseek(fd, 0, SEEK_SET);
	ck_assert_int_eq(fs_write_all(fd, bytes.p, bytes.n, path, &e), 0);
	bool good = bundle_check_parallel(v, fd, 2, add_up, counted);
	verified_close(v);
	close(fd);
	return good;
}

UNIT(bundle_parallel_sees_every_byte)
{
	CLEANUP_BUF struct buf bad = BUF_INIT;
	struct made b;
	uint64_t counted = 0;

	make_bundle(&b);
	ck_assert(check_parallel(&b, buf_str(&b.bytes), &counted));
	ck_assert_uint_eq(counted, 299999 + 8);
	for (size_t i = 0; i < b.bytes.n; i += i < 2048 || i + 2048 > b.bytes.n ? 7 : 7919) {
		buf_clear(&bad);
		buf_addstr(&bad, buf_str(&b.bytes));
		bad.p[i] ^= (char)(1 << i % 8);
		ck_assert_msg(!check_parallel(&b, buf_str(&bad), &counted), "taken when changed at %zu", i);
	}
	ck_assert(!check_parallel(&b, (struct str){ b.bytes.p, b.bytes.n - 1 }, &counted));
	buf_clear(&bad);
	buf_addstr(&bad, buf_str(&b.bytes));
	buf_addc(&bad, '\0');
	ck_assert(!check_parallel(&b, buf_str(&bad), &counted));
	drop_bundle(&b);
}

UNIT(bundle_refused_when_cut_anywhere)
{
	CLEANUP_BUF struct buf files = BUF_INIT;
	struct made b;

	make_bundle(&b);
	for (size_t n = 0; n < b.bytes.n; n += n < 4096 || n + 2048 > b.bytes.n ? 7 : 9973) {
		struct err e = ERR_INIT;

		ck_assert_msg(check(&b, (struct str){ b.bytes.p, n }, &files, &e) != 0,
			"taken when cut at %zu", n);
		ck_assert_msg(e.rc == (n == 0 ? RC_BUNDLE_NOT : RC_BUNDLE_CUT), "at %zu: %s: %s", n,
			err_reason(e.rc), e.text);
	}
	drop_bundle(&b);
}

UNIT(bundle_refused_when_changed_anywhere)
{
	CLEANUP_BUF struct buf files = BUF_INIT;
	struct made b;

	make_bundle(&b);
	for (size_t i = 0; i < b.bytes.n; i += i < 4096 || i + 2048 > b.bytes.n ? 5 : 7919) {
		struct err e = ERR_INIT;

		b.bytes.p[i] ^= (char)(1 << i % 8);
		ck_assert_msg(check(&b, buf_str(&b.bytes), &files, &e) != 0, "taken when changed at %zu", i);
		b.bytes.p[i] ^= (char)(1 << i % 8);
	}
	drop_bundle(&b);
}

UNIT(bundle_refused_with_a_tail)
{
	CLEANUP_BUF struct buf files = BUF_INIT, longer = BUF_INIT;
	struct made b;
	struct err e = ERR_INIT;

	make_bundle(&b);
	buf_addstr(&longer, buf_str(&b.bytes));
	buf_addc(&longer, '\0');
	ck_assert(check(&b, buf_str(&longer), &files, &e) != 0);
	buf_clear(&longer);
	buf_addstr(&longer, buf_str(&b.bytes));
	buf_addstr(&longer, buf_str(&b.bytes));
	ck_assert(check(&b, buf_str(&longer), &files, &e) != 0);
	drop_bundle(&b);
}

UNIT(pack_refuses_a_rotten_cache)
{
	struct made b;
	struct err e = ERR_INIT;
	struct cache *cache;
	struct log_progress progress;
	size_t damaged = 99;
	const struct str *texts;
	struct manifest again;

	make_bundle(&b);
	manifest_fixture(&again, &texts);
	ck_assert_int_eq(cache_open(arena_printf(&b.a, "%s/cache", b.dir), &cache, &e), 0);
	char *blob = cache_file_path(cache, &b.a, &b.m.files[1].sha256);
	ck_assert_int_eq(fs_write(blob, STR("an sdisT"), 0644, &e), 0);
	struct pack pack = { .manifest = &b.m, .key = b.key, .cache = cache };
	texts_write(&b.a, &b.m, &pack.later);
	log_progress_begin(&progress, "pack", 0);
	char *path = arena_printf(&b.a, "%s/d.tar.zst", b.dir);
	ck_assert(pack_bundle(&pack, path, &progress, &damaged, &e) != 0);
	ck_assert_int_eq(e.rc, RC_HASH);
	ck_assert_uint_eq(damaged, 1);
	ck_assert(!fs_exists(path));
	ck_assert(!fs_exists(blob)); /* evicted */
	vec_release(&pack.later);
	cache_close(cache);
	manifest_release(&again);
	drop_bundle(&b);
}

/* A manifest that its own reader would refuse is found before anything is written. */
UNIT(pack_refuses_what_import_would)
{
	struct made b;
	struct err e = ERR_INIT;
	struct cache *cache;
	struct log_progress progress;
	size_t damaged;
	char reason[9000];

	make_bundle(&b);
	memset(reason, 'y', sizeof(reason));
	b.m.files[0].is_yanked = true;
	b.m.files[0].yanked = (struct str){ reason, sizeof(reason) };
	ck_assert_int_eq(cache_open(arena_printf(&b.a, "%s/cache", b.dir), &cache, &e), 0);
	struct pack pack = { .manifest = &b.m, .key = b.key, .cache = cache };
	texts_write(&b.a, &b.m, &pack.later);
	log_progress_begin(&progress, "pack", 0);
	char *path = arena_printf(&b.a, "%s/e.tar.zst", b.dir);
	ck_assert(pack_bundle(&pack, path, &progress, &damaged, &e) != 0);
	ck_assert_int_eq(e.rc, RC_LIMIT);
	ck_assert_ptr_ne(strstr(e.text, "yanked"), NULL);
	ck_assert(!fs_exists(path));
	vec_release(&pack.later);
	cache_close(cache);
	drop_bundle(&b);
}

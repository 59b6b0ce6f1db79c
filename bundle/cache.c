#include "bundle/cache.h"
#include "bundle/cache_folder.h"
#include "manifests/base/clock.h"
#include "manifests/base/fs.h"
#include "manifests/base/mem.h"
#include "verify/hash.h"

#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* A database of another layout is thrown away: it holds only what can be fetched again. */
enum { LAYOUT = 4, BUSY_MS = 10000, KEEP_DAYS = 30 };

static const char schema[] =
	"BEGIN IMMEDIATE;"
	"CREATE TABLE IF NOT EXISTS page(key TEXT PRIMARY KEY, status INTEGER NOT NULL, etag TEXT NOT NULL,"
	" modified TEXT NOT NULL, next TEXT NOT NULL, fetched INTEGER NOT NULL, fresh INTEGER NOT NULL,"
	" sum BLOB NOT NULL, body BLOB NOT NULL);"
	"CREATE TABLE IF NOT EXISTS text(of BLOB NOT NULL, kind TEXT NOT NULL, stored INTEGER NOT NULL,"
	" sum BLOB NOT NULL, body BLOB NOT NULL, PRIMARY KEY(of, kind)) WITHOUT ROWID;"
	"PRAGMA user_version = 4;"
	"COMMIT;";

struct cache {
	struct arena arena;
	const char *dir, *file;
	sqlite3 *db;
	sqlite3_stmt *get_text; /* made once: a run may ask for ten thousand; NULL: not yet */
};

static void cleanup_statement(sqlite3_stmt **s)
{
	sqlite3_finalize(*s);
}
#define CLEANUP_STATEMENT __attribute__((cleanup(cleanup_statement)))

static int db_error(struct cache *c, struct err *e)
{
	int code = sqlite3_errcode(c->db) & 0xff;
	enum rc rc = code == SQLITE_FULL                              ? RC_NO_SPACE
		     : code == SQLITE_BUSY || code == SQLITE_LOCKED   ? RC_LOCKED
		     : code == SQLITE_READONLY || code == SQLITE_PERM ? RC_PERMISSION
								      : RC_IO;

	return err_set(e, rc, "%s: %s", c->file, sqlite3_errmsg(c->db));
}

/* ---- opening ---- */

static bool is_ours(const char *path)
{
	struct stat st;

	return lstat(path, &st) || (S_ISREG(st.st_mode) && st.st_uid == geteuid());
}

static void drop_database(struct cache *c)
{
	static const char *const tails[] = { "", "-wal", "-shm", "-journal" };
	struct arena a = ARENA_INIT;

	sqlite3_close(c->db);
	c->db = NULL;
	for (size_t i = 0; i < sizeof(tails) / sizeof(*tails); i++) {
		unlink(arena_printf(&a, "%s%s", c->file, tails[i]));
	}
	arena_release(&a);
}

static int layout_of(struct cache *c)
{
	CLEANUP_STATEMENT sqlite3_stmt *s = NULL;

	if (sqlite3_prepare_v2(c->db, "PRAGMA user_version", -1, &s, NULL) ||
		sqlite3_step(s) != SQLITE_ROW) {
		return -1;
	}
	return sqlite3_column_int(s, 0);
}

/* SQLite's code: 0, SQLITE_BUSY..., or anything that means "make it anew". */
static int try_database(struct cache *c)
{
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOFOLLOW;
	int code = sqlite3_open_v2(c->file, &c->db, flags, NULL);

	if (code) {
		return code;
	}
	sqlite3_busy_timeout(c->db, BUSY_MS);
	int layout = layout_of(c);
	if (layout == LAYOUT) {
		return sqlite3_exec(c->db, "PRAGMA synchronous = NORMAL;", NULL, NULL, NULL);
	}
	if (layout) {
		return layout < 0 ? sqlite3_errcode(c->db) : SQLITE_MISMATCH;
	}
	/* WAL is for speed: where another process is doing the same, the switch may fail without
	 * harm. */
	sqlite3_exec(c->db,
		"PRAGMA page_size = 16384; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;", NULL,
		NULL, NULL);
	return sqlite3_exec(c->db, schema, NULL, NULL, NULL);
}

static bool is_hopeless(int code)
{
	code &= 0xff;
	return code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_MISMATCH ||
	       code == SQLITE_SCHEMA || code == SQLITE_ERROR;
}

static int open_database(struct cache *c, struct err *e)
{
	if (!is_ours(c->file)) {
		drop_database(c);
	}
	int code = try_database(c);
	if (is_hopeless(code)) {
		drop_database(c);
		code = try_database(c);
	}
	return code ? db_error(c, e) : 0;
}

/* Pages nobody asked for in a month; once per run, and no reason to fail. */
static void drop_old_pages(struct cache *c)
{
	CLEANUP_STATEMENT sqlite3_stmt *s = NULL;

	if (sqlite3_prepare_v2(c->db, "DELETE FROM page WHERE fetched < ?", -1, &s, NULL) ==
		SQLITE_OK) {
		sqlite3_bind_int64(
			s, 1, (sqlite3_int64)time(NULL) - (sqlite3_int64)KEEP_DAYS * 86400);
		sqlite3_step(s);
	}
}

int cache_open(const char *dir, struct cache **out, struct err *e)
{
	struct cache *c = mem_alloc(sizeof(*c));

	int r = cache_folder_make(&c->arena, dir, &c->dir, e);
	if (!r) {
		c->file = arena_printf(&c->arena, "%s/cache.sqlite", c->dir);
		r = open_database(c, e);
	}
	if (r) {
		err_hint(e, "XDG_CACHE_HOME names another place for the cache");
		cache_close(c);
		return r;
	}
	drop_old_pages(c);
	*out = c;
	return 0;
}

void cache_close(struct cache *c)
{
	if (c) {
		sqlite3_finalize(c->get_text);
		sqlite3_close(c->db);
		arena_release(&c->arena);
		free(c);
	}
}

const char *cache_dir(const struct cache *c)
{
	return c->dir;
}

/* ---- pages ---- */

static sqlite3_stmt *prepare(struct cache *c, const char *sql)
{
	sqlite3_stmt *s = NULL;

	return sqlite3_prepare_v2(c->db, sql, -1, &s, NULL) == SQLITE_OK ? s : NULL;
}

static void bind_text(sqlite3_stmt *s, int i, const char *text)
{
	sqlite3_bind_text(s, i, text ? text : "", -1, SQLITE_STATIC);
}

static void bind_body(sqlite3_stmt *s, int sum, int body, struct str text)
{
	struct digest d;

	hash_bytes(text, &d);
	sqlite3_bind_blob(s, sum, d.b, DIGEST_SIZE, SQLITE_TRANSIENT);
	sqlite3_bind_blob64(s, body, text.n ? text.p : "", text.n, SQLITE_STATIC);
}

static const char *column_text(sqlite3_stmt *s, int i, struct arena *a)
{
	return arena_dup(a, str_of((const char *)sqlite3_column_text(s, i)));
}

/* Valid until the next step. False where the bytes are not those that were put in. */
static bool column_body(sqlite3_stmt *s, int sum, int body, struct str *out)
{
	struct str text = { sqlite3_column_blob(s, body), (size_t)sqlite3_column_bytes(s, body) };
	const void *stored = sqlite3_column_blob(s, sum);
	struct digest d;

	hash_bytes(text, &d);
	if (!stored || sqlite3_column_bytes(s, sum) != DIGEST_SIZE ||
		memcmp(stored, d.b, DIGEST_SIZE) != 0) {
		return false;
	}
	*out = text;
	return true;
}

bool cache_get_page(struct cache *c, const char *key, struct arena *a, struct cache_page *out)
{
	CLEANUP_STATEMENT sqlite3_stmt *s =
		prepare(c, "SELECT status, etag, modified, next, fetched, fresh, sum, body "
			   "FROM page WHERE key = ?");
	struct str body;

	if (!s) {
		return false;
	}
	bind_text(s, 1, key);
	if (sqlite3_step(s) != SQLITE_ROW || !column_body(s, 6, 7, &body)) {
		return false;
	}
	*out = (struct cache_page){
		.status = sqlite3_column_int(s, 0),
		.etag = column_text(s, 1, a),
		.last_modified = column_text(s, 2, a),
		.next = column_text(s, 3, a),
		.fetched = (uint64_t)sqlite3_column_int64(s, 4),
		.fresh_until = (uint64_t)sqlite3_column_int64(s, 5),
		.body = arena_str(a, body),
	};
	return true;
}

int cache_put_page(struct cache *c, const char *key, const struct cache_page *page, struct err *e)
{
	CLEANUP_STATEMENT sqlite3_stmt *s =
		prepare(c, "INSERT OR REPLACE INTO page VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)");

	if (!s) {
		return db_error(c, e);
	}
	bind_text(s, 1, key);
	sqlite3_bind_int64(s, 2, page->status);
	bind_text(s, 3, page->etag);
	bind_text(s, 4, page->last_modified);
	bind_text(s, 5, page->next);
	sqlite3_bind_int64(s, 6, (sqlite3_int64)page->fetched);
	sqlite3_bind_int64(s, 7, (sqlite3_int64)page->fresh_until);
	bind_body(s, 8, 9, page->body);
	return sqlite3_step(s) == SQLITE_DONE ? 0 : db_error(c, e);
}

int cache_renew_page(
	struct cache *c, const char *key, uint64_t fetched, uint64_t fresh_until, struct err *e)
{
	CLEANUP_STATEMENT sqlite3_stmt *s =
		prepare(c, "UPDATE page SET fetched = ?, fresh = ? WHERE key = ?");

	if (!s) {
		return db_error(c, e);
	}
	sqlite3_bind_int64(s, 1, (sqlite3_int64)fetched);
	sqlite3_bind_int64(s, 2, (sqlite3_int64)fresh_until);
	bind_text(s, 3, key);
	return sqlite3_step(s) == SQLITE_DONE ? 0 : db_error(c, e);
}

void cache_expire_pages(struct cache *c)
{
	CLEANUP_STATEMENT sqlite3_stmt *s = prepare(c, "UPDATE page SET fresh = 0");

	if (s) {
		sqlite3_step(s);
	}
}

/* ---- texts ---- */

bool cache_get_text(struct cache *c, const struct digest *of, const char *kind, struct buf *out)
{
	struct str text;

	if (!c->get_text) {
		c->get_text = prepare(c, "SELECT sum, body FROM text WHERE of = ? AND kind = ?");
	}
	sqlite3_stmt *s = c->get_text;
	if (!s) {
		return false;
	}
	sqlite3_bind_blob(s, 1, of->b, DIGEST_SIZE, SQLITE_STATIC);
	bind_text(s, 2, kind);
	bool is_there = sqlite3_step(s) == SQLITE_ROW && column_body(s, 0, 1, &text);
	if (is_there) {
		buf_addstr(out, text);
	}
	sqlite3_reset(s); /* ends what it reads in: others may write */
	sqlite3_clear_bindings(s);
	return is_there;
}

int cache_put_text(
	struct cache *c, const struct digest *of, const char *kind, struct str text, struct err *e)
{
	CLEANUP_STATEMENT sqlite3_stmt *s =
		prepare(c, "INSERT OR REPLACE INTO text VALUES(?, ?, ?, ?, ?)");

	if (!s) {
		return db_error(c, e);
	}
	sqlite3_bind_blob(s, 1, of->b, DIGEST_SIZE, SQLITE_STATIC);
	bind_text(s, 2, kind);
	sqlite3_bind_int64(s, 3, (sqlite3_int64)clock_now());
	bind_body(s, 4, 5, text);
	return sqlite3_step(s) == SQLITE_DONE ? 0 : db_error(c, e);
}

/* ---- the whole ---- */

/* Rows of a table and the span of a column with times. */
static uint64_t count_rows(struct cache *c, const char *sql, struct cache_usage *u)
{
	CLEANUP_STATEMENT sqlite3_stmt *s = prepare(c, sql);

	if (!s || sqlite3_step(s) != SQLITE_ROW || !sqlite3_column_int64(s, 0)) {
		return 0;
	}
	cache_usage_span(u, (uint64_t)sqlite3_column_int64(s, 1));
	cache_usage_span(u, (uint64_t)sqlite3_column_int64(s, 2));
	return (uint64_t)sqlite3_column_int64(s, 0);
}

static uint64_t file_bytes(struct cache *c, const char *tail)
{
	struct arena a = ARENA_INIT;
	struct stat st;
	uint64_t n = stat(arena_printf(&a, "%s%s", c->file, tail), &st) ? 0 : (uint64_t)st.st_size;

	arena_release(&a);
	return n;
}

int cache_measure(struct cache *c, struct cache_usage *out, struct err *e)
{
	struct cache_usage u = { 0 };

	int r = cache_folder_measure(c->dir, &u, e);
	if (r) {
		return r;
	}
	u.pages = count_rows(c, "SELECT count(*), min(fetched), max(fetched) FROM page", &u);
	u.texts = count_rows(c, "SELECT count(*), min(stored), max(stored) FROM text", &u);
	u.database_bytes = file_bytes(c, "") + file_bytes(c, "-wal");
	*out = u;
	return 0;
}

static int delete_rows(struct cache *c, const char *sql, uint64_t before, uint64_t *n, struct err *e)
{
	CLEANUP_STATEMENT sqlite3_stmt *s = prepare(c, sql);

	if (!s) {
		return db_error(c, e);
	}
	sqlite3_bind_int64(s, 1, before > INT64_MAX ? INT64_MAX : (sqlite3_int64)before);
	if (sqlite3_step(s) != SQLITE_DONE) {
		return db_error(c, e);
	}
	*n = (uint64_t)sqlite3_changes(c->db);
	return 0;
}

int cache_clear(struct cache *c, uint64_t before, struct cache_usage *removed, struct err *e)
{
	struct cache_usage u = { 0 };
	int r = delete_rows(c, "DELETE FROM page WHERE fetched < ?", before, &u.pages, e);

	r = r ? r : delete_rows(c, "DELETE FROM text WHERE stored < ?", before, &u.texts, e);
	r = r ? r : cache_folder_clear(c->dir, before, &u, e);
	if (r) {
		return r;
	}
	/* Where another process is reading, the space stays in the file until the next time. */
	sqlite3_exec(c->db, "VACUUM; PRAGMA wal_checkpoint(TRUNCATE);", NULL, NULL, NULL);
	*removed = u;
	return 0;
}

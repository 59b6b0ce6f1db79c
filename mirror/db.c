#include "mirror/db.h"
#include "manifests/base/buf.h"
#include "manifests/base/mem.h"
#include "manifests/base/uri.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

enum { STATEMENTS_MAX = 48, BUSY_MS = 5000 };

struct db_query {
	struct db *db;
	const char *sql;
	sqlite3_stmt *stmt;
	bool busy;
};

struct db {
	sqlite3 *sqlite;
	char *path;
	struct db_query cached[STATEMENTS_MAX];
	size_t ncached;
};

/* SQLite's answer as an error of ours. */
static int fail(struct db *db, int code, struct err *e)
{
	const char *text = db->sqlite ? sqlite3_errmsg(db->sqlite) : sqlite3_errstr(code);
	enum rc rc = RC_STORE;

	switch (code & 0xff) {
	case SQLITE_FULL:
		rc = RC_NO_SPACE;
		break;
	case SQLITE_IOERR:
		rc = RC_IO;
		break;
	case SQLITE_PERM:
	case SQLITE_READONLY:
	case SQLITE_AUTH:
		rc = RC_PERMISSION;
		break;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		rc = RC_LOCKED;
		break;
	default:
		break;
	}
	return err_set(e, rc, "%s: %s", db->path, text);
}

static int configure(struct db *db, enum db_mode mode, struct err *e)
{
	/* No memory map: a damaged disk is then an error and not a SIGBUS. cell_size_check and
	 * trusted_schema guard against a file that somebody has tampered with. */
	int r = db_script(db,
		"PRAGMA mmap_size = 0; PRAGMA cell_size_check = 1; PRAGMA trusted_schema = 0;"
		"PRAGMA foreign_keys = 1;",
		e);

	if (!r && mode == DB_WRITE) {
		r = db_script(db, "PRAGMA journal_mode = DELETE; PRAGMA synchronous = EXTRA;", e);
	}
	return r;
}

int db_open(const char *path, enum db_mode mode, struct db **out, struct err *e)
{
	struct db *db = mem_alloc(sizeof(*db));
	CLEANUP_BUF struct buf name = BUF_INIT;
	int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI;

	db->path = mem_dup(path);
	buf_adds(&name, "file:");
	uri_encode(&name, str_of(path));
	if (mode == DB_IMMUTABLE) {
		buf_adds(&name, "?immutable=1");
		flags |= SQLITE_OPEN_READONLY;
	} else {
		flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOFOLLOW;
	}
	int code = sqlite3_open_v2(name.p, &db->sqlite, flags, NULL);
	int r = code == SQLITE_OK ? 0 : fail(db, code, e);
	if (!r) {
		sqlite3_extended_result_codes(db->sqlite, 1);
		sqlite3_busy_timeout(db->sqlite, BUSY_MS);
		r = configure(db, mode, e);
	}
	if (r) {
		db_close(db);
		return r;
	}
	*out = db;
	return 0;
}

void db_close(struct db *db)
{
	if (!db) {
		return;
	}
	for (size_t i = 0; i < db->ncached; i++) {
		sqlite3_finalize(db->cached[i].stmt);
	}
	sqlite3_close(db->sqlite);
	free(db->path);
	free(db);
}

void cleanup_db(struct db **db)
{
	db_close(*db);
}

struct db_value db_text(struct str text)
{
	return (struct db_value){ .kind = DB_TEXT, .bytes = text };
}

struct db_value db_number(uint64_t number)
{
	return (struct db_value){ .kind = DB_NUMBER, .number = number };
}

struct db_value db_digest(const struct digest *d)
{
	return (struct db_value){ .kind = DB_BLOB, .bytes = { (const char *)d->b, DIGEST_SIZE } };
}

struct db_value db_null(void)
{
	return (struct db_value){ .kind = DB_NULL };
}

static int bind(sqlite3_stmt *stmt, int i, const struct db_value *v)
{
	const char *bytes = v->bytes.p ? v->bytes.p : "";

	switch (v->kind) {
	case DB_TEXT:
		return sqlite3_bind_text64(stmt, i, bytes, v->bytes.n, SQLITE_STATIC, SQLITE_UTF8);
	case DB_BLOB:
		return sqlite3_bind_blob64(stmt, i, bytes, v->bytes.n, SQLITE_STATIC);
	case DB_NUMBER:
		return v->number > INT64_MAX
			       ? SQLITE_RANGE
			       : sqlite3_bind_int64(stmt, i, (sqlite3_int64)v->number);
	case DB_NULL:
		break;
	}
	return sqlite3_bind_null(stmt, i);
}

/* The prepared statement of this text, made when it is first asked for. */
static int statement(struct db *db, const char *sql, struct db_query **out, struct err *e)
{
	for (size_t i = 0; i < db->ncached; i++) {
		if (db->cached[i].sql == sql) {
			*out = &db->cached[i];
			return (*out)->busy ? err_set(e, RC_BUG, "statement in use: %s", sql) : 0;
		}
	}
	if (db->ncached == STATEMENTS_MAX) {
		return err_set(e, RC_BUG, "more than %d statements: %s", STATEMENTS_MAX, sql);
	}
	struct db_query *q = &db->cached[db->ncached];
	*q = (struct db_query){ .db = db, .sql = sql };
	int code =
		sqlite3_prepare_v3(db->sqlite, sql, -1, SQLITE_PREPARE_PERSISTENT, &q->stmt, NULL);
	if (code != SQLITE_OK) {
		return fail(db, code, e);
	}
	db->ncached++;
	*out = q;
	return 0;
}

int db_ask(struct db *db, const char *sql, const struct db_value *values, size_t n,
	struct db_query **out, struct err *e)
{
	struct db_query *q = NULL;
	int r = statement(db, sql, &q, e);

	if (r) {
		return r;
	}
	if (sqlite3_bind_parameter_count(q->stmt) != (int)n) {
		return err_set(e, RC_BUG, "%zu values for: %s", n, sql);
	}
	for (size_t i = 0; i < n; i++) {
		int code = bind(q->stmt, (int)i + 1, &values[i]);

		if (code != SQLITE_OK) {
			return fail(db, code, e);
		}
	}
	q->busy = true;
	*out = q;
	return 0;
}

int db_row(struct db_query *q, struct err *e)
{
	int code = sqlite3_step(q->stmt);

	if (code == SQLITE_ROW) {
		return 1;
	}
	return code == SQLITE_DONE ? 0 : fail(q->db, code, e);
}

struct str db_col_text(struct db_query *q, int column)
{
	const char *p = sqlite3_column_blob(q->stmt, column);

	return (struct str){ p, p ? (size_t)sqlite3_column_bytes(q->stmt, column) : 0 };
}

uint64_t db_col_number(struct db_query *q, int column)
{
	sqlite3_int64 n = sqlite3_column_int64(q->stmt, column);

	return n > 0 ? (uint64_t)n : 0;
}

bool db_col_is_null(struct db_query *q, int column)
{
	return sqlite3_column_type(q->stmt, column) == SQLITE_NULL;
}

bool db_col_digest(struct db_query *q, int column, struct digest *out)
{
	struct str blob = db_col_text(q, column);

	if (blob.n != DIGEST_SIZE) {
		return false;
	}
	memcpy(out->b, blob.p, DIGEST_SIZE);
	return true;
}

void db_query_end(struct db_query *q)
{
	if (q) {
		sqlite3_reset(q->stmt);
		sqlite3_clear_bindings(q->stmt);
		q->busy = false;
	}
}

void cleanup_db_query(struct db_query **q)
{
	db_query_end(*q);
}

int db_run(struct db *db, const char *sql, const struct db_value *values, size_t n, struct err *e)
{
	CLEANUP_DB_QUERY struct db_query *q = NULL;
	int r = db_ask(db, sql, values, n, &q, e);

	if (!r) {
		r = db_row(q, e);
	}
	return r > 0 ? err_set(e, RC_BUG, "unexpected row: %s", sql) : r;
}

int db_script(struct db *db, const char *sql, struct err *e)
{
	int code = sqlite3_exec(db->sqlite, sql, NULL, NULL, NULL);

	return code == SQLITE_OK ? 0 : fail(db, code, e);
}

uint64_t db_last_id(const struct db *db)
{
	return (uint64_t)sqlite3_last_insert_rowid(db->sqlite);
}

int db_ask_number(struct db *db, const char *sql, const struct db_value *values, size_t n,
	uint64_t none, uint64_t *out, struct err *e)
{
	CLEANUP_DB_QUERY struct db_query *q = NULL;
	int r = db_ask(db, sql, values, n, &q, e);

	if (!r) {
		r = db_row(q, e);
	}
	if (r < 0) {
		return r;
	}
	*out = r > 0 ? db_col_number(q, 0) : none;
	return 0;
}

int db_begin(struct db *db, struct err *e)
{
	return db_script(db, "BEGIN IMMEDIATE", e);
}

int db_commit(struct db *db, struct err *e)
{
	return db_script(db, "COMMIT", e);
}

void db_rollback(struct db *db)
{
	if (!sqlite3_get_autocommit(db->sqlite)) {
		sqlite3_exec(db->sqlite, "ROLLBACK", NULL, NULL, NULL);
	}
}

int db_copy(struct db *db, const char *path, struct err *e)
{
	return db_run(db, "VACUUM INTO ?", DB_VALUES(db_text(str_of(path))), e);
}

/* SQLite, the little of it that the store needs. Statements are prepared once per connection: an
 * SQL text must be a literal (its address is the key). Values are given as an array, columns are
 * read by number. Not for use by two threads at once. */
#ifndef MIRROR_DB_H
#define MIRROR_DB_H

#include "manifests/base/err.h"
#include "manifests/digest.h"

enum db_mode {
	/* Made where absent; rollback journal, synchronous=EXTRA: durable when it commits. */
	DB_WRITE = 1,
	/* A finished file that nobody changes: read without locks, also from read-only media. */
	DB_IMMUTABLE,
};

struct db;

int db_open(const char *path, enum db_mode mode, struct db **out, struct err *e);
void db_close(struct db *db); /* NULL is allowed; rolls back what was not committed */
void cleanup_db(struct db **db);
#define CLEANUP_DB __attribute__((cleanup(cleanup_db)))

struct db_value {
	enum { DB_TEXT = 1, DB_NUMBER, DB_BLOB, DB_NULL } kind;
	struct str bytes; /* TEXT, BLOB: must live until the call returns */
	uint64_t number;  /* below 2^63 */
};
struct db_value db_text(struct str text);
struct db_value db_number(uint64_t number);
struct db_value db_digest(const struct digest *d); /* a blob of 32 bytes */
struct db_value db_null(void);

/* Values and their count in one:
 *	db_run(db, "DELETE FROM t WHERE a = ?", DB_VALUES(db_number(1)), e) */
#define DB_VALUES(...)                            \
	(const struct db_value[]){ __VA_ARGS__ }, \
		sizeof((const struct db_value[]){ __VA_ARGS__ }) / sizeof(struct db_value)
#define DB_NO_VALUES NULL, 0

/* A statement that gives no rows. */
int db_run(struct db *db, const char *sql, const struct db_value *values, size_t n, struct err *e);
/* Several statements in one text, no values; not cached. */
int db_script(struct db *db, const char *sql, struct err *e);
uint64_t db_last_id(const struct db *db); /* row id of the last INSERT */

/* Rows: while ((r = db_row(q, e)) > 0) { db_col_...(q, 0) }. The query must be ended before its
 * text is used again. Text lives until the next row. */
struct db_query;
int db_ask(struct db *db, const char *sql, const struct db_value *values, size_t n,
	struct db_query **out, struct err *e);
int db_row(struct db_query *q, struct err *e); /* 1 a row, 0 no more */
struct str db_col_text(struct db_query *q, int column);
uint64_t db_col_number(struct db_query *q, int column); /* 0 for NULL and negative numbers */
bool db_col_is_null(struct db_query *q, int column);
bool db_col_digest(struct db_query *q, int column, struct digest *out); /* false: not 32 bytes */
void db_query_end(struct db_query *q);                                  /* NULL is allowed */
void cleanup_db_query(struct db_query **q);
#define CLEANUP_DB_QUERY __attribute__((cleanup(cleanup_db_query)))

/* The one number that a query gives; `none` where it gives no row. */
int db_ask_number(struct db *db, const char *sql, const struct db_value *values, size_t n,
	uint64_t none, uint64_t *out, struct err *e);

int db_begin(struct db *db, struct err *e); /* takes the write lock at once */
int db_commit(struct db *db, struct err *e);
void db_rollback(struct db *db); /* nothing where no transaction is open */

/* A compact copy at a path that does not exist yet. Not flushed: that is the caller's. */
int db_copy(struct db *db, const char *path, struct err *e);

#endif

#include "verify/wheel_record.h"

#include "manifests/limits.h"
#include "verify/member_name.h"

#include <stdlib.h>

/* ---- faults ---- */

/* Keeps what comes first in RECORD, whoever finds it when. */
static void fault_note(
	struct record *r, size_t line, const struct wheel_member *m, const struct err *fault)
{
	size_t member = m ? (size_t)(m - r->dir->members) : 0;

	pthread_mutex_lock(&r->lock);
	if (!r->fault.rc || line < r->line || (line == r->line && member < r->member)) {
		r->fault = *fault;
		r->line = line;
		r->member = member;
	}
	pthread_mutex_unlock(&r->lock);
}

static void row_fault(struct record *r, const struct record_row *row, const char *what)
{
	char shown[MEMBER_NAME_SHOWN];
	struct err e = ERR_INIT;

	err_set(&e, RC_WHEEL, "RECORD: line %zu: \"%s\" %s", row->line,
		member_name_show(row->path, shown), what);
	fault_note(r, row->line, NULL, &e);
}

int record_verdict(const struct record *r, struct err *e)
{
	if (r->fault.rc) {
		*e = r->fault;
	}
	return -(int)r->fault.rc;
}

/* ---- rows ---- */

static int row_cmp(const void *a, const void *b)
{
	const struct record_row *x = a, *y = b;
	int order = str_cmp(x->path, y->path);

	return order ? order : (x->line > y->line) - (x->line < y->line);
}

static void row_check(struct record *r, const struct record_row *row)
{
	const struct wheel_member *m = zip_dir_find(r->dir, row->path);
	struct err e = ERR_INIT;

	if (row > r->rows && str_eq(row->path, row[-1].path)) {
		row_fault(r, row, "is listed twice");
	} else if (member_name_check(row->path, MEMBER_NAME_LINUX, &e)) {
		err_wrap(&e, "RECORD: line %zu", row->line);
		err_recode(&e, RC_WHEEL);
		fault_note(r, row->line, NULL, &e);
	} else if (!m || m->is_dir) {
		row_fault(r, row, "is not a file of the wheel");
	} else if (m == r->self && row->hash.n) {
		row_fault(r, row, "cannot have its own digest");
	}
}

static void rows_read(struct record *r, struct str text)
{
	struct err e = ERR_INIT;

	if (record_csv_parse(&r->arena, arena_str(&r->arena, text), &r->rows, &r->n, &e)) {
		err_wrap(&e, "RECORD");
		fault_note(r, 0, NULL, &e);
		return;
	}
	qsort(r->rows, r->n, sizeof(*r->rows), row_cmp);
	for (size_t i = 0; i < r->n; i++) {
		row_check(r, &r->rows[i]);
	}
}

int record_load(struct wheel *w, struct record *out, struct err *e)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct record *r = out;
	struct err none = ERR_INIT;
	const struct wheel_member *self = wheel_find_info(w, "RECORD");
	int rc = self ? member_load(w, self, LIMIT_RECORD, &text, e) : 0;

	if (rc) {
		return rc;
	}
	*r = (struct record){
		.arena = ARENA_INIT,
		.dir = &w->dir,
		.self = self,
		.jws = wheel_find_info(w, "RECORD.jws"),
		.p7s = wheel_find_info(w, "RECORD.p7s"),
		.lock = PTHREAD_MUTEX_INITIALIZER,
	};
	if (self) {
		rows_read(r, buf_str(&text));
	} else {
		err_set(&none, RC_WHEEL, "it has no RECORD");
		fault_note(r, 0, NULL, &none);
	}
	return 0;
}

void record_release(struct record *r)
{
	pthread_mutex_destroy(&r->lock);
	arena_release(&r->arena);
}

/* NULL: none. Of a path that is there twice, the first. */
static const struct record_row *row_find(const struct record *r, struct str path)
{
	size_t low = 0, high = r->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (str_cmp(r->rows[mid].path, path) < 0) {
			low = mid + 1;
		} else {
			high = mid;
		}
	}
	return low < r->n && str_eq(r->rows[low].path, path) ? &r->rows[low] : NULL;
}

/* ---- members ---- */

void record_reader_init(struct record_reader *r, struct record *record)
{
	*r = (struct record_reader){ .record = record };
	record_digest_init(&r->digest);
}

void record_reader_release(struct record_reader *r)
{
	record_digest_release(&r->digest);
}

/* NULL, or what is wrong with a row before any byte of the file was seen. */
static const char *row_begin(
	struct record_reader *r, const struct record_row *row, const struct wheel_member *m)
{
	uint64_t size = m->size;

	if (row->size.n && !str_to_u64(row->size, &size)) {
		return "has a size that is no number";
	}
	return size != m->size ? "has another size than the file"
			       : record_digest_begin(&r->digest, row->hash);
}

void record_reader_begin(struct record_reader *r, const struct wheel_member *m)
{
	struct record *record = r->record;
	const struct record_row *row = row_find(record, m->name);
	char shown[MEMBER_NAME_SHOWN];
	struct err e = ERR_INIT;

	r->row = NULL;
	if (m->is_dir || m == record->self || m == record->jws || m == record->p7s) {
		return;
	}
	if (!row) {
		err_set(&e, RC_WHEEL, "RECORD does not list \"%s\"",
			member_name_show(m->name, shown));
		fault_note(record, SIZE_MAX, m, &e);
		return;
	}
	const char *wrong = row_begin(r, row, m);
	if (wrong) {
		row_fault(record, row, wrong);
	} else {
		r->row = row;
	}
}

void record_reader_add(struct record_reader *r, const void *bytes, size_t n)
{
	if (r->row) {
		record_digest_add(&r->digest, bytes, n);
	}
}

void record_reader_end(struct record_reader *r, bool is_whole)
{
	if (r->row && !record_digest_end(&r->digest) && is_whole) {
		row_fault(r->record, r->row, "has another digest than the file");
	}
	r->row = NULL;
}

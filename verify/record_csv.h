/* RECORD of a wheel as text: CSV rows "path,hash,size" ("Recording installed projects"). */
#ifndef VERIFY_RECORD_CSV_H
#define VERIFY_RECORD_CSV_H

#include "manifests/base/arena.h"
#include "manifests/base/err.h"

struct record_row {
	struct str path, hash, size; /* unquoted; hash and size may be empty */
	size_t line;
};

/* Rows in order of writing; slices of `text`, or of the arena where a quote was doubled. Three
 * fields a row; LF or CRLF; blank lines are skipped. RC_WHEEL with the line. */
int record_csv_parse(
	struct arena *a, struct str text, struct record_row **rows, size_t *n, struct err *e);

#endif

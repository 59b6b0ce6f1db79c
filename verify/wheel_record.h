/* RECORD of a wheel against its members ("Recording installed projects"): every member present,
 * hashed with sha256 or better, right; no row twice or without its member. Somebody else reads the
 * members, in any order and on any number of threads: what comes out is the same. */
#ifndef VERIFY_WHEEL_RECORD_H
#define VERIFY_WHEEL_RECORD_H

#include "verify/record_csv.h"
#include "verify/record_digest.h"
#include "verify/wheel_private.h"

#include <pthread.h>

struct record {
	struct arena arena;
	const struct zip_dir *dir; /* the wheel's */
	struct record_row *rows;   /* sorted by path */
	size_t n;
	/* What RECORD cannot vouch for: itself, and what signs it. NULL: absent. */
	const struct wheel_member *self, *jws, *p7s;
	/* The first fault so far, by RECORD's lines; members that it does not list come last. */
	pthread_mutex_t lock;
	struct err fault;
	size_t line, member;
};

/* Reads RECORD and checks its rows; what is wrong with them is a fault, no error. RC_WHEEL,
 * RC_LIMIT: its bytes cannot be had. */
int record_load(struct wheel *w, struct record *out, struct err *e);
void record_release(struct record *r);

struct record_reader { /* one thread's, for one member after the other */
	struct record *record;
	struct record_digest digest;
	const struct record_row *row; /* of the member that is being hashed; NULL: none is */
};
void record_reader_init(struct record_reader *r, struct record *record);
void record_reader_release(struct record_reader *r);
void record_reader_begin(struct record_reader *r, const struct wheel_member *m);
void record_reader_add(struct record_reader *r, const void *bytes, size_t n);
/* is_whole: the member was read to its end. */
void record_reader_end(struct record_reader *r, bool is_whole);

/* Once all members were read: 0, or the first fault, which begins with "RECORD" or "it has no
 * RECORD". RC_WHEEL. */
int record_verdict(const struct record *r, struct err *e);

#endif

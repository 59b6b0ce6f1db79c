/* The inside of struct wheel, for wheel_*.c and native*.c only. */
#ifndef VERIFY_WHEEL_PRIVATE_H
#define VERIFY_WHEEL_PRIVATE_H

#include "verify/zip_dir.h"

struct wheel {
	struct arena arena;
	struct wheel_source source;
	int fd; /* wheel_open_fd's, -1 without */
	struct dist_name name;
	struct zip_dir dir;
	struct str info;                 /* "demo-1.0.dist-info" */
	char *packed, *inflated;         /* a piece each, made when they are needed */
	struct wheel_metadata *metadata; /* NULL until it is asked for */
	bool is_twin;                    /* name, dir and info belong to another */
};

/* Bytes of the file, out of what is in memory where they lie there. */
int wheel_fetch(struct wheel *w, uint64_t offset, char *to, size_t n, struct err *e);

/* wheel_stream and wheel_read, but their messages begin with the member's name. */
int member_stream(struct wheel *w, const struct wheel_member *m,
	int (*take)(void *context, const void *bytes, size_t n, struct err *e), void *context,
	struct err *e);
int member_load(struct wheel *w, const struct wheel_member *m, uint64_t max, struct buf *out,
	struct err *e);

/* What is to be said of a wheel besides RECORD: whether the file is also a tar, the version of
 * WHEEL, the names of entry points. RC_WHEEL, without the file's name. */
int wheel_check_frame(struct wheel *w, struct err *e);

#endif

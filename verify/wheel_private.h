/* The inside of struct wheel, for wheel_in.c, wheel_metadata.c and wheel_record.c only. */
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
};

/* Bytes of the file, out of what is in memory where they lie there. */
int wheel_fetch(struct wheel *w, uint64_t offset, char *to, size_t n, struct err *e);

/* wheel_stream and wheel_read, but their messages begin with the member's name. */
int member_stream(struct wheel *w, const struct wheel_member *m,
	int (*take)(void *context, const void *bytes, size_t n, struct err *e), void *context,
	struct err *e);
int member_load(struct wheel *w, const struct wheel_member *m, uint64_t max, struct buf *out,
	struct err *e);

#endif

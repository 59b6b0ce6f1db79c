/* The whole wheel: what an installer will take for granted. */
#include "verify/wheel_record.h"
#include "verify/wheel_scripts.h"

enum { TAR_BLOCK = 512 };

/* A file whose first block has the checksum of a tar header is a tar for those who look for one
 * first (POSIX.1-2017 pax, "ustar Interchange Format"). */
static int tar_check(struct wheel *w, struct err *e)
{
	char block[TAR_BLOCK];
	uint64_t sum = 0, says = 0;
	size_t i = 148;

	if (w->source.size < TAR_BLOCK) {
		return 0;
	}
	int rc = wheel_fetch(w, 0, block, sizeof(block), e);
	if (rc) {
		return rc;
	}
	while (i < 156 && block[i] == ' ') {
		i++;
	}
	for (; i < 156 && block[i] >= '0' && block[i] <= '7'; i++) {
		says = says * 8 + (uint64_t)(block[i] - '0');
	}
	for (i = 0; i < TAR_BLOCK; i++) {
		sum += i >= 148 && i < 156 ? ' ' : (unsigned char)block[i];
	}
	return sum == says ? err_set(e, RC_WHEEL, "the file is also a tar archive") : 0;
}

int wheel_check_frame(struct wheel *w, struct err *e)
{
	int rc = tar_check(w, e);

	return rc ? rc : wheel_scripts_check(w, e);
}

static int contents_take(void *context, const void *bytes, size_t n, struct err *e)
{
	(void)e;
	record_reader_add(context, bytes, n);
	return 0;
}

static int members_check(struct wheel *w, struct record *record, struct err *e)
{
	struct record_reader r;
	int rc = 0;

	record_reader_init(&r, record);
	for (size_t i = 0; i < w->dir.n && !rc; i++) {
		const struct wheel_member *m = w->dir.by_offset[i];

		record_reader_begin(&r, m);
		rc = member_stream(w, m, contents_take, &r, e);
		record_reader_end(&r, rc == 0);
	}
	record_reader_release(&r);
	/* Where RECORD is wrong too, it explains more than bytes that do not fit. */
	return rc && !record->fault.rc ? rc : record_verdict(record, e);
}

int wheel_check_record(struct wheel *w, struct err *e)
{
	struct record record;
	int rc = wheel_check_frame(w, e);

	rc = rc ? rc : record_load(w, &record, e);
	if (!rc) {
		rc = members_check(w, &record, e);
		record_release(&record);
	}
	return rc ? err_wrap(e, "%.*s", STR_ARG(w->name.file)) : 0;
}

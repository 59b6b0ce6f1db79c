/* Errors: what went wrong, where, and what to do about it.
 *
 * Every fallible function returns int - 0, or a negative enum rc - and takes `struct err *` last.
 * An error is set once where it is found (err_set, err_sys), wrapped once per layer with the name of
 * the object (err_wrap), and printed once by a verb (err_print). On success the struct is untouched,
 * so calls chain. The library never prints.
 *
 *	if (size > LIMIT_FILE)
 *		return err_set(e, RC_LIMIT, "member %s: %" PRIu64 " bytes, limit %d", ...);
 *	if (file_open(path, &f, e))
 *		return err_wrap(e, "%s", path);
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdbool.h>

enum rc {
	RC_OK = 0,
#define RC(name, status, reason, text) RC_##name,
#include "manifests/base/rc.def"
#undef RC
	RC_COUNT
};

#define ERR_TEXT_MAX 3072 /* longer messages are cut at the end and marked "..." */
#define ERR_HINT_MAX 768

struct err {
	enum rc rc;
	char text[ERR_TEXT_MAX]; /* "object: what is wrong"; no newline at the end */
	char hint[ERR_HINT_MAX]; /* what to do; "" where the text says it */
};

#define ERR_INIT { .rc = RC_OK }

/* Each returns -rc, so that `return err_set(...)` is one statement. */
int err_set(struct err *e, enum rc rc, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* From errno: out of space, permission, not found and others become their own codes. */
int err_sys(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Puts "context: " before the text; code and hint stay. */
int err_wrap(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Sets the remedy, unless a deeper layer has set one. */
int err_hint(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Another code for the same text: a reader's RC_SYNTAX becomes its caller's own. */
int err_recode(struct err *e, enum rc rc);
void err_clear(struct err *e);

const char *err_reason(enum rc rc); /* "no-space" */
int err_exit_status(enum rc rc);    /* 1..4; 0 for RC_OK */

#endif

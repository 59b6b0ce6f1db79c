#include "manifests/base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
	int status;
	const char *reason;
} table[] = {
	[RC_OK] = { 0, "ok" },
#define RC(name, status, reason, text) [RC_##name] = { status, reason },
#include "manifests/base/rc.def"
#undef RC
};

static void __attribute__((format(printf, 3, 0)))
put(char *to, size_t size, const char *fmt, va_list args)
{
	int n = vsnprintf(to, size, fmt, args);

	if (n >= (int)size) {
		memcpy(to + size - 4, "...", 4);
	}
}

int err_set(struct err *e, enum rc rc, const char *fmt, ...)
{
	va_list args;

	e->rc = rc;
	e->hint[0] = '\0';
	va_start(args, fmt);
	put(e->text, sizeof(e->text), fmt, args);
	va_end(args);
	return -(int)rc;
}

static enum rc rc_of_errno(int code)
{
	switch (code) {
	case ENOSPC:
	case EDQUOT:
	case EFBIG:
		return RC_NO_SPACE;
	case EACCES:
	case EPERM:
	case EROFS:
		return RC_PERMISSION;
	default:
		return RC_IO;
	}
}

int err_sys(struct err *e, const char *fmt, ...)
{
	int code = errno;
	va_list args;

	va_start(args, fmt);
	put(e->text, sizeof(e->text), fmt, args);
	va_end(args);
	size_t n = strlen(e->text);
	snprintf(e->text + n, sizeof(e->text) - n, ": %s", strerror(code));
	e->rc = rc_of_errno(code);
	e->hint[0] = '\0';
	return -(int)e->rc;
}

int err_wrap(struct err *e, const char *fmt, ...)
{
	char old[ERR_TEXT_MAX];
	va_list args;

	memcpy(old, e->text, sizeof(old));
	va_start(args, fmt);
	put(e->text, sizeof(e->text), fmt, args);
	va_end(args);
	size_t n = strlen(e->text);
	int m = snprintf(e->text + n, sizeof(e->text) - n, ": %s", old);
	if (n + (size_t)m >= sizeof(e->text)) {
		memcpy(e->text + sizeof(e->text) - 4, "...", 4);
	}
	return -(int)e->rc;
}

int err_hint(struct err *e, const char *fmt, ...)
{
	if (e->hint[0] == '\0') {
		va_list args;

		va_start(args, fmt);
		put(e->hint, sizeof(e->hint), fmt, args);
		va_end(args);
	}
	return -(int)e->rc;
}

int err_recode(struct err *e, enum rc rc)
{
	e->rc = rc;
	return -(int)rc;
}

void err_clear(struct err *e)
{
	e->rc = RC_OK;
	e->text[0] = '\0';
	e->hint[0] = '\0';
}

const char *err_reason(enum rc rc)
{
	return table[rc].reason;
}

int err_exit_status(enum rc rc)
{
	return table[rc].status;
}

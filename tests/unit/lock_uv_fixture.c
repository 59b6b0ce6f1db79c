#include "tests/unit/lock_uv_fixture.h"
#include "manifests/base/mem.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int uv_parse(const char *targets, const char *text, const struct lock_options *given,
	struct lock *l, struct err *e)
{
	char path[64];
	int fd = memfd_create("targets", MFD_CLOEXEC);
	struct lock_options options = given ? *given : (struct lock_options){ .extra = NULL };

	ck_assert_int_ge(fd, 0);
	ck_assert(dprintf(fd, "lock-version = 1\n%s", targets) > 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	options.targets_file = path;
	int r = lock_parse(str_of(text), "uv.lock", &options, l, e);
	close(fd);
	return r;
}

static char *rows_text(const struct lock *l)
{
	struct buf have = BUF_INIT;

	buf_adds(&have, "");
	for (size_t i = 0; i < l->npackages; i++) {
		const struct lock_package *p = &l->packages[i];

		buf_addf(&have, "%s%.*s@", i ? " " : "", STR_ARG(p->req.raw));
		for (size_t t = 0; t < p->ntargets; t++) {
			buf_addf(&have, "%s%.*s", t ? "," : "", STR_ARG(p->targets[t]));
		}
	}
	return buf_detach(&have);
}

void uv_check_rows(
	const char *targets, const char *text, const struct lock_options *options, const char *want)
{
	struct lock l = LOCK_INIT;
	struct err e = ERR_INIT;

	ck_assert_msg(uv_parse(targets, text, options, &l, &e) == 0, "%s", e.text);
	CLEANUP(free) char *have = rows_text(&l);
	ck_assert_str_eq(have, want);
	lock_release(&l);
}

void uv_check_refused(const char *targets, const char *text, const struct lock_options *options,
	enum rc rc, const char *want)
{
	struct lock l = LOCK_INIT;
	struct err e = ERR_INIT;
	int r = uv_parse(targets, text, options, &l, &e);

	ck_assert_msg(r == -(int)rc, "%s: %d %s", want, r, e.text);
	ck_assert_msg(str_has(str_of(e.text), want), "%s\nlacks %s", e.text, want);
	ck_assert(str_starts(str_of(e.text), "uv.lock: "));
	ck_assert(l.arena.pages == NULL);
}

#include "tests/unit/requirements_fixture.h"
#include "manifests/base/fs.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char requirements_targets[] =
	"lock-version = 1\n"
	"[[target]]\nname = \"lin\"\npython = \"3.12.4\"\nplatform = \"linux_x86_64\"\nglibc = "
	"\"2.28\"\n"
	"[[target]]\nname = \"win\"\npython = \"3.11\"\nplatform = \"win_amd64\"\n";

void folder_open(struct folder *f)
{
	const char *base = getenv("TMPDIR");
	struct err e = ERR_INIT;

	*f = (struct folder){ .arena = ARENA_INIT };
	char *made = arena_printf(&f->arena, "%s/requirements-XXXXXX", base ? base : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(made));
	f->path = realpath(made, NULL);
	ck_assert_ptr_nonnull(f->path);
	ck_assert_int_eq(fs_write(arena_printf(&f->arena, "%s/targets.toml", f->path),
				 str_of(requirements_targets), 0600, &e),
		0);
}

void folder_close(struct folder *f)
{
	struct err e = ERR_INIT;

	ck_assert_int_eq(fs_remove_tree(f->path, &e), 0);
	free((void *)(uintptr_t)f->path);
	arena_release(&f->arena);
}

void folder_put(struct folder *f, const char *name, struct str text)
{
	const char *path = arena_printf(&f->arena, "%s/%s", f->path, name);
	struct err e = ERR_INIT;

	ck_assert_int_eq(fs_mkdirs(fs_dirname(&f->arena, path), 0700, &e), 0);
	ck_assert_int_eq(fs_write(path, text, 0600, &e), 0);
}

int folder_read(struct folder *f, struct str text, struct lock *l, struct err *e)
{
	const struct lock_options options = { .targets_file = arena_printf(
						      &f->arena, "%s/targets.toml", f->path) };

	return lock_parse(text, arena_printf(&f->arena, "%s/r.txt", f->path), &options, l, e);
}

static void rows_text(const struct lock *l, struct buf *out)
{
	buf_adds(out, "");
	for (size_t i = 0; i < l->npackages; i++) {
		const struct lock_package *p = &l->packages[i];

		buf_addf(out, "%.*s @", STR_ARG(p->req.raw));
		for (size_t t = 0; t < p->ntargets; t++) {
			buf_addf(out, "%s%.*s", t ? "," : "", STR_ARG(p->targets[t]));
		}
		if (p->nfiles) {
			buf_addf(out, " file=%.*s%s", STR_ARG(p->files[0].file),
				p->files[0].has_sha256 ? " sha" : "");
		}
		if (p->nhashes) {
			buf_addf(out, " hashes=%zu", p->nhashes);
		}
		buf_addc(out, '\n');
		ck_assert(p->req.marker == NULL && p->url.n == 0);
	}
}

void check_requirements(struct folder *f, const char *text, const char *want)
{
	CLEANUP_BUF struct buf have = BUF_INIT;
	struct lock l = LOCK_INIT;
	struct err e = ERR_INIT;

	ck_assert_msg(folder_read(f, str_of(text), &l, &e) == 0, "%s\n%s", text, e.text);
	ck_assert_int_eq(l.kind, LOCK_REQUIREMENTS);
	rows_text(&l, &have);
	ck_assert_msg(strcmp(have.p, want) == 0, "%s\nhave %s\nwant %s", text, have.p, want);
	lock_release(&l);
}

void check_requirements_refusal(struct folder *f, const struct requirements_refusal *row)
{
	struct lock l = LOCK_INIT;
	struct err e = ERR_INIT;
	const char *prefix = arena_printf(&f->arena, "%s/r.txt: ", f->path);
	CLEANUP_BUF struct buf want = BUF_INIT;
	struct str rest = str_of(row->message), piece;

	buf_adds(&want, prefix);
	while (str_cut(&rest, '%', &piece)) {
		buf_addf(&want, "%.*s%s", STR_ARG(piece), rest.p ? f->path : "");
	}

	int r = folder_read(f, str_of(row->text), &l, &e);
	ck_assert_msg(r == -(int)row->rc, "%s: %d %s", row->text, r, e.text);
	ck_assert_msg(str_starts(str_of(e.text), want.p), "%s\nhave %s\nwant %s", row->text, e.text,
		want.p);
	ck_assert_msg(!row->hint || str_has(str_of(e.hint), row->hint), "%s: hint \"%s\"",
		row->text, e.hint);
	ck_assert_ptr_null(l.arena.pages);
}

void check_requirements_refusals(const struct requirements_refusal *rows, size_t n)
{
	struct folder f;

	folder_open(&f);
	for (size_t i = 0; i < n; i++) {
		check_requirements_refusal(&f, &rows[i]);
	}
	folder_close(&f);
}

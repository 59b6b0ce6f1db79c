#include "verify/sdist_walk.h"

#include "verify/member_name.h"

int sdist_walk_open(struct sdist_walk *w, int fd, struct str file_name, struct err *e)
{
	enum archive_kind kind = ARCHIVE_TAR_GZ;

	if (str_ends(file_name, ".zip")) {
		kind = ARCHIVE_ZIP;
	} else if (!str_ends(file_name, ".tar.gz") && !str_ends(file_name, ".tgz")) {
		return err_set(e, RC_UNSUPPORTED, "an sdist is a .tar.gz or a .zip");
	}
	return archive_in_open(fd, kind, &w->archive, e);
}

void sdist_walk_release(struct sdist_walk *w)
{
	archive_in_close(w->archive);
	w->archive = NULL;
	vec_release(&w->files);
	arena_release(&w->arena);
}

static int name_cmp(const void *a, const void *b)
{
	const struct str *x = a, *y = b;

	return str_cmp(*x, *y);
}

static int walk_end(struct sdist_walk *w, struct err *e)
{
	char shown[MEMBER_NAME_SHOWN];

	if (w->files.n == 0) {
		return err_set(e, RC_WHEEL, "the archive holds no file");
	}
	qsort(w->files.v, w->files.n, sizeof(*w->files.v), name_cmp);
	for (size_t i = 1; i < w->files.n; i++) {
		if (str_eq(w->files.v[i], w->files.v[i - 1])) {
			return err_set(e, RC_WHEEL, "two members are named \"%s\"",
				member_name_show(w->files.v[i], shown));
		}
	}
	return 0;
}

static int top_check(struct sdist_walk *w, const struct archive_member *m, struct err *e)
{
	char shown[MEMBER_NAME_SHOWN];
	struct str top = str_first(m->name, str_find(m->name, '/'));

	if (top.n == m->name.n && !m->is_dir) {
		return err_set(e, RC_WHEEL, "\"%s\" lies outside of a top folder",
			member_name_show(m->name, shown));
	}
	if (w->top.n && !str_eq(top, w->top)) {
		return err_set(e, RC_WHEEL, "\"%s\" lies outside of the top folder \"%.*s\"",
			member_name_show(m->name, shown), STR_ARG(w->top));
	}
	if (!w->top.n) {
		w->top = arena_str(&w->arena, top);
	}
	return 0;
}

int sdist_walk_next(struct sdist_walk *w, struct archive_member *out, struct str *below,
	bool *found, struct err *e)
{
	struct archive_member m;
	bool is_there = false;
	int rc = archive_in_next(w->archive, &m, &is_there, e);

	if (rc) {
		return rc;
	}
	if (is_there) {
		rc = top_check(w, &m, e);
	} else {
		rc = walk_end(w, e);
	}
	if (rc) {
		return rc;
	}
	if (is_there && !m.is_dir) {
		vec_push(&w->files, arena_str(&w->arena, m.name));
	}
	if (is_there) {
		*out = m;
		*below = str_skip(m.name, w->top.n + 1);
	}
	*found = is_there;
	return 0;
}

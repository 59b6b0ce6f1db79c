#include "mirror/workshop.h"

#include "manifests/base/fs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define INSIDE "/gpkg-build"

static int make_folder(const char *path, struct err *e)
{
	return mkdir(path, 0755) ? err_sys(e, "%s: cannot make the folder", path) : 0;
}

static const char *temporary_place(void)
{
	const char *named = getenv("TMPDIR");

	return named && *named == '/' ? named : "/var/tmp";
}

int workshop_open(struct workshop *w, const char *store, struct err *e)
{
	*w = (struct workshop){ .arena = ARENA_INIT };
	char *made = arena_printf(&w->arena, "%s/gpkg-build-XXXXXX", temporary_place());

	if (!mkdtemp(made)) {
		err_sys(e, "%s: cannot make a folder for builds", temporary_place());
		return err_hint(e, "name one with room for builds in TMPDIR");
	}
	/* Mounts go by paths without links. */
	char *base = realpath(made, NULL), *hidden = store ? realpath(store, NULL) : NULL;

	w->base = arena_dup(&w->arena, str_of(base ? base : made));
	w->hidden[0] = hidden ? arena_dup(&w->arena, str_of(hidden)) : NULL;
	free(base);
	free(hidden);
	w->root = arena_printf(&w->arena, "%s/root", w->base);
	w->work.outside = arena_printf(&w->arena, "%s/work", w->base);
	int r = make_folder(w->root, e);

	if (!r) {
		r = child_find_way(w->root, &w->way, e);
	}
	if (!r) {
		r = workshop_clean(w, e);
	}
	w->work.inside =
		w->way == CHILD_NAMESPACES ? arena_dup(&w->arena, STR(INSIDE)) : w->work.outside;
	if (r) {
		workshop_close(w);
	}
	return r;
}

void workshop_close(struct workshop *w)
{
	struct err ignored = ERR_INIT;

	if (w->base) {
		fs_remove_tree(w->base, &ignored);
	}
	arena_release(&w->arena);
	*w = (struct workshop){ .arena = ARENA_INIT };
}

int workshop_clean(struct workshop *w, struct err *e)
{
	static const char *const names[] = { "src", "out", "home", "tmp", "env", "cuda" };
	int r = fs_remove_tree(w->work.outside, e);

	if (!r) {
		r = make_folder(w->work.outside, e);
	}
	for (size_t i = 0; !r && i < sizeof(names) / sizeof(names[0]); i++) {
		r = make_folder(workshop_outside(w, &w->arena, names[i]), e);
	}
	return r;
}

int workshop_new_folder(
	struct workshop *w, const char *name, struct workshop_folder *out, struct err *e)
{
	char *path = arena_printf(&w->arena, "%s/%s-%u", w->base, name, ++w->count);

	if (make_folder(path, e)) {
		return -(int)e->rc;
	}
	out->outside = path;
	out->inside =
		w->way == CHILD_NAMESPACES ? arena_printf(&w->arena, INSIDE "/%s", name) : path;
	return 0;
}

void workshop_show(struct workshop *w, const char *path)
{
	w->shows_tmp |= strncmp(path, "/tmp/", 5) == 0;
}

void workshop_use_cuda(struct workshop *w, const char *home)
{
	w->cuda.outside = NULL;
	w->cuda.inside = arena_dup(&w->arena, str_of(home));
	workshop_show(w, home);
}

char *workshop_outside(struct workshop *w, struct arena *a, const char *name)
{
	return arena_printf(a, "%s/%s", w->work.outside, name);
}

char *workshop_inside(struct workshop *w, struct arena *a, const char *name)
{
	return arena_printf(a, "%s/%s", w->work.inside, name);
}

int workshop_run(
	struct workshop *w, const struct workshop_job *job, struct child_result *out, struct err *e)
{
	struct arena a = ARENA_INIT;
	struct child_mount mounts[4];
	struct child_spec spec = { .argv = job->argv,
		.env = job->env,
		.folder = job->folder,
		.output = job->output,
		.way = w->way,
		.limits = job->limits,
		.root = w->root,
		.mounts = mounts,
		.hide = w->hidden };

	mounts[spec.nmounts++] = (struct child_mount){ w->work.outside, INSIDE, true };
	if (w->env.outside) {
		mounts[spec.nmounts++] =
			(struct child_mount){ w->env.outside, INSIDE "/env", job->makes_env };
	}
	if (w->cuda.outside) {
		mounts[spec.nmounts++] =
			(struct child_mount){ w->cuda.outside, INSIDE "/cuda", false };
	}
	if (!w->shows_tmp) {
		mounts[spec.nmounts++] =
			(struct child_mount){ workshop_outside(w, &a, "tmp"), "/tmp", true };
	}
	int r = child_run(&spec, out, e);

	arena_release(&a);
	return r;
}

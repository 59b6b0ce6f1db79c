#include "mirror/install.h"

#include "manifests/base/fs.h"
#include "manifests/base/log.h"
#include "mirror/build_env.h"
#include "mirror/machine.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int install_plan(struct store *s, const struct store_target *t, const struct str *names, size_t n,
	struct arena *a, struct closure *out, struct err *e)
{
	struct closure c = { .n = 0 };

	if (closure_of(s, t, USE_RUN, names, n, a, &c, e)) {
		return -(int)e->rc;
	}
	for (size_t i = 0; i < c.n; i++) {
		const struct manifest_file *f = &c.v[i]->file;

		if (f->kind == DIST_SDIST) {
			err_set(e, RC_HOLE,
				"%.*s %.*s: came as source and has not been built for %.*s",
				STR_ARG(f->name), STR_ARG(f->version), STR_ARG(t->target.name));
			return err_hint(e, "run: gpkg-bundle build --target %.*s %.*s",
				STR_ARG(t->target.name), STR_ARG(f->name));
		}
	}
	*out = c;
	return 0;
}

/* Nobody's settings, so that nothing but the store is looked at. */
static int run(const char *const *argv, bool is_quiet, struct child_result *r, struct err *e)
{
	struct arena a = ARENA_INIT;
	CLEANUP_BUF struct buf unheard = BUF_INIT;
	const char *home = getenv("HOME"), *tmp = getenv("TMPDIR");
	const char *const env[] = { "PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8",
		"PIP_CONFIG_FILE=/dev/null", "PIP_NO_INDEX=1", "PIP_DISABLE_PIP_VERSION_CHECK=1",
		"PIP_ROOT_USER_ACTION=ignore", "PYTHONNOUSERSITE=1",
		arena_printf(&a, "HOME=%s", home && *home ? home : "/"),
		arena_printf(&a, "TMPDIR=%s", tmp && *tmp ? tmp : "/tmp"), NULL };
	struct child_spec spec = {
		.argv = argv, .env = env, .folder = "/", .output = STDERR_FILENO, .way = CHILD_OPEN
	};
	int result = is_quiet ? child_capture(&spec, UINT64_C(1) << 30, r, &unheard, e)
			      : child_run(&spec, r, e);

	if (!result && is_quiet && !child_is_ok(r)) {
		(void)!write(STDERR_FILENO, unheard.p, unheard.n);
	}
	arena_release(&a);
	return result;
}

static bool is_empty_or_absent(const char *folder)
{
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	char **names;
	size_t n = 0;
	int r = fs_list(folder, &a, &names, &n, &e);

	arena_release(&a);
	return r ? e.rc == RC_NOT_FOUND : n == 0;
}

static int check_venv(
	struct arena *a, const struct target_python *want, const char *folder, struct err *e)
{
	char *program = arena_printf(a, "%s/bin/python", folder);
	struct python p;

	if (!fs_exists(arena_printf(a, "%s/pyvenv.cfg", folder)) || python_ask(a, program, &p, e)) {
		err_clear(e);
		return err_set(e, RC_CONFLICT, "%s: exists and is no virtual environment", folder);
	}
	if (!python_is(&p, want)) {
		err_set(e, RC_CONFLICT, "%s: is of Python %u.%u%s, the target has %s", folder,
			p.major, p.minor, p.free_threaded ? "t" : "", target_python_text(a, want));
		return err_hint(e, "name another folder, or remove this one");
	}
	return 0;
}

int install_venv(const struct target_python *want, const char *folder, bool is_quiet, struct err *e)
{
	struct arena a = ARENA_INIT;
	struct python python;
	struct child_result r;
	int result = 0;

	if (!is_empty_or_absent(folder)) {
		result = check_venv(&a, want, folder, e);
		arena_release(&a);
		return result;
	}
	result = python_find(&a, want, &python, e);
	if (!result) {
		const char *const argv[] = { python.program, "-I", "-m", "venv", folder, NULL };

		result = run(argv, is_quiet, &r, e);
	}
	if (!result && !child_is_ok(&r)) {
		err_set(e, RC_TOOL, "%s: cannot make a virtual environment in %s", python.program,
			folder);
		result = err_hint(e,
			"it lacks venv or ensurepip (on Debian: python%u.%u-venv), or the folder "
			"cannot be written",
			python.major, python.minor);
	}
	arena_release(&a);
	return result;
}

/* By name and version, so that pip does not note down a path that will be gone. Where METADATA
 * lacks the local version of the file name, pip takes the file by its path alone. */
static void add_requirement(struct buf *lines, const struct manifest_file *f, const char *path)
{
	char hex[DIGEST_HEX + 1];

	if (f->local_mismatch) {
		build_env_requirement(lines, path, &f->sha256);
		return;
	}
	buf_addf(lines, "%.*s==%.*s --hash=sha256:%s\n", STR_ARG(f->name), STR_ARG(f->version),
		digest_hex(&f->sha256, hex));
}

/* pip knows a file by its name, and objects have none: links with the names of the files lead to
 * them. */
static int link_files(struct store *s, const struct closure *files, const char *folder,
	struct buf *lines, struct arena *a, struct err *e)
{
	for (size_t i = 0; i < files->n; i++) {
		const struct manifest_file *f = &files->v[i]->file;
		char hex[DIGEST_HEX + 1];
		char *link = arena_printf(a, "%s/%.*s", folder, STR_ARG(f->file));

		digest_hex(&f->sha256, hex);
		if (symlink(arena_printf(a, "%s/objects/%.2s/%s", store_dir(s), hex, hex), link)) {
			return err_sys(e, "%s: cannot make the link", link);
		}
		add_requirement(lines, f, link);
	}
	return 0;
}

static int run_pip(const char *venv, const char *folder, const char *list, bool is_quiet,
	struct arena *a, struct err *e)
{
	const char *const argv[] = { arena_printf(a, "%s/bin/python", venv), "-m", "pip", "install",
		"--no-index", "--no-deps", "--require-hashes", "--no-cache-dir", "--find-links",
		folder, "-r", list, NULL };
	struct child_result r;

	if (run(argv, is_quiet, &r, e)) {
		return -(int)e->rc;
	}
	if (!child_is_ok(&r)) {
		CLEANUP_BUF struct buf how = BUF_INIT;

		child_describe(&r, &how);
		err_set(e, RC_TOOL, "pip in %s: %s", venv, how.p);
		return err_hint(e, "what it said stands above");
	}
	return 0;
}

int install_files(struct store *s, const struct closure *files, const char *venv, bool is_quiet,
	struct err *e)
{
	CLEANUP_BUF struct buf lines = BUF_INIT;
	struct arena a = ARENA_INIT;
	struct err ignored = ERR_INIT;
	const char *tmp = getenv("TMPDIR");
	char *folder =
		arena_printf(&a, "%s/gpkg-install-XXXXXX", tmp && *tmp == '/' ? tmp : "/tmp");
	char *list = NULL;
	int r = mkdtemp(folder) ? 0 : err_sys(e, "%s: cannot make the folder", folder);

	if (r) {
		arena_release(&a);
		return r;
	}
	r = link_files(s, files, folder, &lines, &a, e);
	list = arena_printf(&a, "%s/requirements.txt", folder);
	if (!r) {
		r = fs_write(list, buf_str(&lines), 0600, e);
	}
	if (!r && files->n) {
		r = run_pip(venv, folder, list, is_quiet, &a, e);
	}
	fs_remove_tree(folder, &ignored);
	arena_release(&a);
	return r;
}

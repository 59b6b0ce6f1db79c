#include "mirror/build_env.h"

#include "manifests/base/fs.h"
#include "manifests/base/log.h"
#include "manifests/base/vec.h"
#include "verify/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { VENV_SECONDS = 600, INSTALL_SECONDS = 7200 };

struct env_work { /* one that is being made */
	struct workshop *w;
	struct arena *arena; /* of the workshop */
	int log;
	char *folder; /* inside */
	char *pip; /* inside: a pip wheel that is run from itself; NULL: the environment has its own
		    */
};

static void key_of(const struct python *python, const struct closure *wheels, struct digest *out)
{
	CLEANUP_HASH struct hash *h = hash_new();

	hash_add(h, python->program, strlen(python->program) + 1);
	for (size_t i = 0; i < wheels->n; i++) {
		hash_add(h, wheels->v[i]->file.sha256.b, DIGEST_SIZE);
	}
	hash_final(h, out);
}

void build_env_requirement(struct buf *out, const char *path, const struct digest *sha256)
{
	char hex[DIGEST_HEX + 1];

	buf_addf(out, "%s --hash=sha256:%s\n", path, digest_hex(sha256, hex));
}

static int copy_piece(int from, int to, uint64_t *left, const char *name, struct err *e)
{
	char bytes[1 << 16];
	size_t most = *left < sizeof(bytes) ? (size_t)*left : sizeof(bytes);
	ssize_t n = copy_file_range(from, NULL, to, NULL, *left < 1 << 30 ? *left : 1 << 30, 0);

	/* Older kernels do not copy between file systems, some file systems not at all. */
	if (n < 0 &&
		(errno == EXDEV || errno == EINVAL || errno == EOPNOTSUPP || errno == ENOSYS)) {
		n = read(from, bytes, most);
		if (n > 0 && fs_write_all(to, bytes, (size_t)n, name, e)) {
			return -(int)e->rc;
		}
	}
	if (n < 0) {
		return err_sys(e, "%s: cannot copy", name);
	}
	if (n == 0) {
		return err_set(e, RC_STORE, "%s: shorter than it was", name);
	}
	*left -= (uint64_t)n;
	return 0;
}

static int copy_object(struct store *s, const struct store_file *f, const char *path, struct err *e)
{
	CLEANUP(fd) int from = -1;
	CLEANUP(fd) int to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	uint64_t left = 0;

	if (to < 0) {
		return err_sys(e, "%s: cannot create", path);
	}
	if (store_object_open(s, &f->file.sha256, &from, &left, e)) {
		return err_wrap(e, "%.*s", STR_ARG(f->file.file));
	}
	while (left) {
		if (copy_piece(from, to, &left, path, e)) {
			return -(int)e->rc;
		}
	}
	return 0;
}

/* Never a hard link to an object: what is built here must not reach the store's bytes. pip hashes
 * the copies. */
static int copy_wheels(struct env_work *k, struct store *s, const struct closure *wheels,
	struct buf *lines, struct err *e)
{
	char *outside = workshop_outside(k->w, k->arena, "wheels");

	if (mkdir(outside, 0755)) {
		return err_sys(e, "%s: cannot make the folder", outside);
	}
	for (size_t i = 0; i < wheels->n; i++) {
		const struct manifest_file *f = &wheels->v[i]->file;
		char *name = arena_printf(k->arena, "wheels/%.*s", STR_ARG(f->file));
		char *inside = workshop_inside(k->w, k->arena, name);

		if (f->kind != DIST_WHEEL) {
			err_set(e, RC_HOLE, "%.*s: is needed to build and is itself a source",
				STR_ARG(f->file));
			return err_hint(
				e, "build it first: gpkg-bundle build %.*s", STR_ARG(f->name));
		}
		if (copy_object(s, wheels->v[i], workshop_outside(k->w, k->arena, name), e)) {
			return -(int)e->rc;
		}
		if (str_is(f->name, "pip")) {
			k->pip = inside;
		}
		build_env_requirement(lines, inside, &f->sha256);
	}
	return 0;
}

static int run(struct env_work *k, const char *const *argv, unsigned seconds,
	struct child_result *r, struct err *e)
{
	char *home = workshop_inside(k->w, k->arena, "home"),
	     *tmp = workshop_inside(k->w, k->arena, "tmp");
	const char *const env[] = { "PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8",
		"PIP_CONFIG_FILE=/dev/null", "PIP_NO_INDEX=1", "PIP_DISABLE_PIP_VERSION_CHECK=1",
		"PIP_ROOT_USER_ACTION=ignore", "PYTHONHASHSEED=0", "PYTHONNOUSERSITE=1",
		arena_printf(k->arena, "HOME=%s", home), arena_printf(k->arena, "TMPDIR=%s", tmp),
		NULL };
	struct workshop_job job = { .argv = argv,
		.env = env,
		.folder = k->w->work.inside,
		.output = k->log,
		.makes_env = true,
		.limits = { .seconds = seconds } };

	return workshop_run(k->w, &job, r, e);
}

static int make_venv(struct env_work *k, const struct python *python, struct err *e)
{
	const char *const with_pip[] = { python->program, "-I", "-m", "venv", k->folder, NULL };
	const char *const without_pip[] = { python->program, "-I", "-m", "venv", "--without-pip",
		k->folder, NULL };
	struct child_result r;

	if (run(k, k->pip ? without_pip : with_pip, VENV_SECONDS, &r, e)) {
		return -(int)e->rc;
	}
	if (child_is_ok(&r)) {
		return 0;
	}
	err_set(e, RC_TOOL, "%s: cannot make a virtual environment", python->program);
	return err_hint(e,
		"it lacks venv or ensurepip (on Debian: python%u.%u-venv); with a pip wheel in the "
		"bundle (use = \"build\") ensurepip is not needed",
		python->major, python->minor);
}

static int install(struct env_work *k, const char *python, const char *requirements, struct err *e)
{
	const char *const options[] = { "install", "--no-index", "--no-deps", "--require-hashes",
		"--no-cache-dir", "--ignore-installed", "--no-warn-script-location", "-r",
		requirements, NULL };
	const char *argv[16];
	size_t n = 0;
	struct child_result r;

	argv[n++] = python;
	if (k->pip) { /* a wheel is a zip file that Python runs a package out of */
		argv[n++] = arena_printf(k->arena, "%s/pip", k->pip);
	} else {
		argv[n++] = "-m";
		argv[n++] = "pip";
	}
	for (size_t i = 0; options[i]; i++) {
		argv[n++] = options[i];
	}
	argv[n] = NULL;
	if (run(k, argv, INSTALL_SECONDS, &r, e)) {
		return -(int)e->rc;
	}
	if (!child_is_ok(&r)) {
		CLEANUP_BUF struct buf how = BUF_INIT;

		child_describe(&r, &how);
		return err_set(e, RC_BUILD, "the build environment: pip: %s", how.p);
	}
	return 0;
}

static int make(struct workshop *w, struct build_env *env, struct store *s,
	const struct python *python, const struct closure *wheels, int log, struct err *e)
{
	struct env_work k = { .w = w, .arena = &w->arena, .log = log };
	CLEANUP_BUF struct buf lines = BUF_INIT;
	char *list = workshop_outside(w, &w->arena, "requirements.txt");

	if (workshop_new_folder(w, "env", &env->folder, e)) {
		return -(int)e->rc;
	}
	w->env = env->folder;
	k.folder = env->folder.inside;
	env->python = arena_printf(&w->arena, "%s/bin/python", k.folder);
	workshop_show(w, python->prefix);
	if (copy_wheels(&k, s, wheels, &lines, e) || make_venv(&k, python, e)) {
		return -(int)e->rc;
	}
	if (fs_write(list, buf_str(&lines), 0644, e)) {
		return -(int)e->rc;
	}
	return wheels->n ? install(&k, env->python,
				   workshop_inside(w, &w->arena, "requirements.txt"), e)
			 : 0;
}

int build_env_make(struct workshop *w, struct build_envs *made, struct store *s,
	const struct python *python, const struct closure *wheels, int log,
	const struct build_env **out, struct err *e)
{
	struct build_env env = { .python = NULL };

	key_of(python, wheels, &env.key);
	vec_each(struct build_env, known, made) {
		if (digest_eq(&known->key, &env.key)) {
			w->env = known->folder;
			*out = known;
			return 0;
		}
	}
	if (make(w, &env, s, python, wheels, log, e)) {
		w->env = (struct workshop_folder){ .outside = NULL };
		return -(int)e->rc;
	}
	vec_push(made, env);
	*out = &made->v[made->n - 1];
	return 0;
}

void build_envs_release(struct build_envs *made)
{
	vec_release(made);
}

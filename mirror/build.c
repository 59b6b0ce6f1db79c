#include "mirror/build.h"

#include "manifests/base/clock.h"
#include "manifests/base/fs.h"
#include "manifests/base/mem.h"
#include "manifests/base/vec.h"
#include "mirror/build_log.h"
#include "mirror/build_private.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TAIL_LINES = 8, OPEN_FILES = 65536 };
static const uint64_t file_size_max = UINT64_C(64) << 30;
static const uint64_t log_read_max = UINT64_C(4) << 20;

int builder_open(
	const char *store, const struct build_options *options, struct builder **out, struct err *e)
{
	struct builder *b = mem_alloc(sizeof(*b));

	b->store = arena_dup(&b->arena, str_of(store));
	b->options = *options;
	machine_look(&b->arena, &b->machine);
	if (workshop_open(&b->shop, store, e)) {
		builder_close(b);
		return -(int)e->rc;
	}
	*out = b;
	return 0;
}

void builder_close(struct builder *b)
{
	if (b) {
		vec_release(&b->kits);
		build_envs_release(&b->envs);
		workshop_close(&b->shop);
		arena_release(&b->arena);
		free(b);
	}
}

void cleanup_builder(struct builder **b)
{
	builder_close(*b);
}

unsigned builder_jobs(const struct builder *b)
{
	return b->options.jobs ? b->options.jobs : machine_jobs(&b->machine);
}

const char *builder_confinement(const struct builder *b)
{
	return child_way_name(b->shop.way);
}

int builder_can(struct builder *b, const struct target *t, struct err *e)
{
	struct arena a = ARENA_INIT;
	struct python python;
	int r = machine_fits(&b->machine, t, e);

	if (!r) {
		r = python_find(&a, &t->python, &python, e);
	}
	arena_release(&a);
	return r;
}

/* ---- what is built ---- */

static int find_source(
	struct build_job *j, struct str target, const struct digest *sdist, struct err *e)
{
	if (store_open(j->b->store, STORE_READ, &j->reader, e) ||
		store_view_load(j->reader, &j->view, e)) {
		return -(int)e->rc;
	}
	j->target = store_view_target(&j->view, target);
	for (size_t i = 0; j->target && i < j->target->nrecipes; i++) {
		const struct manifest_recipe *r = &j->target->recipes[i];

		if (digest_eq(&j->target->files[r->file].file.sha256, sdist)) {
			j->recipe = r;
			j->sdist = &j->target->files[r->file].file;
			return 0;
		}
	}
	return err_set(e, RC_NOT_FOUND, "target %.*s: no recipe for that source", STR_ARG(target));
}

/* ---- its log ---- */

static int open_log(struct build_job *j, struct err *e)
{
	char *folder =
		arena_printf(&j->a, "%s/logs/%.*s", j->b->store, STR_ARG(j->target->target.name));

	j->log_path = arena_printf(&j->b->arena, "%s/%.*s-%.*s.log", folder,
		STR_ARG(j->sdist->name), STR_ARG(j->sdist->version));
	if (fs_mkdirs(folder, 0755, e)) {
		return -(int)e->rc;
	}
	j->log = open(j->log_path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW | O_CLOEXEC,
		0644);
	return j->log < 0 ? err_sys(e, "%s: cannot write the log", j->log_path) : 0;
}

static int begin_log(struct build_job *j, struct err *e)
{
	CLEANUP_BUF struct buf text = BUF_INIT;

	buf_addf(&text, "== %.*s %.*s for %.*s\n", STR_ARG(j->sdist->name),
		STR_ARG(j->sdist->version), STR_ARG(j->target->target.name));
	buf_addf(&text, "== %s in %s\n", j->python.program, builder_confinement(j->b));
	for (size_t i = 0; i < j->env_wheels.n; i++) {
		buf_addf(&text, "== with %.*s\n", STR_ARG(j->env_wheels.v[i]->file.file));
	}
	if (j->kit) {
		buf_addf(&text, "== nvcc %s in %s\n", j->kit->toolkit.release,
			j->b->shop.cuda.inside);
	}
	for (const char *const *v = build_vars_list(&j->vars); *v; v++) {
		buf_addf(&text, "== %s\n", *v);
	}
	return fs_write_all(j->log, text.p, text.n, j->log_path, e);
}

/* The last part of it, where the end of a long story is told. */
static void read_log(const struct build_job *j, struct buf *out)
{
	struct err ignored = ERR_INIT;
	CLEANUP(fd) int fd = open(j->log_path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st)) {
		return;
	}
	if ((uint64_t)st.st_size > log_read_max && lseek(fd, -(off_t)log_read_max, SEEK_END) < 0) {
		return;
	}
	fs_read_fd(fd, j->log_path, 2 * log_read_max, out, &ignored);
}

static void add_log_to_hint(const struct build_job *j, struct err *e)
{
	char before[ERR_HINT_MAX];

	memcpy(before, e->hint, sizeof(before));
	snprintf(e->hint, sizeof(e->hint), "%.*s%sthe whole log: %s", ERR_HINT_MAX / 2, before,
		before[0] ? "\n  " : "", j->log_path);
}

static int explain_failure(struct build_job *j, struct err *e)
{
	CLEANUP_BUF struct buf how = BUF_INIT;
	CLEANUP_BUF struct buf log = BUF_INIT;
	CLEANUP_BUF struct buf text = BUF_INIT;
	CLEANUP_BUF struct buf remedy = BUF_INIT;

	child_describe(&j->result, &how);
	read_log(j, &log);
	build_log_tail(buf_str(&log), TAIL_LINES, &text);
	err_set(e, RC_BUILD, "the build failed: %s%s", how.p, text.n ? text.p : "");
	if (j->result.out_of_memory) {
		return err_hint(e, "try again with fewer compilers at once: --jobs (now %u)",
			builder_jobs(j->b));
	}
	if (j->result.out_of_time) {
		return err_hint(e, "give it more time: --time-limit MINUTES");
	}
	return build_log_cause(buf_str(&log), &remedy) ? err_hint(e, "%s", remedy.p) : -(int)e->rc;
}

void build_warn(struct build_job *j, const char *text)
{
	j->warning = arena_printf(
		&j->b->arena, "%s%s%s", j->warning ? j->warning : "", j->warning ? "; " : "", text);
}

/* ---- the work ---- */

static int run_pip(struct build_job *j, struct err *e)
{
	struct builder *b = j->b;
	const char *const argv[] = { j->env->python, "-m", "pip", "wheel", "--verbose", "--no-deps",
		"--no-index", "--no-build-isolation", "--use-pep517", "--no-cache-dir",
		"--wheel-dir", workshop_inside(&b->shop, &j->a, "out"), j->source, NULL };
	unsigned minutes = b->options.minutes ? b->options.minutes : BUILD_MINUTES;
	struct workshop_job job = { .argv = argv,
		.env = build_vars_list(&j->vars),
		.folder = workshop_inside(&b->shop, &j->a, "src"),
		.output = j->log };

	job.limits = (struct child_limits){ .seconds = minutes * 60,
		.memory = b->machine.memory / 10 * 9,
		.file_size = file_size_max,
		.files = OPEN_FILES };
	if (workshop_run(&b->shop, &job, &j->result, e)) {
		return -(int)e->rc;
	}
	return child_is_ok(&j->result) ? 0 : explain_failure(j, e);
}

static int run_job(struct build_job *j, struct err *e)
{
	struct builder *b = j->b;
	int r = open_log(j, e);

	if (r) {
		return r;
	}
	r = build_prepare(j, e);
	if (!r) {
		r = begin_log(j, e);
	}
	j->began = clock_now();
	if (!r) {
		r = run_pip(j, e);
	}
	j->ended = clock_now();
	if (!r) {
		r = build_wheel_take(&b->arena, workshop_outside(&b->shop, &j->a, "out"), j->sdist,
			&j->target->target, j->recipe->device_code, &j->wheel, e);
	}
	if (!r && j->wheel.newer_glibc) {
		build_warn(j, j->wheel.newer_glibc);
	}
	if (!r) {
		r = build_commit(j, e);
	}
	if (r) {
		add_log_to_hint(j, e);
		return err_wrap(e, "%.*s %.*s for %.*s", STR_ARG(j->sdist->name),
			STR_ARG(j->sdist->version), STR_ARG(j->target->target.name));
	}
	return 0;
}

int builder_build(struct builder *b, struct str target, const struct digest *sdist,
	struct built *out, struct err *e)
{
	struct build_job j = { .b = b, .a = ARENA_INIT, .log = -1, .view = STORE_VIEW_INIT };

	j.wheel.fd = -1;
	int r = find_source(&j, target, sdist, e);

	if (!r) {
		r = run_job(&j, e);
	}
	if (!r) {
		*out = (struct built){ .warning = j.warning,
			.wheel = j.wheel.file,
			.log = j.log_path,
			.seconds = j.result.seconds,
			.memory_peak = j.result.memory_peak };
	}
	if (j.wheel.fd >= 0) {
		close(j.wheel.fd);
	}
	if (j.log >= 0) {
		close(j.log);
	}
	build_vars_release(&j.vars);
	store_view_release(&j.view);
	store_close(j.reader);
	arena_release(&j.a);
	return r;
}

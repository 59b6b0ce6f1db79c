#include "manifests/base/fs.h"
#include "manifests/base/mem.h"
#include "manifests/base/vec.h"
#include "mirror/build_private.h"
#include "verify/hash.h"
#include "verify/sdist_in.h"

#include <string.h>
#include <unistd.h>

/* ---- the toolkit ---- */

static int list_kit_wheels(struct build_job *j, struct err *e)
{
	const struct store_target *t = j->target;
	VEC(const struct store_file *) found = VEC_INIT;
	int r = 0;

	for (size_t i = 0; i < t->nfiles; i++) {
		const struct store_file *f = &t->files[i];
		bool is_new = i == 0 || !str_eq(f->file.name, t->files[i - 1].file.name);

		if (is_new && closure_pick(t, f->file.name, USE_TOOLKIT)) {
			vec_push(&found, closure_pick(t, f->file.name, USE_TOOLKIT));
		}
	}
	j->kit_wheels.v = arena_array(&j->a, found.n, sizeof(const struct store_file *));
	j->kit_wheels.n = found.n;
	for (size_t i = 0; i < found.n; i++) {
		j->kit_wheels.v[i] = found.v[i];
	}
	if (found.n == 0) {
		r = err_set(e, RC_HOLE,
			"target %.*s: its toolkit is to come from wheels, and none is there",
			STR_ARG(t->target.name));
	}
	vec_release(&found);
	return r;
}

static void close_wheels(struct toolkit_wheel *wheels, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (wheels[i].fd >= 0) {
			close(wheels[i].fd);
		}
	}
}

static int open_wheels(struct build_job *j, struct toolkit_wheel *wheels, struct err *e)
{
	for (size_t i = 0; i < j->kit_wheels.n; i++) {
		const struct manifest_file *f = &j->kit_wheels.v[i]->file;
		struct digest found;
		uint64_t size;

		wheels[i].file = f->file;
		if (store_object_open(j->reader, &f->sha256, &wheels[i].fd, &size, e) ||
			hash_fd(wheels[i].fd, f->file.p, &found, &size, e)) {
			return -(int)e->rc;
		}
		if (!digest_eq(&found, &f->sha256)) {
			return err_set(e, RC_HASH, "%.*s: its bytes in the store have changed",
				STR_ARG(f->file));
		}
	}
	return 0;
}

static int unpack_kit(struct build_job *j, struct build_kit *kit, struct err *e)
{
	struct builder *b = j->b;
	struct toolkit_wheel *wheels = arena_array(&j->a, j->kit_wheels.n, sizeof(*wheels));

	for (size_t i = 0; i < j->kit_wheels.n; i++) {
		wheels[i].fd = -1;
	}
	int r = workshop_new_folder(&b->shop, "cuda", &kit->folder, e);

	if (!r) {
		r = open_wheels(j, wheels, e);
	}
	if (!r) {
		r = toolkit_unpack(
			&b->arena, wheels, j->kit_wheels.n, kit->folder.outside, &kit->toolkit, e);
	}
	close_wheels(wheels, j->kit_wheels.n);
	return r ? err_wrap(e, "the toolkit of the bundle") : 0;
}

static int make_kit(struct build_job *j, struct build_kit *kit, struct err *e)
{
	struct str from = j->target->toolkit;

	if (str_is(from, "wheels")) {
		return unpack_kit(j, kit, e);
	}
	if (str_starts(from, "site:")) {
		from = str_skip(from, 5);
	}
	return toolkit_find(&j->b->arena, from, &kit->toolkit, e);
}

static struct build_kit *find_kit(struct builder *b, struct str target)
{
	vec_each(struct build_kit, kit, &b->kits) {
		if (str_is(target, kit->target)) {
			return kit;
		}
	}
	return NULL;
}

static int get_kit(struct build_job *j, struct err *e)
{
	struct builder *b = j->b;
	struct build_kit *known = find_kit(b, j->target->target.name);
	struct build_kit kit = { .target = arena_dup(&b->arena, j->target->target.name) };

	if (str_is(j->target->toolkit, "wheels") && list_kit_wheels(j, e)) {
		return -(int)e->rc;
	}
	if (!known && make_kit(j, &kit, e)) {
		return -(int)e->rc;
	}
	if (!known) {
		vec_push(&b->kits, kit);
		known = &b->kits.v[b->kits.n - 1];
	}
	j->kit = known;
	return 0;
}

/* Everything that can be known before the first compiler runs is checked before. */
static int check_kit(struct build_job *j, struct err *e)
{
	const struct target *t = &j->target->target;
	const struct toolkit *k = &j->kit->toolkit;
	bool is_minor_off = false;
	struct str path = machine_path();

	if (toolkit_check(k, t, &is_minor_off, e)) {
		return -(int)e->rc;
	}
	if (is_minor_off) {
		build_warn(
			j, arena_printf(&j->a, "target %.*s is for CUDA %u.%u, the toolkit is %s",
				   STR_ARG(t->name), t->cuda.major, t->cuda.minor, k->release));
	}
	if (!machine_program(&j->a, path, "g++") && !machine_program(&j->a, path, "c++")) {
		err_set(e, RC_TOOL, "no C++ compiler in PATH: nvcc works on top of one");
		return err_hint(e, "install g++");
	}
	return 0;
}

static int prepare_kit(struct build_job *j, struct err *e)
{
	struct workshop *shop = &j->b->shop;
	bool is_needed = j->recipe->device_code && j->target->target.ngpus;
	struct err ignored = ERR_INIT;

	shop->cuda = (struct workshop_folder){ .outside = NULL };
	if (!is_needed && j->target->toolkit.n == 0) {
		return 0;
	}
	int r = get_kit(j, is_needed ? e : &ignored);

	if (!r) {
		r = check_kit(j, is_needed ? e : &ignored);
	}
	if (r) {
		j->kit = NULL;
		j->kit_wheels.n = 0;
		return is_needed ? r : 0; /* who needs no device code may do without */
	}
	if (j->kit->folder.outside) {
		shop->cuda = j->kit->folder;
	} else {
		workshop_use_cuda(shop, j->kit->toolkit.home);
	}
	return 0;
}

/* ---- the environment ---- */

/* The recipe's files and no others, a source by the wheel that was built of it. */
static void list_env_wheels(struct build_job *j)
{
	const struct store_target *t = j->target;
	const struct manifest_recipe *r = j->recipe;
	const struct store_file *pip = closure_pick(t, STR("pip"), USE_BUILD | USE_RUN);
	struct closure *out = &j->env_wheels;

	out->v = arena_array(&j->a, r->nenvironment + 1, sizeof(const struct store_file *));
	for (size_t i = 0; i < r->nenvironment; i++) {
		const struct store_file *f = &t->files[r->environment[i]];
		const struct store_file *built =
			f->file.kind == DIST_SDIST ? closure_build_of(t, f) : NULL;

		out->v[out->n++] = built ? built : f;
		if (str_is(f->file.name, "pip")) {
			pip = NULL;
		}
	}
	/* A pip that was carried along is taken before the one that happens to be here. */
	if (pip && pip->file.kind == DIST_WHEEL) {
		out->v[out->n++] = pip;
	}
}

static int prepare_env(struct build_job *j, struct err *e)
{
	struct builder *b = j->b;

	list_env_wheels(j);
	if (workshop_clean(&b->shop, e)) {
		return -(int)e->rc;
	}
	return build_env_make(
		&b->shop, &b->envs, j->reader, &j->python, &j->env_wheels, j->log, &j->env, e);
}

static int prepare_vars(struct build_job *j, struct err *e)
{
	const struct target *t = &j->target->target;
	struct workshop *shop = &j->b->shop;
	struct arch_flags flags;

	arch_flags_of(&j->a, t->gpus, t->ngpus, builder_jobs(j->b), &flags);
	build_vars_init(&j->vars, &j->a, shop->work.inside, shop->env.inside, shop->cuda.inside);
	return build_vars_add_recipe(&j->vars, j->recipe, &flags, e);
}

/* ---- the source ---- */

static int prepare_source(struct build_job *j, struct err *e)
{
	struct workshop *shop = &j->b->shop;
	CLEANUP(fd) int fd = -1;
	struct digest found;
	uint64_t size;
	char *top = NULL;

	if (workshop_clean(shop, e) ||
		store_object_open(j->reader, &j->sdist->sha256, &fd, &size, e) ||
		hash_fd(fd, j->sdist->file.p, &found, &size, e)) {
		return -(int)e->rc;
	}
	if (!digest_eq(&found, &j->sdist->sha256)) {
		err_set(e, RC_HASH, "%.*s: its bytes in the store have changed",
			STR_ARG(j->sdist->file));
		return err_hint(e, "import the bundle that brought it again: that repairs it");
	}
	if (sdist_extract(
		    fd, j->sdist->file, workshop_outside(shop, &j->a, "src"), &j->a, &top, e)) {
		return -(int)e->rc;
	}
	j->source = workshop_inside(shop, &j->a, arena_printf(&j->a, "src/%s", top));
	return 0;
}

int build_prepare(struct build_job *j, struct err *e)
{
	const struct target *t = &j->target->target;
	int r = machine_fits(&j->b->machine, t, e);

	if (!r) {
		r = python_find(&j->a, &t->python, &j->python, e);
	}
	if (!r) {
		r = prepare_kit(j, e);
	}
	if (!r) {
		r = prepare_env(j, e);
	}
	if (!r) {
		r = prepare_vars(j, e);
	}
	return r ? r : prepare_source(j, e);
}

/* gpkg-bundle install: a target's packages into a virtual environment. */
#include "manifests/base/json.h"
#include "manifests/base/log.h"
#include "manifests/base/opt.h"
#include "mirror/install.h"
#include "mirror/machine.h"
#include "verify/store_place.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

int cmd_install(int argc, char **argv);

struct install_call {
	struct opt_common common;
	struct opt_list packages;
	const char *target, *venv;
};

static void print_result(
	const struct closure *files, const char *venv, const char *target, bool json)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct json_out o;

	if (!json) {
		printf("%zu packages of %s in %s\n", files->n, target, venv);
		return;
	}
	json_out_init(&o, &text, true);
	json_begin_object(&o);
	json_put_key(&o, "packages");
	json_begin_array(&o);
	for (size_t i = 0; i < files->n; i++) {
		char hex[DIGEST_HEX + 1];

		json_begin_object(&o);
		json_bool(&o, "built", files->v[i]->is_built);
		json_str(&o, "file", files->v[i]->file.file);
		json_str(&o, "name", files->v[i]->file.name);
		json_cstr(&o, "sha256", digest_hex(&files->v[i]->file.sha256, hex));
		json_str(&o, "version", files->v[i]->file.version);
		json_end_object(&o);
	}
	json_end_array(&o);
	json_cstr(&o, "target", target);
	json_cstr(&o, "venv", venv);
	json_end_object(&o);
	puts(text.p);
}

static int find_target(const struct store_view *v, const char *name,
	const struct store_target **out, struct err *e)
{
	struct arena a = ARENA_INIT;
	struct machine here;
	int r = 0;

	*out = store_view_target(v, str_of(name));
	if (!*out) {
		err_set(e, RC_NOT_FOUND, "target %s: not in this store", name);
		return err_hint(e, "gpkg-bundle list shows those that are");
	}
	machine_look(&a, &here);
	r = machine_fits(&here, &(*out)->target, e);
	arena_release(&a);
	return r;
}

/* Programs are started elsewhere, so the folder must not depend on where this one is. */
static char *absolute(struct arena *a, const char *path)
{
	char here[PATH_MAX];

	if (path[0] == '/' || !getcwd(here, sizeof(here))) {
		return arena_dup(a, str_of(path));
	}
	return arena_printf(a, "%s/%s", here, path);
}

static int install(const struct install_call *c, struct store *s, const struct store_target *t,
	struct arena *a, struct err *e)
{
	struct closure files = { .n = 0 };
	struct str *names = arena_array(a, c->packages.n, sizeof(*names));
	char *venv = absolute(a, c->venv);

	for (size_t i = 0; i < c->packages.n; i++) {
		names[i] = str_of(c->packages.v[i]);
	}
	if (install_plan(s, t, names, c->packages.n, a, &files, e) ||
		install_venv(&t->target.python, venv, c->common.quiet, e)) {
		return -(int)e->rc;
	}
	log_say("installing %zu packages into %s", files.n, c->venv);
	if (install_files(s, &files, venv, c->common.quiet, e)) {
		return -(int)e->rc;
	}
	print_result(&files, c->venv, c->target, c->common.json);
	return 0;
}

static int run(const struct install_call *c, const char *store, struct arena *a, struct err *e)
{
	CLEANUP_STORE struct store *s = NULL;
	struct store_view v = STORE_VIEW_INIT;
	const struct store_target *t = NULL;

	if (!c->target || !c->venv) {
		err_set(e, RC_USAGE, "--target NAME and --venv DIR are needed");
		return err_hint(e, "see: gpkg-bundle install --help");
	}
	int r = store_open(absolute(a, store), STORE_READ, &s, e);

	if (!r) {
		r = store_view_load(s, &v, e);
	}
	if (!r) {
		r = find_target(&v, c->target, &t, e);
	}
	if (!r) {
		r = install(c, s, t, a, e);
	}
	store_view_release(&v);
	return r;
}

int cmd_install(int argc, char **argv)
{
	struct install_call c = { .target = NULL };
	const struct opt options[] = {
		{ 't', "target", OPT_TEXT, &c.target, "NAME", "whose packages" },
		{ 0, "venv", OPT_TEXT, &c.venv, "DIR", "the environment; made where it is absent" },
		{ .name = NULL },
	};
	const struct opt_verb verb = { "install", "[PKG]...",
		"Install a target's packages from the store into a virtual environment, offline.",
		options, 0, OPT_MANY };
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	int status = opt_parse(&verb, argc, argv, &c.common, &c.packages);

	if (status == OPT_GO) {
		int r = run(&c, store_place(&a, c.common.store), &a, &e);

		status = r ? log_error("gpkg-bundle install", &e, c.common.json) : 0;
	}
	vec_release(&c.packages);
	arena_release(&a);
	return status;
}

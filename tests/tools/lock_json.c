/* lock_json LOCK GLIBC [PYTHON/PLATFORM/GLIBC]...: what lock_read made of a lock, as JSON, for
 * tests/e2e/lock_corpus.py; GLIBC completes a gpkg lock ("-": not given). Each further argument is
 * a machine: "fits" says which packages' files its tags accept. Exit 1 and the error on stderr. */
#include "manifests/base/json.h"
#include "manifests/base/log.h"
#include "manifests/lock.h"
#include "manifests/tag.h"
#include "manifests/target_text.h"

#include <stdio.h>
#include <string.h>

static struct str unless_dash(const char *text)
{
	return strcmp(text, "-") == 0 ? STR_NULL : str_of(text);
}

static void put_target(struct json_out *o, const struct target *t, struct arena *a)
{
	json_begin_object(o);
	json_str(o, "name", t->name);
	json_cstr(o, "python", target_python_text(a, &t->python));
	json_str(o, "platform", t->platform);
	json_str(o, "torch", t->torch);
	json_cstr(o, "cuda", t->cuda.major ? target_cuda_text(a, t) : "0.0");
	json_cstr(o, "cxx11_abi", t->cxx11_abi < 0 ? NULL : t->cxx11_abi ? "TRUE" : "FALSE");
	json_cstr(o, "glibc", arena_printf(a, "%u.%u", t->libc_major, t->libc_minor));
	json_end_object(o);
}

static void put_package(struct json_out *o, const struct lock_package *p)
{
	CLEANUP_BUF struct buf version = BUF_INIT;
	const struct specifier *pin = lock_package_pin(p);

	if (pin) {
		version_format(&pin->version, &version);
	}
	json_begin_object(o);
	json_str(o, "name", p->req.name);
	json_str(o, "requirement", p->req.raw);
	json_str(o, "version", buf_str(&version));
	json_str(o, "url", p->url);
	json_str(o, "file", p->file);
	json_u64(o, "line", p->line);
	json_end_object(o);
}

static bool fits(struct arena *a, const struct tag_list *tags, struct str file)
{
	struct dist_name name = { .kind = DIST_WHEEL };
	struct err e = ERR_INIT;

	return file.n && dist_name_parse(a, file, &name, &e) == 0 && name.kind == DIST_WHEEL &&
	       tag_rank(tags, &name) >= 0;
}

static int put_fits(struct json_out *o, const struct lock *l, struct arena *a, const char *machine,
	struct err *e)
{
	struct target_spec spec = { .name = STR("machine"), .cxx11_abi = -1 };
	struct str rest = str_of(machine);
	struct target target;
	struct tag_list tags;

	str_cut(&rest, '/', &spec.python);
	str_cut(&rest, '/', &spec.platform);
	str_cut(&rest, '/', &spec.glibc);
	if (target_make(a, &spec, &target, e)) {
		return -(int)e->rc;
	}
	tag_list_of(a, &target, &tags);
	json_put_key(o, machine);
	json_begin_array(o);
	for (size_t i = 0; i < l->npackages; i++) {
		json_put_bool(o, fits(a, &tags, l->packages[i].file));
	}
	json_end_array(o);
	return 0;
}

static int put_lock(struct json_out *o, const struct lock *l, char **machines, struct err *e)
{
	struct arena arena = ARENA_INIT;
	int r = 0;

	json_begin_object(o);
	json_cstr(o, "kind", l->kind == LOCK_GPKG ? "gpkg" : "native");
	json_put_key(o, "targets");
	json_begin_array(o);
	for (size_t i = 0; i < l->ntargets; i++) {
		put_target(o, &l->targets[i], &arena);
	}
	json_end_array(o);
	json_put_key(o, "packages");
	json_begin_array(o);
	for (size_t i = 0; i < l->npackages; i++) {
		put_package(o, &l->packages[i]);
	}
	json_end_array(o);
	json_put_key(o, "fits");
	json_begin_object(o);
	for (; !r && *machines; machines++) {
		r = put_fits(o, l, &arena, *machines, e);
	}
	json_end_object(o);
	json_end_object(o);
	arena_release(&arena);
	return r;
}

int main(int argc, char **argv)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct target_spec extra = { .cxx11_abi = -1 };
	const struct lock_options options = { .extra = &extra };
	struct lock lock = LOCK_INIT;
	struct err e = ERR_INIT;
	struct json_out out;

	if (argc < 3) {
		fputs("usage: lock_json LOCK GLIBC [PYTHON/PLATFORM/GLIBC]...\n", stderr);
		return 2;
	}
	extra.glibc = unless_dash(argv[2]);
	json_out_init(&out, &text, false);
	if (lock_read(argv[1], &options, &lock, &e) || put_lock(&out, &lock, argv + 3, &e)) {
		lock_release(&lock);
		log_error("lock_json", &e, false);
		return 1;
	}
	printf("%.*s\n", STR_ARG(buf_str(&text)));
	lock_release(&lock);
	return 0;
}

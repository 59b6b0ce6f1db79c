#include "manifests/target_text.h"
#include "manifests/base/buf.h"

const char *target_cuda_text(struct arena *a, const struct target *t)
{
	if (!t->cuda.major) {
		return "none";
	}
	return t->is_any_cuda_minor ? arena_printf(a, "%u", t->cuda.major)
				    : arena_printf(a, "%u.%u", t->cuda.major, t->cuda.minor);
}

void target_put_json(const struct target *t, struct json_out *o)
{
	struct arena a = ARENA_INIT;

	if (t->is_cuda_known) {
		json_cstr(o, "cuda", target_cuda_text(&a, t));
	}
	if (t->cxx11_abi >= 0) {
		json_bool(o, "cxx11_abi", t->cxx11_abi == 1);
	}
	if (t->driver.n) {
		json_str(o, "driver", t->driver);
	}
	if (t->libc == TARGET_GLIBC && t->os == TARGET_LINUX) {
		json_cstr(o, "glibc", arena_printf(&a, "%u.%u", t->libc_major, t->libc_minor));
	}
	json_put_key(o, "gpus");
	json_begin_array(o);
	for (size_t i = 0; i < t->ngpus; i++) {
		json_put_str(o, str_of(arena_printf(&a, "%u.%u", t->gpus[i].major, t->gpus[i].minor)));
	}
	json_end_array(o);
	if (t->libc == TARGET_MUSL && t->os == TARGET_LINUX) {
		json_cstr(o, "musl", arena_printf(&a, "%u.%u", t->libc_major, t->libc_minor));
	}
	json_str(o, "name", t->name);
	json_str(o, "platform", t->platform);
	json_cstr(o, "python", target_python_text(&a, &t->python));
	if (t->torch.n) {
		json_str(o, "torch", t->torch);
	}
	arena_release(&a);
}

static int opt_text(struct arena *a, const struct json *v, const char *key, struct str *out, struct err *e)
{
	struct str s = STR_NULL;
	int r = json_opt_str(v, key, &s, e);

	if (!r && s.n) {
		*out = arena_str(a, s);
	}
	return r;
}

static int read_gpus(struct arena *a, const struct json *v, struct target_spec *spec, struct err *e)
{
	const struct json *list;
	int r = json_need_array(v, "gpus", &list, e);

	if (r) {
		return r;
	}
	size_t n = json_count(list), i = 0;
	struct str *gpus = arena_array(a, n, sizeof(*gpus));
	for (const struct json *g = json_first(list); g; g = json_next(g), i++) {
		struct str s;

		r = json_to_str(g, "gpus", &s, e);
		if (r) {
			return r;
		}
		gpus[i] = arena_str(a, s);
	}
	spec->gpus = gpus;
	spec->ngpus = n;
	return 0;
}

int target_from_json(struct arena *a, const struct json *object, struct target *out, struct err *e)
{
	struct target_spec spec = { .cxx11_abi = -1 };
	bool abi = false;
	int r = opt_text(a, object, "name", &spec.name, e);

	r = r ? r : opt_text(a, object, "python", &spec.python, e);
	r = r ? r : opt_text(a, object, "platform", &spec.platform, e);
	r = r ? r : opt_text(a, object, "glibc", &spec.glibc, e);
	r = r ? r : opt_text(a, object, "musl", &spec.musl, e);
	r = r ? r : opt_text(a, object, "driver", &spec.driver, e);
	r = r ? r : opt_text(a, object, "torch", &spec.torch, e);
	r = r ? r : opt_text(a, object, "cuda", &spec.cuda, e);
	r = r ? r : json_opt_bool(object, "cxx11_abi", &abi, e);
	r = r ? r : read_gpus(a, object, &spec, e);
	if (r) {
		return r;
	}
	if (json_get(object, "cxx11_abi")) {
		spec.cxx11_abi = abi;
	}
	return target_make(a, &spec, out, e);
}

char *target_line(struct arena *a, const struct target *t)
{
	CLEANUP_BUF struct buf b = BUF_INIT;

	buf_addf(&b, "Python %s, %.*s", target_python_text(a, &t->python), STR_ARG(t->platform));
	if (t->os == TARGET_LINUX) {
		buf_addf(&b, ", %s %u.%u", t->libc == TARGET_MUSL ? "musl" : "glibc", t->libc_major,
			t->libc_minor);
	}
	for (size_t i = 0; i < t->ngpus; i++) {
		buf_addf(&b, "%s%u.%u", i ? " " : ", GPU ", t->gpus[i].major, t->gpus[i].minor);
	}
	if (t->driver.n) {
		buf_addf(&b, ", driver %.*s", STR_ARG(t->driver));
	}
	if (t->torch.n) {
		buf_addf(&b, ", torch %.*s", STR_ARG(t->torch));
	}
	return arena_dup(a, buf_str(&b));
}

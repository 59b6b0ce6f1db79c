/* The CUDA build where one is wanted: a wheel for the CPU installs, imports and is slow, and nobody
 * is told. */
#include "manifests/cuda_library.h"
#include "manifests/expected_cuda.h"
#include "manifests/variant.h"
#include "verify/audit_checks.h"

/* torch's own libraries of its CUDA part. */
static bool is_cuda_part(const struct native_module *m)
{
	struct str file = module_file_name(m);

	return str_starts(file, "libtorch_cuda") || str_starts(file, "libc10_cuda") ||
	       str_starts(file, "torch_cuda") || str_starts(file, "c10_cuda");
}

static bool uses_cuda(const struct audit_wheel *w)
{
	for (size_t i = 0; i < w->native->nmodules; i++) {
		const struct native_module *m = &w->native->modules[i];

		if (is_cuda_part(m) || m->ntoolkits) {
			return true;
		}
		for (size_t k = 0; k < m->nneeded; k++) {
			if (cuda_library_find(m->needed[k])) {
				return true;
			}
		}
	}
	return w->native->device.n > 0 || w->native->device.nunreadable > 0;
}

static bool wants_cuda(const struct target *t)
{
	return t->ngpus > 0 || t->cuda.major > 0;
}

static const char *public_version(const struct audit_wheel *w, struct audit *a)
{
	CLEANUP_BUF struct buf text = BUF_INIT;

	version_format_public(&w->name->version, &text);
	return arena_dup(&a->arena, buf_str(&text));
}

static void say_cpu_torch(const struct audit_wheel *w, const struct target *t, struct audit *a)
{
	const char *version = public_version(w, a);
	const char *build =
		t->cuda.major && !t->is_any_cuda_minor
			? arena_printf(&a->arena, "torch==%s+cu%u%u", version, t->cuda.major,
				  t->cuda.minor)
			: arena_printf(&a->arena, "torch==%s with a +cu label", version);

	audit_say(a, AUDIT_build_kind, AUDIT_FAIL, NULL,
		"torch.cuda.is_available() is False: \"Torch not compiled with CUDA enabled\"",
		arena_printf(&a->arena,
			"take %s, from the index of torch's project for that CUDA (the source "
			"\"pytorch\")",
			build),
		"is the CPU build of torch, without libtorch_cuda; %s wants CUDA",
		target_text(a, t));
}

/* "" is the beginning of any, and of none. */
static bool has_module(const struct audit_wheel *w, const char *beginning)
{
	bool is_found = !beginning[0];

	for (size_t i = 0; i < w->native->nmodules; i++) {
		if (str_starts(module_file_name(&w->native->modules[i]), beginning)) {
			is_found = true;
		}
	}
	return is_found;
}

/* A label that says CUDA makes a promise: then it is no pure build by intention. */
static bool label_says_cuda(const struct audit_wheel *w, struct audit *a)
{
	struct variant v;

	wheel_label(w, a, &v);
	return v.accelerator == VARIANT_CUDA;
}

static void say_without(const struct audit_wheel *w, const struct target *t,
	const struct expected_cuda *e, bool is_labelled, struct audit *a)
{
	audit_say(a, AUDIT_build_kind, is_labelled || e->is_needed ? AUDIT_FAIL : AUDIT_WARN, NULL,
		e->without, "take its CUDA build, or let the site build it from its sdist",
		"%.*s has no device code%s; %s has GPUs", STR_ARG(w->name->file),
		is_labelled ? ", whatever its label says" : "", target_text(a, t));
}

static void check_expected(const struct audit_wheel *w, const struct target *t,
	const struct expected_cuda *e, struct audit *a)
{
	if (w->native->device.n == 0 && w->native->device.nunreadable == 0) {
		say_without(w, t, e, label_says_cuda(w, a), a);
	} else if (!has_module(w, e->module)) {
		audit_say(a, AUDIT_build_kind, AUDIT_FAIL, NULL, e->without,
			"take another build of it, or let the site build it from its sdist",
			"has device code, but no module %s*", e->module);
	} else if (!has_module(w, e->also)) {
		audit_say(a, AUDIT_build_kind, AUDIT_WARN, NULL,
			"ModuleNotFoundError, where it is used; the package works without it in "
			"part",
			"take another build of it, if that part is wanted", "has no module %s*",
			e->also);
	}
}

void check_build_kind(const struct audit_wheel *w, const struct audit_site *site, struct audit *a)
{
	const struct target *t = site->target;
	const struct expected_cuda *e = expected_cuda_find(w->name->name);
	bool has_cuda = uses_cuda(w);

	if (!wants_cuda(t)) {
		audit_say(a, AUDIT_build_kind, AUDIT_PASS, NULL, NULL, NULL, "%s asks for no CUDA",
			target_text(a, t));
		return;
	}
	if (str_is(w->name->name, "torch") && !has_cuda) {
		say_cpu_torch(w, t, a);
	} else if (e) {
		check_expected(w, t, e, a);
	} else if (!has_cuda && label_says_cuda(w, a)) {
		audit_say(a, AUDIT_build_kind, AUDIT_WARN, NULL, "it runs without the GPU",
			"nothing, if it compiles its kernels at first use or leaves them to others",
			"its label says CUDA, and there is nothing of CUDA in it");
	}
	if (!a->tally[AUDIT_build_kind].said) {
		audit_say(a, AUDIT_build_kind, AUDIT_PASS, NULL, NULL, NULL, "%s",
			has_cuda ? "is a CUDA build" : "is not expected to have device code");
	}
}

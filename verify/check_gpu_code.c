/* Demand 1. What decides is the union over the libraries: packages split their kernels by
 * architecture. */
#include "manifests/cuda_driver.h"
#include "verify/audit_checks.h"
#include "verify/device_need.h"

static const char no_image[] =
	"CUDA error: no kernel image is available for execution on the device, at the first kernel";

/* GPUs without any code, and those that only PTX serves. */
static void sort_gpus(const struct device_code *d, const struct target *t, struct buf *missing,
	struct buf *by_jit)
{
	for (size_t i = 0; i < t->ngpus; i++) {
		struct gpu gpu = t->gpus[i];
		bool by_ptx = false, is_covered = device_code_covers(d, gpu, &by_ptx);
		struct buf *list = !is_covered ? missing : by_ptx ? by_jit : NULL;

		if (list) {
			buf_addf(list, "%ssm_%u%u", list->n ? " " : "", gpu.major, gpu.minor);
		}
	}
}

static const char *jit_driver(const struct device_code *d, const struct target *t, struct audit *a)
{
	const char *newest = NULL;

	for (size_t i = 0; i < t->ngpus; i++) {
		struct cuda_version cuda;
		bool by_ptx = false;

		if (!device_code_covers(d, t->gpus[i], &by_ptx) || !by_ptx) {
			continue;
		}
		const char *driver = device_ptx_cuda(d, t->gpus[i], &cuda)
					     ? cuda_toolkit_driver(cuda, t->os)
					     : NULL;
		if (!driver) {
			return "a driver as new as the CUDA that made it";
		}
		newest = !newest || driver_judge(str_of(newest), driver) == DRIVER_TOO_OLD ? driver
											   : newest;
	}
	return newest ? arena_printf(&a->arena, "driver %s or newer", newest) : "";
}

/* A library with code, but none for a GPU of the target: does the wheel choose between libraries,
 * or is a kernel missing? That is not to be seen from outside. */
static void say_library(struct audit *a, const struct device_code *d, const struct native_module *m,
	const struct target *t)
{
	CLEANUP_BUF struct buf missing = BUF_INIT, by_jit = BUF_INIT, has = BUF_INIT;

	sort_gpus(d, t, &missing, &by_jit);
	if (missing.n) {
		device_code_format(d, &has);
		audit_say(a, AUDIT_gpu_code, AUDIT_WARN, module_text(a, m), no_image,
			"no harm if another library of the wheel has the same kernels",
			"has %s, none for %s", has.p, missing.p);
	}
}

static void say_libraries(const struct audit_wheel *w, struct audit *a, const struct target *t)
{
	const struct native_module *m;

	for (size_t i = 0; (m = next_used(w, a, &i));) {
		if (m->device.n) {
			say_library(a, &m->device, m, t);
		}
	}
}

static void judge(const struct audit_wheel *w, const struct target *t, const struct device_code *d,
	struct audit *a)
{
	CLEANUP_BUF struct buf missing = BUF_INIT, by_jit = BUF_INIT, has = BUF_INIT;
	size_t nunreadable = w->native->device.nunreadable;

	sort_gpus(d, t, &missing, &by_jit);
	device_code_format(d, &has);
	if (missing.n && nunreadable) {
		audit_say(a, AUDIT_gpu_code, AUDIT_UNKNOWN, NULL, no_image,
			"ask for a build whose device code can be read",
			"has %s and %zu containers that cannot be read; %s needs %s", has.p,
			nunreadable, target_text(a, t), missing.p);
	} else if (missing.n) {
		audit_say(a, AUDIT_gpu_code, AUDIT_FAIL, NULL, no_image,
			arena_printf(&a->arena,
				"take a build that names %s, or let the site build it from its "
				"sdist",
				missing.p),
			"has %s; %s needs %s", has.p, target_text(a, t), missing.p);
	} else if (by_jit.n) {
		audit_say(a, AUDIT_gpu_code, AUDIT_WARN, NULL,
			"the provided PTX was compiled with an unsupported toolchain, where the "
			"driver is older",
			"nothing where the driver is new enough; the first start compiles for "
			"minutes",
			"has %s: for %s only by JIT, which needs %s", has.p, by_jit.p,
			jit_driver(d, t, a));
	} else {
		audit_say(a, AUDIT_gpu_code, AUDIT_PASS, NULL, NULL, NULL, "has %s", has.p);
	}
	if (!missing.n) {
		say_libraries(w, a, t);
	}
}

void check_gpu_code(const struct audit_wheel *w, const struct audit_site *site, struct audit *a)
{
	const struct target *t = site->target;
	struct device_code d = device_code_used(w, a);
	size_t nunreadable = w->native->device.nunreadable;

	if (t->ngpus == 0) {
		audit_say(a, AUDIT_gpu_code, AUDIT_PASS, NULL, NULL, NULL, "%s states no GPU",
			target_text(a, t));
	} else if (d.n) {
		judge(w, t, &d, a);
	} else if (nunreadable) {
		audit_say(a, AUDIT_gpu_code, AUDIT_UNKNOWN, NULL, no_image,
			"ask for a build whose device code can be read",
			"%zu containers of device code cannot be read", nunreadable);
	} else {
		audit_say(a, AUDIT_gpu_code, AUDIT_PASS, NULL, NULL, NULL,
			"no device code: what runs on the GPU comes from elsewhere or is compiled "
			"there");
	}
}

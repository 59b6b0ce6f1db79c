/* Demand 8. Cubins and PTX ask for different drivers: minor version compatibility holds for cubins
 * alone. */
#include "manifests/cuda_driver.h"
#include "manifests/cuda_library.h"
#include "manifests/dotted.h"
#include "verify/audit_checks.h"
#include "verify/device_need.h"

/* Of the modules that say one. Those of several majors in one wheel are a choice, which the package
 * makes when it is imported: the least is what it cannot do without. 0: none says one. */
struct cuda_majors {
	unsigned least, most;
};

static void add_major(struct cuda_majors *all, unsigned major)
{
	if (major) {
		all->least = !all->least || major < all->least ? major : all->least;
		all->most = major > all->most ? major : all->most;
	}
}

/* 13 of "libcudart.so.13"; 0: it is of no CUDA, or of several. */
static unsigned library_major(struct str soname)
{
	const struct cuda_library *l = cuda_library_find(soname);

	return l && l->min_cuda == l->max_cuda ? l->min_cuda : 0;
}

/* Of the CUDA that it is linked with, or part of. */
static unsigned linked_major(const struct native_module *m)
{
	unsigned major = library_major(m->soname);

	for (size_t i = 0; i < m->nneeded; i++) {
		unsigned needed = library_major(m->needed[i]);

		major = needed > major ? needed : major;
	}
	return major;
}

/* Of the CUDA that made its device code. */
static unsigned toolkit_major(const struct native_module *m)
{
	unsigned major = 0;

	for (size_t i = 0; i < m->ntoolkits; i++) {
		uint64_t made_by;
		struct str release = m->toolkits[i];

		if (str_to_u64(str_first(release, str_find(release, '.')), &made_by) &&
			made_by > major) {
			major = (unsigned)made_by;
		}
	}
	return major;
}

static struct cuda_majors cuda_majors_of(const struct audit_wheel *w, const struct audit *a)
{
	struct cuda_majors linked = { 0 }, made = { 0 };
	const struct native_module *m;

	for (size_t i = 0; (m = next_used(w, a, &i));) {
		add_major(&linked, linked_major(m));
		add_major(&made, toolkit_major(m));
	}
	return (struct cuda_majors){
		.least = linked.least > made.least ? linked.least : made.least,
		.most = linked.most > made.most ? linked.most : made.most,
	};
}

struct driver_need { /* the gravest so far */
	const char *driver, *why, *avoids;
	const char *unknown; /* something whose driver the tables do not have; NULL: nothing */
};

/* Keeps what asks for the newer driver. */
static void need_driver(
	struct driver_need *need, const char *driver, const char *why, const char *avoids)
{
	if (driver && (!need->driver || dotted_cmp(str_of(driver), str_of(need->driver)) > 0)) {
		*need = (struct driver_need){ driver, why, avoids, need->unknown };
	}
}

/* The GPU is served by PTX alone. */
static void need_for_ptx(struct driver_need *need, const struct device_code *d, struct gpu gpu,
	const struct target *t, struct audit *a)
{
	struct cuda_version cuda;
	const char *driver = NULL;

	if (device_ptx_cuda(d, gpu, &cuda)) {
		driver = cuda_toolkit_driver(cuda, t->os);
	}
	if (!driver) {
		need->unknown = arena_printf(
			&a->arena, "PTX, all that serves sm_%u%u, of a CUDA", gpu.major, gpu.minor);
		return;
	}
	need_driver(need, driver,
		arena_printf(&a->arena, "PTX of CUDA %u.%u, all that serves sm_%u%u", cuda.major,
			cuda.minor, gpu.major, gpu.minor),
		"CUDA error: the provided PTX was compiled with an unsupported toolchain");
}

static void need_for_gpus(struct driver_need *need, const struct device_code *d,
	const struct target *t, struct audit *a)
{
	for (size_t i = 0; i < t->ngpus; i++) {
		struct gpu gpu = t->gpus[i];
		bool by_ptx = false;

		need_driver(need, gpu_driver(gpu, t->os),
			arena_printf(&a->arena, "a GPU of sm_%u%u", gpu.major, gpu.minor),
			"the driver does not know the GPU: no CUDA-capable device is detected");
		if (device_code_covers(d, gpu, &by_ptx) && by_ptx) {
			need_for_ptx(need, d, gpu, t, a);
		}
	}
}

/* PTX that this driver cannot compile, beside cubins that it can load. */
static void say_idle_ptx(const struct device_code *d, const struct target *t, struct audit *a)
{
	for (size_t i = 0; i < t->ngpus; i++) {
		struct cuda_version cuda;
		bool by_ptx = false;
		const char *driver = NULL;

		if (device_code_covers(d, t->gpus[i], &by_ptx) && !by_ptx &&
			device_ptx_cuda(d, t->gpus[i], &cuda)) {
			driver = cuda_toolkit_driver(cuda, t->os);
		}
		if (driver && driver_judge(t->driver, driver) == DRIVER_TOO_OLD) {
			audit_say(a, AUDIT_driver, AUDIT_WARN, NULL,
				"CUDA error: the provided PTX was compiled with an unsupported "
				"toolchain, if a kernel has no other code",
				"nothing where all kernels have machine code",
				"its PTX for sm_%u%u is of CUDA %u.%u and needs driver %s; %s has "
				"%.*s, "
				"and machine code besides",
				t->gpus[i].major, t->gpus[i].minor, cuda.major, cuda.minor, driver,
				target_text(a, t), STR_ARG(t->driver));
			return;
		}
	}
}

/* Libraries for a newer CUDA than this driver serves, beside some that it does serve. */
static void say_newer_choice(struct cuda_majors majors, const struct target *t, struct audit *a)
{
	const char *driver = cuda_family_driver(majors.most, t->os);

	if (majors.most > majors.least && driver &&
		driver_judge(t->driver, driver) == DRIVER_TOO_OLD) {
		audit_say(a, AUDIT_driver, AUDIT_WARN, NULL,
			"CUDA driver version is insufficient for CUDA runtime version, where it "
			"takes the newer ones",
			"nothing where it chooses by driver or GPU",
			"has libraries for CUDA %u and for CUDA %u, which needs driver %s; %s has "
			"%.*s",
			majors.least, majors.most, driver, target_text(a, t), STR_ARG(t->driver));
	}
}

static void judge(const struct driver_need *need, const struct target *t, struct audit *a)
{
	const char *remedy = arena_printf(&a->arena,
		"install driver %s or newer there, or take a build for an older CUDA",
		need->driver);

	if (!t->driver.n) {
		audit_say(a, AUDIT_driver, AUDIT_UNKNOWN, NULL, need->avoids,
			"state driver in the [[target]], as nvidia-smi shows it",
			"needs driver %s or newer, for %s; %s does not say which it has",
			need->driver, need->why, target_text(a, t));
		return;
	}
	switch (driver_judge(t->driver, need->driver)) {
	case DRIVER_ENOUGH:
		audit_say(a, AUDIT_driver, AUDIT_PASS, NULL, NULL, NULL,
			"needs driver %s or newer, for %s; %s has %.*s", need->driver, need->why,
			target_text(a, t), STR_ARG(t->driver));
		break;
	case DRIVER_UNSURE:
		audit_say(a, AUDIT_driver, AUDIT_UNKNOWN, NULL, need->avoids,
			"state the whole driver version in the [[target]], as nvidia-smi shows it",
			"needs driver %s or newer, for %s; the %.*s of %s may be older",
			need->driver, need->why, STR_ARG(t->driver), target_text(a, t));
		break;
	case DRIVER_TOO_OLD:
		audit_say(a, AUDIT_driver, AUDIT_FAIL, NULL, need->avoids, remedy,
			"needs driver %s or newer, for %s; %s has %.*s", need->driver, need->why,
			target_text(a, t), STR_ARG(t->driver));
		break;
	}
}

void check_driver(const struct audit_wheel *w, const struct audit_site *site, struct audit *a)
{
	const struct target *t = site->target;
	struct device_code d = device_code_used(w, a);
	struct cuda_majors majors = cuda_majors_of(w, a);
	unsigned major = majors.least;
	struct driver_need need = { .driver = NULL };

	if (t->ngpus == 0 || (major == 0 && d.n == 0)) {
		audit_say(a, AUDIT_driver, AUDIT_PASS, NULL, NULL, NULL, "%s",
			t->ngpus ? "uses no CUDA of its own" : "the target states no GPU");
		return;
	}
	need_driver(&need, cuda_family_driver(major, t->os),
		arena_printf(&a->arena, "CUDA %u", major),
		"CUDA driver version is insufficient for CUDA runtime version");
	if (major && !cuda_family_driver(major, t->os)) {
		need.unknown = arena_printf(&a->arena, "CUDA %u", major);
	}
	need_for_gpus(&need, &d, t, a);
	if (need.driver) {
		judge(&need, t, a);
	}
	if (need.unknown) {
		audit_say(a, AUDIT_driver, AUDIT_UNKNOWN, NULL, NULL,
			"compare with NVIDIA's table of drivers",
			"uses %s whose driver this program does not know", need.unknown);
	} else if (!need.driver) {
		audit_say(a, AUDIT_driver, AUDIT_UNKNOWN, NULL, NULL, NULL,
			"has device code that does not say which CUDA made it");
	}
	if (t->driver.n) {
		say_idle_ptx(&d, t, a);
		say_newer_choice(majors, t, a);
	}
}

/* Checking of targets, field after field, and what follows from them. */
#include "manifests/target.h"
#include "manifests/limits.h"
#include "manifests/target_field.h"
#include "manifests/target_torch.h"

struct target_maker {
	struct arena *arena;
	const struct target_spec *spec;
	struct target target;
	struct version torch;     /* nrelease 0: none is given */
	struct torch_build build; /* what its label says */
	struct err *err;
};

static bool is_name(struct str name)
{
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];
		bool is_alnum = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');

		if (!is_alnum && (i == 0 || (c != '-' && c != '_'))) {
			return false;
		}
	}
	return name.n > 0 && name.n <= LIMIT_TARGET_NAME;
}

static int set_name(struct target_maker *m)
{
	struct str name = m->spec->name, shown = str_first(name, 100);

	if (!is_name(name)) {
		return err_set(m->err, RC_INVALID,
			"name \"%.*s\": 1 to %d of a-z, 0-9, '_', '-' are allowed, first no sign",
			STR_ARG(shown), LIMIT_TARGET_NAME);
	}
	m->target.name = arena_str(m->arena, name);
	return 0;
}

static int set_python(struct target_maker *m)
{
	if (m->spec->python.n == 0) {
		err_set(m->err, RC_INVALID, "python: missing");
		return err_hint(m->err, "give CPython's version, like \"3.12\"");
	}
	return python_field_parse(m->spec->python, &m->target.python, m->err);
}

static int set_platform(struct target_maker *m)
{
	if (m->spec->platform.n == 0) {
		err_set(m->err, RC_INVALID, "platform: missing");
		return err_hint(
			m->err, "give \"linux_x86_64\", \"linux_aarch64\" or \"win_amd64\"");
	}
	return platform_field_parse(m->spec->platform, &m->target, m->err);
}

static int set_libc(struct target_maker *m)
{
	const struct target_spec *s = m->spec;

	if (m->target.os == TARGET_WINDOWS) {
		if (s->glibc.n || s->musl.n) {
			return err_set(m->err, RC_INVALID, "%s: Windows has none, leave it out",
				s->glibc.n ? "glibc" : "musl");
		}
		return 0;
	}
	if (s->glibc.n && s->musl.n) {
		return err_set(m->err, RC_INVALID, "glibc and musl: a machine has one of the two");
	}
	if (s->musl.n) {
		return musl_field_parse(s->musl, &m->target, m->err);
	}
	if (s->glibc.n) {
		return glibc_field_parse(s->glibc, &m->target, m->err);
	}
	err_set(m->err, RC_INVALID, "glibc: missing");
	return err_hint(m->err,
		"give glibc = \"2.28\" (\"ldd --version\" on the machine shows it) or "
		"musl = \"1.2\"");
}

static bool has_gpu(const struct target *t, const struct gpu *gpu)
{
	for (size_t i = 0; i < t->ngpus; i++) {
		if (t->gpus[i].major == gpu->major && t->gpus[i].minor == gpu->minor) {
			return true;
		}
	}
	return false;
}

static int set_gpus(struct target_maker *m)
{
	struct target *t = &m->target;

	t->gpus = arena_array(m->arena, m->spec->ngpus + 1, sizeof(*t->gpus));
	for (size_t i = 0; i < m->spec->ngpus; i++) {
		struct gpu gpu;
		int rc = gpu_parse(m->spec->gpus[i], &gpu, m->err);

		if (rc) {
			return rc;
		}
		if (!has_gpu(t, &gpu)) {
			t->gpus[t->ngpus++] = gpu;
		}
	}
	return 0;
}

static int set_driver(struct target_maker *m)
{
	if (m->spec->driver.n == 0) {
		return 0;
	}
	m->target.driver = arena_str(m->arena, m->spec->driver);
	return driver_field_check(m->spec->driver, m->err);
}

static int set_torch(struct target_maker *m)
{
	struct str text = m->spec->torch, shown = str_first(text, 100);
	CLEANUP_BUF struct buf normal = BUF_INIT;

	if (text.n == 0) {
		return 0;
	}
	if (version_parse(m->arena, text, &m->torch, m->err)) {
		err_set(m->err, RC_INVALID, "torch \"%.*s\": one exact version is allowed",
			STR_ARG(shown));
		return err_hint(m->err, "write the build as torch.__version__ shows it, like "
					"\"2.11.0+cu130\"");
	}
	version_format(&m->torch, &normal);
	m->target.torch = arena_str(m->arena, buf_str(&normal));
	torch_build_of(&m->torch, &m->build);
	return 0;
}

static int refuse_cuda(struct target_maker *m)
{
	const struct cuda_version *built = &m->build.cuda;
	struct str given = m->spec->cuda;

	if (built->major) {
		err_set(m->err, RC_INVALID, "cuda \"%.*s\": torch %.*s is built for CUDA %u.%u",
			STR_ARG(given), STR_ARG(m->target.torch), built->major, built->minor);
	} else {
		err_set(m->err, RC_INVALID, "cuda \"%.*s\": torch %.*s is built without CUDA",
			STR_ARG(given), STR_ARG(m->target.torch));
	}
	return err_hint(m->err, "leave cuda out: it follows from torch");
}

static int set_cuda(struct target_maker *m)
{
	struct target *t = &m->target;
	const struct torch_build *b = &m->build;

	t->cuda = b->cuda;
	t->is_cuda_known = b->is_cuda_known;
	if (m->spec->cuda.n == 0) {
		return 0;
	}
	int rc = cuda_field_parse(m->spec->cuda, t, m->err);
	if (rc) {
		return rc;
	}
	if (b->is_cuda_known) {
		if (t->cuda.major != b->cuda.major ||
			(!t->is_any_cuda_minor && t->cuda.minor != b->cuda.minor)) {
			return refuse_cuda(m);
		}
		t->cuda = b->cuda;
		t->is_any_cuda_minor = false;
	}
	t->is_cuda_known = true;
	return 0;
}

static int set_abi(struct target_maker *m)
{
	int given = m->spec->cxx11_abi;
	int built = m->torch.nrelease ? torch_abi_of(&m->torch, &m->target) : -1;

	if (given >= 0 && built >= 0 && given != built && m->build.is_official) {
		err_set(m->err, RC_INVALID, "cxx11_abi %s: torch %.*s is built with %s",
			given ? "true" : "false", STR_ARG(m->target.torch),
			built ? "true" : "false");
		return err_hint(m->err, "leave cxx11_abi out: it follows from torch");
	}
	m->target.cxx11_abi = given >= 0 ? given > 0 : built;
	return 0;
}

int target_make(struct arena *a, const struct target_spec *spec, struct target *out, struct err *e)
{
	static int (*const steps[])(struct target_maker *) = { set_name, set_python, set_platform,
		set_libc, set_gpus, set_driver, set_torch, set_cuda, set_abi };
	struct target_maker m = { .arena = a, .spec = spec, .err = e };

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		if (steps[i](&m)) {
			struct str name = m.target.name;

			return name.n ? err_wrap(e, "target %.*s", STR_ARG(name))
				      : err_wrap(e, "target");
		}
	}
	*out = m.target;
	return 0;
}

const char *target_python_text(struct arena *a, const struct target_python *p)
{
	const char *t = p->free_threaded ? "t" : "";

	if (p->has_patch) {
		return arena_printf(a, "%u.%u.%u%s", p->major, p->minor, p->patch, t);
	}
	return arena_printf(a, "%u.%u%s", p->major, p->minor, t);
}

void target_marker_env(struct arena *a, const struct target *t, struct marker_env *out)
{
	const struct target_python *p = &t->python;
	bool is_windows = t->os == TARGET_WINDOWS;
	const char *full = arena_printf(a, "%u.%u.%u", p->major, p->minor, p->patch);

	*out = (struct marker_env){
		.value = {
			[MARKER_OS_NAME] = str_of(is_windows ? "nt" : "posix"),
			[MARKER_SYS_PLATFORM] = str_of(is_windows ? "win32" : "linux"),
			[MARKER_PLATFORM_SYSTEM] = str_of(is_windows ? "Windows" : "Linux"),
			[MARKER_PLATFORM_MACHINE] = is_windows ? STR("AMD64") : t->machine,
			[MARKER_PLATFORM_PYTHON_IMPLEMENTATION] = STR("CPython"),
			[MARKER_IMPLEMENTATION_NAME] = STR("cpython"),
			[MARKER_PYTHON_VERSION] =
				str_of(arena_printf(a, "%u.%u", p->major, p->minor)),
			[MARKER_PYTHON_FULL_VERSION] = str_of(full),
			[MARKER_IMPLEMENTATION_VERSION] = str_of(full),
		},
	};
}

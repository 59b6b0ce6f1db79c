#include "mirror/toolkit.h"

#include "manifests/base/fs.h"
#include "manifests/base/vec.h"
#include "manifests/target_text.h"
#include "mirror/child.h"
#include "mirror/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ASK_SECONDS = 60, ANSWER_MAX = 1 << 16 };

/* "Cuda compilation tools, release 13.0, V13.0.88" */
bool toolkit_parse_version(struct arena *a, struct str text, struct toolkit *out)
{
	struct str line;
	unsigned major, minor, patch;

	while (str_cut(&text, '\n', &line)) {
		const char *copy = arena_dup(a, line), *at = strstr(copy, "release ");

		if (at && sscanf(at, "release %u.%u, V%*u.%*u.%u", &major, &minor, &patch) == 3) {
			out->version = (struct cuda_version){ major, minor };
			out->release = arena_printf(a, "%u.%u.%u", major, minor, patch);
			return true;
		}
	}
	return false;
}

/* Lines "compute_90"; the last digit is the minor version. */
void toolkit_parse_gpus(struct arena *a, struct str text, struct toolkit *out)
{
	VEC(struct gpu) found = VEC_INIT;
	struct str line;
	uint64_t number;

	while (str_cut(&text, '\n', &line)) {
		line = str_trim(line);
		if (str_starts(line, "compute_") && str_to_u64(str_skip(line, 8), &number) &&
			number < 10000) {
			vec_push(&found,
				(struct gpu){ (unsigned)number / 10, (unsigned)number % 10 });
		}
	}
	out->gpus = arena_array(a, found.n, sizeof(struct gpu));
	out->ngpus = found.n;
	if (found.n) {
		memcpy(out->gpus, found.v, found.n * sizeof(struct gpu));
	}
	vec_release(&found);
}

static int ask(
	struct arena *a, const char *nvcc, const char *option, struct str *said, struct err *e)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	const char *const argv[] = { nvcc, option, NULL };
	const char *const env[] = { "PATH=/usr/local/bin:/usr/bin:/bin", NULL };
	struct child_spec spec = { .argv = argv,
		.env = env,
		.folder = "/",
		.way = CHILD_OPEN,
		.limits = { .seconds = ASK_SECONDS } };
	struct child_result r;

	if (child_capture(&spec, ANSWER_MAX, &r, &text, e)) {
		return -(int)e->rc;
	}
	if (!child_is_ok(&r)) {
		CLEANUP_BUF struct buf how = BUF_INIT;

		child_describe(&r, &how);
		return err_set(e, RC_TOOL, "%s %s: %s", nvcc, option, how.p);
	}
	*said = arena_str(a, buf_str(&text));
	return 0;
}

int toolkit_ask(struct arena *a, const char *home, struct toolkit *out, struct err *e)
{
	char *nvcc = arena_printf(a, "%s/bin/nvcc", home);
	struct toolkit k = { .home = arena_dup(a, str_of(home)) };
	struct str said;

	if (ask(a, nvcc, "--version", &said, e)) {
		return -(int)e->rc;
	}
	if (!toolkit_parse_version(a, said, &k)) {
		return err_set(e, RC_TOOL, "%s: does not tell its release", nvcc);
	}
	if (ask(a, nvcc, "--list-gpu-arch", &said, e)) {
		return -(int)e->rc;
	}
	toolkit_parse_gpus(a, said, &k);
	*out = k;
	return 0;
}

/* ---- the site's ---- */

static bool has_nvcc(struct arena *a, const char *home)
{
	return machine_program(a, str_of(arena_printf(a, "%s/bin", home)), "nvcc") != NULL;
}

/* The folder above the one in which the nvcc of PATH lies, links followed; NULL where it is no
 * toolkit: a wrapper script lies alone in some bin folder. */
static char *home_in_path(struct arena *a)
{
	char *nvcc = machine_program(a, machine_path(), "nvcc");
	char *real = nvcc ? realpath(nvcc, NULL) : NULL;
	char *home = NULL;

	if (real) {
		home = arena_dup(a, str_of(fs_dirname(a, fs_dirname(a, real))));
	}
	free(real);
	return home && fs_exists(arena_printf(a, "%s/include/cuda_runtime.h", home)) ? home : NULL;
}

static int find_home(struct arena *a, char **out, struct err *e)
{
	const char *named = getenv("CUDA_HOME");

	if (!named || !*named) {
		named = getenv("CUDA_PATH");
	}
	if (named && *named) {
		if (*named != '/' || !has_nvcc(a, named)) {
			err_set(e, RC_TOOL, "no CUDA toolkit: nvcc not found at %s/bin", named);
			return err_hint(
				e, "that is what CUDA_HOME or CUDA_PATH says: correct or unset it");
		}
		*out = arena_dup(a, str_of(named));
		return 0;
	}
	char *home = home_in_path(a);

	if (!home && has_nvcc(a, "/usr/local/cuda")) {
		home = arena_dup(a, STR("/usr/local/cuda"));
	}
	if (!home) {
		err_set(e, RC_TOOL,
			"no CUDA toolkit: looked for nvcc in CUDA_HOME, CUDA_PATH, PATH and "
			"/usr/local/cuda");
		return err_hint(e,
			"set CUDA_HOME, load the site's module, or carry a toolkit in the bundle "
			"([toolkit] from = \"wheels\")");
	}
	*out = home;
	return 0;
}

static bool is_wanted(const struct toolkit *k, struct str want)
{
	char text[32];

	snprintf(text, sizeof(text), "%u.%u", k->version.major, k->version.minor);
	return want.n == 0 || str_is(want, text) || str_is(want, k->release);
}

int toolkit_find(struct arena *a, struct str want, struct toolkit *out, struct err *e)
{
	struct toolkit k;
	char *home = NULL;

	if (find_home(a, &home, e) || toolkit_ask(a, home, &k, e)) {
		return -(int)e->rc;
	}
	if (!is_wanted(&k, want)) {
		err_set(e, RC_TOOL, "CUDA toolkit in %s: is %s, the bundle asks for %.*s", home,
			k.release, STR_ARG(want));
		return err_hint(e,
			"set CUDA_HOME to a toolkit %.*s, or carry one in the bundle ([toolkit] "
			"from = \"wheels\")",
			STR_ARG(want));
	}
	k.is_site = true;
	*out = k;
	return 0;
}

/* ---- does it fit? ---- */

static bool knows_gpu(const struct toolkit *k, struct gpu g)
{
	for (size_t i = 0; i < k->ngpus; i++) {
		if (k->gpus[i].major == g.major && k->gpus[i].minor == g.minor) {
			return true;
		}
	}
	return false;
}

static void list_gpus(const struct toolkit *k, struct buf *out)
{
	for (size_t i = 0; i < k->ngpus; i++) {
		buf_addf(out, "%s%u.%u", i ? ", " : "", k->gpus[i].major, k->gpus[i].minor);
	}
}

int toolkit_check(
	const struct toolkit *k, const struct target *t, bool *is_minor_off, struct err *e)
{
	for (size_t i = 0; i < t->ngpus; i++) {
		CLEANUP_BUF struct buf known = BUF_INIT;

		if (knows_gpu(k, t->gpus[i])) {
			continue;
		}
		list_gpus(k, &known);
		err_set(e, RC_TOOL,
			"target %.*s: nvcc %s cannot compile for GPUs of capability %u.%u",
			STR_ARG(t->name), k->release, t->gpus[i].major, t->gpus[i].minor);
		return err_hint(e, "it knows %s; take another toolkit", known.n ? known.p : "none");
	}
	if (t->cuda.major && t->cuda.major != k->version.major) {
		struct arena a = ARENA_INIT;

		err_set(e, RC_TOOL, "target %.*s: is for CUDA %s, the toolkit %s%s is %s",
			STR_ARG(t->name), target_cuda_text(&a, t),
			k->is_site ? "in " : "of the bundle", k->is_site ? k->home : "",
			k->release);
		arena_release(&a);
		return err_hint(e,
			"PyTorch refuses another major version (\"The detected CUDA version "
			"mismatches\"): take a toolkit %u.x",
			t->cuda.major);
	}
	*is_minor_off = t->cuda.major && !t->is_any_cuda_minor &&
			t->cuda.minor != k->version.minor;
	return 0;
}

#include "mirror/python_find.h"

#include "manifests/base/vec.h"
#include "mirror/child.h"
#include "mirror/machine.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ASK_SECONDS = 30, ANSWER_MAX = 16384 };

/* One line each: implementation, version, 1 for free-threaded, program, prefix. Inside a virtual
 * environment the program is the one that it was made with. */
static const char question[] = "import os, sys, sysconfig\n"
			       "t = 't' if sysconfig.get_config_var('Py_GIL_DISABLED') else ''\n"
			       "p = os.path.join(sys.base_prefix, 'bin', 'python%d.%d%s' % "
			       "(sys.version_info[:2] + (t,)))\n"
			       "print(sys.implementation.name)\n"
			       "print('%d.%d.%d' % sys.version_info[:3])\n"
			       "print(1 if t else 0)\n"
			       "print(p if os.path.exists(p) else sys.executable)\n"
			       "print(sys.base_prefix)\n";

static char *variable(struct arena *a, const char *name, const char *otherwise)
{
	const char *value = getenv(name);

	return arena_printf(a, "%s=%s", name, value ? value : otherwise);
}

static bool parse_answer(struct arena *a, struct str text, struct python *out)
{
	struct str line[5];
	struct python p = { .program = NULL };

	for (size_t i = 0; i < 5; i++) {
		if (!str_cut(&text, '\n', &line[i])) {
			return false;
		}
	}
	p.program = arena_dup(a, line[3]);
	p.prefix = arena_dup(a, line[4]);
	p.free_threaded = str_is(line[2], "1");
	if (!str_is(line[0], "cpython") || p.program[0] != '/' ||
		sscanf(arena_dup(a, line[1]), "%u.%u.%u", &p.major, &p.minor, &p.patch) != 3) {
		return false;
	}
	*out = p;
	return true;
}

int python_ask(struct arena *a, const char *program, struct python *out, struct err *e)
{
	CLEANUP_BUF struct buf said = BUF_INIT;
	const char *const argv[] = { program, "-I", "-c", question, NULL };
	/* The wrappers of pyenv need to find their own things. */
	const char *const env[] = { variable(a, "PATH", "/usr/bin:/bin"), variable(a, "HOME", "/"),
		variable(a, "PYENV_ROOT", ""), NULL };
	struct child_spec spec = { .argv = argv,
		.env = env,
		.folder = "/",
		.way = CHILD_OPEN,
		.limits = { .seconds = ASK_SECONDS } };
	struct child_result r;

	if (child_capture(&spec, ANSWER_MAX, &r, &said, e)) {
		return -(int)e->rc;
	}
	if (!child_is_ok(&r) || !parse_answer(a, buf_str(&said), out)) {
		CLEANUP_BUF struct buf how = BUF_INIT;

		child_describe(&r, &how);
		return err_set(
			e, RC_TOOL, "%s: does not answer like a CPython (%s)", program, how.p);
	}
	return 0;
}

bool python_is(const struct python *p, const struct target_python *want)
{
	return p->major == want->major && p->minor == want->minor &&
	       p->free_threaded == want->free_threaded;
}

struct candidates {
	char **v;
	size_t n, cap;
};

static void add_matches(struct arena *a, struct candidates *c, const char *pattern)
{
	glob_t found;

	if (glob(pattern, 0, NULL, &found) == 0) {
		/* Sorted upwards: the newest patch level last. */
		for (size_t i = found.gl_pathc; i > 0; i--) {
			vec_push(c, arena_dup(a, str_of(found.gl_pathv[i - 1])));
		}
		globfree(&found);
	}
}

static const char *folder_of(struct arena *a, const char *name, const char *below_home)
{
	const char *value = getenv(name), *home = getenv("HOME");

	if (value && *value == '/') {
		return value;
	}
	return arena_printf(a, "%s/%s", home && *home == '/' ? home : "/root", below_home);
}

static void add_known_places(struct arena *a, struct candidates *c, const struct target_python *w)
{
	const char *t = w->free_threaded ? "t" : "";

	add_matches(a, c,
		arena_printf(a, "%s/versions/%u.%u*/bin/python%u.%u%s",
			folder_of(a, "PYENV_ROOT", ".pyenv"), w->major, w->minor, w->major,
			w->minor, t));
	add_matches(a, c,
		arena_printf(a, "%s/cpython-%u.%u*/bin/python%u.%u%s",
			folder_of(a, "UV_PYTHON_INSTALL_DIR", ".local/share/uv/python"), w->major,
			w->minor, w->major, w->minor, t));
	add_matches(a, c,
		arena_printf(a, "/opt/python/cp%u%u-cp%u%u%s/bin/python", w->major, w->minor,
			w->major, w->minor, t));
}

static void add_from_path(struct arena *a, struct candidates *c, const char *name)
{
	struct str rest = machine_path(), folder;

	while (str_cut(&rest, ':', &folder)) {
		char *program = machine_program(a, folder, name);

		if (program) {
			vec_push(c, program);
		}
	}
}

int python_find(
	struct arena *a, const struct target_python *want, struct python *out, struct err *e)
{
	struct candidates c = VEC_INIT;
	const char *t = want->free_threaded ? "t" : "";
	const char *name = arena_printf(a, "python%u.%u%s", want->major, want->minor, t);
	bool found = false;

	add_from_path(a, &c, name);
	add_known_places(a, &c, want);
	add_from_path(a, &c, "python3");
	for (size_t i = 0; !found && i < c.n; i++) {
		struct err ignored = ERR_INIT;
		struct python p;

		if (python_ask(a, c.v[i], &p, &ignored) == 0 && python_is(&p, want)) {
			*out = p;
			found = true;
		}
	}
	vec_release(&c);
	if (found) {
		return 0;
	}
	err_set(e, RC_TOOL, "%s: not found in PATH, nor where pyenv and uv keep theirs", name);
	return err_hint(e, "install it (with its venv module), or put it into PATH");
}

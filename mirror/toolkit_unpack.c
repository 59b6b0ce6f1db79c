#include "manifests/base/fs.h"
#include "mirror/toolkit.h"
#include "mirror/wheel_unpack.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "nvidia/cu13/" where the wheel holds nvidia/cu13/bin/nvcc; NULL: not in this one. */
static char *prefix_in(struct arena *a, struct wheel *w)
{
	size_t n = 0;
	const struct wheel_member *members = wheel_members(w, &n);

	for (size_t i = 0; i < n; i++) {
		if (str_starts(members[i].name, "nvidia/") &&
			str_ends(members[i].name, "/bin/nvcc")) {
			return arena_dup(a,
				str_first(members[i].name, members[i].name.n - strlen("bin/nvcc")));
		}
	}
	return NULL;
}

static int find_prefix(
	struct arena *a, const struct toolkit_wheel *wheels, size_t n, char **out, struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		CLEANUP_WHEEL struct wheel *w = NULL;

		if (wheel_open_fd(wheels[i].fd, wheels[i].file, &w, e)) {
			return -(int)e->rc;
		}
		*out = prefix_in(a, w);
		if (*out) {
			return 0;
		}
	}
	err_set(e, RC_TOOL, "none of the %zu toolkit wheels holds nvcc", n);
	return err_hint(e, "CUDA 13's nvidia-cuda-nvcc does; that of CUDA 12 does not: use the "
			   "site's toolkit");
}

static int make_link(const char *to, const char *path, struct err *e)
{
	return symlink(to, path) && errno != EEXIST ? err_sys(e, "%s: cannot make the link", path)
						    : 0;
}

/* The name that -lcudart looks for, of "libcudart.so.13"; NULL for others. */
static char *link_name(struct arena *a, const char *name)
{
	const char *at = strstr(name, ".so.");

	if (strncmp(name, "lib", 3) != 0 || !at || !isdigit((unsigned char)at[4])) {
		return NULL;
	}
	return arena_printf(a, "%.*s.so", (int)(at - name), name);
}

/* The wheels carry libraries for running: nothing in them is found by a linker, which then silently
 * takes the machine's. */
static int link_libraries(const char *home, struct err *e)
{
	struct arena a = ARENA_INIT;
	char *lib = arena_printf(&a, "%s/lib", home), **names = NULL;
	size_t n = 0;
	int r = make_link("lib", arena_printf(&a, "%s/lib64", home), e);

	if (!r && fs_exists(lib)) {
		r = fs_list(lib, &a, &names, &n, e);
	}
	for (size_t i = 0; !r && i < n; i++) {
		char *link = link_name(&a, names[i]);

		if (link) {
			r = make_link(names[i], arena_printf(&a, "%s/%s", lib, link), e);
		}
	}
	arena_release(&a);
	return r;
}

int toolkit_unpack(struct arena *a, const struct toolkit_wheel *wheels, size_t n, const char *into,
	struct toolkit *out, struct err *e)
{
	char *prefix = NULL;

	if (find_prefix(a, wheels, n, &prefix, e)) {
		return -(int)e->rc;
	}
	for (size_t i = 0; i < n; i++) {
		CLEANUP_WHEEL struct wheel *w = NULL;

		if (wheel_open_fd(wheels[i].fd, wheels[i].file, &w, e) ||
			wheel_unpack(w, prefix, into, e)) {
			return -(int)e->rc;
		}
	}
	if (link_libraries(into, e)) {
		return -(int)e->rc;
	}
	return toolkit_ask(a, into, out, e);
}

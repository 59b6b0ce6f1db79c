/* Environment markers (PEP 508, "Dependency specifiers"), evaluated for a target, never for the
 * host. A marker is kept as parsed; it belongs to the arena. NULL is the empty marker: always
 * true. */
#ifndef MANIFESTS_MARKER_H
#define MANIFESTS_MARKER_H

#include "manifests/base/arena.h"
#include "manifests/base/buf.h"
#include "manifests/base/err.h"

enum { MARKER_DEPTH_MAX = 200 }; /* nested parentheses */

enum marker_var {
	MARKER_OS_NAME, MARKER_SYS_PLATFORM, MARKER_PLATFORM_MACHINE,
	MARKER_PLATFORM_PYTHON_IMPLEMENTATION, MARKER_PLATFORM_RELEASE, MARKER_PLATFORM_SYSTEM,
	MARKER_PLATFORM_VERSION, MARKER_PYTHON_VERSION, MARKER_PYTHON_FULL_VERSION,
	MARKER_IMPLEMENTATION_NAME, MARKER_IMPLEMENTATION_VERSION, MARKER_EXTRA,
	MARKER_EXTRAS, MARKER_DEPENDENCY_GROUPS, /* PEP 751 only */
	MARKER_VARS
};

/* The values of one target; MARKER_EXTRA and the two sets are not in `value`. An empty slice is
 * the empty text, as clients use for platform_release in cross mode; where its pointer is NULL
 * too, nobody knows the value, which marker_decide reports. */
struct marker_env {
	struct str value[MARKER_VARS];
	/* PEP 751: what a lock file's user selected, normalised; none unless somebody sets them. */
	const struct str *extras, *dependency_groups;
	size_t nextras, ndependency_groups;
};

struct marker;

/* Variables under their present or their older names (os.name, python_implementation), texts in
 * single or double quotes without escapes. RC_SYNTAX with the column. */
int marker_parse(struct arena *a, struct str text, const struct marker **out, struct err *e);
/* True if the marker holds for one of `extras` (normalised), or with extra == "" where there is
 * none. python_version, python_full_version, implementation_version and platform_release compare
 * as versions where operator and right side are a PEP 440 specifier; all else is text, where "<"
 * and ">" never hold. What has no meaning (two quoted texts, "~=" between texts) does not hold. */
bool marker_eval(const struct marker *m, const struct marker_env *env, const struct str *extras,
	size_t n);
/* The same, but RC_INVALID where the answer hangs on a value that `env` does not know, or where a
 * comparison has no meaning. */
int marker_decide(const struct marker *m, const struct marker_env *env, const struct str *extras,
	size_t n, bool *out, struct err *e);
/* Does the marker name this variable anywhere? */
bool marker_names(const struct marker *m, enum marker_var var);
const char *marker_var_name(enum marker_var var); /* "python_version" */
/* One spelling: double quotes where they can be, single spaces. */
void marker_format(const struct marker *m, struct buf *out);

#endif

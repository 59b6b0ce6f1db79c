/* What a request target asks for, by its raw path alone: nothing is looked up here.
 *
 * The path is decoded once, piece by piece, after it was cut at '/'. A '+' is a '+', never a space;
 * an escape that hides '/', '\', NUL, a control or a non-ASCII byte, a broken escape and the
 * segments "." and
 * ".." are refused (ROUTE_BAD). A query is ignored. */
#ifndef MIRROR_ROUTE_H
#define MIRROR_ROUTE_H

#include "manifests/digest.h"

enum route_kind {
	ROUTE_BAD = 1,  /* not a request target of ours: 400 */
	ROUTE_NONE,     /* no such place: 404 */
	ROUTE_SLASH,    /* a folder named without its '/': `last` is its name */
	ROUTE_HOME,     /* / */
	ROUTE_TARGET,   /* /t/<target>/ */
	ROUTE_ROOT,     /* .../simple/ */
	ROUTE_PROJECT,  /* .../simple/<project>/ and without the '/' */
	ROUTE_FLAT,     /* .../flat/ */
	ROUTE_FILE,     /* /files/<sha256>/<file> */
	ROUTE_METADATA, /* /files/<sha256>/<file>.metadata */
	ROUTE_PIP_CONF, /* /t/<target>/pip.conf, uv.toml, requirements.txt */
	ROUTE_UV_TOML,
	ROUTE_REQUIREMENTS,
	ROUTE_HEALTH, /* /healthz, /metrics */
	ROUTE_METRICS
};

enum { ROUTE_TEXT = 1024 }; /* the longest path, decoded */

struct route {
	enum route_kind kind;
	struct str target;  /* empty: for all targets */
	struct str project; /* as asked for: not normalised */
	struct str file;    /* ROUTE_METADATA: without ".metadata" */
	struct str last;    /* ROUTE_SLASH, ROUTE_PROJECT: the last segment */
	bool has_slash;     /* ROUTE_PROJECT: the path ended in '/' */
	struct digest digest;
	char text[ROUTE_TEXT]; /* where the slices point to */
};

/* `out` must stay where it is: its slices point into it. */
void route_parse(struct str raw, struct route *out);

#endif

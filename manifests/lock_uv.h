/* The inside of the reader of uv.lock: lock_uv.c (the head, the roots, the rows), lock_uv_graph.c
 * ([[package]] and the edges between them), lock_uv_walk.c (what each target needs),
 * lock_uv_source.c (where the files are). Nobody else includes it.
 *
 * uv.lock is a graph, not a list: an edge's marker is only right together with those of the edges
 * that lead to it. So every target walks from the project's own packages, and what it reaches is
 * its. */
#ifndef MANIFESTS_LOCK_UV_H
#define MANIFESTS_LOCK_UV_H

#include "manifests/lock_reader.h"

enum { UV_EXTRAS_MAX = 1000 }; /* of one package, that only edges name */

enum uv_source {
	UV_REGISTRY = 1, /* a URL, or the path of a folder of files */
	UV_GIT,
	UV_URL,
	UV_PATH,
	UV_DIRECTORY,
	UV_EDITABLE,
	UV_VIRTUAL /* never installed, only what it needs */
};

struct uv_names {
	struct str *v; /* normalised */
	size_t n;
};

struct uv_marker {
	struct str text; /* as written */
	const struct marker *tree;
	bool has_extras; /* it asks for extras of conflicts: the answer changes during a walk */
};

struct uv_edge {
	const struct toml *at;
	struct str name;
	struct uv_package *to; /* NULL in [manifest]: the entry whose resolution-markers hold */
	struct uv_names extras;
	struct str marker_text;         /* "" = none */
	const struct uv_marker *marker; /* NULL: none */
};

struct uv_node {         /* a package, or one of its extras or dependency groups */
	struct str name; /* "" = the package itself */
	struct uv_edge *edges;
	size_t nedges;
	unsigned seen;        /* number of the last walk that came by */
	struct uv_node *next; /* extras, groups: of the same package, sorted by name */
};

struct uv_row { /* targets that need a package with the same extras */
	struct uv_names extras;
	struct str *targets;
	size_t ntargets;
	struct uv_row *next;
};

struct uv_package {
	const struct toml *row;
	struct str name;
	struct version version;
	bool has_version; /* not of projects that compute theirs */
	enum uv_source kind;
	const struct toml *source; /* the table */
	const struct toml *place;  /* its registry, git, url ... */
	bool is_member;            /* of the workspace: the user's own, not carried */
	struct uv_node self, *extras, *groups;
	size_t nadded;                  /* extras that only edges name */
	const struct uv_marker **forks; /* resolution-markers */
	size_t nforks;
	struct uv_row *rows;
};

struct uv_conflict { /* extras, groups or projects of which only one may be chosen */
	const struct toml *at;
	struct str *items; /* as markers spell them: "extra-5-torch-cpu" */
	size_t nitems;
};

struct uv_lock {
	struct lock *l;
	const struct lock_options *options;
	const struct toml *root;
	size_t nother; /* rows of the targets file: l->packages begins with them */
	struct uv_package *packages;
	struct uv_package **by_name; /* sorted, then as written */
	size_t npackages;
	struct uv_marker *markers; /* each text once */
	size_t nmarkers;
	struct uv_node requirements, *groups; /* of [manifest] */
	struct uv_conflict *conflicts;
	size_t nconflicts;
	struct uv_package **roots;
	size_t nroots;
	struct uv_names chosen_groups;
	unsigned nwalks; /* so far */
};

/* ---- lock_uv_graph.c ---- */
/* Everything of *u from `packages` to `conflicts`. */
int uv_graph_read(struct uv_lock *u, struct err *e);
/* The entries of that name, next to each other in by_name. */
struct uv_package **uv_find(const struct uv_lock *u, struct str name, size_t *n);
struct uv_node *uv_node_of(struct uv_node *list, struct str name); /* NULL: none */
/* The node of that extra: added, without edges, where the lock lists none for it. `at` asks for it.
 */
int uv_extra(struct uv_lock *u, struct uv_package *p, struct str name, const struct toml *at,
	struct uv_node **out, struct err *e);
/* "extra-5-torch-cpu"; what is "extra", "group", or "project", which has no item. */
struct str uv_conflict_item(struct arena *a, const char *what, struct str package, struct str item);

/* ---- lock_uv_marker.c ---- */
struct uv_marker_use { /* somebody who needs the marker of that text */
	const struct toml *at;
	struct str text;
	const struct uv_marker **out;
};
/* Fills u->markers; sorts `uses`. */
int uv_markers_read(struct uv_lock *u, struct uv_marker_use *uses, size_t n, struct err *e);

/* ---- lock_uv_walk.c ---- */
/* Adds the target to the rows of what it needs. */
int uv_walk_target(struct uv_lock *u, const struct target *t, struct err *e);

/* ---- lock_uv_source.c ---- */
/* Why a bundle cannot carry the entry: "a git repository"; NULL: it can. */
const char *uv_obstacle(const struct uv_package *p);
/* The wheels and the sdist of an entry that has no obstacle. */
int uv_files_read(struct uv_lock *u, const struct uv_package *p, struct lock_file **out, size_t *n,
	struct err *e);

#endif

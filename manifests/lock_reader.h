/* The inside of the lock readers: lock.c (any format), lock_kind.c (which one it is),
 * lock_native.c and lock_table.c (lock.toml), lock_gpkg.c (gpkg.lock.toml), lock_pylock.c, lock_uv*.c,
 * lock_requirements*.c, lock_path.c, lock_check.c (what rows say together).
 * Nobody else includes it. */
#ifndef MANIFESTS_LOCK_READER_H
#define MANIFESTS_LOCK_READER_H

#include "manifests/dist_name.h"
#include "manifests/lock.h"
#include "manifests/toml.h"

/* ---- lock_kind.c ---- */
/* RC_UNSUPPORTED for the locks of other tools, by name and with the remedy. */
int lock_kind_of(const struct toml *root, enum lock_kind *out, struct err *e);

/* ---- lock.c: what the readers need ---- */
/* "line L, column C: ..." at a value, or at a key. */
int lock_fail(const struct toml *at, struct err *e, enum rc rc, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
int lock_fail_key(const struct toml *at, struct err *e, enum rc rc, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
int lock_wrap(const struct toml *at, struct err *e); /* the place before a deeper layer's text */
/* A normalised project name; "what" says whose. */
int lock_project(
	struct lock *l, const struct toml *at, struct str text, struct str *out, struct err *e);
int lock_reason(
	const struct toml *at, struct str *out, struct err *e); /* a string, said in a line */
/* An absolute http, https or file URL without white space, and the file name at its end. */
int lock_url(struct lock *l, const struct toml *at, struct str *file, struct err *e);
/* The name of a wheel or an sdist of that project. */
int lock_dist(struct lock *l, const struct toml *at, struct str file, struct str project,
	struct dist_name *out, struct err *e);
/* "==" and the public part: METADATA of a renamed wheel lacks the local part of its file's name. */
int lock_pin(struct lock *l, const struct toml *at, const struct version *v,
	struct specifier_set *out, struct err *e);

/* ---- lock_native.c, lock_table.c, lock_gpkg.c ---- */
int lock_native_read(struct lock *l, const struct toml *root, struct err *e);
int lock_toolkit_read(struct lock *l, const struct toml *root, struct err *e);
int lock_recipes_read(struct lock *l, const struct toml *root, struct err *e);
int lock_waivers_read(struct lock *l, const struct toml *root, struct err *e);
int lock_gpkg_read(
	struct lock *l, const struct toml *root, const struct target_spec *extra, struct err *e);

/* ---- foreign locks: lock_pylock.c, lock_uv.c, lock_requirements.c ----
 * lock.c has read the targets file before: `l` holds its targets, toolkit, recipes, waivers, files and
 * packages, and its path, and the reader adds rows (lock_add_packages). Errors begin with their place, lock.c puts the
 * lock's path before them. `root` and `text` belong to the lock's arena. */
int lock_pylock_read(struct lock *l, const struct toml *root, const struct lock_options *o,
	struct err *e);
int lock_uv_read(
	struct lock *l, const struct toml *root, const struct lock_options *o, struct err *e);
int lock_requirements_read(
	struct lock *l, struct str text, const struct lock_options *o, struct err *e);
/* Room for n more rows behind those that are there; the caller counts npackages up as it fills them. */
struct lock_package *lock_add_packages(struct lock *l, size_t n);
/* Reads options->targets_file into the empty `l`; its errors name that file. RC_USAGE without one. */
int lock_targets_file(struct lock *l, const struct lock_options *o, struct err *e);

/* ---- lock_path.c ---- */
/* Where may a path point to? Below the lock's own folder; or, where it is absolute, anywhere (a user wrote
 * it); or anywhere (uv's path sources). */
enum lock_path_rule { LOCK_PATH_BELOW, LOCK_PATH_ABSOLUTE, LOCK_PATH_ANY };
/* The file:// URL of a path (not percent-encoded) that stands in the file `lock`, "." and ".." taken
 * out. RC_INVALID, without a place, where it leaves the folder. */
int lock_path_url(struct arena *a, struct str lock, struct str path, enum lock_path_rule rule,
	struct str *out, struct err *e);

/* ---- lock_check.c ---- */
/* `at` names a target that is not there: says which are. */
int lock_unknown_target(
	const struct lock *l, const struct toml *at, struct str name, struct err *e);
/* No two rows give one target two different things. The first nother rows stand in the file `other`. */
int lock_check_rows(const struct lock *l, const char *other, size_t nother, struct err *e);

#endif

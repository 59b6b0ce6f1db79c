/* The inside of the lock readers: lock.c (any format), lock_kind.c (which one it is),
 * lock_native.c, lock_package.c, lock_override.c, lock_source.c, lock_table.c and lock_frozen.c (lock.toml),
 * lock_gpkg.c and lock_stack.c (gpkg.lock.toml, stacks.toml), lock_pylock.c, lock_uv*.c, lock_requirements*.c, lock_path.c,
 * lock_check.c (what rows say together).
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
/* An absolute http, https or file URL without white space. */
int lock_place(struct lock *l, const struct toml *at, struct err *e);
/* The same, and the file name at its end. */
int lock_url(struct lock *l, const struct toml *at, struct str *file, struct err *e);
/* The name of a wheel or an sdist of that project. */
int lock_dist(struct lock *l, const struct toml *at, struct str file, struct str project,
	struct dist_name *out, struct err *e);
/* "==" and the public part: METADATA of a renamed wheel lacks the local part of its file's name. */
int lock_pin(struct lock *l, const struct toml *at, const struct version *v,
	struct specifier_set *out, struct err *e);
/* The set's one exact version, "==" without ".*" or "===", with its local part where one of them has it;
 * NULL where it leaves the version open. */
const struct specifier *lock_pin_of(const struct specifier_set *set);

/* ---- lock_native.c ---- */
/* `path` is the file's own: the lock's, or --targets FILE. */
int lock_native_read(struct lock *l, const struct toml *root, struct str path,
	const struct lock_options *o, struct err *e);

/* ---- lock_package.c ---- */
/* A value such as ">=2, !=2.1"; "" and "*" are any version. A bare version is refused with its remedy. */
int lock_specifiers(
	struct lock *l, const struct toml *at, struct specifier_set *out, struct err *e);
/* Sets `raw` to the normal spelling of the rest. */
void lock_spell(struct lock *l, struct requirement *r);
/* The row is for the file at this URL, which must be of its project and version, and for that version. */
int lock_package_url(struct lock *l, const struct toml *at, struct lock_package *p, struct err *e);
int lock_packages_read(struct lock *l, const struct toml *root, struct err *e);
int lock_constraints_read(
	struct lock *l, const struct toml *root, struct str path, struct err *e);
/* Room for n more constraints, as lock_add_packages. */
struct lock_constraint *lock_add_constraints(struct lock *l, size_t n);

/* ---- lock_override.c, lock_source.c, lock_frozen.c, lock_table.c, lock_gpkg.c ---- */
int lock_overrides_read(struct lock *l, const struct toml *root, struct err *e);
int lock_sources_read(struct lock *l, const struct toml *root, struct str path,
	const struct lock_options *o, struct err *e);
/* Ties the rows of a frozen lock to their files, when both have been read. */
int lock_frozen_read(struct lock *l, const struct toml *root, struct err *e);
int lock_toolkit_read(struct lock *l, const struct toml *root, struct err *e);
int lock_recipes_read(struct lock *l, const struct toml *root, struct err *e);
int lock_waivers_read(struct lock *l, const struct toml *root, struct err *e);
int lock_gpkg_read(
	struct lock *l, const struct toml *root, const struct target_spec *extra, struct err *e);
/* The machine that a table says torch, cuda, python, platform of, completed by `extra` (or NULL). */
int lock_gpkg_target(struct lock *l, const struct toml *environment,
	const struct target_spec *extra, struct target *out, struct err *e);
/* gpkg writes URLs decoded: encodes what may not stand in one. `file`, the name at its end, or "". */
struct str lock_gpkg_url(struct lock *l, struct str url, struct str file);
int lock_stacks_read(
	struct lock *l, const struct toml *root, const struct lock_options *o, struct err *e);

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

/* The inside of the lock readers: lock.c (either format), lock_kind.c (which one it is),
 * lock_native.c and lock_table.c (lock.toml), lock_gpkg.c (gpkg.lock.toml), lock_check.c (what rows
 * say together). Nobody else includes it. */
#ifndef MANIFESTS_LOCK_READER_H
#define MANIFESTS_LOCK_READER_H

#include "manifests/dist_name.h"
#include "manifests/lock.h"
#include "manifests/toml.h"

/* ---- lock_kind.c ---- */
/* RC_UNSUPPORTED for the locks of other tools, by name and with the remedy. */
int lock_kind_of(const struct toml *root, enum lock_kind *out, struct err *e);

/* ---- lock.c: what both readers need ---- */
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

/* ---- lock_check.c ---- */
/* `at` names a target that is not there: says which are. */
int lock_unknown_target(
	const struct lock *l, const struct toml *at, struct str name, struct err *e);
/* No two rows give one target two different things. */
int lock_check_rows(const struct lock *l, struct err *e);

#endif

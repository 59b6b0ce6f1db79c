/* The inside of the reader of pylock.toml (PEP 751): lock_pylock.c (the head, and what each target
 * gets), lock_pylock_entry.c ([[packages]]), lock_pylock_file.c (one wheel, sdist or archive).
 * Nobody else includes it. */
#ifndef MANIFESTS_LOCK_PYLOCK_H
#define MANIFESTS_LOCK_PYLOCK_H

#include "manifests/lock_reader.h"

struct pylock {
	struct lock *l;
	bool is_newer; /* a later 1.x, which may have keys that are not known here */
	size_t nfiles; /* read so far */
};

struct pylock_entry { /* one row of [[packages]] */
	const struct toml *row;
	struct str name;             /* normalised */
	struct specifier_set pin;    /* one "=="; none where neither a version nor a file says it */
	const struct marker *marker; /* NULL: none */
	struct specifier_set python; /* requires-python */
	struct lock_file *files;
	size_t nfiles;
	struct str obstacle; /* why a bundle cannot carry it: "a git repository (...)"; or "" */
};

/* ---- lock_pylock.c ---- */
/* toml_only, unless the lock is newer. */
int pylock_only(
	const struct pylock *p, const struct toml *table, const char *const *keys, struct err *e);
/* An environment marker; `extra` is not known in locks. Absent leaves *out alone. */
int pylock_marker(
	struct pylock *p, const struct toml *at, const struct marker **out, struct err *e);

/* ---- lock_pylock_entry.c ---- */
int pylock_entry_read(
	struct pylock *p, const struct toml *row, struct pylock_entry *out, struct err *e);

/* ---- lock_pylock_file.c ---- */
/* A row of `wheels`, `sdist`, or `archive`, which has no name but may have a subdirectory. Its file
 * name is safe, and not yet looked into. */
int pylock_file_read(struct pylock *p, const struct toml *row, bool is_archive,
	struct lock_file *out, struct err *e);
/* Where the file's name comes from: name, else path, else url. */
const struct toml *pylock_file_name(const struct toml *row);

#endif

/* Installs a target's packages from the store into a virtual environment, with pip, without any
 * index. */
#ifndef MIRROR_INSTALL_H
#define MIRROR_INSTALL_H

#include "mirror/closure.h"
#include "mirror/python_find.h"

/* The files to install: all that the target runs with, or the named packages and what they need. A
 * source among them is RC_HOLE: it has to be built first. */
int install_plan(struct store *s, const struct store_target *t, const struct str *names, size_t n,
	struct arena *a, struct closure *out, struct err *e);
/* Makes the environment where the folder is absent or empty; takes an existing one of that Python.
 * RC_CONFLICT: the folder is something else, or of another Python. */
int install_venv(
	const struct target_python *python, const char *folder, bool is_quiet, struct err *e);
/* pip of that environment, each file by name, version and digest. What it says goes to standard
 * error. */
int install_files(struct store *s, const struct closure *files, const char *venv, bool is_quiet,
	struct err *e);

#endif

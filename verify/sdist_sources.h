/* Can an sdist be compiled from what is in it? Some publishers leave their CUDA sources out, or the
 * submodules that these include. setup.py is read as text and never executed.
 *
 * A path is judged where setup.py writes it as a plain string in a list of files ("csrc/a.cu"), or
 * puts it together of plain strings with "/" or join(). It counts as there when any member ends in
 * it, because what stands before it is not known, and when something is there that it is generated
 * from (a.pyx for a.c). Not judged are patterns, computed names, paths that setup.py also asks for,
 * opens or compares with, and those for other systems, other makes of GPUs, or tests. */
#ifndef VERIFY_SDIST_SOURCES_H
#define VERIFY_SDIST_SOURCES_H

#include "manifests/base/arena.h"

enum { SDIST_MISSING_MAX = 8 };

/* Sources (.c .cc .cpp .cu .cxx), and include_dirs below a folder of the sdist, that are not among
 * `members`, all below one top folder; the first few in setup.py's order, each once. What is no
 * valid Python gives whatever it gives. */
void sdist_sources_missing(struct arena *a, struct str setup_py, const struct str *members,
	size_t nmembers, struct str **out, size_t *n);

#endif

/* A source distribution: a .tar.gz (or .zip) from somebody else, read with libarchive. */
#ifndef VERIFY_SDIST_IN_H
#define VERIFY_SDIST_IN_H

#include "manifests/core_metadata.h"
#include "manifests/dist_name.h"

struct sdist {
	struct arena arena;
	struct core_metadata
		core; /* of PKG-INFO; core.name.n == 0 where there is none (old sdists) */
	bool has_pyproject, has_setup_py;
	/* PEP 518: build-system.requires, else what PEP 517 front ends take: "setuptools>=40.8.0".
	 */
	struct str *build_requires;
	size_t nbuild_requires;
	struct str build_backend; /* "setuptools.build_meta:__legacy__" where none is named */
	/* Its backend downloads the real wheel while it "builds" (nvidia-stub, wheel-stub): it
	 * never covers a target. */
	bool is_stub;
	/* Whoever builds it is told the name of another project: a name that its owner keeps. */
	bool is_placeholder;
	/* Source files, and folders of headers, that setup.py names and that are not in it: the first few
	 * (sdist_sources.h). Where there is one, it cannot be built. */
	struct str *missing;
	size_t nmissing;
	bool has_cuda_sources; /* a member ends in .cu or .cuh */
	struct str setup_py; /* as it is; "" over LIMIT_SETUP_PY */
	struct str egg_requires; /* requires.txt as it is; folded into core where PKG-INFO lists nothing */
};
#define SDIST_INIT                  \
	{                           \
		.arena = ARENA_INIT \
	}

/* `project` is the normalised name that is expected; PKG-INFO must agree with it, and with the file
 * name's version. Reads the whole archive under the rules of archive_in.h; every member under one
 * top folder; pyproject.toml or setup.py must be there. Messages begin with the file's name.
 * RC_WHEEL. */
int sdist_read(int fd, struct str file_name, struct str project, struct sdist *out, struct err *e);
void sdist_release(struct sdist *s);

/* Unpacks below an existing empty folder: regular files and folders only, clean relative names, no
 * links or devices, sizes capped; every file under one top folder, whose name is returned. Files
 * get their time, and mode 0644 or 0755 whatever the umask is. After an error what was written
 * stays. */
int sdist_extract(
	int fd, struct str file_name, const char *into, struct arena *a, char **top, struct err *e);

#endif

/* File names of distributions: wheels (PEP 427, "Binary distribution format") and sdists (PEP 625 and
 * the older forms). Comparison is by normalised name and version; the bytes of a name never change. */
#ifndef MANIFESTS_DIST_NAME_H
#define MANIFESTS_DIST_NAME_H

#include "manifests/version.h"

enum dist_kind { DIST_WHEEL = 1, DIST_SDIST };

struct dist_name {
	enum dist_kind kind;
	struct str file;    /* the whole name */
	struct str name;    /* normalised project name */
	struct str project; /* as written in the file name */
	struct version version;
	/* wheels: */
	struct str build; /* "" or "1", "1cu12..." */
	uint64_t build_number;
	struct str python, abi, platform; /* compressed sets in lower case: "cp312", "py2.py3" */
	/* sdists: */
	struct str extension; /* ".tar.gz" or ".zip" */
};

/* Wheel or sdist, by its ending. RC_INVALID names the part that is wrong. Lax as `packaging`: an
 * sdist may call its project anything, so compare the name or ask name_is_valid. ASCII without NUL, at
 * most LIMIT_FILE_NAME bytes, numbers of 64 bits. An sdist is split at its last '-'. */
int dist_name_parse(struct arena *a, struct str file, struct dist_name *out, struct err *e);
/* An sdist whose project is known ("natten-0.14.2-4.tar.gz" has two readings): the version is what
 * follows the project's name. RC_INVALID where the file is called otherwise. */
int dist_name_parse_sdist(struct arena *a, struct str file, struct str project, struct dist_name *out,
	struct err *e);
/* May it stand in a path and in a line of text? Printable ASCII without space, '/', '\\', ','; no
 * leading '.' or '-'; at most LIMIT_FILE_NAME. */
bool dist_name_is_safe(struct str file);

#endif

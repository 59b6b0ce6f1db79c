/* The universe of one target: which names there are, which candidates they have, and what each needs. It turns a
 * library of pages and METADATA into the solver's numbers and back into words. One universe serves one solve:
 * that of what the target installs, or that of one build environment.
 *
 * An extra is a name of its own, "requests[socks]", with the same candidates as "requests": it needs the
 * same candidate of the base name, and besides what the extra's markers admit. */
#ifndef BUNDLE_UNIVERSE_H
#define BUNDLE_UNIVERSE_H

#include "bundle/candidates.h"
#include "bundle/library.h"
#include "bundle/solve.h"

struct universe_root { /* something that is asked for */
	const struct requirement *req;
	const struct lock_package *row; /* or NULL: a build requirement */
	const char *text; /* for explanations: "numpy<2 (line 7 of the lock)" */
};

struct universe_favour { /* a version to prefer */
	struct str project;
	const struct version *version;
};

struct universe_options {
	const struct universe_root *roots;
	size_t nroots;
	bool is_build; /* a build environment: the lock's build rows limit it, its constraints do not */
	/* Only these versions, where a project comes in at all: the target's torch for its builds. */
	const struct universe_favour *fixed;
	size_t nfixed;
	/* The sdist that is to be built: it cannot be a part of its own build environment. NULL: none. */
	const char *built; /* its URL */
	const struct universe_favour *favours; /* the first that is allowed wins */
	size_t nfavours;
	const struct str *dropped; /* projects that nobody gets: holes that are told already */
	size_t ndropped;
};

struct universe_asked { /* what one requirement on a project says, and which candidates that admits */
	struct bits admitted;
	struct specifier_set specifiers;
	bool is_by_url;
};

struct universe_project {
	struct str name;
	struct library_page *page;
	struct candidate_policy policy;
	struct candidates candidates;
	bool is_given; /* its one candidate is the target's own: no file */
	struct map needs; /* text of a requirement on it, to an index into `asked` */
	VEC(struct universe_asked) asked;
	VEC(struct solve_limit) limits;
};

struct universe_name {
	size_t project;
	struct str extra; /* "" = the base name */
	struct bits are_read; /* candidates whose needs' pages are in the library; size 0: none yet */
};

struct universe {
	struct library *library;
	struct target_view *target;
	const struct universe_options *options;
	struct arena *a;
	struct map project_of, name_of; /* "requests", "requests[socks]" */
	VEC(struct universe_project *) projects;
	VEC(struct universe_name) names;
};

/* Reads the roots' pages and solves. Errors are those of network, disk and lock. */
int universe_solve(struct universe *u, struct library *library, struct target_view *target,
	const struct universe_options *options, struct arena *a, struct solve_result *out, struct err *e);
void universe_release(struct universe *u);

/* The chosen candidate of a project; NULL: not chosen. */
const struct candidate *universe_choice(const struct universe *u, const struct solve_result *r, struct str project);
/* NULL: no requirement has named it. */
struct universe_project *universe_project(const struct universe *u, struct str project);
/* What all requirements together allow of a chosen project. */
const struct bits *universe_allowed(const struct universe *u, const struct solve_result *r, struct str project);

#endif

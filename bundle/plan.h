/* The plan: for every target the exact files of its closure, or the holes in it. Made by resolve, frozen
 * afterwards: fetching and packing change nothing in it. Everything belongs to the plan's arena. */
#ifndef BUNDLE_PLAN_H
#define BUNDLE_PLAN_H

#include "bundle/index.h"
#include "manifests/core_metadata.h"
#include "manifests/lock.h"
#include "manifests/manifest.h"

struct plan_file { /* one distinct file: the same URL and name for all targets that chose it */
	struct index_file from;
	enum manifest_hash_from hash_from;
	struct str project;     /* normalised */
	struct str metadata;    /* wheels: METADATA, byte-exact */
	struct core_metadata core;
	/* sdists: */
	struct str *build_requires; /* PEP 508 text, recipe's hidden ones included */
	size_t nbuild_requires;
	bool has_cuda_sources;
};

struct plan_pick {
	size_t file; /* index into plan.files */
	unsigned use; /* USE_* bits */
	bool is_requested;
	struct str *extras; /* normalised, sorted */
	size_t nextras;
	/* sdists: */
	size_t *environment; /* what its build environment consists of: indexes into plan.files, ascending */
	size_t nenvironment;
	bool device_code; /* the wheel must hold code for every GPU of the target */
};

struct plan_given { /* what the target has already: torch of NVIDIA's containers. Met, and not packed */
	struct str project;
	struct version version;
};

/* At most one pick of a project is USE_RUN; a build environment may have another version of its own. */
struct plan_target {
	const struct target *target;
	struct plan_pick *picks;
	size_t npicks;
	struct plan_given *given;
	size_t ngiven;
};

struct plan_hole { /* something that a target needs and the plan lacks */
	struct str target, project;
	struct str text; /* the whole story, maybe of several lines: requirement, who asks, nearest that exists */
	struct str waived; /* reason, or "" */
};

/* resolve --explain: one candidate file of a project, and the first thing that speaks against it. */
struct plan_candidate {
	struct str file, version, source;
	/* Stable: "" fits; "format" "yanked" "pre-release" "python" "tags" "cuda" "torch" "torch-ambiguous" "abi" "gpu"
	 * "torch-given" "hash" "url" "version" (a row of the lock or a constraint), "solver" (another package's
	 * requirement), "newer" (it fits; a newer version or a better file was chosen). */
	const char *stage;
	struct str why; /* "needs Python >=3.12, the target has 3.11.0"; "" where it fits */
	bool is_chosen;
};
struct plan_explained {
	struct str target, project;
	struct plan_candidate *candidates; /* newest version first, in a version as the page has them */
	size_t ncandidates;
};

struct plan {
	struct arena arena;
	struct plan_file *files;
	size_t nfiles;
	struct plan_target *targets; /* in the lock's order */
	size_t ntargets;
	struct plan_hole *holes;
	size_t nholes;
	struct str *notes; /* warnings for the packer: yanked files, old versions, first use */
	size_t nnotes;
	struct plan_explained *explained; /* only where it was asked for */
	size_t nexplained;
};
#define PLAN_INIT { .arena = ARENA_INIT }
void plan_release(struct plan *p);

#endif

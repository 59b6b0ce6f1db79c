/* The state that resolve's two halves share: choosing (resolve.c) and proving (resolve_prove.c). */
#ifndef BUNDLE_RESOLVER_H
#define BUNDLE_RESOLVER_H

#include "bundle/choose.h"
#include "bundle/resolve.h"
#include "manifests/base/vec.h"

struct resolver {
	const struct lock *lock;
	struct index *index;
	struct cache *cache;
	const struct resolve_options *options;
	struct arena *a; /* the plan's */
	struct choose_target *targets;
	size_t ntargets;
	struct str *names; /* the projects whose pages are read */
	struct index_project *pages;
	size_t nnames;
	VEC(struct plan_file) files;
	VEC(struct plan_hole) holes;
	VEC(struct str) notes;
};

const struct index_project *resolver_page(const struct resolver *v, struct str name); /* NULL: not read */
/* Reads the pages of these projects, those that are known already left out. */
int resolver_read_pages(struct resolver *v, const struct str *names, size_t n, struct err *e);
/* Records that the target lacks something of a project; waived where the lock says so. */
void resolver_hole(struct resolver *v, const struct choose_target *t, struct str project, const char *text);
void resolver_note(struct resolver *v, const char *text); /* for the packer; each text once */
/* Adds the target's holes, and the build environment of each of its sdists. */
int resolver_prove(struct resolver *v, const struct choose_target *t, struct plan_target *pt, struct err *e);

#endif

/* What is known of projects while a plan is made: their pages, and of single files their METADATA or what their
 * sdist says. Read once for all targets, in batches. Everything belongs to the library's arena and keeps its
 * address. */
#ifndef BUNDLE_LIBRARY_H
#define BUNDLE_LIBRARY_H

#include "bundle/plan.h"
#include "manifests/base/map.h"
#include "manifests/base/vec.h"

struct library_file { /* what is inside a file of a page */
	bool is_read;
	struct str unfit; /* why it cannot be used by anybody, or "": a stub, its METADATA tells another version */
	struct str metadata; /* wheels: byte-exact */
	struct core_metadata core;
	struct requirement *needs; /* core.requires_dist, parsed */
	size_t nneeds;
	struct str *build_requires; /* sdists: recipe's hidden ones included */
	struct requirement *build_needs; /* the same, parsed */
	size_t nbuild_needs;
	bool has_cuda_sources;
	/* sdists are fetched to be read, so these are known: */
	struct digest sha256;
	uint64_t size;
};

struct library_page {
	struct index_project project;
	struct library_file **files; /* as project.files; NULL: nobody has asked */
	struct str where;  /* "the index at https://..."; for messages */
	struct str why;    /* a source without files: the sentence that says so; else "" */
};

struct library {
	struct arena *a;
	const struct lock *lock;
	struct index *index;
	struct cache *cache;
	struct map names; /* project, and its target where a source's page depends on it, to pages.v */
	VEC(struct library_page *) pages;
};

void library_init(struct library *l, struct arena *a, const struct lock *lock, struct index *index,
	struct cache *cache);
void library_release(struct library *l); /* not what is in the arena */

/* Reads the pages of these projects for a target, those that are known already left out. */
int library_read_pages(struct library *l, const struct target *t, const struct str *names, size_t n,
	struct err *e);
/* The page, which has been read. */
struct library_page *library_page(const struct library *l, const struct target *t, struct str name);
/* A page of files that somebody else names: by URL, in a lock. */
struct library_page *library_add_page(struct library *l, struct str name, const struct index_file *files, size_t n,
	const char *where);

struct library_want {
	struct library_page *page;
	size_t file;
};
/* Reads what is inside these files, wheels by their METADATA alone; what is known already is left out. The
 * first nneeded are read when this returns 0; of the others, wheels that come along in the same go. A file that is
 * damaged or lies is no error: its `unfit` says so. Errors are those of network and disk. */
int library_read_files(struct library *l, const struct library_want *wants, size_t n, size_t nneeded,
	struct err *e);

/* What is inside a file; NULL: it has not been read. */
const struct library_file *library_inside(const struct library_page *page, size_t file);
/* The file as the plan takes it; who promises its hash is the caller's to say. */
struct plan_file library_plan_file(const struct library_page *page, size_t file);

#endif

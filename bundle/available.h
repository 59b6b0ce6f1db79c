/* What the sources and the configured index have of one package, for every torch, CUDA, Python and
 * machine. */
#ifndef BUNDLE_AVAILABLE_H
#define BUNDLE_AVAILABLE_H

#include "bundle/index.h"
#include "manifests/source.h"

struct available_file {
	struct str source; /* its name; "index": the configured one */
	const struct index_file *file;
	struct variant variant;
};

struct available_trouble { /* a source that gave no answer */
	struct str source, text;
};

struct available {
	struct arena arena;
	VEC(struct available_file)
	files; /* newest version first; in a version as the sources have them */
	VEC(struct available_trouble) troubles;
	size_t nanswers; /* sources and indexes that answered, if only that they have nothing */
	size_t nasked;
	/* Where a source's pages depend on torch and CUDA, these were asked for: "torch 2.8
	 * to 2.15, each with the CUDA of the releases around it"; "" no such source. */
	struct str combinations;
};
#define AVAILABLE_INIT                                                       \
	{                                                                    \
		.arena = ARENA_INIT, .files = VEC_INIT, .troubles = VEC_INIT \
	}
void available_release(struct available *a);

struct available_options {
	const struct source_list *sources;
	struct str source;   /* only this one, or "index"; "" = all that have the package */
	struct str project;  /* normalised */
	struct str python;   /* only files that it takes: "3.12"; "" = every one */
	struct str platform; /* "linux_x86_64", "linux_aarch64", "win_amd64"; "" = every one */
};

/* A source that does not answer is a trouble, no error. RC_USAGE for an unknown source, RC_INVALID
 * for an impossible Python or platform. Files belong to out->arena; the index must outlive it. */
int available_find(
	struct index *x, const struct available_options *o, struct available *out, struct err *e);

/* A table of torch, CUDA and C++ ABI against machines, each cell with its Pythons. */
void available_text(const struct available *a, struct str project, struct buf *out);
/* [{"abi","cuda","cxx11_abi","file","platform","python","sha256","source","torch","url","version"}]
 */
void available_json(const struct available *a, struct buf *out);

#endif

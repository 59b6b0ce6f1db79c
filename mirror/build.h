/* Builds sources of a target into wheels, on the disconnected side (design: "Builds on the
 * cluster").
 *
 * One build: the source, checked by its digest, is unpacked into an empty folder; the environment
 * is made from the wheels that the recipe names; the toolkit comes from the bundle or the site; pip
 * runs the project's build backend with a fixed environment, no network and limits. What comes out
 * is opened and judged, its provenance is signed by the site key, and it joins its target and no
 * other. The same source in namespaces with one job gives the same bytes. The log is kept, whatever
 * happens. */
#ifndef MIRROR_BUILD_H
#define MIRROR_BUILD_H

#include "mirror/store.h"

struct build_options {
	unsigned jobs;    /* compilers at once; 0: by cores and memory */
	unsigned minutes; /* at most, for one source; 0: BUILD_MINUTES */
};
enum { BUILD_MINUTES = 720 };

struct builder;

/* `store` is a folder; it is opened for writing only while a result is taken in. */
int builder_open(const char *store, const struct build_options *options, struct builder **out,
	struct err *e);
void builder_close(struct builder *b);
void cleanup_builder(struct builder **b);
#define CLEANUP_BUILDER __attribute__((cleanup(cleanup_builder)))

unsigned builder_jobs(const struct builder *b);
const char *builder_confinement(const struct builder *b); /* "namespaces" or "seccomp" */
/* Can sources for this target be built on this machine? RC_TOOL says why not. */
int builder_can(struct builder *b, const struct target *t, struct err *e);

struct built { /* belongs to the builder, until its end */
	struct manifest_file wheel;
	char *log; /* path */
	double seconds;
	uint64_t memory_peak;
	char *warning; /* NULL: none */
};

/* Builds one source of one target. RC_NOT_FOUND, RC_TOOL, RC_BUILD, RC_WHEEL, RC_NO_DEVICE_CODE:
 * the remedy ends with the path of the log, as soon as there is one. */
int builder_build(struct builder *b, struct str target, const struct digest *sdist,
	struct built *out, struct err *e);

#endif

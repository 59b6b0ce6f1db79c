/* One build while it is under way: shared by build.c (the order of work), build_prepare.c (Python,
 * toolkit, environment, source) and build_commit.c (provenance and store). */
#ifndef MIRROR_BUILD_PRIVATE_H
#define MIRROR_BUILD_PRIVATE_H

#include "mirror/build.h"
#include "mirror/build_env.h"
#include "mirror/build_vars.h"
#include "mirror/build_wheel.h"
#include "mirror/machine.h"
#include "mirror/toolkit.h"

struct build_kit { /* a target's toolkit, found or unpacked once */
	char *target;
	struct toolkit toolkit;
	struct workshop_folder folder; /* outside NULL: the site's */
};

struct builder {
	struct arena arena;
	const char *store;
	struct build_options options;
	struct machine machine;
	struct workshop shop;
	struct build_envs envs;
	struct {
		struct build_kit *v;
		size_t n, cap;
	} kits;
};

struct build_job {
	struct builder *b;
	struct arena a;
	struct store *reader;
	struct store_view view;
	const struct store_target *target;
	const struct manifest_recipe *recipe;
	const struct manifest_file *sdist;
	int log;
	char *log_path;
	struct python python;
	const struct build_kit *kit; /* NULL: none */
	struct closure kit_wheels, env_wheels;
	const struct build_env *env;
	struct build_vars vars;
	char *source; /* folder inside */
	uint64_t began, ended;
	struct child_result result;
	struct build_wheel wheel;
	char *warning; /* of the builder's arena; NULL: none */
};

void build_warn(struct build_job *j, const char *text); /* adds to the warnings */

/* Each step fills its part of the job. */
int build_prepare(struct build_job *j, struct err *e);
int build_commit(struct build_job *j, struct err *e);

#endif

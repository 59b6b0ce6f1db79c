/* The command line of every verb that plans from a lock: one table, and what becomes of it. */
#ifndef BUNDLE_RESOLUTION_ARGS_H
#define BUNDLE_RESOLUTION_ARGS_H

#include "bundle/resolution.h"
#include "manifests/base/opt.h"

struct resolution_args {
	struct opt_list targets, waivers;
	bool trust_first_use;
	const char *cache, *registry;
	struct opt_number jobs;
	/* For the locks of other tools. */
	const char *targets_file;
	struct opt_list extras, groups, projects;
	bool no_default_groups, all_projects;
	/* For gpkg's own locks and stacks. */
	const char *stack, *name, *glibc, *driver;
	struct opt_list gpus;
};

/* Rows of a `struct opt` table that fill in *a: how a lock is read, and how it is planned. */
/* clang-format off */
#define RESOLUTION_LOCK_OPTS(a) \
	{ 0, "cache", OPT_TEXT, &(a)->cache, "DIR", "where downloads are kept" }, \
	{ 0, "registry", OPT_TEXT, &(a)->registry, "FILE", \
		"sources that the lock may name, instead of the built-in ones" }, \
	{ 'j', "jobs", OPT_NUMBER, &(a)->jobs, "N", "downloads at once (default: 8)" }, \
	{ 0, "targets", OPT_TEXT, &(a)->targets_file, "FILE", \
		"other tools' locks: the lock.toml with [[target]]s" }, \
	{ 0, "extra", OPT_LIST, &(a)->extras, "NAME", \
		"pylock, uv: an extra of the project; may be repeated" }, \
	{ 0, "group", OPT_LIST, &(a)->groups, "NAME", \
		"pylock, uv: a dependency group; may be repeated" }, \
	{ 0, "no-default-groups", OPT_FLAG, &(a)->no_default_groups, NULL, \
		"pylock, uv: only the groups named" }, \
	{ 0, "package", OPT_LIST, &(a)->projects, "NAME", \
		"uv: this project of the workspace; may be repeated" }, \
	{ 0, "all-packages", OPT_FLAG, &(a)->all_projects, NULL, \
		"uv: all projects of the workspace" }, \
	{ 0, "stack", OPT_TEXT, &(a)->stack, "NAME", "gpkg's stacks.toml: this stack of it" }, \
	{ 0, "name", OPT_TEXT, &(a)->name, "NAME", "gpkg's locks: the target's name" }, \
	{ 0, "glibc", OPT_TEXT, &(a)->glibc, "VERSION", "gpkg's locks: the target's glibc" }, \
	{ 0, "gpu", OPT_LIST, &(a)->gpus, "CC", "gpkg's locks: a GPU, as 9.0; may be repeated" }, \
	{ 0, "driver", OPT_TEXT, &(a)->driver, "VERSION", "gpkg's locks: the target's driver" }
#define RESOLUTION_OPTS(a) \
	{ 't', "target", OPT_LIST, &(a)->targets, "NAME", "only this target; may be repeated" }, \
	{ 0, "waive", OPT_LIST, &(a)->waivers, "PKG[@TARGET]=REASON", \
		"take a hole; the reason is signed" }, \
	{ 0, "trust-first-use", OPT_FLAG, &(a)->trust_first_use, NULL, \
		"take files whose hash nobody promises; recorded" }, \
	RESOLUTION_LOCK_OPTS(a)
/* clang-format on */

/* What was given, for the lock at `path`; the arena and *a must outlive *out. */
void resolution_args_take(const struct resolution_args *a, const char *path, struct arena *arena,
	struct resolution_options *out);
void resolution_args_release(struct resolution_args *a);

#endif

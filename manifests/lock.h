/* What the user asks for: packages and targets (gpkg-lock(5)), in any of the formats below; never edited. */
#ifndef MANIFESTS_LOCK_H
#define MANIFESTS_LOCK_H

#include "manifests/digest.h"
#include "manifests/requirement.h"
#include "manifests/source.h"
#include "manifests/target.h"

enum lock_kind { LOCK_NATIVE = 1, LOCK_GPKG, LOCK_PYLOCK, LOCK_UV, LOCK_REQUIREMENTS, LOCK_STACKS };
enum lock_use { LOCK_RUN = 0, LOCK_BUILD = 1 }; /* use = "build": only for build environments */

struct lock_file { /* a resolved [[file]] row, or a file that a foreign lock names */
	struct str url, file; /* absolute (http, https, file), and the decoded name at its end */
	bool has_size, has_sha256; /* a [[file]] row always has its sha256 */
	uint64_t size;
	struct digest sha256;
	/* Frozen locks: what the index said of it when it was chosen. */
	bool is_yanked, is_first_use; /* first use: nobody had promised the sha256 */
	bool is_by_index;             /* the index had promised it, not the user's lock */
	struct str yanked;            /* the reason or "" */
	unsigned line;
};

struct lock_package {
	/* Name, extras, marker, specifiers, no url; `raw` is the normal spelling of these. A URL's row has one
	 * "==", the public version of its file. pylock.toml, uv.lock and frozen locks pin every row of their
	 * own, the others may leave the version open, wholly (no specifier) or in part. */
	struct requirement req;
	enum lock_use use;
	struct str *targets; /* names; none: every target */
	size_t ntargets;
	struct str url; /* exact file (gpkg's wheels, direct URLs); "" = the index decides */
	struct str file; /* its file name, decoded; "" = from the url */
	/* The files that a foreign lock names for it, wheels of every platform and the sdist: the choice is
	 * made among these, and no index is asked. None: the index is. */
	struct lock_file *files;
	size_t nfiles;
	/* requirements.txt: the only digests that may be chosen from an index's page. None: any. */
	struct digest *hashes;
	size_t nhashes;
	/* Frozen locks, where `files` holds its one file: */
	bool is_dependency; /* chosen because another package needs it, not because the user named it */
	/* An sdist's build environment: file names of other rows, sorted. Each target of this row has a row
	 * with that file. */
	struct str *build;
	size_t nbuild;
	unsigned line;
};

/* constraints = ["numpy<2"], -c files: holds for whatever has that name, asks for nothing. */
struct lock_constraint {
	struct requirement req; /* name, specifiers, marker */
	bool is_build;          /* build-constraints: for build environments only */
	struct str where;       /* "constraints.txt: line 3", "line 7" (of the lock) */
};

/* [override.<package>]: what other packages require of it is wrong, and this is right. What the metadata
 * says and the plan does not meet for its sake becomes a waiver in the manifest, with this reason. */
struct lock_override {
	struct str name; /* normalised */
	bool is_exclude; /* nobody needs it: exclude = true */
	struct str text; /* ">=2.5", "" = any version */
	struct specifier_set specifiers;
	struct str reason;
	unsigned line;
};

struct lock_source { /* [source.<package>]: the package comes from there alone */
	struct str name; /* normalised package */
	struct source source;
	struct str reason; /* may be "" */
	unsigned line;
};

enum lock_toolkit { LOCK_TOOLKIT_NONE = 0, LOCK_TOOLKIT_WHEELS, LOCK_TOOLKIT_SITE };

struct lock_recipe { /* [recipe.<package>]: a builder's override */
	struct str name; /* normalised project */
	struct str *requires; /* more build requirements (PEP 508 text) */
	size_t nrequires;
	struct str *env_names, *env_values; /* ${arch_list} and such: not yet filled in */
	size_t nenv;
	bool has_device_code, device_code; /* must the result hold code for every GPU? absent: what is known */
	struct str reason;
	unsigned line;
};

struct lock_waiver { /* [waive] "pkg" or "pkg@target" = "reason" */
	struct str name; /* normalised project */
	struct str target; /* "" = every target */
	struct str reason;
};

struct lock {
	struct arena arena; /* owns everything below */
	enum lock_kind kind;
	struct str path; /* for messages */
	/* Of the file's bytes, set by the caller that hashed them. A frozen lock's is that of the lock it was made
	 * from, so that both give the same bundle: lock_parse sets it, and the caller leaves it alone. */
	struct digest sha256;
	bool is_frozen; /* written by `resolve --write-lock`: every file is named, nothing is chosen */
	/* Whatever a package needs must be in the lock: pylock.toml, uv.lock, frozen locks, requirements.txt with
	 * hashes. Build environments are not a part of that, but of frozen locks. */
	bool is_closed;
	struct str name; /* default channel; "" = none */
	struct target *targets;
	size_t ntargets;
	struct lock_package *packages;
	size_t npackages;
	struct lock_file *files;
	size_t nfiles;
	enum lock_toolkit toolkit;
	struct str *toolkit_packages; /* normalised project names, from = "wheels" */
	size_t ntoolkit_packages;
	struct str toolkit_version; /* "13.0"; from = "site": what it must have */
	struct lock_recipe *recipes;
	size_t nrecipes;
	struct lock_waiver *waivers;
	size_t nwaivers;
	struct lock_constraint *constraints;
	size_t nconstraints;
	struct lock_override *overrides; /* one a name */
	size_t noverrides;
	struct lock_source *sources; /* one a package */
	size_t nsources;
	/* requirements.txt: where it wants its packages from, instead of what pip is configured with. */
	struct str index_url; /* "" = not said */
	struct str *extra_index_urls, *find_links;
	size_t nextra_index_urls, nfind_links;
	bool no_index;
};
#define LOCK_INIT { .arena = ARENA_INIT }

/* What options say about a lock; all of it may be absent. */
struct lock_options {
	const struct target_spec *extra; /* for gpkg's locks and stacks, as below; or NULL */
	struct str stack; /* gpkg's stacks.toml: which one; "": its only one */
	/* Foreign locks (pylock, uv.lock, requirements.txt) take their targets from this native file, and
	 * its [toolkit], [recipe], [waive], [[file]] and [[package]] rows (setuptools for builds and the like) too. */
	const char *targets_file;
	const struct str *extras, *groups; /* normalised: selected extras and dependency groups of the project */
	size_t nextras, ngroups;
	bool no_default_groups;
	/* uv.lock of a workspace: its projects (normalised) instead of the one at its top, or all of them. */
	const struct str *projects;
	size_t nprojects;
	bool all_projects;
	/* What `from = "NAME"` in [source.<package>] may name, which must outlive the lock; NULL: the built-in
	 * ones. */
	const struct source_list *registry;
};

/* Reads any format, told apart by its content (and requirements.txt by its name's ending, ".txt" or ".in").
 * `extra` completes a gpkg lock's single target:
 * its name (default "cp312-cu128-linux_x86_64"), glibc or musl, gpus and driver count, the rest is not
 * looked at. NULL where no options were given; a native lock takes none but the name (RC_USAGE).
 * Nothing of `text`, `path` and `extra` need outlive the call.
 *
 * Errors are "path: line L, column C: ...": RC_SYNTAX, RC_INVALID, RC_LIMIT, and RC_UNSUPPORTED for
 * other lock versions and for the locks of other tools.
 *
 * gpkg's stacks (stacks.toml) take `extra` as gpkg locks do, and may have several targets; then `extra` has
 * no name. RC_USAGE where several stacks are there and none is chosen, or none of that name.
 *
 * No two packages of one use and one name give a target two pinned versions or two URLs; open ones add up,
 * as requirements do. Every name in `targets` and in waivers is one of the lock's targets. */
int lock_read(const char *path, const struct lock_options *options, struct lock *out, struct err *e);
int lock_parse(struct str text, const char *path, const struct lock_options *options, struct lock *out,
	struct err *e);
void lock_release(struct lock *l);

const struct target *lock_target(const struct lock *l, struct str name); /* NULL: none */
/* The waiver for that target, else the one for every target. */
const struct lock_waiver *lock_waives(const struct lock *l, struct str project, struct str target);
const struct lock_recipe *lock_recipe_of(const struct lock *l, struct str project);
const struct lock_override *lock_override_of(const struct lock *l, struct str project); /* NULL: none */
bool lock_excludes(const struct lock *l, struct str project); /* by an override */
const struct lock_source *lock_source_of(const struct lock *l, struct str project);     /* NULL: none */
/* The row's "==" without ".*" ("===" too), that with a local part first, or NULL where it leaves the version
 * open. */
const struct specifier *lock_package_pin(const struct lock_package *p);
/* By its list of targets; its marker is another matter. */
bool lock_package_is_for(const struct lock_package *p, const struct target *t);

#endif

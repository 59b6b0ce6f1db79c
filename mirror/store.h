/* The store: content-addressed files and one catalogue.
 *
 *	STORE/lock              flock: one writer at a time
 *	STORE/trust/KEY.pub     accepted public keys (verify/trust.h)
 *	STORE/objects/ab/HEX    every wheel, sdist, METADATA text, manifest, signature; mode 0444
 *	STORE/catalog.db        the writer's SQLite database (mirror/db.c, schema.def)
 *	STORE/published/N.db    an immutable copy for readers; STORE/current holds the name of the
 *one in force STORE/site.key, .pub    the site's own key: signs what is built here
 *	STORE/logs/TARGET/      build logs
 *
 * A writer commits in this order: objects are written (O_TMPFILE, hashed, fsync, linked), then one
 *SQLite transaction, then the published copy is made beside and renamed. Readers (serve, list,
 *inspect, build's look-ups) open only the published copy, read-only and immutable, and keep it
 *until they look again: they never lock, and see the old state or the new one. Opening for writing
 *repairs what a killed writer left: publishes what was committed, removes staging. A store that
 *others can write to is refused.
 *
 * Bundles merge. A target lists every file that any of its bundles picked; two rules keep it to one
 * candidate: of wheels that differ only in their local version (another torch or CUDA) the newest
 * bundle's is listed, and a wheel from a bundle hides one of the same name that was built here.
 * A build environment may have another version of its own: listing.h says when that one is offered.
 *What is not listed any more is still served under its digest. */
#ifndef MIRROR_STORE_H
#define MIRROR_STORE_H

#include "manifests/manifest.h"
#include "verify/trust.h"

enum store_mode { STORE_READ = 1, STORE_WRITE };

struct store;

/* STORE_WRITE makes the store where it is absent and takes its lock (RC_LOCKED names the holder
 * after 10 s of waiting). STORE_READ on an absent store is RC_STORE: "import a bundle first". */
int store_open(const char *dir, enum store_mode mode, struct store **out, struct err *e);
void store_close(struct store *s);
void cleanup_store(struct store **s);
#define CLEANUP_STORE __attribute__((cleanup(cleanup_store)))
const char *store_dir(const struct store *s);

/* ---- objects ---- */
/* Writes one object: begin, add..., then commit checks the size (RC_HASH), flushes the bytes and
 * links them under their digest. An object that is there already is kept, unless its size shows
 * that it is damaged: then it is replaced. Objects without a catalogue row are harmless and
 * collected later. */
struct store_object;
int store_object_begin(struct store *s, uint64_t size, struct store_object **out, struct err *e);
int store_object_add(struct store_object *o, const void *bytes, size_t n, struct err *e);
/* `computed` is the digest of the bytes that were added: the caller has hashed them (verified_copy,
 * hash_fd). Frees the object whatever it returns. */
int store_object_commit(struct store_object *o, const struct digest *computed, struct err *e);
int store_object_fd(
	const struct store_object *o); /* readable, for opening the wheel before the commit */
void store_object_abort(struct store_object *o);
int store_put_text(struct store *s, struct str text, struct digest *out, struct err *e);
/* RC_NOT_FOUND, RC_STORE where it is no regular file. Safe for several threads at once. */
int store_object_open(
	struct store *s, const struct digest *d, int *fd, uint64_t *size, struct err *e);
/* Is there an object of this digest and size? Its bytes are not read. */
bool store_object_exists(struct store *s, const struct digest *d, uint64_t size);
/* The same object with bytes that differ from what is there: the commit replaces instead of
 * keeping. */
void store_object_replace(struct store_object *o);
/* RC_NO_SPACE, with the figures, where fewer bytes are free than these and 3 % of the file system.
 */
int store_check_space(struct store *s, uint64_t bytes, struct err *e);
int store_object_read(
	struct store *s, const struct digest *d, uint64_t max, struct buf *out, struct err *e);

/* ---- what is in force (published catalogue) ---- */
struct store_bundle {
	struct str channel;
	uint64_t epoch, serial, created, imported;
	struct digest manifest;
	struct str signer; /* 64 hex */
};

struct store_file {                  /* a file as one target sees it */
	struct manifest_file file;   /* as the manifest says; for built wheels made the same way */
	unsigned use;                /* USE_* bits: one file may be run and toolkit at once */
	bool is_requested, is_built; /* built here, signed by the site key */
	struct str *extras;
	size_t nextras;
	struct digest provenance; /* is_built: object with the signed statement */
	struct digest source;     /* of the sdist whose build in force this wheel is; zero: none */
	bool is_current; /* in the newest plan (of a channel) for this target; built here: in force
			  */
	bool is_listed;  /* false: superseded, as said above; only its digest still leads to it */
	/* An sdist that must be compiled for a GPU. Indexes offer only the wheel that `build` makes
	 * of it: pip would compile it without a toolkit, and several projects then install without
	 * their library. */
	bool needs_toolkit;
};

struct store_target {
	struct target target;
	struct store_file *files; /* sorted by name, version descending, file */
	size_t nfiles;
	struct manifest_recipe *recipes; /* .file and .environment index files above */
	size_t nrecipes;
	struct str toolkit;
	struct str channel; /* of the newest bundle that has it */
};

struct store_view { /* everything readers need, in one arena */
	struct arena arena;
	struct store_bundle *bundles; /* newest import first */
	size_t nbundles;
	struct store_target *targets; /* by name */
	size_t ntargets;
	uint64_t generation; /* grows with every publication */
	struct store_stamp { /* of STORE/current when it was read */
		uint64_t inode;
		int64_t seconds, nanoseconds;
	} stamp;
};
#define STORE_VIEW_INIT             \
	{                           \
		.arena = ARENA_INIT \
	}

int store_view_load(struct store *s, struct store_view *out, struct err *e);
void store_view_release(struct store_view *v);
const struct store_target *store_view_target(
	const struct store_view *v, struct str name); /* or NULL */
/* Has another generation been published since? One fstatat: cheap enough for every request, and
 * safe for several threads at once. */
bool store_view_is_stale(struct store *s, const struct store_view *v);

/* ---- writing the catalogue (STORE_WRITE) ---- */
/* Would store_commit_bundle take this bundle? Asked before any byte is copied; `known` says that it
 * is the channel's newest already. */
int store_check_bundle(struct store *s, const struct manifest *m, const struct digest *manifest,
	bool *known, struct err *e);
/* Everything of one bundle in one transaction, then publishes. Same manifest again: success,
 * nothing changes. RC_BUNDLE_ROLLBACK (serial or epoch below the channel's newest),
 * RC_BUNDLE_EQUIVOCATION (same serial, other digest), RC_CONFLICT (a target of that name that is
 * another kind of machine: other python, platform, libc or gpus; a file name that the target
 * already has with other bytes). The manifest's and signature's bytes and those of every file must
 * be objects already: they are flushed before the commit. */
int store_commit_bundle(struct store *s, const struct manifest *m, const struct digest *manifest,
	const struct digest *signature, const struct public_key *signer, uint64_t now,
	struct err *e);

struct store_build {
	struct str target;
	struct digest sdist;
	struct manifest_file wheel;
	struct digest provenance, signature, log; /* objects */
	struct public_key signer;
};
/* Adds a built wheel to its target only, replacing an earlier build of the same sdist there;
 * publishes. */
int store_commit_build(struct store *s, const struct store_build *b, uint64_t now, struct err *e);

#endif

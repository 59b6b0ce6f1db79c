/* The manifest: what a bundle says it holds, and the plan for every target (gpkg-manifest(5)).
 *
 * Canonical JSON: keys sorted by bytes, no white space, no floats, one spelling for everything. The
 * reader re-writes what it read and compares: bytes that are not the canonical form of a manifest of
 * this spec (an unknown field, a duplicate key, another order, another escape) are refused.
 * All slices belong to the manifest's arena. */
#ifndef MANIFESTS_MANIFEST_H
#define MANIFESTS_MANIFEST_H

#include "manifests/base/buf.h"
#include "manifests/digest.h"
#include "manifests/dist_name.h"
#include "manifests/target.h"

/* What is written; spec 1, which has no audit, is still read. */
enum { MANIFEST_SPEC_OLDEST = 1, MANIFEST_SPEC_AUDIT = 2, MANIFEST_SPEC = MANIFEST_SPEC_AUDIT };

/* Who promised a file's hash. */
enum manifest_hash_from { HASH_FROM_INDEX = 1, HASH_FROM_LOCK, HASH_FROM_FIRST_USE };

struct manifest_file { /* one distinct file; sorted by (name, file, sha256) */
	struct digest sha256;
	uint64_t size;
	struct str file;    /* file name, unchanged */
	struct str name;    /* normalised project */
	struct str version; /* as METADATA says it; the file name's for sdists */
	enum dist_kind kind;
	struct str requires_python; /* METADATA's, or "" */
	struct digest metadata_sha256; /* wheels: of METADATA's bytes; zero for sdists */
	uint64_t metadata_size;     /* 0 for sdists */
	bool local_mismatch;        /* the file name has a local version that METADATA lacks */
	struct str device_code;     /* "sm_80 sm_90a compute_90", "" = none */
	struct str yanked;          /* reason, "" with is_yanked for none given */
	bool is_yanked;
	struct str origin;          /* URL it came from, without credentials */
	enum manifest_hash_from hash_from;
	struct str license;         /* for the SBOM; may be "" */
};

/* What a target needs a file for: bits, since one file may serve twice (a CUDA runtime that is installed
 * and also part of the toolkit). */
enum manifest_use { USE_RUN = 1, USE_BUILD = 2, USE_TOOLKIT = 4 };

/* What the audit had to say of a wheel for a target (verify/audit.h), but for what passed. */
struct manifest_finding {
	struct str check;  /* "gpu-code": [a-z-]+ */
	struct str result; /* "WARN", "UNKNOWN" or "FAIL" */
	struct str member; /* of the wheel, or "" */
	struct str text;
};

struct manifest_pick { /* one file of a target's plan */
	size_t file;      /* index into files */
	unsigned use; /* USE_* bits, at least one */
	bool is_requested; /* named in the lock, not only a dependency */
	struct str *extras; /* normalised, sorted */
	size_t nextras;
	struct str audit; /* "1✓ 2! ...": a mark for each demand (audit_line); "" = not audited */
	struct manifest_finding *findings; /* in the order of the checks; at most LIMIT_PICK_FINDINGS */
	size_t nfindings;
};

struct manifest_recipe { /* how a target's sdist is built */
	size_t file; /* the sdist */
	/* Its build environment: indexes into files, ascending; picks of this target, all USE_BUILD. A source
	 * among them stands for the wheel that is built of it. */
	size_t *environment;
	size_t nenvironment;
	struct str *env_names, *env_values; /* sorted by name; ${...} not yet filled in */
	size_t nenv;
	bool device_code; /* the result must hold code for every GPU */
};

struct manifest_target {
	struct target target;
	/* Sorted by file index. At most one of a project is USE_RUN; build environments may have others. */
	struct manifest_pick *picks;
	size_t npicks;
	struct manifest_recipe *recipes; /* sorted by file index */
	size_t nrecipes;
	struct str toolkit; /* "wheels", "site:13.0", or "" */
};

struct manifest_waiver {
	struct str project, target, what, reason; /* what: "hole", "audit", "record", "first-use" */
};

struct manifest {
	struct arena arena;
	unsigned spec; /* MANIFEST_SPEC_OLDEST to MANIFEST_SPEC */
	struct str channel;
	uint64_t epoch, serial, created, expires; /* seconds since 1970; expires 0 = never */
	bool has_previous;
	uint64_t previous_serial;
	struct digest previous_sha256;
	struct digest lock_sha256;
	struct str tool; /* "gpkg-bundle 0.1.0" */
	struct manifest_file *files;
	size_t nfiles;
	struct manifest_target *targets; /* in the lock's order */
	size_t ntargets;
	struct manifest_waiver *waivers;
	size_t nwaivers;
};
#define MANIFEST_INIT { .arena = ARENA_INIT, .spec = MANIFEST_SPEC }

void manifest_write(const struct manifest *m, struct buf *out); /* the exact bytes that are signed */
/* RC_BUNDLE_MANIFEST, or RC_BUNDLE_SPEC for a spec or kind this program does not know. */
int manifest_read(struct str bytes, struct manifest *out, struct err *e);
void manifest_release(struct manifest *m);

const struct manifest_target *manifest_target_of(const struct manifest *m, struct str name); /* or NULL */
int manifest_file_cmp(const struct manifest_file *x, const struct manifest_file *y); /* the files' order */
/* Is this file an sdist that must be compiled for the target's GPUs on the far side? */
bool manifest_is_compiled(const struct manifest_target *t, size_t file);
/* Sum of the distinct files' sizes. */
uint64_t manifest_total(const struct manifest *m);
/* Path of file i inside the bundle: "files/<sha256>/<file>". */
char *manifest_member(struct arena *a, const struct manifest_file *f);
/* The trusted comment that manifest.json's (or SHA256SUMS's) signature must carry, where `what` is the
 * document: "gpkg-bundle-v1\tmanifest\tchannel:C\tserial:N\tsha256:HEX". */
char *manifest_trusted_comment(struct arena *a, const struct manifest *m, const char *what,
	const struct digest *document);

/* Channels are [A-Za-z0-9][A-Za-z0-9._-]{0,63}. RC_INVALID. */
int manifest_check_channel(struct str channel, struct err *e);

#endif

/* The inside of the bundle checker, for the files bundle_*.c only. */
#ifndef VERIFY_BUNDLE_PRIVATE_H
#define VERIFY_BUNDLE_PRIVATE_H

#include "manifests/bundle_format.h"
#include "manifests/limits.h"
#include "manifests/tar.h"
#include "verify/bundle_check.h"
#include "verify/hash.h"
#include "verify/zstd_in.h"

struct verified {
	struct arena arena;
	const char *name;
	struct zstd_in *in;
	struct hash *hash;
	const struct trust *trust;
	const struct trust_key *signer;
	struct manifest manifest;
	struct digest manifest_sha256;
	struct str manifest_bytes, signature_bytes;
	struct bundle_texts texts; /* members before the files, without SHA256SUMS and its signatures */
	struct tar_member member;  /* the header that was read last */
	bool has_member;           /* ... and whose contents were not taken yet */
	bool has_time;
	uint64_t time;
	uint64_t metadata_size; /* bytes of tar taken so far, until the files begin */
	size_t next_file; /* index of the file that verified_next announces next */
};

/* ---- members (bundle_members.c) ---- */
/* The header of the member that comes next, without taking it. */
int bundle_peek(struct verified *v, struct err *e);
bool bundle_next_is(const struct verified *v, const char *name);
/* Takes the announced member's text whole; the caller has checked its name. */
int bundle_take_text(struct verified *v, uint64_t max, struct str *out, struct err *e);
int bundle_take_named(struct verified *v, const char *name, uint64_t max, struct str *out, struct err *e);
void bundle_keep_text(struct verified *v, const char *name, struct str text);
int bundle_check_padding(struct verified *v, struct err *e);
bool bundle_has_taken(const struct verified *v, struct str path);
/* Is it a name that this bundle may have? Until the manifest is read, one that every bundle has. */
bool bundle_knows(struct verified *v, struct str path);
/* Which refusal it is that another member stands there. `expected`: NULL where nothing should follow. */
int bundle_out_of_place(struct verified *v, const char *expected, struct err *e);

/* ---- everything before the files (bundle_metadata.c) ---- */
int bundle_take_metadata(struct verified *v, uint64_t now, struct err *e);

#endif

/* The only door into the far side. A bundle is read once, front to back, from a file or a pipe.
 *
 *	struct verified *v;
 *	verified_open(input, trust, now, &v, e)     signatures, manifest, lists: checked before any file
 *	while ((r = verified_next(v, &file, e)) > 0)
 *		verified_copy(v, take, context, e)  bytes handed on while they are hashed; then compared
 *	verified_finish(v, e)                       nothing is missing, nothing follows
 *
 * `struct verified` is opaque and only this file makes one: what takes it cannot be given anything
 * that was not checked. A file's bytes may be used only after its verified_copy returned 0, and the
 * bundle only after verified_finish did. Any error is final. Each refusal has its own code (rc.def).
 *
 * Memory: the metadata members plus a buffer of 128 KiB; no scratch space. */
#ifndef VERIFY_BUNDLE_CHECK_H
#define VERIFY_BUNDLE_CHECK_H

#include "manifests/manifest.h"
#include "verify/trust.h"

struct verified;

/* `fd` stays the caller's; `name` is for messages. `now`: seconds since 1970, for expiry. */
int verified_open(int fd, const char *name, const struct trust *trust, uint64_t now,
	struct verified **out, struct err *e);
void verified_close(struct verified *v);
void cleanup_verified(struct verified **v);
#define CLEANUP_VERIFIED __attribute__((cleanup(cleanup_verified)))

const struct manifest *verified_manifest(const struct verified *v);
const struct digest *verified_manifest_sha256(const struct verified *v);
struct str verified_manifest_bytes(const struct verified *v); /* the signed bytes */
struct str verified_signature_bytes(const struct verified *v); /* manifest.json.minisig that was accepted */
const struct trust_key *verified_signer(const struct verified *v);
/* A metadata member by name ("requirements.h100.txt", "sbom.cdx.json"); p == NULL: none. */
struct str verified_text(const struct verified *v, const char *member);

/* 1: *file is next; 0: all were delivered; < 0: error. */
int verified_next(struct verified *v, const struct manifest_file **file, struct err *e);
int verified_copy(struct verified *v, int (*take)(void *context, const void *bytes, size_t n, struct err *e),
	void *context, struct err *e);
int verified_finish(struct verified *v, struct err *e);

#endif

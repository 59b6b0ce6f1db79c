/* The members of a bundle before its files: names, order and the texts that are the same in every
 * bundle (gpkg-bundle-file(5)). Shared by the packer and the checker. */
#ifndef MANIFESTS_BUNDLE_FORMAT_H
#define MANIFESTS_BUNDLE_FORMAT_H

#include "manifests/base/vec.h"
#include "manifests/manifest.h"

#define MEMBER_TYPE "gpkg-bundle.json"
#define MEMBER_MANIFEST "manifest.json"
#define MEMBER_SUMS "SHA256SUMS"
#define MEMBER_SBOM "sbom.cdx.json"
#define BUNDLE_TYPE_TEXT "{\"spec\":1,\"type\":\"gpkg-bundle\"}\n"

struct bundle_text { /* a member before the files */
	const char *name;
	struct str text;
	struct digest sha256;
};
struct bundle_texts {
	struct bundle_text *v;
	size_t n, cap;
};

/* "manifest.json.minisig", "manifest.json.2.minisig": the i-th signature's name, i from 0. */
char *bundle_signature_name(struct arena *a, const char *document, size_t i);
char *bundle_requirements_name(struct arena *a, struct str target);
char *bundle_pylock_name(struct arena *a, struct str target);
/* The names between SHA256SUMS's signatures and the files: requirements and pylock of every target in
 * the manifest's order, then the SBOM. */
size_t bundle_later_names(struct arena *a, const struct manifest *m, char ***names);

/* The exact SHA256SUMS: a line "HEX  NAME" for every other member in the bundle's order. `texts` has all
 * members before the files but SHA256SUMS and its signatures. */
void bundle_sums(const struct bundle_texts *texts, const struct manifest *m, struct buf *out);

#endif

/* The members that stock tools read: requirements.<target>.txt for pip and uv, pylock.<target>.toml
 * (PEP 751), sbom.cdx.json (CycloneDX 1.6). Each is a pure function of the manifest. */
#ifndef BUNDLE_TEXTS_OUT_H
#define BUNDLE_TEXTS_OUT_H

#include "manifests/bundle_format.h"

/* Self-contained, relative to the file: --no-index, a --find-links line per file, name[extra]==version with
 * its hash. A wheel whose METADATA lacks its local version is listed by path; an sdist that must be
 * compiled for a GPU is a comment that names the verb. */
void requirements_write(const struct manifest *m, const struct manifest_target *t, struct buf *out);
void pylock_write(const struct manifest *m, const struct manifest_target *t, struct buf *out);
void sbom_write(const struct manifest *m, struct buf *out);

/* All of them, in the order of bundle_later_names; texts belong to the arena. */
void texts_write(struct arena *a, const struct manifest *m, struct bundle_texts *out);

#endif

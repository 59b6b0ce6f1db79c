/* The inside of the manifest's reader, for the files manifest_read*.c and manifest_field.c only. */
#ifndef MANIFESTS_MANIFEST_READER_H
#define MANIFESTS_MANIFEST_READER_H

#include "manifests/base/json.h"
#include "manifests/manifest.h"

/* Members that must be there; texts are copied into the arena. RC_SYNTAX, RC_LIMIT (texts over
 * `max` bytes, lists over `max` entries), and the member's name in the error. */
int field_text(struct arena *a, const struct json *v, const char *key, size_t max, struct str *out,
	struct err *e);
int field_digest(const struct json *v, const char *key, struct digest *out, struct err *e);
/* The index of the text among `words` (the last is NULL), counted from 1. RC_BUNDLE_SPEC: it is
 * none. */
int field_word(
	const struct json *v, const char *key, const char *const *words, int *out, struct err *e);
int field_list(const struct json *v, const char *key, size_t max, const struct json **first,
	size_t *n, struct err *e);
int field_strs(struct arena *a, const struct json *v, const char *key, struct str **out, size_t *n,
	struct err *e);

/* Files are there already. */
int manifest_read_targets(const struct json *root, struct manifest *m, struct err *e);

#endif

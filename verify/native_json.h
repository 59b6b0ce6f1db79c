/* The map of a wheel's native code as text and back: what a cache keeps, so that no wheel has to be
 * read twice. Canonical JSON: one map has one text. */
#ifndef VERIFY_NATIVE_JSON_H
#define VERIFY_NATIVE_JSON_H

#include "manifests/base/buf.h"
#include "verify/native.h"

/* Of this form; another form gets another name, and what is kept under the old one is forgotten. */
#define NATIVE_JSON_KIND "native-1"

void native_json_write(const struct native *n, struct buf *out);
/* Nothing of `text` need outlive the call. RC_SYNTAX: not what native_json_write has written.
 * RC_LIMIT: over LIMIT_NATIVE_TEXT; such a map is made anew each time. */
int native_json_read(struct str text, struct native *out, struct err *e);

const char *native_format_word(enum native_format f);   /* "elf", "pe", "macho", "archive" */
const char *native_machine_word(enum native_machine m); /* "x86_64", "aarch64", "other" */

#endif

/* A wheel file, opened for the audit: names, METADATA and WHEEL; its native code comes from
 * native_read or from a cache. */
#ifndef VERIFY_AUDIT_WHEEL_H
#define VERIFY_AUDIT_WHEEL_H

#include "verify/audit.h"

struct audit_file {
	struct arena arena;
	struct wheel *open;
	struct native native;     /* empty until somebody fills it */
	struct audit_wheel wheel; /* points to all of the above: an audit_file must not be moved */
};
#define AUDIT_FILE_INIT                                    \
	{                                                  \
		.arena = ARENA_INIT, .native = NATIVE_INIT \
	}

/* Reads the directory of the zip file and two members. `fd` must stay open as long as `out->open`
 * is used. RC_WHEEL: no wheel, or its name and METADATA contradict each other. */
int audit_file_open(int fd, struct str file_name, struct audit_file *out, struct err *e);
void audit_file_release(struct audit_file *f);

/* What the text of a WHEEL file says: tags and Root-Is-Purelib. The tags are copied into the arena.
 */
void audit_wheel_fields(struct str text, struct arena *a, struct audit_wheel *out);

/* Names under which the loader finds the wheel's libraries: sonames and file names, sorted, each
 * once. The array is in the arena, the texts are the map's. */
struct str *native_libraries(const struct native *n, struct arena *a, size_t *count);

#endif

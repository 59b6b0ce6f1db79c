/* A target as text for files and people, and back: the one spelling shared by manifests, the store,
 * `detect` and messages. */
#ifndef MANIFESTS_TARGET_TEXT_H
#define MANIFESTS_TARGET_TEXT_H

#include "manifests/base/json.h"
#include "manifests/target.h"

/* Members cuda, cxx11_abi, driver, glibc, gpus, musl, name, platform, python, torch, sorted; those that
 * are not given are left out. Inside an object that the caller has opened; `plan` members come after. */
void target_put_json(const struct target *t, struct json_out *o);
/* Through target_make, so the same checks hold. */
int target_from_json(struct arena *a, const struct json *object, struct target *out, struct err *e);
/* "13.0", "13" for every 13.x, "none" (also where it is not known). */
const char *target_cuda_text(struct arena *a, const struct target *t);
/* "Python 3.12, linux_x86_64, glibc 2.28, GPU 9.0, driver 580": one line for people. */
char *target_line(struct arena *a, const struct target *t);

#endif

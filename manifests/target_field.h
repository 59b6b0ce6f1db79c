/* The fields of a target as text: each reader takes one spelling and offers the right one for
 * others'. Private to target.c and target_field.c. Errors are RC_INVALID: "python \"3.1\": ...". */
#ifndef MANIFESTS_TARGET_FIELD_H
#define MANIFESTS_TARGET_FIELD_H

#include "manifests/target.h"

int python_field_parse(struct str text, struct target_python *out, struct err *e);
int platform_field_parse(
	struct str text, struct target *out, struct err *e); /* platform, os, machine */
int glibc_field_parse(struct str text, struct target *out, struct err *e);
int musl_field_parse(struct str text, struct target *out, struct err *e);
int driver_field_check(struct str text, struct err *e);
int cuda_field_parse(struct str text, struct target *out,
	struct err *e); /* cuda and is_any_cuda_minor; "none" is major 0 */

#endif

/* What an audit has found, for people and for programs. */
#ifndef VERIFY_AUDIT_REPORT_H
#define VERIFY_AUDIT_REPORT_H

#include "manifests/base/json.h"
#include "verify/audit_set.h"

/* A paragraph for each finding, indented, without those that PASS unless all are asked for:
 *
 *	FAIL torch ABI (2): demo/_C.so: wants 2 symbols that torch 2.15.0 does not export: ...
 *	  avoids: ImportError: ...
 *	  do: take a build for torch 2.15.0
 */
void audit_report_text(const struct audit *a, bool is_all, struct buf *out);
/* Members findings, line and result of an object that the caller has opened. */
void audit_report_json(const struct audit *a, struct json_out *o);
/* The map of a wheel's native code, as an object: what native_text_write shows, and every symbol of
 * torch that is wanted. */
void native_report_json(const struct native *n, struct json_out *o);

struct audit_choice { /* of what to report */
	const struct target *const *targets;
	size_t ntargets;     /* 0: the maps alone */
	bool is_map, is_all; /* the map too (JSON always has it); findings that PASS (the same) */
};
/* Every entry against every target; returns the gravest result. A RECORD that does not fit is a
 * FAIL without any target. Entries with a fault are left out of the text. */
enum audit_result audit_set_text(
	const struct audit_set *s, const struct audit_choice *choice, struct buf *out);
/* An object with the member "files". */
enum audit_result audit_set_json(
	const struct audit_set *s, const struct audit_choice *choice, struct json_out *o);

#endif

/* The audit: a wheel against a target, by what is inside. One check, one file (check_<name>.c), one
 * row in checks.def. A check that cannot know says UNKNOWN; that is never a PASS. */
#ifndef VERIFY_AUDIT_H
#define VERIFY_AUDIT_H

#include "manifests/base/map.h"
#include "manifests/base/vec.h"
#include "manifests/target.h"
#include "verify/native.h"

/* In order of gravity. */
enum audit_result { AUDIT_PASS = 1, AUDIT_WARN, AUDIT_UNKNOWN, AUDIT_FAIL };
const char *audit_result_text(enum audit_result r); /* "PASS" ... */

enum audit_check {
#define CHECK(name, text, number, title, asks) AUDIT_##name,
#include "verify/checks.def"
#undef CHECK
	AUDIT_CHECKS
};
const char *audit_check_name(enum audit_check c);  /* "gpu-code": stable, for JSON and waivers */
const char *audit_check_title(enum audit_check c); /* "GPU code" */
unsigned audit_check_number(
	enum audit_check c); /* of the demand, 1 to 8, for the short line; 0: others */

struct audit_finding {
	enum audit_check check;
	enum audit_result result;
	struct str member; /* the binary that it is about, or "" */
	struct str text;   /* what the wheel has and what the target needs */
	struct str avoids; /* the error that this would have been, as a user would have seen it; ""
			      for PASS */
	struct str remedy; /* what to do; "" where there is nothing */
};

struct audit_wheel { /* what is looked at */
	const struct dist_name *name;
	const struct wheel_metadata *metadata;
	struct str *wheel_tags; /* the Tag lines of WHEEL, "cp312-cp312-linux_x86_64" */
	size_t nwheel_tags;
	bool is_purelib; /* WHEEL: Root-Is-Purelib */
	const struct native *native;
};

/* What a torch wheel offers to extensions. */
struct audit_torch {
	struct str version;        /* "2.15.0+cu130": with the local part of torch/version.py where
				      METADATA lacks it */
	struct cuda_version cuda;  /* major 0: a CPU build */
	const struct str *symbols; /* all that its libraries export of the kinds of native.h,
				      sorted, each once */
	size_t nsymbols;
	const struct str *libraries; /* sonames that it brings, sorted */
	size_t nlibraries;
};

struct audit_site { /* what stands around the wheel */
	const struct target *target;
	const struct audit_torch *torch; /* NULL: not at hand; symbols are then UNKNOWN */
	/* Sonames that wheels of the same closure bring (nvidia-*, the wheel itself excepted),
	 * sorted. */
	const struct str *provided;
	size_t nprovided;
	bool is_closed; /* `provided` is complete: what is not in it is missing. Else such needs are
			   UNKNOWN */
};

struct audit { /* findings, in the order of checks.def, at least one for each check */
	struct arena arena;
	VEC(struct audit_finding) findings;
	/* private to the checks: */
	int *parts;         /* enum module_part of each module (verify/module_part.h) */
	struct map brought; /* file names and sonames of the wheel's own libraries */
	struct {
		size_t said, left_out;
		enum audit_result worst_left_out;
	} tally[AUDIT_CHECKS];
};
#define AUDIT_INIT                  \
	{                           \
		.arena = ARENA_INIT \
	}
void audit_release(struct audit *a);

/* Runs all checks. No I/O, no errors: what is wrong is a finding. `out` is AUDIT_INIT. */
void audit_run(const struct audit_wheel *w, const struct audit_site *site, struct audit *out);
/* The gravest result of a check, and of all. */
enum audit_result audit_result_of(const struct audit *a, enum audit_check c);
enum audit_result audit_worst(const struct audit *a);
/* "1✓ 2✓ 3! 4✓ 5✓ 6✓ 7? 8✗". */
void audit_line(const struct audit *a, struct buf *out);

/* For checks: adds a finding; member, avoids and remedy may be NULL. Everything is copied into the
 * audit's arena, cut at LIMIT_FINDING bytes, and shown as it can be printed: what is no UTF-8 and
 * control bytes become '?'. Of one check the first LIMIT_FINDINGS are kept, the others counted in
 * one more. */
void audit_say(struct audit *a, enum audit_check c, enum audit_result r, const char *member,
	const char *avoids, const char *remedy, const char *fmt, ...)
	__attribute__((format(printf, 7, 8)));

#endif

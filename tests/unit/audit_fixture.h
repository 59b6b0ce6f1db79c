/* Wheels, targets and torches for the audit, made of words: no files.
 *
 *	module	"demo/_C.so needed=libc.so.6,libm.so.6 versions=GLIBC_2.17 undefined=a,b
 *exported=PyInit__C toolkits=12.8.93 rpath=$ORIGIN soname=x.so
 *code=sm_80,sm_90a,compute_90/8.7,lto_90 machine=aarch64 format=pe relr unreadable" wheel
 *"version=0.2 name=demo requires=torch>=2.4 python=>=3.9 tags=... record=... purelib
 *unreadable-code"
 *	target	"python=3.12 platform=linux_x86_64 glibc=2.28 gpus=9.0,8.0 driver=535
 *torch=2.11.0+cu130" torch	"2.11.0+cu130 cuda=13.0 symbols=a,b libraries=libtorch.so" site
 *"closed provided=libcudart.so.12" */
#ifndef TESTS_AUDIT_FIXTURE_H
#define TESTS_AUDIT_FIXTURE_H

#include "verify/audit.h"

enum { AUDIT_CASE_MODULES = 6 };

struct audit_case {
	const char *what;
	const char *file;
	const char *modules[AUDIT_CASE_MODULES]; /* in this order */
	const char *wheel;                       /* NULL: what the file name says */
	const char *target;                      /* NULL: Python 3.12, linux_x86_64, glibc 2.28 */
	const char *torch;                       /* NULL: not at hand */
	const char *site;                        /* NULL: open, nothing provided */
	enum audit_check check;
	enum audit_result result;
	/* Between '|': each stands in the texts of one finding of that check and result. */
	const char *words;
};

/* Runs the audit; the caller releases it. */
void audit_case_run(struct arena *a, const struct audit_case *c, struct audit *out);
/* Runs it and compares; every finding must be complete. */
void audit_case_check(const struct audit_case *c);
void audit_cases_check(const struct audit_case *cases, size_t n);

#define AUDIT_CASES(cases) audit_cases_check(cases, sizeof(cases) / sizeof((cases)[0]))

#endif

/* What the checks of the audit share; for verify/audit.c and verify/check_*.c alone. */
#ifndef VERIFY_AUDIT_CHECKS_H
#define VERIFY_AUDIT_CHECKS_H

#include "verify/module_part.h"

#define CHECK(name, text, number, title, asks) \
	void check_##name(                     \
		const struct audit_wheel *w, const struct audit_site *site, struct audit *a);
#include "verify/checks.def"
#undef CHECK

/* The CUDA that the wheel has to fit: that of the target's torch, else what the target states.
 * False: neither is known. Major 0: none. */
bool site_cuda(const struct audit_site *site, struct cuda_version *out, bool *is_any_minor);
/* What is asked of it, for messages: "torch 2.15.0+cu130", or "the target". */
const char *site_torch_text(struct audit *a, const struct audit_site *site);
/* "lib/x.so" as audit_say wants it. */
const char *module_text(struct audit *a, const struct native_module *m);
/* Does the wheel itself bring a library of this soname? */
bool wheel_brings(const struct audit *a, struct str soname);
/* In a sorted array. */
bool is_among(const struct str *sorted, size_t n, struct str text);
/* The next module that the target loads: for (size_t i = 0; (m = next_used(w, a, &i));) */
const struct native_module *next_used(
	const struct audit_wheel *w, const struct audit *a, size_t *at);
/* What the local part of the file name's version says. */
struct variant;
void wheel_label(const struct audit_wheel *w, struct audit *a, struct variant *out);
/* "3.12", "3.13t" */
const char *target_text(struct audit *a, const struct target *t);

#endif

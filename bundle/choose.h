/* Which file of a project fits a target best. */
#ifndef BUNDLE_CHOOSE_H
#define BUNDLE_CHOOSE_H

#include "bundle/index.h"
#include "manifests/lock.h"
#include "manifests/tag.h"

/* A target with what is derived from it once. */
struct choose_target {
	const struct target *t;
	struct marker_env env;
	struct tag_list tags;
	struct version python; /* 3.Y.Z, for Requires-Python */
};
int choose_target_init(struct arena *a, const struct target *t, struct choose_target *out, struct err *e);

/* Does a Requires-Python text admit the target? Empty or unreadable text does, as for pip. */
bool choose_python_fits(const struct choose_target *t, struct str requires_python);

/* The best file of the page for the specifiers: a wheel by tag rank and build tag, else an sdist. *out is
 * NULL where none fits, and *why says what there is instead. Two versions that differ only in their local
 * label, both fitting: RC_AMBIGUOUS lists them. */
int choose_file(struct arena *a, const struct choose_target *t, const struct specifier_set *specifiers,
	const struct index_project *page, const struct index_file **out, struct str *why, struct err *e);

/* The newest version on the page that fits specifiers and target, as text; empty: none. */
struct str choose_newest(struct arena *a, const struct choose_target *t, const struct specifier_set *specifiers,
	const struct index_project *page);

#endif

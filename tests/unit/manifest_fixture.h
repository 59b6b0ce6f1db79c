/* A small manifest for tests: two files for target "one", one of them also for "two". */
#ifndef TESTS_MANIFEST_FIXTURE_H
#define TESTS_MANIFEST_FIXTURE_H

#include "manifests/manifest.h"

/* Files are sorted; texts[i] are the contents of file i. */
void manifest_fixture(struct manifest *m, const struct str **texts);

#endif

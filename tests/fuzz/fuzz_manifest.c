/* A manifest from anybody: what is taken is the one spelling of it, and its indexes and names are
 * safe. */
#include "manifests/base/vec.h"
#include "manifests/manifest.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_so)
{
	if (!is_so) {
		abort();
	}
}

static void check_target(const struct manifest *m, const struct manifest_target *t)
{
	require(manifest_target_of(m, t->target.name) == t);
	for (size_t i = 0; i < t->npicks; i++) {
		require(t->picks[i].file < m->nfiles && t->picks[i].use);
	}
	for (size_t i = 0; i < t->nrecipes; i++) {
		require(t->recipes[i].file < m->nfiles);
		for (size_t j = 0; j < t->recipes[i].nenvironment; j++) {
			require(t->recipes[i].environment[j] < m->nfiles);
		}
		manifest_is_compiled(t, t->recipes[i].file);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP_BUF struct buf again = BUF_INIT;
	struct str bytes = { (const char *)data, size };
	struct manifest m = MANIFEST_INIT;
	struct err e = ERR_INIT;

	if (manifest_read(bytes, &m, &e)) {
		require((e.rc == RC_BUNDLE_MANIFEST || e.rc == RC_BUNDLE_SPEC) && e.text[0]);
		return 0;
	}
	manifest_write(&m, &again);
	require(str_eq(bytes, buf_str(&again)));
	for (size_t i = 0; i < m.nfiles; i++) {
		require(dist_name_is_safe(m.files[i].file));
	}
	for (size_t i = 0; i < m.ntargets; i++) {
		check_target(&m, &m.targets[i]);
	}
	manifest_release(&m);
	return 0;
}

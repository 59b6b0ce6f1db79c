/* A JSON page of an index, from anybody. */
#include "bundle/index_page.h"
#include "manifests/base/uri.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_so)
{
	if (!is_so) {
		abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct index_page page;

	if (index_json_read(&a, (struct str){ (const char *)data, size }, "https://host/simple/x/",
		    &page, &e)) {
		require(e.rc == RC_INDEX && e.text[0]);
		arena_release(&a);
		return 0;
	}
	vec_each(struct index_file, f, &page.links) {
		require(index_is_dist_file(f->name.file));
		require(uri_scheme(str_of(f->url)).n && !strchr(f->url, '#'));
		require(f->has_metadata || !f->has_metadata_sha256);
	}
	require(page.is_index);
	index_page_release(&page);
	arena_release(&a);
	return 0;
}

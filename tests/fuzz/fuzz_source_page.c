/* Releases and a list of packages of a source, from anybody: the same bytes as either. */
#include "bundle/source_page.h"
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

static void read_as(index_page_reader *read, struct str text)
{
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct index_page page;

	if (read(&a, text, "https://host/list?page=1", &page, &e)) {
		require(e.rc == RC_INDEX && e.text[0]);
		arena_release(&a);
		return;
	}
	vec_each(struct index_file, f, &page.links) {
		require(index_is_dist_file(f->name.file));
		require(uri_scheme(str_of(f->url)).n && !strchr(f->url, '#'));
	}
	require(page.is_index);
	index_page_release(&page);
	arena_release(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = { (const char *)data, size };

	read_as(source_releases_read, text);
	read_as(source_manifest_read, text);
	return 0;
}

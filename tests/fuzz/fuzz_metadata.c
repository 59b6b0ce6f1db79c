/* The texts inside wheels and sdists, from anybody: METADATA and RECORD. */
#include "manifests/core_metadata.h"
#include "verify/record_csv.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_so)
{
	if (!is_so) {
		abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = { (const char *)data, size };
	struct core_metadata md;
	struct record_row *rows;
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	size_t n;

	if (core_metadata_parse(&a, text, &md, &e) == 0) {
		require(md.name.n && md.version.n);
	} else {
		require(e.rc == RC_WHEEL && e.text[0]);
	}
	err_clear(&e);
	if (record_csv_parse(&a, text, &rows, &n, &e) == 0) {
		for (size_t i = 0; i < n; i++) {
			require(rows[i].line > 0 && rows[i].path.n <= size);
		}
	} else {
		require(e.rc == RC_WHEEL && e.text[0]);
	}
	arena_release(&a);
	return 0;
}

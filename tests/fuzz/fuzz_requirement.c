/* Requirements with their specifiers and markers, and file names: one a line. What is taken means
 * the same when it is written and read again. */
#include "manifests/dist_name.h"
#include "manifests/name.h"
#include "manifests/requirement.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_so)
{
	if (!is_so) {
		abort();
	}
}

static void try_requirement(struct arena *a, struct str line)
{
	static const struct marker_env nowhere = { .nextras = 0 };
	CLEANUP_BUF struct buf once = BUF_INIT, twice = BUF_INIT;
	struct requirement r, again;
	struct err e = ERR_INIT;
	bool holds;

	if (requirement_parse(a, line, &r, &e)) {
		require(e.rc == RC_SYNTAX && e.text[0]);
		return;
	}
	requirement_format(&r, &once);
	require(requirement_parse(a, buf_str(&once), &again, &e) == 0);
	requirement_format(&again, &twice);
	require(str_eq(buf_str(&once), buf_str(&twice)));
	require(r.url.n == 0 || r.specifiers.n == 0);
	marker_eval(r.marker, &nowhere, r.extras, r.nextras);
	marker_decide(r.marker, &nowhere, r.extras, r.nextras, &holds, &e);
}

static void try_file_name(struct arena *a, struct str line)
{
	struct dist_name d;
	struct err e = ERR_INIT;

	if (dist_name_parse(a, line, &d, &e)) {
		require(e.rc == RC_INVALID && e.text[0]);
		return;
	}
	require(line.n <= 255 && d.file.n == line.n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = { (const char *)data, size }, line;
	struct arena a = ARENA_INIT;

	while (str_cut(&text, '\n', &line)) {
		try_requirement(&a, line);
		try_file_name(&a, line);
	}
	arena_release(&a);
	return 0;
}

#include "bundle/index_merge.h"
#include "tests/unit/unit.h"

#include <string.h>

enum { NO_SIZE = 0 };

struct twin {
	const char *source, *url;
	char hash; /* 0: none */
	uint64_t size;
};

static struct index_file link_of(const struct twin *t)
{
	struct index_file f = { .name = { .file = STR("x-1-py3-none-any.whl") },
		.url = t->url,
		.source = t->source,
		.has_sha256 = t->hash != 0,
		.has_size = t->size != NO_SIZE,
		.size = t->size };

	memset(f.sha256.b, t->hash, sizeof(f.sha256.b));
	return f;
}

static const struct {
	struct twin one, other;
	const char *url;      /* the one that stays */
	const char *conflict; /* NULL: they are one file */
} cases[] = {
	{ { "A", "a", 'h', 5 }, { "B", "b", 'h', 5 }, "a", NULL },
	{ { "A", "a", 'h', 5 }, { "B", "b", 'i', 5 }, "a", "B" },
	{ { "A", "a", 'h', NO_SIZE }, { "A", "b", 'i', NO_SIZE }, "a", "b" },
	/* Digests say more than sizes; sizes where there are none. */
	{ { "A", "a", 'h', 5 }, { "B", "b", 'h', 6 }, "a", NULL },
	{ { "A", "a", 0, 5 }, { "A", "b", 0, 6 }, "a", "b" },
	{ { "A", "a", 0, 5 }, { "A", "b", 0, 5 }, "a", NULL },
	{ { "A", "a", 0, NO_SIZE }, { "A", "b", 0, 6 }, "a", NULL },
	{ { "A", "a", 0, 5 }, { "A", "b", 'h', 5 }, "b", NULL },
	{ { "A", "a", 0, 5 }, { "A", "b", 'h', 6 }, "b", "b" },
};

UNIT(index_merge_twins)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena a = ARENA_INIT;
		struct index_merge m = { .a = &a, .project = STR("x") };
		struct index_page page = INDEX_PAGE_INIT;
		struct index_project project;

		vec_push(&page.links, link_of(&cases[i].one));
		vec_push(&page.links, link_of(&cases[i].other));
		index_merge_add(&m, &page, true);
		index_merge_end(&m, &project);
		ck_assert_msg(project.nfiles == 1, "%zu: %zu files", i, project.nfiles);
		ck_assert_msg(strcmp(project.files[0].url, cases[i].url) == 0, "%zu: %s", i,
			project.files[0].url);
		const char *conflict = project.files[0].conflict, *want = cases[i].conflict;
		ck_assert_msg(conflict ? want && strcmp(conflict, want) == 0 : !want, "%zu: %s", i,
			conflict ? conflict : "one file");
		struct err e = ERR_INIT;
		ck_assert_int_eq(
			index_check_file(&project.files[0], &e), conflict ? -(int)RC_AMBIGUOUS : 0);
		index_page_release(&page);
		arena_release(&a);
	}
}

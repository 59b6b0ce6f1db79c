#include "manifests/tag.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

static void tags_for(struct arena *a, const char *python, const char *platform, const char *glibc,
	const char *musl, struct tag_list *out)
{
	struct target_spec spec = { .name = STR("t"),
		.python = str_of(python),
		.platform = str_of(platform),
		.glibc = str_of(glibc),
		.musl = str_of(musl),
		.cxx11_abi = -1 };
	struct target target;
	struct err e = ERR_INIT;

	ck_assert_msg(target_make(a, &spec, &target, &e) == 0, "%s", e.text);
	tag_list_of(a, &target, out);
}

static int rank_of(struct arena *a, const struct tag_list *tags, const char *tag)
{
	struct dist_name wheel;
	struct err e = ERR_INIT;
	const char *file = arena_printf(a, "foo-1.0-%s.whl", tag);

	ck_assert_msg(dist_name_parse(a, str_of(file), &wheel, &e) == 0, "%s", e.text);
	return tag_rank(tags, &wheel);
}

UNIT(tag_list_lengths)
{
	static const struct {
		const char *python, *platform, *glibc, *musl;
		size_t n;
	} table[] = {
		{ "3.12", "linux_aarch64", "2.17", NULL, 96 }, /* three platforms */
		{ "3.13t", "linux_aarch64", "2.17", NULL, 103 },
		{ "3.13", "linux_aarch64", "2.17", NULL, 103 },
		{ "3.12", "win_amd64", NULL, NULL, 42 },
		{ "3.12", "linux_aarch64", "2.16", NULL, 42 }, /* older than any manylinux */
		{ "3.12", "linux_x86_64", "2.5", NULL, 96 },
		{ "3.12", "linux_x86_64", NULL, "1.1", 96 },
		{ "3.12.4", "linux_x86_64", "2.28", NULL, 771 }, /* 28 platforms */
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct arena a = ARENA_INIT;
		struct tag_list tags;

		tags_for(&a, table[i].python, table[i].platform, table[i].glibc, table[i].musl,
			&tags);
		ck_assert_msg(tags.n == table[i].n, "%s %s: %zu", table[i].python,
			table[i].platform, tags.n);
		arena_release(&a);
	}
}

static void ck_tag(const struct tag_list *tags, size_t at, const char *text)
{
	char got[128];

	ck_assert_uint_lt(at, tags->n);
	snprintf(got, sizeof(got), "%.*s-%.*s-%.*s", STR_ARG(tags->v[at].python),
		STR_ARG(tags->v[at].abi), STR_ARG(tags->v[at].platform));
	ck_assert_str_eq(got, text);
}

UNIT(tag_list_order_of_platforms)
{
	struct arena a = ARENA_INIT;
	struct tag_list tags;

	/* Each older policy behind its PEP 600 name, plain linux last. */
	tags_for(&a, "3.12", "linux_x86_64", "2.18", NULL, &tags);
	ck_tag(&tags, 0, "cp312-cp312-manylinux_2_18_x86_64");
	ck_tag(&tags, 1, "cp312-cp312-manylinux_2_17_x86_64");
	ck_tag(&tags, 2, "cp312-cp312-manylinux2014_x86_64");
	ck_tag(&tags, 3, "cp312-cp312-manylinux_2_16_x86_64");
	ck_tag(&tags, 7, "cp312-cp312-manylinux_2_12_x86_64");
	ck_tag(&tags, 8, "cp312-cp312-manylinux2010_x86_64");
	ck_tag(&tags, 15, "cp312-cp312-manylinux_2_5_x86_64");
	ck_tag(&tags, 16, "cp312-cp312-manylinux1_x86_64");
	ck_tag(&tags, 17, "cp312-cp312-linux_x86_64");
	ck_tag(&tags, 18, "cp312-abi3-manylinux_2_18_x86_64");

	tags_for(&a, "3.12", "linux_x86_64", NULL, "1.2", &tags);
	ck_tag(&tags, 0, "cp312-cp312-musllinux_1_2_x86_64");
	ck_tag(&tags, 2, "cp312-cp312-musllinux_1_0_x86_64");
	ck_tag(&tags, 3, "cp312-cp312-linux_x86_64");
	arena_release(&a);
}

UNIT(tag_list_order_of_abis)
{
	static const struct {
		const char *python;
		const char *first[4], *last[4]; /* on the one platform of Windows */
	} table[] = {
		{ "3.12",
			{ "cp312-cp312-win_amd64", "cp312-abi3-win_amd64", "cp312-none-win_amd64",
				"cp311-abi3-win_amd64" },
			{ "py33-none-any", "py32-none-any", "py31-none-any", "py30-none-any" } },
		{ "3.13t",
			{ "cp313-cp313t-win_amd64", "cp313-abi3t-win_amd64", "cp313-none-win_amd64",
				"cp312-abi3t-win_amd64" },
			{ "py33-none-any", "py32-none-any", "py31-none-any", "py30-none-any" } },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct arena a = ARENA_INIT;
		struct tag_list tags;

		tags_for(&a, table[i].python, "win_amd64", NULL, NULL, &tags);
		for (size_t k = 0; k < 4; k++) {
			ck_tag(&tags, k, table[i].first[k]);
			ck_tag(&tags, tags.n - 4 + k, table[i].last[k]);
		}
		arena_release(&a);
	}
}

UNIT(tag_list_order_of_pure_python)
{
	struct arena a = ARENA_INIT;
	struct tag_list tags;

	tags_for(&a, "3.8", "win_amd64", NULL, NULL, &tags);
	ck_tag(&tags, 8, "cp32-abi3-win_amd64");
	ck_tag(&tags, 9, "py38-none-win_amd64");
	ck_tag(&tags, 10, "py3-none-win_amd64");
	ck_tag(&tags, 11, "py37-none-win_amd64");
	ck_tag(&tags, 18, "py30-none-win_amd64");
	ck_tag(&tags, 19, "cp38-none-any");
	ck_tag(&tags, 20, "py38-none-any");
	ck_tag(&tags, 21, "py3-none-any");
	ck_tag(&tags, 22, "py37-none-any");
	arena_release(&a);
}

/* What a described machine accepts: glibc 2.28, CPython 3.11. */
UNIT(tag_rank_tells_what_fits)
{
	static const struct {
		const char *tag;
		bool fits;
	} table[] = {
		{ "cp311-cp311-manylinux_2_28_x86_64", true },
		{ "cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64", true },
		{ "cp311-cp311-manylinux_2_5_x86_64.manylinux1_x86_64", true },
		{ "cp311-cp311-manylinux2010_x86_64", true },
		{ "cp311-cp311-linux_x86_64", true },
		{ "py39-none-manylinux_2_28_x86_64", true },
		{ "cp38-abi3-manylinux1_x86_64", true },
		{ "py2.py3-none-manylinux_2_17_x86_64", true },
		{ "py2.py3-none-any", true },
		{ "CP311-CP311-LINUX_X86_64", true },
		{ "cp310.cp311-cp310.cp311-manylinux_2_28_x86_64", true },
		{ "cp311-none-any", true },
		{ "cp39-none-linux_x86_64", false },
		{ "cp310-cp310-manylinux_2_28_x86_64", false },
		{ "cp312-abi3-manylinux_2_28_x86_64", false },
		{ "cp311-cp311-manylinux_2_31_x86_64", false },
		{ "cp311-cp311-musllinux_1_2_x86_64", false },
		{ "cp311-cp311-manylinux_2_28_aarch64", false },
		{ "cp311-cp311-win_amd64", false },
		{ "cp311-abi3t-manylinux_2_28_x86_64", false },
		{ "cp311-cp311-any", false },
		{ "py2-none-any", false },
		{ "py312-none-any", false },
		{ "pp311-pypy311_pp73-manylinux_2_28_x86_64", false },
	};
	struct arena a = ARENA_INIT;
	struct tag_list tags;

	tags_for(&a, "3.11", "linux_x86_64", "2.28", NULL, &tags);
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		ck_assert_msg((rank_of(&a, &tags, table[i].tag) >= 0) == table[i].fits, "%s",
			table[i].tag);
	}
	arena_release(&a);
}

UNIT(tag_rank_prefers_the_closest)
{
	static const char *const best_first[] = {
		"cp312-cp312-manylinux_2_28_x86_64",
		"cp312-cp312-manylinux_2_17_x86_64.manylinux2014_x86_64",
		"cp312-cp312-manylinux2014_x86_64",
		"cp312-cp312-linux_x86_64",
		"cp312-abi3-manylinux_2_17_x86_64",
		"cp39-abi3-manylinux_2_28_x86_64",
		"py3-none-manylinux_2_28_x86_64",
		"cp312-none-any",
		"py3-none-any",
		"py38-none-any",
	};
	struct arena a = ARENA_INIT;
	struct tag_list tags;
	int last = -1;

	tags_for(&a, "3.12", "linux_x86_64", "2.28", NULL, &tags);
	ck_assert_int_eq(rank_of(&a, &tags, best_first[0]), 0);
	for (size_t i = 0; i < sizeof(best_first) / sizeof(best_first[0]); i++) {
		int rank = rank_of(&a, &tags, best_first[i]);

		ck_assert_msg(rank > last, "%s: %d after %d", best_first[i], rank, last);
		last = rank;
	}
	arena_release(&a);
}

/* abi3 is not for builds without the lock (PEP 703). */
UNIT(tag_rank_free_threaded)
{
	struct arena a = ARENA_INIT;
	struct tag_list tags;

	tags_for(&a, "3.14t", "linux_aarch64", "2.34", NULL, &tags);
	ck_assert_int_eq(rank_of(&a, &tags, "cp314-cp314t-manylinux_2_34_aarch64"), 0);
	ck_assert_int_eq(rank_of(&a, &tags, "cp314-cp314-manylinux_2_34_aarch64"), -1);
	ck_assert_int_eq(rank_of(&a, &tags, "cp39-abi3-manylinux_2_34_aarch64"), -1);
	ck_assert_int_ge(rank_of(&a, &tags, "cp39-abi3.abi3t-manylinux_2_34_aarch64"), 0);
	ck_assert_int_ge(rank_of(&a, &tags, "py3-none-any"), 0);
	arena_release(&a);
}

/* The index of tags finds each one under its own rank. */
UNIT(tag_rank_of_every_tag)
{
	struct arena a = ARENA_INIT;
	struct tag_list tags;

	tags_for(&a, "3.15", "linux_x86_64", "2.99", NULL, &tags);
	for (size_t i = 0; i < tags.n; i++) {
		struct dist_name wheel = { .python = tags.v[i].python,
			.abi = tags.v[i].abi,
			.platform = tags.v[i].platform };

		ck_assert_int_eq(tag_rank(&tags, &wheel), (int)i);
	}
	arena_release(&a);
}

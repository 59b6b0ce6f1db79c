#include "bundle/torch_match.h"
#include "tests/unit/unit.h"

static const struct {
	const char *cuda, *torch, *file, *why; /* why: "" where it fits */
} rows[] = {
	{ "12.8", "2.8.0+cu128", "x-1.0+cu12torch2.8-py3-none-any.whl", "" },
	{ "12.8", "2.8.0+cu128", "x-1.0+cu12torch2.9-py3-none-any.whl",
		"built for torch 2.9, the target has 2.8.0+cu128" },
	{ NULL, "2.8.0+cu128", "x-1.0+cu12torch2.8-py3-none-any.whl", "" },
	{ NULL, "2.8.0+cu128", "x-1.0+cu126torch2.8-py3-none-any.whl", "built for CUDA 12.6" },
	{ NULL, "2.8.0+cpu", "x-1.0+cu126torch2.8-py3-none-any.whl", "built for CUDA 12.6" },
	{ NULL, "2.6.0+cu126", "x-1.0+cu12torch2.6cxx11abiTRUE-py3-none-any.whl", "" },
	{ NULL, "2.6.0+cu124", "x-1.0+cu12torch2.6cxx11abiTRUE-py3-none-any.whl", "C++11 ABI" },
	{ "12.8", "2.11.0+cu128", "x-1.0+cu128torch2.9.0andhigher-py3-none-any.whl", "" },
	{ "12.8", "2.8.0+cu128", "x-1.0+cu128torch2.9.0andhigher-py3-none-any.whl",
		"2.9.0 or higher" },
	{ "12.8", "2.10.0+cu128", "x-1.0+torch210cu128-py3-none-any.whl", "does not tell which" },
	/* What says nothing of torch is not judged here at all. */
	{ "12.8", "2.8.0+cu128", "x-1.0+cu126-py3-none-any.whl", "" },
	{ "12.8", "2.8.0+cu128", "x-1.0-py3-none-any.whl", "" },
	{ "12.8", "2.8.0+cu128", "x-1.0.tar.gz", "" },
};

UNIT(torch_match_rows)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct arena a = ARENA_INIT;
		struct err e = ERR_INIT;
		struct target_spec spec = { .name = STR("t"),
			.python = STR("3.12"),
			.platform = STR("linux_x86_64"),
			.glibc = STR("2.28"),
			.cuda = str_of(rows[i].cuda),
			.cxx11_abi = -1 };
		struct index_file f = { .source = "test" };
		struct target t;
		struct version torch;
		struct str why = STR_NULL;

		ck_assert_int_eq(target_make(&a, &spec, &t, &e), 0);
		ck_assert_int_eq(version_parse(&a, str_of(rows[i].torch), &torch, &e), 0);
		ck_assert_int_eq(dist_name_parse(&a, str_of(rows[i].file), &f.name, &e), 0);
		bool fits = torch_match(&f, VARIANT_TORCH_ANY, &t, &torch, &a, &why);
		ck_assert_msg(fits == (rows[i].why[0] == '\0'), "%s, torch %s: %.*s", rows[i].file,
			rows[i].torch, STR_ARG(why));
		ck_assert_msg(
			fits || str_has(why, rows[i].why), "%s: %.*s", rows[i].file, STR_ARG(why));
		arena_release(&a);
	}
}

UNIT(torch_match_of_a_file_without_torch)
{
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct index_file f = { .source = "test" };

	ck_assert_int_eq(
		dist_name_parse(&a, STR("x-1.0+cu12torch2.9-py3-none-any.whl"), &f.name, &e), 0);
	ck_assert(torch_is_said(&f, VARIANT_TORCH_ANY));
	f.is_torch_free = true; /* its source says so: the label is for show */
	ck_assert(!torch_is_said(&f, VARIANT_TORCH_ANY));
	arena_release(&a);
}

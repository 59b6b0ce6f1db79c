#include "manifests/target_text.h"
#include "tests/unit/unit.h"

#include <string.h>

#define VALID                                                                                \
	{                                                                                    \
		.name = STR("h100"), .python = STR("3.12"), .platform = STR("linux_x86_64"), \
		.glibc = STR("2.28"), .cxx11_abi = -1                                        \
	}

UNIT(target_torch_says_cuda_and_abi)
{
	static const struct {
		const char *platform, *torch;
		bool is_known;
		unsigned major, minor;
		int abi;
	} table[] = {
		{ "linux_x86_64", "2.11.0+cu130", true, 13, 0, 1 },
		{ "linux_x86_64", "2.7.0+cu118", true, 11, 8, 1 },
		{ "linux_x86_64", "2.6.0+cu118", true, 11, 8, 0 },
		{ "linux_x86_64", "2.6.0+cu124", true, 12, 4, 0 },
		{ "linux_x86_64", "2.6.0+cu126", true, 12, 6, 1 },
		{ "linux_x86_64", "2.6.0+rocm6.2.4", true, 0, 0, 1 },
		{ "linux_x86_64", "2.6.0+xpu", true, 0, 0, 1 },
		{ "linux_x86_64", "2.6.0+cpu", true, 0, 0, -1 },
		{ "linux_x86_64", "2.6.0", false, 0, 0, -1 }, /* which build? */
		{ "linux_aarch64", "2.6.0", false, 0, 0, 1 },
		{ "linux_x86_64", "2.5.1+cu124", true, 12, 4, 0 },
		{ "linux_x86_64", "2.5.1", false, 0, 0, 0 },
		{ "linux_x86_64", "2.5.1+cpu.cxx11.abi", true, 0, 0, 1 },
		{ "linux_x86_64", "2.5.1+mine", false, 0, 0, -1 },
		{ "linux_aarch64", "2.5.1", false, 0, 0, -1 },
		{ "linux_x86_64", "2.8.0", false, 0, 0, 1 },
		{ "linux_x86_64", "2.8.0+cpu", true, 0, 0, 1 },
		{ "linux_x86_64", "2.5.0a0+e000cf0ad9.nv24.10", false, 0, 0, 1 },
		{ "linux_x86_64", "2.7.0.dev20250101+cu126", true, 12, 6, -1 },
		{ "linux_x86_64", "1.7.1+cu92", true, 9, 2, 0 },
		{ "linux_x86_64", "2.11.0+CU130", true, 13, 0, 1 },
		{ "linux_x86_64", "2.11.0+cu1300", false, 0, 0, 1 },
		{ "win_amd64", "2.8.0+cu128", true, 12, 8, -1 },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct target_spec spec = VALID;
		struct arena a = ARENA_INIT;
		struct err e = ERR_INIT;
		struct target t;

		spec.platform = str_of(table[i].platform);
		spec.torch = str_of(table[i].torch);
		spec.glibc = str_starts(spec.platform, "win") ? STR_NULL : spec.glibc;
		ck_assert_msg(target_make(&a, &spec, &t, &e) == 0, "%s", e.text);
		ck_assert_msg(t.is_cuda_known == table[i].is_known &&
				      t.cuda.major == table[i].major &&
				      t.cuda.minor == table[i].minor && t.cxx11_abi == table[i].abi,
			"%s: CUDA %d %u.%u, ABI %d", table[i].torch, t.is_cuda_known, t.cuda.major,
			t.cuda.minor, t.cxx11_abi);
		arena_release(&a);
	}
}

UNIT(target_given_values_must_fit_torch)
{
	static const struct {
		const char *torch, *cuda;
		int abi;
		const char *says; /* "": fine */
		unsigned cuda_major;
		int got_abi;
	} table[] = {
		{ "2.11.0+cu130", "13.0", -1, "", 13, 1 },
		{ "2.11.0+cu130", "12.8", -1, "torch 2.11.0+cu130 is built for CUDA 13.0", 0, 0 },
		{ "2.11.0+cu130", "12", -1, "torch 2.11.0+cu130 is built for CUDA 13.0", 0, 0 },
		{ "2.11.0+cu130", "none", -1, "built for CUDA 13.0", 0, 0 },
		{ "2.8.0+cpu", "12.8", -1, "torch 2.8.0+cpu is built without CUDA", 0, 0 },
		{ "2.8.0+cpu", "none", -1, "", 0, 1 },
		{ "2.8.0", "12.8", -1, "", 12, 1 },
		{ "", "12.6", 1, "", 12, 1 },
		{ "2.6.0", "12.4", 0, "", 12, 0 },
		{ "2.6.0", "12.4", 1, "", 12, 1 },
		{ "2.6.0", "12.4", -1, "", 12, 0 },
		{ "2.6.0", "12.6", -1, "", 12, 1 },
		{ "2.6.0", "12", -1, "", 12, -1 },
		{ "2.6.0", "none", -1, "", 0, -1 },
		{ "2.6.0+cu124", "", 1, "cxx11_abi true: torch 2.6.0+cu124 is built with false", 0,
			0 },
		{ "2.6.0+cu124", "", 0, "", 12, 0 },
		{ "2.5.1", "", 1, "", 0, 1 }, /* no label: whoever built it knows */
		{ "2.5.0a0+e000cf0ad9.nv24.10", "12.6", -1, "", 12, 1 },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct target_spec spec = VALID;
		struct arena a = ARENA_INIT;
		struct err e = ERR_INIT;
		struct target t;

		spec.torch = str_of(table[i].torch);
		spec.cuda = str_of(table[i].cuda);
		spec.cxx11_abi = table[i].abi;
		int rc = target_make(&a, &spec, &t, &e);
		ck_assert_msg((rc == 0) == (table[i].says[0] == '\0'), "%zu: %s", i, e.text);
		ck_assert_msg(strstr(e.text, table[i].says) != NULL, "%s", e.text);
		if (rc == 0) {
			ck_assert_uint_eq(t.cuda.major, table[i].cuda_major);
			ck_assert_int_eq(t.cxx11_abi, table[i].got_abi);
		}
		arena_release(&a);
	}
}

UNIT(target_cuda_in_every_spelling)
{
	static const struct {
		const char *torch, *cuda;
		unsigned major, minor;
		bool is_any_minor;
	} table[] = {
		{ "", "13.0", 13, 0, false },
		{ "", "130", 13, 0, false },
		{ "", "cu130", 13, 0, false },
		{ "", "CU130", 13, 0, false },
		{ "", "cuda12.8", 12, 8, false },
		{ "", "13.0.88", 13, 0, false },
		{ "", "12.8.1", 12, 8, false },
		{ "", "cu118", 11, 8, false },
		{ "", "9.2", 9, 2, false },
		{ "", "92", 9, 2, false },
		{ "", "cu92", 9, 2, false },
		{ "", "13", 13, 0, true },
		{ "", "cu13", 13, 0, true },
		{ "", "9", 9, 0, true },
		{ "", "none", 0, 0, false },
		{ "2.8.0", "12", 12, 0, true },
		{ "2.8.0+cu128", "12", 12, 8, false }, /* torch is more exact */
		{ "2.8.0+cu128", "cu128", 12, 8, false },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct target_spec spec = VALID;
		struct arena a = ARENA_INIT;
		struct err e = ERR_INIT;
		struct target t;

		spec.torch = str_of(table[i].torch);
		spec.cuda = str_of(table[i].cuda);
		ck_assert_msg(target_make(&a, &spec, &t, &e) == 0, "%s", e.text);
		ck_assert_msg(t.is_cuda_known && t.cuda.major == table[i].major &&
				      t.cuda.minor == table[i].minor &&
				      t.is_any_cuda_minor == table[i].is_any_minor,
			"%s: %u.%u, any minor: %d", table[i].cuda, t.cuda.major, t.cuda.minor,
			t.is_any_cuda_minor);
		arena_release(&a);
	}
}

/* The manifest's text of a target says the same again. */
UNIT(target_cuda_comes_back_from_json)
{
	static const char *const table[] = { "13", "12.8", "none", "" };

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct target_spec spec = VALID;
		CLEANUP_JSON struct json *document = NULL;
		CLEANUP_BUF struct buf text = BUF_INIT;
		struct arena a = ARENA_INIT;
		struct err e = ERR_INIT;
		struct target t, again;
		struct json_out o;

		spec.cuda = str_of(table[i]);
		ck_assert_msg(target_make(&a, &spec, &t, &e) == 0, "%s", e.text);
		json_out_init(&o, &text, true);
		json_begin_object(&o);
		target_put_json(&t, &o);
		json_end_object(&o);
		ck_assert_int_eq(json_parse(buf_str(&text), &document, &e), 0);
		ck_assert_msg(target_from_json(&a, document, &again, &e) == 0, "%s", e.text);
		ck_assert(again.cuda.major == t.cuda.major && again.cuda.minor == t.cuda.minor);
		ck_assert(again.is_any_cuda_minor == t.is_any_cuda_minor &&
			  again.is_cuda_known == t.is_cuda_known);
		arena_release(&a);
	}
}

UNIT(target_torch_kind_tells_releases_from_containers)
{
	static const struct {
		const char *torch;
		enum torch_kind kind;
	} table[] = {
		{ "", TORCH_UNSAID },
		{ "2.11.0", TORCH_RELEASE },
		{ "2.11.0+cu130", TORCH_RELEASE },
		{ "2.11.0.post1", TORCH_RELEASE },
		{ "2.11.0rc3+cu130", TORCH_PRERELEASE },
		{ "2.12.0.dev20260401+cu130", TORCH_PRERELEASE },
		{ "2.11.0a0+nightly", TORCH_PRERELEASE },
		{ "2.5.0a0+e000cf0ad9.nv24.10", TORCH_CONTAINER },
		{ "2.7.0a0+79aa17489c.nv25.04", TORCH_CONTAINER },
		{ "2.8.0a0+5228986c39.nv25.5", TORCH_CONTAINER },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct target_spec spec = VALID;
		struct arena a = ARENA_INIT;
		struct err e = ERR_INIT;
		struct target t;

		spec.torch = str_of(table[i].torch);
		ck_assert_msg(target_make(&a, &spec, &t, &e) == 0, "%s", e.text);
		ck_assert_msg(target_torch_kind(&t) == table[i].kind, "%s", table[i].torch);
		arena_release(&a);
	}
}

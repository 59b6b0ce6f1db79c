#include "manifests/version.h"
#include "manifests/limits.h"
#include "tests/unit/unit.h"

#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static struct version version_of(struct arena *a, const char *text)
{
	struct err e = ERR_INIT;
	struct version v = { .nrelease = 0 };

	ck_assert_msg(version_parse(a, str_of(text), &v, &e) == 0, "%s", e.text);
	return v;
}

UNIT(version_normal_form)
{
	static const struct {
		const char *text, *normal, *public, *local;
	} cases[] = {
		{ "1.0", "1.0", "1.0", "" },
		{ "0", "0", "0", "" },
		{ "v1.0", "1.0", "1.0", "" },
		{ "V1", "1", "1", "" },
		{ " \t1.0\n", "1.0", "1.0", "" },
		{ "01.02.003", "1.2.3", "1.2.3", "" },
		{ "1!2.0", "1!2.0", "1!2.0", "" },
		{ "0!2", "2", "2", "" },
		{ "1.0a", "1.0a0", "1.0a0", "" },
		{ "1.0.alpha.7", "1.0a7", "1.0a7", "" },
		{ "1.0-BETA_2", "1.0b2", "1.0b2", "" },
		{ "1.0c3", "1.0rc3", "1.0rc3", "" },
		{ "1.0pre4", "1.0rc4", "1.0rc4", "" },
		{ "1.0preview", "1.0rc0", "1.0rc0", "" },
		{ "1.0-1", "1.0.post1", "1.0.post1", "" },
		{ "1.0.r5", "1.0.post5", "1.0.post5", "" },
		{ "1.0-rev", "1.0.post0", "1.0.post0", "" },
		{ "1.0post_2", "1.0.post2", "1.0.post2", "" },
		{ "1.0dev", "1.0.dev0", "1.0.dev0", "" },
		{ "1.0rc1.post2.dev3+cu128", "1.0rc1.post2.dev3+cu128", "1.0rc1.post2.dev3",
			"cu128" },
		/* The separator belongs to the word before it. */
		{ "1.0a-1", "1.0a1", "1.0a1", "" },
		{ "1.0a--1", "1.0a0.post1", "1.0a0.post1", "" },
		{ "1.0a.", "1.0a0", "1.0a0", "" },
		{ "1.0.post-", "1.0.post0", "1.0.post0", "" },
		{ "1.0a.dev2", "1.0a0.dev2", "1.0a0.dev2", "" },
		{ "0.14.2-4", "0.14.2.post4", "0.14.2.post4", "" },
		{ "2.8.3+cu12torch2.8cxx11abiTRUE", "2.8.3+cu12torch2.8cxx11abitrue", "2.8.3",
			"cu12torch2.8cxx11abitrue" },
		{ "1.0+AZ.az.09", "1.0+az.az.9", "1.0", "az.az.9" },
		{ "1.0+CU12_torch-002", "1.0+cu12.torch.2", "1.0", "cu12.torch.2" },
		{ "2.8.0a0+5228986c39.nv25.5", "2.8.0a0+5228986c39.nv25.5", "2.8.0a0",
			"5228986c39.nv25.5" },
		{ "1.18446744073709551615", "1.18446744073709551615", "1.18446744073709551615",
			"" },
	};
	struct arena a = ARENA_INIT;

	for (size_t i = 0; i < LENGTH(cases); i++) {
		CLEANUP_BUF struct buf normal = BUF_INIT, public = BUF_INIT, local = BUF_INIT;
		struct version v = version_of(&a, cases[i].text);

		version_format(&v, &normal);
		version_format_public(&v, &public);
		version_format_local(&v, &local);
		ck_assert(str_is(buf_str(&normal), cases[i].normal));
		ck_assert(str_is(buf_str(&public), cases[i].public));
		ck_assert(str_is(buf_str(&local), cases[i].local));
	}
	arena_release(&a);
}

UNIT(version_keeps_the_text_and_the_parts)
{
	struct arena a = ARENA_INIT;
	char text[] = " V1!2.0.3RC4-5.dev6+Cu128.7 ";
	struct version v = version_of(&a, text);

	memset(text, 'x', sizeof(text) - 1); /* nothing points into the caller's bytes */
	ck_assert(str_is(v.raw, "V1!2.0.3RC4-5.dev6+Cu128.7"));
	ck_assert(v.epoch == 1 && v.nrelease == 3);
	ck_assert(v.release[0] == 2 && v.release[1] == 0 && v.release[2] == 3);
	ck_assert(v.pre == VERSION_RC && v.pre_number == 4);
	ck_assert(v.has_post && v.post == 5 && v.has_dev && v.dev == 6);
	ck_assert(v.nlocal == 2 && str_is(v.local[0].text, "cu128"));
	ck_assert(v.local[1].text.n == 0 && v.local[1].number == 7);
	arena_release(&a);
}

static const char *const version_refusals_rows[] = {
	"",
	" ",
	"v",
	"vv1",
	"v 1",
	"a",
	"1.",
	".1",
	"1..0",
	"1.0.x",
	"1 0",
	"1.0 a",
	"1!",
	"!1",
	"1!v2",
	"1!2!3",
	"-1",
	"1,0",
	"1.*",
	"1.0--1",
	"1.0.-1",
	"1.0_1",
	"1.0+",
	"1.0+.a",
	"1.0+a..b",
	"1.0+a.",
	"1.0+a+b",
	"1.0 +a",
	"1.0+a b",
	"1.0a1b2",
	"1.0.dev1a1",
	"1.0.dev1.post1",
	"1.0.post1a1",
	"1.0.post1.post2",
	"1.0alp",
	"1.0rc1rc1",
	"18446744073709551616",
	"1.18446744073709551616",
	"18446744073709551616!1",
	"1a18446744073709551616",
	"1.post18446744073709551616",
	"1-18446744073709551616",
	"1.dev99999999999999999999999",
	"1+18446744073709551616",
	"1.0+caf\xc3\xa9",
	"\xd9\xa1",
};

UNIT(version_refusals)
{
	struct arena a = ARENA_INIT;

	for (size_t i = 0; i < LENGTH(version_refusals_rows); i++) {
		struct err e = ERR_INIT;
		struct version v = { .epoch = 77 };

		ck_assert_msg(
			version_parse(&a, str_of(version_refusals_rows[i]), &v, &e) == -RC_INVALID,
			"\"%s\"", version_refusals_rows[i]);
		ck_assert(v.epoch == 77);
		ck_assert(e.rc == RC_INVALID && strncmp(e.text, "version \"", 9) == 0);
	}
	struct err e = ERR_INIT;
	struct version v;
	ck_assert(version_parse(&a, (struct str){ "1.0\0", 4 }, &v, &e) == -RC_INVALID);
	ck_assert(version_parse(&a, STR_NULL, &v, &e) == -RC_INVALID);
	arena_release(&a);
}

UNIT(version_length_is_limited)
{
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct version v;
	char text[LIMIT_VERSION + 1];

	for (size_t i = 0; i < sizeof(text); i++) {
		text[i] = i % 2 ? '.' : '1';
	}
	text[LIMIT_VERSION - 1] = '1'; /* ...1.11 */
	ck_assert(version_parse(&a, (struct str){ text, LIMIT_VERSION }, &v, &e) == 0);
	ck_assert_uint_eq(v.nrelease, LIMIT_VERSION / 2);
	ck_assert(version_parse(&a, (struct str){ text, sizeof(text) }, &v, &e) == -RC_INVALID);
	ck_assert_str_eq(e.text,
		"version \"1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1....\": longer than 256 bytes");
	arena_release(&a);
}

UNIT(version_error_names_the_fault)
{
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct version v;

	ck_assert(version_parse(&a, STR("1.0rc1.x"), &v, &e) == -RC_INVALID);
	ck_assert_str_eq(e.text, "version \"1.0rc1.x\": PEP 440 has no place for \".x\"");
	arena_release(&a);
}

/* Lowest first; texts of one row are equal. */
static const char *const ordered[][4] = {
	{ "0.dev0", "0.0.0.dev" },
	{ "0", "0.0" },
	{ "1.0.dev1" },
	{ "1.0.dev1+x" },
	{ "1.0.dev2" },
	{ "1.0a1.dev1" },
	{ "1.0a1", "1.0alpha1", "1a1" },
	{ "1.0a1.post1.dev1" },
	{ "1.0a1.post1" },
	{ "1.0a2" },
	{ "1.0b2", "1.0.0.b-2" },
	{ "1.0rc1", "1.0c1", "1.0pre1" },
	{ "1.0", "1", "1.0.0", "v1.0" },
	{ "1.0+abc", "1+ABC" },
	{ "1.0+abc.5", "1.0+abc_05" },
	{ "1.0+cpu" },
	{ "1.0+cu118" },
	{ "1.0+cu12torch2.10cxx11abitrue" },
	{ "1.0+cu12torch2.8cxx11abifalse", "1.0+cu12torch2.8cxx11abiFALSE" },
	{ "1.0+cu130" },
	{ "1.0+cu92" },
	{ "1.0+5" },
	{ "1.0+5.a" },
	{ "1.0+5.0" },
	{ "1.0+10" },
	{ "1.0.post0.dev1" },
	{ "1.0.post0", "1.0.post", "1.0-0" },
	{ "1.0.post1.dev1" },
	{ "1.0.post1", "1.0-1" },
	{ "1.0.post1+a" },
	{ "1.0.0.1" },
	{ "1.1" },
	{ "1.10" },
	{ "1.20240101" },
	{ "2" },
	{ "1!0.1" },
	{ "2!0.dev0" },
};

UNIT(version_total_order)
{
	struct arena a = ARENA_INIT;

	for (size_t i = 0; i < LENGTH(ordered); i++) {
		for (size_t k = 0; k < LENGTH(ordered); k++) {
			for (size_t n = 0; n < 16; n++) {
				const char *left = ordered[i][n / 4], *right = ordered[k][n % 4];

				if (!left || !right) {
					continue;
				}
				struct version x = version_of(&a, left), y = version_of(&a, right);
				int order = version_cmp(&x, &y);
				ck_assert_msg((order > 0) - (order < 0) == (i > k) - (i < k),
					"%s %s", left, right);
			}
		}
	}
	arena_release(&a);
}

UNIT(version_public_order_ignores_local)
{
	struct arena a = ARENA_INIT;
	struct version cu128 = version_of(&a, "2.8.0+cu128"), plain = version_of(&a, "2.8");
	struct version next = version_of(&a, "2.8.1+a");

	ck_assert_int_eq(version_cmp_public(&cu128, &plain), 0);
	ck_assert_int_gt(version_cmp(&cu128, &plain), 0);
	ck_assert_int_lt(version_cmp_public(&cu128, &next), 0);
	arena_release(&a);
}

UNIT(version_prereleases)
{
	static const char *const pre[] = { "1.0a1", "1.0b1", "1.0rc1", "1.0.dev1", "1.0.post1.dev1",
		"1.0a1.post1", "2.8.0a0+nv25" };
	static const char *const final[] = { "1.0", "1.0.post1", "1.0+dev", "1!1" };
	struct arena a = ARENA_INIT;

	for (size_t i = 0; i < LENGTH(pre); i++) {
		struct version v = version_of(&a, pre[i]);

		ck_assert_msg(version_is_prerelease(&v), "%s", pre[i]);
	}
	for (size_t i = 0; i < LENGTH(final); i++) {
		struct version v = version_of(&a, final[i]);

		ck_assert_msg(!version_is_prerelease(&v), "%s", final[i]);
	}
	arena_release(&a);
}

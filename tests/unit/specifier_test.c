#include "manifests/specifier.h"
#include "tests/unit/unit.h"

#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static struct specifier_set specifier_set_of(struct arena *a, const char *text)
{
	struct err e = ERR_INIT;
	struct specifier_set set = { .n = 0 };

	ck_assert_msg(specifier_parse(a, str_of(text), &set, &e) == 0, "%s", e.text);
	return set;
}

static bool does_contain(const char *specifiers, const char *version)
{
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct specifier_set set = specifier_set_of(&a, specifiers);
	struct version v;

	ck_assert_msg(version_parse(&a, str_of(version), &v, &e) == 0, "%s", e.text);
	bool is_in = specifier_contains(&set, &v);
	arena_release(&a);
	return is_in;
}

static const struct {
	const char *specifiers;
	const char *in[8], *out[8];
} specifier_operators_rows[] = {
	{ "", { "1.0", "0.dev0", "1.0+a" }, { NULL } },
	{ " , ,", { "1.0" }, { NULL } },
	/* == : the candidate's local part counts only where the specifier has one. */
	{ "==2.9.0", { "2.9", "2.9.0+cu128", "2.9.0.0" }, { "2.9.1", "2.9.0.post1", "2.9rc1" } },
	{ "==2.9+cu128", { "2.9.0+cu128", "2.9+CU128" }, { "2.9.0", "2.9.0+cu130" } },
	{ "!=2.9.0", { "2.9.1", "2.9.0.post1", "2.9.0a1" }, { "2.9", "2.9.0+cu128" } },
	{ "!=2.9+cu128", { "2.9", "2.9+cu130" }, { "2.9.0+cu128" } },
	{ "== 1.0a-1", { "1.0a1" }, { "1.0" } },
	/* == X.* : a prefix of the release, padded with zeros. */
	{ "==1.13.*", { "1.13", "1.13.1+cu117", "1.13a1", "1.13.dev0", "1.13.5.post1" },
		{ "1.14.dev0", "1.130", "1!1.13", "1" } },
	{ "==1.0.*", { "1", "1.0.7", "1rc1" }, { "1.1", "2.0" } },
	{ "!=1.5.*", { "1.4", "1.6.dev0", "1!1.5" }, { "1.5", "1.5.9+x", "1.5a0" } },
	{ "==1!2.*", { "1!2.3" }, { "2.3" } },
	{ "==18446744073709551615.*", { "18446744073709551615.1" }, { "1" } },
	/* <= and >= */
	{ "<=2.8.0", { "2.8.0+cu128", "2.8", "2.8.0a0", "0.1+x" }, { "2.8.0.post1" } },
	{ ">=2.8.0", { "2.8.0+cu128", "2.8", "2.8.0.post1", "1!0" },
		{ "2.8.0a0+5228986c39.nv25.5", "2.8.0rc1", "2.8.0.dev9" } },
	{ ">=2.7.1,<=2.8.0a0", { "2.8.0a0+5228986c39.nv25.5" }, { "2.8.0", "2.8.0a1" } },
	/* > : neither V+local nor V.postN, unless V is a post-release. */
	{ ">2.8.0", { "2.8.1", "2.8.1.dev0", "2.8.0.1", "2.8.1a1.post1" },
		{ "2.8.0+cu128", "2.8.0.post1", "2.8.0.post1.dev2", "2.8.0", "2.8.0rc1" } },
	{ ">1.0.post1", { "1.0.post2", "1.0.post2.dev0", "1.1" }, { "1.0.post1+x", "1.0" } },
	{ ">1.0a1", { "1.0a2", "1.0", "1.0.post1", "1.0a2.post1" },
		{ "1.0a1.post1", "1.0a1+x", "1.0a1" } },
	{ ">1.0.dev1", { "1.0.dev2", "1.0a1", "1.0.post1" }, { "1.0.dev1+x", "1.0.dev1" } },
	{ ">1.0.post1.dev2", { "1.0.post1", "1.0.post1.dev3" }, { "1.0.post1.dev2+x" } },
	/* < : no pre-release of V, unless V is one. */
	{ "<2.8.0", { "2.7.9", "2.7+cu118", "2.7.post9" },
		{ "2.8.0a0+5228986c39.nv25.5", "2.8rc1", "2.8.dev0", "2.8" } },
	{ "<2.8rc1", { "2.8b1", "2.8a1.post1", "2.8.dev0", "2.8rc1.dev0" },
		{ "2.8rc1", "2.8rc1+x" } },
	{ "<1.0.post1", { "1.0", "1.0+x", "1.0a1", "1.0.post0" },
		{ "1.0.post1.dev0", "1.0.post1" } },
	{ "<0.dev0", { NULL }, { "0.dev0", "0" } },
	/* ~= */
	{ "~=2.5.1", { "2.5.1+cu124", "2.5.9", "2.5.1.post1" }, { "2.6", "2.5.0", "2.5.1rc1" } },
	{ "~=1.4", { "1.4", "1.9", "1.4.5" }, { "2.0", "2.0.dev0", "1.3", "1!1.4" } },
	{ "~=1.4.0rc2", { "1.4.0rc2", "1.4.5", "1.4.0" }, { "1.4.0rc1", "1.5" } },
	{ "~=1.4.post3", { "1.4.post3", "1.5" }, { "1.4", "2.0" } },
	{ "~=18446744073709551615.1", { "18446744073709551615.2" }, { "1" } },
	/* === */
	{ "===2.9.0", { "2.9.0" }, { "2.9.0+cu128", "2.9" } },
	{ "===2.9.0+CU128", { "2.9.0+cu128" }, { "2.9.0" } },
	{ "===1.0RC1", { "1.0.rc-1" }, { "1.0rc2" } },
	{ "=== foobar", { NULL }, { "1.0" } },
	/* sets */
	{ ">=1.0 , !=1.5.*,<2", { "1.0", "1.6" }, { "1.5.1", "2.0", "0.9" } },
	{ "==1.0,==1.0+x", { "1.0+x" }, { "1.0" } },
};

UNIT(specifier_operators)
{
	for (size_t i = 0; i < LENGTH(specifier_operators_rows); i++) {
		const char *specifiers = specifier_operators_rows[i].specifiers;

		for (size_t k = 0; k < 8 && specifier_operators_rows[i].in[k]; k++) {
			ck_assert_msg(does_contain(specifiers, specifier_operators_rows[i].in[k]),
				"%s accepts %s", specifiers, specifier_operators_rows[i].in[k]);
		}
		for (size_t k = 0; k < 8 && specifier_operators_rows[i].out[k]; k++) {
			ck_assert_msg(!does_contain(specifiers, specifier_operators_rows[i].out[k]),
				"%s refuses %s", specifiers, specifier_operators_rows[i].out[k]);
		}
	}
}

UNIT(specifier_refusals)
{
	static const struct {
		const char *text, *fault;
	} cases[] = {
		{ ">=3.5.*", ".*\" goes with == and != only" },
		{ "~=3.5.*", ".*\" goes with == and != only" },
		{ ">=3.9.", "no place for \".\"" },
		{ "&gt;=3.10", "starts with none of" },
		{ "3.6", "starts with none of" },
		{ "=1.0", "starts with none of" },
		{ "!1.0", "starts with none of" },
		{ ">=1.13.0+cu116", "local version" },
		{ "<1+a", "local version" },
		{ "~=1.0+a", "local version" },
		{ "~=1", "two release numbers" },
		{ "~=1a1", "two release numbers" },
		{ "==", "no number" },
		{ "==.*", "no number" },
		{ "==*", "no number" },
		{ "==1.0a1.*", "directly behind release numbers" },
		{ "==1.0.post1.*", "directly behind release numbers" },
		{ "==1.0.dev1.*", "directly behind release numbers" },
		{ "!=1.0+a.*", "directly behind release numbers" },
		{ "==1.0 .*", "directly behind release numbers" },
		{ "==1.*.*", "no place for \".*\"" },
		{ "==1.0.*+a", "no place for" },
		{ "===", "nothing follows" },
		{ "=== a b", "white space" },
		{ "===a;b", "';'" },
		{ "===a)", "')'" },
		{ ">=1 <2", "no place for \" <2\"" },
		{ ">=1;<2", "no place for" },
		{ "(>=1)", "starts with none of" },
		{ "==18446744073709551616", "64 bits" },
		{ ">=1.0,bad", "specifier \"bad\"" },
	};
	struct arena a = ARENA_INIT;

	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct err e = ERR_INIT;
		struct specifier_set set = { .n = 77 };

		ck_assert_msg(specifier_parse(&a, str_of(cases[i].text), &set, &e) == -RC_INVALID,
			"%s", cases[i].text);
		ck_assert(set.n == 77 && e.rc == RC_INVALID);
		ck_assert_msg(strstr(e.text, cases[i].fault), "%s: %s", cases[i].text, e.text);
	}
	arena_release(&a);
}

UNIT(specifier_keeps_what_is_written)
{
	struct arena a = ARENA_INIT;
	CLEANUP_BUF struct buf out = BUF_INIT;
	char text[] = " != 1.5.* ,~=V1.4,, ===Foo,<2!3 ,>1, <= 1.0RC1,>=0 ";
	struct specifier_set set = specifier_set_of(&a, text);

	memset(text, 'x', sizeof(text) - 1); /* nothing points into the caller's bytes */
	specifier_format(&set, &out);
	ck_assert(str_is(buf_str(&out), "!=1.5.*,~=V1.4,===Foo,<2!3,>1,<=1.0RC1,>=0"));
	ck_assert(set.n == 7 && set.v[0].op == SPECIFIER_NE && set.v[0].wildcard);
	ck_assert(str_is(set.v[0].raw, "1.5.*") && str_is(set.v[0].version.raw, "1.5"));
	ck_assert(set.v[1].op == SPECIFIER_COMPATIBLE && !set.v[1].wildcard);
	ck_assert(set.v[2].op == SPECIFIER_ARBITRARY && set.v[2].version.nrelease == 0);
	buf_clear(&out);
	set = specifier_set_of(&a, "");
	specifier_format(&set, &out);
	ck_assert(out.n == 0 && set.n == 0);
	arena_release(&a);
}

UNIT(specifier_arbitrary_leaves_the_error_alone)
{
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct specifier_set set;

	ck_assert(specifier_parse(&a, STR("===not-a-version"), &set, &e) == 0);
	ck_assert(e.rc == RC_OK && e.text[0] == '\0');
	arena_release(&a);
}

UNIT(specifier_prereleases)
{
	static const struct {
		const char *text;
		bool admits;
	} cases[] = {
		{ "", false },
		{ ">=1.0", false },
		{ ">=1.0,<2", false },
		{ ">=1.0a1", true },
		{ ">=1.0,<2.dev0", true },
		{ "==1.0rc1", true },
		{ "===1.0rc1", true },
		{ "===rc1", false },
		{ "~=1.0b1", true },
		{ "!=1.0a1", false },
		{ ">=1,!=1.0a1", false },
		{ "==1.0.post1", false },
		{ "==1.0.*", false },
	};
	struct arena a = ARENA_INIT;

	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct specifier_set set = specifier_set_of(&a, cases[i].text);

		ck_assert_msg(
			specifier_admits_prereleases(&set) == cases[i].admits, "%s", cases[i].text);
	}
	arena_release(&a);
}

UNIT(specifier_pins)
{
	static const struct {
		const char *text, *pin;
	} cases[] = {
		{ "==2.8.0", "2.8.0" },
		{ " == 2.8.0+cu128 ", "2.8.0+cu128" },
		{ "===2.8", "2.8" },
		{ "==2.8.*", NULL },
		{ ">=2.8", NULL },
		{ "!=2.8", NULL },
		{ "~=2.8", NULL },
		{ "", NULL },
		{ "==2.8,==2.8", NULL },
		{ "==2.8,>=2", NULL },
	};
	struct arena a = ARENA_INIT;

	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct specifier_set set = specifier_set_of(&a, cases[i].text);
		const struct specifier *pin = specifier_pin(&set);

		ck_assert_msg(!pin == !cases[i].pin, "%s", cases[i].text);
		ck_assert(!pin || str_is(pin->raw, cases[i].pin));
	}
	arena_release(&a);
}

#include "manifests/requirement.h"
#include "tests/unit/unit.h"

#include <string.h>

UNIT(requirement_has_a_normal_form)
{
	static const struct {
		const char *text, *normal;
	} table[] = {
		{ "torch", "torch" },
		{ "  Flash_Attn\t", "flash-attn" },
		{ "zope.interface>=5", "zope-interface>=5" },
		{ "torch (>=2.4 , <3)", "torch<3,>=2.4" },
		{ "torch>=2.4,", "torch>=2.4" },
		{ "torch()", "torch" },
		{ "torch >= 2.4", "torch>=2.4" },
		{ "torch==2.8.0+cu128", "torch==2.8.0+cu128" },
		{ "torch==2.8.*,!=2.8.1", "torch!=2.8.1,==2.8.*" },
		{ "x>=1,>=v1.0,>=1", "x>=1" },
		{ "x~=1.0,~=1.0.0", "x~=1.0,~=1.0.0" },
		{ "x===weird_1", "x===weird_1" },
		{ "uvicorn[Standard,a_b, a-b]", "uvicorn[a-b,standard]" },
		{ "uvicorn [ ] >=1", "uvicorn>=1" },
		{ "a@x", "a @ x" },
		{ "pip @ https://example.com/pip.zip", "pip @ https://example.com/pip.zip" },
		{ "pip[x]@https://example.com/a;b ; os_name=='nt'",
			"pip[x] @ https://example.com/a;b ; os_name == \"nt\"" },
		{ "tomli>=1 ; python_version<'3.11'", "tomli>=1; python_version < \"3.11\"" },
		{ "tomli;python_version<'3.11'", "tomli; python_version < \"3.11\"" },
		{ "importlib-metadata ; (python_version<'3.8') and extra=='Test'",
			"importlib-metadata; python_version < \"3.8\" and extra == \"test\"" },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct arena a = ARENA_INIT;
		struct err e = ERR_INIT;
		struct buf once = BUF_INIT, twice = BUF_INIT;
		struct requirement r;

		ck_assert_msg(
			requirement_parse(&a, str_of(table[i].text), &r, &e) == 0, "%s", e.text);
		requirement_format(&r, &once);
		ck_assert_str_eq(once.p, table[i].normal);
		ck_assert(requirement_parse(&a, buf_str(&once), &r, &e) == 0);
		requirement_format(&r, &twice);
		ck_assert_str_eq(twice.p, once.p);
		buf_release(&once);
		buf_release(&twice);
		arena_release(&a);
	}
}

UNIT(requirement_parts)
{
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct requirement r;
	struct version v;

	ck_assert(requirement_parse(&a,
			  STR("  Ray[cgraph, Default]>=2.48.0,!=2.49.* ; sys_platform == 'linux' "),
			  &r, &e) == 0);
	ck_assert(str_is(r.raw, "Ray[cgraph, Default]>=2.48.0,!=2.49.* ; sys_platform == 'linux'"));
	ck_assert(str_is(r.name, "ray"));
	ck_assert_uint_eq(r.nextras, 2);
	ck_assert(str_is(r.extras[0], "cgraph"));
	ck_assert(str_is(r.extras[1], "default"));
	ck_assert_uint_eq(r.specifiers.n, 2);
	ck_assert(version_parse(&a, STR("2.50.1"), &v, &e) == 0);
	ck_assert(specifier_contains(&r.specifiers, &v));
	ck_assert(version_parse(&a, STR("2.49.1"), &v, &e) == 0);
	ck_assert(!specifier_contains(&r.specifiers, &v));
	ck_assert_uint_eq(r.url.n, 0);
	ck_assert_ptr_nonnull(r.marker);

	ck_assert(requirement_parse(&a, STR("a @ file:///x"), &r, &e) == 0);
	ck_assert(str_is(r.url, "file:///x"));
	ck_assert_uint_eq(r.specifiers.n, 0);
	ck_assert_uint_eq(r.nextras, 0);
	ck_assert_ptr_null(r.marker);
	arena_release(&a);
}

/* What is parsed must not point into the caller's text. */
UNIT(requirement_owns_its_parts)
{
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct buf text = BUF_INIT, normal = BUF_INIT;
	struct requirement r;

	buf_adds(&text,
		"Name[Extra] @ https://example.com/x.whl ; os_name == 'nt' and extra == 'a'");
	ck_assert(requirement_parse(&a, buf_str(&text), &r, &e) == 0);
	memset(text.p, '#', text.n);
	requirement_format(&r, &normal);
	ck_assert_str_eq(normal.p,
		"name[extra] @ https://example.com/x.whl ; os_name == \"nt\" and extra == \"a\"");
	ck_assert(str_starts(r.raw, "Name[Extra]"));
	buf_release(&text);
	buf_release(&normal);
	arena_release(&a);
}

UNIT(requirement_refuses_bad_text)
{
	static const struct {
		const char *text, *says;
	} table[] = {
		{ "", "column 1: expected a project name" },
		{ "   ", "a project name" },
		{ "-e .", "a project name" },
		{ "./torch", "a project name" },
		{ "torch_", "a project name" },
		{ "\xC3\xA9", "a project name" },
		{ "torch 2.4", "specifier \"2.4\"" },
		{ "torch=2.4", "torch=2.4" },
		{ "torch>=", "torch>=" },
		{ "torch>=3.5.*", "3.5.*" },
		{ "torch>=3.9.", "3.9." },
		{ "torch>=1.13.0+cu116", "1.13.0+cu116" },
		{ "torch &gt;=3.10", "specifier \"&gt\"" },
		{ "torch>=1,,<2", "between commas" },
		{ "torch,>=1", "column 6" },
		{ "torch(,)", "between commas" },
		{ "torch(>=1", "closing parenthesis" },
		{ "torch(>=1)<2", "column 11" },
		{ "torch>=1)", "column 9" },
		{ "torch[", "name of an extra" },
		{ "torch[a,]", "name of an extra" },
		{ "torch[a b]", "',' or ']'" },
		{ "torch[a", "',' or ']'" },
		{ "torch[a_]", "name of an extra" },
		{ "torch @", "a URL after '@'" },
		{ "torch @ http://x; os_name == 'nt'", "after the URL" },
		{ "torch ; ", "marker" },
		{ "torch ; foo == 'a'", "requirement on torch: marker" },
		{ "torch\n", "one line" },
		{ "torch >=1\r\n", "one line" },
		{ "torch @ http://x/\x01", "one line" },
		{ "\xFF", "one line" },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct arena a = ARENA_INIT;
		struct err e = ERR_INIT;
		struct requirement r = { .nextras = 77 };

		ck_assert_msg(requirement_parse(&a, str_of(table[i].text), &r, &e) == -RC_SYNTAX,
			"%s", table[i].text);
		ck_assert_msg(
			strstr(e.text, table[i].says) != NULL, "%s: %s", table[i].text, e.text);
		ck_assert_uint_eq(r.nextras, 77); /* written only on success */
		arena_release(&a);
	}
}

UNIT(requirement_hints_at_the_right_form)
{
	static const struct {
		const char *text, *hint;
	} table[] = {
		{ "https://example.com/x.whl", "name @ URL" },
		{ "torch @ http://x; os_name == 'nt'", "space between a URL" },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct arena a = ARENA_INIT;
		struct err e = ERR_INIT;
		struct requirement r;

		ck_assert(requirement_parse(&a, str_of(table[i].text), &r, &e) != 0);
		ck_assert_msg(
			strstr(e.hint, table[i].hint) != NULL, "%s: %s", table[i].text, e.hint);
		arena_release(&a);
	}
}

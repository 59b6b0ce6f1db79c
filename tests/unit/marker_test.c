#include "manifests/marker.h"
#include "manifests/target.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

enum { LINUX, ARM, WINDOWS, OLD }; /* the targets of the tables */

static struct marker_env env_of(struct arena *a, int which)
{
	const struct target_spec specs[] = {
		[LINUX] = { .python = STR("3.12"),
			.platform = STR("linux_x86_64"),
			.glibc = STR("2.28") },
		[ARM] = { .python = STR("3.12.4"),
			.platform = STR("linux_aarch64"),
			.glibc = STR("2.34") },
		[WINDOWS] = { .python = STR("3.11"), .platform = STR("win_amd64") },
		[OLD] = { .python = STR("3.9.1"),
			.platform = STR("linux_x86_64"),
			.musl = STR("1.2") },
	};
	struct target_spec spec = specs[which];
	struct target target;
	struct marker_env env;
	struct err e = ERR_INIT;

	spec.name = STR("t");
	spec.cxx11_abi = -1;
	ck_assert_msg(target_make(a, &spec, &target, &e) == 0, "%s", e.text);
	target_marker_env(a, &target, &env);
	return env;
}

static bool eval(const char *text, int which, const struct str *extras, size_t n)
{
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	const struct marker *m;
	struct marker_env env = env_of(&a, which);

	ck_assert_msg(marker_parse(&a, str_of(text), &m, &e) == 0, "%s", e.text);
	bool holds = marker_eval(m, &env, extras, n);
	arena_release(&a);
	return holds;
}

/* Which of the four targets a marker holds for, in order: "1010". */
UNIT(marker_holds_for_targets)
{
	static const struct {
		const char *text, *holds;
	} table[] = {
		{ "sys_platform == \"win32\"", "0010" },
		{ "platform_system == \"Linux\" and platform_machine == \"x86_64\"", "1001" },
		{ "platform_machine == \"AMD64\"", "0010" },
		{ "platform_machine == 'aarch64'", "0100" },
		{ "platform_system == 'linux'", "0000" },
		{ "os_name == 'posix'", "1101" },
		{ "os.name == 'nt'", "0010" },
		{ "sys.platform != 'linux'", "0010" },
		{ "python_implementation == 'CPython'", "1111" },
		{ "platform.python_implementation != 'PyPy'", "1111" },
		{ "implementation_name == 'cpython'", "1111" },
		{ "python_version >= '3.10'", "1110" },
		{ "python_version < '3.10'", "0001" },
		{ "python_version == '3.12.*'", "1100" },
		{ "python_version ~= '3.11'", "1110" },
		{ "python_version === '3.12'", "1100" },
		{ "'3.10' <= python_version", "1110" }, /* "3.10" is in <=3.Y */
		{ "'3.12' == python_version", "1100" },
		{ "python_version >= '3.9.'", "0000" }, /* no specifier: text */
		{ "python_version in '3.11 3.12'", "1110" },
		{ "python_version not in '3.11 3.12'", "0001" },
		{ "python_full_version >= '3.12.1'", "0100" },
		{ "python_full_version < '3.11.3'", "0011" },
		{ "python_full_version == '3.11'", "0010" },
		{ "implementation_version == '3.9.1'", "0001" },
		{ "python_version > '3.12+local'", "0000" },
		{ "platform_machine in 'x86_64 aarch64'", "1101" },
		{ "'86' in platform_machine", "1001" },
		{ "platform_machine < 'z'", "0000" },
		{ "platform_machine >= 'x86_64'", "1001" }, /* equality, as `packaging` */
		{ "platform_release == ''", "1111" },
		{ "platform_release >= '5.4'", "0000" },
		{ "os_name == 'nt' or os_name == 'posix' and python_version < '3.10'", "0011" },
		{ "(os_name == 'nt' or os_name == 'posix') and python_version < '3.10'", "0001" },
		{ "python_version<'3.10'or(os_name=='nt')", "0011" },
		{ "extra == ''", "1111" },
		{ "extra == 'gpu'", "0000" },
		{ "'a' in extras", "0000" },
		{ "'a' not in dependency_groups", "1111" },
		{ "'a' == 'a'", "0000" }, /* has no meaning */
		{ "os_name ~= 'posix'", "0000" },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		char got[5] = "";

		for (int which = LINUX; which <= OLD; which++) {
			got[which] = eval(table[i].text, which, NULL, 0) ? '1' : '0';
		}
		ck_assert_msg(strcmp(got, table[i].holds) == 0, "%s: %s", table[i].text, got);
	}
}

UNIT(marker_is_true_for_one_of_the_extras)
{
	const struct str extras[] = { STR("test"), STR("dev-tools") };

	ck_assert(eval("extra == 'Dev_Tools'", LINUX, extras, 2));
	ck_assert(eval("'dev.tools' == extra", LINUX, extras, 2));
	ck_assert(!eval("extra == 'Dev_Tools'", LINUX, extras, 1));
	ck_assert(!eval("extra == 'Dev_Tools'", LINUX, NULL, 0));
	/* Once for each extra, not all at a time. */
	ck_assert(!eval("extra == 'test' and extra == 'dev-tools'", LINUX, extras, 2));
	ck_assert(eval("extra != 'test'", LINUX, extras, 2));
	ck_assert(!eval("extra != 'test'", LINUX, extras, 1));
	ck_assert(eval("extra == 'test' and os_name == 'posix'", LINUX, extras, 2));
	ck_assert(!eval("extra == 'test' and os_name == 'nt'", LINUX, extras, 2));
}

UNIT(marker_sets_are_what_the_environment_says)
{
	const struct str extras[] = { STR("gpu") }, groups[] = { STR("dev"), STR("docs") };
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	const struct marker *m;
	struct marker_env env = env_of(&a, LINUX);

	ck_assert(marker_parse(
			  &a, STR("'GPU' in extras and 'Docs' in dependency_groups"), &m, &e) == 0);
	ck_assert(!marker_eval(m, &env, NULL, 0));
	env.extras = extras;
	env.nextras = 1;
	ck_assert(!marker_eval(m, &env, NULL, 0));
	env.dependency_groups = groups;
	env.ndependency_groups = 2;
	ck_assert(marker_eval(m, &env, NULL, 0));
	env.ndependency_groups = 1;
	ck_assert(!marker_eval(m, &env, NULL, 0));
	arena_release(&a);
}

UNIT(marker_null_is_always_true)
{
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct marker_env env = env_of(&a, LINUX);
	struct buf text = BUF_INIT;
	bool holds = false;

	ck_assert(marker_eval(NULL, &env, NULL, 0));
	ck_assert_int_eq(marker_decide(NULL, &env, NULL, 0, &holds, &e), 0);
	ck_assert(holds);
	ck_assert(!marker_names(NULL, MARKER_EXTRA));
	marker_format(NULL, &text);
	ck_assert_uint_eq(text.n, 0);
	arena_release(&a);
}

/* What is not known matters only where the answer hangs on it. */
UNIT(marker_decide_says_what_is_missing)
{
	static const struct {
		const char *text;
		int answer; /* -1: an error */
		const char *says;
	} table[] = {
		{ "platform_release >= '5.4'", -1, "platform_release" },
		{ "platform_version != ''", -1, "platform_version" },
		{ "os_name == 'posix' and platform_release >= '5.4'", -1, "platform_release" },
		{ "os_name == 'nt' and platform_release >= '5.4'", 0, "" },
		{ "os_name == 'posix' or platform_release >= '5.4'", 1, "" },
		{ "python_version >= '3.8'", 1, "" },
		{ "'a' == 'b'", -1, "\"a\" == \"b\"" },
		{ "os_name ~= 'posix'", -1, "os_name ~= \"posix\"" },
		{ "os_name == 'posix' or sys_platform === 'a'", -1, "sys_platform ===" },
		{ "extras == 'x'", -1, "extras == \"x\"" },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct arena a = ARENA_INIT;
		struct err e = ERR_INIT;
		const struct marker *m;
		struct marker_env env = env_of(&a, LINUX);
		bool holds = false;

		ck_assert(marker_parse(&a, str_of(table[i].text), &m, &e) == 0);
		int rc = marker_decide(m, &env, NULL, 0, &holds, &e);
		ck_assert_msg(rc == (table[i].answer < 0 ? -RC_INVALID : 0), "%s: %s",
			table[i].text, e.text);
		ck_assert_msg(rc || holds == (table[i].answer == 1), "%s", table[i].text);
		ck_assert_msg(!rc || strstr(e.text, table[i].says), "%s", e.text);
		arena_release(&a);
	}
}

UNIT(marker_refuses_bad_text)
{
	static const struct {
		const char *text;
		unsigned column;
	} table[] = {
		{ "", 1 }, { "   ", 4 }, { "python_version", 15 }, { "python_version >=", 18 },
		{ "python_version = '3'", 16 }, { "python_version => '3'", 16 },
		{ "python_version >= 3.8", 19 }, { "python_version >= '3.8", 19 },
		{ "python_version >= '3.8\"", 19 }, { "pythonversion >= '3'", 1 },
		{ "python_versions >= '3'", 1 }, { "platform.release == ''", 1 },
		{ "os_name == 'a' os_name == 'b'", 16 }, { "os_name == 'a' and", 19 },
		{ "os_name == 'a' && os_name == 'b'", 16 }, { "(os_name == 'a'", 16 },
		{ "os_name == 'a')", 15 }, { "()", 2 }, { "os_name notin 'a'", 9 },
		{ "os_name not 'a'", 13 }, { "os_name inside 'a'", 9 }, { "os_name == 'a\\n'", 12 },
		{ "os_name == 'a\nb'", 12 }, { "os_name == 'a'\n", 15 },
		{ "os_name == 'a'; extra == 'b'", 15 },
		{ "os_name == '\xC3\xA9' !", 16 }, /* columns count characters */
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct arena a = ARENA_INIT;
		struct err e = ERR_INIT;
		const struct marker *m = NULL;
		char where[32];

		ck_assert_msg(marker_parse(&a, str_of(table[i].text), &m, &e) == -RC_SYNTAX, "%s",
			table[i].text);
		snprintf(where, sizeof(where), "column %u:", table[i].column);
		ck_assert_msg(strstr(e.text, where) != NULL, "%s", e.text);
		ck_assert_ptr_null(m);
		arena_release(&a);
	}
}

UNIT(marker_refuses_bytes_that_are_no_text)
{
	const struct str bad[] = { STR("os_name == '\xFF'"), STR("os_name == '\0'"), STR("\0") };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct arena a = ARENA_INIT;
		struct err e = ERR_INIT;
		const struct marker *m;

		ck_assert_int_eq(marker_parse(&a, bad[i], &m, &e), -RC_SYNTAX);
		arena_release(&a);
	}
}

UNIT(marker_nesting_has_a_limit)
{
	for (size_t depth = 199; depth <= 202; depth++) {
		struct arena a = ARENA_INIT;
		struct err e = ERR_INIT;
		struct buf text = BUF_INIT;
		const struct marker *m;

		for (size_t i = 0; i < depth; i++) {
			buf_addc(&text, '(');
		}
		buf_adds(&text, "os_name == 'nt'");
		for (size_t i = 0; i < depth; i++) {
			buf_addc(&text, ')');
		}
		ck_assert_int_eq(marker_parse(&a, buf_str(&text), &m, &e),
			depth <= MARKER_DEPTH_MAX ? 0 : -RC_SYNTAX);
		buf_release(&text);
		arena_release(&a);
	}
}

UNIT(marker_has_one_spelling)
{
	static const struct {
		const char *text, *normal;
	} table[] = {
		{ "python_version>='3.8'", "python_version >= \"3.8\"" },
		{ " os.name=='nt' ", "os_name == \"nt\"" },
		{ "python_implementation != 'PyPy'", "platform_python_implementation != \"PyPy\"" },
		{ "'win' in sys.platform", "\"win\" in sys_platform" },
		{ "os_name not \t in 'a b'", "os_name not in \"a b\"" },
		{ "os_name == 'say \"no\"'", "os_name == 'say \"no\"'" },
		{ "extra == 'A_b'", "extra == \"a-b\"" },
		{ "((os_name == 'a'))", "os_name == \"a\"" },
		{ "(os_name == 'a' and os_name == 'b')", "os_name == \"a\" and os_name == \"b\"" },
		{ "(os_name == 'a' or os_name == 'b') and (extra == 'c')",
			"(os_name == \"a\" or os_name == \"b\") and extra == \"c\"" },
		{ "os_name == 'a' or (os_name == 'b' and extra == 'c')",
			"os_name == \"a\" or (os_name == \"b\" and extra == \"c\")" },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct arena a = ARENA_INIT;
		struct err e = ERR_INIT;
		struct buf once = BUF_INIT, twice = BUF_INIT;
		const struct marker *m;

		ck_assert(marker_parse(&a, str_of(table[i].text), &m, &e) == 0);
		marker_format(m, &once);
		ck_assert_str_eq(once.p, table[i].normal);
		ck_assert(marker_parse(&a, buf_str(&once), &m, &e) == 0);
		marker_format(m, &twice);
		ck_assert_str_eq(twice.p, once.p);
		buf_release(&once);
		buf_release(&twice);
		arena_release(&a);
	}
}

UNIT(marker_names_its_variables)
{
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	const struct marker *m;

	ck_assert(marker_parse(&a, STR("os_name == 'a' or ('x' == extra)"), &m, &e) == 0);
	ck_assert(marker_names(m, MARKER_EXTRA));
	ck_assert(marker_names(m, MARKER_OS_NAME));
	ck_assert(!marker_names(m, MARKER_EXTRAS));
	ck_assert_str_eq(marker_var_name(MARKER_PYTHON_FULL_VERSION), "python_full_version");
	arena_release(&a);
}

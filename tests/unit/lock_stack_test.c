/* gpkg's stacks.toml. */
#include "manifests/lock.h"
#include "tests/unit/unit.h"

#include <string.h>

#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

#define MACHINE \
	"torch = \"2.8.0\"\ncuda = \"128\"\npython = \"3.12\"\nplatform = \"linux_x86_64\"\n"
#define OTHER "torch = \"2.11.0\"\ncuda = \"130\"\npython = \"3.12\"\nplatform = \"linux_x86_64\"\n"

static const struct target_spec machine = { .glibc = { "2.28", 4 }, .cxx11_abi = -1 };

static int parse(const char *text, const char *stack, struct lock *l, struct err *e)
{
	const struct lock_options o = { .extra = &machine, .stack = str_of(stack) };

	return lock_parse(str_of(text), "s.toml", &o, l, e);
}

UNIT(lock_reads_a_stack)
{
	static const char text[] =
		"[[stacks]]\nname = \"moe\"\ndescription = \"d\"\nstatus = \"verified\"\n" MACHINE
		"[stacks.packages]\nNumpy = \"2.1\"\ngrouped-gemm = { version = \"1.1\", url = "
		"\"https://h/x.whl\","
		" source = \"local-build\" }\n"
		"a = { version = \"1.0\", url = \"https://h/d/a-1.0+cu1-py3-none-any.whl\" }\n"
		"b = { version = \">=2\" }\n";
	struct lock l = LOCK_INIT;
	struct err e = ERR_INIT;

	ck_assert_msg(parse(text, NULL, &l, &e) == 0, "%s", e.text);
	ck_assert(l.kind == LOCK_STACKS && !l.is_closed && l.ntargets == 1 && l.npackages == 4);
	ck_assert(str_is(l.targets[0].name, "cp312-cu128-linux_x86_64"));
	ck_assert(str_is(l.targets[0].torch, "2.8.0") && l.targets[0].cuda.major == 12);
	ck_assert(str_is(l.packages[0].req.raw, "numpy==2.1") && l.packages[0].url.n == 0);
	ck_assert(str_is(l.packages[1].req.raw, "grouped-gemm==1.1") && l.packages[1].url.n == 0);
	ck_assert(str_is(l.packages[2].url, "https://h/d/a-1.0%2Bcu1-py3-none-any.whl"));
	ck_assert(str_is(l.packages[2].file, "a-1.0+cu1-py3-none-any.whl"));
	ck_assert(str_is(l.packages[3].req.raw, "b>=2") && l.packages[3].line == 13);
	lock_release(&l);
}

UNIT(lock_reads_a_stack_for_several_machines)
{
	static const char text[] = "[[stacks]]\nname = \"x\"\n" MACHINE "packages = { a = \"1\" }\n"
				   "[[stacks]]\nname = \"y\"\npackages = { a = \"1\" }\n"
				   "[[stacks]]\nname = \"x\"\n" OTHER "packages = { a = \"2\" }\n";
	struct lock l = LOCK_INIT;
	struct err e = ERR_INIT;

	ck_assert_msg(parse(text, "x", &l, &e) == 0, "%s", e.text);
	ck_assert(l.ntargets == 2 && l.npackages == 2);
	ck_assert(str_is(l.packages[1].targets[0], "cp312-cu130-linux_x86_64"));
	ck_assert(lock_package_is_for(&l.packages[0], &l.targets[0]));
	ck_assert(!lock_package_is_for(&l.packages[1], &l.targets[0]));
	lock_release(&l);
}

UNIT(lock_refuses_wrong_stacks)
{
#define A "[stacks.a]\n" MACHINE
	static const struct {
		const char *text, *stack;
		enum rc rc;
		const char *message, *hint;
	} rows[] = {
		{ A "[stacks.b]\n[stacks.\"c d\"]\n", NULL, RC_USAGE, "several stacks: a, b, c d",
			"--stack" },
		{ A, "b", RC_USAGE, "there is no stack \"b\"; the stacks are a", NULL },
		{ A, "a", RC_INVALID, "line 1, column 9: the stack has no packages", NULL },
		{ "[stacks]\n", NULL, RC_INVALID, "line 1, column 2: there is no stack", NULL },
		{ "[[stacks]]\nnam = \"a\"\n", NULL, RC_SYNTAX, "line 1, column 3: a stack without",
			NULL },
		{ "[stacks.a]\npython = \"3.12\"\n", NULL, RC_SYNTAX,
			"line 1, column 9: the key \"platform\" is missing", NULL },
		{ A "packages = { x = 1 }\n", NULL, RC_SYNTAX,
			"line 6, column 18: a package is a version or a table", NULL },
		{ A "packages = { x = { version = \"1\", url = \"https://h/x-2.zip\" } }\n", NULL,
			RC_INVALID, "line 6, column 41: the version of the file x-2.zip is not ==1",
			NULL },
		{ "stacks = [1]\n", NULL, RC_SYNTAX, "line 1, column 11: a stack is not a table",
			NULL },
		{ "[environment]\n", "x", RC_USAGE, "this lock has no stacks", "--stack" },
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct lock l = LOCK_INIT;
		struct err e = ERR_INIT;
		int r = parse(rows[i].text, rows[i].stack, &l, &e);

		ck_assert_msg(r == -(int)rows[i].rc, "%s: %d %s", rows[i].text, r, e.text);
		ck_assert_msg(str_starts(str_of(e.text + 8), rows[i].message),
			"%s\nhave %s\nwant %s", rows[i].text, e.text, rows[i].message);
		ck_assert_msg(!rows[i].hint || str_has(str_of(e.hint), rows[i].hint), "%s: \"%s\"",
			rows[i].text, e.hint);
	}
}

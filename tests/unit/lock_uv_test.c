/* uv.lock: what targets need. tests/e2e/lock_corpus_uv.py reads real ones. */
#include "tests/unit/lock_uv_fixture.h"
#include "tests/unit/unit.h"

UNIT(lock_uv_ands_markers_along_edges)
{
	static const char text[] = UV_HEAD UV_PROJECT(
		"{ name = \"a\" }, { name = \"b\", marker = \"sys_platform == "
		"'linux'\" }") UV_WHEEL("a",
		"1") "dependencies = [{ name = \"c\", marker = "
		     "\"python_full_version < '3.12'\" }]\n" UV_WHEEL(
			     "b", "2") "dependencies = [{ name = \"d\", marker = \"sys_platform == "
				       "'linux'\" }, { name = \"a\" }]\n" UV_WHEEL("c", "3")
					       UV_WHEEL("d", "4") UV_WHEEL("unused", "5");

	uv_check_rows(UV_LINUX UV_WINDOWS, text, NULL, "a==1@lin,win b==2@lin c==3@win d==4@lin");
}

UNIT(lock_uv_unites_extras_per_target)
{
	static const char text[] =
		UV_HEAD UV_PROJECT("{ name = \"a\", extra = [\"y\"] }, { name = \"b\" }") UV_WHEEL(
			"a", "1") "[package.optional-dependencies]\n"
				  "x = [{ name = \"c\" }]\ny = [{ name = \"d\" }]\n" UV_WHEEL("b",
					  "2") "dependencies = [{ name = \"a\", extra = [\"x\", "
					       "\"none\"], marker "
					       "= \"sys_platform == 'win32'\" }]\n" UV_WHEEL(
						       "c", "3") UV_WHEEL("d", "4");

	uv_check_rows(UV_LINUX UV_WINDOWS, text, NULL,
		"a[y]==1@lin a[none,x,y]==1@win b==2@lin,win c==3@win d==4@lin,win");
}

/* Entries of one name are told apart by version, by source, or by both. */
UNIT(lock_uv_tells_forks_apart)
{
	static const char text[] = UV_HEAD UV_PROJECT(
		"{ name = \"t\", version = \"2.0+cpu\", source = { registry = "
		"\"https://cpu\" }, marker = \"sys_platform == 'win32'\" }, "
		"{ name = \"t\", version = \"2.0+cu\", source = { registry = "
		"\"https://cu\" }, marker = \"sys_platform == 'linux'\" }, "
		"{ name = \"s\", source = { registry = \"https://cu\" } }")
		UV_ENTRY("t", "2.0+cpu", "source = { registry = \"https://cpu\" }\n")
			UV_ENTRY("t", "2.0+cu", "source = { registry = \"https://cu\" }\n")
				UV_ENTRY("s", "1", "source = { registry = \"https://cpu\" }\n")
					UV_ENTRY("s", "1",
						"source = { registry = \"https://cu\" }\n"
						"dependencies = [{ name = \"a\" }]\n")
						UV_WHEEL("a", "1");

	uv_check_rows(UV_LINUX UV_WINDOWS, text, NULL,
		"t==2.0+cpu@win t==2.0+cu@lin s==1@lin,win a==1@lin,win");
}

UNIT(lock_uv_takes_groups_and_extras)
{
	static const char text[] = UV_HEAD UV_PROJECT(
		"{ name = \"a\" }") "[package.optional-dependencies]\nx = [{ name = \"b\" }]\n"
				    "all = [{ name = \"us\", extra = [\"x\"] }]\n"
				    "[package.dev-dependencies]\ndev = [{ name = \"c\" }]\ndocs = "
				    "[{ name = \"d\" }]\n"
				    "[package.metadata]\nprovides-extras = [\"x\", \"all\", "
				    "\"empty\"]\n"
				    "[package.metadata.requires-dev]\nnone = []\n" UV_WHEEL(
					    "a", "1") UV_WHEEL("b", "1") UV_WHEEL("c", "1")
					    UV_WHEEL("d", "1");
	const struct str all[] = { STR("all"), STR("empty") };
	const struct str docs[] = { STR("docs"), STR("none"), STR("dev") };
	const struct str wrong[] = { STR("gpu") };

	uv_check_rows(UV_LINUX, text, NULL, "a==1@lin c==1@lin");
	uv_check_rows(
		UV_LINUX, text, &(struct lock_options){ .no_default_groups = true }, "a==1@lin");
	uv_check_rows(UV_LINUX, text, &(struct lock_options){ .extras = all, .nextras = 2 },
		"a==1@lin b==1@lin c==1@lin");
	uv_check_rows(UV_LINUX, text,
		&(struct lock_options){ .groups = docs, .ngroups = 2, .no_default_groups = true },
		"a==1@lin d==1@lin");
	uv_check_rows(UV_LINUX, text,
		&(struct lock_options){ .groups = docs, .ngroups = 3, .no_default_groups = true },
		"a==1@lin c==1@lin d==1@lin");
	uv_check_refused(UV_LINUX, text, &(struct lock_options){ .extras = wrong, .nextras = 1 },
		RC_USAGE, "no extra \"gpu\"; there are: all, x");
	uv_check_refused(UV_LINUX, text, &(struct lock_options){ .groups = wrong, .ngroups = 1 },
		RC_USAGE, "no dependency group \"gpu\"; there are: dev, docs");
}

#define CONFLICT                                                                                \
	UV_HEAD "conflicts = [[{ package = \"us\", extra = \"cpu\" }, { package = \"us\", "     \
		"extra = \"cu\" }], [{ package = \"us\", group = \"g\" }, { package = \"us\", " \
		"extra = \"cu\" }], [{ package = \"us\" }, { package = \"other\" }]]\n"
#define IS(item) "extra == '" item "'"
#define IS_NOT(item) "extra != '" item "'"

/* The markers of conflicts ask for a set: several may hold together. */
UNIT(lock_uv_follows_conflicts)
{
	static const char text[] = CONFLICT UV_PROJECT(
		"{ name = \"a\", marker = \"" IS_NOT("extra-2-us-cpu") " and " IS_NOT(
			"extra-2-us-cu") "\" }, "
					 "{ name = \"p\", marker = \"" IS(
						 "project-2-us") "\" }") "[package.optional-"
									 "dependencies]\ncpu = [{ "
									 "name = \"b\" }]\ncu = [{ "
									 "name = \"b\" "
									 "}]\n[package.dev-"
									 "dependencies]\ng = [{ "
									 "name = \"d\", marker = "
									 "\"" IS("group-2-us-g") "\" }]\n" UV_WHEEL(
										 "a",
										 "1") UV_WHEEL("b",
										 "1") "dependencies"
										      " = [{ name "
										      "= \"c\", "
										      "marker = "
										      "\"" IS("extr"
											      "a-2-"
											      "us-"
											      "cu") " or (" IS("extra-2-us-cpu") " and " IS("group-2-us-g") ")\" }]\n" UV_WHEEL("c",
											      "1") UV_WHEEL("d",
											      "1")
											      UV_WHEEL(
												      "p",
												      "1");
	const struct str cpu[] = { STR("cpu"), STR("cu") }, cu[] = { STR("cu") },
			 g[] = { STR("g") };

	uv_check_rows(UV_LINUX, text, NULL, "a==1@lin p==1@lin");
	uv_check_rows(UV_LINUX, text, &(struct lock_options){ .extras = cpu, .nextras = 1 },
		"b==1@lin p==1@lin");
	uv_check_rows(UV_LINUX, text, &(struct lock_options){ .extras = cu, .nextras = 1 },
		"b==1@lin c==1@lin p==1@lin");
	uv_check_rows(UV_LINUX, text,
		&(struct lock_options){ .extras = cpu, .nextras = 1, .groups = g, .ngroups = 1 },
		"b==1@lin c==1@lin d==1@lin p==1@lin");
	uv_check_refused(UV_LINUX, text, &(struct lock_options){ .extras = cpu, .nextras = 2 },
		RC_USAGE, "line 4, column 14: extra-2-us-cpu and extra-2-us-cu exclude each other");
	uv_check_refused(UV_LINUX, text,
		&(struct lock_options){ .extras = cu, .nextras = 1, .groups = g, .ngroups = 1 },
		RC_USAGE, "group-2-us-g and extra-2-us-cu exclude each other");
}

/* What an edge chooses late holds for edges that were met before. */
UNIT(lock_uv_gathers_extras_first)
{
	static const char text[] = UV_HEAD
		"conflicts = [[{ package = \"a\", extra = \"x\" }, { package = \"a\", extra = "
		"\"y\" }]]\n" UV_PROJECT("{ name = \"early\", marker = \"" IS_NOT(
			"extra-1-a-x") "\" "
				       "}, { name = \"b\" }") UV_WHEEL("early", "1")
			UV_WHEEL("a", "1") "[package.optional-dependencies]\nx = [{ name = \"c\" "
					   "}]\n" UV_WHEEL("b",
						   "1") "dependencies = [{ name = \"a\", extra = "
							"[\"x\"] }]\n" UV_WHEEL("c", "1");

	uv_check_rows(UV_LINUX, text, NULL, "a[x]==1@lin b==1@lin c==1@lin");
}

UNIT(lock_uv_reads_scripts)
{
	static const char text[] = UV_HEAD
		"[manifest]\nrequirements = [{ name = \"a\", extras = [\"x\"] }, { name = \"b\", "
		"marker = \"sys_platform == 'win32'\" }]\n"
		"[manifest.dependency-groups]\ndev = [{ name = \"c\" }]\n" UV_WHEEL("a",
			"1") "resolution-markers = [\"sys_platform == 'linux'\"]\n"
			     "[package.optional-dependencies]\nx = [{ name = \"d\" }]\n" UV_WHEEL(
				     "a", "2") "resolution-markers = [\"sys_platform == "
					       "'win32'\", \"os_name == "
					       "'java'\"]\n" UV_WHEEL("b", "1") UV_WHEEL("c", "1")
						       UV_WHEEL("d", "1");

	uv_check_rows(UV_LINUX UV_WINDOWS, text, NULL,
		"a[x]==1@lin a[x]==2@win b==1@win c==1@lin,win d==1@lin");
	uv_check_rows(UV_LINUX, UV_HEAD, NULL, "");
}

UNIT(lock_uv_knows_workspaces)
{
	static const char text[] = UV_HEAD "[manifest]\nmembers = [\"us\", \"tool\"]\n" UV_PROJECT(
		"{ name = \"a\" }") UV_ENTRY("tool", "1",
		"source = { editable = \"tool\" }\n") "dependencies = [{ name = \"us\" }, { name = "
						      "\"b\" }]\n" UV_WHEEL("a", "1")
							      UV_WHEEL("b", "1");
	static const char rootless[] =
		UV_HEAD "[manifest]\nmembers = [\"tool\", \"help\"]\n" UV_ENTRY("tool", "1",
			"source = { editable = \"tool\" }\n") "dependencies = [{ name = \"b\" "
							      "}]\n" UV_ENTRY("help", "1",
								      "source = { virtual = "
								      "\"help\" "
								      "}\n") "dependencies = [{ "
									     "name "
									     "= \"a\" "
									     "}]\n" UV_WHEEL(
										     "a", "1")
										     UV_WHEEL("b",
											     "1");
	const struct str tool[] = { STR("tool") }, wrong[] = { STR("a") };

	uv_check_rows(UV_LINUX, text, NULL, "a==1@lin");
	uv_check_rows(UV_LINUX, text, &(struct lock_options){ .all_projects = true },
		"a==1@lin b==1@lin");
	uv_check_rows(UV_LINUX, text, &(struct lock_options){ .projects = tool, .nprojects = 1 },
		"a==1@lin b==1@lin");
	uv_check_rows(UV_LINUX, rootless, NULL, "a==1@lin b==1@lin");
	uv_check_rows(UV_LINUX, rootless,
		&(struct lock_options){ .projects = tool, .nprojects = 1 }, "b==1@lin");
	uv_check_refused(UV_LINUX, text,
		&(struct lock_options){ .projects = wrong, .nprojects = 1 }, RC_USAGE,
		"no project \"a\" in this lock; there are: us, tool");
}

/* ---- refusals ---- */

UNIT(lock_uv_refuses_wrong_targets)
{
	static const char python[] =
		"version = 1\nrequires-python = \">=3.12.4, <3.13\"\n" UV_PROJECT("");
	static const char linux_only[] = UV_HEAD
		"supported-markers = [\n  \"sys_platform == 'linux' and platform_machine == "
		"'x86_64'\",\n  \"sys_platform == 'darwin'\"]\n" UV_PROJECT("");
	static const char required[] =
		UV_HEAD "required-markers = [\"sys_platform == 'darwin'\"]\n" UV_PROJECT("");

	uv_check_rows(UV_LINUX, python, NULL, "");
	uv_check_refused(UV_LINUX UV_WINDOWS, python, NULL, RC_INVALID,
		"line 2, column 19: the lock requires Python >=3.12.4, <3.13, the target win has "
		"3.11.0");
	uv_check_rows(UV_LINUX, linux_only, NULL, "");
	uv_check_refused(UV_LINUX UV_WINDOWS, linux_only, NULL, RC_INVALID,
		"line 4, column 21: the lock is not for the target win: none of its "
		"supported-markers");
	uv_check_rows(UV_LINUX UV_WINDOWS, required, NULL, "");
}

UNIT(lock_uv_refuses_a_wrong_graph)
{
	static const struct {
		const char *text;
		enum rc rc;
		const char *want;
	} rows[] = {
		{ "version = 2\nrevision = 0\n", RC_UNSUPPORTED,
			"line 1, column 11: a uv.lock of version 2; this version of the program "
			"reads "
			"1" },
		{ UV_NEEDS_A, RC_INVALID, "line 8, column 17: 0 entries of the lock are the a" },
		{ UV_NEEDS_A UV_WHEEL("a", "1") UV_WHEEL("a", "2"), RC_INVALID,
			"2 entries of the lock are" },
		{ UV_HEAD UV_PROJECT("{ name = \"a\", version = \"3\" }") UV_WHEEL("a", "1"),
			RC_INVALID, "0 entries of the lock are the a" },
		{ UV_HEAD UV_PROJECT(
			  "{ name = \"a\", version = \"1\" }, { name = \"a\", version = \"2\" "
			  "}") UV_WHEEL("a", "1") UV_WHEEL("a", "2"),
			RC_INVALID, "the target lin needs two entries of a: this one and line 9" },
		{ UV_HEAD UV_PROJECT("{ name = \"a\", marker = \"sys_platform = 'x'\" }")
				UV_WHEEL("a", "1"),
			RC_SYNTAX, "line 8, column " },
		{ UV_HEAD UV_PROJECT("{ name = \"a\", marker = \"'x' == extra\" }")
				UV_WHEEL("a", "1"),
			RC_INVALID, "compares an extra in a way that uv does not" },
		{ UV_HEAD UV_PROJECT("{ name = \"a\", marker = \"platform_release > '5'\" }")
				UV_WHEEL("a", "1"),
			RC_INVALID, "the target lin: line 8" },
		{ UV_HEAD UV_PROJECT("{ marker = \"os_name == 'x'\" }"), RC_SYNTAX,
			"\"name\" is missing" },
		{ UV_HEAD UV_PROJECT("3"), RC_SYNTAX, "line 8" },
		{ UV_HEAD UV_WHEEL("a", "1"), RC_INVALID,
			"no package of this lock is its project" },
		{ UV_HEAD "[[package]]\nname = \"a\"\n", RC_UNSUPPORTED,
			"a has no source that is known" },
		{ UV_HEAD UV_ENTRY("a", "1", "source = { hg = \"x\" }\n"), RC_UNSUPPORTED,
			"line 7, column 10: the entry a has no source" },
		{ UV_HEAD UV_ENTRY("a", "one", UV_REGISTRY), RC_INVALID, "line 6, column 11: " },
		{ UV_NEEDS_A "[[package]]\nname = \"a\"\n" UV_REGISTRY, RC_INVALID,
			"a has no version" },
		{ UV_HEAD "[manifest]\nmembers = [\"a\"]\n", RC_INVALID,
			"the member a has 0 entries" },
		{ UV_HEAD "[manifest]\nrequirements = [{ name = \"a\" }]\n", RC_INVALID,
			"0 entries of the lock are the a that the target lin needs" },
		{ UV_HEAD "conflicts = [{ package = \"a\" }]\n", RC_SYNTAX, "a list of lists" },
		{ UV_HEAD "conflicts = [[3]]\n", RC_SYNTAX, "an item of a conflict is a table" },
		{ "version = 1\nrequires-python = 3\n" UV_PROJECT(""), RC_SYNTAX,
			"line 2, column 19: " },
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		uv_check_refused(UV_LINUX, rows[i].text, NULL, rows[i].rc, rows[i].want);
	}
}

/* Later revisions add keys that nobody knows yet. */
UNIT(lock_uv_reads_every_revision)
{
	uv_check_rows(UV_LINUX, "version = 1\n" UV_PROJECT("{ name = \"a\" }") UV_WHEEL("a", "1"),
		NULL, "a==1@lin");
	uv_check_rows(UV_LINUX,
		"version = 1\nrevision = 99\nnews = []\n" UV_PROJECT("{ name = \"a\", new = 1 }")
			UV_WHEEL("a", "1") "more = { x = 1 }\n",
		NULL, "a==1@lin");
}

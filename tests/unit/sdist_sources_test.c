#include "verify/sdist_sources.h"
#include "tests/unit/unit.h"

static const struct str members[] = { { "demo-1.0/setup.py", 17 }, { "demo-1.0/csrc/there.cu", 22 },
	{ "demo-1.0/csrc/fast.pyx", 22 }, { "demo-1.0/csrc/made.cpp.in", 25 },
	{ "demo-1.0/inc/demo/a.h", 21 } };

/* The paths, joined by spaces. */
static const char *missing(struct arena *a, const char *text)
{
	struct str *v;
	size_t n;
	const char *all = "";

	sdist_sources_missing(
		a, str_of(text), members, sizeof(members) / sizeof(members[0]), &v, &n);
	for (size_t i = 0; i < n; i++) {
		all = arena_printf(a, "%s%s%.*s", all, i ? " " : "", STR_ARG(v[i]));
	}
	return all;
}

static const struct {
	const char *setup, *missing;
} cases[] = {
	{ "", "" },
	{ "s = [\"csrc/there.cu\", 'csrc/gone.cu']", "csrc/gone.cu" },
	{ "s = (\"a.cc\", \"b.cxx\", \"c.c\", \"d.cpp\", \"e.h\", \"f.py\")",
		"a.cc b.cxx c.c d.cpp" },
	{ "E('m', sources=[\"./x.cu\"]); s.append(r'y.cu'); s.extend([u\"z.cu\"])",
		"x.cu y.cu z.cu" },
	{ "s += [\"x.cu\", \"x.cu\"]", "x.cu" },
	{ "def f():\n    return [\"x.cu\"]", "x.cu" },
	{ "s = [\"x.cu\" if cuda else \"y.cpp\"]", "x.cu y.cpp" },
	/* Put together; the base is not known, the end is looked for. */
	{ "s = [os.path.join(here, \"csrc\", \"there.cu\"), str(here / \"csrc\" / "
	  "\"no.cu\")]",
		"csrc/no.cu" },
	{ "s = [join(base, \"there.cu\"), here / \"there.cu\", Path(\"csrc\") / "
	  "\"there.cu\"]",
		"" },
	/* Generated. */
	{ "s = [\"csrc/fast.c\", \"csrc/made.cpp\", \"csrc/fast.h.c\"]", "csrc/fast.h.c" },
	/* Computed, or patterns. */
	{ "s = [\"csrc/\" + n + \".cu\", \"%s.cu\" % n, \"x.cu\" % 1, \"x.cu\".format(), "
	  "f\"{n}.cu\"]",
		"" },
	{ "s = [f\"n.cu\", b\"n.cu\", \"a\\x2ecu\", \"*.cu\", \"a\" \"b.cu\", n + "
	  "\"b.cu\"]",
		"" },
	{ "s = [os.path.join(\"csrc\", f\"{n}\", \"x.cu\")]", "" },
	/* Outside of the sdist, or not a path. */
	{ "s = [\"/usr/a.cu\", \"../a.cu\", \"a//b.cu\", \"say a.cu\", \".cu\", "
	  "\"csrc/.cu\"]",
		"" },
	/* Not for this system. */
	{ "s = [\"src/win32/x.c\", \"a_hip.cpp\", \"tests/t.c\", \"Darwin/x.c\"]", "" },
	/* Not a list of sources. */
	{ "# s = [\"x.cu\"]\n\"\"\"s = ['x.cu']\"\"\"\n'it''s [\"x.cu\"]'", "" },
	{ "x = \"x.cu\"\nf(\"y.cu\")\nd[\"z.cu\"]\nn in [\"v.cu\"]\nn == \"w.cu\"", "" },
	{ "setup(package_data={\"m\": [\"x.cu\"]}, exclude=[\"y.cu\"], "
	  "extra_args=[\"z.c\"])",
		"" },
	{ "subprocess.run([\"gcc\", \"conf.c\"])", "" },
	/* Asked for, or written, somewhere. */
	{ "s = [\"x.c\"]\nif os.path.exists(\"x.c\"): pass", "" },
	{ "open(\"x.c\", \"w\")\ns = [\"x.c\", \"y.c\"]", "y.c" },
	/* Folders of headers: only below a folder that is there. */
	{ "E(include_dirs=[Path(here) / \"csrc\" / \"cutlass\" / \"include\"])",
		"csrc/cutlass/include" },
	{ "E(include_dirs=[join(here, \"csrc\", \"cutlass\"), \"inc\", \"inc/demo\"])",
		"csrc/cutlass" },
	{ "E(include_dirs=[join(CUDA_HOME, \"include\"), \"Library/include\", "
	  "\"/usr/include\"])",
		"" },
	{ "s = [\"csrc/cutlass/include\"]", "" },
};

UNIT(sdist_sources_judges_what_setup_py_lists)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena a = ARENA_INIT;
		const char *got = missing(&a, cases[i].setup);

		ck_assert_msg(str_is(str_of(got), cases[i].missing), "%s: %s, not %s",
			cases[i].setup, got, cases[i].missing);
		arena_release(&a);
	}
}

UNIT(sdist_sources_reads_any_text)
{
	static const char *const texts[] = { "\"", "'''", "s = [\"x.cu", "\\", "s = [\"\\", "]]]",
		"r\"", "#", "\"\"\"x\"\"", "s = [\"a.cu\" \\" };
	struct arena a = ARENA_INIT;
	struct str *v;
	size_t n;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		missing(&a, texts[i]);
	}
	char *deep = arena_alloc(&a, 5000);
	for (size_t i = 0; i < 4999; i++) {
		deep[i] = "[({"[i % 3];
	}
	ck_assert_str_eq(missing(&a, deep), "");
	sdist_sources_missing(&a, STR("s = [\"a.cu\"]"), NULL, 0, &v, &n);
	ck_assert_uint_eq(n, 1);
	arena_release(&a);
}

UNIT(sdist_sources_tells_the_first_few)
{
	const char *text = "s = [";
	struct arena a = ARENA_INIT;
	struct str *v;
	size_t n;

	for (int i = 0; i < 20; i++) {
		text = arena_printf(&a, "%s\"k%d.cu\", ", text, i);
	}
	sdist_sources_missing(&a, str_of(text), members, 1, &v, &n);
	ck_assert_uint_eq(n, SDIST_MISSING_MAX);
	ck_assert(str_is(v[0], "k0.cu") && str_is(v[7], "k7.cu"));
	arena_release(&a);
}

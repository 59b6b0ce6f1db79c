#include "mirror/inspect_html.h"
#include "mirror/inspect_matrix.h"
#include "tests/unit/unit.h"

#include <string.h>

static struct target make_target(
	struct arena *a, const char *name, const struct str *gpus, size_t n)
{
	const struct target_spec spec = { .name = str_of(name),
		.python = STR("3.12"),
		.platform = STR("linux_x86_64"),
		.glibc = STR("2.28"),
		.cuda = STR("13.0"),
		.gpus = gpus,
		.ngpus = n,
		.cxx11_abi = -1 };
	struct target t;
	struct err e = ERR_INIT;

	ck_assert_msg(target_make(a, &spec, &t, &e) == 0, "%s", e.text);
	return t;
}

static struct matrix_cell cell_of(
	const struct inspection *x, const char *project, size_t column, struct arena *a)
{
	struct matrix m;

	matrix_make(a, x, &m);
	for (size_t i = 0; i < m.nprojects; i++) {
		if (str_is(m.projects[i], project)) {
			return m.cells[i][column];
		}
	}
	ck_abort_msg("no row %s", project);
	return (struct matrix_cell){ STR_NULL, MATRIX_NONE };
}

UNIT(matrix_tells_what_a_file_is_for_a_gpu)
{
	static const struct {
		const char *device_code, *result, *text;
		enum dist_kind kind;
		bool is_built;
		enum matrix_mark mark;
	} cases[] = {
		{ "", NULL, "1.0", DIST_WHEEL, false, MATRIX_THERE },
		{ "sm_90", NULL, "1.0", DIST_WHEEL, false, MATRIX_THERE },
		{ "sm_80 sm_90a", NULL, "1.0", DIST_WHEEL, false, MATRIX_THERE },
		{ "sm_80", NULL, "1.0 other-GPU", DIST_WHEEL, false, MATRIX_LACK },
		{ "sm_100f lto_90", NULL, "1.0 other-GPU", DIST_WHEEL, false, MATRIX_LACK },
		{ "sm_120 compute_80", NULL, "1.0 PTX", DIST_WHEEL, false, MATRIX_DOUBT },
		{ "sm_90", "WARN", "1.0 !", DIST_WHEEL, false, MATRIX_DOUBT },
		{ "sm_90", "UNKNOWN", "1.0 ?", DIST_WHEEL, false, MATRIX_DOUBT },
		{ "sm_90", "FAIL", "1.0 FAIL", DIST_WHEEL, false, MATRIX_LACK },
		{ "sm_80", "FAIL", "1.0 other-GPU FAIL", DIST_WHEEL, false, MATRIX_LACK },
		{ "", NULL, "1.0 sdist", DIST_SDIST, false, MATRIX_THERE },
		{ "sm_90", NULL, "1.0 built", DIST_WHEEL, true, MATRIX_THERE },
	};
	static const struct str gpus[] = { { "9.0", 3 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena a = ARENA_INIT;
		struct target t = make_target(&a, "t", gpus, 1);
		struct manifest_file f = { .name = STR("demo"),
			.version = STR("1.0"),
			.kind = cases[i].kind,
			.device_code = str_of(cases[i].device_code) };
		struct manifest_finding finding = { .result = str_of(cases[i].result) };
		struct inspect_file file = { .file = &f,
			.use = USE_RUN,
			.is_built = cases[i].is_built,
			.findings = &finding,
			.nfindings = cases[i].result != NULL };
		struct inspect_target target = { .target = &t, .files = &file, .nfiles = 1 };
		struct inspection x = { .targets = &target, .ntargets = 1 };
		struct matrix_cell c = cell_of(&x, "demo", 0, &a);

		ck_assert_msg(str_is(c.text, cases[i].text), "%zu: %.*s", i, STR_ARG(c.text));
		ck_assert_int_eq(c.mark, cases[i].mark);
		arena_release(&a);
	}
}

/* A target without GPUs has a column, one with two has two; of a project in two versions the one
 * that runs is shown; a hole is not the same as what nobody needs. */
UNIT(matrix_has_a_column_for_each_gpu)
{
	static const struct str gpus[] = { { "8.0", 3 }, { "9.0", 3 } };
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct arena a = ARENA_INIT;
	struct target cpu = make_target(&a, "cpu", NULL, 0), two = make_target(&a, "two", gpus, 2);
	struct manifest_file old = {
		.name = STR("demo"), .version = STR("1.0"), .kind = DIST_WHEEL
	};
	struct manifest_file new = {
		.name = STR("demo"), .version = STR("2.0"), .kind = DIST_WHEEL
	};
	struct inspect_file files[] = { { .file = &new, .use = USE_BUILD },
		{ .file = &old, .use = USE_RUN } };
	struct inspect_target targets[] = { { .target = &cpu },
		{ .target = &two, .files = files, .nfiles = 2 } };
	const struct manifest_waiver waiver = { .project = STR("gone"),
		.target = STR("two"),
		.what = STR("hole"),
		.reason = STR("why") };
	struct inspection x = {
		.targets = targets, .ntargets = 2, .waivers = &waiver, .nwaivers = 1
	};

	inspection_matrix(&x, &text);
	ck_assert_str_eq(text.p, "target    cpu           two           two\n"
				 "python    3.12          3.12          3.12\n"
				 "torch     -             -             -\n"
				 "cuda      13.0          13.0          13.0\n"
				 "gpu       -             8.0           9.0\n"
				 "platform  linux_x86_64  linux_x86_64  linux_x86_64\n"
				 "libc      glibc 2.28    glibc 2.28    glibc 2.28\n"
				 "\n"
				 "demo      -             1.0           1.0\n"
				 "gone      -             hole          hole\n");
	arena_release(&a);
}

/* Nothing of a bundle can become markup. */
UNIT(inspection_html_escapes)
{
	static const struct str bad = { "<script>\"'&", 11 };
	CLEANUP_BUF struct buf page = BUF_INIT;
	struct arena a = ARENA_INIT;
	struct target t = make_target(&a, "t", NULL, 0);
	struct manifest_file f = { .name = bad,
		.version = bad,
		.file = bad,
		.origin = bad,
		.device_code = bad,
		.is_yanked = true,
		.yanked = bad };
	struct manifest_finding finding = {
		.check = bad, .result = STR("FAIL"), .member = bad, .text = bad
	};
	struct inspect_file file = { .file = &f, .findings = &finding, .nfindings = 1 };
	struct inspect_target target = { .target = &t, .files = &file, .nfiles = 1 };
	struct inspect_bundle bundle = {
		.channel = bad, .tool = bad, .signer = bad, .trusted_from = bad
	};
	const struct manifest_waiver waiver = { bad, bad, bad, bad };
	struct inspection x = { .name = bad,
		.bundles = &bundle,
		.nbundles = 1,
		.targets = &target,
		.ntargets = 1,
		.waivers = &waiver,
		.nwaivers = 1 };

	inspection_html(&x, &page);
	ck_assert_ptr_eq(strstr(page.p, "<script>"), NULL);
	ck_assert_ptr_eq(strstr(page.p, "\"'&"), NULL);
	ck_assert_ptr_ne(strstr(page.p, "&lt;script&gt;&quot;&#39;&amp;"), NULL);
	arena_release(&a);
}

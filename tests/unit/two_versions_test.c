/* A target that has a project twice: one version to run with, another in a build environment. */
#include "mirror/build_plan.h"
#include "mirror/closure.h"
#include "mirror/listing.h"
#include "tests/unit/unit.h"

#include <string.h>

struct row {
	const char *file, *name, *version;
	unsigned use;
	bool is_old, is_built;
	int source; /* of which row it was built; -1: none */
};

/* Sorted as a store sorts them: by project, the newest version first. */
enum { KERN, PURE, TOOL_3, TOOL_2, TOOL_2_BUILT, TOOL_1 };
static const struct row rows[] = {
	[KERN] = { "kern-1.tar.gz", "kern", "1", USE_RUN, 0, 0, -1 },
	[PURE] = { "pure-1.tar.gz", "pure", "1", USE_RUN, 0, 0, -1 },
	[TOOL_3] = { "tool-3-py3-none-any.whl", "tool", "3", USE_BUILD, 0, 0, -1 },
	[TOOL_2] = { "tool-2.tar.gz", "tool", "2", USE_BUILD, 0, 0, -1 },
	[TOOL_2_BUILT] = { "tool-2-py3-none-any.whl", "tool", "2", USE_BUILD, 0, 1, TOOL_2 },
	[TOOL_1] = { "tool-1-py3-none-any.whl", "tool", "1", USE_RUN, 0, 0, -1 },
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

struct stage {
	struct store_view view;
	struct store_target t;
	struct store_file files[ROWS];
	struct manifest_recipe recipes[3];
	size_t env[1];
};

static void stage_init(struct stage *st)
{
	static const struct target machine = { .name = { "t", 1 },
		.python = { .major = 3, .minor = 12 },
		.platform = { "linux_x86_64", 12 },
		.os = TARGET_LINUX,
		.machine = { "x86_64", 6 },
		.libc = TARGET_GLIBC,
		.libc_major = 2,
		.libc_minor = 28 };

	*st = (struct stage){ .view = STORE_VIEW_INIT, .env = { TOOL_2 } };
	for (size_t i = 0; i < ROWS; i++) {
		struct store_file *f = &st->files[i];

		*f = (struct store_file){ .use = rows[i].use,
			.is_current = !rows[i].is_old,
			.is_built = rows[i].is_built,
			.is_listed = true };
		memset(f->file.sha256.b, (int)i + 1, DIGEST_SIZE);
		f->file.file = str_of(rows[i].file);
		f->file.name = str_of(rows[i].name);
		f->file.version = str_of(rows[i].version);
		f->file.kind = str_ends(f->file.file, ".whl") ? DIST_WHEEL : DIST_SDIST;
		if (rows[i].source >= 0) {
			f->source = st->files[rows[i].source].file.sha256;
		}
	}
	st->files[KERN].needs_toolkit = true;
	st->recipes[0] = (struct manifest_recipe){ .file = KERN, .device_code = true };
	st->recipes[1] = (struct manifest_recipe){ .file = PURE };
	st->recipes[2] = (struct manifest_recipe){ .file = TOOL_2 };
	st->t = (struct store_target){ .target = machine,
		.files = st->files,
		.nfiles = ROWS,
		.recipes = st->recipes,
		.nrecipes = 3 };
	st->view.targets = &st->t;
	st->view.ntargets = 1;
}

static void set_environment(struct stage *st, size_t recipe)
{
	st->recipes[recipe].environment = st->env;
	st->recipes[recipe].nenvironment = 1;
}

/* The files of the project "tool" in the target's index, joined by spaces. */
static const char *tools(struct arena *a, const struct stage *st)
{
	struct listing l;
	const char *text = "";

	listing_of_target(a, &st->t, &l);
	for (size_t i = 0; i < l.nprojects; i++) {
		for (size_t j = 0; str_is(l.projects[i].name, "tool") && j < l.projects[i].nfiles;
			j++) {
			text = arena_printf(a, "%s%s%.*s", text, j ? " " : "",
				STR_ARG(l.projects[i].files[j].shown));
		}
	}
	return text;
}

UNIT(two_versions_in_the_index)
{
	struct arena a = ARENA_INIT;
	struct stage st;

	/* An installer that is asked for "tool" gets what the target runs with. */
	stage_init(&st);
	ck_assert_str_eq(tools(&a, &st), "tool-1-py3-none-any.whl");
	/* Builds with a toolkit are `build`'s: they take their files by name. */
	set_environment(&st, 0);
	ck_assert_str_eq(tools(&a, &st), "tool-1-py3-none-any.whl");
	/* pip builds the other one, and looks here for what it needs. */
	set_environment(&st, 1);
	ck_assert_str_eq(tools(&a, &st), "tool-2.tar.gz tool-1-py3-none-any.whl");
	/* An older one is in nobody's way, and without one to run with nothing is. */
	stage_init(&st);
	st.files[TOOL_3].use = USE_RUN;
	st.files[TOOL_1].use = USE_BUILD;
	ck_assert_str_eq(tools(&a, &st),
		"tool-3-py3-none-any.whl tool-2.tar.gz tool-2-py3-none-any.whl "
		"tool-1-py3-none-any.whl");
	stage_init(&st);
	st.files[TOOL_1].use = USE_BUILD;
	ck_assert_str_eq(tools(&a, &st),
		"tool-3-py3-none-any.whl tool-2.tar.gz tool-2-py3-none-any.whl "
		"tool-1-py3-none-any.whl");
	arena_release(&a);
}

UNIT(two_versions_for_running)
{
	struct stage st;

	stage_init(&st);
	ck_assert_ptr_eq(closure_pick(&st.t, STR("tool"), USE_RUN), &st.files[TOOL_1]);
	ck_assert_ptr_eq(closure_build_of(&st.t, &st.files[TOOL_2]), &st.files[TOOL_2_BUILT]);
	ck_assert_ptr_null(closure_build_of(&st.t, &st.files[KERN]));
}

static enum build_state state_of(struct stage *st, size_t file, bool again)
{
	struct build_plan p = BUILD_PLAN_INIT;
	struct build_request r = { .again = again };
	struct err e = ERR_INIT;
	enum build_state state = 0;

	ck_assert_msg(build_plan_make(&p, &st->view, &r, &e) == 0, "%s", e.text);
	for (size_t i = 0; i < p.n; i++) {
		if (p.v[i].sdist == &st->files[file].file) {
			state = p.v[i].state;
		}
	}
	build_plan_release(&p);
	return state;
}

UNIT(two_versions_to_build)
{
	struct stage st;

	/* Another version is newer, and this one is needed for all that. */
	stage_init(&st);
	ck_assert_int_eq(state_of(&st, KERN, false), BUILD_TO_DO);
	ck_assert_int_eq(state_of(&st, TOOL_2, false), BUILD_DONE_BEFORE);
	ck_assert_int_eq(state_of(&st, TOOL_2, true), BUILD_TO_DO);
	st.files[TOOL_2_BUILT].source = (struct digest){ .b = { 0 } };
	ck_assert_int_eq(state_of(&st, TOOL_2, false), BUILD_TO_DO);
	/* Of an older plan: nobody's need. */
	st.files[TOOL_2].is_current = st.files[TOOL_2_BUILT].is_current = false;
	ck_assert_int_eq(state_of(&st, TOOL_2, false), BUILD_DONE_BEFORE);
	st.files[TOOL_3].file.kind = DIST_SDIST;
	ck_assert_int_eq(state_of(&st, TOOL_2, false), 0);
}

UNIT(two_versions_are_built_in_order)
{
	struct build_plan p = BUILD_PLAN_INIT;
	struct build_request r = { .again = true };
	struct err e = ERR_INIT;
	struct stage st;

	stage_init(&st);
	set_environment(&st, 0);
	ck_assert_int_eq(build_plan_make(&p, &st.view, &r, &e), 0);
	ck_assert_ptr_eq(
		build_plan_next(&p)->sdist, &st.files[PURE].file); /* kern waits for tool */
	build_plan_next(&p)->state = BUILD_MADE;
	ck_assert_ptr_eq(build_plan_next(&p)->sdist, &st.files[TOOL_2].file);
	build_plan_next(&p)->state = BUILD_MADE;
	ck_assert_ptr_eq(build_plan_next(&p)->sdist, &st.files[KERN].file);
	build_plan_release(&p);
}

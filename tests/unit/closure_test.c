#include "mirror/closure.h"

#include "manifests/base/fs.h"
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

/* A target with these files, whose METADATA lies in a store of its own. */
struct stage {
	struct arena a;
	char dir[64];
	struct store *s;
	struct store_target t;
};

struct row {
	const char *name, *version;
	enum dist_kind kind;
	unsigned use;
	const char *requires; /* lines "Requires-Dist: ..." */
	bool is_old, is_built, is_hidden;
};

static void add_row(struct stage *st, const struct row *r, struct store_file *f)
{
	struct arena *a = &st->a;
	struct err e = ERR_INIT;
	char *text = arena_printf(a, "Metadata-Version: 2.1\nName: %s\nVersion: %s\n%s\n", r->name,
		r->version, r->requires ? r->requires : "");

	f->file.name = str_of(r->name);
	f->file.version = str_of(r->version);
	f->file.kind = r->kind;
	f->file.file = str_of(
		arena_printf(a, r->kind == DIST_WHEEL ? "%s-%s-py3-none-any.whl" : "%s-%s.tar.gz",
			r->name, r->version));
	f->use = r->use;
	f->is_current = !r->is_old;
	f->is_built = r->is_built;
	f->is_listed = !r->is_hidden;
	if (r->kind == DIST_WHEEL) {
		ck_assert_msg(
			store_put_text(st->s, str_of(text), &f->file.metadata_sha256, &e) == 0,
			"%s", e.text);
		f->file.metadata_size = strlen(text);
	}
}

static void stage_init(struct stage *st, const struct row *rows, size_t n)
{
	const struct target_spec spec = { .name = STR("t"),
		.python = STR("3.12"),
		.platform = STR("linux_x86_64"),
		.glibc = STR("2.28"),
		.cxx11_abi = -1 };
	struct err e = ERR_INIT;

	*st = (struct stage){ .a = ARENA_INIT, .dir = "/tmp/gpkg-closure-XXXXXX" };
	ck_assert_ptr_nonnull(mkdtemp(st->dir));
	ck_assert_msg(store_open(st->dir, STORE_WRITE, &st->s, &e) == 0, "%s", e.text);
	ck_assert_msg(target_make(&st->a, &spec, &st->t.target, &e) == 0, "%s", e.text);
	st->t.files = arena_array(&st->a, n, sizeof(*st->t.files));
	st->t.nfiles = n;
	for (size_t i = 0; i < n; i++) {
		add_row(st, &rows[i], &st->t.files[i]);
	}
}

static void stage_release(struct stage *st)
{
	struct err e = ERR_INIT;

	store_close(st->s);
	ck_assert_msg(fs_remove_tree(st->dir, &e) == 0, "%s", e.text);
	arena_release(&st->a);
}

/* "a b c" of the result, or the error's text. */
static const char *closure_text(
	struct stage *st, unsigned uses, const char *root, int *rc)
{
	struct buf text = BUF_INIT;
	struct closure c = { .n = 0 };
	struct err e = ERR_INIT;
	struct str one = str_of(root);

	*rc = -closure_of(st->s, &st->t, uses, &one, root ? 1 : 0, &st->a, &c, &e);
	if (*rc) {
		return arena_dup(&st->a, str_of(e.text));
	}
	for (size_t i = 0; i < c.n; i++) {
		buf_addf(&text, "%s%.*s", i ? " " : "", STR_ARG(c.v[i]->file.name));
	}
	char *out = arena_dup(&st->a, buf_str(&text));

	buf_release(&text);
	return out;
}

static const struct row rows[] = {
	{ "a", "1.0", DIST_WHEEL, USE_RUN,
		"Requires-Dist: B\nRequires-Dist: win; sys_platform == 'win32'\nRequires-Dist: "
		"c[fast]\n",
		0, 0, 0 },
	{ "b", "1.0", DIST_WHEEL, USE_RUN, NULL, 0, 0, 0 },
	{ "c", "1.0", DIST_WHEEL, USE_RUN,
		"Requires-Dist: d; extra == 'fast'\nRequires-Dist: e; extra == "
		"'slow'\nRequires-Dist: a\n",
		0, 0, 0 },
	{ "d", "1.0", DIST_WHEEL, USE_RUN, NULL, 0, 0, 0 },
	{ "e", "1.0", DIST_WHEEL, USE_RUN, "Requires-Dist: missing\n", 0, 0, 0 },
	{ "src", "1.0", DIST_SDIST, USE_RUN, NULL, 0, 0, 0 },
	{ "tool", "1.0", DIST_WHEEL, USE_BUILD, "Requires-Dist: missing\nRequires-Dist: d\n", 0, 0,
		0 },
};

UNIT(closure_follows_what_the_target_needs)
{
	static const struct {
		const char *root; /* NULL: all */
		unsigned uses;
		int rc;
		const char *want;
	} cases[] = {
		{ "A", USE_RUN, 0, "a b c d" },
		{ "b", USE_RUN, 0, "b" },
		{ "c", USE_RUN, 0, "a b c d" }, /* a circle; a asks for the extra */
		{ "c[slow]", USE_RUN, RC_HOLE, "missing" },
		{ "e", USE_RUN, RC_HOLE, "lacks missing, which e needs" },
		{ "src", USE_RUN, 0, "src" },
		{ "tool", USE_RUN, RC_NOT_FOUND, "no package tool" },
		{ "tool", USE_RUN | USE_BUILD, RC_HOLE, "lacks missing, which tool needs" },
		{ "nothing", USE_RUN, RC_NOT_FOUND, "nothing" },
		{ "b==1.0", USE_RUN, RC_USAGE, "versions are those of the bundle" },
		{ "b; sys_platform == 'linux'", USE_RUN, RC_USAGE, "bundle" },
		{ "b[", USE_RUN, RC_SYNTAX, "" },
		{ NULL, USE_RUN, 0, "a b c d e src" },
	};
	struct stage st;

	stage_init(&st, rows, sizeof(rows) / sizeof(rows[0]));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int rc;
		const char *got =
			closure_text(&st, cases[i].uses, cases[i].root, &rc);

		ck_assert_msg(rc == cases[i].rc, "case %zu: %d, %s", i, rc, got);
		if (rc) {
			ck_assert_msg(strstr(got, cases[i].want) != NULL, "case %zu: %s", i, got);
		} else {
			ck_assert_str_eq(got, cases[i].want);
		}
	}
	stage_release(&st);
}

UNIT(closure_pick_takes_what_the_target_should_see)
{
	static const struct row many[] = {
		/* A newer version that only an older bundle has; the plan in force counts. */
		{ "plan", "2.0", DIST_WHEEL, USE_RUN, NULL, 1, 0, 0 },
		{ "plan", "1.0", DIST_WHEEL, USE_RUN, NULL, 0, 0, 0 },
		/* Built here: before its source. */
		{ "made", "1.0", DIST_SDIST, USE_RUN, NULL, 0, 0, 0 },
		{ "made", "1.0", DIST_WHEEL, USE_RUN, NULL, 0, 1, 0 },
		/* A newer source before an older wheel, and before what was built of that. */
		{ "news", "1.10", DIST_SDIST, USE_RUN, NULL, 0, 0, 0 },
		{ "news", "1.9", DIST_WHEEL, USE_RUN, NULL, 0, 0, 0 },
		{ "hidden", "1.0", DIST_WHEEL, USE_RUN, NULL, 0, 0, 1 },
		{ "both", "1.0", DIST_WHEEL, USE_BUILD, NULL, 0, 0, 0 },
	};
	struct stage st;

	stage_init(&st, many, sizeof(many) / sizeof(many[0]));
	ck_assert_ptr_eq(closure_pick(&st.t, STR("plan"), USE_RUN), &st.t.files[1]);
	ck_assert_ptr_eq(closure_pick(&st.t, STR("made"), USE_RUN), &st.t.files[3]);
	ck_assert_ptr_eq(closure_pick(&st.t, STR("news"), USE_RUN), &st.t.files[4]);
	ck_assert_ptr_null(closure_pick(&st.t, STR("hidden"), USE_RUN));
	ck_assert_ptr_null(closure_pick(&st.t, STR("both"), USE_RUN));
	ck_assert_ptr_eq(closure_pick(&st.t, STR("both"), USE_RUN | USE_BUILD), &st.t.files[7]);
	ck_assert_ptr_null(closure_pick(&st.t, STR("absent"), USE_RUN));
	stage_release(&st);
}

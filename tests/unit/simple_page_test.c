#include "mirror/simple_page.h"
#include "manifests/base/json.h"
#include "mirror/wheel_alias.h"
#include "tests/unit/unit.h"
#include "tests/unit/view_fixture.h"

#include <string.h>

static struct store_view view;
static struct arena arena;

static void begin(void)
{
	view_fixture(&view);
	arena = (struct arena)ARENA_INIT;
}

static void end(void)
{
	store_view_release(&view);
	arena_release(&arena);
}

static const struct listing_project *project(const struct listing *l, const char *name)
{
	for (size_t i = 0; i < l->nprojects; i++) {
		if (str_is(l->projects[i].name, name)) {
			return &l->projects[i];
		}
	}
	ck_abort_msg("no project %s", name);
	return NULL;
}

static struct listing h100(void)
{
	struct listing l;

	listing_of_target(&arena, store_view_target(&view, STR("h100")), &l);
	return l;
}

UNIT(simple_page_root)
{
	struct buf html = BUF_INIT, json = BUF_INIT;

	begin();
	struct listing l = h100();
	simple_root_html(&l, &html);
	ck_assert(str_has(buf_str(&html), "<meta name=\"pypi:repository-version\" content=\"1.1\">"));
	ck_assert(str_has(buf_str(&html), "<a href=\"flash-attn/\">flash-attn</a>"));
	simple_root_json(&l, &json);
	ck_assert_str_eq(json.p,
		"{\"meta\":{\"api-version\":\"1.1\"},\"projects\":[{\"name\":\"demo\"},"
		"{\"name\":\"flash-attn\"},{\"name\":\"kern\"},{\"name\":\"ninja\"},{\"name\":\"old\"},"
		"{\"name\":\"torch\"}]}");
	buf_release(&html);
	buf_release(&json);
	end();
}

UNIT(simple_page_project_html)
{
	struct buf b = BUF_INIT;
	char expected[1024];

	begin();
	struct listing l = h100();
	simple_project_html(project(&l, "old"), "../../../../", &b);
	snprintf(expected, sizeof(expected),
		"<a href=\"../../../../files/%s/old-0.9-py3-none-any.whl#sha256=%s\""
		" data-requires-python=\"&lt;3.13,&gt;=3.8\" data-core-metadata=\"sha256=%s\""
		" data-yanked=\"breaks &lt;all&gt; &amp; &quot;more&quot;\">old-0.9-py3-none-any.whl</a><br>\n",
		fixture_hex(FIXTURE_OLD), fixture_hex(FIXTURE_OLD), fixture_hex(FIXTURE_OLD + 1));
	ck_assert_msg(str_has(buf_str(&b), expected), "%s", b.p);
	ck_assert(!str_has(buf_str(&b), "<base"));
	ck_assert(!str_has(buf_str(&b), "dist-info-metadata")); /* pip 22.3 would fetch twice */
	buf_clear(&b);
	simple_project_html(project(&l, "torch"), "../../", &b);
	ck_assert(str_has(buf_str(&b), "/torch-2.8.0%2Bcu128-cp312-cp312-manylinux_2_28_x86_64.whl#sha256="));
	ck_assert(str_has(buf_str(&b), ">torch-2.8.0+cu128-cp312-cp312-manylinux_2_28_x86_64.whl</a>"));
	buf_clear(&b);
	simple_project_html(project(&l, "flash-attn"), "../../", &b);
	ck_assert(str_has(buf_str(&b), ">flash_attn-2.8.3-1cu12torch2.8-cp312-cp312-linux_x86_64.whl</a>"));
	ck_assert(!str_has(buf_str(&b), "2.8.3+") && !str_has(buf_str(&b), "2.8.3%2B"));
	buf_release(&b);
	end();
}

UNIT(simple_page_yanked_without_a_reason)
{
	struct buf html = BUF_INIT, json = BUF_INIT;
	struct listing l;

	begin();
	listing_of_target(&arena, store_view_target(&view, STR("a100")), &l);
	simple_project_html(project(&l, "zero"), "", &html);
	simple_project_json(project(&l, "zero"), "", &json);
	ck_assert(str_has(buf_str(&html), " data-yanked=\"\">"));
	ck_assert(str_has(buf_str(&json), "\"yanked\":true"));
	buf_release(&html);
	buf_release(&json);
	end();
}

static void check_file(const struct json *file, const char *name, uint64_t size, bool is_wheel)
{
	struct err e = ERR_INIT;
	struct str text;
	uint64_t n;
	const struct json *hashes;

	ck_assert_int_eq(json_need_str(file, "filename", &text, &e), 0);
	ck_assert(str_is(text, name));
	ck_assert_int_eq(json_need_str(file, "url", &text, &e), 0);
	ck_assert(str_starts(text, "../../files/"));
	ck_assert_int_eq(json_need_u64(file, "size", &n, &e), 0);
	ck_assert_uint_eq(n, size);
	ck_assert_int_eq(json_need_object(file, "hashes", &hashes, &e), 0);
	ck_assert_int_eq(json_need_str(hashes, "sha256", &text, &e), 0);
	ck_assert_uint_eq(text.n, 64);
	ck_assert_int_eq(json_get(file, "core-metadata") != NULL, is_wheel);
	ck_assert(json_get(file, "dist-info-metadata") == NULL);
	ck_assert(json_is_bool(json_get(file, "yanked")));
}

UNIT(simple_page_project_json)
{
	struct buf b = BUF_INIT;
	struct err e = ERR_INIT;
	struct json *doc;
	const struct json *files, *versions;
	struct str text;

	begin();
	struct listing l = h100();
	simple_project_json(project(&l, "demo"), "../../", &b);
	ck_assert_int_eq(json_parse(buf_str(&b), &doc, &e), 0);
	ck_assert_int_eq(json_need_str(json_get(doc, "meta"), "api-version", &text, &e), 0);
	ck_assert(str_is(text, "1.1"));
	ck_assert_int_eq(json_need_array(doc, "versions", &versions, &e), 0);
	ck_assert_uint_eq(json_count(versions), 1); /* two files of one version */
	ck_assert_int_eq(json_need_array(doc, "files", &files, &e), 0);
	ck_assert_uint_eq(json_count(files), 2);
	const struct json *wheel = json_first(files);
	check_file(wheel, "demo-1.0-py3-none-any.whl", 885, true);
	check_file(json_next(wheel), "demo-1.0.tar.gz", 937, false);
	ck_assert_int_eq(json_need_str(wheel, "requires-python", &text, &e), 0);
	ck_assert(str_is(text, ">=3.9"));
	ck_assert(json_get(json_next(wheel), "requires-python") == NULL);
	json_free(doc);
	buf_clear(&b);
	simple_project_json(project(&l, "old"), "", &b);
	ck_assert(str_has(buf_str(&b), "\"yanked\":\"breaks <all> & \\\"more\\\"\""));
	buf_release(&b);
	end();
}

UNIT(simple_page_root_leaves_out_what_is_ambiguous)
{
	struct buf b = BUF_INIT;
	struct listing l;

	begin();
	listing_of_all(&arena, &view, &l);
	simple_root_json(&l, &b);
	ck_assert_str_eq(b.p,
		"{\"meta\":{\"api-version\":\"1.1\"},\"projects\":[{\"name\":\"demo\"},"
		"{\"name\":\"flash-attn\"},{\"name\":\"kern\"},{\"name\":\"ninja\"},{\"name\":\"old\"},"
		"{\"name\":\"zero\"}]}");
	ck_assert_uint_eq(project(&l, "demo")->nfiles, 2); /* each once, though two targets have it */
	ck_assert_uint_eq(project(&l, "kern")->nfiles, 1); /* what was built here is not for all */
	ck_assert(project(&l, "kern")->files[0].file->file.kind == DIST_SDIST);
	buf_release(&b);
	end();
}

/* Two files of one project on two targets: do they leave it out? */
UNIT(simple_page_what_is_ambiguous)
{
	static const struct {
		const char *a, *b;
		bool is_ambiguous;
	} rows[] = {
		{ "x-1+cu126-cp312-cp312-linux_x86_64.whl", "x-1+cu128-cp312-cp312-linux_x86_64.whl", true },
		{ "x-1+cu126-cp312-cp312-linux_x86_64.whl", "x-2+cu128-cp312-cp312-linux_x86_64.whl", true },
		{ "x-1+cu126-cp312-cp312-linux_x86_64.whl",
			"x-1+cu128-cp312-cp312-manylinux_2_28_x86_64.whl", true },
		{ "x-1+cu126-cp312-cp312-manylinux2014_x86_64.whl",
			"x-1+cu128-cp311.cp312-cp312-manylinux_2_28_x86_64.linux_x86_64.whl", true },
		{ "x-1-cp312-cp312-linux_x86_64.whl", "x-1+cu128-cp312-cp312-linux_x86_64.whl", true },
		{ "x-1-cp312-cp312-linux_x86_64.whl", "x-1-cp312-cp312-linux_x86_64.whl", true },
		{ "x-1.tar.gz", "x-1.tar.gz", true },
		{ "x-1+cu126-cp312-cp312-linux_x86_64.whl", "x-1+cu128-cp311-cp311-linux_x86_64.whl", false },
		{ "x-1+cu126-cp312-cp312-linux_x86_64.whl", "x-1+cu128-cp312-cp312-linux_aarch64.whl", false },
		{ "x-1+cu126-cp312-cp312-linux_x86_64.whl", "x-1+cpu-cp312-cp312-win_amd64.whl", false },
		{ "x-1+cu126-cp312-cp312-linux_x86_64.whl", "x-1+cu128-cp312-cp312t-linux_x86_64.whl", false },
		{ "x-1+cu128-cp312-cp312-linux_x86_64.whl", "x-2+cu128-cp312-cp312-linux_x86_64.whl", false },
		{ "x-1-cp312-cp312-manylinux_2_17_x86_64.whl", "x-1-cp312-cp312-manylinux_2_28_x86_64.whl",
			false },
		{ "x-1-1-cp312-cp312-linux_x86_64.whl", "x-1-2-cp312-cp312-linux_x86_64.whl", false },
		{ "x-1-py3-none-any.whl", "x-1-cp312-cp312-linux_x86_64.whl", false },
		{ "x-1.tar.gz", "x-2.tar.gz", false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct listing l;

		begin();
		for (size_t j = 0; j < 2; j++) {
			struct store_target *t = &view.targets[j];
			struct manifest_file *f = &t->files[0].file;

			t->nfiles = 1;
			f->name = STR("x");
			f->file = str_of(j ? rows[i].b : rows[i].a);
			f->kind = str_ends(f->file, ".whl") ? DIST_WHEEL : DIST_SDIST;
			memset(f->sha256.b, (int)j + 1, DIGEST_SIZE);
		}
		listing_of_all(&arena, &view, &l);
		ck_assert_msg((l.nprojects == 0) == rows[i].is_ambiguous, "%s / %s", rows[i].a, rows[i].b);
		ck_assert(l.nprojects == 0 || l.projects[0].nfiles == 2);
		end();
	}
}

UNIT(simple_page_shows_only_what_is_listed)
{
	struct listing l;

	begin();
	for (size_t i = 0; i < view.targets[1].nfiles; i++) {
		view.targets[1].files[i].is_listed = i == 2;
	}
	l = h100();
	ck_assert_uint_eq(l.nprojects, 1);
	ck_assert(str_is(l.projects[0].name, "flash-attn"));
	end();
}

/* A source that needs nvcc is offered only as the wheel that was built of it. */
UNIT(simple_page_source_for_a_gpu_is_not_offered)
{
	struct listing l;

	begin();
	struct store_target *t = &view.targets[1];
	for (size_t i = 0; i < t->nfiles; i++) {
		t->files[i].needs_toolkit = str_is(t->files[i].file.file, "kern-0.1.tar.gz");
	}
	l = h100();
	ck_assert_uint_eq(project(&l, "kern")->nfiles, 1);
	ck_assert(project(&l, "kern")->files[0].file->is_built);
	listing_of_all(&arena, &view, &l);
	for (size_t i = 0; i < l.nprojects; i++) {
		ck_assert(!str_is(l.projects[i].name, "kern"));
	}
	end();
}

UNIT(wheel_alias_table)
{
	static const struct {
		const char *file, *alias;
	} rows[] = {
		{ "flash_attn-2.8.3+cu12torch2.8cxx11abiTRUE-cp312-cp312-linux_x86_64.whl",
			"flash_attn-2.8.3-1cu12torch2.8cxx11abiTRUE-cp312-cp312-linux_x86_64.whl" },
		{ "x-1+cu12-3-py3-none-any.whl", "x-1-3cu12-py3-none-any.whl" },
		{ "x-1+0.1-py3-none-any.whl", "x-1-1_0.1-py3-none-any.whl" },
		{ "x-1-py3-none-any.whl", NULL },
		{ "x-1+-py3-none-any.whl", NULL },
		{ "x-1+cu12.tar.gz", NULL },
		{ "x-1+cu12-a-b-c-d-e-f.whl", NULL },
		{ "x-1+cu12-any.whl", NULL },
		{ "", NULL },
	};

	begin();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *alias = wheel_alias(&arena, str_of(rows[i].file));

		ck_assert_msg(rows[i].alias ? alias && strcmp(alias, rows[i].alias) == 0 : !alias, "%s: %s",
			rows[i].file, alias ? alias : "none");
	}
	end();
}

UNIT(simple_page_escapes_html)
{
	struct buf b = BUF_INIT;

	html_escape(STR("<a href=\"x\">'&amp;'"), &b);
	ck_assert_str_eq(b.p, "&lt;a href=&quot;x&quot;&gt;&#39;&amp;amp;&#39;");
	buf_release(&b);
}

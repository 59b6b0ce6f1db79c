#include "manifests/limits.h"
#include "manifests/manifest.h"
#include "tests/unit/manifest_fixture.h"
#include "tests/unit/unit.h"

#include <string.h>

static int read_text(struct str text, struct err *e)
{
	struct manifest m = MANIFEST_INIT;
	int r = manifest_read(text, &m, e);

	if (!r) {
		manifest_release(&m);
	}
	return r;
}

UNIT(manifest_reads_what_it_writes)
{
	CLEANUP_BUF struct buf one = BUF_INIT, two = BUF_INIT;
	struct manifest m, again = MANIFEST_INIT;
	const struct str *texts;
	struct err e = ERR_INIT;

	manifest_fixture(&m, &texts);
	manifest_write(&m, &one);
	ck_assert_msg(manifest_read(buf_str(&one), &again, &e) == 0, "%s", e.text);
	manifest_write(&again, &two);
	ck_assert(str_eq(buf_str(&one), buf_str(&two)));
	ck_assert_uint_eq(again.nfiles, 2);
	ck_assert(again.targets[1].target.python.free_threaded);
	ck_assert_uint_eq(again.targets[0].target.cuda.major, 13);
	ck_assert_uint_eq(again.targets[0].picks[0].use, USE_RUN | USE_BUILD);
	ck_assert_uint_eq(again.targets[0].recipes[0].nenvironment, 1);
	ck_assert_uint_eq(again.targets[0].recipes[0].environment[0], 0);
	const struct manifest_pick *audited = &again.targets[0].picks[0];
	ck_assert_uint_eq(audited->nfindings, 2);
	ck_assert(str_is(audited->findings[0].check, "gpu-code"));
	ck_assert(str_is(audited->findings[1].result, "UNKNOWN"));
	ck_assert(str_is(audited->findings[1].text, "torch is not at hand"));
	ck_assert(str_starts(audited->audit, "1! 2?"));
	ck_assert_uint_eq(again.targets[0].picks[1].audit.n, 0);
	ck_assert(manifest_is_compiled(&again.targets[0], 1));
	ck_assert(!manifest_is_compiled(&again.targets[0], 0));
	ck_assert_uint_eq(manifest_total(&again), 299999 + 8);
	ck_assert_ptr_eq(manifest_target_of(&again, STR("three")), NULL);
	manifest_release(&m);
	manifest_release(&again);
}

/* What was packed before there was an audit can still be read, and says the same. */
UNIT(manifest_reads_spec_1)
{
	CLEANUP_BUF struct buf one = BUF_INIT, two = BUF_INIT;
	struct manifest m, again = MANIFEST_INIT;
	const struct str *texts;
	struct err e = ERR_INIT;

	manifest_fixture(&m, &texts);
	m.spec = MANIFEST_SPEC_OLDEST;
	manifest_write(&m, &one);
	ck_assert(!str_has(buf_str(&one), "audit") && !str_has(buf_str(&one), "findings"));
	ck_assert_msg(manifest_read(buf_str(&one), &again, &e) == 0, "%s", e.text);
	ck_assert_uint_eq(again.spec, 1);
	ck_assert_uint_eq(again.targets[0].picks[0].audit.n, 0);
	manifest_write(&again, &two);
	ck_assert(str_eq(buf_str(&one), buf_str(&two)));
	manifest_release(&m);
	manifest_release(&again);
}

static void set_findings(struct manifest *m, size_t n, size_t length)
{
	struct manifest_pick *p = &m->targets[0].picks[0];
	char *text = arena_alloc(&m->arena, length);

	memset(text, 'x', length);
	p->findings = arena_array(&m->arena, n, sizeof(*p->findings));
	p->nfindings = n;
	for (size_t i = 0; i < n; i++) {
		p->findings[i] = (struct manifest_finding){ .check = STR("os"), .result = STR("FAIL"),
			.text = { text, length } };
	}
}

UNIT(manifest_limits_findings)
{
	static const struct {
		size_t n, length;
		bool has_audit, is_taken;
	} cases[] = {
		{ LIMIT_PICK_FINDINGS, LIMIT_FINDING_KEPT, true, true },
		{ LIMIT_PICK_FINDINGS + 1, 1, true, false },
		{ 1, LIMIT_FINDING_KEPT + 1, true, false },
		{ 1, 1, false, false }, /* found by nobody */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CLEANUP_BUF struct buf text = BUF_INIT;
		struct err e = ERR_INIT;
		struct manifest m;
		const struct str *texts;

		manifest_fixture(&m, &texts);
		set_findings(&m, cases[i].n, cases[i].length);
		m.targets[0].picks[0].audit = cases[i].has_audit ? STR("1!") : STR_NULL;
		manifest_write(&m, &text);
		int r = read_text(buf_str(&text), &e);
		ck_assert_msg((r == 0) == cases[i].is_taken, "%zu: %s", i, e.text);
		ck_assert_msg(r == 0 || r == -RC_BUNDLE_MANIFEST, "%zu: %s", i, e.text);
		manifest_release(&m);
	}
}

struct replacement {
	const char *from, *to;
	enum rc rc;
};

/* Each makes a text of the fixture that must be refused, with its code. */
static void check_refused(const struct replacement *cases, size_t n)
{
	CLEANUP_BUF struct buf good = BUF_INIT;
	struct manifest m;
	const struct str *texts;

	manifest_fixture(&m, &texts);
	manifest_write(&m, &good);
	for (size_t i = 0; i < n; i++) {
		CLEANUP_BUF struct buf bad = BUF_INIT;
		struct err e = ERR_INIT;
		const char *at = strstr(good.p, cases[i].from);

		ck_assert_msg(at != NULL, "the fixture has no %s", cases[i].from);
		buf_add(&bad, good.p, (size_t)(at - good.p));
		buf_adds(&bad, cases[i].to);
		buf_adds(&bad, at + strlen(cases[i].from));
		ck_assert_msg(read_text(buf_str(&bad), &e) != 0, "taken: %s", cases[i].to);
		ck_assert_msg(e.rc == cases[i].rc, "%s: %s", cases[i].to, e.text);
	}
	manifest_release(&m);
}

UNIT(manifest_refuses)
{
	static const struct replacement cases[] = {
		{ "\"spec\":2", "\"spec\":3", RC_BUNDLE_SPEC },
		{ "\"spec\":2", "\"spec\":0", RC_BUNDLE_SPEC },
		{ "\"kind\":\"full\"", "\"kind\":\"delta\"", RC_BUNDLE_SPEC },
		{ "\"encoding\":\"plain\"", "\"encoding\":\"gpp1\"", RC_BUNDLE_SPEC },
		{ "\"use\":[\"run\",\"build\"]", "\"use\":[\"build\",\"run\"]", RC_BUNDLE_MANIFEST },
		{ "\"use\":[\"run\",\"build\"]", "\"use\":[]", RC_BUNDLE_MANIFEST },
		{ "\"type\":\"gpkg-bundle-manifest\"", "\"type\":\"gpkg-bundle-manifes\"", RC_BUNDLE_MANIFEST },
		{ "\"serial\":7", "\"serial\":07", RC_BUNDLE_MANIFEST },
		{ "\"serial\":7", "\"serial\":7.0", RC_BUNDLE_MANIFEST },
		{ "\"serial\":7", "\"serial\":-7", RC_BUNDLE_MANIFEST },
		{ "\"serial\":7", "\"serial\": 7", RC_BUNDLE_MANIFEST },
		{ "\"serial\":7", "\"serial\":7,\"serial\":7", RC_BUNDLE_MANIFEST },
		{ "\"serial\":7", "\"serial\":7,\"surprise\":1", RC_BUNDLE_MANIFEST },
		{ "\"channel\":\"lab\"", "\"channel\":\"../x\"", RC_BUNDLE_MANIFEST },
		{ "\"channel\":\"lab\"", "\"channel\":\"\\u006cab\"", RC_BUNDLE_MANIFEST },
		{ "alpha-1.0-py3-none-any.whl", "alpha-1.0-py3-none-any/whl", RC_BUNDLE_MANIFEST },
		{ "alpha-1.0-py3-none-any.whl", "gamma-1.0-py3-none-any.whl", RC_BUNDLE_MANIFEST },
		{ "beta-1.0.tar.gz", "../ta-1.0.tar.gz", RC_BUNDLE_MANIFEST },
		{ "\"size\":8,", "\"size\":9007199254740993,", RC_BUNDLE_MANIFEST },
		{ "\"name\":\"two\"", "\"name\":\"one\"", RC_BUNDLE_MANIFEST },
		{ "\"name\":\"two\"", "\"name\":\"T.o\"", RC_BUNDLE_MANIFEST },
		{ "\"python\":\"3.12\"", "\"python\":\"3.1\"", RC_BUNDLE_MANIFEST },
		{ "\"file\":1,", "\"file\":2,", RC_BUNDLE_MANIFEST },
		{ "\"file\":0,", "\"file\":1,", RC_BUNDLE_MANIFEST },
		{ "\"environment\":[0]", "\"environment\":[0,0]", RC_BUNDLE_MANIFEST },
		{ "\"environment\":[0]", "\"environment\":[1]", RC_BUNDLE_MANIFEST }, /* not for building */
		{ "\"environment\":[0]", "\"environment\":[2]", RC_BUNDLE_MANIFEST },
		{ "\"environment\":[0]", "\"environment\":[18446744073709551616]", RC_BUNDLE_MANIFEST },
		{ "\"environment\":[0]", "\"environment\":[\"alpha\"]", RC_BUNDLE_MANIFEST },
		{ "\"environment\":[0]", "\"requires\":[\"alpha\"]", RC_BUNDLE_MANIFEST },
		{ "{\"advisories\"", "[{\"advisories\"", RC_BUNDLE_MANIFEST },
	};

	check_refused(cases, sizeof(cases) / sizeof(cases[0]));
}

UNIT(manifest_refuses_findings)
{
	static const struct replacement cases[] = {
		{ "\"spec\":2", "\"spec\":1", RC_BUNDLE_MANIFEST }, /* which has no audit */
		{ "\"audit\":\"1!", "\"audited\":\"1!", RC_BUNDLE_MANIFEST },
		{ "\"check\":\"gpu-code\"", "\"check\":\"<b>\"", RC_BUNDLE_MANIFEST },
		{ "\"check\":\"gpu-code\"", "\"check\":\"\"", RC_BUNDLE_MANIFEST },
		{ "\"result\":\"WARN\"", "\"result\":\"PASS\"", RC_BUNDLE_SPEC },
		{ "\"result\":\"WARN\"", "\"result\":\"warn\"", RC_BUNDLE_SPEC },
		{ "\"member\":\"alpha/_C.so\",", "", RC_BUNDLE_MANIFEST },
		{ "\"findings\":[{", "\"findings\":[1,{", RC_BUNDLE_MANIFEST },
	};

	check_refused(cases, sizeof(cases) / sizeof(cases[0]));
}

/* A project in two versions: one to run with, any number to build with. */
UNIT(manifest_runs_with_one_file_of_a_project)
{
	struct manifest m;
	const struct str *texts;

	manifest_fixture(&m, &texts);
	m.files[1] = m.files[0];
	m.files[1].file = STR("alpha-2.0-py3-none-any.whl");
	m.targets[0].nrecipes = 0;
	for (size_t i = 0; i < 4; i++) {
		CLEANUP_BUF struct buf text = BUF_INIT;
		struct err e = ERR_INIT;

		m.targets[0].picks[0].use = i & 1 ? USE_RUN | USE_BUILD : USE_BUILD;
		m.targets[0].picks[1].use = i & 2 ? USE_RUN : USE_BUILD;
		manifest_write(&m, &text);
		ck_assert_int_eq(read_text(buf_str(&text), &e), i == 3 ? -RC_BUNDLE_MANIFEST : 0);
		ck_assert_msg(i < 3 || strstr(e.text, "the second of alpha to run with"), "%s", e.text);
	}
	manifest_release(&m);
}

UNIT(manifest_refuses_files_out_of_order)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct manifest m;
	const struct str *texts;
	struct err e = ERR_INIT;

	manifest_fixture(&m, &texts);
	struct manifest_file first = m.files[0];
	m.files[0] = m.files[1];
	m.files[1] = first;
	m.targets[0].nrecipes = 0;
	manifest_write(&m, &text);
	ck_assert_int_eq(read_text(buf_str(&text), &e), -RC_BUNDLE_MANIFEST);
	ck_assert_msg(strstr(e.text, "files[1]: twice, or not in order"), "%s", e.text);
	manifest_release(&m);
}

UNIT(manifest_refuses_every_cut)
{
	CLEANUP_BUF struct buf good = BUF_INIT;
	struct manifest m;
	const struct str *texts;

	manifest_fixture(&m, &texts);
	manifest_write(&m, &good);
	for (size_t n = 0; n < good.n; n++) {
		struct err e = ERR_INIT;

		ck_assert_msg(read_text((struct str){ good.p, n }, &e) != 0, "taken when cut at %zu", n);
	}
	manifest_release(&m);
}

UNIT(manifest_channels)
{
	static const char *const good[] = { "lab", "A.b_c-9", "0" };
	static const char *const bad[] = { "", ".x", "-x", "a/b", "a b", "ä" };
	struct err e = ERR_INIT;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		ck_assert_int_eq(manifest_check_channel(str_of(good[i]), &e), 0);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ck_assert_msg(manifest_check_channel(str_of(bad[i]), &e) != 0, "taken: %s", bad[i]);
	}
}

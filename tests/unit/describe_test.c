#include "bundle/describe.h"
#include "manifests/limits.h"
#include "tests/unit/unit.h"

#include <string.h>

struct described {
	struct arena arena;
	struct lock lock;
	struct plan plan;
	struct plan_audit audit;
	struct manifest manifest;
};

static struct target make_target(struct arena *a)
{
	const struct target_spec spec = { .name = STR("t"),
		.python = STR("3.12"),
		.platform = STR("linux_x86_64"),
		.glibc = STR("2.28"),
		.cxx11_abi = -1 };
	struct target t;
	struct err e = ERR_INIT;

	ck_assert_msg(target_make(a, &spec, &t, &e) == 0, "%s", e.text);
	return t;
}

/* A plan of one wheel for one target. */
static void prepare(struct described *d, struct plan_audited *audited)
{
	struct arena *a = &d->arena;
	struct err e = ERR_INIT;

	*d = (struct described){ .arena = ARENA_INIT,
		.lock = LOCK_INIT,
		.plan = PLAN_INIT,
		.audit = PLAN_AUDIT_INIT,
		.manifest = MANIFEST_INIT };
	struct target *t = arena_alloc(a, sizeof(*t));
	struct plan_file *f = arena_alloc(a, sizeof(*f));
	struct plan_pick *pick = arena_alloc(a, sizeof(*pick));
	struct plan_target *target = arena_alloc(a, sizeof(*target));
	*t = make_target(a);
	*f = (struct plan_file){ .project = STR("demo"), .hash_from = HASH_FROM_INDEX };
	f->from.url = arena_dup(a, STR("https://index.example.org/demo"));
	ck_assert_int_eq(
		dist_name_parse(a, STR("demo-1.0-py3-none-any.whl"), &f->from.name, &e), 0);
	*pick = (struct plan_pick){ .use = USE_RUN };
	*target = (struct plan_target){ .target = t, .picks = pick, .npicks = 1 };
	d->plan.files = f;
	d->plan.nfiles = 1;
	d->plan.targets = target;
	d->plan.ntargets = 1;
	d->audit.picks = arena_array(a, 1, sizeof(*d->audit.picks));
	d->audit.picks[0] = audited;
	d->audit.device_code = arena_array(a, 1, sizeof(struct str));
	d->audit.is_record_waived = arena_array(a, 1, sizeof(bool));
	describe(&d->lock, &d->plan, &d->audit, &d->manifest);
}

static void release(struct described *d)
{
	manifest_release(&d->manifest);
	arena_release(&d->arena);
}

static void fill(struct audit_finding *v, size_t n, enum audit_result result)
{
	for (size_t i = 0; i < n; i++) {
		v[i] = (struct audit_finding){
			.check = AUDIT_libraries, .result = result, .text = STR("text")
		};
	}
}

/* Of more findings than a manifest takes, the gravest stay, and it is told how many went. */
UNIT(describe_keeps_the_gravest_findings)
{
	static const struct {
		size_t warn, unknown, fail; /* in this order */
		size_t kept_warn, kept_unknown, kept_fail;
		const char *last;
	} cases[] = {
		{ 0, 0, 0, 0, 0, 0, NULL },
		{ 30, 1, 1, 30, 1, 1, NULL },
		{ 33, 0, 0, 32, 0, 0, "and 2 more findings" },
		{ 33, 2, 3, 27, 2, 3, "and 7 more findings" },
		{ 2, 40, 3, 0, 29, 3, "and 14 more findings" },
		{ 5, 5, 40, 0, 0, 32, "and 19 more findings" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct audit_finding v[64];
		struct plan_audited audited = { .line = STR("1!"), .findings = v };
		struct described d;
		size_t counts[AUDIT_FAIL + 1] = { 0 };

		fill(v, cases[i].warn, AUDIT_WARN);
		fill(v + cases[i].warn, cases[i].unknown, AUDIT_UNKNOWN);
		fill(v + cases[i].warn + cases[i].unknown, cases[i].fail, AUDIT_FAIL);
		audited.nfindings = cases[i].warn + cases[i].unknown + cases[i].fail;
		prepare(&d, &audited);
		const struct manifest_pick *p = &d.manifest.targets[0].picks[0];
		for (size_t k = 0; k < p->nfindings; k++) {
			for (int r = AUDIT_WARN; r <= AUDIT_FAIL; r++) {
				counts[r] += str_is(p->findings[k].result,
					audit_result_text((enum audit_result)r));
			}
		}
		ck_assert_msg(counts[AUDIT_WARN] == cases[i].kept_warn, "%zu", i);
		ck_assert_msg(counts[AUDIT_UNKNOWN] == cases[i].kept_unknown, "%zu", i);
		ck_assert_msg(counts[AUDIT_FAIL] == cases[i].kept_fail, "%zu", i);
		ck_assert_uint_le(p->nfindings, LIMIT_PICK_FINDINGS);
		ck_assert(!cases[i].last ||
			  str_is(p->findings[p->nfindings - 1].text, cases[i].last));
		release(&d);
	}
}

/* Whatever is cut stays UTF-8, and what comes out can be read again. */
UNIT(describe_cuts_texts)
{
	char text[LIMIT_FINDING];

	for (size_t i = 0; i < 3; i++) { /* every place that the cut can have in a character */
		struct audit_finding finding = { .check = AUDIT_os, .result = AUDIT_FAIL };
		struct plan_audited audited = { .line = STR("6\u2717"),
			.findings = &finding,
			.nfindings = 1,
			.is_unfit = true,
			.waived = STR("a reason") };
		struct described d;
		CLEANUP_BUF struct buf out = BUF_INIT;
		struct manifest again = MANIFEST_INIT;
		struct err e = ERR_INIT;

		memset(text, 'x', i);
		for (size_t k = i; k + 3 <= sizeof(text); k += 3) {
			memcpy(text + k, "\u2713", 3);
		}
		finding.text = (struct str){ text, i + (sizeof(text) - i) / 3 * 3 };
		prepare(&d, &audited);
		struct str kept = d.manifest.targets[0].picks[0].findings[0].text;
		ck_assert(str_is_utf8(kept) && kept.n <= LIMIT_FINDING_KEPT &&
			  kept.n > LIMIT_FINDING_KEPT - 3);
		ck_assert_uint_eq(d.manifest.nwaivers, 1);
		ck_assert(str_is(d.manifest.waivers[0].what, "audit"));
		ck_assert(str_is(d.manifest.waivers[0].target, "t"));
		d.manifest.channel = STR("c");
		d.manifest.tool = STR("test");
		manifest_write(&d.manifest, &out);
		ck_assert_msg(manifest_read(buf_str(&out), &again, &e) == 0, "%s", e.text);
		manifest_release(&again);
		release(&d);
	}
}

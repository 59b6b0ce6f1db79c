/* The audit as a whole: its line, its limits, texts of others. */
#include "manifests/limits.h"
#include "tests/unit/audit_fixture.h"
#include "tests/unit/unit.h"

#include <string.h>

#define WHEEL "demo-1.0-cp312-cp312-linux_x86_64.whl"

UNIT(audit_line_shows_the_eight_demands)
{
	static const struct audit_case mixed = { "mixed", WHEEL,
		{ "a.so code=compute_80/8.7 versions=GLIBC_2.34 undefined=_ZN2at4_ops5emptyEv" },
		NULL, "gpus=9.0 torch=2.8.0+cu128", NULL, NULL, AUDIT_libc, AUDIT_FAIL, "" };
	struct arena a = ARENA_INIT;
	struct audit audit = AUDIT_INIT;
	CLEANUP_BUF struct buf line = BUF_INIT;

	audit_case_run(&a, &mixed, &audit);
	audit_line(&audit, &line);
	ck_assert_str_eq(line.p, "1! 2? 3\u2713 4\u2713 5\u2713 6\u2713 7\u2717 8?");
	ck_assert_int_eq(audit_worst(&audit), AUDIT_FAIL);
	audit_release(&audit);
	arena_release(&a);
}

UNIT(audit_checks_have_stable_names)
{
	ck_assert_str_eq(audit_check_name(AUDIT_gpu_code), "gpu-code");
	ck_assert_str_eq(audit_check_name(AUDIT_torch_abi), "torch-abi");
	ck_assert_str_eq(audit_check_title(AUDIT_libc), "glibc");
	ck_assert_uint_eq(audit_check_number(AUDIT_driver), 8);
	ck_assert_uint_eq(audit_check_number(AUDIT_record), 0);
	ck_assert_str_eq(audit_result_text(AUDIT_UNKNOWN), "UNKNOWN");
	for (size_t c = 0; c < AUDIT_CHECKS; c++) {
		const char *name = audit_check_name((enum audit_check)c);

		ck_assert_msg(
			strspn(name, "abcdefghijklmnopqrstuvwxyz-") == strlen(name), "%s", name);
	}
}

UNIT(audit_texts_of_others_are_printable)
{
	struct audit audit = AUDIT_INIT;
	struct buf longest = BUF_INIT;

	audit_say(&audit, AUDIT_rpath, AUDIT_WARN, "a\n.so", "\033[2J", NULL, "path \"%s\"",
		"\x7f\t");
	audit_say(&audit, AUDIT_rpath, AUDIT_WARN, "b\xff.so", NULL, "\u2713", "x");
	while (longest.n <= LIMIT_FINDING) {
		buf_adds(&longest, "\u2713");
	}
	audit_say(&audit, AUDIT_rpath, AUDIT_WARN, NULL, longest.p, NULL, "y");
	ck_assert(str_is(audit.findings.v[0].member, "a?.so"));
	ck_assert(str_is(audit.findings.v[0].avoids, "?[2J"));
	ck_assert(str_is(audit.findings.v[0].text, "path \"??\""));
	ck_assert(str_is(audit.findings.v[1].member, "b?.so"));
	ck_assert(str_is(audit.findings.v[1].remedy, "\u2713"));
	ck_assert_uint_le(audit.findings.v[2].avoids.n, LIMIT_FINDING);
	ck_assert_uint_gt(audit.findings.v[2].avoids.n, LIMIT_FINDING - 3);
	ck_assert(str_is_utf8(audit.findings.v[2].avoids));
	buf_release(&longest);
	audit_release(&audit);
}

UNIT(audit_keeps_the_gravest_of_what_it_does_not_list)
{
	struct audit audit = AUDIT_INIT;
	struct arena a = ARENA_INIT;
	struct buf needed = BUF_INIT;
	struct audit_case crowded = { "crowded", WHEEL, { NULL }, NULL, NULL, NULL, "closed",
		AUDIT_libraries, AUDIT_FAIL, "" };

	/* So many that no tag promises, then one that nobody brings. */
	buf_adds(&needed, "a.so exported=PyInit_a needed=libpython3.12.so");
	for (int i = 0; i < LIMIT_FINDINGS; i++) {
		buf_addf(&needed, ",libpython3.12.so.%d", i);
	}
	buf_adds(&needed, ",libzz.so");
	crowded.modules[0] = needed.p;
	audit_case_run(&a, &crowded, &audit);
	ck_assert_int_eq(audit_result_of(&audit, AUDIT_libraries), AUDIT_FAIL);
	ck_assert(str_is(audit.findings.v[audit.findings.n - 1].text,
			  "nothing is known against this version") &&
		  audit.tally[AUDIT_libraries].left_out == 2);
	buf_release(&needed);
	audit_release(&audit);
	arena_release(&a);
}

/* A wheel of somebody who wants pages of findings. */
UNIT(audit_counts_what_it_does_not_list)
{
	enum { MODULES = LIMIT_FINDINGS + 25 };
	static struct native_module modules[MODULES];
	struct native native = { .arena = ARENA_INIT, .modules = modules, .nmodules = MODULES };
	struct arena a = ARENA_INIT;
	struct audit audit = AUDIT_INIT;
	struct dist_name name;
	struct wheel_metadata metadata = { .text = STR_NULL };
	struct target target;
	struct err e = ERR_INIT;
	struct audit_wheel wheel = { .name = &name, .metadata = &metadata, .native = &native };
	struct audit_site site = { .target = &target };
	size_t said = 0;

	ck_assert_int_eq(dist_name_parse(&a, STR(WHEEL), &name, &e), 0);
	metadata.core.name = name.name;
	metadata.version = name.version;
	ck_assert_int_eq(target_make(&a,
				 &(struct target_spec){ .name = STR("t"),
					 .python = STR("3.12"),
					 .platform = STR("linux_x86_64"),
					 .glibc = STR("2.28"),
					 .cxx11_abi = -1 },
				 &target, &e),
		0);
	for (size_t i = 0; i < MODULES; i++) {
		modules[i] = (struct native_module){ .member = i,
			.name = STR("a.so"),
			.format = NATIVE_ELF,
			.machine = NATIVE_X86_64,
			.is_readable = true,
			.rpath = STR("/build") };
	}
	audit_run(&wheel, &site, &audit);
	vec_each(struct audit_finding, f, &audit.findings) {
		said += f->check == AUDIT_rpath;
	}
	ck_assert_uint_eq(said, LIMIT_FINDINGS + 1);
	ck_assert_int_eq(audit_result_of(&audit, AUDIT_rpath), AUDIT_WARN);
	vec_each(struct audit_finding, f, &audit.findings) {
		said -= f->check == AUDIT_rpath && str_is(f->text, "25 more like these");
	}
	ck_assert_uint_eq(said, LIMIT_FINDINGS);
	audit_release(&audit);
	arena_release(&a);
}

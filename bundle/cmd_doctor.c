/* gpkg-bundle doctor: is everything that a lock names still there? */
#include "bundle/doctor.h"
#include "bundle/resolution_args.h"
#include "manifests/base/log.h"

#include <stdio.h>

int cmd_doctor(int argc, char **argv);

struct arguments {
	struct opt_common common;
	struct opt_list words;
	struct resolution_args lock;
	bool deep;
};

static int examine(const struct arguments *a, struct doctor_report *out, struct err *e)
{
	CLEANUP_RESOLUTION struct resolution r = RESOLUTION_INIT;
	struct resolution_options options;

	resolution_args_take(&a->lock, a->words.v[0], &r.arena, &options);
	const struct doctor_options doctor = { .deep = a->deep, .parallel = options.jobs };
	int rc = resolution_open(&options, &r, e);
	rc = rc ? rc : resolution_connect(&options, &r, e);
	return rc ? rc : doctor_run(&r.lock, &r.config, r.index, &doctor, out, e);
}

static int run(const struct arguments *a)
{
	struct doctor_report report = DOCTOR_REPORT_INIT;
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct err e = ERR_INIT;

	if (examine(a, &report, &e)) {
		return log_error("gpkg-bundle doctor", &e, a->common.json);
	}
	(a->common.json ? doctor_report_json : doctor_report_text)(&report, &text);
	fputs(text.p, stdout);
	int status = report.is_offline ? 3 : report.nfailed ? 1 : 0;
	doctor_release(&report);
	return status;
}

int cmd_doctor(int argc, char **argv)
{
	struct arguments a = { .deep = false };
	const struct opt options[] = {
		{ 0, "deep", OPT_FLAG, &a.deep, NULL,
			"download the files, too, and compare their sha256" },
		RESOLUTION_LOCK_OPTS(&a.lock),
		{ .name = NULL },
	};
	const struct opt_verb verb = { "doctor", "LOCK",
		"Check that every file and index that a lock names is still there.", options, 1,
		1 };
	int status = opt_parse(&verb, argc, argv, &a.common, &a.words);

	if (status == OPT_GO) {
		status = run(&a);
	}
	vec_release(&a.words);
	resolution_args_release(&a.lock);
	return status;
}

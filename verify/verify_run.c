#include "verify/verify_run.h"
#include "manifests/base/clock.h"
#include "manifests/base/log.h"
#include "manifests/base/mem.h"
#include "verify/bundle_parallel.h"
#include "verify/bundle_report.h"
#include "verify/store_place.h"
#include "verify/trust_options.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int count(void *context, const void *bytes, size_t n, struct err *e)
{
	(void)bytes;
	(void)e;
	log_progress_add(context, n);
	return 0;
}

static void count_bytes(void *context, uint64_t bytes)
{
	log_progress_add(context, bytes);
}

static int check_files(struct verified *v, int fd, struct err *e)
{
	struct log_progress progress;
	const struct manifest_file *file;
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	int r;

	log_progress_begin(&progress, "verify", manifest_total(verified_manifest(v)));
	if (bundle_check_parallel(v, fd, cores > 1 ? (unsigned)cores : 1, count_bytes, &progress)) {
		log_progress_end(&progress);
		return 0;
	}
	/* A pipe, or something is wrong: in order, to say what. */
	log_progress_begin(&progress, "verify", manifest_total(verified_manifest(v)));
	while ((r = verified_next(v, &file, e)) > 0) {
		r = verified_copy(v, count, &progress, e);
		if (r) {
			return r;
		}
	}
	r = r ? r : verified_finish(v, e);
	if (!r) {
		log_progress_end(&progress);
	}
	return r;
}

static int open_bundle(const char *path, int *fd, struct err *e)
{
	if (strcmp(path, "-") == 0) {
		*fd = STDIN_FILENO;
		return 0;
	}
	*fd = open(path, O_RDONLY | O_CLOEXEC);
	return *fd < 0 ? err_sys(e, "%s: cannot open", path) : 0;
}

static void print(const struct verified *v, const char *path, bool json)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct json_out o;

	if (json) {
		json_out_init(&o, &text, false);
		json_begin_object(&o);
		json_bool(&o, "ok", true);
		json_cstr(&o, "file", path);
		bundle_report_json(v, &o);
		json_end_object(&o);
		buf_addc(&text, '\n');
	} else {
		buf_addf(&text, "%s: OK\n", path);
		bundle_report_text(v, &text);
	}
	fputs(text.p, stdout);
}

static int verify_file(const char *path, const struct trust *trust, bool json, struct err *e)
{
	CLEANUP_VERIFIED struct verified *v = NULL;
	int fd;
	int r = open_bundle(path, &fd, e);

	if (r) {
		return r;
	}
	r = verified_open(fd, path, trust, clock_now(), &v, e);
	r = r ? r : check_files(v, fd, e);
	if (!r) {
		print(v, path, json);
	}
	verified_close(v);
	v = NULL;
	if (fd != STDIN_FILENO) {
		close(fd);
	}
	return r;
}

int verify_run(const char *name, int argc, char **argv)
{
	struct opt_list pubs = VEC_INIT, files = VEC_INIT;
	const struct opt options[] = {
		{ 0, "pub", OPT_LIST, &pubs, "PUB", "trust this public key file instead of the store's keys" },
		{ .name = NULL },
	};
	const struct opt_verb verb = { name, "FILE...",
		"Check signature, lists and every byte of bundles, without unpacking them (\"-\": standard input).",
		options, 1, OPT_MANY };
	struct opt_common common = { .store = NULL };
	struct trust trust = TRUST_INIT;
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	char who[64];
	int status = opt_parse(&verb, argc, argv, &common, &files);

	if (status == OPT_GO) {
		int r = trust_from_options(&trust, &pubs, store_place(&a, common.store), &e);

		for (size_t i = 0; !r && i < files.n; i++) {
			r = verify_file(files.v[i], &trust, common.json, &e);
		}
		snprintf(who, sizeof(who), "%s%s%s", opt_program, *name ? " " : "", name);
		status = r ? log_error(who, &e, common.json) : 0;
	}
	trust_release(&trust);
	arena_release(&a);
	vec_release(&pubs);
	vec_release(&files);
	return status;
}

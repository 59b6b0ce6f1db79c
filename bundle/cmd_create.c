/* gpkg-bundle create: resolve a lock for its targets and pack a signed bundle. */
#include "bundle/audit_plan_report.h"
#include "bundle/create_report.h"
#include "bundle/plan_report.h"
#include "bundle/resolution_args.h"
#include "manifests/base/clock.h"
#include "manifests/base/fs.h"
#include "manifests/base/log.h"
#include "verify/store_place.h"

#include <stdio.h>
#include <stdlib.h>

int cmd_create(int argc, char **argv);

struct arguments {
	struct opt_common common;
	struct opt_list words;
	struct resolution_args lock;
	const char *output, *key, *password_file, *channel;
	struct opt_number serial;
};

/* KEY as the user writes it: a key file, or keygen's BASE. */
static int key_file(struct arena *a, const char *given, const char **out, struct err *e)
{
	const char *base = given;
	int r = given ? 0 : signing_key_place(a, &base, e);

	if (!r) {
		*out = given && fs_exists(given) ? given : arena_printf(a, "%s.key", base);
	}
	return r;
}

static int run(const struct arguments *a, struct create_result *result, struct err *e)
{
	const struct password_source password = { .file = a->password_file };
	CLEANUP_SECRET_KEY struct secret_key *key = NULL;
	struct arena *arena = &result->arena;
	const char *epoch = getenv("SOURCE_DATE_EPOCH"), *key_path = a->key;
	uint64_t created = clock_now();

	if (epoch && !str_to_u64(str_of(epoch), &created)) {
		return err_set(e, RC_USAGE, "SOURCE_DATE_EPOCH=%s: not a number of seconds", epoch);
	}
	int r = key_file(arena, a->key, &key_path, e);
	r = r ? r : secret_key_read(key_path, &password, &key, e);
	if (r && e->rc == RC_NOT_FOUND) {
		return err_hint(e, "make a key pair with: gpkg-bundle keygen");
	}
	struct create_options options = { .output = a->output, .channel = a->channel,
		.has_serial = a->serial.given, .serial = a->serial.value, .created = created, .key = key };
	resolution_args_take(&a->lock, a->words.v[0], arena, &options.resolution);
	return r ? r : create(&options, log_say, result, e);
}

static int finish(const struct arguments *a, const struct create_result *result, int r, struct err *e)
{
	CLEANUP_BUF struct buf text = BUF_INIT;

	plan_report_problems(&result->resolution.plan);
	audit_plan_report(&result->resolution.plan, &result->audit);
	if (a->common.json) {
		create_report_json(result, r ? e : NULL, &text);
		puts(text.p);
	} else if (!r) {
		create_report_text(result, &text);
		fputs(text.p, stdout);
	}
	return r ? log_error("gpkg-bundle create", e, false) : 0;
}

int cmd_create(int argc, char **argv)
{
	struct arguments a = { .output = NULL };
	const struct opt options[] = {
		{ 'o', "output", OPT_TEXT, &a.output, "FILE", "the bundle (default: CHANNEL-SERIAL.tar.zst)" },
		{ 'k', "key", OPT_TEXT, &a.key, "KEY", "secret key to sign with (default: keygen's)" },
		{ 0, "password-file", OPT_TEXT, &a.password_file, "FILE", "the key's password is its first line" },
		{ 0, "channel", OPT_TEXT, &a.channel, "NAME", "channel (default: the lock's name)" },
		{ 0, "serial", OPT_NUMBER, &a.serial, "N", "serial number (default: the time in seconds)" },
		RESOLUTION_OPTS(&a.lock),
		{ .name = NULL },
	};
	const struct opt_verb verb = { "create", "LOCK",
		"Resolve a lock for its targets, prove that nothing is missing, and pack a signed bundle.",
		options, 1, 1 };
	struct create_result result = CREATE_RESULT_INIT;
	struct err e = ERR_INIT;
	int status = opt_parse(&verb, argc, argv, &a.common, &a.words);

	if (status == OPT_GO) {
		status = finish(&a, &result, run(&a, &result, &e), &e);
	}
	create_result_release(&result);
	vec_release(&a.words);
	resolution_args_release(&a.lock);
	return status;
}

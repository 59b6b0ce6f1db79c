/* gpkg-bundle create: resolve a lock for its targets and pack a signed bundle. */
#include "bundle/create_report.h"
#include "manifests/base/clock.h"
#include "manifests/base/fs.h"
#include "manifests/base/opt.h"
#include "verify/store_place.h"

#include <stdio.h>
#include <stdlib.h>

int cmd_create(int argc, char **argv);

struct arguments {
	struct opt_common common;
	struct opt_list words, targets, waivers, gpus, extras, groups, projects;
	const char *output, *key, *password_file, *channel, *cache;
	const char *name, *glibc, *driver; /* for gpkg's own locks */
	const char *targets_file; /* for the locks of other tools, as extras and groups are */
	struct opt_number serial, jobs;
	bool trust_first_use, no_default_groups, all_projects;
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

static struct str *list_of(struct arena *a, const struct opt_list *list)
{
	struct str *out = arena_array(a, list->n, sizeof(*out));

	for (size_t i = 0; i < list->n; i++) {
		out[i] = str_of(list->v[i]);
	}
	return out;
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
	const struct target_spec extra = { .name = str_of(a->name), .glibc = str_of(a->glibc),
		.driver = str_of(a->driver), .gpus = list_of(arena, &a->gpus), .ngpus = a->gpus.n, .cxx11_abi = -1 };
	const struct create_options options = { .lock = a->words.v[0], .output = a->output,
		.channel = a->channel, .has_serial = a->serial.given, .serial = a->serial.value,
		.created = created, .cache = a->cache, .jobs = (unsigned)a->jobs.value,
		.resolve = { .targets = list_of(arena, &a->targets), .ntargets = a->targets.n,
			.trust_first_use = a->trust_first_use },
		.waivers = a->waivers.v, .nwaivers = a->waivers.n, .extra = &extra, .targets_file = a->targets_file,
		.extras = list_of(arena, &a->extras), .nextras = a->extras.n,
		.groups = list_of(arena, &a->groups), .ngroups = a->groups.n,
		.no_default_groups = a->no_default_groups,
		.projects = list_of(arena, &a->projects), .nprojects = a->projects.n,
		.all_projects = a->all_projects, .key = key };
	return r ? r : create(&options, log_say, result, e);
}

static int finish(const struct arguments *a, const struct create_result *result, int r, struct err *e)
{
	CLEANUP_BUF struct buf text = BUF_INIT;

	create_report_problems(&result->plan);
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
		{ 't', "target", OPT_LIST, &a.targets, "NAME", "only this target; may be repeated" },
		{ 0, "waive", OPT_LIST, &a.waivers, "PKG[@TARGET]=REASON", "take a hole; the reason is signed" },
		{ 0, "trust-first-use", OPT_FLAG, &a.trust_first_use, NULL,
			"take files whose hash nobody promises; recorded" },
		{ 0, "cache", OPT_TEXT, &a.cache, "DIR", "where downloads are kept" },
		{ 'j', "jobs", OPT_NUMBER, &a.jobs, "N", "downloads at once (default: 8)" },
		{ 0, "targets", OPT_TEXT, &a.targets_file, "FILE", "other tools' locks: the lock.toml with [[target]]s" },
		{ 0, "extra", OPT_LIST, &a.extras, "NAME", "pylock, uv: an extra of the project; may be repeated" },
		{ 0, "group", OPT_LIST, &a.groups, "NAME", "pylock, uv: a dependency group; may be repeated" },
		{ 0, "no-default-groups", OPT_FLAG, &a.no_default_groups, NULL, "pylock, uv: only the groups named" },
		{ 0, "package", OPT_LIST, &a.projects, "NAME", "uv: this project of the workspace; may be repeated" },
		{ 0, "all-packages", OPT_FLAG, &a.all_projects, NULL, "uv: all projects of the workspace" },
		{ 0, "name", OPT_TEXT, &a.name, "NAME", "gpkg's locks: the target's name" },
		{ 0, "glibc", OPT_TEXT, &a.glibc, "VERSION", "gpkg's locks: the target's glibc" },
		{ 0, "gpu", OPT_LIST, &a.gpus, "CC", "gpkg's locks: a GPU, as 9.0; may be repeated" },
		{ 0, "driver", OPT_TEXT, &a.driver, "VERSION", "gpkg's locks: the target's driver" },
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
	vec_release(&a.targets);
	vec_release(&a.waivers);
	vec_release(&a.gpus);
	vec_release(&a.extras);
	vec_release(&a.groups);
	vec_release(&a.projects);
	return status;
}

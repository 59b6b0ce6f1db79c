/* gpkg-bundle cache: what was downloaded, how old it is, and away with it. */
#include "bundle/cache.h"
#include "manifests/base/clock.h"
#include "manifests/base/json.h"
#include "manifests/base/log.h"
#include "manifests/base/opt.h"

#include <inttypes.h>
#include <stdio.h>

int cmd_cache(int argc, char **argv);

enum { DAY = 86400, UNUSED_DAYS = 30 };

struct arguments {
	struct opt_common common;
	struct opt_list words;
	const char *dir, *older_than;
	bool all;
};

/* "90s", "5m", "1h", "2d", "3w" in seconds. */
static bool read_duration(struct str text, uint64_t *out)
{
	static const struct {
		const char *unit;
		uint64_t seconds;
	} units[] = { { "s", 1 }, { "m", 60 }, { "h", 3600 }, { "d", DAY }, { "w", 7 * DAY } };
	uint64_t n;

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (str_ends(text, units[i].unit) && str_to_u64(str_first(text, text.n - 1), &n) &&
			n <= UINT64_MAX / units[i].seconds) {
			*out = n * units[i].seconds;
			return true;
		}
	}
	return false;
}

/* The time before which everything goes. */
static int read_age(const struct arguments *a, uint64_t *before, struct err *e)
{
	uint64_t now = clock_now(), age = (uint64_t)UNUSED_DAYS * DAY;

	if (a->all && a->older_than) {
		err_set(e, RC_USAGE, "--all and --older-than contradict each other");
		return err_hint(e, "--all removes everything, however new it is");
	}
	if (a->older_than && !read_duration(str_of(a->older_than), &age)) {
		err_set(e, RC_USAGE, "--older-than %.100s: not an age", a->older_than);
		return err_hint(e, "write a whole number and its unit: 90s, 5m, 1h, 2d or 3w");
	}
	*before = a->all ? UINT64_MAX : age < now ? now - age : 0;
	return 0;
}

/* ---- what is printed ---- */

static void put_usage(struct json_out *o, const struct cache_usage *u)
{
	json_u64(o, "file_bytes", u->file_bytes);
	json_u64(o, "files", u->files);
	json_put_key(o, "newest");
	u->newest ? json_put_u64(o, u->newest) : json_put_null(o);
	json_put_key(o, "oldest");
	u->oldest ? json_put_u64(o, u->oldest) : json_put_null(o);
	json_u64(o, "pages", u->pages);
	json_u64(o, "partial_bytes", u->partial_bytes);
	json_u64(o, "partials", u->partials);
}

static void print_json(
	const char *dir, const struct cache_usage *u, const struct cache_usage *removed)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct json_out o;

	json_out_init(&o, &text, true);
	json_begin_object(&o);
	json_cstr(&o, "cache", dir);
	json_u64(&o, "database_bytes", u->database_bytes);
	put_usage(&o, u);
	if (removed) {
		json_put_key(&o, "removed");
		json_begin_object(&o);
		json_u64(&o, "file_bytes", removed->file_bytes);
		json_u64(&o, "files", removed->files);
		json_u64(&o, "pages", removed->pages);
		json_u64(&o, "partial_bytes", removed->partial_bytes);
		json_u64(&o, "partials", removed->partials);
		json_u64(&o, "texts", removed->texts);
		json_end_object(&o);
	}
	json_u64(&o, "texts", u->texts);
	json_end_object(&o);
	puts(text.p);
}

static void print_counts(const struct cache_usage *u)
{
	char files[24], partials[24];

	printf("files     %" PRIu64 ", %s\n", u->files, log_size(u->file_bytes, files));
	printf("partial   %" PRIu64 ", %s\n", u->partials, log_size(u->partial_bytes, partials));
	printf("pages     %" PRIu64 "\n", u->pages);
	printf("METADATA  %" PRIu64 "\n", u->texts);
}

static void print_usage(const char *dir, const struct cache_usage *u)
{
	char size[24], oldest[CLOCK_TEXT], newest[CLOCK_TEXT];

	printf("cache     %s\n", dir);
	print_counts(u);
	printf("database  %s\n", log_size(u->database_bytes, size));
	if (u->newest) {
		printf("oldest    %s\n", clock_text(u->oldest, oldest));
		printf("newest    %s\n", clock_text(u->newest, newest));
	}
}

/* ---- the verb ---- */

static int clean(const struct arguments *a, struct cache *c, uint64_t before, struct err *e)
{
	struct cache_usage removed, left;
	char gone[24], kept[24];
	int r = cache_clear(c, before, &removed, e);

	r = r ? r : cache_measure(c, &left, e);
	if (r) {
		return r;
	}
	if (a->common.json) {
		print_json(cache_dir(c), &left, &removed);
		return 0;
	}
	printf("removed %" PRIu64 " files, %" PRIu64 " partial ones (%s), %" PRIu64
	       " pages, %" PRIu64 " METADATA\nleft    %" PRIu64 " files, %" PRIu64
	       " partial ones (%s), %" PRIu64 " pages, %" PRIu64 " METADATA\n",
		removed.files, removed.partials,
		log_size(removed.file_bytes + removed.partial_bytes, gone), removed.pages,
		removed.texts, left.files, left.partials,
		log_size(left.file_bytes + left.partial_bytes, kept), left.pages, left.texts);
	if (left.files && !a->all && !a->older_than) {
		log_say("what was used in the last %d days stays; --older-than AGE or --all "
			"removes more",
			UNUSED_DAYS);
	}
	return 0;
}

static int info(const struct arguments *a, struct cache *c, struct err *e)
{
	struct cache_usage u;
	int r = cache_measure(c, &u, e);

	if (!r && a->common.json) {
		print_json(cache_dir(c), &u, NULL);
	} else if (!r) {
		print_usage(cache_dir(c), &u);
	}
	return r;
}

static int run(const struct arguments *a, struct err *e)
{
	struct str action = str_of(a->words.v[0]);
	struct cache *c = NULL;
	uint64_t before = 0;

	if (!str_is(action, "info") && !str_is(action, "clean")) {
		err_set(e, RC_USAGE, "expected one of: info, clean");
		return err_hint(e, "see: gpkg-bundle cache --help");
	}
	if (str_is(action, "info") && (a->all || a->older_than)) {
		return err_set(
			e, RC_USAGE, "--all and --older-than belong to: gpkg-bundle cache clean");
	}
	int r = read_age(a, &before, e);
	r = r ? r : cache_open(a->dir, &c, e);
	if (r) {
		return r;
	}
	r = str_is(action, "info") ? info(a, c, e) : clean(a, c, before, e);
	cache_close(c);
	return r;
}

int cmd_cache(int argc, char **argv)
{
	struct arguments a = { .dir = NULL };
	const struct opt options[] = {
		{ 0, "older-than", OPT_TEXT, &a.older_than, "AGE",
			"clean: what was not used for 5m, 1h, 2d (default: 30d)" },
		{ 0, "all", OPT_FLAG, &a.all, NULL, "clean: everything" },
		{ 0, "cache", OPT_TEXT, &a.dir, "DIR", "the cache, where it is not the usual one" },
		{ .name = NULL },
	};
	const struct opt_verb verb = { "cache", "info | clean",
		"Show what create has downloaded, or remove what is no longer used.", options, 1,
		1 };
	struct err e = ERR_INIT;
	int status = opt_parse(&verb, argc, argv, &a.common, &a.words);

	if (status == OPT_GO) {
		status = run(&a, &e) ? log_error("gpkg-bundle cache", &e, a.common.json) : 0;
	}
	vec_release(&a.words);
	return status;
}

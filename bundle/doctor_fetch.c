#include "bundle/doctor_private.h"
#include "manifests/base/uri.h"
#include "verify/hash.h"

static bool is_wanted(const struct doctor_item *item)
{
	return item->kind == DOCTOR_FILE && item->result.status == DOCTOR_OK && item->has_sha256;
}

static struct fetch_item order_of(struct doctor_work *w, const struct doctor_item *item)
{
	return (struct fetch_item){ .url = item->url,
		.file = arena_dup(w->arena, uri_last_segment(str_of(item->url))),
		.has_sha256 = true,
		.sha256 = item->sha256,
		.has_size = item->has_size,
		.size = item->size };
}

/* What came from the cache was only looked at. True where its bytes are the right ones; else they
 * are gone. */
static bool is_intact(struct cache *c, const struct fetch_item *f)
{
	struct err ignored = ERR_INIT;
	struct digest found;
	uint64_t size = 0;
	int at = -1;

	if (!f->was_cached) {
		return true;
	}
	if (!cache_open_file(c, &f->sha256, &at, &size)) {
		return false;
	}
	CLEANUP(fd) int fd = at;
	if (!hash_fd(fd, f->file, &found, &size, &ignored) && digest_eq(&found, &f->sha256)) {
		return true;
	}
	cache_evict(c, &f->sha256);
	return false;
}

/* The disk's failures are not the lock's. */
static bool is_ours(enum rc rc)
{
	return rc == RC_NO_SPACE || rc == RC_PERMISSION || rc == RC_IO || rc == RC_LOCKED;
}

static int fetch_one(struct doctor_work *w, struct doctor_item *item, struct err *e)
{
	struct cache *c = index_cache(w->index);
	struct err failed = ERR_INIT;
	int r = 0;

	for (int tries = 0; tries < 2; tries++) {
		struct fetch_item f = order_of(w, item);

		r = fetch_files(c, index_http(w->index), &f, 1, 1, NULL, &failed);
		if (r || is_intact(c, &f)) {
			break;
		}
	}
	if (r && is_ours(failed.rc)) {
		*e = failed;
		return r;
	}
	if (r) {
		doctor_fail(w, item, &failed);
	} else {
		doctor_ok(
			item, arena_printf(w->arena, "%s, sha256 as recorded", item->result.text));
	}
	return 0;
}

/* All at once first, because that is fast; it stops at the first failure, and so each is judged by
 * itself, which costs nothing where it is in the cache by then. */
int doctor_fetch(struct doctor_work *w, struct err *e)
{
	CLEANUP(free) struct fetch_item *all = mem_array(w->items.n + 1, sizeof(*all));
	struct err ignored = ERR_INIT;
	struct log_progress progress;
	uint64_t total = 0;
	size_t n = 0;
	int r = 0;

	vec_each(struct doctor_item, item, &w->items) {
		if (is_wanted(item)) {
			all[n++] = order_of(w, item);
			total += item->has_size ? item->size : 0;
		}
	}
	if (n) {
		log_progress_begin(&progress, "fetch", total);
		fetch_files(index_cache(w->index), index_http(w->index), all, n,
			w->options->parallel, &progress, &ignored);
		log_progress_end(&progress);
	}
	vec_each(struct doctor_item, item, &w->items) {
		r = r || !is_wanted(item) ? r : fetch_one(w, item, e);
	}
	return r;
}

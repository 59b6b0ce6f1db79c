#include "bundle/resolution.h"
#include "bundle/fetch.h"
#include "bundle/source_list.h"
#include "manifests/base/fs.h"
#include "manifests/limits.h"
#include "manifests/name.h"
#include "verify/hash.h"

#include <string.h>

void resolution_release(struct resolution *r)
{
	if (r->index) {
		index_close(r->index);
	}
	if (r->cache) {
		cache_close(r->cache);
	}
	pip_config_release(&r->config);
	plan_release(&r->plan);
	lock_release(&r->lock);
	arena_release(&r->arena);
	*r = (struct resolution)RESOLUTION_INIT;
}

void resolution_forget_pages(struct resolution *r)
{
	if (r->cache) {
		cache_expire_pages(r->cache);
	}
}

/* ---- the lock ---- */

/* "PKG[@TARGET]=REASON" */
static int add_waiver(struct lock *l, struct str text, struct lock_waiver *out, struct err *e)
{
	struct str reason = text, who = STR_NULL, project = STR_NULL;

	if (!str_cut(&reason, '=', &who) || !str_trim(reason).n) {
		err_set(e, RC_USAGE, "--waive %.*s: a waiver needs a reason", STR_ARG(text));
		return err_hint(e, "write: --waive PKG[@TARGET]=\"why this may be missing\"");
	}
	str_cut(&who, '@', &project);
	if (!name_is_valid(project) || reason.n > LIMIT_REASON) {
		return err_set(e, RC_USAGE,
			"--waive %.*s: not a project, or a reason over %d bytes",
			STR_ARG(str_first(text, 200)), LIMIT_REASON);
	}
	if (who.n && !lock_target(l, who)) {
		return err_set(e, RC_USAGE, "--waive: %.*s has no target \"%.*s\"",
			STR_ARG(l->path), STR_ARG(who));
	}
	*out = (struct lock_waiver){ .name = str_of(name_normalize(&l->arena, project)),
		.target = arena_str(&l->arena, who),
		.reason = arena_str(&l->arena, str_trim(reason)) };
	return 0;
}

static int add_waivers(struct lock *l, const struct resolution_options *o, struct err *e)
{
	struct lock_waiver *all = arena_array(&l->arena, l->nwaivers + o->nwaivers, sizeof(*all));
	int r = 0;

	if (l->nwaivers) {
		memcpy(all, l->waivers, l->nwaivers * sizeof(*all));
	}
	l->waivers = all;
	for (size_t i = 0; !r && i < o->nwaivers; i++) {
		r = add_waiver(l, str_of(o->waivers[i]), &l->waivers[l->nwaivers], e);
		l->nwaivers += r ? 0 : 1;
	}
	return r;
}

int resolution_open(const struct resolution_options *o, struct resolution *out, struct err *e)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct lock_options reading = o->reading;
	struct lock *l = &out->lock;
	struct source_list sources;
	const char *path = NULL;
	int r = source_list_choose(o->registry, &out->arena, &sources, &path, e);

	reading.registry = &sources;
	r = r ? r : fs_read(o->lock, LIMIT_LOCK, &text, e);
	r = r ? r : lock_parse(buf_str(&text), o->lock, &reading, l, e);
	if (r) {
		return r;
	}
	if (!l->is_frozen) {
		hash_bytes(buf_str(&text), &l->sha256);
	}
	return add_waivers(l, o, e);
}

/* ---- the plan ---- */

static const char **longer(
	struct arena *a, const char **old, size_t n, const struct str *more, size_t nmore)
{
	const char **all = arena_array(a, n + nmore, sizeof(*all));

	if (n) {
		memcpy(all, old, n * sizeof(*all));
	}
	for (size_t i = 0; i < nmore; i++) {
		all[n + i] = arena_dup(a, more[i]);
	}
	return all;
}

/* A requirements.txt may say where its packages come from; as for pip, that adds to the
 * configuration, and its --index-url takes the place of all configured ones. */
static void use_lock_indexes(struct pip_config *c, const struct lock *l)
{
	if (l->index_url.n) {
		c->indexes = longer(&c->arena, NULL, 0, &l->index_url, 1);
		c->nindexes = 1;
	}
	c->indexes = longer(
		&c->arena, c->indexes, c->nindexes, l->extra_index_urls, l->nextra_index_urls);
	c->nindexes += l->nextra_index_urls;
	c->find_links =
		longer(&c->arena, c->find_links, c->nfind_links, l->find_links, l->nfind_links);
	c->nfind_links += l->nfind_links;
	if (l->no_index) {
		c->nindexes = 0;
		c->no_index = true;
	}
}

int resolution_connect(const struct resolution_options *o, struct resolution *r, struct err *e)
{
	int rc = pip_config_read(NULL, &r->config, e);

	if (!rc) {
		use_lock_indexes(&r->config, &r->lock);
	}
	rc = rc ? rc : cache_open(o->cache, &r->cache, e);
	return rc ? rc : index_open(&r->config, r->cache, &r->index, e);
}

int resolution_run(const struct resolution_options *o, resolution_say *say, struct resolution *r,
	struct err *e)
{
	int rc = resolution_connect(o, r, e);

	if (rc) {
		return rc;
	}
	say("resolving %zu packages for %zu targets", r->lock.npackages,
		o->resolve.ntargets ? o->resolve.ntargets : r->lock.ntargets);
	return resolve(&r->lock, r->index, r->cache, &o->resolve, &r->plan, e);
}

int resolution_check_holes(const struct resolution *r, struct err *e)
{
	size_t open = 0;

	for (size_t i = 0; i < r->plan.nholes; i++) {
		open += r->plan.holes[i].waived.n == 0;
	}
	if (!open) {
		return 0;
	}
	err_set(e, RC_HOLE, "%zu requirement%s not met; nothing was written", open,
		open == 1 ? " is" : "s are");
	return err_hint(e, "complete the lock, or take a hole with --waive PKG[@TARGET]=REASON, "
			   "which is signed into the bundle");
}

/* ---- the files ---- */

int resolution_fetch(struct resolution *r, enum resolution_files which, unsigned jobs,
	resolution_say *say, struct resolution_fetched *out, struct err *e)
{
	struct arena a = ARENA_INIT;
	struct fetch_item *items = arena_array(&a, r->plan.nfiles, sizeof(*items));
	struct index_file **of = arena_array(&a, r->plan.nfiles, sizeof(*of));
	struct resolution_fetched fetched = { .bytes = 0 };
	struct log_progress progress;
	uint64_t total = 0;
	size_t n = 0;

	for (size_t i = 0; i < r->plan.nfiles; i++) {
		struct index_file *f = &r->plan.files[i].from;

		if (which == RESOLUTION_ALL_FILES || !f->has_sha256 || !f->has_size) {
			of[n] = f;
			items[n++] = (struct fetch_item){ .url = f->url,
				.file = arena_dup(&a, f->name.file),
				.has_sha256 = f->has_sha256,
				.sha256 = f->sha256,
				.has_size = f->has_size,
				.size = f->size };
			total += f->has_size ? f->size : 0;
		}
	}
	log_progress_begin(&progress, "fetch", total);
	int rc = fetch_files(r->cache, index_http(r->index), items, n, jobs, &progress, e);
	for (size_t i = 0; !rc && i < n; i++) {
		of[i]->has_sha256 = of[i]->has_size = true;
		of[i]->sha256 = items[i].sha256;
		of[i]->size = items[i].size;
		fetched.reused += items[i].was_cached;
		fetched.bytes += items[i].was_cached ? 0 : items[i].size;
	}
	if (!rc && fetched.bytes) {
		log_progress_end(&progress);
	} else if (!rc && n) {
		say("fetch: all %zu files are in the cache", n);
	}
	if (!rc) {
		*out = fetched;
	}
	arena_release(&a);
	return rc;
}

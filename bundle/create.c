#include "bundle/create.h"
#include "bundle/describe.h"
#include "bundle/fetch.h"
#include "bundle/pack.h"
#include "bundle/texts_out.h"
#include "manifests/base/fs.h"
#include "manifests/limits.h"
#include "manifests/name.h"
#include "manifests/tool.h"
#include "verify/hash.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct create_run {
	const struct create_options *o;
	void (*say)(const char *fmt, ...);
	struct create_result *out;
	struct pip_config config;
	struct cache *cache;
	struct index *index;
};

void create_result_release(struct create_result *r)
{
	manifest_release(&r->manifest);
	plan_release(&r->plan);
	lock_release(&r->lock);
	arena_release(&r->arena);
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
		return err_set(e, RC_USAGE, "--waive %.*s: not a project, or a reason over %d bytes",
			STR_ARG(str_first(text, 200)), LIMIT_REASON);
	}
	if (who.n && !lock_target(l, who)) {
		return err_set(e, RC_USAGE, "--waive: %.*s has no target \"%.*s\"", STR_ARG(l->path),
			STR_ARG(who));
	}
	*out = (struct lock_waiver){ .name = str_of(name_normalize(&l->arena, project)),
		.target = arena_str(&l->arena, who), .reason = arena_str(&l->arena, str_trim(reason)) };
	return 0;
}

static const struct str *normal_names(struct arena *a, const struct str *names, size_t n)
{
	struct str *out = arena_array(a, n, sizeof(*out));

	for (size_t i = 0; i < n; i++) {
		out[i] = str_of(name_normalize(a, names[i]));
	}
	return out;
}

static int read_lock(struct create_run *c, struct err *e)
{
	const struct create_options *o = c->o;
	const struct lock_options options = { .extra = o->extra, .targets_file = o->targets_file,
		.extras = normal_names(&c->out->arena, o->extras, o->nextras), .nextras = o->nextras,
		.groups = normal_names(&c->out->arena, o->groups, o->ngroups), .ngroups = o->ngroups,
		.no_default_groups = o->no_default_groups,
		.projects = normal_names(&c->out->arena, o->projects, o->nprojects),
		.nprojects = o->nprojects, .all_projects = o->all_projects };
	struct lock *l = &c->out->lock;
	CLEANUP_BUF struct buf text = BUF_INIT;
	int r = fs_read(o->lock, LIMIT_LOCK, &text, e);

	r = r ? r : lock_parse(buf_str(&text), o->lock, &options, l, e);
	if (r) {
		return r;
	}
	hash_bytes(buf_str(&text), &l->sha256);
	struct lock_waiver *all = arena_array(&l->arena, l->nwaivers + o->nwaivers, sizeof(*all));
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

/* ---- who and where ---- */

static int name_bundle(struct create_run *c, struct err *e)
{
	struct manifest *m = &c->out->manifest;
	struct arena *a = &c->out->arena;

	m->channel = c->o->channel ? str_of(c->o->channel)
		     : c->out->lock.name.n ? c->out->lock.name : STR("default");
	m->created = c->o->created;
	m->serial = c->o->has_serial ? c->o->serial : c->o->created;
	m->lock_sha256 = c->out->lock.sha256;
	m->tool = STR(TOOL);
	int r = manifest_check_channel(m->channel, e);
	if (!r && m->serial > LIMIT_SERIAL) {
		r = err_set(e, RC_USAGE, "--serial: at most 2^53");
	}
	if (r) {
		return r;
	}
	c->out->path = c->o->output ? arena_dup(a, str_of(c->o->output))
				    : arena_printf(a, "%.*s-%llu.tar.zst", STR_ARG(m->channel),
					      (unsigned long long)m->serial);
	/* Hours of downloading should not end at a folder that cannot be written to. */
	const char *dir = fs_dirname(a, c->out->path);
	struct stat st;
	if (stat(dir, &st) || !S_ISDIR(st.st_mode)) {
		err_set(e, RC_IO, "%s: no such folder to write the bundle to", dir);
		return err_hint(e, "make it, or name another place with -o FILE");
	}
	if (access(dir, W_OK | X_OK)) {
		err_sys(e, "%s: cannot write the bundle there", dir);
		return err_hint(e, "name another place with -o FILE");
	}
	if (stat(c->out->path, &st) == 0 && S_ISDIR(st.st_mode)) {
		return err_set(e, RC_USAGE, "-o %s: is a folder; name a file in it", c->out->path);
	}
	return 0;
}

/* ---- the files ---- */

static int count_holes(const struct plan *p, struct err *e)
{
	size_t open = 0;

	for (size_t i = 0; i < p->nholes; i++) {
		open += p->holes[i].waived.n == 0;
	}
	if (!open) {
		return 0;
	}
	err_set(e, RC_HOLE, "%zu requirement%s not met; nothing was written", open, open == 1 ? " is" : "s are");
	return err_hint(e, "complete the lock, or take a hole with --waive PKG[@TARGET]=REASON, "
			   "which is signed into the bundle");
}

static int fetch(struct create_run *c, struct err *e)
{
	struct plan *p = &c->out->plan;
	struct arena *a = &c->out->arena;
	struct fetch_item *items = arena_array(a, p->nfiles, sizeof(*items));
	struct log_progress progress;
	uint64_t total = 0;

	for (size_t i = 0; i < p->nfiles; i++) {
		const struct index_file *f = &p->files[i].from;

		items[i] = (struct fetch_item){ .url = f->url, .file = arena_dup(a, f->name.file),
			.has_sha256 = f->has_sha256, .sha256 = f->sha256, .has_size = f->has_size,
			.size = f->size };
		total += f->has_size ? f->size : 0;
	}
	log_progress_begin(&progress, "fetch", total);
	int r = fetch_files(c->cache, index_http(c->index), items, p->nfiles, c->o->jobs, &progress, e);
	for (size_t i = 0; !r && i < p->nfiles; i++) {
		struct index_file *f = &p->files[i].from;

		f->has_sha256 = f->has_size = true;
		f->sha256 = items[i].sha256;
		f->size = items[i].size;
		c->out->reused += items[i].was_cached;
		c->out->fetched += items[i].was_cached ? 0 : items[i].size;
	}
	if (!r && c->out->fetched) {
		log_progress_end(&progress);
	} else if (!r) {
		c->say("fetch: all %zu files are in the cache", p->nfiles);
	}
	return r;
}

static int write_bundle(struct create_run *c, size_t *damaged, struct err *e)
{
	struct create_result *out = c->out;
	struct pack pack = { .manifest = &out->manifest, .key = c->o->key, .cache = c->cache };
	struct log_progress progress;

	texts_write(&out->arena, &out->manifest, &pack.later);
	log_progress_begin(&progress, "pack", manifest_total(&out->manifest));
	int r = pack_bundle(&pack, out->path, &progress, damaged, e);
	vec_release(&pack.later);
	if (!r) {
		struct stat st;

		log_progress_end(&progress);
		out->bundle_size = stat(out->path, &st) == 0 ? (uint64_t)st.st_size : 0;
	}
	return r;
}

/* A cached copy that rotted is found by the pass that packs it: it is evicted, fetched once more, and the
 * pass begins again. */
static int fetch_and_write(struct create_run *c, struct err *e)
{
	struct manifest head = c->out->manifest;

	for (int tries = 0;; tries++) {
		size_t damaged = 0;
		int r = fetch(c, e);

		if (r) {
			return r;
		}
		r = describe(&c->out->lock, &c->out->plan, c->cache, &c->out->manifest, e);
		r = r ? r : write_bundle(c, &damaged, e);
		if (!r || e->rc != RC_HASH || tries == 2) {
			return r;
		}
		c->say("%s: fetching it again", e->text);
		err_clear(e);
		manifest_release(&c->out->manifest);
		c->out->manifest = head;
		c->out->reused = 0;
	}
}

static const char **longer(struct arena *a, const char **old, size_t n, const struct str *more, size_t nmore)
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

/* A requirements.txt may say where its packages come from; as for pip, that adds to the configuration, and
 * its --index-url takes the place of all configured ones. */
static void use_lock_indexes(struct pip_config *c, const struct lock *l)
{
	if (l->index_url.n) {
		c->indexes = longer(&c->arena, NULL, 0, &l->index_url, 1);
		c->nindexes = 1;
	}
	c->indexes = longer(&c->arena, c->indexes, c->nindexes, l->extra_index_urls, l->nextra_index_urls);
	c->nindexes += l->nextra_index_urls;
	c->find_links = longer(&c->arena, c->find_links, c->nfind_links, l->find_links, l->nfind_links);
	c->nfind_links += l->nfind_links;
	if (l->no_index) {
		c->nindexes = 0;
		c->no_index = true;
	}
}

static int run(struct create_run *c, struct err *e)
{
	struct create_result *out = c->out;
	int r = read_lock(c, e);

	r = r ? r : name_bundle(c, e);
	r = r ? r : pip_config_read(NULL, &c->config, e);
	if (!r) {
		use_lock_indexes(&c->config, &out->lock);
	}
	r = r ? r : cache_open(c->o->cache, &c->cache, e);
	r = r ? r : index_open(&c->config, c->cache, &c->index, e);
	if (r) {
		return r;
	}
	c->say("resolving %zu packages for %zu targets", out->lock.npackages, out->lock.ntargets);
	r = resolve(&out->lock, c->index, c->cache, &c->o->resolve, &out->plan, e);
	r = r ? r : count_holes(&out->plan, e);
	return r ? r : fetch_and_write(c, e);
}

static void __attribute__((format(printf, 1, 2))) silent(const char *fmt, ...)
{
	(void)fmt;
}

int create(const struct create_options *o, void (*say)(const char *fmt, ...), struct create_result *out,
	struct err *e)
{
	struct create_run c = { .o = o, .say = say ? say : silent, .out = out, .config = PIP_CONFIG_INIT };
	int r = run(&c, e);

	if (r && c.cache) {
		cache_expire_pages(c.cache);
	}
	if (c.index) {
		index_close(c.index);
	}
	if (c.cache) {
		cache_close(c.cache);
	}
	pip_config_release(&c.config);
	return r;
}

#include "bundle/doctor_private.h"
#include "bundle/source_project.h"
#include "manifests/base/uri.h"

static bool is_remote(struct str url)
{
	return str_eq_nocase(uri_scheme(url), STR("http")) ||
	       str_eq_nocase(uri_scheme(url), STR("https"));
}

static bool is_local(struct str url)
{
	struct str host = uri_host(url);

	return str_eq_nocase(uri_scheme(url), STR("file")) &&
	       (!host.n || str_eq_nocase(host, STR("localhost")));
}

static void refuse(struct doctor_work *w, struct doctor_item *item)
{
	struct err e = ERR_INIT;

	err_set(&e, RC_INVALID, "%s: neither http, https nor a file of this machine",
		item->result.url);
	doctor_fail(w, item, &e);
}

static struct doctor_item *add(struct doctor_work *w, enum doctor_kind kind, struct str url)
{
	struct doctor_item item = { .kind = kind,
		.url = arena_dup(w->arena, url),
		.result = {
			.kind = kind, .url = uri_redact(w->arena, url), .text = "", .hint = "" } };

	if (!uri_scheme(url).n) { /* pip takes folders and URLs alike */
		item.path = item.url;
	} else if (is_local(url)) {
		item.path = uri_decode(w->arena, uri_path(url));
	}
	if (!item.path && !is_remote(url)) {
		refuse(w, &item);
	}
	vec_push(&w->items, item);
	return &w->items.v[w->items.n - 1];
}

/* A file may stand there for several packages, and a row without its digest beside one with it. */
static void add_file(struct doctor_work *w, struct map *seen, const struct lock_file *f)
{
	struct str url = uri_without_fragment(f->url);
	size_t *known = map_get(seen, url);

	if (!known) {
		add(w, DOCTOR_FILE, url);
		map_put(seen, url, w->items.n - 1);
	}
	struct doctor_item *item = &w->items.v[known ? *known : w->items.n - 1];
	if (f->has_size && !item->has_size) {
		item->has_size = true;
		item->size = f->size;
	}
	if (f->has_sha256 && !item->has_sha256) {
		item->has_sha256 = true;
		item->sha256 = f->sha256;
	}
}

static void add_package(
	struct doctor_work *w, struct map *seen, const struct lock *l, const struct lock_package *p)
{
	for (size_t i = 0; i < p->nfiles; i++) {
		add_file(w, seen, &p->files[i]);
	}
	if (p->url.n) {
		struct lock_file file = { .url = p->url };

		if (p->nhashes == 1) { /* of several, any would do */
			file.has_sha256 = true;
			file.sha256 = p->hashes[0];
		}
		add_file(w, seen, &file);
	} else if (!p->nfiles && !w->project && !lock_source_of(l, p->req.name)) {
		w->project = arena_dup(w->arena, p->req.name);
	}
}

static void add_index(struct doctor_work *w, struct str url, bool is_needed)
{
	struct doctor_item *item = add(w, DOCTOR_INDEX, url);

	if (!is_needed) {
		item->result.status = DOCTOR_SKIP;
		item->result.text = "nothing of the lock is taken from it";
		item->step = DOCTOR_SETTLED;
	}
}

static bool is_own(const struct lock *l, struct str url)
{
	bool own = str_eq(l->index_url, url);

	for (size_t i = 0; i < l->nextra_index_urls && !own; i++) {
		own = str_eq(l->extra_index_urls[i], url);
	}
	return own;
}

/* What the lock itself names must be there in any case; what is configured only where it is of use. */
static void add_places(struct doctor_work *w, const struct lock *l, const struct pip_config *c)
{
	for (size_t i = 0; i < c->nindexes; i++) {
		struct str url = str_of(c->indexes[i]);

		add_index(w, url, w->project != NULL || is_own(l, url));
	}
	for (size_t i = 0; i < c->nfind_links; i++) {
		add(w, DOCTOR_LINKS, str_of(c->find_links[i]));
	}
}

/* A page that a [source.PACKAGE] leads a target to. Of several spellings of it the last is the one that is always
 * there. */
static void add_source(struct doctor_work *w, struct map *seen, const struct lock_source *s, const struct target *t)
{
	struct source_pages pages = { .n = 0 };
	struct err e = ERR_INIT;

	if (source_locate(&s->source, t, source_github_api(), w->arena, &pages, &e)) {
		struct doctor_item *item = add(w, DOCTOR_LINKS, s->source.url);

		doctor_fail(w, item, &e);
		return;
	}
	if (pages.n) {
		struct str url = pages.urls[pages.n - 1];

		if (s->source.kind == SOURCE_INDEX) {
			url = str_of(arena_printf(w->arena, "%.*s/%.*s/", STR_ARG(url), STR_ARG(s->name)));
		}
		if (!map_get(seen, url)) {
			map_put(seen, url, 0);
			add(w, s->source.kind == SOURCE_FILE ? DOCTOR_FILE : DOCTOR_LINKS, url);
		}
	}
}

void doctor_list(struct doctor_work *w, const struct lock *lock, const struct pip_config *config)
{
	struct map seen = MAP_INIT;

	for (size_t i = 0; i < lock->nfiles; i++) {
		add_file(w, &seen, &lock->files[i]);
	}
	for (size_t i = 0; i < lock->npackages; i++) {
		add_package(w, &seen, lock, &lock->packages[i]);
	}
	for (size_t i = 0; i < lock->nsources * lock->ntargets; i++) {
		add_source(w, &seen, &lock->sources[i / lock->ntargets], &lock->targets[i % lock->ntargets]);
	}
	map_release(&seen);
	add_places(w, lock, config);
}

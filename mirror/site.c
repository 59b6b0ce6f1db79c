#include "mirror/site.h"
#include "manifests/base/mem.h"
#include "manifests/base/vec.h"
#include "mirror/client_text.h"
#include "mirror/home_page.h"
#include "mirror/simple_page.h"
#include "mirror/wheel_alias.h"
#include "verify/hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const form_types[FORMS] = {
	[FORM_JSON] = "application/vnd.pypi.simple.v1+json",
	[FORM_V1_HTML] = "application/vnd.pypi.simple.v1+html",
	[FORM_HTML] = "text/html; charset=utf-8",
};

/* A table of the pages made so far, by type and digest: open addressing, a power of two. */
struct page_table {
	struct page **slot;
	size_t size, used;
};

struct builder {
	struct site *site;
	struct page_table table;
	struct buf text; /* scratch */
};

void etag_of(struct str bytes, char out[ETAG_SIZE])
{
	struct digest d;

	hash_bytes(bytes, &d);
	out[0] = '"';
	digest_hex(&d, out + 1);
	out[DIGEST_HEX + 1] = '"';
	out[DIGEST_HEX + 2] = '\0';
}

/* ---- pages, each once ---- */

static size_t place_of(const struct page_table *t, const char *type, const char *etag)
{
	uint64_t key;

	memcpy(&key, etag + 1, sizeof(key)); /* hexadecimal digits of a digest: as good as a hash */
	key = key * UINT64_C(0x9e3779b97f4a7c15) >> 16;
	for (size_t i = (size_t)key & (t->size - 1);; i = (i + 1) & (t->size - 1)) {
		const struct page *p = t->slot[i];

		if (!p || (p->type == type && strcmp(p->etag, etag) == 0)) {
			return i;
		}
	}
}

static void grow(struct page_table *t)
{
	struct page_table larger = { .size = t->size ? t->size * 2 : 256, .used = t->used };

	larger.slot = mem_array(larger.size, sizeof(*larger.slot));
	for (size_t i = 0; i < t->size; i++) {
		if (t->slot[i]) {
			larger.slot[place_of(&larger, t->slot[i]->type, t->slot[i]->etag)] =
				t->slot[i];
		}
	}
	free(t->slot);
	*t = larger;
}

/* The page of what is in b->text; `twin`, where given, has the same bytes under another type. */
static struct page *add_page(
	struct builder *b, const char *type, bool varies, const struct page *twin)
{
	struct page_table *t = &b->table;
	char etag[ETAG_SIZE];

	if (twin) {
		memcpy(etag, twin->etag, ETAG_SIZE);
	} else {
		etag_of(buf_str(&b->text), etag);
	}
	if (t->used * 2 >= t->size) {
		grow(t);
	}
	size_t at = place_of(t, type, etag);
	if (t->slot[at]) {
		return t->slot[at];
	}
	struct page *p = arena_alloc(&b->site->arena, sizeof(*p));
	p->body = twin ? twin->body : arena_str(&b->site->arena, buf_str(&b->text));
	p->type = type;
	p->varies = varies;
	memcpy(p->etag, etag, ETAG_SIZE);
	t->slot[at] = p;
	t->used++;
	return p;
}

static void keep_pages(struct builder *b)
{
	struct site *site = b->site;

	site->pages = arena_array(&site->arena, b->table.used, sizeof(struct page *));
	for (size_t i = 0; i < b->table.size; i++) {
		if (b->table.slot[i]) {
			site->pages[site->npages++] = b->table.slot[i];
		}
	}
}

/* ---- indexes ---- */

static void build_root(struct builder *b, struct site_index *x)
{
	buf_clear(&b->text);
	simple_root_json(&x->listing, &b->text);
	x->root[FORM_JSON] = add_page(b, form_types[FORM_JSON], true, NULL);
	buf_clear(&b->text);
	simple_root_html(&x->listing, &b->text);
	x->root[FORM_HTML] = add_page(b, form_types[FORM_HTML], true, NULL);
	x->root[FORM_V1_HTML] = add_page(b, form_types[FORM_V1_HTML], true, x->root[FORM_HTML]);
}

static void build_project(
	struct builder *b, const struct listing_project *p, const char *up, struct page *out[FORMS])
{
	buf_clear(&b->text);
	simple_project_json(p, up, &b->text);
	out[FORM_JSON] = add_page(b, form_types[FORM_JSON], true, NULL);
	buf_clear(&b->text);
	simple_project_html(p, up, &b->text);
	out[FORM_HTML] = add_page(b, form_types[FORM_HTML], true, NULL);
	out[FORM_V1_HTML] = add_page(b, form_types[FORM_V1_HTML], true, out[FORM_HTML]);
}

/* `up` leads from the index's parent folder to the root: "" or "../../". */
static void build_index(struct builder *b, struct site_index *x, const char *up)
{
	char from_project[32], from_flat[32];

	snprintf(from_project, sizeof(from_project), "../../%s", up);
	snprintf(from_flat, sizeof(from_flat), "../%s", up);
	build_root(b, x);
	buf_clear(&b->text);
	simple_flat_html(&x->listing, from_flat, &b->text);
	x->flat = add_page(b, form_types[FORM_HTML], false, NULL);
	x->projects = arena_array(&b->site->arena, x->listing.nprojects, sizeof(*x->projects));
	for (size_t i = 0; i < x->listing.nprojects; i++) {
		build_project(b, &x->listing.projects[i], from_project, x->projects[i]);
	}
}

static struct str keep_text(struct builder *b)
{
	return arena_str(&b->site->arena, buf_str(&b->text));
}

static void build_texts(struct builder *b, const struct store_target *t, struct site_texts *out)
{
	buf_clear(&b->text);
	client_pip_conf(t->target.name, &b->text);
	out->pip_conf = keep_text(b);
	buf_clear(&b->text);
	client_uv_toml(t->target.name, &b->text);
	out->uv_toml = keep_text(b);
	buf_clear(&b->text);
	client_requirements(t, &b->text);
	out->requirements = keep_text(b);
}

static void build_targets(struct builder *b)
{
	struct site *site = b->site;
	const struct store_view *v = &site->view;

	site->targets = arena_array(&site->arena, v->ntargets, sizeof(*site->targets));
	site->texts = arena_array(&site->arena, v->ntargets, sizeof(*site->texts));
	for (size_t i = 0; i < v->ntargets; i++) {
		listing_of_target(&site->arena, &v->targets[i], &site->targets[i].listing);
		build_index(b, &site->targets[i], "../../");
		build_texts(b, &v->targets[i], &site->texts[i]);
	}
}

/* RFC 4648 section 4, of a digest: CSP names a hash so. */
static void base64_of(const struct digest *d, char out[45])
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t n = 0;

	for (size_t i = 0; i < DIGEST_SIZE; i += 3) {
		bool last = i + 2 >= DIGEST_SIZE; /* 32 = 10 * 3 + 2 */
		unsigned v = (unsigned)d->b[i] << 16 | (unsigned)d->b[i + 1] << 8 |
			     (last ? 0u : d->b[i + 2]);

		out[n++] = letters[v >> 18];
		out[n++] = letters[v >> 12 & 63];
		out[n++] = letters[v >> 6 & 63];
		out[n++] = last ? '=' : letters[v & 63];
	}
	out[n] = '\0';
}

static void build_home(struct builder *b)
{
	struct digest style;
	char hash[45];

	buf_clear(&b->text);
	home_page_html(&b->site->view, &b->text);
	b->site->home = keep_text(b);
	hash_bytes(home_page_style(), &style);
	base64_of(&style, hash);
	snprintf(b->site->csp_home, sizeof(b->site->csp_home),
		"default-src 'none'; style-src 'sha256-%s'; base-uri 'none'; form-action 'none'; "
		"frame-ancestors 'none'",
		hash);
}

/* ---- files ---- */

static int by_digest(const void *a, const void *b)
{
	const struct site_file *x = a, *y = b;
	int c = digest_cmp(&x->file->sha256, &y->file->sha256);

	return c ? c : str_cmp(x->file->file, y->file->file);
}

/* What is not listed any more stays here: a lock that names it must go on working. */
static void build_files(struct site *site)
{
	const struct store_view *v = &site->view;
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < v->ntargets; i++) {
		n += v->targets[i].nfiles;
	}
	site->files = arena_array(&site->arena, n, sizeof(*site->files));
	n = 0;
	for (size_t i = 0; i < v->ntargets; i++) {
		for (size_t j = 0; j < v->targets[i].nfiles; j++) {
			site->files[n++].file = &v->targets[i].files[j].file;
		}
	}
	qsort(site->files, n, sizeof(*site->files), by_digest);
	for (size_t i = 0; i < n; i++) {
		if (kept == 0 || by_digest(&site->files[kept - 1], &site->files[i]) != 0) {
			const struct manifest_file *f = site->files[i].file;
			char *alias = f->local_mismatch ? wheel_alias(&site->arena, f->file) : NULL;

			site->files[kept++] = (struct site_file){ f, str_of(alias) };
		}
	}
	site->nfiles = kept;
}

struct site *site_build(struct store_view *view)
{
	struct site *site = mem_alloc(sizeof(*site));
	struct builder b = { .site = site, .text = BUF_INIT };

	site->view = *view;
	*view = (struct store_view)STORE_VIEW_INIT;
	build_files(site);
	build_targets(&b);
	listing_of_all(&site->arena, &site->view, &site->all.listing);
	build_index(&b, &site->all, "");
	build_home(&b);
	keep_pages(&b);
	free(b.table.slot);
	buf_release(&b.text);
	return site;
}

void site_free(struct site *site, void (*forget)(void *prepared))
{
	if (!site) {
		return;
	}
	for (size_t i = 0; forget && i < site->npages; i++) {
		void *prepared = atomic_load(&site->pages[i]->prepared);

		if (prepared) {
			forget(prepared);
		}
	}
	store_view_release(&site->view);
	arena_release(&site->arena);
	free(site);
}

/* ---- finding ---- */

/* The targets are sorted by name; SIZE_MAX: none of this one. */
static size_t find_target(const struct site *site, struct str name)
{
	size_t low = 0, high = site->view.ntargets;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int c = str_cmp(name, site->view.targets[middle].target.name);

		if (c == 0) {
			return middle;
		}
		if (c < 0) {
			high = middle;
		} else {
			low = middle + 1;
		}
	}
	return SIZE_MAX;
}

const struct site_index *site_find_index(const struct site *site, struct str target)
{
	if (target.n == 0) {
		return &site->all;
	}
	size_t i = find_target(site, target);
	return i == SIZE_MAX ? NULL : &site->targets[i];
}

const struct site_texts *site_find_texts(const struct site *site, struct str target)
{
	size_t i = find_target(site, target);

	return i == SIZE_MAX ? NULL : &site->texts[i];
}

struct page *const *site_find_project(const struct site_index *index, struct str name)
{
	size_t low = 0, high = index->listing.nprojects;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int c = str_cmp(name, index->listing.projects[middle].name);

		if (c == 0) {
			return index->projects[middle];
		}
		if (c < 0) {
			high = middle;
		} else {
			low = middle + 1;
		}
	}
	return NULL;
}

const struct manifest_file *site_find_file(
	const struct site *site, const struct digest *d, struct str name)
{
	size_t low = 0, high = site->nfiles;

	while (low < high) { /* the first of this digest */
		size_t middle = low + (high - low) / 2;

		if (digest_cmp(&site->files[middle].file->sha256, d) < 0) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	for (; low < site->nfiles && digest_eq(&site->files[low].file->sha256, d); low++) {
		if (str_eq(site->files[low].file->file, name) ||
			(site->files[low].alias.n && str_eq(site->files[low].alias, name))) {
			return site->files[low].file;
		}
	}
	return NULL;
}

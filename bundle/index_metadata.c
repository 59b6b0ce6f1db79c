#include "bundle/fetch.h"
#include "bundle/index_page.h"
#include "bundle/range_file.h"
#include "manifests/base/uri.h"
#include "manifests/limits.h"
#include "verify/hash.h"
#include "verify/wheel_in.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How one file's METADATA is got: each step is a request, and leads to DONE or to another step. */
enum step { SIBLING, TAIL, HEAD, PIECE, WHOLE, DONE };

enum { ROUNDS_MAX = 12 };

struct job {
	const struct index_file *file;
	struct str *text, *fault; /* where it goes; what is wrong with the wheel, or NULL */
	enum step step;
	struct range_file ranges;
	bool has_size;   /* ranges.size is known */
	bool knows_size; /* and it is the server's word */
	bool is_local;   /* read from this machine, unhashed: not for the cache */
};

struct work {
	struct index *x;
	struct arena *a;
	struct job *jobs;
	size_t n;
	struct job **asked; /* of this round */
	struct http_request *requests;
};

static const char kind[] = "METADATA";

static const char *shown(struct work *w, const struct job *job)
{
	return uri_redact(w->a, str_of(job->file->url));
}

static int finish(struct work *w, struct job *job, struct str text)
{
	struct err ignored = ERR_INIT;

	*job->text = text;
	job->step = DONE;
	if (job->file->has_sha256 && !job->is_local) {
		cache_put_text(index_cache(w->x), &job->file->sha256, kind, text, &ignored);
	}
	return 0;
}

/* ".metadata" goes behind the path (PEP 658), before a query. */
static const char *sibling_url(struct arena *a, const char *url)
{
	struct str all = uri_without_fragment(str_of(url));
	size_t path = str_find(all, '?');

	return arena_printf(a, "%.*s.metadata%.*s", STR_ARG(str_first(all, path)),
		STR_ARG(str_skip(all, path)));
}

/* ---- requests ---- */

static void ask_range(struct http_request *q, uint64_t first, uint64_t last)
{
	q->has_range = true;
	q->range_first = first;
	q->range_last = last;
	q->max = last - first + 1;
}

static void ask_tail(const struct job *job, struct http_request *q)
{
	uint64_t size = job->ranges.size;

	if (job->has_size && size) {
		ask_range(q, size > RANGE_TAIL ? size - RANGE_TAIL : 0, size - 1);
		return;
	}
	q->has_range = q->range_is_suffix = true;
	q->range_last = q->max = RANGE_TAIL;
}

static struct http_request request_of(struct work *w, const struct job *job)
{
	struct http_request q = { .url = job->file->url, .identity = true };

	if (job->step == SIBLING) {
		q.url = sibling_url(w->a, job->file->url);
		q.identity = false;
		q.max = LIMIT_METADATA;
	} else if (job->step == TAIL) {
		ask_tail(job, &q);
	} else if (job->step == HEAD) {
		q.head = true;
	} else {
		ask_range(&q, job->ranges.need_first, job->ranges.need_last);
	}
	return q;
}

/* ---- answers ---- */

static int no_sibling(const struct index_file *f, struct err *e)
{
	return err_set(e, RC_UNSUPPORTED, "%.*s: the index offers no metadata of this sdist",
		STR_ARG(f->name.file));
}

static int take_sibling(
	struct work *w, struct job *job, const struct http_response *r, struct err *e)
{
	const struct index_file *f = job->file;
	char expected[DIGEST_HEX + 1], found_hex[DIGEST_HEX + 1];
	struct digest found;

	if (r->status != 200 &&
		f->name.kind == DIST_WHEEL) { /* promised, not there: the wheel has it */
		job->step = TAIL;
		return 0;
	}
	if (r->status != 200) {
		return no_sibling(f, e);
	}
	hash_bytes(buf_str(&r->body), &found);
	if (f->has_metadata_sha256 && !digest_eq(&found, &f->metadata_sha256)) {
		err_set(e, RC_HASH, "%s.metadata: its sha256 is %s, the index says %s", shown(w, job),
			digest_hex(&found, found_hex), digest_hex(&f->metadata_sha256, expected));
		return err_hint(e, "the index contradicts itself, or a proxy changes its answers: look at that "
				   "URL with another client");
	}
	return finish(w, job, arena_str(w->a, buf_str(&r->body)));
}

/* Reads as far as the ranges go; what is missing is the next step. */
static int read_ranges(struct work *w, struct job *job, struct err *e)
{
	struct str text;

	if (!range_file_metadata(&job->ranges, job->file->name.file, w->a, &text, e)) {
		return finish(w, job, text);
	}
	if (job->ranges.is_missing) {
		job->step = PIECE;
		return 0;
	}
	return err_wrap(e, "%s", shown(w, job));
}

static int refuse(struct work *w, const struct job *job, const struct http_response *r, struct err *e)
{
	if (http_status_is_refusal(r->status)) {
		return http_refuse(r, shown(w, job), e);
	}
	err_set(e, RC_INDEX, "%s: the server answers %ld %s", shown(w, job), r->status,
		http_status_text(r->status));
	return err_hint(e, "%s lists a file that is not there; it is the index's fault",
		job->file->source ? job->file->source : "the index");
}

static int take_range(struct work *w, struct job *job, const struct http_response *r, struct err *e)
{
	bool is_part = r->status == 206 && r->has_total && r->total && r->body.n;
	bool is_all = r->status == 200 && r->body.n;

	if (r->status == 401 || r->status == 403 || r->status == 404 || r->status == 410) {
		return refuse(w, job, r, e);
	}
	if (is_all && strcmp(r->content_type, "text/html") == 0) {
		err_set(e, RC_INDEX, "%s: the server sends an HTML page in place of the file", shown(w, job));
		return err_hint(e, "a login page or a proxy may stand between");
	}
	if (is_part || is_all) {
		job->ranges.size = is_part ? r->total : r->body.n;
		job->has_size = job->knows_size = true;
		range_file_add(&job->ranges, r->first, buf_str(&r->body));
		return read_ranges(w, job, e);
	}
	/* Not every server takes "the last N bytes", and an index may be wrong about the size. */
	job->step = r->status != 200 && job->step == TAIL && !job->knows_size ? HEAD : WHOLE;
	return 0;
}

static int take_head(struct job *job, const struct http_response *r)
{
	job->step = WHOLE;
	if (r->status == 200 && r->has_total && r->total) {
		job->ranges.size = r->total;
		job->has_size = job->knows_size = true;
		job->step = TAIL;
	}
	return 0;
}

/* A damaged wheel concerns those who would choose it; where the caller wants to know, the others go on. */
static int settle(struct work *w, struct job *job, int r, struct err *e)
{
	if (!r || e->rc != RC_WHEEL || !job->fault) {
		return r;
	}
	*job->fault = str_of(arena_printf(w->a, "%s", e->text));
	job->step = DONE;
	err_clear(e);
	return 0;
}

static int end_one(
	void *context, size_t i, struct http_response *r, const struct err *failed, struct err *e)
{
	struct work *w = context;
	struct job *job = w->asked[i];

	if (failed) {
		*e = *failed;
		return -(int)failed->rc;
	}
	switch (job->step) {
	case SIBLING:
		return take_sibling(w, job, r, e);
	case HEAD:
		return take_head(job, r);
	case TAIL:
	case PIECE:
		return settle(w, job, take_range(w, job, r, e), e);
	case WHOLE:
	case DONE:
		break;
	}
	return err_set(e, RC_BUG, "an answer nobody asked for");
}

static bool is_remote_step(enum step step)
{
	return step != WHOLE && step != DONE;
}

static int run_rounds(struct work *w, struct err *e)
{
	for (unsigned round = 0; round < ROUNDS_MAX; round++) {
		size_t n = 0;

		for (size_t i = 0; i < w->n; i++) {
			if (is_remote_step(w->jobs[i].step)) {
				w->asked[n] = &w->jobs[i];
				w->requests[n++] = request_of(w, &w->jobs[i]);
			}
		}
		if (!n) {
			return 0;
		}
		int r = http_get_many(index_http(w->x), w->requests, n, 0, end_one, w, e);
		if (r) {
			return r;
		}
	}
	for (size_t i = 0; i < w->n; i++) { /* a wheel with its METADATA in crumbs */
		if (is_remote_step(w->jobs[i].step)) {
			w->jobs[i].step = WHOLE;
		}
	}
	return 0;
}

/* ---- whole wheels ---- */

static int read_wheel(struct work *w, struct job *job, int fd, struct err *e)
{
	CLEANUP_WHEEL struct wheel *wheel = NULL;
	const struct wheel_metadata *m = NULL;

	int r = wheel_open_fd(fd, job->file->name.file, &wheel, e);
	if (!r) {
		r = wheel_metadata(wheel, &m, e);
	}
	return r ? err_wrap(e, "%s", shown(w, job)) : finish(w, job, arena_str(w->a, m->text));
}

static int read_local(struct work *w, struct job *job, const char *path, struct err *e)
{
	CLEANUP(fd) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0 && errno == ENOENT) {
		return err_set(e, RC_NOT_FOUND, "%s: no such file", path);
	}
	if (fd < 0) {
		return err_sys(e, "%s: cannot open", path);
	}
	return read_wheel(w, job, fd, e);
}

static int fetch_one(struct work *w, struct fetch_item *item, struct err *e)
{
	return fetch_files(index_cache(w->x), index_http(w->x), item, 1, 1, NULL, e);
}

/* Bytes out of the cache are hashed before they are believed. */
static int read_cached(struct work *w, struct job *job, struct fetch_item *item, struct err *e)
{
	struct cache *c = index_cache(w->x);
	uint64_t size = 0;
	struct digest found;

	for (int attempt = 0; attempt < 2; attempt++) {
		CLEANUP(fd) int fd = -1;

		if (!cache_open_file(c, &item->sha256, &fd, &size)) {
			break;
		}
		int r = item->was_cached ? hash_fd(fd, item->file, &found, &size, e) : 0;
		if (r) {
			return r;
		}
		if (!item->was_cached || digest_eq(&found, &item->sha256)) {
			return read_wheel(w, job, fd, e);
		}
		cache_evict(c, &item->sha256);
		r = fetch_one(w, item, e);
		if (r) {
			return r;
		}
	}
	return err_set(e, RC_IO, "%s: it vanished from the cache", item->file);
}

static int read_whole(struct work *w, struct err *e)
{
	CLEANUP(free) struct fetch_item *items = mem_array(w->n + 1, sizeof(*items));
	CLEANUP(free) struct job **jobs = mem_array(w->n + 1, sizeof(*jobs));
	size_t n = 0;

	for (size_t i = 0; i < w->n; i++) {
		const struct index_file *f = w->jobs[i].file;

		if (w->jobs[i].step == WHOLE) {
			jobs[n] = &w->jobs[i];
			items[n++] = (struct fetch_item){
				.url = f->url,
				.file = arena_dup(w->a, f->name.file),
				.has_sha256 = f->has_sha256,
				.sha256 = f->sha256,
				.has_size = f->has_size,
				.size = f->size,
			};
		}
	}
	int r = n ? fetch_files(index_cache(w->x), index_http(w->x), items, n, 0, NULL, e) : 0;
	for (size_t i = 0; !r && i < n; i++) {
		r = settle(w, jobs[i], read_cached(w, jobs[i], &items[i], e), e);
	}
	return r;
}

/* ---- the whole ---- */

static int begin_one(struct work *w, struct job *job, struct err *e)
{
	const struct index_file *f = job->file;
	CLEANUP_BUF struct buf kept = BUF_INIT;
	const char *path = index_file_path(w->a, str_of(f->url));

	int r = index_check_file(f, e);
	if (r) {
		return r;
	}
	if (f->has_sha256 && cache_get_text(index_cache(w->x), &f->sha256, kind, &kept)) {
		*job->text = arena_str(w->a, buf_str(&kept));
		job->step = DONE;
		return 0;
	}
	if (f->name.kind != DIST_WHEEL && !f->has_metadata) {
		return no_sibling(f, e);
	}
	if (path && f->name.kind == DIST_WHEEL) {
		job->is_local = true;
		return read_local(w, job, path, e);
	}
	job->step = f->has_metadata ? SIBLING : TAIL;
	job->has_size = f->has_size && f->size > 0;
	job->ranges.size = f->size;
	return 0;
}

int index_metadata(struct index *x, const struct index_file *const *files, size_t n,
	struct arena *a, struct str *texts, struct str *faults, struct err *e)
{
	CLEANUP(free) struct job *jobs = mem_array(n + 1, sizeof(*jobs));
	CLEANUP(free) struct job **asked = mem_array(n + 1, sizeof(*asked));
	CLEANUP(free) struct http_request *requests = mem_array(n + 1, sizeof(*requests));
	struct work w = {
		.x = x, .a = a, .jobs = jobs, .n = n, .asked = asked, .requests = requests
	};
	int r = 0;

	for (size_t i = 0; i < n && !r; i++) {
		jobs[i].file = files[i];
		jobs[i].text = &texts[i];
		jobs[i].fault = faults ? &faults[i] : NULL;
		r = settle(&w, &jobs[i], begin_one(&w, &jobs[i], e), e);
	}
	if (!r) {
		r = run_rounds(&w, e);
	}
	if (!r) {
		r = read_whole(&w, e);
	}
	for (size_t i = 0; i < n; i++) {
		range_file_release(&jobs[i].ranges);
	}
	return r;
}

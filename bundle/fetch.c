#include "bundle/fetch.h"
#include "bundle/fetch_part.h"
#include "manifests/base/uri.h"
#include "manifests/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

enum { PIECE = 256 * 1024, WAIT_MS = 200 };

enum state { TO_DO, ELSEWHERE, RUNNING, DONE };

struct job {
	enum state state;
	bool is_second; /* the first bytes were wrong */
	struct part *part;
};

struct fetch {
	struct cache *cache;
	struct fetch_item *items;
	struct job *jobs;
	size_t n, from; /* jobs before `from` are done */
	struct log_progress *progress;
};

/* Only the size is compared: the pass that uses the bytes hashes them. */
static bool find_cached(struct fetch *f, struct fetch_item *item)
{
	int fd = -1;
	uint64_t size = 0;

	if (!item->has_sha256 || !cache_open_file(f->cache, &item->sha256, &fd, &size)) {
		return false;
	}
	close(fd);
	if (item->has_size && item->size != size) {
		cache_evict(f->cache, &item->sha256);
		return false;
	}
	item->size = size;
	if (f->progress) {
		log_progress_add(f->progress, size);
	}
	return true;
}

static int no_space(struct fetch *f, const struct job *job, struct err *e)
{
	const struct fetch_item *item = &f->items[job - f->jobs];
	char needed[24], got[24];

	if (item->has_size) {
		err_hint(e,
			"%s needs %s (%" PRIu64
			" bytes), %s of them are there; free some, or name another "
			"place with XDG_CACHE_HOME",
			item->file, log_size(item->size, needed), item->size,
			log_size(job->part ? job->part->have : 0, got));
	} else {
		err_hint(e, "free some space, or name another place with XDG_CACHE_HOME");
	}
	return -(int)e->rc;
}

static void close_part(struct job *job)
{
	part_close(job->part);
	job->part = NULL;
}

/* A job that came to `r`: done, or to be done a second time from byte 0, or failed for good. */
static int settle(struct fetch *f, struct job *job, int r, struct err *e)
{
	if (r == -RC_HASH && !job->is_second) {
		r = part_empty(job->part, e);
		job->is_second = true;
		job->state = TO_DO;
	} else if (!r) {
		job->state = DONE;
	} else if (r == -RC_NO_SPACE) {
		no_space(f, job, e);
	}
	close_part(job);
	return r;
}

static int commit_job(struct fetch *f, struct job *job, struct err *e)
{
	struct err found = ERR_INIT; /* kept from the caller where a second try follows */
	int r = part_commit(job->part, &found);

	r = settle(f, job, r, &found);
	if (r) {
		*e = found;
	}
	return r;
}

/* ---- files of this machine ---- */

static int copy_into(struct part *p, int from, const char *path, struct err *e)
{
	CLEANUP(free) char *piece = mem_alloc(PIECE);

	int r = part_empty(p, e);
	while (!r) {
		ssize_t n = read(from, piece, PIECE);

		if (n < 0 && errno == EINTR) {
			continue;
		}
		if (n < 0) {
			return err_sys(e, "%s: cannot read", path);
		}
		if (n == 0) {
			return 0;
		}
		r = part_add(p, piece, (size_t)n, e);
	}
	return r;
}

static int copy_local(struct fetch *f, struct job *job, struct err *e)
{
	struct part *p = job->part;
	struct str url = str_of(p->item->url);
	struct stat st;
	const char *path = uri_decode(&p->arena, uri_path(url));

	if (!path || (uri_host(url).n && !str_eq_nocase(uri_host(url), STR("localhost")))) {
		return err_set(
			e, RC_INVALID, "%s: not the URL of a file on this machine", p->item->url);
	}
	CLEANUP(fd) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 && errno == ENOENT) {
		return err_set(e, RC_NOT_FOUND, "%s: no such file", path);
	}
	if (fd < 0 || fstat(fd, &st)) {
		return err_sys(e, "%s: cannot open", path);
	}
	if (!S_ISREG(st.st_mode)) {
		return err_set(e, RC_IO, "%s: not a regular file", path);
	}
	job->is_second = true; /* reading it again would give the same */
	int r = copy_into(p, fd, path, e);
	return r ? settle(f, job, r, e) : commit_job(f, job, e);
}

/* ---- the transfers ---- */

static int take_bytes(void *context, const void *bytes, size_t n, struct err *e)
{
	return part_add(context, bytes, n, e);
}

static int start_over(void *context, struct err *e)
{
	return part_empty(context, e);
}

static void make_request(struct part *p, struct http_request *out)
{
	*out = (struct http_request){
		.url = p->item->url,
		.identity = true,
		.max = LIMIT_FILE,
		.take = take_bytes,
		.restart = start_over,
		.context = p,
	};
	if (p->have) {
		out->has_range = true;
		out->range_first = p->have;
		out->range_last = UINT64_MAX;
	}
}

/* 1: *out is to be run; 0: the item needs no transfer, or not now. */
static int begin_job(struct fetch *f, struct job *job, struct http_request *out, struct err *e)
{
	struct fetch_item *item = &f->items[job - f->jobs];

	if (!job->is_second && find_cached(f, item)) {
		item->was_cached = true;
		job->state = DONE;
		return 0;
	}
	int r = part_open(f->cache, item, f->progress, &job->part, e);
	if (r || !job->part) {
		job->state = ELSEWHERE;
		return r;
	}
	/* Who had the lock a moment ago may have finished the file. */
	if (!job->is_second && find_cached(f, item)) {
		item->was_cached = true;
		job->state = DONE;
		close_part(job);
		return 0;
	}
	job->state = RUNNING;
	if (str_eq_nocase(uri_scheme(str_of(item->url)), STR("file"))) {
		return copy_local(f, job, e);
	}
	if (part_is_full(job->part)) {
		return commit_job(f, job, e);
	}
	make_request(job->part, out);
	return 1;
}

static int next_request(void *context, struct http_request *out, size_t *i, struct err *e)
{
	struct fetch *f = context;

	while (f->from < f->n && f->jobs[f->from].state == DONE) {
		f->from++;
	}
	for (size_t at = f->from; at < f->n; at++) {
		int r = 0;

		while (!r && f->jobs[at].state ==
				     TO_DO) { /* a bad partial file gives it a second time */
			r = begin_job(f, &f->jobs[at], out, e);
		}
		if (r) {
			*i = at;
			return r;
		}
	}
	return 0;
}

static int refuse_status(
	const struct fetch_item *item, const struct http_response *response, struct err *e)
{
	struct arena a = ARENA_INIT;
	long status = response->status;

	if (status == 404 || status == 410) {
		err_set(e, RC_INDEX, "%s: the server answers %ld %s", uri_redact(&a, str_of(item->url)),
			status, http_status_text(status));
		err_hint(e, "the file was removed upstream; a file with the same sha256 in the cache, in a "
			    "find-links folder or at another url can take its place");
	} else {
		http_refuse(response, uri_redact(&a, str_of(item->url)), e);
	}
	arena_release(&a);
	return -(int)RC_INDEX;
}

static int end_request(void *context, size_t i, struct http_response *response,
	const struct err *failed, struct err *e)
{
	struct fetch *f = context;
	struct job *job = &f->jobs[i];
	struct err found = ERR_INIT;
	int r;

	if (failed) {
		found = *failed;
		r = settle(f, job, -(int)failed->rc, &found);
	} else if (response->status != 200 && response->status != 206) {
		return refuse_status(&f->items[i], response, e);
	} else {
		r = commit_job(f, job, &found);
	}
	if (r) {
		*e = found;
	}
	if (r == -RC_HASH && strcmp(response->content_type, "text/html") == 0) {
		err_wrap(e, "the server sent an HTML page in place of %s", f->items[i].file);
	}
	return r;
}

/* ---- the whole ---- */

static int by_digest(const void *a, const void *b)
{
	const struct fetch_item *x = *(struct fetch_item *const *)a,
				*y = *(struct fetch_item *const *)b;

	return digest_cmp(&x->sha256, &y->sha256);
}

/* Bytes that an item still needs on disk. */
static uint64_t bytes_missing(struct fetch *f, const struct fetch_item *item)
{
	uint64_t size = 0, have = part_bytes_kept(f->cache, item);
	int fd = -1;

	if (!item->has_size) {
		return 0;
	}
	if (item->has_sha256 && cache_open_file(f->cache, &item->sha256, &fd, &size)) {
		close(fd);
		return 0;
	}
	return have < item->size ? item->size - have : 0;
}

/* The same file may stand there for several targets: it is counted once. */
static uint64_t bytes_needed(struct fetch *f, uint64_t *files)
{
	CLEANUP(free) struct fetch_item **sorted = mem_array(f->n ? f->n : 1, sizeof(*sorted));
	uint64_t needed = 0;

	for (size_t i = 0; i < f->n; i++) {
		sorted[i] = &f->items[i];
	}
	qsort(sorted, f->n, sizeof(*sorted), by_digest);
	for (size_t i = 0; i < f->n; i++) {
		bool is_again =
			i && sorted[i]->has_sha256 && by_digest(&sorted[i - 1], &sorted[i]) == 0;
		uint64_t more = is_again ? 0 : bytes_missing(f, sorted[i]);

		needed += more;
		*files += more != 0;
	}
	return needed;
}

/* Where sizes are known, a full disk is found before the first byte. */
static int check_space(struct fetch *f, struct err *e)
{
	struct statvfs fs;
	uint64_t files = 0, needed = bytes_needed(f, &files);
	char needed_text[24], free_text[24];

	if (!needed || statvfs(cache_dir(f->cache), &fs)) {
		return 0;
	}
	uint64_t available = (uint64_t)fs.f_bavail * fs.f_frsize;
	if (needed <= available) {
		return 0;
	}
	err_set(e, RC_NO_SPACE,
		"%s: %s (%" PRIu64 " bytes) are needed for %" PRIu64 " files, %s are free",
		cache_dir(f->cache), log_size(needed, needed_text), needed, files,
		log_size(available, free_text));
	return err_hint(e, "free some, or name another place for the cache with XDG_CACHE_HOME");
}

/* True where something is left to do. Another process holds some files: they are looked at again.
 */
static bool wait_for_others(struct fetch *f, bool *said)
{
	bool waits = false;

	for (size_t i = 0; i < f->n; i++) {
		if (f->jobs[i].state != ELSEWHERE) {
			continue;
		}
		if (!*said && !waits) {
			log_say("%s: another process fetches it, waiting", f->items[i].file);
		}
		f->jobs[i].state = TO_DO;
		waits = true;
	}
	if (waits) {
		*said = true;
		nanosleep(&(struct timespec){ .tv_nsec = WAIT_MS * 1000000L }, NULL);
	}
	return waits;
}

int fetch_files(struct cache *c, struct http *h, struct fetch_item *items, size_t n,
	unsigned parallel, struct log_progress *progress, struct err *e)
{
	CLEANUP(free) struct job *jobs = mem_array(n ? n : 1, sizeof(*jobs));
	struct fetch f = { .cache = c, .items = items, .jobs = jobs, .n = n, .progress = progress };
	bool said = false;

	for (size_t i = 0; i < n; i++) {
		items[i].was_cached = false;
	}
	int r = check_space(&f, e);
	while (!r) {
		r = http_get_stream(h, parallel, next_request, end_request, &f, e);
		if (r || !wait_for_others(&f, &said)) {
			break;
		}
	}
	for (size_t i = 0; i < n; i++) {
		if (jobs[i].part) {
			part_close(jobs[i].part);
		}
	}
	return r;
}

/* What was fetched before: files by sha256, index pages, METADATA texts. A folder
 * ($XDG_CACHE_HOME/gpkg-bundle, else ~/.cache/gpkg-bundle) with blobs/ab/<sha256>, partial/, and
 * one SQLite file for pages and texts (its only user). Several processes may use it at once.
 * Nothing in it is trusted by name or size: a file is hashed again whenever it is used (by the pass
 * that reads it), and an entry that does not match is removed. */
#ifndef BUNDLE_CACHE_H
#define BUNDLE_CACHE_H

#include "manifests/base/arena.h"
#include "manifests/base/buf.h"
#include "manifests/digest.h"
#include "manifests/base/err.h"

struct cache;
/* dir NULL: the default place. Old layout, foreign owner or a damaged database: the database is
 * made anew. */
int cache_open(const char *dir, struct cache **out, struct err *e);
void cache_close(struct cache *c);
const char *cache_dir(const struct cache *c);

struct cache_page {
	struct str body;                   /* in the form that its owner keeps pages in */
	const char *etag, *last_modified;  /* "" unknown */
	const char *next;                  /* the page that this one goes on with, absolute; "" none */
	uint64_t fetched, fresh_until;     /* seconds since 1970 */
	long status;                       /* 200, or 404: the index does not know the project */
};
/* false: not there. What `out` points to belongs to the arena. */
bool cache_get_page(struct cache *c, const char *key, struct arena *a, struct cache_page *out);
int cache_put_page(struct cache *c, const char *key, const struct cache_page *page, struct err *e);
/* The page is still good: new times, and nothing else is written. */
int cache_renew_page(
	struct cache *c, const char *key, uint64_t fetched, uint64_t fresh_until, struct err *e);
/* All pages are asked for again from now on: what a failed run saw may have been put right. */
void cache_expire_pages(struct cache *c);
/* A text (METADATA) under the digest of the file it belongs to; checked against its own stored
 * digest. */
bool cache_get_text(struct cache *c, const struct digest *of, const char *kind, struct buf *out);
int cache_put_text(
	struct cache *c, const struct digest *of, const char *kind, struct str text, struct err *e);

/* Opens a cached file for reading, unchecked, and notes that it was used: the caller hashes what it reads
 * and evicts on a mismatch. False: not there (or not a regular file of ours). */
bool cache_open_file(struct cache *c, const struct digest *sha256, int *fd, uint64_t *size);
void cache_evict(struct cache *c, const struct digest *sha256);
char *cache_file_path(struct cache *c, struct arena *a, const struct digest *sha256);

/* Where the bytes of a file gather before they are complete; the folder exists. `key`: file-name
 * safe. */
char *cache_partial_path(struct cache *c, struct arena *a, const char *key);
/* Makes a complete partial file, open as fd, the cached file of that digest: flushed, then renamed.
 * The caller has hashed it. */
int cache_commit_file(
	struct cache *c, const char *partial, int fd, const struct digest *sha256, struct err *e);

/* What is in it. */
struct cache_usage {
	uint64_t files, file_bytes;
	uint64_t partials, partial_bytes;
	uint64_t pages, texts, database_bytes;
	/* Seconds since 1970; 0 where there is nothing. Of a file when it was last used, of a begun one when
	 * its last byte came, of a page when it was last asked for, of a text when it was stored. */
	uint64_t oldest, newest;
};
int cache_measure(struct cache *c, struct cache_usage *out, struct err *e);
/* Removes what is older than that time (seconds since 1970, by the times above); UINT64_MAX: everything. The
 * folders stay, and so does a file that another process is writing. `removed` counts; its last three numbers
 * are 0. */
int cache_clear(struct cache *c, uint64_t before, struct cache_usage *removed, struct err *e);

#endif

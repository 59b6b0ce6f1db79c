/* Pages of remote indexes and sources, through the cache, in parallel. Private to bundle/index.h and
 * bundle/source_project.h. */
#ifndef BUNDLE_INDEX_LOAD_H
#define BUNDLE_INDEX_LOAD_H

#include "bundle/index_page.h"

struct index_load {
	const char *url;        /* what to get */
	const char *source;     /* for messages and for the links */
	bool may_be_absent;     /* 404 is an answer: the project is not known there */
	bool is_403_absent;     /* and so is every 403 */
	/* Of a source, other than an index page: the reader for whatever content comes, and what is asked for. */
	index_page_reader *read;
	const char *accept;

	/* Output. */
	struct index_page page; /* index_page_release */
	bool is_absent;
	const char *next; /* the page that this one goes on with, absolute; NULL: none */

	/* Within index_load_pages. */
	const char *key;        /* in the cache */
	struct cache_page kept; /* what the cache has of it; its links are in `page` already */
	bool is_kept;
};

/* Fills the page of each; an absent one has no links. done() is called as each is filled, in any order, and may
 * move the page out: that way a run does not hold hundreds of pages at once. NULL: nobody wants to know. After an
 * error there is nothing to release. */
typedef void index_load_done(void *context, struct index_load *load);
int index_load_pages(struct http *h, struct cache *c, struct index_load *loads, size_t n,
	struct arena *a, index_load_done *done, void *context, struct err *e);

#endif

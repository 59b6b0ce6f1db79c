/* Pages of remote indexes, through the cache, in parallel. Private to bundle/index.h. */
#ifndef BUNDLE_INDEX_LOAD_H
#define BUNDLE_INDEX_LOAD_H

#include "bundle/index_page.h"

struct index_load {
	const char *url;        /* what to get */
	const char *source;     /* for messages and for the links */
	bool may_be_absent;     /* 404 is an answer: the project is not known there */
	struct index_page page; /* output; index_page_release */

	struct cache_page kept; /* within index_load_pages */
	bool is_kept;
};

/* Fills the page of each; an absent one has no links. */
int index_load_pages(struct http *h, struct cache *c, struct index_load *loads, size_t n,
	struct arena *a, struct err *e);

#endif

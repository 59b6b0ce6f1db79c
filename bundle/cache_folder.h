/* The folder side of the cache: where it is, its blobs and partial files. Private to
 * bundle/cache.h. */
#ifndef BUNDLE_CACHE_FOLDER_H
#define BUNDLE_CACHE_FOLDER_H

#include "bundle/cache.h"

/* The folder (NULL: the default place), made with its sub-folders, as an absolute or given path. */
int cache_folder_make(struct arena *a, const char *dir, const char **out, struct err *e);
/* Adds up blobs and partial files. Each counts with its time of last change. */
int cache_folder_measure(const char *dir, struct cache_usage *out, struct err *e);
int cache_folder_clear(const char *dir, uint64_t before, struct cache_usage *removed, struct err *e);
/* Makes a time one of those that oldest and newest span. */
void cache_usage_span(struct cache_usage *u, uint64_t when);

#endif

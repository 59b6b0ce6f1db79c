/* All files of a bundle at once, on several cores: for a regular file, where the place of every frame
 * follows from the manifest. It can only say that everything is right; what is wrong, and why, is for the
 * one pass in order (bundle_check.h) to tell. */
#ifndef VERIFY_BUNDLE_PARALLEL_H
#define VERIFY_BUNDLE_PARALLEL_H

#include "verify/bundle_check.h"

/* `v` is freshly opened, its files not begun. True when every byte of the file from its first to its last is what
 * the manifest and the format say. `count` is told of bytes that were checked, by one thread at a time. */
bool bundle_check_parallel(const struct verified *v, int fd, unsigned threads,
	void (*count)(void *context, uint64_t bytes), void *context);

#endif

/* Files. Reading has a maximum; writing is beside, fsync, rename: a reader sees the old file or the
 * whole new one, and a killed writer leaves no stray name: O_TMPFILE has none until it is linked under
 * its final one. (Over an older file, and where the file system has no O_TMPFILE, there is a dot file for
 * a moment; fs_new_release or the next commit removes it.) */
#ifndef BASE_FS_H
#define BASE_FS_H

#include "manifests/base/arena.h"
#include "manifests/base/buf.h"
#include "manifests/base/err.h"

#include <stdint.h>
#include <sys/types.h>

/* Appends the whole of a regular file to *out; RC_NOT_FOUND, RC_LIMIT, RC_IO, RC_PERMISSION. */
int fs_read(const char *path, uint64_t max, struct buf *out, struct err *e);
int fs_read_fd(int fd, const char *name, uint64_t max, struct buf *out, struct err *e);
int fs_write_all(int fd, const void *bytes, size_t n, const char *name, struct err *e);
/* Replaces or makes `path` with these bytes; durable when it returns 0. */
int fs_write(const char *path, struct str bytes, mode_t mode, struct err *e);

int fs_mkdirs(const char *path, mode_t mode, struct err *e); /* like mkdir -p */
int fs_sync_dir(const char *path, struct err *e);
bool fs_exists(const char *path);
int fs_remove_tree(const char *path, struct err *e); /* follows no link; absent is success */
const char *fs_dirname(struct arena *a, const char *path); /* "." where there is no '/' */
const char *fs_basename(const char *path);

/* The names in a folder without "." and "..", sorted by bytes, each owned by the arena. */
int fs_list(const char *path, struct arena *a, char ***names, size_t *count, struct err *e);

/* A new file that appears under its name only when it is committed. */
struct fs_new {
	int fd;
	char *path;      /* the final name, owned */
	char *temporary; /* NULL while it has no name */
};
#define FS_NEW_INIT { .fd = -1 }

int fs_new_open(struct fs_new *f, const char *path, mode_t mode, struct err *e);
int fs_new_commit(struct fs_new *f, struct err *e); /* fsync, rename, fsync of the folder */
/* The same without replacing: an existing file of that name stays, and that is success. */
int fs_new_commit_keep(struct fs_new *f, struct err *e);
void fs_new_release(struct fs_new *f);              /* drops what was not committed */

#endif

/* A tar.gz or zip from somebody else, member by member, in order (libarchive; this is the only
 * reader that sees it). What comes out is safe to write below a folder: regular files and folders
 * with clean relative names; everything else, and more than the limits of wheels, is RC_WHEEL or
 * RC_LIMIT. */
#ifndef VERIFY_ARCHIVE_IN_H
#define VERIFY_ARCHIVE_IN_H

#include "manifests/base/err.h"
#include "manifests/base/str.h"

enum archive_kind { ARCHIVE_TAR_GZ = 1, ARCHIVE_ZIP };

struct archive_member {
	struct str name; /* valid until the next call; without "./" in front and '/' behind */
	uint64_t size;   /* as declared; 0 for folders */
	int64_t mtime;   /* seconds; 0 unknown */
	bool is_dir, is_executable;
};

struct archive_in;

/* From the descriptor's start; it must be a regular file, and stays open. */
int archive_in_open(int fd, enum archive_kind kind, struct archive_in **out, struct err *e);
void archive_in_close(struct archive_in *a);
void cleanup_archive_in(struct archive_in **a);
#define CLEANUP_ARCHIVE_IN __attribute__((cleanup(cleanup_archive_in)))

/* *found is false behind the last one. What was not read of a member is skipped, and counted. */
int archive_in_next(struct archive_in *a, struct archive_member *out, bool *found, struct err *e);
/* The member's contents in pieces; *piece is valid until the next call and empty at the end. */
int archive_in_read(struct archive_in *a, struct str *piece, struct err *e);

#endif

/* The outer layer of a bundle from anybody: zstd frames, and the tar headers in them. Whatever is
 * handed on, no more than the input holds; a header that is taken has the one spelling. */
#include "manifests/base/mem.h"
#include "manifests/tar.h"
#include "verify/zstd_in.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_so)
{
	if (!is_so) {
		abort();
	}
}

static void try_header(struct str bytes)
{
	CLEANUP_BUF struct buf again = BUF_INIT;
	struct tar_member m;
	struct err e = ERR_INIT;
	size_t more, n = TAR_BLOCK;

	if (bytes.n < n || tar_read_header(str_first(bytes, n), &more, &m, &e)) {
		return;
	}
	if (more) {
		n += more;
		require(n <= TAR_HEADER_MAX);
		if (bytes.n < n || tar_read_header(str_first(bytes, n), &more, &m, &e)) {
			return;
		}
		require(more == 0);
	}
	if (!m.is_end) {
		tar_put_header(&again, m.path, m.size, m.mtime);
		require(str_eq(buf_str(&again), str_first(bytes, n)));
	}
}

static void read_all(struct zstd_in *z, size_t size)
{
	CLEANUP_BUF struct buf all = BUF_INIT;
	struct err e = ERR_INIT;
	struct str piece;
	int r;

	while ((r = zstd_in_piece(z, 1000, &piece, &e)) == 0 && piece.n) {
		require(piece.n <= 1000);
		buf_addstr(&all, piece);
	}
	require(all.n <= size);
	require(r == 0 || e.rc == RC_BUNDLE_NOT || e.rc == RC_BUNDLE_CUT ||
		e.rc == RC_BUNDLE_DAMAGED);
	for (size_t i = 0; i + TAR_BLOCK <= all.n; i += TAR_BLOCK) {
		try_header(str_skip(buf_str(&all), i));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(fd) int fd = memfd_create("frames", MFD_CLOEXEC);
	struct zstd_in *z;

	try_header((struct str){ (const char *)data, size });
	require(fd >= 0 && write(fd, data, size) == (ssize_t)size && lseek(fd, 0, SEEK_SET) == 0);
	z = zstd_in_open(fd);
	read_all(z, size);
	zstd_in_close(z);
	return 0;
}

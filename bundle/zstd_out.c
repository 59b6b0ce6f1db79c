#include "bundle/zstd_out.h"
#include "manifests/base/fs.h"
#include "manifests/base/mem.h"
#include "manifests/zstd_frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <xxhash.h>

enum { BLOCKS_AT_ONCE = 8 };

struct zstd_out {
	int fd;
	const char *name;
	XXH64_state_t *sum;
	uint64_t left; /* of the frame that was begun */
};

struct zstd_out *zstd_out_new(int fd, const char *name)
{
	struct zstd_out *z = mem_alloc(sizeof(*z));

	z->fd = fd;
	z->name = name;
	z->sum = XXH64_createState();
	return z;
}

void zstd_out_free(struct zstd_out *z)
{
	if (z) {
		XXH64_freeState(z->sum);
		free(z);
	}
}

static void put_little(unsigned char *to, uint64_t value, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		to[i] = (unsigned char)(value >> (8 * i));
	}
}

int zstd_out_begin(struct zstd_out *z, uint64_t size, struct err *e)
{
	unsigned char header[ZSTD_FRAME_HEADER];

	zstd_frame_header(size, header);
	XXH64_reset(z->sum, 0);
	z->left = size;
	return fs_write_all(z->fd, header, sizeof(header), z->name, e);
}

/* writev that does not stop half-way. */
static int write_pieces(struct zstd_out *z, struct iovec *v, int n, struct err *e)
{
	while (n) {
		ssize_t done = writev(z->fd, v, n);

		if (done < 0 && errno == EINTR) {
			continue;
		}
		if (done < 0) {
			return err_sys(e, "%s: cannot write", z->name);
		}
		while (n && (size_t)done >= v->iov_len) {
			done -= (ssize_t)v->iov_len;
			v++;
			n--;
		}
		if (n) {
			v->iov_base = (char *)v->iov_base + done;
			v->iov_len -= (size_t)done;
		}
	}
	return 0;
}

static int write_checksum(struct zstd_out *z, struct err *e)
{
	unsigned char sum[4];

	put_little(sum, XXH64_digest(z->sum), sizeof(sum));
	return fs_write_all(z->fd, sum, sizeof(sum), z->name, e);
}

int zstd_out_add(struct zstd_out *z, const void *bytes, size_t n, struct err *e)
{
	unsigned char header[BLOCKS_AT_ONCE][3];
	struct iovec v[2 * BLOCKS_AT_ONCE];
	struct str rest = { bytes, n };

	if (n > z->left) {
		return err_set(e, RC_BUG, "%s: a frame got more bytes than it declares", z->name);
	}
	XXH64_update(z->sum, bytes, n);
	while (rest.n) {
		int count = 0;

		while (rest.n && count < BLOCKS_AT_ONCE) {
			struct str block = str_first(rest, ZSTD_FRAME_BLOCK);

			z->left -= block.n;
			put_little(header[count], (z->left == 0) | (uint64_t)block.n << 3, 3);
			v[2 * count] = (struct iovec){ header[count], 3 };
			memcpy(&v[2 * count + 1].iov_base, &block.p, sizeof(block.p));
			v[2 * count + 1].iov_len = block.n;
			count++;
			rest = str_skip(rest, block.n);
		}
		int r = write_pieces(z, v, 2 * count, e);
		if (r) {
			return r;
		}
	}
	return n && z->left == 0 ? write_checksum(z, e) : 0;
}

#include "verify/zstd_in.h"
#include "manifests/base/mem.h"
#include "manifests/zstd_frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>
#include <xxhash.h>

enum { BUFFER = 128 * 1024, BLOCK_HEADER = 3, CHECKSUM = 4 };

enum state { AT_HEADER, AT_BLOCK, IN_BLOCK, AT_CHECKSUM };

struct zstd_in {
	int fd;
	bool is_positioned; /* read by pread at `offset` */
	uint64_t offset;
	struct str in; /* bytes of the buffer that were not looked at yet */
	enum state state;
	unsigned char held[ZSTD_FRAME_HEADER]; /* what the buffer's end may cut in two */
	size_t nheld, wanted;
	size_t nframes;         /* whole ones so far */
	uint64_t content, seen; /* bytes that the frame declares, and that came */
	size_t block_left;
	bool last_block;
	XXH64_state_t *sum;
	char buffer[BUFFER];
};

static int damaged(struct err *e, const char *why)
{
	return err_set(e, RC_BUNDLE_DAMAGED, "the compressed stream is damaged: %s", why);
}

static int cut(struct err *e)
{
	return err_set(e, RC_BUNDLE_CUT, "the bundle ends too early: the copy is not complete");
}

static uint64_t little(const unsigned char *p, size_t n)
{
	uint64_t v = 0;

	while (n--) {
		v = v << 8 | p[n];
	}
	return v;
}

static void expect(struct zstd_in *z, enum state state, size_t wanted)
{
	z->state = state;
	z->wanted = wanted;
	z->nheld = 0;
}

/* Collects `wanted` bytes across buffers. True when they are there. */
static bool collect(struct zstd_in *z)
{
	size_t n = z->wanted - z->nheld < z->in.n ? z->wanted - z->nheld : z->in.n;

	memcpy(z->held + z->nheld, z->in.p, n);
	z->nheld += n;
	z->in = str_skip(z->in, n);
	return z->nheld == z->wanted;
}

/* One spelling: a header is read by making it again. */
static int take_header(struct zstd_in *z, struct err *e)
{
	unsigned char ours[ZSTD_FRAME_HEADER];

	if (z->nframes == 0 && little(z->held, 4) != ZSTD_FRAME_MAGIC) {
		return err_set(e, RC_BUNDLE_NOT, "not a bundle: it does not begin as one");
	}
	z->content = little(z->held + ZSTD_FRAME_HEADER - 8, 8);
	z->seen = 0;
	zstd_frame_header(z->content, ours);
	if (memcmp(ours, z->held, sizeof(ours)) != 0) {
		return damaged(e, z->nframes ? "a frame does not begin where the last one ends"
					     : "its first frame is not as gpkg-bundle writes it");
	}
	XXH64_reset(z->sum, 0);
	expect(z, AT_BLOCK, BLOCK_HEADER);
	return 0;
}

static int take_block(struct zstd_in *z, struct err *e)
{
	uint64_t header = little(z->held, BLOCK_HEADER);

	z->last_block = header & 1;
	z->block_left = (size_t)(header >> 3);
	if ((header >> 1 & 3) != 0 || z->block_left > ZSTD_FRAME_BLOCK ||
		z->block_left > z->content - z->seen || (!z->block_left && !z->last_block)) {
		return damaged(e, "a block is not a raw block of the declared size");
	}
	z->state = IN_BLOCK;
	if (z->block_left == 0) {
		expect(z, AT_CHECKSUM, CHECKSUM);
	}
	return 0;
}

static int take_checksum(struct zstd_in *z, struct err *e)
{
	if (z->seen != z->content) {
		return damaged(e, "a frame is shorter than it declares");
	}
	if (little(z->held, CHECKSUM) != (XXH64_digest(z->sum) & 0xFFFFFFFF)) {
		return damaged(e, "the checksum of a frame does not fit its bytes");
	}
	z->nframes++;
	expect(z, AT_HEADER, ZSTD_FRAME_HEADER);
	return 0;
}

/* Fills the buffer; *ended where the file is at its end. */
static int fill(struct zstd_in *z, bool *ended, struct err *e)
{
	ssize_t n;

	do {
		n = z->is_positioned ? pread(z->fd, z->buffer, BUFFER, (off_t)z->offset)
				     : read(z->fd, z->buffer, BUFFER);
	} while (n < 0 && errno == EINTR);
	if (n < 0) {
		return err_sys(e, "cannot read");
	}
	z->offset += (uint64_t)n;
	z->in = (struct str){ z->buffer, (size_t)n };
	*ended = n == 0;
	return 0;
}

/* What the end of the file means where it was met. */
static int end_of_file(const struct zstd_in *z, struct err *e)
{
	bool is_first = z->nframes == 0 && z->state == AT_HEADER;

	if (is_first && z->nheld == 0) {
		return err_set(e, RC_BUNDLE_NOT, "the file is empty");
	}
	if (is_first && (z->nheld < 4 || little(z->held, 4) != ZSTD_FRAME_MAGIC)) {
		uint64_t magic = ZSTD_FRAME_MAGIC;
		bool begins = z->nheld < 4 && memcmp(z->held, &magic, z->nheld) == 0;

		return begins ? cut(e) : err_set(e, RC_BUNDLE_NOT, "not a bundle: it does not begin as one");
	}
	return z->state == AT_HEADER && z->nheld == 0 ? 0 : cut(e);
}

/* Goes on until contents stand in the buffer or the file ends. */
static int advance(struct zstd_in *z, bool *ended, struct err *e)
{
	*ended = false;
	while (z->state != IN_BLOCK || z->in.n == 0) {
		int r = 0;

		if (z->in.n == 0) {
			r = fill(z, ended, e);
			if (r || *ended) {
				return r ? r : end_of_file(z, e);
			}
			continue;
		}
		if (!collect(z)) {
			continue;
		}
		switch (z->state) {
		case AT_HEADER:
			r = take_header(z, e);
			break;
		case AT_BLOCK:
			r = take_block(z, e);
			break;
		case AT_CHECKSUM:
			r = take_checksum(z, e);
			break;
		case IN_BLOCK:
			break;
		}
		if (r) {
			return r;
		}
	}
	return 0;
}

struct zstd_in *zstd_in_open(int fd)
{
	struct zstd_in *z = mem_alloc(sizeof(*z));

	z->fd = fd;
	z->sum = XXH64_createState();
	expect(z, AT_HEADER, ZSTD_FRAME_HEADER);
	return z;
}

struct zstd_in *zstd_in_open_at(int fd, uint64_t offset)
{
	struct zstd_in *z = zstd_in_open(fd);

	z->is_positioned = true;
	z->offset = offset;
	return z;
}

void zstd_in_close(struct zstd_in *z)
{
	if (z) {
		XXH64_freeState(z->sum);
		free(z);
	}
}

int zstd_in_piece(struct zstd_in *z, size_t max, struct str *out, struct err *e)
{
	bool ended;
	int r = advance(z, &ended, e);

	if (r || ended) {
		*out = STR_NULL;
		return r;
	}
	size_t n = z->block_left < z->in.n ? z->block_left : z->in.n;
	n = n < max ? n : max;
	*out = str_first(z->in, n);
	XXH64_update(z->sum, z->in.p, n);
	z->in = str_skip(z->in, n);
	z->block_left -= n;
	z->seen += n;
	if (z->block_left == 0) {
		expect(z, z->last_block ? AT_CHECKSUM : AT_BLOCK, z->last_block ? CHECKSUM : BLOCK_HEADER);
	}
	return 0;
}

int zstd_in_exact(struct zstd_in *z, void *to, size_t n, struct err *e)
{
	char *p = to;

	while (n) {
		struct str piece;
		int r = zstd_in_piece(z, n, &piece, e);

		if (r || piece.n == 0) {
			return r ? r : cut(e);
		}
		memcpy(p, piece.p, piece.n);
		p += piece.n;
		n -= piece.n;
	}
	return 0;
}

int zstd_in_end_frame(struct zstd_in *z, struct err *e)
{
	while (z->state != AT_HEADER) {
		struct str piece = { "", 1 };
		bool ended;
		int r = 0;

		if (z->state == AT_CHECKSUM) {
			if (z->in.n == 0) {
				r = fill(z, &ended, e);
				r = !r && ended ? cut(e) : r;
			} else if (collect(z)) {
				r = take_checksum(z, e);
			}
		} else {
			r = zstd_in_piece(z, BUFFER, &piece, e);
		}
		if (r) {
			return r;
		}
	}
	return 0;
}

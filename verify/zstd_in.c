#include "verify/zstd_in.h"
#include "manifests/base/vec.h"
#include "manifests/limits.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

enum {
	SLOTS = 4, SLOT_SIZE = 1 << 20,
	HEADER_MIN = 6, HEADER_MAX = 14, /* magic, descriptor, window, content size */
	BLOCK_HEADER = 3, BLOCK_MAX = 128 * 1024, CHECKSUM = 4
};

/* A slot is one read of the file and what it unpacks to, in order. */
struct piece {
	const char *p;
	size_t n;
};

struct slot {
	char *bytes;
	VEC(struct piece) pieces;
	VEC(char *) inflated; /* memory that pieces of the first frame point into */
	bool is_last;         /* the stream ends, or `err` says why it cannot go on */
	struct err err;
};

enum state { AT_HEADER, IN_ZSTD, AT_BLOCK, IN_BLOCK, AT_CHECKSUM };

struct frames { /* the reader thread's walk over the bytes */
	enum state state;
	unsigned char held[HEADER_MAX]; /* a header that a slot's end may cut in two */
	size_t nheld, wanted;
	size_t nframes;
	uint64_t content, seen; /* bytes that the frame declares, and that came */
	size_t block_left;
	bool last_block;
	XXH64_state_t *sum;
	ZSTD_DCtx *zstd;
};

struct zstd_in {
	int fd;
	const char *name;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	size_t filled, taken; /* slots handed over, slots given back */
	bool stop;
	struct slot slots[SLOTS];
	struct frames frames;
	/* the caller's side */
	size_t piece, offset;
	bool holds_slot;
};

static int damaged(struct err *e, const char *why)
{
	return err_set(e, RC_BUNDLE_DAMAGED, "the compressed stream is damaged: %s", why);
}

static uint64_t little(const unsigned char *p, size_t n)
{
	uint64_t v = 0;

	while (n--) {
		v = v << 8 | p[n];
	}
	return v;
}

/* RFC 8878 3.1.1.1: how long the header is, from its first five bytes. 0: not one of ours. */
static size_t header_length(const unsigned char *h)
{
	static const size_t content_bytes[] = { 0, 2, 4, 8 };
	unsigned descriptor = h[4];
	bool single = descriptor & 0x20;

	if (little(h, 4) != ZSTD_MAGICNUMBER || (descriptor & 0x1B) != 0 || !(descriptor & 0x04)) {
		return 0;
	}
	size_t content = content_bytes[descriptor >> 6];
	if (content == 0 && single) {
		content = 1;
	}
	return content ? 5 + (single ? 0 : 1) + content : 0;
}

static int check_header(struct frames *f, struct err *e)
{
	const unsigned char *h = f->held;
	bool single = h[4] & 0x20;
	size_t at = single ? 5 : 6, n = f->nheld - at;
	uint64_t content = little(h + at, n) + (n == 2 ? 256 : 0);
	uint64_t window = content;

	if (!single) {
		uint64_t base = UINT64_C(1) << (10 + (h[5] >> 3));

		window = base + base / 8 * (h[5] & 7);
	}
	if (window > UINT64_C(1) << LIMIT_WINDOW_LOG) {
		return damaged(e, "a frame wants a window over 8 MiB");
	}
	f->content = content;
	f->seen = 0;
	return 0;
}

/* Collects `wanted` bytes of a header across slots. True when they are there. */
static bool collect(struct frames *f, struct str *in)
{
	size_t n = f->wanted - f->nheld < in->n ? f->wanted - f->nheld : in->n;

	memcpy(f->held + f->nheld, in->p, n);
	f->nheld += n;
	*in = str_skip(*in, n);
	return f->nheld == f->wanted;
}

static void expect(struct frames *f, enum state state, size_t wanted)
{
	f->state = state;
	f->wanted = wanted;
	f->nheld = 0;
}

static int zstd_step(struct frames *f, struct slot *slot, struct str *in, struct err *e)
{
	char *room = mem_alloc(BLOCK_MAX);
	ZSTD_outBuffer out = { room, BLOCK_MAX, 0 };
	ZSTD_inBuffer from = { in->p, in->n, 0 };
	size_t left = ZSTD_decompressStream(f->zstd, &out, &from);

	vec_push(&slot->inflated, room);
	if (ZSTD_isError(left)) {
		return damaged(e, ZSTD_getErrorName(left));
	}
	*in = str_skip(*in, from.pos);
	if (out.pos) {
		vec_push(&slot->pieces, (struct piece){ room, out.pos });
		f->seen += out.pos;
	}
	if (f->seen > f->content || f->content > LIMIT_METADATA_FRAME) {
		return damaged(e, "the metadata unpacks to more than it may");
	}
	if (left == 0) {
		f->nframes++;
		expect(f, AT_HEADER, HEADER_MIN);
	} else if (!in->n && out.pos == BLOCK_MAX) {
		return zstd_step(f, slot, in, e); /* more of this block is still inside the decoder */
	}
	return 0;
}

static int header_step(struct frames *f, struct slot *slot, struct str *in, struct err *e)
{
	if (!collect(f, in)) {
		return 0;
	}
	size_t length = header_length(f->held);
	if (length == 0) {
		return f->nframes == 0 ? err_set(e, RC_BUNDLE_NOT, "not a bundle: it does not begin as one")
				       : damaged(e, "a frame does not begin where the last one ends");
	}
	if (f->nheld < length) {
		f->wanted = length;
		return 0;
	}
	int r = check_header(f, e);
	if (r) {
		return r;
	}
	if (f->nframes == 0) {
		struct str header = { (const char *)f->held, f->nheld };

		f->state = IN_ZSTD;
		return zstd_step(f, slot, &header, e);
	}
	XXH64_reset(f->sum, 0);
	expect(f, AT_BLOCK, BLOCK_HEADER);
	return 0;
}

static int block_step(struct frames *f, struct str *in, struct err *e)
{
	if (!collect(f, in)) {
		return 0;
	}
	uint64_t header = little(f->held, BLOCK_HEADER);
	f->last_block = header & 1;
	f->block_left = (size_t)(header >> 3);
	if ((header >> 1 & 3) != 0 || f->block_left > BLOCK_MAX || f->block_left > f->content - f->seen ||
		(!f->block_left && !f->last_block)) {
		return damaged(e, "a block of a file is not a raw block of the declared size");
	}
	f->state = IN_BLOCK;
	if (f->block_left == 0) {
		expect(f, AT_CHECKSUM, CHECKSUM);
	}
	return 0;
}

static void payload_step(struct frames *f, struct slot *slot, struct str *in)
{
	size_t n = f->block_left < in->n ? f->block_left : in->n;

	XXH64_update(f->sum, in->p, n);
	vec_push(&slot->pieces, (struct piece){ in->p, n });
	*in = str_skip(*in, n);
	f->block_left -= n;
	f->seen += n;
	if (f->block_left == 0) {
		expect(f, f->last_block ? AT_CHECKSUM : AT_BLOCK, f->last_block ? CHECKSUM : BLOCK_HEADER);
	}
}

static int checksum_step(struct frames *f, struct str *in, struct err *e)
{
	if (!collect(f, in)) {
		return 0;
	}
	if (f->seen != f->content) {
		return damaged(e, "a frame is shorter than it declares");
	}
	if (little(f->held, CHECKSUM) != (XXH64_digest(f->sum) & 0xFFFFFFFF)) {
		return damaged(e, "the checksum of a frame does not fit its bytes");
	}
	f->nframes++;
	expect(f, AT_HEADER, HEADER_MIN);
	return 0;
}

static int walk(struct frames *f, struct slot *slot, struct str in, struct err *e)
{
	int r = 0;

	while (!r && in.n) {
		switch (f->state) {
		case AT_HEADER:
			r = header_step(f, slot, &in, e);
			break;
		case IN_ZSTD:
			r = zstd_step(f, slot, &in, e);
			break;
		case AT_BLOCK:
			r = block_step(f, &in, e);
			break;
		case IN_BLOCK:
			payload_step(f, slot, &in);
			break;
		case AT_CHECKSUM:
			r = checksum_step(f, &in, e);
			break;
		}
	}
	return r;
}

/* Fills the slot from the file: as much as one read gives. */
static int fill(struct zstd_in *z, struct slot *slot, struct err *e)
{
	ssize_t n;

	do {
		n = read(z->fd, slot->bytes, SLOT_SIZE);
	} while (n < 0 && errno == EINTR);
	if (n < 0) {
		return err_sys(e, "cannot read");
	}
	if (n > 0) {
		return walk(&z->frames, slot, (struct str){ slot->bytes, (size_t)n }, e);
	}
	slot->is_last = true;
	if (z->frames.nframes == 0 && z->frames.state == AT_HEADER) {
		return err_set(e, z->frames.nheld ? RC_BUNDLE_CUT : RC_BUNDLE_NOT, "%s",
			z->frames.nheld ? "the bundle ends inside its first bytes" : "the file is empty");
	}
	if (z->frames.state != AT_HEADER || z->frames.nheld) {
		return err_set(e, RC_BUNDLE_CUT, "the bundle ends too early: the copy is not complete");
	}
	return 0;
}

static void slot_clear(struct slot *slot)
{
	vec_each(char *, p, &slot->inflated) {
		free(*p);
	}
	slot->inflated.n = 0;
	slot->pieces.n = 0;
}

static void *reader(void *argument)
{
	struct zstd_in *z = argument;

	for (;;) {
		pthread_mutex_lock(&z->lock);
		while (z->filled - z->taken == SLOTS && !z->stop) {
			pthread_cond_wait(&z->changed, &z->lock);
		}
		bool stop = z->stop;
		struct slot *slot = &z->slots[z->filled % SLOTS];
		pthread_mutex_unlock(&z->lock);
		if (stop) {
			return NULL;
		}
		slot_clear(slot);
		if (fill(z, slot, &slot->err)) {
			slot->is_last = true;
		}
		bool last = slot->is_last;
		pthread_mutex_lock(&z->lock);
		z->filled++;
		pthread_cond_signal(&z->changed);
		pthread_mutex_unlock(&z->lock);
		if (last) {
			return NULL;
		}
	}
}

int zstd_in_open(int fd, const char *name, struct zstd_in **out, struct err *e)
{
	struct zstd_in *z = mem_alloc(sizeof(*z));

	z->fd = fd;
	z->name = name;
	for (size_t i = 0; i < SLOTS; i++) {
		z->slots[i].bytes = mem_alloc(SLOT_SIZE);
	}
	z->frames.sum = XXH64_createState();
	z->frames.zstd = ZSTD_createDCtx();
	ZSTD_DCtx_setParameter(z->frames.zstd, ZSTD_d_windowLogMax, LIMIT_WINDOW_LOG);
	expect(&z->frames, AT_HEADER, HEADER_MIN);
	pthread_mutex_init(&z->lock, NULL);
	pthread_cond_init(&z->changed, NULL);
	if (pthread_create(&z->thread, NULL, reader, z)) {
		z->stop = true;
		z->thread = pthread_self();
		zstd_in_close(z);
		return err_set(e, RC_IO, "%s: cannot start a thread", name);
	}
	*out = z;
	return 0;
}

void zstd_in_close(struct zstd_in *z)
{
	if (!z) {
		return;
	}
	if (!pthread_equal(z->thread, pthread_self())) {
		pthread_mutex_lock(&z->lock);
		z->stop = true;
		pthread_cond_signal(&z->changed);
		pthread_mutex_unlock(&z->lock);
		pthread_join(z->thread, NULL);
	}
	for (size_t i = 0; i < SLOTS; i++) {
		slot_clear(&z->slots[i]);
		vec_release(&z->slots[i].inflated);
		vec_release(&z->slots[i].pieces);
		free(z->slots[i].bytes);
	}
	XXH64_freeState(z->frames.sum);
	ZSTD_freeDCtx(z->frames.zstd);
	pthread_mutex_destroy(&z->lock);
	pthread_cond_destroy(&z->changed);
	free(z);
}

static void next_slot(struct zstd_in *z)
{
	pthread_mutex_lock(&z->lock);
	if (z->holds_slot) {
		z->taken++;
		pthread_cond_signal(&z->changed);
	}
	while (z->filled == z->taken) {
		pthread_cond_wait(&z->changed, &z->lock);
	}
	pthread_mutex_unlock(&z->lock);
	z->holds_slot = true;
	z->piece = z->offset = 0;
}

int zstd_in_piece(struct zstd_in *z, size_t max, struct str *out, struct err *e)
{
	for (;;) {
		struct slot *slot = &z->slots[z->taken % SLOTS];

		if (z->holds_slot && z->piece < slot->pieces.n) {
			const struct piece *p = &slot->pieces.v[z->piece];
			size_t n = p->n - z->offset < max ? p->n - z->offset : max;

			*out = (struct str){ p->p + z->offset, n };
			z->offset += n;
			if (z->offset == p->n) {
				z->piece++;
				z->offset = 0;
			}
			return 0;
		}
		if (z->holds_slot && slot->is_last) {
			*out = STR_NULL;
			if (slot->err.rc) {
				*e = slot->err;
				return -(int)e->rc;
			}
			return 0;
		}
		next_slot(z);
	}
}

int zstd_in_exact(struct zstd_in *z, void *to, size_t n, struct err *e)
{
	char *p = to;

	while (n) {
		struct str piece;
		int r = zstd_in_piece(z, n, &piece, e);

		if (r) {
			return r;
		}
		if (piece.n == 0) {
			return err_set(e, RC_BUNDLE_CUT, "the bundle ends too early: the copy is not complete");
		}
		memcpy(p, piece.p, piece.n);
		p += piece.n;
		n -= piece.n;
	}
	return 0;
}

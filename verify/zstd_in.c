#include "verify/zstd_in.h"
#include "manifests/base/vec.h"
#include "manifests/zstd_frame.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

enum {
	SLOTS = 4, SLOT_SIZE = 1 << 20,
	BLOCK_HEADER = 3, CHECKSUM = 4
};

/* A slot is one read of the file and what it unpacks to, in order. */
struct piece {
	const char *p;
	size_t n;
};

struct slot {
	char *bytes;
	VEC(struct piece) pieces;
	bool is_last;         /* the stream ends, or `err` says why it cannot go on */
	struct err err;
};

enum state { AT_HEADER, AT_BLOCK, IN_BLOCK, AT_CHECKSUM };

struct frames { /* the reader thread's walk over the bytes */
	enum state state;
	unsigned char held[ZSTD_FRAME_HEADER]; /* what a slot's end may cut in two */
	size_t nheld, wanted;
	size_t nframes;
	uint64_t content, seen; /* bytes that the frame declares, and that came */
	size_t block_left;
	bool last_block;
	XXH64_state_t *sum;
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

static int not_a_bundle(struct err *e)
{
	return err_set(e, RC_BUNDLE_NOT, "not a bundle: it does not begin as one");
}

static uint64_t little(const unsigned char *p, size_t n)
{
	uint64_t v = 0;

	while (n--) {
		v = v << 8 | p[n];
	}
	return v;
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

static int header_step(struct frames *f, struct str *in, struct err *e)
{
	unsigned char ours[ZSTD_FRAME_HEADER];

	if (!collect(f, in)) {
		return 0;
	}
	if (f->nframes == 0 && little(f->held, 4) != ZSTD_FRAME_MAGIC) {
		return not_a_bundle(e);
	}
	/* One spelling: a header is read by making it again. */
	f->content = little(f->held + ZSTD_FRAME_HEADER - 8, 8);
	f->seen = 0;
	zstd_frame_header(f->content, ours);
	if (memcmp(ours, f->held, sizeof(ours)) != 0) {
		return damaged(e, f->nframes ? "a frame does not begin where the last one ends"
					     : "its first frame is not as gpkg-bundle writes it");
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
	if ((header >> 1 & 3) != 0 || f->block_left > ZSTD_FRAME_BLOCK || f->block_left > f->content - f->seen ||
		(!f->block_left && !f->last_block)) {
		return damaged(e, "a block is not a raw block of the declared size");
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
	expect(f, AT_HEADER, ZSTD_FRAME_HEADER);
	return 0;
}

static int walk(struct frames *f, struct slot *slot, struct str in, struct err *e)
{
	int r = 0;

	while (!r && in.n) {
		switch (f->state) {
		case AT_HEADER:
			r = header_step(f, &in, e);
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

/* A file that ends before its first header does. */
static int short_file(const struct frames *f, struct err *e)
{
	unsigned char ours[ZSTD_FRAME_HEADER];

	zstd_frame_header(0, ours);
	if (f->nheld == 0) {
		return err_set(e, RC_BUNDLE_NOT, "the file is empty");
	}
	if (memcmp(f->held, ours, f->nheld < 4 ? f->nheld : 4) != 0) {
		return not_a_bundle(e);
	}
	return err_set(e, RC_BUNDLE_CUT, "the bundle ends inside its first bytes");
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
		return short_file(&z->frames, e);
	}
	if (z->frames.state != AT_HEADER || z->frames.nheld) {
		return err_set(e, RC_BUNDLE_CUT, "the bundle ends too early: the copy is not complete");
	}
	return 0;
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
		slot->pieces.n = 0;
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
	expect(&z->frames, AT_HEADER, ZSTD_FRAME_HEADER);
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
		vec_release(&z->slots[i].pieces);
		free(z->slots[i].bytes);
	}
	XXH64_freeState(z->frames.sum);
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

#include "verify/device_payload.h"

#include "manifests/limits.h"
#include "manifests/base/mem.h"

#include <lz4.h>
#include <zstd.h>

/* What a frame may want to look back at: nvcc's frames name their whole contents, of which only as
 * much memory is touched as is opened. */
enum { WINDOW_LOG_MAX = 27, PIECE = 128 * 1024, FRAME_STEP = 16 * 1024 };
/* An LZ4 block can only be opened from its beginning: at this length, and at each eight times that.
 */
enum { LZ4_FIRST = 4096, LZ4_STEP = 8, LZ4_RATIO_MAX = 255 };

_Static_assert(LIMIT_DEVICE_OPENED <= LZ4_MAX_INPUT_SIZE, "liblz4 counts in int");

struct device_payload {
	bool (*take)(void *context, const void *bytes, size_t n);
	void *context;
	enum device_packing packing;
	uint64_t stored, came; /* bytes as they are stored, and that came in so far */
	uint64_t size, opened; /* bytes that are in them, and that were handed on so far */
	uint64_t budget;       /* bytes that may still be opened, of all payloads */
	ZSTD_DCtx *zstd;
	struct buf block, contents; /* what came in and waits; LZ4: the block's beginning, and that opened */
	size_t next;                /* length of the block to open it at */
	char piece[PIECE];
};

struct device_payload *device_payload_new(
	uint64_t budget, bool (*take)(void *context, const void *bytes, size_t n), void *context)
{
	struct device_payload *p = mem_alloc(sizeof(*p));

	p->budget = budget;
	p->take = take;
	p->context = context;
	return p;
}

void device_payload_free(struct device_payload *p)
{
	if (!p) {
		return;
	}
	ZSTD_freeDCtx(p->zstd);
	buf_release(&p->block);
	buf_release(&p->contents);
	free(p);
}

static void zstd_begin(struct device_payload *p)
{
	if (!p->zstd) {
		p->zstd = ZSTD_createDCtx();
		if (!p->zstd) {
			return;
		}
		ZSTD_DCtx_setParameter(p->zstd, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
	}
	ZSTD_DCtx_reset(p->zstd, ZSTD_reset_session_only);
}

void device_payload_begin(
	struct device_payload *p, enum device_packing packing, uint64_t stored, uint64_t size)
{
	p->packing = packing;
	p->stored = stored;
	p->size = size;
	p->came = p->opened = 0;
	p->next = LZ4_FIRST;
	buf_clear(&p->block);
	if (packing == DEVICE_ZSTD) {
		zstd_begin(p);
	}
}

/* ---- opening ---- */

static void budget_use(struct device_payload *p, uint64_t n)
{
	p->budget -= n < p->budget ? n : p->budget;
}

static uint64_t opened_max(const struct device_payload *p)
{
	return p->budget < LIMIT_DEVICE_OPENED ? p->budget : LIMIT_DEVICE_OPENED;
}

static bool contents_take(struct device_payload *p, const char *bytes, size_t n)
{
	p->opened += n;
	return n == 0 || p->take(p->context, bytes, n);
}

static bool zstd_open(struct device_payload *p)
{
	ZSTD_inBuffer in = { p->block.p, p->block.n, 0 };
	bool is_full = true;

	while (p->zstd && (in.pos < in.size || is_full)) {
		ZSTD_outBuffer out = { p->piece, sizeof(p->piece), 0 };
		size_t rest = ZSTD_decompressStream(p->zstd, &out, &in);

		budget_use(p, out.pos);
		if (ZSTD_isError(rest) || !contents_take(p, p->piece, out.pos) || rest == 0 ||
			p->opened >= LIMIT_DEVICE_OPENED || p->budget == 0) {
			return false;
		}
		is_full = out.pos == out.size;
	}
	return p->zstd != NULL;
}

/* In steps of one length, however the bytes come: libzstd keeps back what it opened in a call that ends with an error,
 * so what is found in a damaged frame would hang on how it was cut. */
static bool zstd_add(struct device_payload *p, struct str bytes)
{
	uint64_t came = p->came;
	bool wants_more = true;

	while (wants_more && bytes.n) {
		struct str part = str_first(bytes, FRAME_STEP - p->block.n);

		buf_addstr(&p->block, part);
		bytes = str_skip(bytes, part.n);
		came += part.n;
		if (p->block.n == FRAME_STEP || came == p->stored) {
			wants_more = zstd_open(p);
			buf_clear(&p->block);
		}
	}
	return wants_more;
}

/* Opens what came in of the block once more, and hands on what is new in it. liblz4 takes a block
 * whose end is missing, but not one that was cut inside a number. */
static bool lz4_open(struct device_payload *p)
{
	size_t room = (size_t)(p->size < opened_max(p) ? p->size : opened_max(p));

	buf_clear(&p->contents);
	char *to = buf_room(&p->contents, room);
	int n = LZ4_decompress_safe_partial(p->block.p, to, (int)p->block.n, (int)room, (int)room);
	budget_use(p, n < 0 ? LZ4_RATIO_MAX * p->block.n : (uint64_t)n);
	if (n < 0 || (uint64_t)n < p->opened) {
		return p->block.n < p->stored;
	}
	return contents_take(p, to + p->opened, (size_t)n - (size_t)p->opened) && p->opened < room;
}

static bool lz4_add(struct device_payload *p, struct str bytes)
{
	while (bytes.n) {
		struct str part = str_first(bytes, p->next - p->block.n);

		buf_addstr(&p->block, part);
		bytes = str_skip(bytes, part.n);
		if (p->block.n == p->next || p->block.n == p->stored) {
			if (p->block.n > LIMIT_DEVICE_OPENED || !lz4_open(p)) {
				return false;
			}
			p->next *= LZ4_STEP;
		}
	}
	return true;
}

bool device_payload_add(struct device_payload *p, const void *bytes, size_t n)
{
	uint64_t room = p->stored - p->came;
	struct str part = { bytes, n < room ? n : (size_t)room }; /* padding may follow */
	bool wants_more = p->packing == DEVICE_ZSTD  ? zstd_add(p, part)
			  : p->packing == DEVICE_LZ4 ? lz4_add(p, part)
						     : contents_take(p, part.p, part.n);

	p->came += part.n;
	return wants_more && p->came < p->stored;
}

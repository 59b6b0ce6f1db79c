/* Payloads of containers, opened in pieces. */
#include "tests/unit/device_maker.h"
#include "tests/unit/unit.h"

#include "verify/device_payload.h"

#include "manifests/limits.h"

#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

struct opening {
	struct buf got;
	size_t wanted; /* bytes after which no more are wanted */
};

static bool opening_take(void *context, const void *bytes, size_t n)
{
	struct opening *o = context;

	buf_add(&o->got, bytes, n);
	return o->got.n < o->wanted;
}

static const enum device_packing packings[] = { DEVICE_RAW, DEVICE_LZ4, DEVICE_ZSTD };

static void contents_pack(struct str contents, enum device_packing packing, struct buf *out)
{
	size_t room = ZSTD_compressBound(contents.n) + (size_t)LZ4_compressBound((int)contents.n);
	char *to = buf_room(out, room);

	if (packing == DEVICE_RAW) {
		buf_addstr(out, contents);
	} else if (packing == DEVICE_LZ4) {
		out->n += (size_t)LZ4_compress_default(contents.p, to, (int)contents.n, (int)room);
	} else {
		out->n += ZSTD_compress(to, room, contents.p, contents.n, 3);
	}
}

/* True: everything was taken, and more would have been. */
static bool payload_open(struct device_payload *p, enum device_packing packing, struct str stored,
	uint64_t size, size_t piece)
{
	bool wants_more = true;

	device_payload_begin(p, packing, stored.n, size);
	while (wants_more && stored.n) {
		struct str part = str_first(stored, piece);

		wants_more = device_payload_add(p, part.p, part.n);
		stored = str_skip(stored, part.n);
	}
	return stored.n == 0;
}

UNIT(device_payload_opens_all_forms_in_pieces)
{
	static const size_t sizes[] = { 1, 100, 4096, 70000, 1000000 };
	static const size_t pieces[] = { 1, 7, 4096, 100000, 10000000 };
	struct opening o = { .wanted = SIZE_MAX };
	struct device_payload *p = device_payload_new(UINT64_MAX, opening_take, &o);

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		CLEANUP_BUF struct buf contents = BUF_INIT;

		cubin_make("13.0.88", sizes[i], &contents);
		for (size_t k = 0; k < 3; k++) {
			CLEANUP_BUF struct buf stored = BUF_INIT;

			contents_pack(buf_str(&contents), packings[k], &stored);
			for (size_t m = 0; m < sizeof(pieces) / sizeof(pieces[0]); m++) {
				buf_clear(&o.got);
				ck_assert(payload_open(
					p, packings[k], buf_str(&stored), contents.n, pieces[m]));
				ck_assert(str_eq(buf_str(&o.got), buf_str(&contents)));
			}
		}
	}
	device_payload_free(p);
	buf_release(&o.got);
}

UNIT(device_payload_opens_little_where_little_is_wanted)
{
	CLEANUP_BUF struct buf contents = BUF_INIT;
	struct opening o = { .wanted = 64 };

	cubin_make("13.0.88", 3000000, &contents);
	for (size_t k = 0; k < 3; k++) {
		CLEANUP_BUF struct buf stored = BUF_INIT;
		struct device_payload *p = device_payload_new(128 * KIB, opening_take, &o);

		contents_pack(buf_str(&contents), packings[k], &stored);
		buf_clear(&o.got);
		payload_open(p, packings[k], buf_str(&stored), contents.n, 4096);
		ck_assert(o.got.n >= 64);
		ck_assert(memcmp(o.got.p, contents.p, o.got.n) == 0);
		device_payload_free(p);
	}
	buf_release(&o.got);
}

/* A frame or block of zeros is small and opens to more than anybody should open. */
UNIT(device_payload_stops_at_its_limit)
{
	enum { SIZE = 64 * 1024 * 1024 };
	char *zeros = calloc(1, SIZE);

	for (size_t k = 1; k < 3; k++) {
		CLEANUP_BUF struct buf stored = BUF_INIT;
		struct opening o = { .wanted = SIZE_MAX };
		struct device_payload *p = device_payload_new(UINT64_MAX, opening_take, &o);

		contents_pack((struct str){ zeros, SIZE }, packings[k], &stored);
		payload_open(p, packings[k], buf_str(&stored), SIZE, 1000);
		ck_assert_uint_le(o.got.n, LIMIT_DEVICE_OPENED + 128 * KIB);
		device_payload_free(p);
		buf_release(&o.got);
	}
	free(zeros);
}

UNIT(device_payload_stops_where_its_budget_ends)
{
	enum { BUDGET = 300000 };
	CLEANUP_BUF struct buf contents = BUF_INIT;

	cubin_make("13.0.88", 1000000, &contents);
	for (size_t k = 1; k < 3; k++) {
		CLEANUP_BUF struct buf stored = BUF_INIT;
		struct opening o = { .wanted = SIZE_MAX };
		struct device_payload *p = device_payload_new(BUDGET, opening_take, &o);

		contents_pack(buf_str(&contents), packings[k], &stored);
		for (int i = 0; i < 5; i++) {
			payload_open(p, packings[k], buf_str(&stored), contents.n, 1000);
		}
		ck_assert_uint_gt(o.got.n, 0);
		ck_assert_uint_le(o.got.n, BUDGET + 128 * KIB);
		device_payload_free(p);
		buf_release(&o.got);
	}
}

UNIT(device_payload_survives_damage)
{
	CLEANUP_BUF struct buf contents = BUF_INIT;

	cubin_make("13.0.88", 20000, &contents);
	for (size_t k = 1; k < 3; k++) {
		CLEANUP_BUF struct buf stored = BUF_INIT;

		contents_pack(buf_str(&contents), packings[k], &stored);
		for (size_t at = 0; at < stored.n; at += 1 + at / 16) {
			struct opening o = { .wanted = SIZE_MAX };
			struct device_payload *p = device_payload_new(UINT64_MAX, opening_take, &o);

			stored.p[at] ^= 0x55;
			payload_open(p, packings[k], buf_str(&stored), contents.n, 333);
			payload_open(p, packings[k], buf_str(&stored), 10, 333); /* a lie */
			payload_open(p, packings[k], buf_str(&stored), UINT64_MAX, 333);
			ck_assert_uint_le(o.got.n, 3 * (LIMIT_DEVICE_OPENED + 128 * KIB));
			stored.p[at] ^= 0x55;
			device_payload_free(p);
			buf_release(&o.got);
		}
	}
}

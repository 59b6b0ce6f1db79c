#include "bundle/range_file.h"
#include "verify/wheel_in.h"

#include <inttypes.h>
#include <string.h>

enum { AHEAD = 16 * 1024 }; /* a round trip costs more than these bytes */

void range_file_add(struct range_file *f, uint64_t first, struct str bytes)
{
	vec_push(&f->pieces, (struct range_piece){ first, arena_str(&f->arena, bytes) });
}

static const struct range_piece *piece_at(const struct range_file *f, uint64_t offset)
{
	for (size_t i = f->pieces.n; i > 0; i--) {
		const struct range_piece *p = &f->pieces.v[i - 1];

		if (offset >= p->first && offset - p->first < p->bytes.n) {
			return p;
		}
	}
	return NULL;
}

/* The bytes may lie across pieces. */
static int read_pieces(void *context, uint64_t offset, void *to, size_t n, struct err *e)
{
	struct range_file *f = context;
	char *at = to;

	if (offset > f->size || n > f->size - offset) {
		return err_set(e, RC_WHEEL, "bytes %" PRIu64 " to %" PRIu64 " lie behind its end",
			offset, offset + n);
	}
	while (n) {
		const struct range_piece *p = piece_at(f, offset);

		if (!p) {
			uint64_t want = n > AHEAD ? n : AHEAD;

			f->is_missing = true;
			f->need_first = offset;
			f->need_last = want < f->size - offset ? offset + want - 1 : f->size - 1;
			return err_set(
				e, RC_NETWORK, "bytes from %" PRIu64 " on are not here", offset);
		}
		size_t have = p->bytes.n - (size_t)(offset - p->first), part = have < n ? have : n;
		memcpy(at, p->bytes.p + (offset - p->first), part);
		at += part;
		offset += part;
		n -= part;
	}
	return 0;
}

int range_file_metadata(
	struct range_file *f, struct str file_name, struct arena *a, struct str *out, struct err *e)
{
	struct wheel_source source = { .read_at = read_pieces, .context = f, .size = f->size };
	CLEANUP_WHEEL struct wheel *w = NULL;
	const struct wheel_metadata *m = NULL;

	f->is_missing = false;
	int r = wheel_open(&source, file_name, &w, e);
	if (!r) {
		r = wheel_metadata(w, &m, e);
	}
	if (!r) {
		*out = arena_str(a, m->text);
	}
	return r;
}

void range_file_release(struct range_file *f)
{
	vec_release(&f->pieces);
	arena_release(&f->arena);
}

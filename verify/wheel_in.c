#include "verify/wheel_in.h"

#include "manifests/limits.h"
#include "manifests/base/mem.h"
#include "verify/member_name.h"
#include "verify/wheel_layout.h"
#include "verify/wheel_private.h"
#include "verify/zip_local.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { PIECE = 256 * 1024 };
_Static_assert((int)ZIP_LOCAL_MAX < (int)PIECE, "a local header must fit into a piece");

/* ---- opening ---- */

static int fd_read_at(void *context, uint64_t offset, void *to, size_t n, struct err *e)
{
	const int *fd = context;
	size_t done = 0;

	while (done < n) {
		ssize_t got = pread(*fd, (char *)to + done, n - done, (off_t)(offset + done));

		if (got < 0) {
			return err_sys(e, "reading");
		}
		if (got == 0) {
			return err_set(e, RC_IO, "the file became shorter while it was read");
		}
		done += (size_t)got;
	}
	return 0;
}

static int wheel_load(struct wheel *w, struct str file_name, struct err *e)
{
	w->name.kind = 0;
	int rc = dist_name_parse(&w->arena, arena_str(&w->arena, file_name), &w->name, e);
	if (rc) {
		return rc;
	}
	if (w->name.kind != DIST_WHEEL) {
		return err_set(e, RC_INVALID, "%.*s: not the name of a wheel", STR_ARG(file_name));
	}
	rc = zip_dir_read(&w->source, &w->dir, e);
	rc = rc ? rc : wheel_layout_check(&w->name, w->dir.members, w->dir.n, &w->info, e);
	return rc ? err_wrap(e, "%.*s", STR_ARG(file_name)) : 0;
}

static int wheel_begin(struct wheel *w, struct str file_name, struct wheel **out, struct err *e)
{
	int rc = wheel_load(w, file_name, e);

	if (rc) {
		wheel_close(w);
		return rc;
	}
	*out = w;
	return 0;
}

int wheel_open(
	const struct wheel_source *source, struct str file_name, struct wheel **out, struct err *e)
{
	struct wheel *w = mem_alloc(sizeof(*w));

	w->fd = -1;
	w->source = *source;
	return wheel_begin(w, file_name, out, e);
}

int wheel_open_fd(int fd, struct str file_name, struct wheel **out, struct err *e)
{
	struct stat st;

	if (fstat(fd, &st) != 0) {
		return err_sys(e, "%.*s", STR_ARG(file_name));
	}
	if (!S_ISREG(st.st_mode)) {
		return err_set(e, RC_WHEEL, "%.*s: not a regular file", STR_ARG(file_name));
	}
	struct wheel *w = mem_alloc(sizeof(*w));
	w->fd = fd;
	w->source = (struct wheel_source){ fd_read_at, &w->fd, (uint64_t)st.st_size };
	return wheel_begin(w, file_name, out, e);
}

struct wheel *wheel_twin(const struct wheel *w)
{
	struct wheel *twin = mem_alloc(sizeof(*twin));

	*twin = (struct wheel){
		.source = w->source,
		.fd = w->fd,
		.name = w->name,
		.dir = w->dir,
		.info = w->info,
		.is_twin = true,
	};
	if (w->fd >= 0) {
		twin->source.context = &twin->fd;
	}
	return twin;
}

void wheel_close(struct wheel *w)
{
	if (!w) {
		return;
	}
	if (!w->is_twin) {
		zip_dir_release(&w->dir);
	}
	arena_release(&w->arena);
	free(w->packed);
	free(w->inflated);
	free(w);
}

void cleanup_wheel(struct wheel **w)
{
	wheel_close(*w);
}

/* ---- looking ---- */

const struct dist_name *wheel_name(const struct wheel *w)
{
	return &w->name;
}

const struct wheel_member *wheel_members(const struct wheel *w, size_t *n)
{
	*n = w->dir.n;
	return w->dir.members;
}

const struct wheel_member *wheel_find(const struct wheel *w, const char *name)
{
	return zip_dir_find(&w->dir, str_of(name));
}

const struct wheel_member *wheel_find_info(const struct wheel *w, const char *name)
{
	struct buf path = BUF_INIT;

	buf_addf(&path, "%.*s/%s", STR_ARG(w->info), name);
	const struct wheel_member *m = zip_dir_find(&w->dir, buf_str(&path));
	buf_release(&path);
	return m;
}

/* ---- reading ---- */

int wheel_fetch(struct wheel *w, uint64_t offset, char *to, size_t n, struct err *e)
{
	uint64_t tail = w->dir.tail_offset;

	if (offset >= tail && n <= w->dir.tail.n && offset - tail <= w->dir.tail.n - n) {
		memcpy(to, w->dir.tail.p + (offset - tail), n);
		return 0;
	}
	return w->source.read_at(w->source.context, offset, to, n, e);
}

/* A member while it is read: its bytes from the local header to `next` come in pieces. */
struct member_in {
	struct wheel *w;
	const struct wheel_member *m;
	uint64_t at;    /* in the file: what follows the piece that is in memory */
	size_t n, used; /* of that piece */
	uint64_t left;  /* packed bytes that were not used yet */
	uint64_t taken; /* bytes of the contents so far */
	uint32_t crc;
	int (*take)(void *context, const void *bytes, size_t n, struct err *e);
	void *context;
};

static int piece_fetch(struct member_in *in, struct err *e)
{
	uint64_t rest = in->m->next - in->at;
	size_t n = rest < PIECE ? (size_t)rest : PIECE;
	int rc = wheel_fetch(in->w, in->at, in->w->packed, n, e);

	if (rc) {
		return rc;
	}
	in->at += n;
	in->n = n;
	in->used = 0;
	return 0;
}

/* The packed bytes at hand; never none while some are left. */
static int packed_next(struct member_in *in, struct str *out, struct err *e)
{
	if (in->used == in->n) {
		int rc = piece_fetch(in, e);
		if (rc) {
			return rc;
		}
	}
	size_t n = in->n - in->used;
	*out = (struct str){ in->w->packed + in->used, in->left < n ? (size_t)in->left : n };
	return 0;
}

static void packed_use(struct member_in *in, size_t n)
{
	in->used += n;
	in->left -= n;
}

static int contents_take(struct member_in *in, const char *bytes, size_t n, struct err *e)
{
	if (n > in->m->size - in->taken) {
		return err_set(e, RC_WHEEL,
			"it inflates to more than the %" PRIu64 " bytes it declares", in->m->size);
	}
	in->taken += n;
	in->crc = (uint32_t)crc32(in->crc, (const Bytef *)bytes, (uInt)n);
	return n ? in->take(in->context, bytes, n, e) : 0;
}

static int stored_read(struct member_in *in, struct err *e)
{
	while (in->left) {
		struct str bytes;
		int rc = packed_next(in, &bytes, e);

		rc = rc ? rc : contents_take(in, bytes.p, bytes.n, e);
		if (rc) {
			return rc;
		}
		packed_use(in, bytes.n);
	}
	return 0;
}

/* One call of inflate, into what is left of a piece. *rc_z is zlib's answer. */
static int inflate_step(struct member_in *in, z_stream *z, int *rc_z, struct err *e)
{
	struct str bytes = STR_NULL;
	int rc = in->left ? packed_next(in, &bytes, e) : 0;

	if (rc) {
		return rc;
	}
	z->next_in = (Bytef *)(in->w->packed + in->used);
	z->avail_in = (uInt)bytes.n;
	*rc_z = inflate(z, Z_NO_FLUSH);
	packed_use(in, bytes.n - z->avail_in);
	if (*rc_z != Z_OK && *rc_z != Z_STREAM_END) {
		return err_set(e, RC_WHEEL, "its deflated bytes are damaged (%s)",
			*rc_z == Z_BUF_ERROR ? "they end too early"
			: z->msg             ? z->msg
					     : "zlib gives no reason");
	}
	return 0;
}

/* A whole piece of the contents; a shorter one only at their end. */
static int inflate_piece(struct member_in *in, z_stream *z, int *rc_z, struct err *e)
{
	int rc = 0;

	z->next_out = (Bytef *)in->w->inflated;
	z->avail_out = PIECE;
	while (!rc && z->avail_out && *rc_z != Z_STREAM_END) {
		rc = inflate_step(in, z, rc_z, e);
	}
	return rc ? rc : contents_take(in, in->w->inflated, PIECE - z->avail_out, e);
}

static int deflated_read(struct member_in *in, struct err *e)
{
	z_stream z = { .next_in = NULL };
	int rc = 0, rc_z = Z_OK;

	if (inflateInit2(&z, -MAX_WBITS) != Z_OK) {
		return err_set(e, RC_BUG, "zlib cannot start");
	}
	while (!rc && rc_z != Z_STREAM_END) {
		rc = inflate_piece(in, &z, &rc_z, e);
	}
	inflateEnd(&z);
	if (!rc && in->left) {
		rc = err_set(
			e, RC_WHEEL, "%" PRIu64 " bytes follow its deflated contents", in->left);
	}
	return rc;
}

static int contents_check(const struct member_in *in, struct err *e)
{
	if (in->taken != in->m->size) {
		return err_set(e, RC_WHEEL, "it has %" PRIu64 " bytes and declares %" PRIu64,
			in->taken, in->m->size);
	}
	if (in->crc != in->m->crc) {
		return err_set(e, RC_WHEEL, "wrong CRC-32: %08" PRIx32 ", declared %08" PRIx32,
			in->crc, in->m->crc);
	}
	return 0;
}

static int descriptor_read(struct member_in *in, struct err *e)
{
	char bytes[ZIP_DESCRIPTOR_MAX];
	size_t n = (size_t)(in->m->next - (in->at - in->n + in->used));

	if (n <= in->n - in->used) {
		return zip_descriptor_check(in->m, (struct str){ in->w->packed + in->used, n }, e);
	}
	int rc = wheel_fetch(in->w, in->m->next - n, bytes, n, e);
	return rc ? rc : zip_descriptor_check(in->m, (struct str){ bytes, n }, e);
}

static int member_read(struct member_in *in, struct err *e)
{
	size_t header = 0;
	int rc = piece_fetch(in, e);

	rc = rc ? rc : zip_local_check(in->m, (struct str){ in->w->packed, in->n }, &header, e);
	if (rc) {
		return rc;
	}
	in->used = header;
	in->left = in->m->packed;
	rc = in->m->method == 0 ? stored_read(in, e) : deflated_read(in, e);
	rc = rc ? rc : contents_check(in, e);
	return rc ? rc : descriptor_read(in, e);
}

int member_stream(struct wheel *w, const struct wheel_member *m,
	int (*take)(void *context, const void *bytes, size_t n, struct err *e), void *context,
	struct err *e)
{
	char shown[MEMBER_NAME_SHOWN];
	struct member_in in = {
		.w = w,
		.m = m,
		.at = m->offset,
		.crc = (uint32_t)crc32(0, NULL, 0),
		.take = take,
		.context = context,
	};

	if (!w->packed) {
		w->packed = mem_alloc(PIECE);
		w->inflated = mem_alloc(PIECE);
	}
	int rc = member_read(&in, e);
	return rc < 0 ? err_wrap(e, "%s", member_name_show(m->name, shown)) : rc;
}

static int buf_take(void *context, const void *bytes, size_t n, struct err *e)
{
	struct buf *to = context;

	(void)e;
	buf_add(to, bytes, n);
	return 0;
}

int member_load(
	struct wheel *w, const struct wheel_member *m, uint64_t max, struct buf *out, struct err *e)
{
	char shown[MEMBER_NAME_SHOWN];

	if (m->size > max) {
		return err_set(e, RC_LIMIT, "%s: %" PRIu64 " bytes, over the limit of %" PRIu64,
			member_name_show(m->name, shown), m->size, max);
	}
	size_t before = out->n;
	int rc = member_stream(w, m, buf_take, out, e);
	if (rc) {
		out->n = before;
	}
	return rc;
}

int wheel_stream(struct wheel *w, const struct wheel_member *m,
	int (*take)(void *context, const void *bytes, size_t n, struct err *e), void *context,
	struct err *e)
{
	int rc = member_stream(w, m, take, context, e);

	return rc < 0 ? err_wrap(e, "%.*s", STR_ARG(w->name.file)) : rc;
}

int wheel_read(
	struct wheel *w, const struct wheel_member *m, uint64_t max, struct buf *out, struct err *e)
{
	int rc = member_load(w, m, max, out, e);

	return rc ? err_wrap(e, "%.*s", STR_ARG(w->name.file)) : 0;
}

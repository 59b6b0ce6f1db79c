#include "tests/unit/wheel_maker.h"

#include "verify/hash.h"

#include <string.h>
#include <zlib.h>

static void put(struct buf *out, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++) {
		buf_addc(out, (char)(value >> (8 * i) & 0xff));
	}
}

struct made_member *wheel_maker_add(struct wheel_maker *m, const char *name, struct str bytes)
{
	vec_push(&m->members, (struct made_member){
				      .name = arena_str(&m->arena, str_of(name)),
				      .bytes = arena_str(&m->arena, bytes),
				      .method = str_ends(str_of(name), "/") ? 0 : 8,
				      .mode = str_ends(str_of(name), "/") ? 040755 : 0100644,
			      });
	return &m->members.v[m->members.n - 1];
}

/* ---- what a wheel needs ---- */

static struct str name_part(const struct wheel_maker *m, size_t index)
{
	struct str rest = m->file, part = STR_NULL;

	for (size_t i = 0; i <= index; i++) {
		str_cut(&rest, '-', &part);
	}
	return part;
}

const char *wheel_maker_info_name(struct wheel_maker *m, const char *name)
{
	struct str project = name_part(m, 0), version = name_part(m, 1);

	return arena_printf(
		&m->arena, "%.*s-%.*s.dist-info/%s", STR_ARG(project), STR_ARG(version), name);
}

void wheel_maker_info(struct wheel_maker *m, const char *more)
{
	struct str project = name_part(m, 0), version = name_part(m, 1), file = m->file;
	struct buf text = BUF_INIT;

	buf_addf(&text, "Metadata-Version: 2.1\nName: %.*s\nVersion: %.*s\n%s\nAbout it.\n",
		STR_ARG(project), STR_ARG(version), more);
	wheel_maker_add(m, wheel_maker_info_name(m, "METADATA"), buf_str(&text));
	buf_clear(&text);
	file.n -= strlen(".whl");
	size_t dash = str_rfind(file, '-');
	dash = str_rfind(str_first(file, dash), '-');
	dash = str_rfind(str_first(file, dash), '-');
	struct str tag = str_skip(file, dash + 1);
	buf_addf(&text, "Wheel-Version: 1.0\nGenerator: maker\nRoot-Is-Purelib: true\nTag: %.*s\n",
		STR_ARG(tag));
	wheel_maker_add(m, wheel_maker_info_name(m, "WHEEL"), buf_str(&text));
	buf_release(&text);
}

static void put_base64url(struct buf *out, const uint8_t *p, size_t n)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

	for (size_t bit = 0; bit < n * 8; bit += 6) {
		unsigned pair = (unsigned)p[bit / 8] << 8 | (bit / 8 + 1 < n ? p[bit / 8 + 1] : 0);

		buf_addc(out, digits[pair >> (10 - bit % 8) & 0x3f]);
	}
}

struct made_member *wheel_maker_record(struct wheel_maker *m)
{
	struct buf text = BUF_INIT;
	const char *name = wheel_maker_info_name(m, "RECORD");

	for (size_t i = 0; i < m->members.n; i++) {
		const struct made_member *made = &m->members.v[i];
		struct digest digest;

		if (str_ends(made->name, "/")) {
			continue;
		}
		hash_bytes(made->bytes, &digest);
		buf_addf(&text, "%.*s,sha256=", STR_ARG(made->name));
		put_base64url(&text, digest.b, DIGEST_SIZE);
		buf_addf(&text, ",%zu\n", made->bytes.n);
	}
	buf_addf(&text, "%s,,\n", name);
	struct made_member *record = wheel_maker_add(m, name, buf_str(&text));
	buf_release(&text);
	return record;
}

/* ---- the zip ---- */

struct layout { /* the true numbers */
	uint64_t offset, packed;
	uint32_t crc;
};

static void deflate_raw(struct str bytes, struct buf *out)
{
	z_stream z = { .next_in = NULL };
	uLong bound = compressBound((uLong)bytes.n) + 16;

	deflateInit2(&z, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
	z.next_in = (Bytef *)(uintptr_t)bytes.p;
	z.avail_in = (uInt)bytes.n;
	z.next_out = (Bytef *)buf_room(out, bound);
	z.avail_out = (uInt)bound;
	deflate(&z, Z_FINISH);
	out->n += z.total_out;
	deflateEnd(&z);
}

static uint16_t flags_of(const struct made_member *made)
{
	return (uint16_t)(made->flags | (made->descriptor ? 1u << 3 : 0));
}

static void put_local(const struct made_member *made, const struct layout *at, struct buf *out)
{
	struct str name = made->local_name.p ? made->local_name : made->name;
	uint64_t size = made->bytes.n + (uint64_t)made->local_size_add;
	uint64_t packed = at->packed + (uint64_t)made->local_packed_add;
	uint32_t crc = at->crc ^ made->local_crc_xor;

	if (made->descriptor) {
		size = packed = crc = 0;
	}
	put(out, UINT64_C(0x04034b50) ^ made->local_magic_xor, 4);
	put(out, 20, 2);
	put(out, flags_of(made) ^ made->local_flags_xor, 2);
	put(out, made->method ^ made->local_method_xor, 2);
	put(out, 0x21, 4);
	put(out, crc, 4);
	put(out, made->zip64 ? UINT32_MAX : packed, 4);
	put(out, made->zip64 ? UINT32_MAX : size, 4);
	put(out, name.n, 2);
	put(out, made->local_extra.n + (made->zip64 ? 20 : 0), 2);
	buf_addstr(out, name);
	if (made->zip64) {
		put(out, 1, 2);
		put(out, 16, 2);
		put(out, size, 8);
		put(out, packed, 8);
	}
	buf_addstr(out, made->local_extra);
}

static void put_descriptor(const struct made_member *made, const struct layout *at, struct buf *out)
{
	unsigned wide = made->descriptor >= 20 ? 8 : 4;

	if (made->descriptor == 16 || made->descriptor == 24) {
		put(out, UINT64_C(0x08074b50), 4);
	}
	if (made->descriptor) {
		put(out, at->crc ^ made->descriptor_crc_xor, 4);
		put(out, at->packed, wide);
		put(out, made->bytes.n, wide);
	}
}

static void put_member(const struct made_member *made, struct layout *at, struct buf *out)
{
	struct buf packed = BUF_INIT;

	if (made->packed.p) {
		buf_addstr(&packed, made->packed);
	} else if (made->method == 8) {
		deflate_raw(made->bytes, &packed);
	} else {
		buf_addstr(&packed, made->bytes);
	}
	buf_addstr(out, made->before);
	*at = (struct layout){
		.offset = out->n,
		.packed = packed.n,
		.crc = (uint32_t)crc32(0, (const Bytef *)made->bytes.p, (uInt)made->bytes.n),
	};
	put_local(made, at, out);
	buf_addstr(out, buf_str(&packed));
	put_descriptor(made, at, out);
	buf_release(&packed);
}

static void put_central(const struct made_member *made, const struct layout *at, struct buf *out)
{
	uint64_t size = made->bytes.n + (uint64_t)made->size_add;
	uint64_t packed = at->packed + (uint64_t)made->packed_add;
	uint64_t offset = at->offset + (uint64_t)made->offset_add;

	put(out, UINT64_C(0x02014b50), 4);
	put(out, 0x0314, 2);
	put(out, 20, 2);
	put(out, flags_of(made), 2);
	put(out, made->method, 2);
	put(out, 0x21, 4);
	put(out, at->crc ^ made->crc_xor, 4);
	put(out, made->zip64 ? UINT32_MAX : packed, 4);
	put(out, made->zip64 ? UINT32_MAX : size, 4);
	put(out, made->name.n, 2);
	put(out, made->extra.n + (made->zip64 ? 28 : 0), 2);
	put(out, made->comment.n, 2);
	put(out, 0, 4);
	put(out, (uint64_t)made->mode << 16, 4);
	put(out, made->zip64 ? UINT32_MAX : offset, 4);
	buf_addstr(out, made->name);
	if (made->zip64) {
		put(out, 1, 2);
		put(out, 24, 2);
		put(out, size, 8);
		put(out, packed, 8);
		put(out, offset, 8);
	}
	buf_addstr(out, made->extra);
	buf_addstr(out, made->comment);
}

struct central {
	uint64_t offset, size, count;
};

static void put_end64(const struct wheel_maker *m, const struct central *c, struct buf *out)
{
	uint64_t at = out->n;

	put(out, UINT64_C(0x06064b50), 4);
	put(out, 44 + m->extensible.n, 8);
	put(out, 0x032d, 2);
	put(out, 45, 2);
	put(out, 0, 8);
	put(out, c->count + (uint64_t)m->count64_add, 8);
	put(out, c->count + (uint64_t)m->count64_add, 8);
	put(out, c->size, 8);
	put(out, c->offset, 8);
	buf_addstr(out, m->extensible);
	put(out, UINT64_C(0x07064b50), 4);
	put(out, 0, 4);
	put(out, at + (uint64_t)m->locator_add, 8);
	put(out, 1, 4);
}

static void put_end(const struct wheel_maker *m, const struct central *c, struct buf *out)
{
	uint64_t ones = m->is_saturated ? UINT64_MAX : 0;

	put(out, UINT64_C(0x06054b50), 4);
	put(out, m->disk, 2);
	put(out, m->disk, 2);
	put(out, (c->count + (uint64_t)m->count_add) | ones, 2);
	put(out, (c->count + (uint64_t)m->count_add) | ones, 2);
	put(out, (c->size + (uint64_t)m->central_size_add) | ones, 4);
	put(out, (c->offset + (uint64_t)m->central_offset_add) | ones, 4);
	put(out, m->comment.n, 2);
	buf_addstr(out, m->comment);
}

static void zip_write(struct wheel_maker *m, struct buf *out)
{
	struct layout *at = arena_array(&m->arena, m->members.n + 1, sizeof(*at));
	struct central c = { 0 };

	for (size_t i = 0; i < m->members.n; i++) {
		if (!m->members.v[i].is_virtual) {
			put_member(&m->members.v[i], &at[i], out);
		}
	}
	c.offset = out->n;
	for (size_t i = 0; i < m->members.n; i++) {
		if (!m->members.v[i].is_unlisted) {
			put_central(&m->members.v[i], &at[i], out);
			c.count++;
		}
	}
	c.size = out->n - c.offset;
	buf_addstr(out, m->between);
	if (m->zip64) {
		put_end64(m, &c, out);
	}
	put_end(m, &c, out);
}

void wheel_maker_write(struct wheel_maker *m, struct buf *out)
{
	struct buf zip = BUF_INIT;

	zip_write(m, &zip);
	buf_addstr(out, m->before);
	buf_addstr(out, buf_str(&zip));
	buf_addstr(out, m->after);
	buf_release(&zip);
}

void wheel_maker_release(struct wheel_maker *m)
{
	vec_release(&m->members);
	arena_release(&m->arena);
}

/* ---- reading it ---- */

static int made_read_at(void *context, uint64_t offset, void *to, size_t n, struct err *e)
{
	struct made_source *s = context;

	if (offset > s->bytes.n || n > s->bytes.n - offset) {
		return err_set(e, RC_BUG, "a read outside of the file");
	}
	memcpy(to, s->bytes.p + offset, n);
	s->reads++;
	s->total += n;
	return 0;
}

struct wheel_source made_source_open(struct made_source *s)
{
	return (struct wheel_source){ made_read_at, s, s->bytes.n };
}

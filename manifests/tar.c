#include "manifests/tar.h"

#include <stdio.h>
#include <string.h>

/* ustar header block, offsets by POSIX.1-2008 */
enum {
	NAME = 0, NAME_SIZE = 100, MODE = 100, UID = 108, GID = 116, SIZE = 124, MTIME = 136,
	CHECKSUM = 148, TYPE = 156, MAGIC = 257, DEVMAJOR = 329, DEVMINOR = 337, PREFIX = 345,
	PREFIX_SIZE = 155
};

#define USTAR_SIZE_MAX ((UINT64_C(1) << 33) - 1) /* eleven octal digits */

static void put_octal(char *block, size_t at, int digits, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%0*llo", digits, (unsigned long long)value);
	memcpy(block + at, text, (size_t)digits + 1);
}

/* Splits at a '/' so that both parts fit; false: the path needs a pax header. */
static bool split(struct str path, struct str *prefix, struct str *name)
{
	*prefix = STR_NULL;
	*name = path;
	if (path.n <= NAME_SIZE) {
		return true;
	}
	for (size_t i = path.n - NAME_SIZE - 1; i < path.n && i <= PREFIX_SIZE; i++) {
		if (path.p[i] == '/' && i > 0 && i + 1 < path.n) {
			*prefix = str_first(path, i);
			*name = str_skip(path, i + 1);
			return true;
		}
	}
	return false;
}

static void put_block(struct buf *out, char type, struct str prefix, struct str name, uint64_t size,
	uint64_t mtime)
{
	char block[TAR_BLOCK] = { 0 };
	unsigned sum = 0;

	memcpy(block + NAME, name.p, name.n);
	put_octal(block, MODE, 7, 0644);
	put_octal(block, UID, 7, 0);
	put_octal(block, GID, 7, 0);
	put_octal(block, SIZE, 11, size);
	put_octal(block, MTIME, 11, mtime & USTAR_SIZE_MAX);
	memset(block + CHECKSUM, ' ', 8);
	block[TYPE] = type;
	memcpy(block + MAGIC, "ustar\00000", 8);
	put_octal(block, DEVMAJOR, 7, 0);
	put_octal(block, DEVMINOR, 7, 0);
	if (prefix.n) {
		memcpy(block + PREFIX, prefix.p, prefix.n);
	}
	for (size_t i = 0; i < TAR_BLOCK; i++) {
		sum += (unsigned char)block[i];
	}
	put_octal(block, CHECKSUM, 6, sum);
	buf_add(out, block, TAR_BLOCK);
}

/* "LENGTH key=value\n", where LENGTH counts itself. */
static void put_record(struct buf *out, const char *key, struct str value)
{
	size_t rest = strlen(key) + value.n + 3, length = rest;

	for (size_t digits = 1, bound = 10;; digits++, bound *= 10) {
		length = rest + digits;
		if (length < bound) {
			break;
		}
	}
	buf_addf(out, "%zu %s=", length, key);
	buf_addstr(out, value);
	buf_addc(out, '\n');
}

uint64_t tar_padding(uint64_t size)
{
	return (TAR_BLOCK - size % TAR_BLOCK) % TAR_BLOCK;
}

void tar_put_header(struct buf *out, struct str path, uint64_t size, uint64_t mtime)
{
	CLEANUP_BUF struct buf records = BUF_INIT;
	struct str prefix, name;
	char number[24];

	if (!split(path, &prefix, &name)) {
		put_record(&records, "path", path);
		name = str_first(path, NAME_SIZE);
	}
	if (size > USTAR_SIZE_MAX) {
		snprintf(number, sizeof(number), "%llu", (unsigned long long)size);
		put_record(&records, "size", str_of(number));
	}
	if (records.n) {
		static const char zero[TAR_BLOCK];
		size_t padding = (size_t)tar_padding(records.n);

		put_block(out, 'x', STR_NULL, STR("././@PaxHeader"), records.n, mtime);
		buf_addstr(out, buf_str(&records));
		buf_add(out, zero, padding);
	}
	put_block(out, '0', prefix, name, size > USTAR_SIZE_MAX ? 0 : size, mtime);
}

static bool get_octal(const char *block, size_t at, size_t digits, uint64_t *out)
{
	uint64_t value = 0;

	for (size_t i = 0; i < digits; i++) {
		char c = block[at + i];

		if (c < '0' || c > '7') {
			return false;
		}
		value = value << 3 | (uint64_t)(c - '0');
	}
	*out = value;
	return true;
}

static int refuse(struct err *e, const char *why)
{
	return err_set(e, RC_BUNDLE_MEMBER, "a member's header %s", why);
}

/* Takes `path` and `size` out of pax records; what else stands there fails the comparison later. */
static int read_records(struct str data, struct str *path, uint64_t *size, struct err *e)
{
	while (data.n) {
		size_t space = str_find(data, ' ');
		uint64_t length;

		if (!str_to_u64(str_first(data, space), &length) || length > data.n || length < space + 4) {
			return refuse(e, "has a malformed pax record");
		}
		struct str record = str_first(data, (size_t)length - 1), key;
		record = str_skip(record, space + 1);
		if (!str_cut(&record, '=', &key)) {
			return refuse(e, "has a malformed pax record");
		}
		if (str_is(key, "path")) {
			*path = record;
		} else if (!str_is(key, "size") || !str_to_u64(record, size)) {
			return refuse(e, "has a pax record other than path and size");
		}
		data = str_skip(data, (size_t)length);
	}
	return 0;
}

static void join_path(const char *block, struct tar_member *out)
{
	size_t name = strnlen(block + NAME, NAME_SIZE), prefix = strnlen(block + PREFIX, PREFIX_SIZE);
	int n = snprintf(out->path_room, sizeof(out->path_room), "%.*s%s%.*s", (int)prefix, block + PREFIX,
		prefix ? "/" : "", (int)name, block + NAME);

	out->path = (struct str){ out->path_room, (size_t)n };
}

static bool is_zero(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i]) {
			return false;
		}
	}
	return true;
}

/* Reads the file's own block, behind a pax header or not, and demands the one spelling of it all. */
static int read_file_block(struct str blocks, size_t at, struct tar_member *out, struct err *e)
{
	CLEANUP_BUF struct buf again = BUF_INIT;
	const char *block = blocks.p + at;
	struct str long_path = STR_NULL;
	uint64_t long_size = 0;

	if (block[TYPE] != '0') {
		return refuse(e, "is not that of a regular file");
	}
	if (!get_octal(block, SIZE, 11, &out->size) || !get_octal(block, MTIME, 11, &out->mtime)) {
		return refuse(e, "has a malformed number");
	}
	join_path(block, out);
	if (at) {
		uint64_t n = 0;

		get_octal(blocks.p, SIZE, 11, &n);
		int r = read_records(str_first(str_skip(blocks, TAR_BLOCK), (size_t)n), &long_path,
			&long_size, e);
		if (r) {
			return r;
		}
		out->size = long_size ? long_size : out->size;
		if (long_path.n && long_path.n < sizeof(out->path_room)) {
			memcpy(out->path_room, long_path.p, long_path.n);
			out->path.n = long_path.n;
		}
	}
	tar_put_header(&again, out->path, out->size, out->mtime);
	if (!str_eq(buf_str(&again), blocks)) {
		return refuse(e, "is not in the form that bundles have (an owner, a mode, a link, another path)");
	}
	return 0;
}

int tar_read_header(struct str blocks, size_t *more, struct tar_member *out, struct err *e)
{
	uint64_t n = 0;

	*more = 0;
	out->is_end = blocks.n == TAR_BLOCK && is_zero(blocks);
	if (out->is_end) {
		return 0;
	}
	if (blocks.p[TYPE] != 'x') {
		return blocks.n == TAR_BLOCK ? read_file_block(blocks, 0, out, e)
					     : refuse(e, "is too long");
	}
	if (!get_octal(blocks.p, SIZE, 11, &n) || n == 0 || n > TAR_HEADER_MAX - 2 * TAR_BLOCK) {
		return refuse(e, "has a pax header of an impossible size");
	}
	size_t total = TAR_BLOCK + (size_t)(n + tar_padding(n)) + TAR_BLOCK;
	if (blocks.n < total) {
		*more = total - blocks.n;
		return 0;
	}
	return read_file_block(blocks, total - TAR_BLOCK, out, e);
}

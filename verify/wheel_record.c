/* The whole wheel against its RECORD, and what else needs its contents. */
#include "verify/wheel_private.h"

#include "manifests/limits.h"
#include "verify/crypto.h"
#include "verify/hash.h"
#include "verify/member_name.h"
#include "verify/record_csv.h"
#include "verify/sha512.h"
#include "verify/wheel_scripts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { RECORD_MAX = 64 * 1024 * 1024, TAR_BLOCK = 512 };

/* ---- digests ---- */

struct digester { /* every algorithm that RECORD may name */
	struct hash *sha256;
	struct sha512 sha512;
	struct str algorithm;
};

static size_t digest_size(struct str algorithm)
{
	return str_is(algorithm, "sha256")   ? DIGEST_SIZE
	       : str_is(algorithm, "sha384") ? SHA384_SIZE
	       : str_is(algorithm, "sha512") ? SHA512_SIZE
					     : 0;
}

static void digester_begin(struct digester *d, struct str algorithm)
{
	d->algorithm = algorithm;
	if (str_is(algorithm, "sha384")) {
		sha384_init(&d->sha512);
	} else {
		sha512_init(&d->sha512);
	}
}

static int digester_take(void *context, const void *bytes, size_t n, struct err *e)
{
	struct digester *d = context;

	(void)e;
	if (str_is(d->algorithm, "sha256")) {
		hash_add(d->sha256, bytes, n);
	} else {
		sha512_add(&d->sha512, bytes, n);
	}
	return 0;
}

static void digester_end(struct digester *d, uint8_t out[SHA512_SIZE])
{
	struct digest digest;

	if (str_is(d->algorithm, "sha256")) {
		hash_final(d->sha256, &digest);
		memcpy(out, digest.b, DIGEST_SIZE);
	} else {
		sha512_final(&d->sha512, out);
	}
}

/* Base64 for URLs without padding (RFC 4648 section 5), of exactly n bytes. */
static bool base64url_exact(struct str text, uint8_t *out, size_t n)
{
	char standard[BASE64_LENGTH(SHA512_SIZE)];
	size_t length = BASE64_LENGTH(n);

	if (text.n != (n * 4 + 2) / 3) {
		return false;
	}
	for (size_t i = 0; i < length; i++) {
		char c = i < text.n ? text.p[i] : '=';

		if (i < text.n && (c == '+' || c == '/' || c == '=')) {
			return false;
		}
		standard[i] = c == '-' ? '+' : c == '_' ? '/' : c;
	}
	return base64_exact((struct str){ standard, length }, out, n);
}

/* ---- rows ---- */

struct record {
	struct arena arena;
	struct wheel *w;
	struct record_row *rows;
	size_t n;
	/* What RECORD cannot vouch for: itself, and what signs it. NULL: absent. */
	const struct wheel_member *self, *jws, *p7s;
	struct digester digester;
};

static int row_cmp(const void *a, const void *b)
{
	const struct record_row *x = a, *y = b;
	int order = str_cmp(x->path, y->path);

	return order ? order : (x->line > y->line) - (x->line < y->line);
}

static int row_error(const struct record_row *row, const char *what, struct err *e)
{
	char shown[MEMBER_NAME_SHOWN];

	return err_set(e, RC_WHEEL, "RECORD: line %zu: \"%s\" %s", row->line,
		member_name_show(row->path, shown), what);
}

static bool is_unhashed(const struct record *r, const struct wheel_member *m)
{
	return m == r->self || m == r->jws || m == r->p7s;
}

static int rows_check(struct record *r, struct err *e)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct record_row *row = &r->rows[i];
		const struct wheel_member *m = zip_dir_find(&r->w->dir, row->path);

		if (i && str_eq(row->path, row[-1].path)) {
			return row_error(row, "is listed twice", e);
		}
		if (member_name_check(row->path, MEMBER_NAME_LINUX, e)) {
			return err_wrap(e, "RECORD: line %zu", row->line);
		}
		if (!m || m->is_dir) {
			return row_error(row, "is not a file of the wheel", e);
		}
		if (m == r->self && row->hash.n) {
			return row_error(row, "cannot have its own digest", e);
		}
	}
	return 0;
}

static int size_check(const struct record_row *row, const struct wheel_member *m, struct err *e)
{
	uint64_t size = 0;

	if (row->size.n == 0) {
		return 0;
	}
	if (!str_to_u64(row->size, &size)) {
		return row_error(row, "has a size that is no number", e);
	}
	return size == m->size ? 0 : row_error(row, "has another size than the file", e);
}

static int digest_check(
	struct record *r, const struct record_row *row, const struct wheel_member *m, struct err *e)
{
	uint8_t want[SHA512_SIZE] = { 0 }, is[SHA512_SIZE] = { 0 };
	struct str text = row->hash, algorithm;

	str_cut(&text, '=', &algorithm);
	size_t n = digest_size(algorithm);
	if (row->hash.n == 0) {
		return row_error(row, "has no digest", e);
	}
	if (n == 0) {
		return row_error(row, "has a digest that is none of sha256, sha384 and sha512", e);
	}
	if (!base64url_exact(text, want, n)) {
		return row_error(
			row, "has a digest that is no unpadded base64url of its length", e);
	}
	digester_begin(&r->digester, algorithm);
	int rc = member_stream(r->w, m, digester_take, &r->digester, e);
	digester_end(&r->digester, is); /* also after an error: it starts anew */
	if (rc) {
		return rc;
	}
	return memcmp(want, is, n) == 0 ? 0 : row_error(row, "has another digest than the file", e);
}

static int nothing_take(void *context, const void *bytes, size_t n, struct err *e)
{
	(void)context;
	(void)bytes;
	(void)n;
	(void)e;
	return 0;
}

/* NULL: none. Rows are sorted. */
static const struct record_row *row_find(const struct record *r, struct str path)
{
	size_t low = 0, high = r->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (str_cmp(r->rows[mid].path, path) < 0) {
			low = mid + 1;
		} else {
			high = mid;
		}
	}
	return low < r->n && str_eq(r->rows[low].path, path) ? &r->rows[low] : NULL;
}

static int member_check_row(struct record *r, const struct wheel_member *m, struct err *e)
{
	char shown[MEMBER_NAME_SHOWN];
	const struct record_row *row = row_find(r, m->name);

	/* Still read, for their headers and CRCs. */
	if (m->is_dir || is_unhashed(r, m)) {
		return member_stream(r->w, m, nothing_take, NULL, e);
	}
	if (!row) {
		return err_set(e, RC_WHEEL, "RECORD does not list \"%s\"",
			member_name_show(m->name, shown));
	}
	int rc = size_check(row, m, e);
	return rc ? rc : digest_check(r, row, m, e);
}

static int record_load(struct record *r, struct err *e)
{
	CLEANUP_BUF struct buf text = BUF_INIT;

	r->self = wheel_find_info(r->w, "RECORD");
	r->jws = wheel_find_info(r->w, "RECORD.jws");
	r->p7s = wheel_find_info(r->w, "RECORD.p7s");
	if (!r->self) {
		return err_set(e, RC_WHEEL, "it has no RECORD");
	}
	int rc = member_load(r->w, r->self, RECORD_MAX, &text, e);
	if (rc) {
		return rc;
	}
	struct str kept = arena_str(&r->arena, buf_str(&text));
	rc = record_csv_parse(&r->arena, kept, &r->rows, &r->n, e);
	return rc ? err_wrap(e, "RECORD") : 0;
}

static int record_check(struct record *r, struct err *e)
{
	int rc = record_load(r, e);

	if (rc) {
		return rc;
	}
	qsort(r->rows, r->n, sizeof(*r->rows), row_cmp);
	rc = rows_check(r, e);
	for (size_t i = 0; i < r->w->dir.n && !rc; i++) {
		rc = member_check_row(r, r->w->dir.by_offset[i], e);
	}
	return rc;
}

/* ---- the file as a whole ---- */

/* A file whose first block has the checksum of a tar header is a tar for those who look for one
 * first (POSIX.1-2017 pax, "ustar Interchange Format"). */
static int tar_check(struct wheel *w, struct err *e)
{
	char block[TAR_BLOCK];
	uint64_t sum = 0, says = 0;
	size_t i = 148;

	if (w->source.size < TAR_BLOCK) {
		return 0;
	}
	int rc = wheel_fetch(w, 0, block, sizeof(block), e);
	if (rc) {
		return rc;
	}
	while (i < 156 && block[i] == ' ') {
		i++;
	}
	for (; i < 156 && block[i] >= '0' && block[i] <= '7'; i++) {
		says = says * 8 + (uint64_t)(block[i] - '0');
	}
	for (i = 0; i < TAR_BLOCK; i++) {
		sum += i >= 148 && i < 156 ? ' ' : (unsigned char)block[i];
	}
	return sum == says ? err_set(e, RC_WHEEL, "the file is also a tar archive") : 0;
}

int wheel_check_record(struct wheel *w, struct err *e)
{
	struct record r = { .arena = ARENA_INIT, .w = w };

	r.digester.sha256 = hash_new();
	int rc = tar_check(w, e);
	rc = rc ? rc : record_check(&r, e);
	rc = rc ? rc : wheel_scripts_check(w, e);
	hash_free(r.digester.sha256);
	arena_release(&r.arena);
	return rc ? err_wrap(e, "%.*s", STR_ARG(w->name.file)) : 0;
}

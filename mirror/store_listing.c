/* What a target lists of what it has: the rules that store.h states. */
#include "manifests/base/buf.h"
#include "mirror/store_private.h"

/* The local label of the file name: METADATA may lack it. */
static bool is_same_local(const struct version *a, const struct version *b)
{
	CLEANUP_BUF struct buf x = BUF_INIT, y = BUF_INIT;

	if (a->nlocal != b->nlocal) {
		return false;
	}
	version_format_local(a, &x);
	version_format_local(b, &y);
	return str_eq(buf_str(&x), buf_str(&y));
}

static bool is_same_tags(const struct dist_name *a, const struct dist_name *b)
{
	return str_eq(a->python, b->python) && str_eq(a->abi, b->abi) &&
	       str_eq(a->platform, b->platform);
}

/* Does `other` push `row` out: the same wheel for another torch or CUDA, from a newer bundle? */
static bool is_superseded_by(const struct store_row *row, const struct store_row *other)
{
	return !row->file.is_built && !other->file.is_built && other->bundle > row->bundle &&
	       row->parts && other->parts && row->parts->kind == DIST_WHEEL &&
	       other->parts->kind == DIST_WHEEL && is_same_tags(row->parts, other->parts) &&
	       !is_same_local(&row->parts->version, &other->parts->version);
}

static bool is_hidden_build(const struct store_row *row, const struct store_row *other)
{
	return row->file.is_built && !other->file.is_built &&
	       str_eq(row->file.file.file, other->file.file.file);
}

static void mark_run(struct store_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < n && rows[i].file.is_listed; j++) {
			if (is_superseded_by(&rows[i], &rows[j]) ||
				is_hidden_build(&rows[i], &rows[j])) {
				rows[i].file.is_listed = false;
			}
		}
	}
}

/* Rows of one project and public version stand together. */
static bool is_same_release(const struct store_row *a, const struct store_row *b)
{
	return str_eq(a->file.file.name, b->file.file.name) && a->parts && b->parts &&
	       version_cmp_public(&a->parts->version, &b->parts->version) == 0;
}

void store_mark_listed(struct store_row *rows, size_t n)
{
	size_t begin = 0;

	for (size_t i = 1; i <= n; i++) {
		if (i == n || !is_same_release(&rows[begin], &rows[i])) {
			mark_run(rows + begin, i - begin);
			begin = i;
		}
	}
}

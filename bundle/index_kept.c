#include "bundle/index_kept.h"
#include "verify/le.h"

#include <string.h>

enum flag {
	HAS_SHA256 = 1,
	HAS_SIZE = 2,
	IS_YANKED = 4,
	HAS_METADATA = 8,
	HAS_METADATA_SHA256 = 16,
	IS_TORCH_FREE = 32,
	SAME_PYTHON = 64,
	NAMED_BY_URL = 128
};

enum { LINK_MIN = 10 }; /* flags, an empty URL, the length of a name */

static const char layout[] = "links-1\n";

/* ---- writing ---- */

static void put_number(struct buf *out, uint64_t n, size_t size)
{
	char bytes[8];

	for (size_t i = 0; i < size; i++) {
		bytes[i] = (char)(n >> 8 * i & 0xff);
	}
	buf_add(out, bytes, size);
}

static void put_text(struct buf *out, struct str text)
{
	put_number(out, text.n, 4);
	buf_add(out, text.p, text.n);
	buf_addc(out, '\0');
}

static bool is_named_by_url(const struct index_file *link)
{
	struct str url = str_of(link->url), name = link->name.file;

	return url.n >= name.n && str_eq(str_skip(url, url.n - name.n), name);
}

static unsigned flags_of(const struct index_file *link, struct str python_before)
{
	return (link->has_sha256 ? HAS_SHA256 : 0u) | (link->has_size ? HAS_SIZE : 0u) |
	       (link->is_yanked ? IS_YANKED : 0u) | (link->has_metadata ? HAS_METADATA : 0u) |
	       (link->has_metadata_sha256 ? HAS_METADATA_SHA256 : 0u) |
	       (link->is_torch_free ? IS_TORCH_FREE : 0u) |
	       (str_eq(link->requires_python, python_before) ? SAME_PYTHON : 0u) |
	       (is_named_by_url(link) ? NAMED_BY_URL : 0u);
}

static void put_link(struct buf *out, const struct index_file *link, struct str python_before)
{
	unsigned flags = flags_of(link, python_before);

	buf_addc(out, (char)flags);
	if (flags & HAS_SHA256) {
		buf_add(out, link->sha256.b, DIGEST_SIZE);
	}
	if (flags & HAS_METADATA_SHA256) {
		buf_add(out, link->metadata_sha256.b, DIGEST_SIZE);
	}
	if (flags & HAS_SIZE) {
		put_number(out, link->size, 8);
	}
	put_text(out, str_of(link->url));
	if (flags & NAMED_BY_URL) {
		put_number(out, link->name.file.n, 4);
	} else {
		put_text(out, link->name.file);
	}
	if (!(flags & SAME_PYTHON)) {
		put_text(out, link->requires_python);
	}
	if (flags & IS_YANKED) {
		put_text(out, link->yanked);
	}
}

void index_kept_write(const struct index_page *page, struct buf *out)
{
	struct str python = STR_NULL;

	buf_adds(out, layout);
	put_number(out, page->links.n, 4);
	put_number(out, page->nunreadable, 4);
	vec_each(const struct index_file, link, &page->links) {
		put_link(out, link, python);
		python = link->requires_python;
	}
}

/* ---- reading ---- */

/* Bytes off the front, or NULL: then everything after it is missing, too. */
static const char *take(struct str *rest, size_t n)
{
	const char *p = rest->p;

	if (!p || rest->n < n) {
		*rest = STR_NULL;
		return NULL;
	}
	*rest = str_skip(*rest, n);
	return p;
}

static bool take_u32(struct str *rest, uint32_t *out)
{
	const char *p = take(rest, 4);

	if (p) {
		*out = le32(p);
	}
	return p != NULL;
}

static bool take_text(struct str *rest, struct str *out)
{
	uint32_t n;

	if (!take_u32(rest, &n) || rest->n <= n || rest->p[n] != '\0') {
		return false;
	}
	*out = (struct str){ take(rest, (size_t)n + 1), n };
	return true;
}

static bool take_digest(struct str *rest, struct digest *out)
{
	const char *p = take(rest, DIGEST_SIZE);

	if (p) {
		memcpy(out->b, p, DIGEST_SIZE);
	}
	return p != NULL;
}

static bool take_u64(struct str *rest, uint64_t *out)
{
	const char *p = take(rest, 8);

	if (p) {
		*out = le64(p);
	}
	return p != NULL;
}

static bool take_name(struct str *rest, unsigned flags, struct str url, struct str *out)
{
	uint32_t n;

	if (!(flags & NAMED_BY_URL)) {
		return take_text(rest, out);
	}
	if (!take_u32(rest, &n) || n > url.n) {
		return false;
	}
	*out = str_skip(url, url.n - n);
	return true;
}

static bool take_link(struct str *rest, struct index_file *link)
{
	const char *p = take(rest, 1);
	unsigned flags = p ? (unsigned char)*p : 0;
	struct str url;

	link->has_sha256 = flags & HAS_SHA256;
	link->has_metadata_sha256 = flags & HAS_METADATA_SHA256;
	link->has_size = flags & HAS_SIZE;
	link->is_yanked = flags & IS_YANKED;
	link->has_metadata = flags & HAS_METADATA;
	link->is_torch_free = flags & IS_TORCH_FREE;
	if (!p || (link->has_sha256 && !take_digest(rest, &link->sha256)) ||
		(link->has_metadata_sha256 && !take_digest(rest, &link->metadata_sha256)) ||
		(link->has_size && !take_u64(rest, &link->size)) || !take_text(rest, &url) ||
		!take_name(rest, flags, url, &link->name.file) ||
		(!(flags & SAME_PYTHON) && !take_text(rest, &link->requires_python)) ||
		(link->is_yanked && !take_text(rest, &link->yanked))) {
		return false;
	}
	link->url = url.p;
	return true;
}

bool index_kept_read(struct str kept, struct index_page *out)
{
	struct index_page page = INDEX_PAGE_INIT;
	uint32_t nlinks, nunreadable;
	struct str python = STR_NULL;

	if (!str_starts(kept, layout)) {
		return false;
	}
	kept = str_skip(kept, sizeof(layout) - 1);
	if (!take_u32(&kept, &nlinks) || !take_u32(&kept, &nunreadable) ||
		nlinks > kept.n / LINK_MIN) {
		return false;
	}
	page.is_index = true;
	page.nunreadable = nunreadable;
	page.links.v = mem_array(nlinks, sizeof(*page.links.v));
	page.links.cap = nlinks;
	for (; page.links.n < nlinks; page.links.n++) {
		struct index_file *link = &page.links.v[page.links.n];

		link->requires_python = python;
		if (!take_link(&kept, link)) {
			break;
		}
		python = link->requires_python;
	}
	if (page.links.n < nlinks || kept.n) {
		index_page_release(&page);
		return false;
	}
	*out = page;
	return true;
}

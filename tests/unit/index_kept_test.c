#include "bundle/index_kept.h"
#include "tests/unit/unit.h"

#include <string.h>

#define HEX "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void add(struct index_page *page, const char *url, const char *file)
{
	vec_push(&page->links, (struct index_file){ .url = url, .name = { .file = str_of(file) } });
}

/* One link for each thing that may be known of a file, and one of which everything is. */
static struct index_page make_page(void)
{
	struct index_page page = { .is_index = true, .nunreadable = 7 };
	struct err e = ERR_INIT;
	struct index_file *f;

	add(&page, "https://host/f/x-1.zip", "x-1.zip");
	add(&page, "https://host/f/x-2%2Bc.zip?raw=1", "x-2+c.zip");
	page.links.v[1].requires_python = STR(">=3.8");
	add(&page, "https://host/f/x-3.zip", "x-3.zip");
	page.links.v[2].requires_python = STR(">=3.8");
	page.links.v[2].is_yanked = true;
	add(&page, "https://host/f/x-4.zip", "x-4.zip");
	page.links.v[3].is_torch_free = page.links.v[3].has_metadata = true;
	add(&page, "https://host/f/x-5.zip", "x-5.zip");
	page.links.v[4].has_size = true;
	add(&page, "https://host/f/x-6.zip", "x-6.zip");
	f = &page.links.v[5];
	*f = (struct index_file){ .name = f->name,
		.url = f->url,
		.requires_python = STR("<4"),
		.has_sha256 = true,
		.has_size = true,
		.size = UINT64_MAX - 1,
		.is_yanked = true,
		.yanked = STR("bad\nwheel"),
		.has_metadata = true,
		.has_metadata_sha256 = true };
	ck_assert_int_eq(digest_parse(STR(HEX), &f->sha256, &e), 0);
	f->metadata_sha256 = f->sha256;
	f->metadata_sha256.b[0] ^= 0xff;
	return page;
}

static bool is_same(const struct index_file *x, const struct index_file *y)
{
	return strcmp(x->url, y->url) == 0 && str_eq(x->name.file, y->name.file) &&
	       x->has_sha256 == y->has_sha256 && digest_eq(&x->sha256, &y->sha256) &&
	       x->has_size == y->has_size && x->size == y->size &&
	       str_eq(x->requires_python, y->requires_python) && x->is_yanked == y->is_yanked &&
	       str_eq(x->yanked, y->yanked) && x->has_metadata == y->has_metadata &&
	       x->has_metadata_sha256 == y->has_metadata_sha256 &&
	       digest_eq(&x->metadata_sha256, &y->metadata_sha256) &&
	       x->is_torch_free == y->is_torch_free;
}

UNIT(index_kept_round_trip)
{
	struct index_page page = make_page(), back;
	CLEANUP_BUF struct buf kept = BUF_INIT;

	index_kept_write(&page, &kept);
	ck_assert(index_kept_read(buf_str(&kept), &back));
	ck_assert(back.is_index && back.nunreadable == 7);
	ck_assert_uint_eq(back.links.n, page.links.n);
	for (size_t i = 0; i < page.links.n; i++) {
		ck_assert_msg(is_same(&back.links.v[i], &page.links.v[i]), "link %zu", i);
	}
	index_page_release(&back);
	index_page_release(&page);
}

UNIT(index_kept_page_without_links)
{
	struct index_page page = { .nunreadable = 1 }, back;
	CLEANUP_BUF struct buf kept = BUF_INIT;

	index_kept_write(&page, &kept);
	ck_assert(index_kept_read(buf_str(&kept), &back));
	ck_assert(back.links.n == 0 && back.nunreadable == 1);
	index_page_release(&back);
}

/* In a piece of memory that is no longer than the text, so that a byte too many is seen. */
static bool is_read(const char *bytes, size_t n)
{
	CLEANUP(free) char *exact = mem_array(n, 1);
	struct index_page back;

	if (n) {
		memcpy(exact, bytes, n);
	}
	bool is_page = index_kept_read((struct str){ exact, n }, &back);
	if (is_page) {
		index_page_release(&back);
	}
	return is_page;
}

UNIT(index_kept_refuses_damage)
{
	struct index_page page = make_page();
	CLEANUP_BUF struct buf kept = BUF_INIT;

	index_kept_write(&page, &kept);
	ck_assert(is_read(kept.p, kept.n));
	for (size_t n = 0; n < kept.n; n++) {
		ck_assert_msg(!is_read(kept.p, n), "cut to %zu of %zu bytes", n, kept.n);
	}
	for (size_t at = 0; at < kept.n; at++) { /* whatever it reads, it stays within the bytes */
		for (int bit = 0; bit < 8; bit++) {
			kept.p[at] = (char)(kept.p[at] ^ 1 << bit);
			bool is_page = is_read(kept.p, kept.n);
			kept.p[at] = (char)(kept.p[at] ^ 1 << bit);
			ck_assert_msg(at >= 12 || !is_page, "bit %d of byte %zu", bit, at);
		}
	}
	buf_addc(&kept, '\0');
	ck_assert(!is_read(kept.p, kept.n));
	ck_assert(!is_read("{\"meta\":{\"api-version\":\"1.1\"}}", 31));
	index_page_release(&page);
}

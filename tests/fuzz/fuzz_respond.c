/* Requests from anybody, against a small catalogue. The input is lines: method, target, Host,
 * Accept, Range, If-Range, If-None-Match; a missing line is a missing header. */
#include "mirror/respond.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_so)
{
	if (!is_so) {
		abort();
	}
}

static struct store_file make_file(
	const char *file, const char *name, const char *version, int byte)
{
	struct store_file f = { .use = USE_RUN, .is_listed = true, .is_current = true };

	memset(f.file.sha256.b, byte, DIGEST_SIZE);
	f.file.size = 1000;
	f.file.file = str_of(file);
	f.file.name = str_of(name);
	f.file.version = str_of(version);
	f.file.kind = str_ends(f.file.file, ".whl") ? DIST_WHEEL : DIST_SDIST;
	f.file.local_mismatch = str_find(f.file.file, '+') < f.file.file.n;
	f.file.metadata_size = f.file.kind == DIST_WHEEL ? 70 : 0;
	memset(f.file.metadata_sha256.b, byte + 1, DIGEST_SIZE);
	return f;
}

static const struct site *small_site(void)
{
	static struct site *site;
	struct store_view v = STORE_VIEW_INIT;

	if (site) {
		return site;
	}
	v.targets = arena_array(&v.arena, 1, sizeof(*v.targets));
	v.ntargets = 1;
	struct store_target *t = v.targets;
	t->target = (struct target){ .name = STR("h100"),
		.python = { .major = 3, .minor = 12 },
		.platform = STR("linux_x86_64"),
		.os = TARGET_LINUX,
		.cxx11_abi = -1 };
	t->files = arena_array(&v.arena, 3, sizeof(*t->files));
	t->nfiles = 3;
	t->files[0] = make_file("a-1-py3-none-any.whl", "a", "1", 0x11);
	t->files[1] = make_file("a-1.tar.gz", "a", "1", 0x22);
	t->files[2] = make_file("x_y-1+cu12-py3-none-any.whl", "x-y", "1", 0x33);
	site = site_build(&v);
	return site;
}

/* What every answer must keep, whatever was asked. */
static void check(const struct response *r)
{
	require(r->status >= 200 && r->status < 500);
	require(r->nheaders > 0 && r->nheaders < RESPONSE_HEADERS_MAX);
	for (size_t i = 0; i < r->nheaders; i++) {
		for (const char *p = r->headers[i].value; *p; p++) {
			require(*p >= ' ' &&
				*p < 0x7f); /* no header can be smuggled into the answer */
		}
	}
	if (r->is_object) {
		require(r->length > 0 && r->offset + r->length <= r->total);
		require(r->status == 206 || r->length == r->total);
	} else if (r->page) {
		require(r->length == (r->status == 304 ? 0 : r->page->body.n));
	} else {
		require(r->length == r->made.n);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str rest = { (const char *)data, size };
	struct request q = { .naccept = 0 };
	struct metrics metrics = { .reloads = 0 };
	const struct respond_setting setting = { .metrics = &metrics };
	struct response r;

	str_cut(&rest, '\n', &q.method);
	str_cut(&rest, '\n', &q.target);
	q.nhosts = str_cut(&rest, '\n', &q.host);
	q.naccept = str_cut(&rest, '\n', &q.accept[0]);
	q.nranges = str_cut(&rest, '\n', &q.range);
	str_cut(&rest, '\n', &q.if_range);
	str_cut(&rest, '\n', &q.if_none_match);
	respond(small_site(), &setting, &q, &r);
	check(&r);
	response_release(&r);
	return 0;
}

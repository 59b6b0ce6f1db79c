#include "verify/bundle_private.h"

#include <string.h>

static const char zeros[TAR_BLOCK];

static int read_header(struct verified *v, struct err *e)
{
	char blocks[TAR_HEADER_MAX];
	size_t have = TAR_BLOCK, more;

	int r = zstd_in_exact(v->in, blocks, have, e);
	r = r ? r : tar_read_header((struct str){ blocks, have }, &more, &v->member, e);
	if (!r && more) {
		r = zstd_in_exact(v->in, blocks + have, more, e);
		have += more;
		r = r ? r : tar_read_header((struct str){ blocks, have }, &more, &v->member, e);
	}
	if (r) {
		return r;
	}
	v->metadata_size += v->member.is_end ? 0 : have;
	if (!v->member.is_end && v->has_time && v->member.mtime != v->time) {
		return err_set(e, RC_BUNDLE_MEMBER, "member %.*s: its time is not the bundle's",
			STR_ARG(v->member.path));
	}
	if (!v->member.is_end && !v->has_time) {
		v->has_time = true;
		v->time = v->member.mtime;
	}
	return 0;
}

int bundle_peek(struct verified *v, struct err *e)
{
	int r = v->has_member ? 0 : read_header(v, e);

	if (!r) {
		v->has_member = true;
	}
	return r;
}

bool bundle_next_is(const struct verified *v, const char *name)
{
	return !v->member.is_end && str_is(v->member.path, name);
}

int bundle_check_padding(struct verified *v, struct err *e)
{
	char bytes[TAR_BLOCK];
	size_t n = (size_t)tar_padding(v->member.size);
	int r = zstd_in_exact(v->in, bytes, n, e);

	if (r || memcmp(bytes, zeros, n) == 0) {
		return r;
	}
	return err_set(e, RC_BUNDLE_MEMBER, "member %.*s: bytes stand in its padding", STR_ARG(v->member.path));
}

int bundle_take_text(struct verified *v, uint64_t max, struct str *out, struct err *e)
{
	if (v->member.size > max) {
		return err_set(e, RC_BUNDLE_MEMBER, "member %.*s: %llu bytes, at most %llu are allowed",
			STR_ARG(v->member.path), (unsigned long long)v->member.size,
			(unsigned long long)max);
	}
	struct str text = { NULL, (size_t)v->member.size };
	char *room = arena_alloc(&v->arena, text.n + 1);
	text.p = room;
	int r = zstd_in_exact(v->in, room, text.n, e);
	r = r ? r : bundle_check_padding(v, e);
	if (!r) {
		v->metadata_size += text.n + tar_padding(text.n);
		v->has_member = false;
		*out = text;
	}
	return r;
}

void bundle_keep_text(struct verified *v, const char *name, struct str text)
{
	struct bundle_text t = { .name = arena_dup(&v->arena, str_of(name)), .text = text };

	hash_bytes(text, &t.sha256);
	vec_push(&v->texts, t);
}

/* ---- a member that stands where another should ---- */

static size_t listed_at(const struct verified *v, struct str path)
{
	struct arena a = ARENA_INIT;
	size_t i = 0;

	while (i < v->manifest.nfiles && !str_is(path, manifest_member(&a, &v->manifest.files[i]))) {
		i++;
	}
	arena_release(&a);
	return i;
}

bool bundle_has_taken(const struct verified *v, struct str path)
{
	vec_each(struct bundle_text, t, &v->texts) {
		if (str_is(path, t->name)) {
			return true;
		}
	}
	return listed_at(v, path) < v->next_file;
}

bool bundle_knows(struct verified *v, struct str path)
{
	char **later;
	size_t n = bundle_later_names(&v->arena, &v->manifest, &later);
	bool known = str_is(path, MEMBER_MANIFEST) || str_is(path, MEMBER_SUMS) || str_ends(path, ".minisig") ||
		     listed_at(v, path) < v->manifest.nfiles;

	for (size_t i = 0; i < n; i++) {
		known |= str_is(path, later[i]);
	}
	return known;
}

int bundle_out_of_place(struct verified *v, const char *expected, struct err *e)
{
	struct str path = v->member.path;
	bool is_again = !v->member.is_end && bundle_has_taken(v, path);

	if (v->member.is_end) {
		return err_set(e, RC_BUNDLE_MISSING, "member %s is missing", expected);
	}
	if (is_again || !expected || !bundle_knows(v, path)) {
		return err_set(e, RC_BUNDLE_EXTRA, "member %.*s %s", STR_ARG(path),
			is_again ? "stands there twice" : "is not in the manifest");
	}
	return err_set(e, RC_BUNDLE_MISSING, "member %s is missing: %.*s stands in its place", expected,
		STR_ARG(path));
}

int bundle_take_named(struct verified *v, const char *name, uint64_t max, struct str *out, struct err *e)
{
	int r = bundle_peek(v, e);

	if (r) {
		return r;
	}
	return bundle_next_is(v, name) ? bundle_take_text(v, max, out, e) : bundle_out_of_place(v, name, e);
}

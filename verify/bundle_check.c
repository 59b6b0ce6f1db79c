#include "verify/bundle_check.h"
#include "manifests/bundle_format.h"
#include "manifests/limits.h"
#include "manifests/tar.h"
#include "verify/hash.h"
#include "verify/zstd_in.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct verified {
	struct arena arena;
	const char *name;
	struct zstd_in *in;
	struct hash *hash;
	const struct trust *trust;
	const struct trust_key *signer;
	struct manifest manifest;
	struct digest manifest_sha256;
	struct str manifest_bytes, signature_bytes;
	struct bundle_texts texts; /* members before the files, without SHA256SUMS and its signatures */
	struct tar_member member;  /* the header that was read last */
	bool has_member;           /* ... and whose contents were not taken yet */
	bool has_time;
	uint64_t time;
	size_t next_file; /* index of the file that verified_next announces next */
};

static const char zeros[TAR_BLOCK];

/* ---- members ---- */

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

/* The header of the member that comes next, without taking it. */
static int peek(struct verified *v, struct err *e)
{
	int r = v->has_member ? 0 : read_header(v, e);

	if (!r) {
		v->has_member = true;
	}
	return r;
}

static bool next_is(const struct verified *v, const char *name)
{
	return !v->member.is_end && str_is(v->member.path, name);
}

static int check_padding(struct verified *v, struct err *e)
{
	char bytes[TAR_BLOCK];
	size_t n = (size_t)tar_padding(v->member.size);
	int r = zstd_in_exact(v->in, bytes, n, e);

	if (r || memcmp(bytes, zeros, n) == 0) {
		return r;
	}
	return err_set(e, RC_BUNDLE_MEMBER, "member %.*s: bytes stand in its padding", STR_ARG(v->member.path));
}

/* Takes the announced member's text whole; the caller has checked its name. */
static int take_text(struct verified *v, uint64_t max, struct str *out, struct err *e)
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
	r = r ? r : check_padding(v, e);
	if (!r) {
		v->has_member = false;
		*out = text;
	}
	return r;
}

static void keep_text(struct verified *v, const char *name, struct str text)
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

static bool was_taken(const struct verified *v, struct str path)
{
	vec_each(struct bundle_text, t, &v->texts) {
		if (str_is(path, t->name)) {
			return true;
		}
	}
	return listed_at(v, path) < v->next_file;
}

/* Is it a name that this bundle may have? Until the manifest is read, one that every bundle has. */
static bool is_known(struct verified *v, struct str path)
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

/* `expected`: NULL where nothing should follow. */
static int out_of_place(struct verified *v, const char *expected, struct err *e)
{
	struct str path = v->member.path;
	bool is_again = !v->member.is_end && was_taken(v, path);

	if (v->member.is_end) {
		return err_set(e, RC_BUNDLE_MISSING, "member %s is missing", expected);
	}
	if (is_again || !expected || !is_known(v, path)) {
		return err_set(e, RC_BUNDLE_EXTRA, "member %.*s %s", STR_ARG(path),
			is_again ? "stands there twice" : "is not in the manifest");
	}
	return err_set(e, RC_BUNDLE_MISSING, "member %s is missing: %.*s stands in its place", expected,
		STR_ARG(path));
}

static int take_named(struct verified *v, const char *name, uint64_t max, struct str *out, struct err *e)
{
	int r = peek(v, e);

	if (r) {
		return r;
	}
	return next_is(v, name) ? take_text(v, max, out, e) : out_of_place(v, name, e);
}

/* ---- signatures ---- */

struct signatures {
	struct str text[LIMIT_SIGNATURES];
	struct signature v[LIMIT_SIGNATURES];
	size_t n;
};

static int take_signatures(struct verified *v, const char *document, bool keep, struct signatures *out,
	struct err *e)
{
	out->n = 0;
	for (;;) {
		char *name = bundle_signature_name(&v->arena, document, out->n);
		int r = peek(v, e);

		if (r || !next_is(v, name)) {
			bool is_other = was_taken(v, v->member.path) || !is_known(v, v->member.path);

			return !r && !out->n && is_other && !v->member.is_end ? out_of_place(v, name, e) : r;
		}
		if (out->n == LIMIT_SIGNATURES) {
			return err_set(e, RC_BUNDLE_EXTRA, "%s: more than %d signatures", document,
				LIMIT_SIGNATURES);
		}
		r = take_text(v, LIMIT_SIGNATURE, &out->text[out->n], e);
		r = r ? r : signature_parse(out->text[out->n], name, &out->v[out->n], e);
		if (r) {
			return r;
		}
		if (keep) {
			keep_text(v, name, out->text[out->n]);
		}
		out->n++;
	}
}

static int check_comment(struct verified *v, const char *what, const struct digest *document,
	const struct signature *s, struct err *e)
{
	const char *expected = manifest_trusted_comment(&v->arena, &v->manifest, what, document);

	if (!str_is(s->trusted_comment, expected)) {
		return err_set(e, RC_BUNDLE_SIGNATURE,
			"the signature of the %s was made for another document: \"%.*s\"", what,
			STR_ARG(str_first(s->trusted_comment, 200)));
	}
	return 0;
}

static int take_manifest(struct verified *v, struct err *e)
{
	struct signatures sigs;
	size_t which = 0;
	int r = take_named(v, MEMBER_MANIFEST, LIMIT_MANIFEST, &v->manifest_bytes, e);

	if (r) {
		return r;
	}
	keep_text(v, MEMBER_MANIFEST, v->manifest_bytes);
	v->manifest_sha256 = v->texts.v[v->texts.n - 1].sha256;
	r = take_signatures(v, MEMBER_MANIFEST, true, &sigs, e);
	/* Nothing of the manifest is read before a trusted key vouches for these very bytes. */
	r = r ? r : trust_check(v->trust, v->manifest_bytes, sigs.v, sigs.n, &v->signer, &which, e);
	if (r) {
		return r;
	}
	v->signature_bytes = sigs.text[which];
	r = manifest_read(v->manifest_bytes, &v->manifest, e);
	return r ? err_wrap(e, MEMBER_MANIFEST)
		 : check_comment(v, "manifest", &v->manifest_sha256, &sigs.v[which], e);
}

static int check_time(const struct verified *v, uint64_t now, struct err *e)
{
	const struct manifest *m = &v->manifest;

	if (v->time != m->created) {
		return err_set(e, RC_BUNDLE_MEMBER, "the members' time is not the manifest's");
	}
	if (m->expires && now > m->expires) {
		return err_set(e, RC_BUNDLE_EXPIRED, "channel %.*s, serial %llu: expired %llu days ago",
			STR_ARG(m->channel), (unsigned long long)m->serial,
			(unsigned long long)((now - m->expires) / 86400));
	}
	return 0;
}

/* ---- the list of sums ---- */

static int differing_line(struct str ours, struct str theirs, struct err *e)
{
	struct str a = STR_NULL, b = STR_NULL;

	while (str_cut(&ours, '\n', &a) && str_cut(&theirs, '\n', &b) && str_eq(a, b)) {
	}
	return err_set(e, RC_BUNDLE_HASH, MEMBER_SUMS ": \"%.*s\" should be \"%.*s\"",
		STR_ARG(str_first(b, 200)), STR_ARG(str_first(a, 200)));
}

static int check_sums(struct verified *v, struct str sums, struct err *e)
{
	CLEANUP_BUF struct buf ours = BUF_INIT;

	bundle_sums(&v->texts, &v->manifest, &ours);
	return str_eq(buf_str(&ours), sums) ? 0 : differing_line(buf_str(&ours), sums, e);
}

static int take_sums_and_texts(struct verified *v, struct err *e)
{
	struct signatures sigs;
	const struct trust_key *who;
	struct digest digest;
	struct str sums, text;
	size_t which = 0;
	char **names;
	int r = take_named(v, MEMBER_SUMS, LIMIT_SUMS, &sums, e);

	r = r ? r : take_signatures(v, MEMBER_SUMS, false, &sigs, e);
	r = r ? r : trust_check(v->trust, sums, sigs.v, sigs.n, &who, &which, e);
	if (r) {
		return r;
	}
	hash_bytes(sums, &digest);
	r = check_comment(v, "sums", &digest, &sigs.v[which], e);
	size_t n = r ? 0 : bundle_later_names(&v->arena, &v->manifest, &names);
	for (size_t i = 0; i < n; i++) {
		bool is_sbom = i + 1 == n;

		r = take_named(v, names[i], is_sbom ? LIMIT_MANIFEST : LIMIT_MEMBER_TEXT, &text, e);
		if (r) {
			return r;
		}
		keep_text(v, names[i], text);
	}
	return r ? r : check_sums(v, sums, e);
}

/* ---- the walk ---- */

static int open_metadata(struct verified *v, uint64_t now, struct err *e)
{
	struct str type;
	int r = peek(v, e);

	if (!r && !next_is(v, MEMBER_TYPE)) {
		return err_set(e, RC_BUNDLE_NOT, "not a bundle: it does not begin with " MEMBER_TYPE);
	}
	r = r ? r : take_text(v, 4096, &type, e);
	if (!r && !str_is(type, BUNDLE_TYPE_TEXT)) {
		r = err_set(e, RC_BUNDLE_SPEC, MEMBER_TYPE ": not of a spec that this version reads");
		err_hint(e, "a newer gpkg-bundle is needed on this side");
	}
	if (r) {
		return r;
	}
	keep_text(v, MEMBER_TYPE, type);
	r = take_manifest(v, e);
	r = r ? r : check_time(v, now, e);
	return r ? r : take_sums_and_texts(v, e);
}

int verified_open(int fd, const char *name, const struct trust *trust, uint64_t now,
	struct verified **out, struct err *e)
{
	struct verified *v = mem_alloc(sizeof(*v));

	v->name = name;
	v->trust = trust;
	v->hash = hash_new();
	int r = zstd_in_open(fd, name, &v->in, e);
	r = r ? r : open_metadata(v, now, e);
	if (r) {
		verified_close(v);
		return err_wrap(e, "%s", name);
	}
	*out = v;
	return 0;
}

void verified_close(struct verified *v)
{
	if (!v) {
		return;
	}
	zstd_in_close(v->in);
	hash_free(v->hash);
	manifest_release(&v->manifest);
	vec_release(&v->texts);
	arena_release(&v->arena);
	free(v);
}

void cleanup_verified(struct verified **v)
{
	verified_close(*v);
}

const struct manifest *verified_manifest(const struct verified *v)
{
	return &v->manifest;
}

const struct digest *verified_manifest_sha256(const struct verified *v)
{
	return &v->manifest_sha256;
}

struct str verified_manifest_bytes(const struct verified *v)
{
	return v->manifest_bytes;
}

struct str verified_signature_bytes(const struct verified *v)
{
	return v->signature_bytes;
}

const struct trust_key *verified_signer(const struct verified *v)
{
	return v->signer;
}

struct str verified_text(const struct verified *v, const char *member)
{
	vec_each(struct bundle_text, t, &v->texts) {
		if (strcmp(t->name, member) == 0) {
			return t->text;
		}
	}
	return STR_NULL;
}

int verified_next(struct verified *v, const struct manifest_file **file, struct err *e)
{
	if (v->next_file == v->manifest.nfiles) {
		return 0;
	}
	const struct manifest_file *f = &v->manifest.files[v->next_file];
	const char *name = manifest_member(&v->arena, f);
	int r = peek(v, e);
	r = !r && !next_is(v, name) ? out_of_place(v, name, e) : r;
	if (!r && v->member.size != f->size) {
		r = err_set(e, RC_BUNDLE_HASH, "member %s: %llu bytes, the manifest says %llu", name,
			(unsigned long long)v->member.size, (unsigned long long)f->size);
	}
	if (r) {
		return err_wrap(e, "%s", v->name);
	}
	*file = f;
	return 1;
}

static int copy_bytes(struct verified *v, uint64_t size,
	int (*take)(void *context, const void *bytes, size_t n, struct err *e), void *context, struct err *e)
{
	while (size) {
		struct str piece;
		int r = zstd_in_piece(v->in, size < SIZE_MAX ? (size_t)size : SIZE_MAX, &piece, e);

		if (!r && piece.n == 0) {
			r = err_set(e, RC_BUNDLE_CUT, "the bundle ends too early: the copy is not complete");
		}
		if (r) {
			return r;
		}
		hash_add(v->hash, piece.p, piece.n);
		r = take ? take(context, piece.p, piece.n, e) : 0;
		if (r) {
			return r;
		}
		size -= piece.n;
	}
	return 0;
}

int verified_copy(struct verified *v, int (*take)(void *context, const void *bytes, size_t n, struct err *e),
	void *context, struct err *e)
{
	const struct manifest_file *f = &v->manifest.files[v->next_file];
	struct digest found;
	char hex[DIGEST_HEX + 1];
	int r = copy_bytes(v, f->size, take, context, e);

	r = r ? r : check_padding(v, e);
	if (!r) {
		hash_final(v->hash, &found);
		if (!digest_eq(&found, &f->sha256)) {
			r = err_set(e, RC_BUNDLE_HASH, "%.*s: its sha256 is %s, not the manifest's",
				STR_ARG(f->file), digest_hex(&found, hex));
		}
	}
	if (r) {
		return err_wrap(e, "%s", v->name);
	}
	v->has_member = false;
	v->next_file++;
	return 0;
}

int verified_finish(struct verified *v, struct err *e)
{
	char block[TAR_BLOCK];
	struct str rest = STR_NULL;
	int r = peek(v, e);

	r = !r && !v->member.is_end ? out_of_place(v, NULL, e) : r;
	r = r ? r : zstd_in_exact(v->in, block, sizeof(block), e);
	if (!r && memcmp(block, zeros, sizeof(block)) != 0) {
		r = err_set(e, RC_BUNDLE_TRAILING, "bytes stand in its end marker");
	}
	r = r ? r : zstd_in_piece(v->in, SIZE_MAX, &rest, e);
	if (!r && rest.n) {
		r = err_set(e, RC_BUNDLE_TRAILING, "bytes follow its end marker");
	}
	if (r) {
		return err_wrap(e, "%s", v->name);
	}
	return 0;
}

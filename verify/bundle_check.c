#include "verify/bundle_private.h"

#include <stdlib.h>
#include <string.h>

static const char zeros[TAR_BLOCK];

/* A flipped bit can look like a forged signature or a newer format; the frame's checksum knows better. */
static void prefer_damage(struct zstd_in *in, struct err *e)
{
	struct err damage = ERR_INIT;

	if (e->rc != RC_BUNDLE_NOT && e->rc != RC_BUNDLE_CUT && zstd_in_end_frame(in, &damage) &&
		damage.rc == RC_BUNDLE_DAMAGED) {
		*e = damage;
	}
}

int verified_open(int fd, const char *name, const struct trust *trust, uint64_t now,
	struct verified **out, struct err *e)
{
	struct verified *v = mem_alloc(sizeof(*v));

	v->name = name;
	v->trust = trust;
	v->hash = hash_new();
	v->in = zstd_in_open(fd);
	int r = bundle_take_metadata(v, now, e);
	if (r) {
		prefer_damage(v->in, e);
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
	int r = bundle_peek(v, e);
	r = !r && !bundle_next_is(v, name) ? bundle_out_of_place(v, name, e) : r;
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

	r = r ? r : bundle_check_padding(v, e);
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
	int r = bundle_peek(v, e);

	r = !r && !v->member.is_end ? bundle_out_of_place(v, NULL, e) : r;
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

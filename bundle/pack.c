#include "bundle/pack.h"
#include "bundle/zstd_out.h"
#include "manifests/base/fs.h"
#include "manifests/base/mem.h"
#include "manifests/limits.h"
#include "manifests/tar.h"
#include "verify/hash.h"
#include "verify/sign.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 1 << 20 };

static const char zeros[TAR_END];

/* ---- metadata: one frame ---- */

static void put_member(struct buf *tar, const struct manifest *m, const char *name, struct str text)
{
	tar_put_header(tar, str_of(name), text.n, m->created);
	buf_addstr(tar, text);
	buf_add(tar, zeros, (size_t)tar_padding(text.n));
}

static void add_text(struct bundle_texts *texts, const char *name, struct str text)
{
	struct bundle_text t = { .name = name, .text = text };

	hash_bytes(text, &t.sha256);
	vec_push(texts, t);
}

/* Signs a document; the .minisig is `out`. */
static int sign(const struct pack *p, const char *what, const char *name, struct str document,
	struct buf *out, struct err *e)
{
	struct arena a = ARENA_INIT;
	struct digest digest;

	hash_bytes(document, &digest);
	const char *comment = manifest_trusted_comment(&a, p->manifest, what, &digest);
	int r = sign_message(p->key, document, arena_printf(&a, "signature of a gpkg-bundle's %s", name),
		comment, out, e);
	arena_release(&a);
	return r;
}

struct metadata {
	struct buf manifest, manifest_sig, sums, sums_sig;
	struct bundle_texts texts;
};

static void metadata_release(struct metadata *md)
{
	buf_release(&md->manifest);
	buf_release(&md->manifest_sig);
	buf_release(&md->sums);
	buf_release(&md->sums_sig);
	vec_release(&md->texts);
}

static int make_metadata(const struct pack *p, struct metadata *md, struct err *e)
{
	struct manifest again = MANIFEST_INIT;

	/* What the far side would refuse must not cross: it is read here as it will be there. */
	manifest_write(p->manifest, &md->manifest);
	int r = manifest_read(buf_str(&md->manifest), &again, e);
	manifest_release(&again);
	if (r) {
		err_wrap(e, MEMBER_MANIFEST);
		return err_recode(e, RC_LIMIT);
	}
	r = sign(p, "manifest", MEMBER_MANIFEST, buf_str(&md->manifest), &md->manifest_sig, e);
	if (r) {
		return r;
	}
	add_text(&md->texts, MEMBER_TYPE, STR(BUNDLE_TYPE_TEXT));
	add_text(&md->texts, MEMBER_MANIFEST, buf_str(&md->manifest));
	add_text(&md->texts, MEMBER_MANIFEST ".minisig", buf_str(&md->manifest_sig));
	vec_each(const struct bundle_text, t, &p->later) {
		add_text(&md->texts, t->name, t->text);
	}
	bundle_sums(&md->texts, p->manifest, &md->sums);
	return sign(p, "sums", MEMBER_SUMS, buf_str(&md->sums), &md->sums_sig, e);
}

static int write_metadata(const struct pack *p, struct zstd_out *z, struct err *e)
{
	CLEANUP_BUF struct buf tar = BUF_INIT;
	struct metadata md = { .texts = { .v = NULL } };
	const struct manifest *m = p->manifest;
	int r = make_metadata(p, &md, e);

	if (!r) {
		const size_t before_sums = 3; /* type, manifest, its signature */

		for (size_t i = 0; i < before_sums; i++) {
			put_member(&tar, m, md.texts.v[i].name, md.texts.v[i].text);
		}
		put_member(&tar, m, MEMBER_SUMS, buf_str(&md.sums));
		put_member(&tar, m, MEMBER_SUMS ".minisig", buf_str(&md.sums_sig));
		for (size_t i = before_sums; i < md.texts.n; i++) {
			put_member(&tar, m, md.texts.v[i].name, md.texts.v[i].text);
		}
		r = zstd_out_begin(z, tar.n, e);
		r = r ? r : zstd_out_add(z, tar.p, tar.n, e);
	}
	metadata_release(&md);
	return r;
}

/* ---- files: a frame each ---- */

/* Fills the chunk unless the file ends: short reads must not show in the output. */
static int read_chunk(int fd, char *chunk, size_t *n, const char *name, struct err *e)
{
	*n = 0;
	while (*n < CHUNK) {
		ssize_t got = read(fd, chunk + *n, CHUNK - *n);

		if (got < 0 && errno == EINTR) {
			continue;
		}
		if (got < 0) {
			return err_sys(e, "%s: cannot read", name);
		}
		if (got == 0) {
			break;
		}
		*n += (size_t)got;
	}
	return 0;
}

static int damaged_entry(const struct manifest_file *f, struct err *e)
{
	return err_set(e, RC_HASH, "%.*s: the cached copy differs from its sha256", STR_ARG(f->file));
}

static int copy_file(int fd, const struct manifest_file *f, char *chunk, struct zstd_out *z,
	struct log_progress *progress, struct err *e)
{
	CLEANUP_HASH struct hash *hash = hash_new();
	struct digest found;
	uint64_t left = f->size;
	size_t n = 0;

	while (left) {
		int r = read_chunk(fd, chunk, &n, "cache", e);

		if (!r && (n == 0 || n > left)) {
			return damaged_entry(f, e);
		}
		if (r) {
			return r;
		}
		hash_add(hash, chunk, n);
		left -= n;
		r = zstd_out_add(z, chunk, n, e);
		if (r) {
			return r;
		}
		log_progress_add(progress, n);
	}
	hash_final(hash, &found);
	return digest_eq(&found, &f->sha256) ? 0 : damaged_entry(f, e);
}

static int write_file(const struct pack *p, const struct manifest_file *f, char *chunk, struct zstd_out *z,
	struct log_progress *progress, struct err *e)
{
	struct arena a = ARENA_INIT;
	CLEANUP_BUF struct buf header = BUF_INIT;
	CLEANUP(fd) int fd = -1;
	uint64_t size = 0, padding = tar_padding(f->size);

	tar_put_header(&header, str_of(manifest_member(&a, f)), f->size, p->manifest->created);
	arena_release(&a);
	if (!cache_open_file(p->cache, &f->sha256, &fd, &size) || size != f->size) {
		return damaged_entry(f, e);
	}
	int r = zstd_out_begin(z, header.n + f->size + padding, e);
	r = r ? r : zstd_out_add(z, header.p, header.n, e);
	r = r ? r : copy_file(fd, f, chunk, z, progress, e);
	return r ? r : zstd_out_add(z, zeros, (size_t)padding, e);
}

static int write_all(const struct pack *p, struct zstd_out *z, struct log_progress *progress,
	size_t *damaged, struct err *e)
{
	CLEANUP(free) char *chunk = mem_alloc(CHUNK);
	int r = write_metadata(p, z, e);

	for (size_t i = 0; !r && i < p->manifest->nfiles; i++) {
		const struct manifest_file *f = &p->manifest->files[i];

		r = write_file(p, f, chunk, z, progress, e);
		if (r && e->rc == RC_HASH) {
			cache_evict(p->cache, &f->sha256);
			*damaged = i;
		}
	}
	r = r ? r : zstd_out_begin(z, TAR_END, e);
	return r ? r : zstd_out_add(z, zeros, TAR_END, e);
}

int pack_bundle(const struct pack *p, const char *path, struct log_progress *progress, size_t *damaged,
	struct err *e)
{
	struct fs_new file = FS_NEW_INIT;
	char size[24];
	int r = fs_new_open(&file, path, 0644, e);

	if (!r) {
		struct zstd_out *z = zstd_out_new(file.fd, path);

		r = write_all(p, z, progress, damaged, e);
		zstd_out_free(z);
	}
	r = r ? r : fs_new_commit(&file, e);
	fs_new_release(&file);
	if (r && e->rc == RC_NO_SPACE) {
		err_hint(e, "the bundle needs %s there; nothing was left behind",
			log_size(manifest_total(p->manifest), size));
	}
	return r;
}

#include "verify/bundle_parallel.h"
#include "manifests/zstd_frame.h"
#include "verify/bundle_private.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { THREADS_MAX = 16 };

struct run {
	const struct verified *v;
	int fd;
	uint64_t *offsets; /* of each file's frame, and of the end marker's */
	atomic_size_t next;
	atomic_bool failed;
	pthread_mutex_t lock;
	void (*count)(void *context, uint64_t bytes);
	void *context;
};

/* Bytes of a frame whose contents are given in pieces, each cut into blocks by itself. */
static uint64_t frame_size(const uint64_t *pieces, size_t n)
{
	uint64_t size = ZSTD_FRAME_HEADER + 4; /* and the checksum */

	for (size_t i = 0; i < n; i++) {
		size += pieces[i] + 3 * ((pieces[i] + ZSTD_FRAME_BLOCK - 1) / ZSTD_FRAME_BLOCK);
	}
	return size;
}

static void put_header(struct buf *out, const struct verified *v, const struct manifest_file *f)
{
	struct arena a = ARENA_INIT;

	tar_put_header(out, str_of(manifest_member(&a, f)), f->size, v->manifest.created);
	arena_release(&a);
}

/* Where every frame begins, as the packer writes them (bundle/pack.c); false where the file is not that long. */
static bool place_frames(struct run *run)
{
	const struct manifest *m = &run->v->manifest;
	uint64_t at = frame_size(&run->v->metadata_size, 1), end = TAR_END;
	struct stat st;

	for (size_t i = 0; i < m->nfiles; i++) {
		CLEANUP_BUF struct buf header = BUF_INIT;

		put_header(&header, run->v, &m->files[i]);
		const uint64_t pieces[] = { header.n, m->files[i].size, tar_padding(m->files[i].size) };
		run->offsets[i] = at;
		at += frame_size(pieces, 3);
	}
	run->offsets[m->nfiles] = at;
	at += frame_size(&end, 1);
	return fstat(run->fd, &st) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_size == at;
}

static bool takes(struct zstd_in *z, struct str expected)
{
	struct err ignored = ERR_INIT;
	char bytes[TAR_HEADER_MAX];

	return expected.n <= sizeof(bytes) && zstd_in_exact(z, bytes, expected.n, &ignored) == 0 &&
	       str_eq((struct str){ bytes, expected.n }, expected);
}

static void tell(struct run *run, uint64_t bytes)
{
	pthread_mutex_lock(&run->lock);
	run->count(run->context, bytes);
	pthread_mutex_unlock(&run->lock);
}

static bool hash_contents(struct run *run, struct zstd_in *z, const struct manifest_file *f, struct hash *hash)
{
	struct err ignored = ERR_INIT;
	struct digest found;
	uint64_t left = f->size, untold = 0;

	while (left) {
		struct str piece;

		if (zstd_in_piece(z, left < SIZE_MAX ? (size_t)left : SIZE_MAX, &piece, &ignored) ||
			piece.n == 0 || atomic_load(&run->failed)) {
			return false;
		}
		hash_add(hash, piece.p, piece.n);
		left -= piece.n;
		untold += piece.n;
		if (untold >= 4 * MIB || left == 0) {
			tell(run, untold);
			untold = 0;
		}
	}
	hash_final(hash, &found);
	return digest_eq(&found, &f->sha256);
}

static bool check_frame(struct run *run, size_t i, struct hash *hash)
{
	static const char zeros[TAR_END];
	const struct manifest *m = &run->v->manifest;
	CLEANUP_BUF struct buf header = BUF_INIT;
	struct zstd_in *z = zstd_in_open_at(run->fd, run->offsets[i]);
	struct err ignored = ERR_INIT;
	bool good;

	if (i == m->nfiles) {
		good = takes(z, (struct str){ zeros, TAR_END });
	} else {
		const struct manifest_file *f = &m->files[i];

		put_header(&header, run->v, f);
		good = takes(z, buf_str(&header)) && hash_contents(run, z, f, hash) &&
		       takes(z, (struct str){ zeros, (size_t)tar_padding(f->size) });
	}
	good = good && zstd_in_end_frame(z, &ignored) == 0;
	zstd_in_close(z);
	return good;
}

static void *work(void *argument)
{
	struct run *run = argument;
	CLEANUP_HASH struct hash *hash = hash_new();

	for (;;) {
		size_t i = atomic_fetch_add(&run->next, 1);

		if (i > run->v->manifest.nfiles || atomic_load(&run->failed)) {
			return NULL;
		}
		if (!check_frame(run, i, hash)) {
			atomic_store(&run->failed, true);
		}
	}
}

/* The metadata's own frame: read again for its checksum alone. */
static bool check_first_frame(int fd)
{
	struct zstd_in *z = zstd_in_open_at(fd, 0);
	struct err ignored = ERR_INIT;
	struct str piece;
	bool good = zstd_in_piece(z, SIZE_MAX, &piece, &ignored) == 0 && zstd_in_end_frame(z, &ignored) == 0;

	zstd_in_close(z);
	return good;
}

bool bundle_check_parallel(const struct verified *v, int fd, unsigned threads,
	void (*count)(void *context, uint64_t bytes), void *context)
{
	struct run run = { .v = v, .fd = fd, .count = count, .context = context };
	pthread_t thread[THREADS_MAX];
	unsigned started = 0;

	run.offsets = mem_array(v->manifest.nfiles + 1, sizeof(*run.offsets));
	if (!place_frames(&run) || !check_first_frame(fd)) {
		free(run.offsets);
		return false;
	}
	pthread_mutex_init(&run.lock, NULL);
	threads = threads < THREADS_MAX ? threads : THREADS_MAX;
	while (started + 1 < threads && pthread_create(&thread[started], NULL, work, &run) == 0) {
		started++;
	}
	work(&run);
	while (started) {
		pthread_join(thread[--started], NULL);
	}
	pthread_mutex_destroy(&run.lock);
	free(run.offsets);
	return !atomic_load(&run.failed);
}

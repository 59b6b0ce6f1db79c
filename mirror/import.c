#include "mirror/import.h"
#include "manifests/base/mem.h"
#include "manifests/limits.h"
#include "verify/wheel_in.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COMPARE_SIZE = 256 << 10 };

/* Where the bytes of one file go. An object that is there already is compared, not written again;
 * from the first byte that differs on it is a damaged one, and a new object takes its place. */
struct intake {
	struct store *store;
	const struct manifest_file *file;
	struct store_object *object; /* being written, or NULL */
	int existing;                /* being compared, or -1 */
	uint64_t done;
	struct log_progress *progress;
	char *scratch; /* COMPARE_SIZE bytes */
};

/* n bytes of the old object into the scratch space; false where it cannot be read that far. */
static bool read_existing(struct intake *in, uint64_t offset, size_t n)
{
	size_t have = 0;

	while (have < n) {
		ssize_t m =
			pread(in->existing, in->scratch + have, n - have, (off_t)(offset + have));

		if (m < 0 && errno == EINTR) {
			continue;
		}
		if (m <= 0) {
			break;
		}
		have += (size_t)m;
	}
	return have == n;
}

/* The bytes before in->done were the same: they are taken over from the old object. */
static int begin_repair(struct intake *in, struct err *e)
{
	int r = store_object_begin(in->store, in->file->size, &in->object, e);

	if (!r) {
		store_object_replace(in->object);
	}
	for (uint64_t at = 0; !r && at < in->done;) {
		size_t n = in->done - at < COMPARE_SIZE ? (size_t)(in->done - at) : COMPARE_SIZE;

		if (!read_existing(in, at, n)) {
			r = err_set(e, RC_IO, "the stored file cannot be read a second time");
		}
		if (!r) {
			r = store_object_add(in->object, in->scratch, n, e);
		}
		at += n;
	}
	close(in->existing);
	in->existing = -1;
	return r;
}

static int compare(struct intake *in, const char *bytes, size_t n, size_t *same, struct err *e)
{
	*same = 0;
	while (*same < n) {
		size_t part = n - *same < COMPARE_SIZE ? n - *same : COMPARE_SIZE;

		if (!read_existing(in, in->done, part) ||
			memcmp(in->scratch, bytes + *same, part) != 0) {
			return begin_repair(in, e);
		}
		*same += part;
		in->done += part;
	}
	return 0;
}

static int take(void *context, const void *bytes, size_t n, struct err *e)
{
	struct intake *in = context;
	size_t same = 0;
	int r = 0;

	log_progress_add(in->progress, n);
	if (in->existing >= 0) {
		r = compare(in, bytes, n, &same, e);
	}
	if (!r && in->object) {
		r = store_object_add(in->object, (const char *)bytes + same, n - same, e);
	}
	in->done += n - same;
	return r;
}

static int begin(struct intake *in, struct err *e)
{
	uint64_t size;

	in->done = 0;
	in->object = NULL;
	in->existing = -1;
	if (store_object_exists(in->store, &in->file->sha256, in->file->size)) {
		return store_object_open(in->store, &in->file->sha256, &in->existing, &size, e);
	}
	return store_object_begin(in->store, in->file->size, &in->object, e);
}

/* METADATA must be what the manifest says it is, and becomes an object: it is served beside the
 * wheel. */
static int take_metadata(struct intake *in, struct err *e)
{
	CLEANUP_WHEEL struct wheel *w = NULL;
	const struct wheel_metadata *metadata = NULL;
	const struct manifest_file *f = in->file;
	struct digest stored;
	int fd = in->object ? store_object_fd(in->object) : in->existing;

	if (f->kind != DIST_WHEEL) {
		return 0;
	}
	int r = wheel_open_fd(fd, f->file, &w, e);
	if (!r) {
		r = wheel_metadata(w, &metadata, e);
	}
	if (r) {
		return r;
	}
	if (!digest_eq(&metadata->sha256, &f->metadata_sha256) ||
		metadata->text.n != f->metadata_size) {
		return err_set(e, RC_WHEEL, "its METADATA is not the one that the manifest names");
	}
	return store_put_text(in->store, metadata->text, &stored, e);
}

static int finish(struct intake *in, bool *is_new, struct err *e)
{
	int r = take_metadata(in, e);

	*is_new = in->object != NULL;
	if (!r && in->object) {
		r = store_object_commit(in->object, &in->file->sha256, e);
		in->object = NULL;
	}
	return r;
}

static int import_file(
	struct verified *v, struct intake *in, struct import_result *result, struct err *e)
{
	bool is_new = false;
	int r = begin(in, e);

	if (!r) {
		r = verified_copy(v, take, in, e);
	}
	if (!r) {
		r = finish(in, &is_new, e);
		r = r ? err_wrap(e, "%.*s", STR_ARG(in->file->file)) : 0;
	}
	store_object_abort(in->object);
	in->object = NULL;
	if (in->existing >= 0) {
		close(in->existing);
	}
	if (!r) {
		result->files++;
		result->bytes += in->file->size;
		result->new_files += is_new;
		result->new_bytes += is_new ? in->file->size : 0;
	}
	return r;
}

static int check_space(struct store *s, const struct manifest *m, struct err *e)
{
	uint64_t need = 0;

	for (size_t i = 0; i < m->nfiles; i++) {
		const struct manifest_file *f = &m->files[i];

		if (!store_object_exists(s, &f->sha256, f->size)) {
			need += f->size + f->metadata_size;
		}
	}
	return store_check_space(s, need, e);
}

static int import_files(struct store *s, struct verified *v, struct log_progress *progress,
	struct import_result *result, struct err *e)
{
	CLEANUP(free) char *scratch = mem_alloc(COMPARE_SIZE);
	struct intake in = { .store = s, .progress = progress, .existing = -1, .scratch = scratch };
	int r;

	while ((r = verified_next(v, &in.file, e)) > 0) {
		r = import_file(v, &in, result, e);
		if (r) {
			return r;
		}
	}
	return r < 0 ? r : verified_finish(v, e);
}

static int commit(struct store *s, struct verified *v, uint64_t now, struct err *e)
{
	struct digest manifest, signature;
	int r = store_put_text(s, verified_manifest_bytes(v), &manifest, e);

	if (!r) {
		r = store_put_text(s, verified_signature_bytes(v), &signature, e);
	}
	return r ? r
		 : store_commit_bundle(s, verified_manifest(v), verified_manifest_sha256(v),
			   &signature, &verified_signer(v)->key, now, e);
}

int import_bundle(struct store *s, struct verified *v, uint64_t now, struct log_progress *progress,
	struct import_result *out, struct err *e)
{
	const struct manifest *m = verified_manifest(v);
	struct import_result result = { .files = 0 };
	int r = store_check_bundle(s, m, verified_manifest_sha256(v), &result.was_known, e);

	if (!r) {
		r = check_space(s, m, e);
	}
	if (!r) {
		r = import_files(s, v, progress, &result, e);
	}
	if (!r) {
		r = commit(s, v, now, e);
	}
	if (!r) {
		*out = result;
	}
	return r;
}

#include "bundle/wheel_inside.h"

#include "manifests/base/mem.h"
#include "manifests/limits.h"
#include "verify/hash.h"
#include "verify/native_json.h"

/* The sha256 of METADATA, a line feed, and the text of WHEEL. */
static const char names_kind[] = "wheel-names-1";
enum { WHEEL_MAX = 4 * 1024 * 1024 };

void wheel_inside_release(struct wheel_inside *w)
{
	native_release(&w->native);
	arena_release(&w->arena);
	*w = (struct wheel_inside)WHEEL_INSIDE_INIT;
}

/* ---- from the file ---- */

static int open_checked(struct cache *cache, const struct plan_file *f, int *fd, struct err *e)
{
	struct digest found;
	uint64_t size;

	if (!cache_open_file(cache, &f->from.sha256, fd, &size)) {
		return err_set(e, RC_HASH, "%.*s: gone from the cache", STR_ARG(f->from.name.file));
	}
	int r = hash_fd(*fd, "cache", &found, &size, e);
	if (!r && !digest_eq(&found, &f->from.sha256)) {
		cache_evict(cache, &f->from.sha256);
		r = err_set(e, RC_HASH, "%.*s: the cached copy differs from its sha256",
			STR_ARG(f->from.name.file));
	}
	return r;
}

static int read_names(struct wheel *w, const struct plan_file *f, struct buf *out, struct err *e)
{
	const struct wheel_member *m = wheel_find_info(w, "WHEEL");
	const struct wheel_metadata *metadata = NULL;
	char hex[DIGEST_HEX + 1];
	int r = wheel_metadata(w, &metadata, e);

	if (!r && !m) {
		r = err_set(e, RC_WHEEL, "%.*s: it has no WHEEL", STR_ARG(f->from.name.file));
	}
	if (!r) {
		buf_addf(out, "%s\n", digest_hex(&metadata->sha256, hex));
		r = wheel_read(w, m, WHEEL_MAX, out, e);
	}
	return r;
}

/* A torch without anything to compare with is kept as an empty text. */
static int keep_torch(struct cache *cache, const struct plan_file *f, struct wheel *w,
	const struct native *native, struct err *e)
{
	struct torch_offer offer = TORCH_OFFER_INIT;
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct err ignored = ERR_INIT;

	if (!torch_is(&f->from.name)) {
		return 0;
	}
	if (torch_offer_read(w, native, &offer, &ignored) == 0) {
		torch_offer_write(&offer, &text);
	}
	torch_offer_release(&offer);
	return cache_put_text(cache, &f->from.sha256, TORCH_OFFER_KIND, buf_str(&text), e);
}

static int keep_native(
	struct cache *cache, const struct plan_file *f, const struct native *native, struct err *e)
{
	CLEANUP_BUF struct buf text = BUF_INIT;

	native_json_write(native, &text);
	return text.n > LIMIT_NATIVE_TEXT ? 0
					  : cache_put_text(cache, &f->from.sha256, NATIVE_JSON_KIND,
						    buf_str(&text), e);
}

static int read_file(struct cache *cache, const struct plan_file *f, struct buf *names,
	struct native *native, struct err *e)
{
	CLEANUP_WHEEL struct wheel *w = NULL;
	CLEANUP(fd) int fd = -1;
	int r = open_checked(cache, f, &fd, e);

	r = r ? r : wheel_open_fd(fd, f->from.name.file, &w, e);
	r = r ? r : read_names(w, f, names, e);
	r = r ? r : native_read(fd, f->from.name.file, 0, native, e);
	r = r ? r : keep_torch(cache, f, w, native, e);
	r = r ? r : keep_native(cache, f, native, e);
	return r ? r : cache_put_text(cache, &f->from.sha256, names_kind, buf_str(names), e);
}

/* ---- from the cache ---- */

/* What cannot be read, because another version wrote it, is read from the file again. */
static bool find_kept(
	struct cache *cache, const struct plan_file *f, struct buf *names, struct native *native)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct err ignored = ERR_INIT;

	if (!cache_get_text(cache, &f->from.sha256, NATIVE_JSON_KIND, &text) ||
		!cache_get_text(cache, &f->from.sha256, names_kind, names)) {
		return false;
	}
	if (native_json_read(buf_str(&text), native, &ignored)) {
		buf_clear(names);
		return false;
	}
	return true;
}

bool wheel_inside_torch(struct cache *cache, const struct plan_file *f, struct torch_offer *out)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct err ignored = ERR_INIT;

	return cache_get_text(cache, &f->from.sha256, TORCH_OFFER_KIND, &text) && text.n &&
	       torch_offer_parse(buf_str(&text), out, &ignored) == 0;
}

/* ---- both ---- */

/* Index and wheel must say the same: the plan was proved with what the index says. */
static int take_metadata(
	const struct plan_file *f, struct str digest, struct wheel_inside *out, struct err *e)
{
	struct wheel_metadata *m = &out->metadata;
	char hex[DIGEST_HEX + 1];

	*m = (struct wheel_metadata){ .text = f->metadata, .core = f->core };
	m->core.nrequires_dist = 0; /* the plan has proved them, or an override takes them */
	hash_bytes(m->text, &m->sha256);
	if (!str_is(digest, digest_hex(&m->sha256, hex))) {
		return err_set(e, RC_WHEEL,
			"%.*s: its METADATA is not what the index served for it",
			STR_ARG(f->from.name.file));
	}
	int r = version_parse(&out->arena, m->core.version, &m->version, e);
	if (r) {
		return err_wrap(e, "%.*s: METADATA", STR_ARG(f->from.name.file));
	}
	m->has_local_mismatch = f->from.name.version.nlocal && !m->version.nlocal;
	return 0;
}

int wheel_inside_read(
	struct cache *cache, const struct plan_file *f, struct wheel_inside *out, struct err *e)
{
	CLEANUP_BUF struct buf names = BUF_INIT;
	struct str digest = STR_NULL;
	int r = 0;

	*out = (struct wheel_inside)WHEEL_INSIDE_INIT;
	out->was_read = !find_kept(cache, f, &names, &out->native);
	if (out->was_read) {
		r = read_file(cache, f, &names, &out->native, e);
	}
	struct str rest = buf_str(&names);
	str_cut(&rest, '\n', &digest);
	r = r ? r : take_metadata(f, digest, out, e);
	if (r) {
		wheel_inside_release(out);
		return r;
	}
	audit_wheel_fields(rest, &out->arena, &out->wheel);
	out->wheel.name = &f->from.name;
	out->wheel.metadata = &out->metadata;
	out->wheel.native = &out->native;
	return 0;
}

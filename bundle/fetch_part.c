#include "bundle/fetch_part.h"
#include "manifests/base/fs.h"
#include "manifests/base/uri.h"
#include "verify/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 256 * 1024 };

/* The digest where there is one; else one of the URL, so that two URLs never share a file. */
static const char *key_of(struct arena *a, const struct fetch_item *item)
{
	struct digest d = item->sha256;
	char *hex = arena_alloc(a, DIGEST_HEX + 1);

	if (!item->has_sha256) {
		hash_bytes(str_of(item->url), &d);
	}
	digest_hex(&d, hex);
	return item->has_sha256 ? hex : arena_printf(a, "url-%s", hex);
}

static void report(struct part *p, uint64_t bytes)
{
	if (p->progress) {
		log_progress_add(p->progress, bytes);
	}
}

/* 1: locked; 0: somebody else has it. The holder may have renamed or removed the file between our
 * open and our lock: then the name leads to another inode, or to none, and we look again. */
static int lock_file(struct part *p, struct err *e)
{
	for (;;) {
		struct stat mine, named;

		p->fd = open(p->path,
			O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
		if (p->fd < 0) {
			return err_sys(e, "%s: cannot open", p->path);
		}
		if (flock(p->fd, LOCK_EX | LOCK_NB)) {
			return errno == EWOULDBLOCK ? 0 : err_sys(e, "%s: cannot lock", p->path);
		}
		if (fstat(p->fd, &mine)) {
			return err_sys(e, "%s: cannot examine", p->path);
		}
		if (!S_ISREG(mine.st_mode)) {
			return err_set(e, RC_IO, "%s: not a regular file", p->path);
		}
		if (!lstat(p->path, &named) && named.st_ino == mine.st_ino &&
			named.st_dev == mine.st_dev) {
			return 1;
		}
		close(p->fd);
	}
}

static int hash_existing(struct part *p, struct err *e)
{
	CLEANUP(free) char *piece = mem_alloc(PIECE);

	for (;;) {
		ssize_t n = pread(p->fd, piece, PIECE, (off_t)p->have);

		if (n < 0 && errno == EINTR) {
			continue;
		}
		if (n < 0) {
			return err_sys(e, "%s: cannot read", p->path);
		}
		if (n == 0) {
			report(p, p->have);
			return 0;
		}
		hash_add(p->hash, piece, (size_t)n);
		p->have += (uint64_t)n;
	}
}

static int take_existing(struct part *p, struct err *e)
{
	struct stat st;

	if (fstat(p->fd, &st)) {
		return err_sys(e, "%s: cannot examine", p->path);
	}
	bool too_long = p->item->has_size && (uint64_t)st.st_size > p->item->size;
	/* Without a digest nothing says that old bytes and new ones are of the same file. */
	if (!p->item->has_sha256 || too_long) {
		return part_empty(p, e);
	}
	return hash_existing(p, e);
}

int part_open(struct cache *c, struct fetch_item *item, struct log_progress *progress,
	struct part **out, struct err *e)
{
	struct part *p = mem_alloc(sizeof(*p));

	p->cache = c;
	p->item = item;
	p->progress = progress;
	p->fd = -1;
	p->hash = hash_new();
	p->path = cache_partial_path(c, &p->arena, key_of(&p->arena, item));
	int r = lock_file(p, e);
	if (r > 0) {
		r = take_existing(p, e);
	} else {
		if (p->fd >= 0) {
			close(p->fd);
		}
		p->fd = -1;
	}
	if (r < 0 || p->fd < 0) {
		part_close(p);
		p = NULL;
	}
	if (!r) {
		*out = p;
	}
	return r;
}

int part_empty(struct part *p, struct err *e)
{
	struct digest ignored;

	if (ftruncate(p->fd, 0)) {
		return err_sys(e, "%s: cannot empty", p->path);
	}
	hash_final(p->hash, &ignored);
	report(p, UINT64_C(0) - p->have); /* unsigned: takes back what was counted */
	p->have = 0;
	return 0;
}

int part_add(struct part *p, const void *bytes, size_t n, struct err *e)
{
	struct stat st;

	if (p->item->has_size && n > p->item->size - p->have) {
		return err_set(e, RC_HASH,
			"%s: longer than the %" PRIu64 " bytes that are expected",
			uri_redact(&p->arena, str_of(p->item->url)), p->item->size);
	}
	int r = fs_write_all(p->fd, bytes, n, p->path, e);
	if (r) {
		/* A part of it may be there: the length must stay what was hashed. */
		if (!fstat(p->fd, &st) && (uint64_t)st.st_size > p->have &&
			ftruncate(p->fd, (off_t)p->have)) {
			unlink(p->path);
		}
		return r;
	}
	hash_add(p->hash, bytes, n);
	p->have += n;
	report(p, n);
	return 0;
}

uint64_t part_bytes_kept(struct cache *c, const struct fetch_item *item)
{
	struct arena a = ARENA_INIT;
	struct stat st;
	bool found = item->has_sha256 && !stat(cache_partial_path(c, &a, key_of(&a, item)), &st);

	arena_release(&a);
	return found ? (uint64_t)st.st_size : 0;
}

bool part_is_full(const struct part *p)
{
	return p->item->has_sha256 && p->item->has_size && p->have == p->item->size;
}

static int refuse(struct part *p, const struct digest *found, struct err *e)
{
	char expected_hex[DIGEST_HEX + 1], found_hex[DIGEST_HEX + 1];
	const char *url = uri_redact(&p->arena, str_of(p->item->url));
	struct err ignored = ERR_INIT;
	uint64_t have = p->have;

	part_empty(p, &ignored);
	digest_hex(found, found_hex);
	if (p->item->has_size && have != p->item->size) {
		err_set(e, RC_HASH,
			"%s: %" PRIu64 " bytes long (sha256 %s), expected %" PRIu64 " bytes", url,
			have, found_hex, p->item->size);
	} else {
		err_set(e, RC_HASH, "%s: its sha256 is %s, expected %s", url, found_hex,
			digest_hex(&p->item->sha256, expected_hex));
	}
	return err_hint(e,
		"the server gives other bytes than those that were locked: the file was replaced "
		"upstream, or a proxy changes it; lock again only after finding out which");
}

int part_commit(struct part *p, struct err *e)
{
	struct fetch_item *item = p->item;
	struct digest found;

	hash_final(p->hash, &found);
	if ((item->has_size && p->have != item->size) ||
		(item->has_sha256 && !digest_eq(&found, &item->sha256))) {
		return refuse(p, &found, e);
	}
	int r = cache_commit_file(p->cache, p->path, p->fd, &found, e);
	if (r) {
		return r;
	}
	item->sha256 = found;
	item->size = p->have;
	return 0;
}

void part_close(struct part *p)
{
	struct stat mine, named;

	/* Only while the lock is held is it sure that the name is still ours. */
	if (p->fd >= 0 && !fstat(p->fd, &mine) && mine.st_size == 0 && !lstat(p->path, &named) &&
		named.st_ino == mine.st_ino && named.st_dev == mine.st_dev) {
		unlink(p->path);
	}
	if (p->fd >= 0) {
		close(p->fd);
	}
	hash_free(p->hash);
	arena_release(&p->arena);
	free(p);
}

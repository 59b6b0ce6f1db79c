/* Reading the published catalogue. */
#include "manifests/base/fs.h"
#include "manifests/base/mem.h"
#include "mirror/store_load.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CURRENT_MAX = 64, TRIES = 5 };

/* ---- which copy is in force ---- */

static struct store_stamp stamp_of(const struct stat *st)
{
	return (struct store_stamp){ .inode = st->st_ino,
		.seconds = st->st_mtim.tv_sec,
		.nanoseconds = st->st_mtim.tv_nsec };
}

static int read_current(struct store *s, struct arena *a, const char **path,
	struct store_stamp *stamp, uint64_t *generation, struct err *e)
{
	CLEANUP(fd) int fd = openat(s->dir_fd, STORE_CURRENT, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct stat st;

	if (fd < 0 || fstat(fd, &st)) {
		return err_sys(e, "store %s: cannot open " STORE_CURRENT, s->dir);
	}
	int r = fs_read_fd(fd, STORE_CURRENT, CURRENT_MAX, &text, e);
	if (r) {
		return err_wrap(e, "store %s", s->dir);
	}
	struct str name = str_trim(buf_str(&text));
	if (!str_ends(name, ".db") || !str_to_u64(str_first(name, name.n - 3), generation)) {
		err_set(e, RC_STORE, "store %s: " STORE_CURRENT " names no catalogue", s->dir);
		return err_hint(e, "run any writing verb (import, build): it publishes again");
	}
	*path = arena_printf(a, "%s/" STORE_PUBLISHED "/%.*s", s->dir, STR_ARG(name));
	*stamp = stamp_of(&st);
	return 0;
}

/* A writer may publish twice, and remove what `current` named, between our two steps: then look
 * again. */
static int open_published(struct store *s, struct store_view *v, struct db **out, struct err *e)
{
	for (int i = 1;; i++) {
		const char *path = NULL;
		int r = read_current(s, &v->arena, &path, &v->stamp, &v->generation, e);

		if (!r) {
			r = db_open(path, DB_IMMUTABLE, out, e);
		}
		if (!r || i == TRIES || fs_exists(path ? path : s->dir)) {
			return r;
		}
		err_clear(e);
	}
}

bool store_view_is_stale(struct store *s, const struct store_view *v)
{
	struct stat st;

	if (fstatat(s->dir_fd, STORE_CURRENT, &st, AT_SYMLINK_NOFOLLOW)) {
		return false;
	}
	struct store_stamp now = stamp_of(&st);
	return now.inode != v->stamp.inode || now.seconds != v->stamp.seconds ||
	       now.nanoseconds != v->stamp.nanoseconds;
}

/* ---- columns ---- */

struct str load_text(struct load *l, struct db_query *q, int column)
{
	return arena_str(l->a, db_col_text(q, column));
}

int load_damaged(struct load *l, const char *table, struct err *e)
{
	err_set(e, RC_STORE, "store %s: damaged row in table %s of the published catalogue",
		l->store->dir, table);
	return err_hint(e, "run any writing verb (import, build): it publishes again");
}

static int load_bundles(struct load *l, struct store_view *v, struct err *e)
{
	CLEANUP_DB_QUERY struct db_query *q = NULL;
	uint64_t n;
	int r = db_ask_number(l->db, "SELECT count(*) FROM bundle", DB_NO_VALUES, 0, &n, e);

	if (!r) {
		r = db_ask(l->db,
			"SELECT channel, epoch, serial, created, imported, manifest, signer "
			"FROM bundle ORDER BY id DESC",
			DB_NO_VALUES, &q, e);
	}
	if (r) {
		return r;
	}
	v->bundles = arena_array(l->a, n, sizeof(*v->bundles));
	while ((r = db_row(q, e)) > 0 && v->nbundles < n) {
		struct store_bundle *b = &v->bundles[v->nbundles++];

		*b = (struct store_bundle){ .channel = load_text(l, q, 0),
			.epoch = db_col_number(q, 1),
			.serial = db_col_number(q, 2),
			.created = db_col_number(q, 3),
			.imported = db_col_number(q, 4),
			.signer = load_text(l, q, 6) };
		if (!db_col_digest(q, 5, &b->manifest)) {
			return load_damaged(l, "bundle", e);
		}
	}
	return r;
}

static int read_file(struct load *l, struct db_query *q, struct known_file *k, struct err *e)
{
	struct manifest_file *f = &k->file;
	struct err ignored = ERR_INIT;

	k->id = db_col_number(q, 0);
	f->size = db_col_number(q, 2);
	f->file = load_text(l, q, 3);
	f->name = load_text(l, q, 4);
	f->version = load_text(l, q, 5);
	f->kind = db_col_number(q, 6) == DIST_WHEEL ? DIST_WHEEL : DIST_SDIST;
	f->requires_python = load_text(l, q, 7);
	f->metadata_size = db_col_number(q, 9);
	f->local_mismatch = db_col_number(q, 10) != 0;
	f->device_code = load_text(l, q, 11);
	f->is_yanked = !db_col_is_null(q, 12);
	f->yanked = load_text(l, q, 12);
	f->origin = load_text(l, q, 13);
	f->hash_from = (enum manifest_hash_from)db_col_number(q, 14);
	f->license = load_text(l, q, 15);
	if (!db_col_digest(q, 1, &f->sha256) ||
		(f->kind == DIST_WHEEL && !db_col_digest(q, 8, &f->metadata_sha256))) {
		return load_damaged(l, "file", e);
	}
	k->has_version = version_parse(l->a, f->version, &k->version, &ignored) == 0;
	k->has_parts =
		f->kind == DIST_WHEEL && dist_name_parse(l->a, f->file, &k->parts, &ignored) == 0;
	return 0;
}

/* By project, newest version first, file name: the order of store_target.files. */
static int by_rank(const void *a, const void *b)
{
	const struct known_file *x = *(struct known_file *const *)a,
				*y = *(struct known_file *const *)b;
	int c = str_cmp(x->file.name, y->file.name);

	if (!c && x->has_version && y->has_version) {
		c = version_cmp(&y->version, &x->version);
	} else if (!c) {
		c = x->has_version == y->has_version ? str_cmp(y->file.version, x->file.version)
						     : y->has_version - x->has_version;
	}
	if (!c) {
		c = str_cmp(x->file.file, y->file.file);
	}
	return c ? c : digest_cmp(&x->file.sha256, &y->file.sha256);
}

static void rank_files(struct load *l)
{
	CLEANUP(free) struct known_file **order = mem_array(l->nfiles, sizeof(*order));

	for (size_t i = 0; i < l->nfiles; i++) {
		order[i] = &l->files[i];
	}
	qsort(order, l->nfiles, sizeof(*order), by_rank);
	for (size_t i = 0; i < l->nfiles; i++) {
		order[i]->rank = i;
	}
}

static int load_files(struct load *l, struct err *e)
{
	CLEANUP_DB_QUERY struct db_query *q = NULL;
	uint64_t n;
	int r = db_ask_number(l->db, "SELECT count(*) FROM file", DB_NO_VALUES, 0, &n, e);

	if (!r) {
		r = db_ask(l->db,
			"SELECT id, sha256, size, file, name, version, kind, requires_python, "
			"metadata, metadata_size, local_mismatch, device_code, yanked, origin, "
			"hash_from, "
			"license FROM file ORDER BY id",
			DB_NO_VALUES, &q, e);
	}
	if (r) {
		return r;
	}
	l->files = mem_array(n, sizeof(*l->files));
	while ((r = db_row(q, e)) > 0 && l->nfiles < n) {
		r = read_file(l, q, &l->files[l->nfiles++], e);
		if (r) {
			return r;
		}
	}
	if (!r) {
		rank_files(l);
	}
	return r;
}

int store_view_load(struct store *s, struct store_view *out, struct err *e)
{
	struct store_view v = STORE_VIEW_INIT;
	struct load l = { .store = s, .a = &v.arena };
	CLEANUP_DB struct db *db = NULL;
	int r = open_published(s, &v, &db, e);

	l.db = db;
	if (!r) {
		r = load_bundles(&l, &v, e);
	}
	if (!r) {
		r = load_files(&l, e);
	}
	if (!r) {
		r = load_all_targets(&l, &v, e);
	}
	free(l.files);
	if (r) {
		store_view_release(&v);
		return r;
	}
	*out = v;
	return 0;
}

void store_view_release(struct store_view *v)
{
	arena_release(&v->arena);
	*v = (struct store_view)STORE_VIEW_INIT;
}

const struct store_target *store_view_target(const struct store_view *v, struct str name)
{
	for (size_t i = 0; i < v->ntargets; i++) {
		if (str_eq(v->targets[i].target.name, name)) {
			return &v->targets[i];
		}
	}
	return NULL;
}

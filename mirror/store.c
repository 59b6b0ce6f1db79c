#include "mirror/store.h"
#include "manifests/base/fs.h"
#include "manifests/base/json.h"
#include "manifests/base/mem.h"
#include "mirror/store_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char schema[] =
#include "mirror/schema.def"
	;

enum { SCHEMA_VERSION = 1, LOCK_WAIT_MS = 10000, LOCK_POLL_MS = 50 };

char *store_path(const struct store *s, struct arena *a, const char *name)
{
	return arena_printf(a, "%s/%s", s->dir, name);
}

const char *store_dir(const struct store *s)
{
	return s->dir;
}

/* ---- is it safe ---- */

static int check_owner(struct store *s, struct err *e)
{
	struct stat st;
	const mode_t others = S_IWGRP | S_IWOTH;

	if (fstat(s->dir_fd, &st)) {
		return err_sys(e, "store %s", s->dir);
	}
	if (s->mode == STORE_WRITE && st.st_uid != geteuid()) {
		err_set(e, RC_STORE, "store %s: belongs to user %u, not to user %u", s->dir,
			(unsigned)st.st_uid, (unsigned)geteuid());
		return err_hint(e, "run this as its owner, or: chown -R %u %s", (unsigned)geteuid(),
			s->dir);
	}
	if (!(st.st_mode & others)) {
		return 0;
	}
	/* A folder that is not a store yet was made for us under a generous umask. */
	if (s->mode == STORE_WRITE && faccessat(s->dir_fd, STORE_OBJECTS, F_OK, 0) &&
		fchmod(s->dir_fd, st.st_mode & 07777 & ~others) == 0) {
		return 0;
	}
	err_set(e, RC_STORE, "store %s: others may write to it, so nothing in it can be relied on",
		s->dir);
	return err_hint(e, "run: chmod go-w %s", s->dir);
}

/* ---- the lock ---- */

static long elapsed_ms(const struct timespec *since)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - since->tv_sec) * 1000 + (now.tv_nsec - since->tv_nsec) / 1000000;
}

static int locked_by_another(struct store *s, struct err *e)
{
	char holder[32] = "";
	ssize_t n = pread(s->lock_fd, holder, sizeof(holder) - 1, 0);
	uint64_t pid;

	if (n > 0 && str_to_u64(str_trim(str_of(holder)), &pid)) {
		err_set(e, RC_LOCKED, "store %s: process %llu is writing to it", s->dir,
			(unsigned long long)pid);
	} else {
		err_set(e, RC_LOCKED, "store %s: another process is writing to it", s->dir);
	}
	return err_hint(e, "wait until it is done, then run this again");
}

static int take_lock(struct store *s, struct err *e)
{
	struct timespec began;
	const struct timespec nap = { .tv_nsec = LOCK_POLL_MS * 1000000L };
	char pid[32];

	s->lock_fd = openat(s->dir_fd, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (s->lock_fd < 0) {
		return err_sys(e, "store %s: cannot open its lock", s->dir);
	}
	clock_gettime(CLOCK_MONOTONIC, &began);
	while (flock(s->lock_fd, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK && errno != EINTR) {
			return err_sys(e, "store %s: cannot lock", s->dir);
		}
		if (elapsed_ms(&began) >= LOCK_WAIT_MS) {
			return locked_by_another(s, e);
		}
		nanosleep(&nap, NULL);
	}
	int n = snprintf(pid, sizeof(pid), "%ld\n", (long)getpid());
	if (ftruncate(s->lock_fd, 0) || pwrite(s->lock_fd, pid, (size_t)n, 0) != n) {
		return err_sys(e, "store %s: cannot write its lock", s->dir);
	}
	return 0;
}

/* ---- the catalogue ---- */

static int migrate(struct store *s, struct err *e)
{
	uint64_t version;
	int r = db_ask_number(s->db, "PRAGMA user_version", DB_NO_VALUES, 0, &version, e);

	if (r || version == SCHEMA_VERSION) {
		return r;
	}
	if (version > SCHEMA_VERSION) {
		err_set(e, RC_STORE, "store %s: written by a newer gpkg-bundle", s->dir);
		return err_hint(e, "use the version that wrote it, or a newer one");
	}
	r = db_begin(s->db, e);
	if (!r) {
		r = db_script(s->db, schema, e);
	}
	if (!r) {
		r = db_commit(s->db, e);
	}
	db_rollback(s->db);
	return r;
}

static int check_catalogue(struct store *s, struct err *e)
{
	CLEANUP_DB_QUERY struct db_query *q = NULL;
	int r = db_ask(s->db, "PRAGMA quick_check(1)", DB_NO_VALUES, &q, e);

	if (!r) {
		r = db_row(q, e);
	}
	if (r > 0 && !str_is(db_col_text(q, 0), "ok")) {
		err_set(e, RC_STORE, "store %s: its catalogue is damaged: %.*s", s->dir,
			STR_ARG(db_col_text(q, 0)));
		return err_hint(e,
			"restore catalog.db from a backup, or import the bundles into a new "
			"store; the objects can be kept");
	}
	return r < 0 ? r : 0;
}

static int open_catalogue(struct store *s, struct err *e)
{
	struct arena a = ARENA_INIT;
	int r = db_open(store_path(s, &a, "catalog.db"), DB_WRITE, &s->db, e);

	if (!r) {
		r = check_catalogue(s, e);
	}
	if (!r) {
		r = migrate(s, e);
	}
	arena_release(&a);
	return r;
}

/* ---- opening ---- */

static int open_folder(struct store *s, int at, const char *name, int *out, struct err *e)
{
	*out = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (*out < 0) {
		return err_sys(e, "store %s: cannot open %s", s->dir, name);
	}
	return 0;
}

static int make_folder(struct store *s, const char *name, struct err *e)
{
	if (mkdirat(s->dir_fd, name, 0755) && errno != EEXIST) {
		return err_sys(e, "store %s: cannot make %s", s->dir, name);
	}
	return 0;
}

/* The store's own folder may be reached through links: that is the admin's business. Inside, none
 * is. */
static int open_dir(struct store *s, struct err *e)
{
	s->dir_fd = open(s->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->dir_fd < 0 && s->mode == STORE_READ && errno == ENOENT) {
		err_set(e, RC_STORE, "store %s: does not exist", s->dir);
		return err_hint(
			e, "import a bundle first: gpkg-bundle import FILE --store %s", s->dir);
	}
	if (s->dir_fd < 0) {
		return err_sys(e, "store %s: cannot open", s->dir);
	}
	return check_owner(s, e);
}

static int open_reader(struct store *s, struct err *e)
{
	int r = open_dir(s, e);

	if (!r && faccessat(s->dir_fd, STORE_CURRENT, F_OK, 0)) {
		err_set(e, RC_STORE, "store %s: holds nothing yet", s->dir);
		return err_hint(
			e, "import a bundle first: gpkg-bundle import FILE --store %s", s->dir);
	}
	return r ? r : open_folder(s, s->dir_fd, STORE_OBJECTS, &s->objects_fd, e);
}

static int open_writer(struct store *s, struct err *e)
{
	static const char *const folders[] = { STORE_OBJECTS, STORE_PUBLISHED };
	int r = fs_mkdirs(s->dir, 0755, e);

	if (!r) {
		r = open_dir(s, e);
	}
	if (!r) {
		r = take_lock(s, e);
	}
	for (size_t i = 0; !r && i < sizeof(folders) / sizeof(folders[0]); i++) {
		r = make_folder(s, folders[i], e);
	}
	if (!r) {
		r = open_folder(s, s->dir_fd, STORE_OBJECTS, &s->objects_fd, e);
	}
	if (!r) {
		r = open_catalogue(s, e);
	}
	return r ? r : store_publish_repair(s, e);
}

int store_open(const char *dir, enum store_mode mode, struct store **out, struct err *e)
{
	struct store *s = mem_alloc(sizeof(*s));

	s->dir = mem_dup(dir);
	s->mode = mode;
	s->dir_fd = s->objects_fd = s->lock_fd = -1;
	int r = mode == STORE_WRITE ? open_writer(s, e) : open_reader(s, e);
	if (r) {
		store_close(s);
		return r;
	}
	*out = s;
	return 0;
}

void store_close(struct store *s)
{
	if (!s) {
		return;
	}
	db_close(s->db);
	if (s->objects_fd >= 0) {
		store_drop_objects(s);
	}
	if (s->lock_fd >= 0 && ftruncate(s->lock_fd, 0)) {
		/* The holder's number stays in it: nobody relies on that once the lock is free. */
	}
	cleanup_fd(&s->objects_fd);
	cleanup_fd(&s->lock_fd); /* after the catalogue: the lock covers its closing */
	cleanup_fd(&s->dir_fd);
	free(s->dir);
	free(s);
}

void cleanup_store(struct store **s)
{
	store_close(*s);
}

/* ---- lists in a column ---- */

void store_list_write(const struct str *list, size_t n, struct buf *out)
{
	struct json_out o;

	json_out_init(&o, out, false);
	json_begin_array(&o);
	for (size_t i = 0; i < n; i++) {
		json_put_str(&o, list[i]);
	}
	json_end_array(&o);
}

int store_list_read(struct arena *a, struct str text, struct str **out, size_t *n, struct err *e)
{
	CLEANUP_JSON struct json *doc = NULL;
	size_t i = 0;

	*out = NULL;
	*n = 0;
	if (str_is(text, "[]")) { /* nearly always */
		return 0;
	}
	int r = json_parse(text, &doc, e);
	if (r) {
		return err_recode(e, RC_STORE);
	}
	struct str *list = arena_array(a, json_count(doc), sizeof(*list));
	for (const struct json *v = json_first(doc); v; v = json_next(v)) {
		struct str s;

		if (json_to_str(v, "list", &s, e)) {
			return err_recode(e, RC_STORE);
		}
		list[i++] = arena_str(a, s);
	}
	*out = list;
	*n = i;
	return 0;
}

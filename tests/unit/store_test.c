#include "mirror/store.h"
#include "manifests/base/fs.h"
#include "manifests/limits.h"
#include "tests/unit/key_fixture.h"
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOW UINT64_C(1790000000)

static struct store *open_store(enum store_mode mode)
{
	struct store *s = NULL;
	struct err e = ERR_INIT;

	ck_assert_msg(store_open(fixture_path("store"), mode, &s, &e) == 0, "%s", e.text);
	return s;
}

static const char *object_path(const struct digest *d)
{
	static char path[4096];
	char hex[DIGEST_HEX + 1];

	digest_hex(d, hex);
	snprintf(path, sizeof(path), "%s/objects/%.2s/%s", fixture_path("store"), hex, hex);
	return path;
}

/* Other bytes in a stored object, as a failing disk leaves them. */
static void damage(const struct digest *d, const char *bytes)
{
	int fd;

	ck_assert_int_eq(chmod(object_path(d), 0644), 0);
	fd = open(object_path(d), O_WRONLY | O_TRUNC);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, bytes, strlen(bytes)), (ssize_t)strlen(bytes));
	close(fd);
}

/* ---- manifests made by hand ---- */

struct plan { /* one file of target "t" */
	const char *file, *version;
	char salt; /* other bytes under the same name */
};

static void plan_file(struct store *s, struct arena *a, const struct plan *p, struct manifest_file *out)
{
	struct err e = ERR_INIT;
	struct str bytes = str_of(arena_printf(a, "%s %c", p->file, p->salt ? p->salt : ' '));
	struct str metadata = str_of(arena_printf(a, "Version: %s\n", p->version));
	struct dist_name name;

	ck_assert_int_eq(dist_name_parse(a, str_of(p->file), &name, &e), 0);
	*out = (struct manifest_file){ .size = bytes.n,
		.file = str_of(p->file),
		.name = name.name,
		.version = str_of(p->version),
		.kind = name.kind,
		.hash_from = HASH_FROM_LOCK };
	ck_assert_int_eq(store_put_text(s, bytes, &out->sha256, &e), 0);
	if (name.kind == DIST_WHEEL) {
		ck_assert_int_eq(store_put_text(s, metadata, &out->metadata_sha256, &e), 0);
		out->metadata_size = metadata.n;
	}
}

static struct target_spec good_target(void)
{
	static const struct str gpus[] = { { "9.0", 3 } };

	return (struct target_spec){ .name = STR("t"),
		.python = STR("3.12"),
		.platform = STR("linux_x86_64"),
		.glibc = STR("2.28"),
		.gpus = gpus,
		.ngpus = 1,
		.cxx11_abi = -1 };
}

/* A manifest of one target with these files, all to run. Its arena is released by the caller. */
static void make_manifest(struct store *s, const char *channel, uint64_t epoch, uint64_t serial,
	const struct target_spec *spec, const struct plan *plans, size_t n, struct manifest *out)
{
	struct err e = ERR_INIT;

	*out = (struct manifest)MANIFEST_INIT;
	out->channel = str_of(channel);
	out->epoch = epoch;
	out->serial = serial;
	out->files = arena_array(&out->arena, n, sizeof(*out->files));
	out->nfiles = n;
	out->targets = arena_array(&out->arena, 1, sizeof(*out->targets));
	out->ntargets = 1;
	struct manifest_target *t = &out->targets[0];
	ck_assert_msg(target_make(&out->arena, spec, &t->target, &e) == 0, "%s", e.text);
	t->picks = arena_array(&out->arena, n, sizeof(*t->picks));
	t->npicks = n;
	for (size_t i = 0; i < n; i++) {
		plan_file(s, &out->arena, &plans[i], &out->files[i]);
		t->picks[i] = (struct manifest_pick){ .file = i, .use = USE_RUN, .is_requested = i == 0 };
	}
}

static int commit_as(struct store *s, const struct manifest *m, const char *text, struct err *e)
{
	struct public_key signer = { .number = { 1 }, .key = { 0xab } };
	struct digest manifest, signature;

	ck_assert_int_eq(store_put_text(s, str_of(text), &manifest, e), 0);
	ck_assert_int_eq(store_put_text(s, STR("signature"), &signature, e), 0);
	return store_commit_bundle(s, m, &manifest, &signature, &signer, NOW, e);
}

/* Commits a bundle of channel "lab" for the good target; the code of the refusal, or 0. */
static enum rc commit(struct store *s, uint64_t serial, const struct plan *plans, size_t n)
{
	struct target_spec spec = good_target();
	struct manifest m;
	struct err e = ERR_INIT;
	char text[64];

	make_manifest(s, "lab", 0, serial, &spec, plans, n, &m);
	snprintf(text, sizeof(text), "manifest %llu", (unsigned long long)serial);
	commit_as(s, &m, text, &e);
	arena_release(&m.arena);
	return e.rc;
}

#define COMMIT(s, serial, ...)                                                                     \
	commit(s, serial, (const struct plan[]){ __VA_ARGS__ },                                    \
		sizeof((const struct plan[]){ __VA_ARGS__ }) / sizeof(struct plan))

static void load(struct store_view *v)
{
	struct store *s = open_store(STORE_READ);
	struct err e = ERR_INIT;

	ck_assert_msg(store_view_load(s, v, &e) == 0, "%s", e.text);
	store_close(s);
}

static const struct store_file *view_file(const struct store_view *v, const char *file)
{
	const struct store_target *t = store_view_target(v, STR("t"));

	for (size_t i = 0; t && i < t->nfiles; i++) {
		if (str_is(t->files[i].file.file, file)) {
			return &t->files[i];
		}
	}
	return NULL;
}

/* ---- opening ---- */

UNIT(store_absent_or_empty_cannot_be_read)
{
	struct store *s = NULL;
	struct err e = ERR_INIT;

	ck_assert_int_eq(store_open(fixture_path("store"), STORE_READ, &s, &e), -RC_STORE);
	ck_assert(str_has(str_of(e.hint), "import a bundle first"));
	store_close(open_store(STORE_WRITE));
	err_clear(&e);
	ck_assert_int_eq(store_open(fixture_path("store"), STORE_READ, &s, &e), -RC_STORE);
	ck_assert(str_has(str_of(e.hint), "import a bundle first"));
}

UNIT(store_that_others_can_write_to_is_refused)
{
	static const mode_t modes[] = { 0775, 0757, 0777 };
	struct store *s = NULL;

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		struct err e = ERR_INIT;

		s = open_store(STORE_WRITE);
		ck_assert_int_eq(COMMIT(s, i + 1, { "a-1-py3-none-any.whl", "1", 0 }), 0);
		store_close(s);
		ck_assert_int_eq(chmod(fixture_path("store"), modes[i]), 0);
		ck_assert_int_eq(store_open(fixture_path("store"), STORE_WRITE, &s, &e), -RC_STORE);
		ck_assert(str_has(str_of(e.hint), "chmod go-w"));
		err_clear(&e);
		ck_assert_int_eq(store_open(fixture_path("store"), STORE_READ, &s, &e), -RC_STORE);
		ck_assert_int_eq(chmod(fixture_path("store"), 0755), 0);
	}
}

UNIT(store_takes_over_an_empty_folder)
{
	struct stat st;

	ck_assert_int_eq(mkdir(fixture_path("store"), 0700), 0);
	ck_assert_int_eq(chmod(fixture_path("store"), 0777), 0);
	store_close(open_store(STORE_WRITE));
	ck_assert_int_eq(stat(fixture_path("store"), &st), 0);
	ck_assert_int_eq(st.st_mode & 0777, 0755);
}

UNIT(store_lock_names_its_holder)
{
	struct store *s = open_store(STORE_WRITE), *second = NULL;
	struct err e = ERR_INIT;
	char pid[32];

	snprintf(pid, sizeof(pid), "process %ld", (long)getpid());
	ck_assert_int_eq(store_open(fixture_path("store"), STORE_WRITE, &second, &e), -RC_LOCKED);
	ck_assert_msg(str_has(str_of(e.text), pid), "%s", e.text);
	store_close(s);
	store_close(open_store(STORE_WRITE));
}

UNIT(store_of_a_newer_program_is_refused)
{
	struct store *s = NULL;
	struct err e = ERR_INIT;
	char path[4096];

	store_close(open_store(STORE_WRITE));
	snprintf(path, sizeof(path), "%s/catalog.db", fixture_path("store"));
	int fd = open(path, O_WRONLY); /* user_version: SQLite's header, byte 60, big endian */
	ck_assert_int_eq(pwrite(fd, "\0\0\0\x63", 4, 60), 4);
	close(fd);
	ck_assert_int_eq(store_open(fixture_path("store"), STORE_WRITE, &s, &e), -RC_STORE);
	ck_assert(str_has(str_of(e.text), "newer"));
}

/* ---- objects ---- */

UNIT(store_objects_round_trip)
{
	struct store *s = open_store(STORE_WRITE);
	struct buf b = BUF_INIT;
	struct err e = ERR_INIT;
	struct digest d, other = { .b = { 1 } };
	struct stat st;
	uint64_t size;
	int fd;

	ck_assert_int_eq(store_put_text(s, STR("hello"), &d, &e), 0);
	ck_assert(store_object_exists(s, &d, 5) && !store_object_exists(s, &d, 6));
	ck_assert_int_eq(store_object_read(s, &d, 5, &b, &e), 0);
	ck_assert_str_eq(b.p, "hello");
	ck_assert_int_eq(store_object_read(s, &d, 4, &b, &e), -RC_LIMIT);
	ck_assert_int_eq(store_object_open(s, &d, &fd, &size, &e), 0);
	ck_assert_uint_eq(size, 5);
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_int_eq(st.st_mode & 07777, 0444);
	close(fd);
	err_clear(&e);
	ck_assert_int_eq(store_object_open(s, &other, &fd, &size, &e), -RC_NOT_FOUND);
	ck_assert_int_eq(store_put_text(s, STR(""), &d, &e), 0);
	ck_assert(store_object_exists(s, &d, 0));
	buf_release(&b);
	store_close(s);
}

UNIT(store_object_has_the_size_that_was_announced)
{
	struct store *s = open_store(STORE_WRITE);
	struct store_object *o;
	struct err e = ERR_INIT;
	struct digest d = { .b = { 7 } };

	ck_assert_int_eq(store_object_begin(s, 5, &o, &e), 0);
	ck_assert_int_eq(store_object_add(o, "hell", 4, &e), 0);
	ck_assert_int_eq(store_object_commit(o, &d, &e), -RC_HASH);
	ck_assert(!store_object_exists(s, &d, 4));
	err_clear(&e);
	ck_assert_int_eq(store_object_begin(s, 5, &o, &e), 0);
	ck_assert_int_eq(store_object_add(o, "hello!", 6, &e), -RC_HASH);
	store_object_abort(o);
	store_close(s);
}

UNIT(store_object_that_is_there_is_kept)
{
	struct store *s = open_store(STORE_WRITE);
	struct err e = ERR_INIT;
	struct digest d;
	struct stat before, after;

	ck_assert_int_eq(store_put_text(s, STR("hello"), &d, &e), 0);
	ck_assert_int_eq(stat(object_path(&d), &before), 0);
	ck_assert_int_eq(store_put_text(s, STR("hello"), &d, &e), 0);
	ck_assert_int_eq(stat(object_path(&d), &after), 0);
	ck_assert_uint_eq(before.st_ino, after.st_ino);
	store_close(s);
}

UNIT(store_object_that_is_damaged_is_found_and_mended)
{
	static const char *const bytes[] = { "hellO", "hell", "hello and more" };
	struct store *s = open_store(STORE_WRITE);
	struct err e = ERR_INIT;
	struct digest d;

	ck_assert_int_eq(store_put_text(s, STR("hello"), &d, &e), 0);
	for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++) {
		struct buf b = BUF_INIT;

		damage(&d, bytes[i]);
		ck_assert_int_eq(store_object_read(s, &d, 100, &b, &e), -RC_HASH);
		ck_assert_uint_eq(b.n, 0);
		err_clear(&e);
		ck_assert_int_eq(store_put_text(s, STR("hello"), &d, &e), 0);
		ck_assert_int_eq(store_object_read(s, &d, 100, &b, &e), 0);
		ck_assert_str_eq(b.p, "hello");
		buf_release(&b);
	}
	store_close(s);
}

UNIT(store_object_is_never_a_link)
{
	struct store *s = open_store(STORE_WRITE);
	struct err e = ERR_INIT;
	struct digest d;
	uint64_t size;
	int fd = -1;

	ck_assert_int_eq(store_put_text(s, STR("hello"), &d, &e), 0);
	ck_assert_int_eq(unlink(object_path(&d)), 0);
	ck_assert_int_eq(symlink("/etc/passwd", object_path(&d)), 0);
	ck_assert_int_lt(store_object_open(s, &d, &fd, &size, &e), 0);
	ck_assert(!store_object_exists(s, &d, 5));
	ck_assert_int_eq(unlink(object_path(&d)), 0);
	ck_assert_int_eq(mkdir(object_path(&d), 0700), 0);
	err_clear(&e);
	ck_assert_int_lt(store_object_open(s, &d, &fd, &size, &e), 0);
	store_close(s);
}

UNIT(store_space_is_checked_with_a_reserve)
{
	struct store *s = open_store(STORE_WRITE);
	struct err e = ERR_INIT;

	ck_assert_int_eq(store_check_space(s, 0, &e), 0);
	ck_assert_int_eq(store_check_space(s, LIMIT_FILE * 1024, &e), -RC_NO_SPACE);
	store_close(s);
}

/* ---- bundles ---- */

UNIT(store_bundle_is_seen_by_readers)
{
	struct store *s = open_store(STORE_WRITE);
	struct store_view v;

	ck_assert_int_eq(COMMIT(s, 5, { "b-1.9-py3-none-any.whl", "1.9", 0 }, { "a-1.tar.gz", "1", 0 },
				 { "b-1.10-py3-none-any.whl", "1.10", 0 }),
		0);
	store_close(s);
	load(&v);
	ck_assert_uint_eq(v.generation, 1);
	ck_assert_uint_eq(v.nbundles, 1);
	ck_assert(str_is(v.bundles[0].channel, "lab") && v.bundles[0].serial == 5);
	ck_assert(str_starts(v.bundles[0].signer, "ab0000"));
	ck_assert_uint_eq(v.ntargets, 1);
	const struct store_target *t = &v.targets[0];
	ck_assert_uint_eq(t->nfiles, 3);
	ck_assert(str_is(t->files[0].file.file, "a-1.tar.gz"));
	ck_assert(str_is(t->files[1].file.file, "b-1.10-py3-none-any.whl")); /* newest first */
	ck_assert(str_is(t->files[2].file.file, "b-1.9-py3-none-any.whl"));
	ck_assert(t->files[2].is_requested && !t->files[1].is_requested);
	ck_assert(t->files[0].is_current && t->files[0].is_listed && t->files[0].use == USE_RUN);
	ck_assert_uint_eq(t->target.python.minor, 12);
	ck_assert(str_is(t->channel, "lab"));
	store_view_release(&v);
}

UNIT(store_same_bundle_again_changes_nothing)
{
	struct store *s = open_store(STORE_WRITE);
	struct store_view v;

	ck_assert_int_eq(COMMIT(s, 5, { "a-1.tar.gz", "1", 0 }), 0);
	ck_assert_int_eq(COMMIT(s, 5, { "a-1.tar.gz", "1", 0 }), 0);
	store_close(s);
	load(&v);
	ck_assert_uint_eq(v.generation, 1);
	ck_assert_uint_eq(v.nbundles, 1);
	store_view_release(&v);
}

UNIT(store_order_of_bundles)
{
	static const struct {
		const char *channel;
		uint64_t epoch, serial;
		const char *text;
		enum rc rc;
	} rows[] = {
		{ "lab", 0, 5, "five", 0 },
		{ "lab", 0, 4, "four", RC_BUNDLE_ROLLBACK },
		{ "lab", 0, 5, "another five", RC_BUNDLE_EQUIVOCATION },
		{ "lab", 0, 6, "six", 0 },
		{ "lab", 0, 5, "five", RC_BUNDLE_ROLLBACK },
		{ "other", 0, 1, "one", 0 },
		{ "lab", 1, 2, "new epoch", 0 },
		{ "lab", 0, 7, "seven", RC_BUNDLE_ROLLBACK },
		{ "lab", 1, 1, "one again", RC_BUNDLE_ROLLBACK },
		{ "lab", 1, 2, "new epoch", 0 },
	};
	const struct plan plan = { "a-1.tar.gz", "1", 0 };
	struct target_spec spec = good_target();
	struct store *s = open_store(STORE_WRITE);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct manifest m;
		struct err e = ERR_INIT;

		make_manifest(s, rows[i].channel, rows[i].epoch, rows[i].serial, &spec, &plan, 1, &m);
		commit_as(s, &m, rows[i].text, &e);
		ck_assert_msg(e.rc == rows[i].rc, "%s: %s", rows[i].text, e.text);
		arena_release(&m.arena);
	}
	store_close(s);
}

UNIT(store_target_name_is_one_kind_of_machine)
{
	static const struct str two[] = { { "9.0", 3 }, { "8.0", 3 } }, other[] = { { "8.0", 3 } };
	struct target_spec spec = good_target();
	const struct {
		const char *what;
		struct target_spec spec;
		bool is_same;
	} rows[] = {
		{ "the same", spec, true },
		{ "python", { spec.name, STR("3.11"), spec.platform, spec.glibc, .gpus = spec.gpus, .ngpus = 1,
				    .cxx11_abi = -1 }, false },
		{ "python", { spec.name, STR("3.13t"), spec.platform, spec.glibc, .gpus = spec.gpus, .ngpus = 1,
				    .cxx11_abi = -1 }, false },
		{ "patch level", { spec.name, STR("3.12.4"), spec.platform, spec.glibc, .gpus = spec.gpus,
					 .ngpus = 1, .cxx11_abi = -1 }, true },
		{ "platform", { spec.name, spec.python, STR("linux_aarch64"), spec.glibc, .gpus = spec.gpus,
				      .ngpus = 1, .cxx11_abi = -1 }, false },
		{ "libc", { spec.name, spec.python, spec.platform, STR("2.34"), .gpus = spec.gpus, .ngpus = 1,
				  .cxx11_abi = -1 }, false },
		{ "libc", { spec.name, spec.python, spec.platform, .musl = STR("1.2"), .gpus = spec.gpus,
				  .ngpus = 1, .cxx11_abi = -1 }, false },
		{ "gpus", { spec.name, spec.python, spec.platform, spec.glibc, .gpus = other, .ngpus = 1,
				  .cxx11_abi = -1 }, false },
		{ "gpus", { spec.name, spec.python, spec.platform, spec.glibc, .gpus = two, .ngpus = 2,
				  .cxx11_abi = -1 }, false },
		{ "torch", { spec.name, spec.python, spec.platform, spec.glibc, .torch = STR("2.8.0+cu128"),
				   .gpus = spec.gpus, .ngpus = 1, .cxx11_abi = -1 }, true },
	};
	const struct plan plan = { "a-1.tar.gz", "1", 0 };
	struct store *s = open_store(STORE_WRITE);

	ck_assert_int_eq(COMMIT(s, 1, { "a-1.tar.gz", "1", 0 }), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct manifest m;
		struct err e = ERR_INIT;

		make_manifest(s, "lab", 0, i + 2, &rows[i].spec, &plan, 1, &m);
		int r = commit_as(s, &m, rows[i].what, &e);
		ck_assert_msg(r == (rows[i].is_same ? 0 : -RC_CONFLICT), "%s: %s", rows[i].what, e.text);
		ck_assert(rows[i].is_same || str_has(str_of(e.text), rows[i].what));
		arena_release(&m.arena);
	}
	store_close(s);
}

UNIT(store_file_name_keeps_its_bytes)
{
	struct store *s = open_store(STORE_WRITE);
	struct store_view v;

	ck_assert_int_eq(COMMIT(s, 1, { "a-1.tar.gz", "1", 0 }), 0);
	ck_assert_int_eq(COMMIT(s, 2, { "a-1.tar.gz", "1", 'x' }), RC_CONFLICT);
	ck_assert_int_eq(COMMIT(s, 2, { "a-1.tar.gz", "1", 0 }, { "b-1.tar.gz", "1", 0 }), 0);
	store_close(s);
	load(&v);
	ck_assert_uint_eq(v.nbundles, 2);
	ck_assert_uint_eq(store_view_target(&v, STR("t"))->nfiles, 2);
	store_view_release(&v);
}

UNIT(store_lists_nothing_that_it_has_not)
{
	struct target_spec spec = good_target();
	const struct plan plan = { "a-1-py3-none-any.whl", "1", 0 };
	struct store *s = open_store(STORE_WRITE);
	struct manifest m;
	struct err e = ERR_INIT;

	make_manifest(s, "lab", 0, 1, &spec, &plan, 1, &m);
	ck_assert_int_eq(unlink(object_path(&m.files[0].metadata_sha256)), 0);
	ck_assert_int_eq(commit_as(s, &m, "x", &e), -RC_STORE);
	arena_release(&m.arena);
	err_clear(&e);
	make_manifest(s, "lab", 0, 1, &spec, &plan, 1, &m);
	damage(&m.files[0].sha256, "cut");
	ck_assert_int_eq(commit_as(s, &m, "x", &e), -RC_STORE);
	arena_release(&m.arena);
	store_close(s);
	err_clear(&e);
	ck_assert_int_eq(store_open(fixture_path("store"), STORE_READ, &s, &e), -RC_STORE);
}

UNIT(store_bundles_merge)
{
	struct store *s = open_store(STORE_WRITE);
	struct store_view v;

	ck_assert_int_eq(COMMIT(s, 1, { "a-1.tar.gz", "1", 0 }, { "b-1.tar.gz", "1", 0 }), 0);
	ck_assert_int_eq(COMMIT(s, 2, { "a-2.tar.gz", "2", 0 }, { "b-1.tar.gz", "1", 0 }), 0);
	store_close(s);
	load(&v);
	ck_assert(view_file(&v, "a-1.tar.gz")->is_listed); /* an index never shrinks */
	ck_assert(!view_file(&v, "a-1.tar.gz")->is_current);
	ck_assert(view_file(&v, "a-2.tar.gz")->is_current);
	ck_assert(view_file(&v, "b-1.tar.gz")->is_current);
	ck_assert_uint_eq(v.bundles[0].serial, 2);
	store_view_release(&v);
}

UNIT(store_channels_have_a_plan_each)
{
	const struct plan first = { "a-1.tar.gz", "1", 0 }, second = { "b-1.tar.gz", "1", 0 };
	struct target_spec spec = good_target();
	struct store *s = open_store(STORE_WRITE);
	struct manifest m;
	struct err e = ERR_INIT;
	struct store_view v;

	make_manifest(s, "lab", 0, 1, &spec, &first, 1, &m);
	ck_assert_int_eq(commit_as(s, &m, "one", &e), 0);
	arena_release(&m.arena);
	make_manifest(s, "more", 0, 1, &spec, &second, 1, &m);
	ck_assert_int_eq(commit_as(s, &m, "two", &e), 0);
	arena_release(&m.arena);
	store_close(s);
	load(&v);
	ck_assert(view_file(&v, "a-1.tar.gz")->is_current && view_file(&v, "b-1.tar.gz")->is_current);
	ck_assert(str_is(store_view_target(&v, STR("t"))->channel, "more"));
	store_view_release(&v);
}

UNIT(store_newer_variant_takes_the_place)
{
#define TAGS "-cp312-cp312-linux_x86_64.whl"
	struct store *s = open_store(STORE_WRITE);
	struct store_view v;

	ck_assert_int_eq(COMMIT(s, 1, { "fa-2.8+cu126" TAGS, "2.8+cu126", 0 }, { "x-1-py3-none-any.whl", "1", 0 },
				 { "fa-2.7+cu126" TAGS, "2.7+cu126", 0 }),
		0);
	ck_assert_int_eq(COMMIT(s, 2, { "fa-2.8+cu124" TAGS, "2.8+cu124", 0 },
				 { "fa-2.8+cu124-cp311-cp311-linux_x86_64.whl", "2.8+cu124", 0 }),
		0);
	store_close(s);
	load(&v);
	ck_assert(!view_file(&v, "fa-2.8+cu126" TAGS)->is_listed);
	ck_assert(view_file(&v, "fa-2.8+cu124" TAGS)->is_listed);
	ck_assert(view_file(&v, "fa-2.7+cu126" TAGS)->is_listed);
	ck_assert(view_file(&v, "x-1-py3-none-any.whl")->is_listed);
	store_view_release(&v);
}

UNIT(store_newer_word_on_a_file_counts)
{
	struct target_spec spec = good_target();
	const struct plan plan = { "a-1.tar.gz", "1", 0 };
	struct store *s = open_store(STORE_WRITE);
	struct manifest m;
	struct err e = ERR_INIT;
	struct store_view v;

	ck_assert_int_eq(COMMIT(s, 1, { "a-1.tar.gz", "1", 0 }), 0);
	make_manifest(s, "lab", 0, 2, &spec, &plan, 1, &m);
	m.files[0].is_yanked = true;
	m.files[0].yanked = STR("broken");
	m.targets[0].picks[0].use = USE_BUILD;
	ck_assert_int_eq(commit_as(s, &m, "two", &e), 0);
	arena_release(&m.arena);
	store_close(s);
	load(&v);
	const struct store_file *f = view_file(&v, "a-1.tar.gz");
	ck_assert(f->file.is_yanked && str_is(f->file.yanked, "broken") && f->use == USE_BUILD);
	ck_assert_uint_eq(store_view_target(&v, STR("t"))->nfiles, 1);
	store_view_release(&v);
}

UNIT(store_keeps_extras_and_recipes)
{
	struct str extras[] = { STR("fast"), STR("gpu") }, names[] = { STR("FORCE"), STR("X") };
	struct str values[] = { STR("TRUE"), STR("a \"b\" ${ARCH}") }, requires[] = { STR("ninja") };
	const struct plan plans[] = { { "a-1.tar.gz", "1", 0 }, { "z-1.tar.gz", "1", 0 } };
	struct manifest_recipe recipe = { .file = 1, .requires = requires, .nrequires = 1,
		.env_names = names, .env_values = values, .nenv = 2, .device_code = true };
	struct target_spec spec = good_target();
	struct store *s = open_store(STORE_WRITE);
	struct manifest m;
	struct err e = ERR_INIT;
	struct store_view v;

	make_manifest(s, "lab", 0, 1, &spec, plans, 2, &m);
	m.targets[0].picks[0].extras = extras;
	m.targets[0].picks[0].nextras = 2;
	m.targets[0].recipes = &recipe;
	m.targets[0].nrecipes = 1;
	m.targets[0].toolkit = STR("site:13.0");
	ck_assert_int_eq(commit_as(s, &m, "one", &e), 0);
	arena_release(&m.arena);
	store_close(s);
	load(&v);
	const struct store_target *t = store_view_target(&v, STR("t"));
	ck_assert(str_is(t->toolkit, "site:13.0"));
	ck_assert_uint_eq(t->files[0].nextras, 2);
	ck_assert(str_is(t->files[0].extras[1], "gpu"));
	ck_assert_uint_eq(t->nrecipes, 1);
	ck_assert(str_is(t->files[t->recipes[0].file].file.file, "z-1.tar.gz"));
	ck_assert(t->recipes[0].nenv == 2 && str_is(t->recipes[0].env_values[1], "a \"b\" ${ARCH}"));
	ck_assert(str_is(t->recipes[0].requires[0], "ninja") && t->recipes[0].device_code);
	store_view_release(&v);
}

/* ---- builds ---- */

static enum rc commit_build(struct store *s, const char *target, const char *sdist, const struct plan *wheel)
{
	struct arena a = ARENA_INIT;
	struct store_build b = { .target = str_of(target) };
	struct plan source = { sdist, "1", 0 };
	struct manifest_file f;
	struct err e = ERR_INIT;

	plan_file(s, &a, &source, &f);
	b.sdist = f.sha256;
	plan_file(s, &a, wheel, &b.wheel);
	ck_assert_int_eq(store_put_text(s, STR("provenance"), &b.provenance, &e), 0);
	store_commit_build(s, &b, NOW, &e);
	arena_release(&a);
	return e.rc;
}

UNIT(store_build_joins_its_target)
{
	const struct plan wheel = { "k-1-cp312-cp312-linux_x86_64.whl", "1", 0 };
	struct store *s = open_store(STORE_WRITE);
	struct store_view v;

	ck_assert_int_eq(COMMIT(s, 1, { "k-1.tar.gz", "1", 0 }), 0);
	ck_assert_int_eq(commit_build(s, "other", "k-1.tar.gz", &wheel), RC_NOT_FOUND);
	ck_assert_int_eq(commit_build(s, "t", "x-1.tar.gz", &wheel), RC_NOT_FOUND);
	ck_assert_int_eq(commit_build(s, "t", "k-1.tar.gz", &wheel), 0);
	store_close(s);
	load(&v);
	const struct store_file *f = view_file(&v, "k-1-cp312-cp312-linux_x86_64.whl");
	ck_assert(f->is_built && f->is_listed && f->is_current && f->is_requested && f->use == USE_RUN);
	ck_assert_uint_ne(f->provenance.b[0] | f->provenance.b[1], 0);
	ck_assert_uint_eq(v.generation, 2);
	store_view_release(&v);
}

UNIT(store_build_replaces_an_earlier_one)
{
	const struct plan first = { "k-1-cp312-cp312-linux_x86_64.whl", "1", 'a' };
	const struct plan second = { "k-1-cp312-cp312-linux_x86_64.whl", "1", 'b' };
	struct store *s = open_store(STORE_WRITE);
	struct store_view v;
	size_t listed = 0;

	ck_assert_int_eq(COMMIT(s, 1, { "k-1.tar.gz", "1", 0 }), 0);
	ck_assert_int_eq(commit_build(s, "t", "k-1.tar.gz", &first), 0);
	ck_assert_int_eq(commit_build(s, "t", "k-1.tar.gz", &second), 0);
	store_close(s);
	load(&v);
	const struct store_target *t = store_view_target(&v, STR("t"));
	ck_assert_uint_eq(t->nfiles, 3); /* the old one is served by its digest */
	for (size_t i = 0; i < t->nfiles; i++) {
		listed += t->files[i].is_listed;
	}
	ck_assert_uint_eq(listed, 2);
	store_view_release(&v);
}

UNIT(store_build_never_speaks_for_a_bundle)
{
	const struct plan wheel = { "k-1-cp312-cp312-linux_x86_64.whl", "1", 'b' };
	struct store *s = open_store(STORE_WRITE);
	struct store_view v;

	ck_assert_int_eq(COMMIT(s, 1, { "k-1.tar.gz", "1", 0 }), 0);
	ck_assert_int_eq(commit_build(s, "t", "k-1.tar.gz", &wheel), 0);
	ck_assert_int_eq(COMMIT(s, 2, { "k-1.tar.gz", "1", 0 },
				 { "k-1-cp312-cp312-linux_x86_64.whl", "1", 0 }),
		0);
	ck_assert_int_eq(commit_build(s, "t", "k-1.tar.gz", &wheel), RC_CONFLICT);
	store_close(s);
	load(&v);
	const struct store_target *t = store_view_target(&v, STR("t"));
	for (size_t i = 0; i < t->nfiles; i++) {
		ck_assert_int_eq(t->files[i].is_listed, !t->files[i].is_built);
	}
	store_view_release(&v);
}

/* ---- publishing ---- */

UNIT(store_view_knows_when_it_is_stale)
{
	struct store *s = open_store(STORE_WRITE), *reader;
	struct store_view v;
	struct err e = ERR_INIT;

	ck_assert_int_eq(COMMIT(s, 1, { "a-1.tar.gz", "1", 0 }), 0);
	reader = open_store(STORE_READ);
	ck_assert_int_eq(store_view_load(reader, &v, &e), 0);
	ck_assert(!store_view_is_stale(reader, &v));
	ck_assert_int_eq(COMMIT(s, 2, { "a-2.tar.gz", "2", 0 }), 0);
	ck_assert(store_view_is_stale(reader, &v));
	store_view_release(&v);
	ck_assert_int_eq(store_view_load(reader, &v, &e), 0);
	ck_assert_uint_eq(v.generation, 2);
	ck_assert(!store_view_is_stale(reader, &v));
	store_view_release(&v);
	store_close(reader);
	store_close(s);
}

static const char *store_file_path(const char *name)
{
	static char path[4096];

	snprintf(path, sizeof(path), "%s/%s", fixture_path("store"), name);
	return path;
}

UNIT(store_opening_repairs_what_a_killed_writer_left)
{
	struct store *s = open_store(STORE_WRITE);
	struct store_view v;
	struct err e = ERR_INIT;

	ck_assert_int_eq(COMMIT(s, 1, { "a-1.tar.gz", "1", 0 }), 0);
	ck_assert_int_eq(COMMIT(s, 2, { "a-2.tar.gz", "2", 0 }), 0);
	store_close(s);
	/* As if it had been killed between commit and publishing, with half a copy lying about. */
	ck_assert_int_eq(fs_write(store_file_path("current"), STR("1.db\n"), 0644, &e), 0);
	ck_assert_int_eq(unlink(store_file_path("published/2.db")), 0);
	ck_assert_int_eq(fs_write(store_file_path("published/2.db.new"), STR("half"), 0644, &e), 0);
	ck_assert_int_eq(mkdir(store_file_path("staging"), 0700), 0);
	ck_assert_int_eq(fs_write(store_file_path("staging/1.1"), STR("half"), 0644, &e), 0);
	load(&v);
	ck_assert_uint_eq(v.generation, 1);
	store_view_release(&v);
	store_close(open_store(STORE_WRITE));
	load(&v);
	ck_assert_uint_eq(v.generation, 2);
	store_view_release(&v);
	ck_assert(!fs_exists(store_file_path("staging")));
	ck_assert(!fs_exists(store_file_path("published/2.db.new")));
	ck_assert_int_eq(unlink(store_file_path("current")), 0);
	store_close(open_store(STORE_WRITE));
	load(&v);
	store_view_release(&v);
}

UNIT(store_keeps_two_published_copies)
{
	struct store *s = open_store(STORE_WRITE);

	for (uint64_t i = 1; i <= 4; i++) {
		ck_assert_int_eq(COMMIT(s, i, { "a-1.tar.gz", "1", 0 }), 0);
	}
	store_close(s);
	ck_assert(!fs_exists(store_file_path("published/2.db")));
	ck_assert(fs_exists(store_file_path("published/3.db")));
	ck_assert(fs_exists(store_file_path("published/4.db")));
}

UNIT(store_damaged_current_is_an_error_not_a_crash)
{
	static const char *const texts[] = { "", "x", "../../etc/passwd.db", "1.db.db", "-1.db", "1" };
	struct store *s = open_store(STORE_WRITE);
	struct store_view v;

	ck_assert_int_eq(COMMIT(s, 1, { "a-1.tar.gz", "1", 0 }), 0);
	store_close(s);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct err e = ERR_INIT;

		ck_assert_int_eq(fs_write(store_file_path("current"), str_of(texts[i]), 0644, &e), 0);
		s = open_store(STORE_READ);
		ck_assert_int_eq(store_view_load(s, &v, &e), -RC_STORE);
		store_close(s);
	}
	store_close(open_store(STORE_WRITE));
	load(&v);
	store_view_release(&v);
}

UNIT(store_damaged_copy_is_an_error_not_a_crash)
{
	struct store *s = open_store(STORE_WRITE);
	struct store_view v;
	struct err e = ERR_INIT;
	struct stat st;

	ck_assert_int_eq(COMMIT(s, 1, { "a-1.tar.gz", "1", 0 }, { "b-1-py3-none-any.whl", "1", 0 }), 0);
	store_close(s);
	ck_assert_int_eq(chmod(store_file_path("published/1.db"), 0644), 0);
	int fd = open(store_file_path("published/1.db"), O_RDWR);
	ck_assert_int_eq(fstat(fd, &st), 0);
	for (off_t at = 0; at < st.st_size; at += 97) {
		unsigned char was = 0, other;

		err_clear(&e);
		ck_assert_int_eq(pread(fd, &was, 1, at), 1);
		other = (unsigned char)~was;
		ck_assert_int_eq(pwrite(fd, &other, 1, at), 1);
		s = open_store(STORE_READ);
		if (store_view_load(s, &v, &e) == 0) {
			store_view_release(&v);
		}
		store_close(s);
		ck_assert_int_eq(pwrite(fd, &was, 1, at), 1);
	}
	ck_assert_int_eq(ftruncate(fd, st.st_size / 2), 0);
	close(fd);
	s = open_store(STORE_READ);
	ck_assert_int_lt(store_view_load(s, &v, &e), 0);
	store_close(s);
}

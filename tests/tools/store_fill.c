/* Fills a store from folders of wheels and sdists, without a bundle: through the store's own calls,
 *with a manifest made by hand. For tests of what comes behind the import.
 *
 *	store_fill bundle STORE CHANNEL SERIAL TARGET FOLDER [TARGET FOLDER]...
 *	store_fill build STORE TARGET-NAME SDIST WHEEL
 *
 * TARGET is NAME,PYTHON,PLATFORM,GLIBC,GPU[,TORCH]: h100,3.12,linux_x86_64,2.28,9.0,2.11.0+cu130. A
 *file is needed to run; one in FOLDER/build to build, one in FOLDER/toolkit is of the toolkit. A
 *text beside a file, FILE.yanked, is the reason why it is yanked. */
#include "manifests/base/fs.h"
#include "manifests/base/log.h"
#include "manifests/base/mem.h"
#include "manifests/base/vec.h"
#include "mirror/store.h"
#include "verify/hash.h"
#include "verify/wheel_in.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TEXT_MAX = 4096 };
#define NOW UINT64_C(1790000000)

struct found { /* a file of one target */
	struct manifest_file file;
	enum manifest_use use;
	size_t target;
};

struct fill {
	struct store *store;
	struct manifest manifest;
	VEC(struct found) found;
};

static int copy_object(
	struct store *s, int fd, uint64_t size, const struct digest *d, struct err *e)
{
	CLEANUP(free) char *bytes = mem_alloc(size);
	struct store_object *o;

	if (pread(fd, bytes, size, 0) != (ssize_t)size) {
		return err_sys(e, "read");
	}
	int r = store_object_begin(s, size, &o, e);
	if (!r && store_object_add(o, bytes, size, e)) {
		store_object_abort(o);
		return -(int)e->rc;
	}
	return r ? r : store_object_commit(o, d, e);
}

static int describe_wheel(struct fill *f, int fd, struct manifest_file *m, struct err *e)
{
	CLEANUP_WHEEL struct wheel *w = NULL;
	const struct wheel_metadata *metadata = NULL;
	struct arena *a = &f->manifest.arena;
	int r = wheel_open_fd(fd, m->file, &w, e);

	r = r ? r : wheel_metadata(w, &metadata, e);
	r = r ? r : store_put_text(f->store, metadata->text, &m->metadata_sha256, e);
	if (!r) {
		m->metadata_size = metadata->text.n;
		m->version = arena_str(a, metadata->core.version);
		m->requires_python = arena_str(a, metadata->core.requires_python);
		m->local_mismatch = metadata->has_local_mismatch;
	}
	return r;
}

static int describe(struct fill *f, const char *path, struct manifest_file *m, struct err *e)
{
	struct arena *a = &f->manifest.arena;
	CLEANUP(fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
	CLEANUP_BUF struct buf reason = BUF_INIT;
	struct dist_name name;
	struct err ignored = ERR_INIT;
	int r = fd < 0 ? err_sys(e, "%s", path) : 0;

	m->file = arena_str(a, str_of(fs_basename(path)));
	r = r ? r : dist_name_parse(a, m->file, &name, e);
	r = r ? r : hash_fd(fd, path, &m->sha256, &m->size, e);
	r = r ? r : copy_object(f->store, fd, m->size, &m->sha256, e);
	if (r) {
		return r;
	}
	m->name = name.name;
	m->version = name.version.raw;
	m->kind = name.kind;
	m->hash_from = HASH_FROM_LOCK;
	if (fs_read(arena_printf(a, "%s.yanked", path), TEXT_MAX, &reason, &ignored) == 0) {
		m->is_yanked = true;
		m->yanked = arena_str(a, str_trim(buf_str(&reason)));
	}
	return name.kind == DIST_WHEEL ? describe_wheel(f, fd, m, e) : 0;
}

static int add_folder(
	struct fill *f, const char *folder, enum manifest_use use, size_t target, struct err *e)
{
	struct arena *a = &f->manifest.arena;
	char **names = NULL;
	size_t n = 0;
	int r = fs_list(folder, a, &names, &n, e);

	for (size_t i = 0; !r && i < n; i++) {
		const char *path = arena_printf(a, "%s/%s", folder, names[i]);
		struct found found = { .use = use, .target = target };
		struct stat st;

		if (str_ends(str_of(names[i]), ".yanked")) {
			continue;
		}
		if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
			enum manifest_use below =
				strcmp(names[i], "build") == 0 ? USE_BUILD : USE_TOOLKIT;

			r = add_folder(f, path, below, target, e);
			continue;
		}
		r = describe(f, path, &found.file, e);
		if (!r) {
			vec_push(&f->found, found);
		}
	}
	return r;
}

static int parse_target(struct arena *a, const char *text, struct target *out, struct err *e)
{
	struct target_spec spec = { .cxx11_abi = -1 };
	struct str rest = str_of(text), gpu = STR_NULL,
		   *to[] = { &spec.name, &spec.python, &spec.platform, &spec.glibc, &gpu,
			   &spec.torch };

	for (size_t i = 0; i < sizeof(to) / sizeof(to[0]) && str_cut(&rest, ',', to[i]); i++) {
	}
	spec.gpus = &gpu;
	spec.ngpus = 1;
	return target_make(a, &spec, out, e);
}

static int by_name(const void *a, const void *b)
{
	const struct found *x = a, *y = b;
	int c = str_cmp(x->file.name, y->file.name);

	c = c ? c : str_cmp(x->file.file, y->file.file);
	return c ? c : digest_cmp(&x->file.sha256, &y->file.sha256);
}

/* Distinct files, and picks that point to them. */
static void make_plan(struct fill *f)
{
	struct manifest *m = &f->manifest;

	qsort(f->found.v, f->found.n, sizeof(*f->found.v), by_name);
	m->files = arena_array(&m->arena, f->found.n, sizeof(*m->files));
	for (size_t i = 0; i < m->ntargets; i++) {
		m->targets[i].picks =
			arena_array(&m->arena, f->found.n, sizeof(struct manifest_pick));
	}
	for (size_t i = 0; i < f->found.n; i++) {
		const struct found *x = &f->found.v[i];
		struct manifest_target *t = &m->targets[x->target];

		if (i == 0 || by_name(x, x - 1) != 0) {
			m->files[m->nfiles++] = x->file;
		}
		t->picks[t->npicks++] = (struct manifest_pick){
			.file = m->nfiles - 1, .use = x->use, .is_requested = x->use == USE_RUN
		};
	}
}

static int fill_bundle(struct fill *f, int argc, char **argv, struct err *e)
{
	struct manifest *m = &f->manifest;
	struct digest manifest, signature;
	struct public_key signer = { .number = { 1 } };
	int r = 0;

	m->channel = str_of(argv[0]);
	if (!str_to_u64(str_of(argv[1]), &m->serial)) {
		return err_set(e, RC_USAGE, "%s: not a serial", argv[1]);
	}
	m->created = NOW;
	m->targets = arena_array(&m->arena, (size_t)argc / 2, sizeof(*m->targets));
	for (int i = 2; !r && i + 1 < argc; i += 2) {
		r = parse_target(&m->arena, argv[i], &m->targets[m->ntargets].target, e);
		r = r ? r : add_folder(f, argv[i + 1], USE_RUN, m->ntargets++, e);
	}
	if (r) {
		return r;
	}
	make_plan(f);
	const char *text = arena_printf(
		&m->arena, "manifest of %s %s with %zu files", argv[0], argv[1], m->nfiles);
	r = store_put_text(f->store, str_of(text), &manifest, e);
	r = r ? r : store_put_text(f->store, STR("signature"), &signature, e);
	return r ? r : store_commit_bundle(f->store, m, &manifest, &signature, &signer, NOW, e);
}

static int fill_build(struct fill *f, char **argv, struct err *e)
{
	struct store_build b = { .target = str_of(argv[0]), .signer = { .number = { 2 } } };
	CLEANUP(fd) int fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	uint64_t size;
	int r = hash_fd(fd, argv[1], &b.sdist, &size, e);

	r = r ? r : describe(f, argv[2], &b.wheel, e);
	r = r ? r : store_put_text(f->store, STR("provenance"), &b.provenance, e);
	r = r ? r : store_put_text(f->store, STR("signature"), &b.signature, e);
	r = r ? r : store_put_text(f->store, STR("log"), &b.log, e);
	return r ? r : store_commit_build(f->store, &b, NOW, e);
}

int main(int argc, char **argv)
{
	struct fill f = { .manifest = MANIFEST_INIT, .found = VEC_INIT };
	struct err e = ERR_INIT;
	bool is_bundle = argc >= 7 && argc % 2 == 1 && strcmp(argv[1], "bundle") == 0;
	bool is_build = argc == 6 && strcmp(argv[1], "build") == 0;

	if (!is_bundle && !is_build) {
		fputs("usage: store_fill bundle STORE CHANNEL SERIAL TARGET FOLDER...\n"
		      "       store_fill build STORE TARGET-NAME SDIST WHEEL\n",
			stderr);
		return 2;
	}
	int r = store_open(argv[2], STORE_WRITE, &f.store, &e);
	if (!r) {
		r = is_bundle ? fill_bundle(&f, argc - 3, argv + 3, &e)
			      : fill_build(&f, argv + 3, &e);
	}
	store_close(f.store);
	arena_release(&f.manifest.arena);
	vec_release(&f.found);
	return r ? log_error("store_fill", &e, false) : 0;
}

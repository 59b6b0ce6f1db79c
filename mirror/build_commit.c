#include "manifests/base/clock.h"
#include "manifests/base/fs.h"
#include "manifests/base/mem.h"
#include "mirror/build_private.h"
#include "mirror/provenance.h"
#include "mirror/site_key.h"
#include "verify/hash.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 256 * 1024 };

/* A file becomes an object; its digest is that of the bytes that were written. */
static int put_fd(
	struct store *s, int fd, const char *name, uint64_t size, struct digest *out, struct err *e)
{
	CLEANUP_HASH struct hash *hash = hash_new();
	CLEANUP(free) char *bytes = mem_alloc(PIECE);
	struct store_object *o = NULL;
	struct digest d;
	off_t at = 0;
	int r = store_object_begin(s, size, &o, e);

	while (!r && (uint64_t)at < size) {
		ssize_t n = pread(fd, bytes, PIECE, at);

		if (n <= 0) {
			r = n < 0 ? err_sys(e, "%s: cannot read", name)
				  : err_set(e, RC_IO, "%s: shorter than it was", name);
			break;
		}
		hash_add(hash, bytes, (size_t)n);
		r = store_object_add(o, bytes, (size_t)n, e);
		at += n;
	}
	if (r) {
		store_object_abort(o);
		return r;
	}
	hash_final(hash, &d);
	r = store_object_commit(o, &d, e);
	if (!r) {
		*out = d;
	}
	return r;
}

static int put_log(struct build_job *j, struct store *s, struct digest *out, struct err *e)
{
	CLEANUP(fd) int fd = open(j->log_path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct stat st;

	if (fd < 0 || fstat(fd, &st)) {
		return err_sys(e, "%s: cannot open", j->log_path);
	}
	return put_fd(s, fd, j->log_path, (uint64_t)st.st_size, out, e);
}

static int put_wheel(struct build_job *j, struct store *s, struct err *e)
{
	const struct manifest_file *f = &j->wheel.file;
	struct digest wheel, metadata;

	if (put_fd(s, j->wheel.fd, f->file.p, f->size, &wheel, e) ||
		store_put_text(s, j->wheel.metadata, &metadata, e)) {
		return -(int)e->rc;
	}
	if (!digest_eq(&wheel, &f->sha256) || !digest_eq(&metadata, &f->metadata_sha256)) {
		return err_set(e, RC_HASH, "%.*s: changed while it was taken in", STR_ARG(f->file));
	}
	return 0;
}

/* The first line that the C++ compiler says of itself. */
static const char *compiler_of(struct build_job *j)
{
	CLEANUP_BUF struct buf said = BUF_INIT;
	const char *named = build_vars_get(&j->vars, "CXX");
	const char *program =
		named ? named : machine_program(&j->a, STR("/usr/local/bin:/usr/bin:/bin"), "c++");
	const char *const argv[] = { program, "--version", NULL };
	const char *const env[] = { "PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", NULL };
	struct child_spec spec = { .argv = argv,
		.env = env,
		.folder = "/",
		.way = CHILD_OPEN,
		.limits = { .seconds = 30 } };
	struct child_result r;
	struct err ignored = ERR_INIT;
	struct str text, line;

	if (!program || program[0] != '/' || child_capture(&spec, 1 << 16, &r, &said, &ignored) ||
		!child_is_ok(&r)) {
		return NULL;
	}
	text = buf_str(&said);
	return str_cut(&text, '\n', &line) && str_is_utf8(line) ? arena_dup(&j->a, line) : NULL;
}

static int put_provenance(struct build_job *j, struct store *s, const struct secret_key *key,
	struct store_build *b, struct err *e)
{
	CLEANUP_BUF struct buf statement = BUF_INIT;
	CLEANUP_BUF struct buf signature = BUF_INIT;
	struct provenance p = { .target = &j->target->target,
		.sdist = j->sdist,
		.wheel = &j->wheel.file,
		.env = &j->env_wheels,
		.toolkit = &j->kit_wheels,
		.vars = &j->vars,
		.log = b->log,
		.began = j->began,
		.ended = j->ended,
		.builder = b->signer };

	p.python = arena_printf(&j->a, "CPython %u.%u.%u%s", j->python.major, j->python.minor,
		j->python.patch, j->python.free_threaded ? "t" : "");
	p.nvcc = j->kit ? arena_printf(&j->a, "%s%s", j->kit->toolkit.release,
				  j->kit->toolkit.is_site ? " (site)" : "")
			: NULL;
	p.compiler = compiler_of(j);
	p.platform = arena_printf(&j->a, "%.*s %s %u.%u", STR_ARG(j->b->machine.platform),
		j->b->machine.libc == TARGET_GLIBC ? "glibc" : "musl", j->b->machine.libc_major,
		j->b->machine.libc_minor);
	p.confinement = builder_confinement(j->b);
	provenance_write(&p, &statement);
	if (provenance_sign(&p, buf_str(&statement), key, &signature, e) ||
		store_put_text(s, buf_str(&statement), &b->provenance, e)) {
		return -(int)e->rc;
	}
	return store_put_text(s, buf_str(&signature), &b->signature, e);
}

int build_commit(struct build_job *j, struct err *e)
{
	CLEANUP_STORE struct store *s = NULL;
	CLEANUP_SECRET_KEY struct secret_key *key = NULL;
	struct store_build b = { .target = j->target->target.name, .sdist = j->sdist->sha256 };

	if (store_open(j->b->store, STORE_WRITE, &s, e) || site_key_open(s, &key, e)) {
		return -(int)e->rc;
	}
	secret_key_public(key, &b.signer);
	if (put_wheel(j, s, e) || put_log(j, s, &b.log, e) || put_provenance(j, s, key, &b, e)) {
		return -(int)e->rc;
	}
	b.wheel = j->wheel.file;
	return store_commit_build(s, &b, clock_now(), e);
}

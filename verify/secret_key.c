#include "verify/key.h"
#include "manifests/base/arena.h"
#include "manifests/base/fs.h"
#include "manifests/base/mem.h"
#include "manifests/limits.h"
#include "verify/crypto.h"
#include "verify/minisign_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST_LINE MINISIGN_UNTRUSTED "minisign encrypted secret key" /* also when it is not */

/* minisign.h of minisign 0.11. Numbers are little-endian. `hidden` is XORed with the scrypt stream
 * where kdf is "Sc", and plain where it is two zero bytes. */
struct secret_key_bytes {
	uint8_t algorithm[2]; /* "Ed" */
	uint8_t kdf[2];
	uint8_t checksum_algorithm[2]; /* "B2": BLAKE2b-256 of algorithm, number, secret */
	uint8_t salt[SCRYPT_SALT];
	uint8_t operations[8], memory[8];
	struct hidden {
		uint8_t number[8];
		uint8_t secret[ED25519_SECRET];
		uint8_t checksum[32];
	} hidden;
};
_Static_assert(sizeof(struct secret_key_bytes) == 158, "the layout is the file format");
_Static_assert(sizeof(struct hidden) == 104, "the layout is the file format");

struct secret_key {
	uint8_t number[8];
	uint8_t secret[ED25519_SECRET];
};

/* minisign writes the first pair and halves both down to libsodium's least, the last pair. */
static const struct scrypt_limits written = { UINT64_C(1) << 25, UINT64_C(1) << 30 };
static const struct scrypt_limits accepted = { UINT64_C(1) << 28, UINT64_C(1) << 30 };
static const struct scrypt_limits least = { UINT64_C(1) << 15, UINT64_C(1) << 24 };

static void put_le64(uint8_t to[8], uint64_t value)
{
	for (size_t i = 0; i < 8; i++) {
		to[i] = (uint8_t)(value >> (8 * i));
	}
}

static uint64_t get_le64(const uint8_t from[8])
{
	uint64_t value = 0;

	for (size_t i = 8; i-- > 0;) {
		value = value << 8 | from[i];
	}
	return value;
}

int secret_key_from_seed(
	const uint8_t seed[32], const uint8_t number[8], struct secret_key **out, struct err *e)
{
	struct secret_key *k = guarded_alloc(sizeof(*k));
	struct public_key key;

	memcpy(k->number, number, sizeof(k->number));
	ed25519_from_seed(seed, k->secret);
	secret_key_public(k, &key);
	if (!ed25519_is_key(key.key)) {
		secret_key_free(k);
		return err_set(e, RC_BUG, "a seed led to no Ed25519 key");
	}
	*out = k;
	return 0;
}

int secret_key_generate(struct secret_key **out, struct err *e)
{
	CLEANUP_GUARDED uint8_t *seed = guarded_alloc(ED25519_SEED);
	uint8_t number[8];

	random_bytes(seed, ED25519_SEED);
	random_bytes(number, sizeof(number));
	return secret_key_from_seed(seed, number, out, e);
}

void secret_key_public(const struct secret_key *k, struct public_key *out)
{
	memcpy(out->number, k->number, sizeof(out->number));
	memcpy(out->key, k->secret + ED25519_SEED, sizeof(out->key));
}

void secret_key_free(struct secret_key *k)
{
	guarded_free(k);
}

void cleanup_secret_key(struct secret_key **k)
{
	secret_key_free(*k);
}

void secret_key_sign(const struct secret_key *k, const void *message, size_t n, uint8_t out[64])
{
	ed25519_sign(k->secret, (struct str){ message, n }, out);
}

/* ---- the file ---- */

static void checksum_of(const struct secret_key_bytes *f, uint8_t out[32])
{
	enum { NUMBER_AND_SECRET = sizeof(f->hidden.number) + sizeof(f->hidden.secret) };
	CLEANUP_GUARDED char *covered = guarded_alloc(sizeof(f->algorithm) + NUMBER_AND_SECRET);

	memcpy(covered, f->algorithm, sizeof(f->algorithm));
	memcpy(covered + sizeof(f->algorithm), &f->hidden, NUMBER_AND_SECRET);
	blake2b((struct str){ covered, sizeof(f->algorithm) + NUMBER_AND_SECRET }, out, 32);
}

/* XORs `hidden`: encrypts and decrypts. */
static bool apply_password(
	struct secret_key_bytes *f, const char *password, struct scrypt_limits limits)
{
	CLEANUP_GUARDED uint8_t *stream = guarded_alloc(sizeof(f->hidden));
	uint8_t *hidden = (uint8_t *)&f->hidden;

	if (!scrypt_stream(str_of(password), f->salt, limits, stream, sizeof(f->hidden))) {
		return false;
	}
	for (size_t i = 0; i < sizeof(f->hidden); i++) {
		hidden[i] ^= stream[i];
	}
	return true;
}

static int encrypt(struct secret_key_bytes *f, const char *password, struct err *e)
{
	memcpy(f->kdf, "Sc", 2);
	random_bytes(f->salt, sizeof(f->salt));
	checksum_of(f, f->hidden.checksum);
	for (struct scrypt_limits limits = written;
		limits.operations >= least.operations && limits.memory >= least.memory;
		limits.operations /= 2, limits.memory /= 2) {
		put_le64(f->operations, limits.operations);
		put_le64(f->memory, limits.memory);
		if (apply_password(f, password, limits)) {
			return 0;
		}
	}
	return err_set(e, RC_IO, "not enough memory to encrypt a key");
}

static int too_little_memory(const char *path, uint64_t need, struct err *e)
{
	err_set(e, RC_IO, "%s: not enough memory to decrypt it", path);
	return err_hint(e, "it was encrypted to need %llu MiB: run this where they are free",
		(unsigned long long)(need >> 20));
}

static int decrypt(struct secret_key_bytes *f, const char *path,
	const struct password_source *source, struct err *e)
{
	struct scrypt_limits limits = { get_le64(f->operations), get_le64(f->memory) };
	CLEANUP(free) char *prompt = NULL;
	CLEANUP_GUARDED char *password = NULL;
	uint8_t checksum[32];

	if (limits.operations > accepted.operations || limits.memory > accepted.memory) {
		return err_set(e, RC_KEY, "%s: its password function asks for too much work", path);
	}
	if (!source) {
		return err_set(e, RC_KEY, "%s: is encrypted, and no password is at hand", path);
	}
	struct buf text = BUF_INIT;
	buf_addf(&text, "Password of %s: ", path);
	prompt = buf_detach(&text);
	int r = password_read(source, prompt, &password, e);
	if (r) {
		return err_wrap(e, "%s", path);
	}
	if (!apply_password(f, password, limits)) {
		return too_little_memory(path, limits.memory, e);
	}
	checksum_of(f, checksum);
	if (memcmp(checksum, f->hidden.checksum, sizeof(checksum)) != 0) {
		err_set(e, RC_KEY, "%s: the password does not open it", path);
		return err_hint(e, "a wrong password, or a damaged file");
	}
	return 0;
}

/* An unencrypted key has no checksum when it was made so, and one when it was once encrypted. */
static int check_plain(const struct secret_key_bytes *f, const char *path, struct err *e)
{
	static const uint8_t none[32];
	uint8_t checksum[32];

	checksum_of(f, checksum);
	if (memcmp(f->hidden.checksum, none, sizeof(none)) != 0 &&
		memcmp(f->hidden.checksum, checksum, sizeof(checksum)) != 0) {
		return err_set(e, RC_KEY, "%s: damaged: its checksum is wrong", path);
	}
	return 0;
}

static int key_of_bytes(
	const struct secret_key_bytes *f, const char *path, struct secret_key **out, struct err *e)
{
	struct secret_key *k = NULL;
	int r = secret_key_from_seed(f->hidden.secret, f->hidden.number, &k, e);

	/* Signing with a public half that is not the seed's would give the seed away. */
	if (!r && memcmp(k->secret, f->hidden.secret, sizeof(k->secret)) != 0) {
		secret_key_free(k);
		return err_set(
			e, RC_KEY, "%s: damaged: its two halves do not belong together", path);
	}
	if (!r) {
		*out = k;
	}
	return r;
}

static int parse(struct str text, const char *path, struct secret_key_bytes *f, struct err *e)
{
	struct str comment, line;
	static const uint8_t plain[2];

	if (!minisign_comment(&text, MINISIGN_UNTRUSTED, false, &comment) ||
		!minisign_line(&text, &line) || text.n || !base64_exact(line, f, sizeof(*f)) ||
		memcmp(f->algorithm, "Ed", 2) != 0 || memcmp(f->checksum_algorithm, "B2", 2) != 0) {
		err_set(e, RC_KEY, "%s: not a minisign secret key", path);
		return err_hint(e, "make a key with: gpkg-bundle keygen");
	}
	if (memcmp(f->kdf, "Sc", 2) != 0 && memcmp(f->kdf, plain, 2) != 0) {
		return err_set(e, RC_KEY, "%s: its password function is not known", path);
	}
	return 0;
}

static int open_private(const char *path, int *out, struct err *e)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR)) {
		err_set(e, RC_NOT_FOUND, "%s: no such key", path);
		return err_hint(e, "make one with: gpkg-bundle keygen");
	}
	if (fd < 0) {
		return err_sys(e, "%s: cannot open", path);
	}
	if (fstat(fd, &st)) {
		err_sys(e, "%s: cannot read", path);
		close(fd);
		return -(int)e->rc;
	}
	if (st.st_mode & (S_IRWXG | S_IRWXO)) {
		close(fd);
		err_set(e, RC_PERMISSION, "%s: other users have access to this secret key", path);
		return err_hint(e, "run: chmod 600 %s", path);
	}
	*out = fd;
	return 0;
}

/* Straight into guarded memory: fs_read's buffer would leave copies of a plain key behind. */
static int read_all(int fd, const char *path, char *to, size_t *n, struct err *e)
{
	size_t total = 0;

	for (;;) {
		ssize_t got = read(fd, to + total, LIMIT_SIGNATURE + 1 - total);

		if (got < 0 && errno == EINTR) {
			continue;
		}
		if (got < 0) {
			return err_sys(e, "%s: cannot read", path);
		}
		total += (size_t)got;
		if (total > LIMIT_SIGNATURE) {
			return err_set(e, RC_KEY, "%s: too long to be a minisign secret key", path);
		}
		if (got == 0) {
			*n = total;
			return 0;
		}
	}
}

int secret_key_read(const char *path, const struct password_source *password,
	struct secret_key **out, struct err *e)
{
	CLEANUP(fd) int fd = -1;
	CLEANUP_GUARDED char *text = guarded_alloc(LIMIT_SIGNATURE + 1);
	CLEANUP_GUARDED struct secret_key_bytes *f = guarded_alloc(sizeof(*f));
	size_t n = 0;
	int r = open_private(path, &fd, e);

	if (!r) {
		r = read_all(fd, path, text, &n, e);
	}
	if (!r) {
		r = parse((struct str){ text, n }, path, f, e);
	}
	if (!r) {
		r = f->kdf[0] ? decrypt(f, path, password, e) : check_plain(f, path, e);
	}
	return r ? r : key_of_bytes(f, path, out, e);
}

static int exists(const char *path, struct err *e)
{
	err_set(e, RC_CONFLICT, "%s: exists, and a key is never replaced", path);
	return err_hint(e, "choose another name with -o BASE");
}

int secret_key_check_base(const char *base, struct err *e)
{
	static const char *const ends[] = { ".key", ".pub" };
	struct arena a = ARENA_INIT;
	int r = 0;

	for (size_t i = 0; i < 2 && !r; i++) {
		struct stat st;
		const char *path = arena_printf(&a, "%s%s", base, ends[i]);

		if (lstat(path, &st) == 0) {
			r = exists(path, e);
		}
	}
	arena_release(&a);
	return r;
}

/* fs_new_commit_keep leaves an existing file alone and says nothing: whether the name is now that
 * of our file tells the two apart. */
static int write_new(const char *path, struct str text, mode_t mode, struct err *e)
{
	struct fs_new f = FS_NEW_INIT;
	struct stat ours, named;
	int r = fs_new_open(&f, path, mode, e);

	if (!r) {
		r = fs_write_all(f.fd, text.p, text.n, path, e);
	}
	if (!r) {
		r = fs_new_commit_keep(&f, e);
	}
	if (!r && (fstat(f.fd, &ours) || lstat(path, &named) || ours.st_ino != named.st_ino ||
			  ours.st_dev != named.st_dev)) {
		r = exists(path, e);
	}
	fs_new_release(&f);
	return r;
}

enum { FILE_SIZE = sizeof(FIRST_LINE "\n") + BASE64_LENGTH(sizeof(struct secret_key_bytes)) + 1 };

static void format(const struct secret_key_bytes *f, char out[FILE_SIZE])
{
	int n = snprintf(out, FILE_SIZE, "%s\n", FIRST_LINE);

	base64_format(f, sizeof(*f), out + n);
	out[(size_t)n + BASE64_LENGTH(sizeof(*f))] = '\n';
}

static int write_pair(const char *base, struct str secret, struct str public, struct err *e)
{
	struct arena a = ARENA_INIT;
	const char *key_path = arena_printf(&a, "%s.key", base);
	int r = write_new(key_path, secret, 0600, e);

	if (!r) {
		r = write_new(arena_printf(&a, "%s.pub", base), public, 0644, e);
		if (r) {
			unlink(key_path); /* half a pair helps nobody, and it is ours */
		}
	}
	arena_release(&a);
	return r;
}

int secret_key_write(
	const struct secret_key *k, const char *base, const char *password, struct err *e)
{
	CLEANUP_GUARDED struct secret_key_bytes *f = guarded_alloc(sizeof(*f));
	CLEANUP_GUARDED char *text = guarded_alloc(FILE_SIZE);
	CLEANUP_BUF struct buf public_text = BUF_INIT;
	struct public_key key;
	int r = secret_key_check_base(base, e);

	memcpy(f->algorithm, "Ed", 2);
	memcpy(f->checksum_algorithm, "B2", 2);
	memcpy(f->hidden.number, k->number, sizeof(k->number));
	memcpy(f->hidden.secret, k->secret, sizeof(k->secret));
	if (!r && password) {
		r = encrypt(f, password, e);
	}
	if (r) {
		return r;
	}
	format(f, text);
	secret_key_public(k, &key);
	public_key_format(&key, &public_text);
	return write_pair(base, str_of(text), buf_str(&public_text), e);
}

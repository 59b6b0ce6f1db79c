#include "verify/trust.h"
#include "manifests/base/fs.h"
#include "manifests/base/mem.h"
#include "manifests/base/vec.h"
#include "manifests/digest.h"
#include "manifests/limits.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX ".pub"

void trust_release(struct trust *t)
{
	arena_release(&t->arena);
	vec_release(t);
}

static const char *trust_folder(struct arena *a, const char *store)
{
	return arena_printf(a, "%s/trust", store);
}

/* A key's 32 bytes are written as a digest's are. */
static const char *key_hex(const struct public_key *k, char out[DIGEST_HEX + 1])
{
	struct digest bytes;

	_Static_assert(sizeof(bytes.b) == sizeof(k->key), "both have 32 bytes");
	memcpy(bytes.b, k->key, sizeof(bytes.b));
	return digest_hex(&bytes, out);
}

static const char *key_path(struct arena *a, const char *store, const struct public_key *k)
{
	char hex[DIGEST_HEX + 1];

	return arena_printf(a, "%s/%s" SUFFIX, trust_folder(a, store), key_hex(k, hex));
}

static const struct trust_key *find_key(const struct trust *t, const struct public_key *k)
{
	vec_each(struct trust_key, it, t) {
		if (public_key_eq(&it->key, k)) {
			return it;
		}
	}
	return NULL;
}

static int read_key(struct arena *a, const char *path, struct trust_key *out, struct err *e)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct trust_key k = { .from = arena_str(a, str_of(path)) };
	int r = fs_read(path, LIMIT_SIGNATURE, &text, e);

	if (!r) {
		r = public_key_parse(buf_str(&text), path, &k.key, e);
	}
	if (!r) {
		k.comment = arena_str(a, public_key_comment(buf_str(&text)));
		*out = k;
	}
	return r;
}

static void push_once(struct trust *t, struct trust_key k)
{
	if (!find_key(t, &k.key)) {
		vec_push(t, k);
	}
}

int trust_load_file(struct trust *t, const char *path, struct err *e)
{
	struct trust_key k;
	int r = read_key(&t->arena, path, &k, e);

	if (!r) {
		push_once(t, k);
	}
	return r;
}

static int load_named(struct trust *t, const char *folder, const char *name, struct err *e)
{
	const char *path = arena_printf(&t->arena, "%s/%s", folder, name);
	char hex[DIGEST_HEX + 1];
	struct trust_key k;

	if (read_key(&t->arena, path, &k, e)) {
		err_recode(e, RC_STORE);
		return err_hint(e, "remove it, and add the key again: gpkg-bundle trust add PUB");
	}
	if (!str_eq(str_first(str_of(name), DIGEST_HEX), str_of(key_hex(&k.key, hex))) ||
		strlen(name) != DIGEST_HEX + strlen(SUFFIX)) {
		err_set(e, RC_STORE, "%s: is not named after the key in it", path);
		return err_hint(e, "move it away, and add it with: gpkg-bundle trust add PUB");
	}
	push_once(t, k);
	return 0;
}

static int check_folder(const char *folder, struct err *e)
{
	struct stat st;

	if (stat(folder, &st) == 0 && (st.st_mode & S_IWOTH)) {
		err_set(e, RC_STORE, "%s: everybody may write to it, so its keys mean nothing",
			folder);
		return err_hint(
			e, "run: chmod o-w %s, and look at: gpkg-bundle trust list", folder);
	}
	return 0;
}

int trust_load_store(struct trust *t, const char *store, struct err *e)
{
	const char *folder = trust_folder(&t->arena, store);
	struct err ignored = ERR_INIT;
	char **names = NULL;
	size_t n = 0;
	int r = check_folder(folder, e);

	if (r) {
		return r;
	}
	if (fs_list(folder, &t->arena, &names, &n, &ignored)) {
		if (ignored.rc != RC_NOT_FOUND) {
			*e = ignored;
			return -(int)e->rc;
		}
		return 0;
	}
	for (size_t i = 0; i < n && !r; i++) {
		/* A dot file is a write that was cut off. */
		if (names[i][0] != '.' && str_ends(str_of(names[i]), SUFFIX)) {
			r = load_named(t, folder, names[i], e);
		}
	}
	return r;
}

static int write_key(struct arena *a, const char *store, const struct trust_key *k, struct err *e)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	const char *folder = trust_folder(a, store);

	public_key_format_as(&k->key, k->comment, &text);
	int r = fs_mkdirs(folder, 0755, e);
	if (!r) {
		r = check_folder(folder, e);
	}
	if (!r) {
		r = fs_sync_dir(store, e);
	}
	return r ? r : fs_write(key_path(a, store, &k->key), buf_str(&text), 0644, e);
}

int trust_add(const char *store, const char *pub_path, struct public_key *added, struct err *e)
{
	struct arena a = ARENA_INIT;
	struct trust_key k;
	int r = read_key(&a, pub_path, &k, e);

	if (!r) {
		r = write_key(&a, store, &k, e);
	}
	if (!r) {
		*added = k.key;
	}
	arena_release(&a);
	return r;
}

static int remove_file(const char *path, const char *id, struct err *e)
{
	struct arena a = ARENA_INIT;
	int r = 0;

	if (unlink(path)) {
		if (errno == ENOENT || errno == ENOTDIR) {
			err_set(e, RC_NOT_FOUND, "%s: no trusted key has this id", id);
			r = err_hint(e, "see: gpkg-bundle trust list");
		} else {
			r = err_sys(e, "%s: cannot remove", path);
		}
	} else {
		r = fs_sync_dir(fs_dirname(&a, path), e);
	}
	arena_release(&a);
	return r;
}

static int find_number(
	const struct trust *t, const char *id, const struct trust_key **out, struct err *e)
{
	const struct trust_key *found = NULL;

	vec_each(struct trust_key, k, t) {
		char number[KEY_ID_HEX + 1], one[DIGEST_HEX + 1], two[DIGEST_HEX + 1];

		if (!str_eq_nocase(str_of(public_key_id(&k->key, number)), str_of(id))) {
			continue;
		}
		if (found) {
			err_set(e, RC_AMBIGUOUS, "%s: two trusted keys have this id: %s and %s", id,
				key_hex(&found->key, one), key_hex(&k->key, two));
			return err_hint(e, "give one of the two in full");
		}
		found = k;
	}
	if (!found) {
		err_set(e, RC_NOT_FOUND, "%s: no trusted key has this id", id);
		return err_hint(e, "see: gpkg-bundle trust list");
	}
	*out = found;
	return 0;
}

/* The file's name says which key it is, so a damaged file can be removed as well. */
static int remove_whole(const char *store, const char *id, const struct digest *bytes,
	struct public_key *removed, struct err *e)
{
	struct arena a = ARENA_INIT;
	struct err unreadable = ERR_INIT;
	struct public_key k = { .number = { 0 } };

	memcpy(k.key, bytes->b, sizeof(k.key));
	const char *path = key_path(&a, store, &k);
	struct trust_key read;
	if (read_key(&a, path, &read, &unreadable) == 0) {
		k = read.key;
	}
	int r = remove_file(path, id, e);
	if (!r) {
		*removed = k;
	}
	arena_release(&a);
	return r;
}

static int remove_number(
	const char *store, const char *id, struct public_key *removed, struct err *e)
{
	struct trust t = TRUST_INIT;
	const struct trust_key *k = NULL;
	int r = trust_load_store(&t, store, e);

	if (!r) {
		r = find_number(&t, id, &k, e);
	}
	if (!r) {
		r = remove_file(key_path(&t.arena, store, &k->key), id, e);
	}
	if (!r) {
		*removed = k->key;
	}
	trust_release(&t);
	return r;
}

int trust_remove(const char *store, const char *id, struct public_key *removed, struct err *e)
{
	struct err not_hex = ERR_INIT;
	struct digest bytes;

	if (digest_parse(str_of(id), &bytes, &not_hex) == 0) {
		return remove_whole(store, id, &bytes, removed, e);
	}
	if (strlen(id) != KEY_ID_HEX || strspn(id, "0123456789abcdefABCDEF") != KEY_ID_HEX) {
		err_set(e, RC_USAGE, "\"%.80s\": not a key id", id);
		return err_hint(e, "an id is 16 hexadecimal digits, a key in full 64");
	}
	return remove_number(store, id, removed, e);
}

/* ---- the check ---- */

static bool is_number_of(const struct signature *s, const struct trust_key *k)
{
	return memcmp(s->number, k->key.number, sizeof(s->number)) == 0;
}

/* A key number is not signed: it only says which pairs to try first. */
static bool find_fit(const struct trust *t, const struct message_hash *hash,
	const struct signature *sigs, size_t n, bool claimed, const struct trust_key **who,
	size_t *which)
{
	for (size_t i = 0; i < n; i++) {
		vec_each(struct trust_key, k, t) {
			if (is_number_of(&sigs[i], k) == claimed &&
				signature_fits(&sigs[i], &k->key, hash)) {
				*who = k;
				*which = i;
				return true;
			}
		}
	}
	return false;
}

static const struct trust_key *find_claimed(
	const struct trust *t, const struct signature *sigs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		vec_each(struct trust_key, k, t) {
			if (is_number_of(&sigs[i], k)) {
				return k;
			}
		}
	}
	return NULL;
}

static int stranger(const struct trust *t, const struct signature *sigs, size_t n, struct err *e)
{
	CLEANUP_BUF struct buf signers = BUF_INIT, trusted = BUF_INIT;
	char id[KEY_ID_HEX + 1];

	for (size_t i = 0; i < n; i++) {
		buf_addf(&signers, "%s%s", i ? ", " : "", key_number_format(sigs[i].number, id));
	}
	vec_each(struct trust_key, k, t) {
		buf_addf(&trusted, "%s%s", trusted.n ? ", " : "", public_key_id(&k->key, id));
	}
	err_set(e, RC_BUNDLE_STRANGER, "signed by key %s, which is not trusted here (trusted: %s)",
		signers.p, trusted.n ? trusted.p : "none");
	return err_hint(e, "if you know the packer's key from a source that you trust, add it: "
			   "gpkg-bundle trust add PUB");
}

int trust_check(const struct trust *t, struct str message, const struct signature *sigs, size_t n,
	const struct trust_key **who, size_t *which, struct err *e)
{
	struct message_hash hash;
	char id[KEY_ID_HEX + 1];

	if (n == 0) {
		err_set(e, RC_BUNDLE_UNSIGNED, "carries no signature");
		return err_hint(e, "the packer signs it with: gpkg-bundle create --key KEY");
	}
	message_hash(message, &hash);
	if (find_fit(t, &hash, sigs, n, true, who, which) ||
		find_fit(t, &hash, sigs, n, false, who, which)) {
		return 0;
	}
	const struct trust_key *k = find_claimed(t, sigs, n);
	if (!k) {
		return stranger(t, sigs, n, e);
	}
	err_set(e, RC_BUNDLE_SIGNATURE,
		"the signature does not fit, though it names the trusted key %s",
		public_key_id(&k->key, id));
	return err_hint(e, "the text was changed after it was signed, or damaged on its way: "
			   "fetch it again");
}

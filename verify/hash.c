#include "verify/hash.h"
#include "manifests/base/mem.h"

#include <errno.h>
#include <openssl/evp.h>
#include <unistd.h>

enum { READ_SIZE = 1 << 20 };

struct hash {
	EVP_MD_CTX *state;
};

/* A digest that cannot be computed must never look like one that was: there is no way on. */
static void need(int ok)
{
	if (!ok) {
		static const char text[] =
			"gpkg-bundle: libcrypto gives no SHA-256: out of memory, "
			"or switched off by its configuration\n";
		ssize_t n = write(STDERR_FILENO, text, sizeof(text) - 1);

		(void)n;
		_exit(3);
	}
}

struct hash *hash_new(void)
{
	struct hash *h = mem_alloc(sizeof(*h));

	h->state = EVP_MD_CTX_new();
	need(h->state && EVP_DigestInit_ex(h->state, EVP_sha256(), NULL));
	return h;
}

void hash_add(struct hash *h, const void *bytes, size_t n)
{
	if (n) {
		need(EVP_DigestUpdate(h->state, bytes, n));
	}
}

void hash_final(struct hash *h, struct digest *out)
{
	need(EVP_DigestFinal_ex(h->state, out->b, NULL));
	need(EVP_DigestInit_ex(h->state, NULL, NULL)); /* NULL: the algorithm that it has */
}

void hash_free(struct hash *h)
{
	if (h) {
		EVP_MD_CTX_free(h->state);
		free(h);
	}
}

void cleanup_hash(struct hash **h)
{
	hash_free(*h);
}

void hash_bytes(struct str bytes, struct digest *out)
{
	CLEANUP_HASH struct hash *h = hash_new();

	hash_add(h, bytes.p, bytes.n);
	hash_final(h, out);
}

int hash_fd(int fd, const char *name, struct digest *out, uint64_t *size, struct err *e)
{
	CLEANUP_HASH struct hash *h = hash_new();
	CLEANUP(free) char *block = mem_alloc(READ_SIZE);
	uint64_t total = 0;

	for (;;) {
		ssize_t n = pread(fd, block, READ_SIZE, (off_t)total);

		if (n < 0 && errno == EINTR) {
			continue;
		}
		if (n < 0) {
			return err_sys(e, "%s: cannot read", name);
		}
		if (n == 0) {
			break;
		}
		hash_add(h, block, (size_t)n);
		total += (uint64_t)n;
	}
	hash_final(h, out);
	*size = total;
	return 0;
}

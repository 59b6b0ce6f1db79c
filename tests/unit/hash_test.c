#include "verify/hash.h"
#include "manifests/base/mem.h"
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MEGABYTE (1u << 20)

/* FIPS 180-4 examples (NIST "SHA256.pdf", "SHA2_Additional.pdf"). */
static const struct {
	const char *text, *hex;
} known[] = {
	{ "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
	{ "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
	{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		"248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
};

UNIT(hash_bytes_gives_the_known_answers)
{
	char hex[DIGEST_HEX + 1];
	struct digest d;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		hash_bytes(str_of(known[i].text), &d);
		ck_assert_str_eq(digest_hex(&d, hex), known[i].hex);
	}
	hash_bytes(STR_NULL, &d);
	ck_assert_str_eq(digest_hex(&d, hex), known[0].hex);
}

UNIT(hash_in_pieces_is_the_hash_of_the_whole_and_starts_anew)
{
	CLEANUP_HASH struct hash *h = hash_new();
	char a[1000], hex[DIGEST_HEX + 1];
	struct digest d;

	memset(a, 'a', sizeof(a));
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 1000; i++) {
			hash_add(h, a, sizeof(a));
			hash_add(h, NULL, 0);
		}
		hash_final(h, &d);
		ck_assert_str_eq(digest_hex(&d, hex),
			"cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	}
	hash_final(h, &d);
	ck_assert_str_eq(digest_hex(&d, hex), known[0].hex);
	hash_free(NULL);
}

UNIT(hash_fd_reads_from_the_start_and_leaves_the_offset)
{
	static const size_t sizes[] = { 0, 1, MEGABYTE - 1, MEGABYTE, MEGABYTE + 1,
		3 * MEGABYTE + 7 };
	CLEANUP(free) char *bytes = mem_alloc(3 * MEGABYTE + 7);
	CLEANUP(fd) int fd = memfd_create("hash", MFD_CLOEXEC);
	struct err e = ERR_INIT;

	for (size_t i = 0; i < 3 * MEGABYTE + 7; i++) {
		bytes[i] = (char)(i * 2654435761u >> 13);
	}
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct digest got, want;
		uint64_t size = 99;

		ck_assert_int_eq(ftruncate(fd, 0), 0);
		ck_assert_int_eq(pwrite(fd, bytes, sizes[i], 0), (ssize_t)sizes[i]);
		ck_assert_int_eq(lseek(fd, 5, SEEK_SET), 5);
		ck_assert_int_eq(hash_fd(fd, "x", &got, &size, &e), 0);
		hash_bytes((struct str){ bytes, sizes[i] }, &want);
		ck_assert(digest_eq(&got, &want));
		ck_assert_uint_eq(size, sizes[i]);
		ck_assert_int_eq(lseek(fd, 0, SEEK_CUR), 5);
	}
}

UNIT(hash_fd_names_what_it_cannot_read)
{
	CLEANUP(fd) int folder = open(".", O_RDONLY | O_CLOEXEC);
	struct err e = ERR_INIT;
	struct digest d;
	uint64_t size = 99;
	int ends[2];

	ck_assert_int_eq(hash_fd(folder, "the folder", &d, &size, &e), -RC_IO);
	ck_assert(strncmp(e.text, "the folder: ", 12) == 0);
	ck_assert_int_eq(pipe(ends), 0);
	ck_assert_int_eq(hash_fd(ends[0], "the pipe", &d, &size, &e), -RC_IO);
	ck_assert_int_eq(hash_fd(-1, "nothing", &d, &size, &e), -RC_IO);
	ck_assert_uint_eq(size, 99);
	close(ends[0]);
	close(ends[1]);
}

#include "tests/unit/key_fixture.h"
#include "manifests/base/arena.h"
#include "manifests/base/fs.h"
#include "tests/unit/unit.h"
#include "verify/crypto.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static struct arena arena;
static const char *folder;

static void remove_folder(void)
{
	struct err e = ERR_INIT;

	fs_remove_tree(folder, &e);
	arena_release(&arena);
}

const char *fixture_path(const char *name)
{
	if (!folder) {
		const char *base = getenv("TMPDIR");
		char *made = arena_printf(&arena, "%s/unit-keys.XXXXXX", base ? base : "/tmp");

		ck_assert_ptr_nonnull(mkdtemp(made));
		folder = made;
		atexit(remove_folder);
	}
	return arena_printf(&arena, "%s/%s", folder, name);
}

const char *fixture_file(const char *name, const char *text, unsigned mode)
{
	const char *path = fixture_path(name);
	struct err e = ERR_INIT;

	ck_assert_msg(fs_write(path, str_of(text), mode, &e) == 0, "%s", e.text);
	return path;
}

struct secret_key *fixture_key(unsigned char seed, unsigned char number)
{
	uint8_t seeds[32], numbers[8];
	struct secret_key *k = NULL;
	struct err e = ERR_INIT;

	memset(seeds, seed, sizeof(seeds));
	memset(numbers, number, sizeof(numbers));
	ck_assert_int_eq(secret_key_from_seed(seeds, numbers, &k, &e), 0);
	return k;
}

void fixture_raw_key(unsigned char raw[RAW_KEY])
{
	char covered[2 + 72];

	ck_assert(base64_exact(STR(GOLDEN_KEY), raw, RAW_KEY));
	memcpy(covered, raw, 2);
	memcpy(covered + 2, raw + RAW_NUMBER, 72);
	blake2b((struct str){ covered, sizeof(covered) }, raw + RAW_CHECKSUM, 32);
}

void fixture_encrypt(unsigned char raw[RAW_KEY], const char *password)
{
	struct scrypt_limits limits = { 1 << 15, 1 << 24 };
	uint8_t stream[104];

	memcpy(raw + RAW_KDF, "Sc", 2);
	memset(raw + RAW_SALT, 7, SCRYPT_SALT);
	raw[RAW_OPS + 1] = 0x80;
	raw[RAW_MEM + 3] = 0x01;
	ck_assert(scrypt_stream(str_of(password), raw + RAW_SALT, limits, stream, sizeof(stream)));
	for (size_t i = 0; i < sizeof(stream); i++) {
		raw[RAW_NUMBER + i] ^= stream[i];
	}
}

const char *fixture_raw_file(const char *name, const unsigned char raw[RAW_KEY])
{
	char line[BASE64_LENGTH(RAW_KEY) + 1];

	base64_format(raw, RAW_KEY, line);
	return fixture_file(
		name, arena_printf(&arena, "untrusted comment: made by a test\n%s\n", line), 0600);
}

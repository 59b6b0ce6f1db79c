#include "tests/unit/key_fixture.h"
#include "manifests/base/fs.h"
#include "manifests/base/mem.h"
#include "tests/unit/unit.h"
#include "verify/crypto.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static int parse(const char *text)
{
	struct public_key k;
	struct err e = ERR_INIT;

	return public_key_parse(str_of(text), "x.pub", &k, &e);
}

UNIT(public_key_golden_both_ways)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	char id[KEY_ID_HEX + 1], line[PUBLIC_KEY_LINE + 1];
	struct err e = ERR_INIT;
	struct public_key k;

	ck_assert_int_eq(public_key_parse(STR(GOLDEN_PUB_FILE), "x", &k, &e), 0);
	ck_assert_int_eq(memcmp(k.number, "\x01\x23\x45\x67\x89\xab\xcd\xef", 8), 0);
	ck_assert_str_eq(public_key_id(&k, id), GOLDEN_ID);
	ck_assert_str_eq(public_key_line(&k, line), GOLDEN_PUB);
	public_key_format(&k, &text);
	ck_assert_str_eq(text.p, GOLDEN_PUB_FILE);
	ck_assert(str_is(public_key_comment(buf_str(&text)), "minisign public key " GOLDEN_ID));
}

UNIT(public_key_accepts)
{
	static const char *const texts[] = {
		"untrusted comment: x\n" GOLDEN_PUB,
		"untrusted comment: x\r\n" GOLDEN_PUB "\r\n",
		"untrusted comment: \n" GOLDEN_PUB "\n",
		"untrusted comment: \xc3\xa9mile, \xe9\x8d\xb5\tkey\n" GOLDEN_PUB "\n",
		"untrusted comment: minisign public key 0000000000000000\n" STOCK_PUB "\n",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		ck_assert_msg(parse(texts[i]) == 0, "%s", texts[i]);
	}
}

UNIT(public_key_refuses)
{
	static const char *const texts[] = {
		"",
		"\n",
		GOLDEN_PUB "\n",
		"untrusted comment: x",
		"untrusted comment: x\n",
		"untrusted comment: x\n\n" GOLDEN_PUB "\n",
		"trusted comment: x\n" GOLDEN_PUB "\n",
		"untrusted comment:x\n" GOLDEN_PUB "\n",
		" untrusted comment: x\n" GOLDEN_PUB "\n",
		"\xef\xbb\xbfuntrusted comment: x\n" GOLDEN_PUB "\n",
		"untrusted comment: \x1b[31mx\n" GOLDEN_PUB "\n",
		"untrusted comment: x\ry\n" GOLDEN_PUB "\n",
		"untrusted comment: x\r\r\n" GOLDEN_PUB "\n",
		"untrusted comment: \x7f\n" GOLDEN_PUB "\n",
		"untrusted comment: \xc2\x9b\x33\x31m\n" GOLDEN_PUB "\n",
		"untrusted comment: \xff\n" GOLDEN_PUB "\n",
		"untrusted comment: x\n" GOLDEN_PUB "\n\n",
		"untrusted comment: x\n" GOLDEN_PUB "\nmore",
		"untrusted comment: x\n" GOLDEN_PUB "=\n",
		"untrusted comment: x\n " GOLDEN_PUB "\n",
		"untrusted comment: x\n" GOLDEN_PUB " \n",
		"untrusted comment: x\n" GOLDEN_PUB "\r",
		/* too short; a padded spelling; URL-safe letters; another algorithm */
		"untrusted comment: x\nRWQBI0VniavN7wOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG\n",
		"untrusted comment: x\nRWQBI0VniavN7wOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTE=\n",
		"untrusted comment: x\nRWQBI0VniavN7wOhB7_zzhC-HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4\n",
		"untrusted comment: x\nRUQBI0VniavN7wOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4\n",
		/* points that no seed leads to: small order (twice), not canonical, not on the
		   curve */
		"untrusted comment: x\nRWQBI0VniavN7wEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n",
		"untrusted comment: x\nRWQBI0VniavN7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n",
		"untrusted comment: x\nRWQBI0VniavN7/////////////////////////////////////////9/\n",
		"untrusted comment: x\nRWQBI0VniavN7wIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n",
		GOLDEN_KEY_FILE,
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		ck_assert_msg(parse(texts[i]) == -RC_KEY, "%zu: %s", i, texts[i]);
	}
	struct public_key k;
	struct err e = ERR_INIT;
	ck_assert_int_eq(
		public_key_parse(STR("untrusted comment: a\0b\n" GOLDEN_PUB "\n"), "x", &k, &e),
		-RC_KEY);
}

UNIT(public_key_read_explains_a_wrong_file)
{
	struct public_key k;
	struct err e = ERR_INIT;

	ck_assert_int_eq(public_key_read(fixture_path("absent.pub"), &k, &e), -RC_NOT_FOUND);
	ck_assert_int_eq(
		public_key_read(fixture_file("a.key", GOLDEN_KEY_FILE, 0600), &k, &e), -RC_KEY);
	ck_assert_ptr_nonnull(strstr(e.text, "a.key: "));
	ck_assert_ptr_nonnull(strstr(e.hint, ".pub"));
	ck_assert_int_eq(public_key_read(fixture_file("a.pub", GOLDEN_PUB_FILE, 0644), &k, &e), 0);
}

UNIT(public_key_eq_compares_the_key_not_its_number)
{
	struct public_key a = { .number = { 1 }, .key = { 1 } },
			  b = { .number = { 2 }, .key = { 1 } };

	ck_assert(public_key_eq(&a, &b));
	b = (struct public_key){ .number = { 1 }, .key = { [31] = 1 } };
	ck_assert(!public_key_eq(&a, &b));
}

static const char *read_text(const char *path, struct buf *to)
{
	struct err e = ERR_INIT;

	buf_clear(to);
	ck_assert_msg(fs_read(path, 4096, to, &e) == 0, "%s", e.text);
	return to->p;
}

UNIT(secret_key_golden_files)
{
	static const uint8_t number[8] = { 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef };
	CLEANUP_SECRET_KEY struct secret_key *k = NULL, *again = NULL;
	CLEANUP_BUF struct buf text = BUF_INIT;
	const char *base = fixture_path("golden");
	struct err e = ERR_INIT;
	struct public_key key, same;
	uint8_t seed[32];
	struct stat st;

	for (uint8_t i = 0; i < 32; i++) {
		seed[i] = i;
	}
	umask(0);
	ck_assert_int_eq(secret_key_from_seed(seed, number, &k, &e), 0);
	ck_assert_int_eq(secret_key_write(k, base, NULL, &e), 0);
	ck_assert_str_eq(read_text(fixture_path("golden.key"), &text), GOLDEN_KEY_FILE);
	ck_assert_str_eq(read_text(fixture_path("golden.pub"), &text), GOLDEN_PUB_FILE);
	ck_assert(stat(fixture_path("golden.key"), &st) == 0 && (st.st_mode & 07777) == 0600);
	ck_assert(stat(fixture_path("golden.pub"), &st) == 0 && (st.st_mode & 07777) == 0644);
	ck_assert_int_eq(secret_key_read(fixture_path("golden.key"), NULL, &again, &e), 0);
	secret_key_public(k, &key);
	secret_key_public(again, &same);
	ck_assert_int_eq(memcmp(&key, &same, sizeof(key)), 0);
}

UNIT(secret_key_write_replaces_nothing)
{
	CLEANUP_SECRET_KEY struct secret_key *k = fixture_key(1, 2);
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct err e = ERR_INIT;

	fixture_file("a.key", "mine", 0600);
	fixture_file("b.pub", "mine", 0644);
	ck_assert_int_eq(symlink("nowhere", fixture_path("c.key")), 0);
	ck_assert_int_eq(symlink("nowhere", fixture_path("d.pub")), 0);
	for (const char *base = "abcd"; *base; base++) {
		char name[8] = { *base };

		ck_assert_int_eq(secret_key_check_base(fixture_path(name), &e), -RC_CONFLICT);
		ck_assert_int_eq(secret_key_write(k, fixture_path(name), NULL, &e), -RC_CONFLICT);
	}
	ck_assert_str_eq(read_text(fixture_path("a.key"), &text), "mine");
	ck_assert_str_eq(read_text(fixture_path("b.pub"), &text), "mine");
	ck_assert(!fs_exists(fixture_path("a.pub")) && !fs_exists(fixture_path("b.key")));
	ck_assert_int_eq(
		secret_key_write(k, fixture_path("no/such/base"), NULL, &e), -RC_NOT_FOUND);
	ck_assert_int_eq(secret_key_check_base(fixture_path("new"), &e), 0);
}

UNIT(secret_key_generate_gives_distinct_keys)
{
	CLEANUP_SECRET_KEY struct secret_key *a = NULL, *b = NULL;
	struct public_key one, two;
	struct err e = ERR_INIT;

	ck_assert_int_eq(secret_key_generate(&a, &e), 0);
	ck_assert_int_eq(secret_key_generate(&b, &e), 0);
	secret_key_public(a, &one);
	secret_key_public(b, &two);
	ck_assert(!public_key_eq(&one, &two));
	ck_assert_int_ne(memcmp(one.number, two.number, 8), 0);
}

static int read_with(const char *path, const char *password, struct public_key *key, struct err *e)
{
	struct password_source source = { .file = password ? fixture_file("pw", password, 0600)
							   : NULL };
	CLEANUP_SECRET_KEY struct secret_key *k = NULL;
	int r = secret_key_read(path, password ? &source : NULL, &k, e);

	if (!r) {
		secret_key_public(k, key);
	}
	return r;
}

UNIT(secret_key_reads_stock_files)
{
	struct public_key want, key;
	struct err e = ERR_INIT;
	const char *path =
		fixture_file("s.key", "untrusted comment: x\r\n" STOCK_ENCRYPTED "\r\n", 0600);

	ck_assert_int_eq(
		public_key_parse(STR("untrusted comment: \n" STOCK_PUB), "x", &want, &e), 0);
	ck_assert_msg(read_with(path, STOCK_PASSWORD "\n", &key, &e) == 0, "%s", e.text);
	ck_assert_int_eq(memcmp(&key, &want, sizeof(key)), 0);
	path = fixture_file("w.key", "untrusted comment: x\n" STOCK_DECRYPTED, 0600);
	ck_assert_int_eq(read_with(path, NULL, &key, &e), 0);
	ck_assert_int_eq(memcmp(&key, &want, sizeof(key)), 0);
}

/* The decoded second line of a key file. */
static void read_raw(const char *path, uint8_t raw[RAW_KEY])
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct str rest, line;

	read_text(path, &text);
	rest = buf_str(&text);
	ck_assert(str_cut(&rest, '\n', &line) && str_cut(&rest, '\n', &line));
	ck_assert(base64_exact(line, raw, RAW_KEY));
}

UNIT(secret_key_encrypted_round_trip_with_stock_limits)
{
	CLEANUP_SECRET_KEY struct secret_key *k = fixture_key(3, 4);
	struct public_key want, key;
	struct err e = ERR_INIT;
	uint8_t raw[RAW_KEY];

	secret_key_public(k, &want);
	ck_assert_int_eq(secret_key_write(k, fixture_path("enc"), "p\xc3\xa4ss word", &e), 0);
	ck_assert_int_eq(read_with(fixture_path("enc.key"), "p\xc3\xa4ss word\n", &key, &e), 0);
	ck_assert_int_eq(memcmp(&key, &want, sizeof(key)), 0);

	read_raw(fixture_path("enc.key"), raw);
	ck_assert_int_eq(memcmp(raw, "EdScB2", 6), 0);
	ck_assert_int_eq(memcmp(raw + RAW_OPS, "\0\0\0\2\0\0\0\0\0\0\0\x40\0\0\0\0", 16), 0);
}

static uint64_t address_space(void)
{
	CLEANUP(file) FILE *f = fopen("/proc/self/statm", "r");
	unsigned long pages = 0;

	ck_assert(f && fscanf(f, "%lu", &pages) == 1);
	return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Where 1 GiB is not to be had, minisign halves both limits until it works, and so do we. */
UNIT(secret_key_encrypts_with_less_memory)
{
	CLEANUP_SECRET_KEY struct secret_key *k = fixture_key(3, 4);
	const struct rlimit little = { 400u << 20, 400u << 20 };
	struct public_key key;
	struct err e = ERR_INIT;
	uint8_t raw[RAW_KEY];

	if (address_space() > 100u << 20) {
		return; /* a sanitizer has reserved more than any limit for this test */
	}
	ck_assert_int_eq(setrlimit(RLIMIT_AS, &little), 0);
	ck_assert_msg(secret_key_write(k, fixture_path("low"), "pw", &e) == 0, "%s", e.text);
	read_raw(fixture_path("low.key"), raw);
	ck_assert_int_eq(memcmp(raw + RAW_OPS, "\0\0\x80\0\0\0\0\0\0\0\0\x10\0\0\0\0", 16), 0);
	ck_assert_int_eq(read_with(fixture_path("low.key"), "pw", &key, &e), 0);
}

UNIT(secret_key_passwords)
{
	static const struct {
		const char *password;
		int r;
	} cases[] = {
		{ "right\n", 0 },
		{ "right", 0 },
		{ "right\r\n", 0 },
		{ "right\nignored\n", 0 },
		{ "wrong\n", -RC_KEY },
		{ "right \n", -RC_KEY },
		{ " right\n", -RC_KEY },
		{ "Right\n", -RC_KEY },
		{ "", -RC_USAGE },
		{ "\n", -RC_USAGE },
		{ "\r\nright\n", -RC_USAGE },
		{ NULL, -RC_KEY },
	};
	struct public_key key;
	struct err e = ERR_INIT;
	uint8_t raw[RAW_KEY];

	fixture_raw_key(raw);
	fixture_encrypt(raw, "right");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int r = read_with(fixture_raw_file("p.key", raw), cases[i].password, &key, &e);

		ck_assert_msg(r == cases[i].r, "case %zu: %d, %s", i, r, e.text);
	}
	ck_assert_int_eq(memcmp(key.number, "\x01\x23\x45\x67\x89\xab\xcd\xef", 8), 0);
}

/* With a checksum, every byte of a plain file counts but those of the unused password function. */
UNIT(secret_key_plain_modified_in_every_byte)
{
	struct public_key key;
	struct err e = ERR_INIT;
	uint8_t raw[RAW_KEY];

	for (size_t i = 0; i < RAW_KEY; i++) {
		bool unused = i >= RAW_SALT && i < RAW_NUMBER;

		fixture_raw_key(raw);
		raw[i] ^= 0x10;
		int r = read_with(fixture_raw_file("m.key", raw), NULL, &key, &e);
		ck_assert_msg(r == (unused ? 0 : -RC_KEY), "byte %zu: %d", i, r);
	}
}

/* minisign -W leaves the checksum zero: the two halves of the key still have to agree. */
UNIT(secret_key_without_checksum_modified_in_every_byte)
{
	struct public_key key;
	struct err e = ERR_INIT;
	uint8_t raw[RAW_KEY];

	for (size_t i = 0; i < RAW_KEY; i++) {
		bool unchecked = i >= RAW_SALT && i < RAW_SEED;

		ck_assert(base64_exact(STR(GOLDEN_KEY), raw, RAW_KEY));
		raw[i] ^= 0x10;
		int r = read_with(fixture_raw_file("m.key", raw), NULL, &key, &e);
		ck_assert_msg(r == (unchecked ? 0 : -RC_KEY), "byte %zu: %d", i, r);
	}
}

UNIT(secret_key_encrypted_modified_in_every_byte)
{
	struct public_key key;
	struct err e = ERR_INIT;
	uint8_t raw[RAW_KEY];

	for (size_t i = 0; i < RAW_KEY; i++) {
		if (i >= RAW_OPS && i < RAW_NUMBER) {
			continue; /* the limits are not authenticated: several mean the same work */
		}
		fixture_raw_key(raw);
		fixture_encrypt(raw, "right");
		raw[i] ^= 0x10;
		int r = read_with(fixture_raw_file("m.key", raw), "right\n", &key, &e);
		ck_assert_msg(r == -RC_KEY, "byte %zu: %d", i, r);
	}
}

UNIT(secret_key_work_limits_are_capped)
{
	static const struct {
		size_t at;
		uint8_t value;
	} cases[] = {
		{ RAW_OPS + 3, 0x20 },
		{ RAW_OPS + 7, 0x80 },
		{ RAW_OPS + 4, 1 },
		{ RAW_MEM + 3, 0x80 },
		{ RAW_MEM + 4, 1 },
		{ RAW_MEM + 7, 0x80 },
	};
	struct public_key key;
	struct err e = ERR_INIT;
	uint8_t raw[RAW_KEY];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fixture_raw_key(raw);
		fixture_encrypt(raw, "right");
		raw[cases[i].at] = cases[i].value;
		ck_assert_int_eq(
			read_with(fixture_raw_file("l.key", raw), "right\n", &key, &e), -RC_KEY);
		ck_assert_ptr_nonnull(strstr(e.text, "too much work"));
	}
}

UNIT(secret_key_refuses_other_texts)
{
	static const char *const texts[] = {
		"",
		"untrusted comment: x\n",
		GOLDEN_KEY "\n",
		GOLDEN_PUB_FILE,
		"untrusted comment: x\n" GOLDEN_KEY "\n\n",
		"untrusted comment: x\n" GOLDEN_KEY "A\n",
		"untrusted comment: \x1b\n" GOLDEN_KEY "\n",
		"secret: x\n" GOLDEN_KEY "\n",
	};
	struct public_key key;
	struct err e = ERR_INIT;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		ck_assert_int_eq(
			read_with(fixture_file("t.key", texts[i], 0600), NULL, &key, &e), -RC_KEY);
	}
	CLEANUP_BUF struct buf text = BUF_INIT;
	for (int i = 0; i < 20000; i++) {
		buf_addc(&text, 'A');
	}
	ck_assert_int_eq(
		read_with(fixture_file("long.key", text.p, 0600), NULL, &key, &e), -RC_KEY);
	ck_assert_int_eq(read_with(fixture_path("absent.key"), NULL, &key, &e), -RC_NOT_FOUND);
	ck_assert_ptr_nonnull(strstr(e.hint, "keygen"));
}

UNIT(secret_key_refuses_a_file_that_others_have_access_to)
{
	static const unsigned modes[] = { 0640, 0604, 0644, 0620, 0602, 0610 };
	struct public_key key;
	struct err e = ERR_INIT;

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		const char *path = fixture_file("o.key", GOLDEN_KEY_FILE, modes[i]);

		ck_assert_int_eq(read_with(path, NULL, &key, &e), -RC_PERMISSION);
		ck_assert_ptr_nonnull(strstr(e.hint, "chmod 600"));
	}
	ck_assert_int_eq(
		read_with(fixture_file("o.key", GOLDEN_KEY_FILE, 0400), NULL, &key, &e), 0);
}

#include "tests/unit/key_fixture.h"
#include "tests/unit/unit.h"
#include "verify/crypto.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST "untrusted comment: x\n"
#define THIRD "\ntrusted comment: t\n"
#define MINISIG_EMPTY "untrusted comment: \nRUQBI0VniavN7"

static struct public_key golden_key(void)
{
	struct public_key k;
	struct err e = ERR_INIT;

	ck_assert_int_eq(public_key_parse(STR(GOLDEN_PUB_FILE), "x", &k, &e), 0);
	return k;
}

static struct secret_key *golden_secret(void)
{
	static const uint8_t number[8] = { 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef };
	struct secret_key *k = NULL;
	struct err e = ERR_INIT;
	uint8_t seed[32];

	for (uint8_t i = 0; i < 32; i++) {
		seed[i] = i;
	}
	ck_assert_int_eq(secret_key_from_seed(seed, number, &k, &e), 0);
	return k;
}

static int parse(struct str text, struct signature *s)
{
	struct err e = ERR_INIT;

	return signature_parse(text, "x.minisig", s, &e);
}

static bool verifies(struct str text)
{
	struct public_key k = golden_key();
	struct signature s;
	struct err e = ERR_INIT;

	return !parse(text, &s) && !signature_check(&s, &k, STR(GOLDEN_MESSAGE), &e);
}

UNIT(sign_golden_is_bit_identical)
{
	CLEANUP_SECRET_KEY struct secret_key *k = golden_secret();
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct err e = ERR_INIT;

	ck_assert_int_eq(
		sign_message(k, STR(GOLDEN_MESSAGE), "test", GOLDEN_TRUSTED, &text, &e), 0);
	ck_assert_str_eq(text.p, GOLDEN_MINISIG);
	ck_assert(verifies(buf_str(&text)));
}

UNIT(sign_appends)
{
	CLEANUP_SECRET_KEY struct secret_key *k = golden_secret();
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct err e = ERR_INIT;

	buf_adds(&text, "before\n");
	ck_assert_int_eq(sign_message(k, STR_NULL, "", "", &text, &e), 0);
	ck_assert(str_starts(buf_str(&text), "before\n" MINISIG_EMPTY));
}

UNIT(sign_comments_are_limited)
{
	CLEANUP_SECRET_KEY struct secret_key *k = golden_secret();
	static const char *const bad[] = { "a\nb", "a\rb", "\x1b[0m", "\x7f", "\xc3\xa9", "\x01",
		"\xff" };
	CLEANUP_BUF struct buf text = BUF_INIT, longest = BUF_INIT;
	struct err e = ERR_INIT;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ck_assert_int_eq(sign_message(k, STR("m"), bad[i], "t", &text, &e), -RC_INVALID);
		ck_assert_int_eq(sign_message(k, STR("m"), "u", bad[i], &text, &e), -RC_INVALID);
	}
	for (int i = 0; i < 900; i++) {
		buf_addc(&longest, (char)(i % 95 + ' '));
	}
	ck_assert_uint_eq(text.n, 0);
	ck_assert_int_eq(sign_message(k, STR("m"), longest.p, longest.p, &text, &e), 0);
	buf_addc(&longest, 'x');
	ck_assert_int_eq(sign_message(k, STR("m"), longest.p, "t", &text, &e), -RC_LIMIT);
	ck_assert_int_eq(sign_message(k, STR("m"), "u", longest.p, &text, &e), -RC_LIMIT);
}

UNIT(signature_accepts)
{
	struct signature s;

	ck_assert(verifies(STR(GOLDEN_MINISIG)));
	ck_assert(verifies(
		STR(FIRST GOLDEN_SIG "\ntrusted comment: " GOLDEN_TRUSTED "\n" GOLDEN_GLOBAL)));
	ck_assert(
		verifies(STR("untrusted comment: \r\n" GOLDEN_SIG
			     "\r\ntrusted comment: " GOLDEN_TRUSTED "\r\n" GOLDEN_GLOBAL "\r\n")));
	ck_assert(verifies(STR("untrusted comment: \xc3\xa9mile\n" GOLDEN_SIG
			       "\ntrusted comment: " GOLDEN_TRUSTED "\n" GOLDEN_GLOBAL "\n")));
	ck_assert_int_eq(parse(STR(GOLDEN_MINISIG), &s), 0);
	ck_assert(str_is(s.trusted_comment, GOLDEN_TRUSTED));
	ck_assert_int_eq(memcmp(s.number, "\x01\x23\x45\x67\x89\xab\xcd\xef", 8), 0);
}

UNIT(signature_refuses_other_texts)
{
	static const char *const texts[] = {
		"",
		"\n\n\n\n",
		FIRST,
		FIRST GOLDEN_SIG,
		FIRST GOLDEN_SIG THIRD,
		FIRST GOLDEN_SIG "\n" GOLDEN_GLOBAL "\n",
		GOLDEN_SIG THIRD GOLDEN_GLOBAL "\n",
		FIRST GOLDEN_SIG THIRD GOLDEN_SIG "\n",
		FIRST GOLDEN_GLOBAL THIRD GOLDEN_GLOBAL "\n",
		FIRST GOLDEN_PUB THIRD GOLDEN_GLOBAL "\n",
		"trusted comment: x\n" GOLDEN_SIG THIRD GOLDEN_GLOBAL "\n",
		FIRST GOLDEN_SIG "\nuntrusted comment: t\n" GOLDEN_GLOBAL "\n",
		FIRST GOLDEN_SIG "\nTrusted comment: t\n" GOLDEN_GLOBAL "\n",
		FIRST "\n" GOLDEN_SIG THIRD GOLDEN_GLOBAL "\n",
		FIRST " " GOLDEN_SIG THIRD GOLDEN_GLOBAL "\n",
		FIRST GOLDEN_SIG " " THIRD GOLDEN_GLOBAL "\n",
		FIRST GOLDEN_SIG THIRD GOLDEN_GLOBAL "\n\n",
		FIRST GOLDEN_SIG THIRD GOLDEN_GLOBAL "\nmore",
		FIRST GOLDEN_SIG THIRD GOLDEN_GLOBAL "\r",
		FIRST GOLDEN_SIG THIRD GOLDEN_GLOBAL "\r\r\n",
		FIRST GOLDEN_SIG "\r" THIRD GOLDEN_GLOBAL "\r\r\n",
		/* control bytes and what is not ASCII, in both comments */
		"untrusted comment: \x1b[2J\n" GOLDEN_SIG THIRD GOLDEN_GLOBAL "\n",
		"untrusted comment: a\rb\n" GOLDEN_SIG THIRD GOLDEN_GLOBAL "\n",
		"untrusted comment: \xc2\x9b\n" GOLDEN_SIG THIRD GOLDEN_GLOBAL "\n",
		"untrusted comment: \xe9\n" GOLDEN_SIG THIRD GOLDEN_GLOBAL "\n",
		FIRST GOLDEN_SIG "\ntrusted comment: a\x1b\n" GOLDEN_GLOBAL "\n",
		FIRST GOLDEN_SIG "\ntrusted comment: a\rb\n" GOLDEN_GLOBAL "\n",
		FIRST GOLDEN_SIG "\ntrusted comment: a\r\r\n" GOLDEN_GLOBAL "\n",
		FIRST GOLDEN_SIG "\ntrusted comment: a\x7f\n" GOLDEN_GLOBAL "\n",
		FIRST GOLDEN_SIG "\ntrusted comment: \xc3\xa9\n" GOLDEN_GLOBAL "\n",
	};
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct signature s;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		ck_assert_msg(parse(str_of(texts[i]), &s) == -RC_BUNDLE_SIGNATURE, "%zu: %s", i,
			texts[i]);
	}
	ck_assert(parse(STR(FIRST GOLDEN_SIG "\ntrusted comment: a\0b\n" GOLDEN_GLOBAL "\n"), &s) ==
		  -RC_BUNDLE_SIGNATURE);
	buf_adds(&text, "untrusted comment: ");
	for (int i = 0; i < 16384; i++) {
		buf_addc(&text, 'x');
	}
	buf_adds(&text, "\n" GOLDEN_SIG THIRD GOLDEN_GLOBAL "\n");
	ck_assert(parse(buf_str(&text), &s) == -RC_BUNDLE_SIGNATURE);
}

/* Trap 2: a lax decoder ignores the spare bits behind the last byte, so that a signature has
 * several spellings: 4 for line 2 (one '='), 16 for line 4 (two). */
UNIT(signature_base64_has_one_spelling)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const size_t last[] = { strcspn(GOLDEN_MINISIG, "=") - 1, strlen(GOLDEN_MINISIG) - 4 };

	for (size_t line = 0; line < 2; line++) {
		char *text = strdup(GOLDEN_MINISIG);
		int good = 0;

		ck_assert(text[last[line]] != '=' && text[last[line] + 1] == '=');
		for (size_t i = 0; i < 64; i++) {
			text[last[line]] = letters[i];
			good += verifies(str_of(text));
		}
		ck_assert_int_eq(good, 1);
		free(text);
	}
}

UNIT(signature_modified_in_every_character)
{
	const char *number = strstr(GOLDEN_MINISIG, "RUQB") + 3; /* 8 bytes that nothing signs */
	struct str golden = STR(GOLDEN_MINISIG);
	size_t checked = 0;

	for (size_t i = strlen("untrusted comment: test\n"); i + 1 < golden.n; i++) {
		const char *at = golden.p + i;
		char *text = strdup(GOLDEN_MINISIG);

		text[i] ^= 1;
		/* The algorithm's last bits share a letter with the number's first. */
		if (at < number || at > number + 10) {
			ck_assert_msg(!verifies(str_of(text)), "character %zu", i);
			checked++;
		}
		free(text);
	}
	ck_assert_uint_gt(checked, 200);
	for (size_t cut = 0; cut + 1 < golden.n; cut++) {
		ck_assert_msg(!verifies(str_first(golden, cut)), "cut at %zu", cut);
	}
}

static void put(struct buf *text, const char *algorithm, const uint8_t number[8],
	const uint8_t sig[64], const char *trusted, const uint8_t global[64])
{
	char one[BASE64_LENGTH(74) + 1], two[BASE64_LENGTH(64) + 1];
	uint8_t bytes[74];

	memcpy(bytes, algorithm, 2);
	memcpy(bytes + 2, number, 8);
	memcpy(bytes + 10, sig, 64);
	buf_clear(text);
	buf_addf(text, FIRST "%s\ntrusted comment: %s\n%s\n", base64_format(bytes, 74, one),
		trusted, base64_format(global, 64, two));
}

UNIT(signature_modified_in_every_byte)
{
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct signature s;

	ck_assert_int_eq(parse(STR(GOLDEN_MINISIG), &s), 0);
	for (size_t i = 0; i < 64; i++) {
		for (unsigned bit = 0; bit < 8; bit++) {
			struct signature m = s;

			m.sig[i] ^= (uint8_t)(1u << bit);
			put(&text, "ED", m.number, m.sig, GOLDEN_TRUSTED, m.global);
			ck_assert(!verifies(buf_str(&text)));
			m = s;
			m.global[i] ^= (uint8_t)(1u << bit);
			put(&text, "ED", m.number, m.sig, GOLDEN_TRUSTED, m.global);
			ck_assert(!verifies(buf_str(&text)));
		}
	}
	put(&text, "ED", s.number, s.sig, GOLDEN_TRUSTED, s.global);
	ck_assert(verifies(buf_str(&text)));
}

UNIT(signature_message_and_comment_are_covered)
{
	struct public_key k = golden_key();
	struct signature s;
	struct err e = ERR_INIT;

	ck_assert_int_eq(parse(STR(GOLDEN_MINISIG), &s), 0);
	ck_assert_int_eq(
		signature_check(&s, &k, STR("gpkg-bundle test vector"), &e), -RC_BUNDLE_SIGNATURE);
	ck_assert_int_eq(signature_check(&s, &k, STR_NULL, &e), -RC_BUNDLE_SIGNATURE);
	ck_assert_int_eq(signature_check(&s, &k, STR("gpkg-bundle test vector\n\0"), &e),
		-RC_BUNDLE_SIGNATURE);
	ck_assert_ptr_nonnull(strstr(e.text, GOLDEN_ID));
	s.trusted_comment = STR("gpkg-bundle-v1\tchannel:lab\tserial:2");
	ck_assert_int_eq(signature_check(&s, &k, STR(GOLDEN_MESSAGE), &e), -RC_BUNDLE_SIGNATURE);
	k.key[0] ^= 1;
	ck_assert_int_eq(parse(STR(GOLDEN_MINISIG), &s), 0);
	ck_assert_int_eq(signature_check(&s, &k, STR(GOLDEN_MESSAGE), &e), -RC_BUNDLE_SIGNATURE);
}

/* Trap 1: the algorithm bytes are not signed. What signs F as "ED" signs the 64 bytes BLAKE2b(F) as
 * "Ed"; and an honest "Ed" signature of 64 bytes would sign, as "ED", any file of that hash. */
UNIT(signature_legacy_kind_is_refused)
{
	CLEANUP_SECRET_KEY struct secret_key *k = golden_secret();
	CLEANUP_BUF struct buf text = BUF_INIT, covered = BUF_INIT;
	struct signature s;
	struct err e = ERR_INIT;
	uint8_t global[64], sig[64];

	ck_assert_int_eq(parse(STR(GOLDEN_MINISIG), &s), 0);
	put(&text, "Ed", s.number, s.sig, GOLDEN_TRUSTED, s.global);
	ck_assert_int_eq(signature_parse(buf_str(&text), "x", &s, &e), -RC_BUNDLE_SIGNATURE);
	ck_assert_ptr_nonnull(strstr(e.text, "legacy"));

	ck_assert_int_eq(parse(STR(GOLDEN_MINISIG), &s), 0);
	secret_key_sign(k, GOLDEN_MESSAGE, strlen(GOLDEN_MESSAGE), sig);
	buf_add(&covered, sig, 64);
	buf_addc(&covered, 't');
	secret_key_sign(k, covered.p, covered.n, global);
	put(&text, "Ed", s.number, sig, "t", global);
	ck_assert(!verifies(buf_str(&text)));
	put(&text, "ED", s.number, sig, "t", global);
	ck_assert(!verifies(buf_str(&text)));
	put(&text, "eD", s.number, s.sig, GOLDEN_TRUSTED, s.global);
	ck_assert(!verifies(buf_str(&text)));
}

/* Trap 4: one document's trusted comment cannot be moved to another, signed by the same key. */
UNIT(signature_halves_of_two_do_not_mix)
{
	CLEANUP_SECRET_KEY struct secret_key *k = golden_secret();
	CLEANUP_BUF struct buf other = BUF_INIT, text = BUF_INIT;
	struct signature a, b;
	struct err e = ERR_INIT;

	ck_assert_int_eq(sign_message(k, STR("other"), "x", "other\tserial:9", &other, &e), 0);
	ck_assert_int_eq(parse(STR(GOLDEN_MINISIG), &a), 0);
	ck_assert_int_eq(parse(buf_str(&other), &b), 0);
	put(&text, "ED", a.number, a.sig, "other\tserial:9", b.global);
	ck_assert(!verifies(buf_str(&text)));
	put(&text, "ED", a.number, b.sig, GOLDEN_TRUSTED, a.global);
	ck_assert(!verifies(buf_str(&text)));
}

/* Trap 5: S + L is another S of the same signature (RFC 8032 section 5.1.7), and a key of small
 * order fits signatures that nobody made. */
UNIT(signature_forms_of_weak_verifiers_are_refused)
{
	static const uint8_t order[32] = { 0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6,
		0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, [31] = 0x10 };
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct public_key weak = { .key = { 1 } };
	struct message_hash hash;
	struct signature s;
	unsigned carry = 0;

	ck_assert_int_eq(parse(STR(GOLDEN_MINISIG), &s), 0);
	for (size_t i = 0; i < 32; i++) {
		carry += (unsigned)s.sig[32 + i] + order[i];
		s.sig[32 + i] = (uint8_t)carry;
		carry >>= 8;
	}
	put(&text, "ED", s.number, s.sig, GOLDEN_TRUSTED, s.global);
	ck_assert(!verifies(buf_str(&text)));

	/* Key and R the neutral element, S zero: 0 B = R + h A for every message. */
	s = (struct signature){ .sig = { 1 }, .global = { 1 }, .trusted_comment = STR("t") };
	message_hash(STR("anything"), &hash);
	ck_assert(!signature_fits(&s, &weak, &hash));
}

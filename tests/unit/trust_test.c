#include "tests/unit/key_fixture.h"
#include "manifests/base/fs.h"
#include "tests/unit/unit.h"
#include "verify/trust.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define GOLDEN_HEX "03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8"

/* A public key file made by secret_key_write; distinct seeds, numbers at will. */
static const char *pub_file(unsigned char seed, unsigned char number)
{
	CLEANUP_SECRET_KEY struct secret_key *k = fixture_key(seed, number);
	struct err e = ERR_INIT;
	char name[32];

	snprintf(name, sizeof(name), "k%u-%u.pub", seed, number);
	if (!fs_exists(fixture_path(name))) {
		snprintf(name, sizeof(name), "k%u-%u", seed, number);
		ck_assert_int_eq(secret_key_write(k, fixture_path(name), NULL, &e), 0);
		snprintf(name, sizeof(name), "k%u-%u.pub", seed, number);
	}
	return fixture_path(name);
}

static size_t stored(const char *store)
{
	struct trust t = TRUST_INIT;
	struct err e = ERR_INIT;

	ck_assert_msg(trust_load_store(&t, store, &e) == 0, "%s", e.text);
	size_t n = t.n;
	trust_release(&t);
	return n;
}

UNIT(trust_add_list_remove)
{
	const char *store = fixture_path("store");
	struct trust t = TRUST_INIT;
	struct public_key key;
	struct err e = ERR_INIT;
	const char *pub =
		fixture_file("g.pub", "untrusted comment: the lab's key\r\n" GOLDEN_PUB, 0600);

	ck_assert_uint_eq(stored(store), 0);
	for (int i = 0; i < 2; i++) {
		ck_assert_msg(trust_add(store, pub, &key, &e) == 0, "%s", e.text);
	}
	ck_assert_int_eq(trust_add(store, pub_file(1, 1), &key, &e), 0);
	ck_assert_uint_eq(stored(store), 2);
	ck_assert(fs_exists(fixture_path("store/trust/" GOLDEN_HEX ".pub")));

	ck_assert_int_eq(trust_load_store(&t, store, &e), 0);
	ck_assert(str_is(t.v[0].comment, "the lab's key"));
	ck_assert(str_ends(t.v[0].from, "store/trust/" GOLDEN_HEX ".pub"));
	trust_release(&t);

	ck_assert_int_eq(trust_remove(store, "efcdab8967452301", &key, &e), 0);
	ck_assert_int_eq(memcmp(key.number, "\x01\x23", 2), 0);
	ck_assert_uint_eq(stored(store), 1);
	ck_assert_int_eq(trust_remove(store, GOLDEN_ID, &key, &e), -RC_NOT_FOUND);
	ck_assert_int_eq(trust_remove(store, GOLDEN_HEX, &key, &e), -RC_NOT_FOUND);
	ck_assert_int_eq(trust_add(store, pub, &key, &e), 0);
	ck_assert_int_eq(trust_remove(store, GOLDEN_HEX, &key, &e), 0);
	ck_assert_int_eq(memcmp(key.number, "\x01\x23", 2), 0);
	ck_assert_uint_eq(stored(store), 1);
}

UNIT(trust_remove_wants_a_key_id)
{
	static const char *const ids[] = { "", "x", "EFCDAB896745230", "EFCDAB89674523011",
		"EFCDAB896745230g", "../../../../etc/x", GOLDEN_HEX "0", GOLDEN_PUB };
	struct public_key key;
	struct err e = ERR_INIT;

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		ck_assert_int_eq(trust_remove(fixture_path("s"), ids[i], &key, &e), -RC_USAGE);
	}
	ck_assert_int_eq(trust_remove(fixture_path("s"), GOLDEN_HEX, &key, &e), -RC_NOT_FOUND);
	ck_assert_int_eq(trust_remove(fixture_path("s"), GOLDEN_ID, &key, &e), -RC_NOT_FOUND);
}

/* Trap 3: a key number is a hint that two keys may share. */
UNIT(trust_two_keys_with_one_number)
{
	const char *store = fixture_path("store");
	struct public_key one, two;
	struct err e = ERR_INIT;

	ck_assert_int_eq(trust_add(store, pub_file(1, 7), &one, &e), 0);
	ck_assert_int_eq(trust_add(store, pub_file(2, 7), &two, &e), 0);
	ck_assert_uint_eq(stored(store), 2);
	ck_assert_int_eq(trust_remove(store, "0707070707070707", &one, &e), -RC_AMBIGUOUS);
	ck_assert_uint_eq(stored(store), 2);

	CLEANUP_SECRET_KEY struct secret_key *k = fixture_key(2, 7);
	CLEANUP_BUF struct buf text = BUF_INIT;
	struct trust t = TRUST_INIT;
	const struct trust_key *who = NULL;
	struct signature s;
	size_t which = 9;
	ck_assert_int_eq(sign_message(k, STR("m"), "", "", &text, &e), 0);
	ck_assert_int_eq(signature_parse(buf_str(&text), "x", &s, &e), 0);
	ck_assert_int_eq(trust_load_store(&t, store, &e), 0);
	ck_assert_int_eq(trust_check(&t, STR("m"), &s, 1, &who, &which, &e), 0);
	ck_assert(public_key_eq(&who->key, &two) && which == 0);
	trust_release(&t);
}

UNIT(trust_store_refuses_what_is_not_its_own)
{
	static const char *const names[] = { "lab.pub",
		"03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b9.pub",
		"03A107BFF3CE10BE1D70DD18E74BC09967E4D6309BA50D5F1DDC8664125531B8.pub",
		GOLDEN_HEX "x.pub" };
	const char *store = fixture_path("store");
	struct trust t = TRUST_INIT;
	struct public_key key;
	struct err e = ERR_INIT;

	ck_assert_int_eq(trust_add(store, pub_file(1, 1), &key, &e), 0);
	fixture_file("store/trust/README", "not a key", 0644);
	fixture_file("store/trust/.cut.pub", "not a key", 0644);
	ck_assert_uint_eq(stored(store), 1);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char name[128];

		snprintf(name, sizeof(name), "store/trust/%s", names[i]);
		fixture_file(name, GOLDEN_PUB_FILE, 0644);
		ck_assert_int_eq(trust_load_store(&t, store, &e), -RC_STORE);
		ck_assert_ptr_nonnull(strstr(e.text, names[i]));
		unlink(fixture_path(name));
	}
	fixture_file("store/trust/" GOLDEN_HEX ".pub", "damaged", 0644);
	ck_assert_int_eq(trust_load_store(&t, store, &e), -RC_STORE);
	ck_assert_int_eq(trust_remove(store, GOLDEN_HEX, &key, &e), 0);
	ck_assert_uint_eq(stored(store), 1);
	ck_assert_int_eq(chmod(fixture_path("store/trust"), 0777), 0);
	ck_assert_int_eq(trust_load_store(&t, store, &e), -RC_STORE);
	ck_assert_int_eq(trust_add(store, pub_file(1, 1), &key, &e), -RC_STORE);
	trust_release(&t);
}

UNIT(trust_add_takes_public_keys_only)
{
	struct public_key key;
	struct err e = ERR_INIT;

	ck_assert_int_eq(
		trust_add(fixture_path("s"), fixture_path("none.pub"), &key, &e), -RC_NOT_FOUND);
	ck_assert_int_eq(trust_add(fixture_path("s"), fixture_file("s.key", GOLDEN_KEY_FILE, 0600),
				 &key, &e),
		-RC_KEY);
	ck_assert(!fs_exists(fixture_path("s")));
	fixture_file("file", "", 0644);
	ck_assert_int_lt(trust_add(fixture_path("file"), pub_file(1, 1), &key, &e), 0);
}

static struct signature signed_by(unsigned char seed, unsigned char number, struct buf *text)
{
	CLEANUP_SECRET_KEY struct secret_key *k = fixture_key(seed, number);
	struct signature s;
	struct err e = ERR_INIT;

	ck_assert_int_eq(sign_message(k, STR("message"), "u", "t", text, &e), 0);
	ck_assert_int_eq(signature_parse(buf_str(text), "x", &s, &e), 0);
	return s;
}

UNIT(trust_check_says_who)
{
	CLEANUP_BUF struct buf one = BUF_INIT, two = BUF_INIT;
	struct signature sigs[2] = { signed_by(1, 1, &one), signed_by(2, 2, &two) };
	struct trust t = TRUST_INIT;
	const struct trust_key *who = NULL;
	size_t which = 9;
	struct err e = ERR_INIT;

	ck_assert_int_eq(trust_load_file(&t, pub_file(3, 3), &e), 0);
	ck_assert_int_eq(trust_load_file(&t, pub_file(2, 2), &e), 0);
	ck_assert_int_eq(trust_load_file(&t, pub_file(2, 2), &e), 0);
	ck_assert_uint_eq(t.n, 2);
	ck_assert_int_eq(trust_check(&t, STR("message"), sigs, 2, &who, &which, &e), 0);
	ck_assert_uint_eq(which, 1);
	ck_assert(str_is(who->from, pub_file(2, 2)));

	/* A number that claims another key, trusted or not, changes nothing. */
	for (uint8_t number = 3; number < 5; number++) {
		memset(sigs[1].number, number, sizeof(sigs[1].number));
		ck_assert_int_eq(trust_check(&t, STR("message"), sigs, 2, &who, &which, &e), 0);
		ck_assert(which == 1 && who == &t.v[1]);
	}
	trust_release(&t);
}

UNIT(trust_check_refuses)
{
	CLEANUP_BUF struct buf one = BUF_INIT, two = BUF_INIT;
	struct signature sigs[2] = { signed_by(1, 1, &one), signed_by(2, 2, &two) };
	struct trust t = TRUST_INIT;
	const struct trust_key *who = NULL;
	size_t which = 9;
	struct err e = ERR_INIT;

	ck_assert_int_eq(
		trust_check(&t, STR("message"), sigs, 0, &who, &which, &e), -RC_BUNDLE_UNSIGNED);
	ck_assert_int_eq(
		trust_check(&t, STR("message"), sigs, 2, &who, &which, &e), -RC_BUNDLE_STRANGER);
	ck_assert_ptr_nonnull(strstr(e.text, "0101010101010101, 0202020202020202"));
	ck_assert_ptr_nonnull(strstr(e.text, "none"));
	ck_assert_int_eq(trust_load_file(&t, pub_file(3, 3), &e), 0);
	ck_assert_int_eq(
		trust_check(&t, STR("message"), sigs, 2, &who, &which, &e), -RC_BUNDLE_STRANGER);
	ck_assert_ptr_nonnull(strstr(e.text, "0303030303030303"));

	ck_assert_int_eq(trust_load_file(&t, pub_file(2, 2), &e), 0);
	ck_assert_int_eq(
		trust_check(&t, STR("Message"), sigs, 2, &who, &which, &e), -RC_BUNDLE_SIGNATURE);
	ck_assert_ptr_nonnull(strstr(e.text, "0202020202020202"));
	/* A stranger who borrows a trusted number is no better. */
	memset(sigs[0].number, 3, sizeof(sigs[0].number));
	ck_assert_int_eq(
		trust_check(&t, STR("message"), sigs, 1, &who, &which, &e), -RC_BUNDLE_SIGNATURE);
	ck_assert(who == NULL && which == 9);
	trust_release(&t);
}

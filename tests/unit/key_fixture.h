/* Keys and key files for tests: the known answers of stock minisign, and files of our own. */
#ifndef TESTS_KEY_FIXTURE_H
#define TESTS_KEY_FIXTURE_H

#include "verify/sign.h"

/* Seed 00 01 .. 1f, key number 01 23 45 67 89 ab cd ef; minisign 0.11 wrote the same bytes. */
#define GOLDEN_ID "EFCDAB8967452301"
#define GOLDEN_PUB "RWQBI0VniavN7wOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4"
#define GOLDEN_KEY                                                                                 \
	"RWQAAEIyAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAASNFZ4mrze8AAQID" \
	"BAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHwOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4AAAAAAAA" \
	"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
#define GOLDEN_MESSAGE "gpkg-bundle test vector\n"
#define GOLDEN_SIG                                                                                 \
	"RUQBI0VniavN77o+Hd8EvAz6AYJNfy85L5ckrkvWL09lN47AbzyoHlUAc0Sc4roX33Ky3KzsoJ2avOShPHsusc8Q" \
	"I5YWy1Htsw8="
#define GOLDEN_TRUSTED "gpkg-bundle-v1\tchannel:lab\tserial:1"
#define GOLDEN_GLOBAL \
	"SSiY2wrKfECcgA9J+Q2jRuk2bZr9WqzOIFnGG1oHzHWEepS1NOmXAPn34GOgcUjPBK1aVkIV91Y0C+lTPWVDDg=="
#define GOLDEN_MINISIG                                                              \
	"untrusted comment: test\n" GOLDEN_SIG "\ntrusted comment: " GOLDEN_TRUSTED \
	"\n" GOLDEN_GLOBAL "\n"
#define GOLDEN_PUB_FILE "untrusted comment: minisign public key " GOLDEN_ID "\n" GOLDEN_PUB "\n"
#define GOLDEN_KEY_FILE "untrusted comment: minisign encrypted secret key\n" GOLDEN_KEY "\n"

/* Made by `minisign -G`, and the same key after `minisign -C -W`. */
#define STOCK_PASSWORD "gpkg-bundle"
#define STOCK_PUB "RWS3zRxKdUanaCmOv6jyo4f7UfM0n/B8dqVRUOaPNm0Li+mvsOSZWmcK"
#define STOCK_ENCRYPTED                                                                            \
	"RWRTY0IyP6m1+X2xsOVdwP59Rp2UuDeXIGxAvdczRb5LcAmBMIoAAAACAAAAAAAAAEAAAAAAXZ69+HNMg9XctM3h" \
	"uXPJQmxIMUz5XY10G+SvdtB4VbmzaVYRRtAT/fA0lZnYPfqiQnK4ue2NWQCZNTIqgbkVPA9L9zN6DId+Px4ShL1K" \
	"zCgVMPwm+hXpi5pOqj3IS3yZIL3LRnW62G8="
#define STOCK_DECRYPTED                                                                            \
	"RWQAAEIyP6m1+X2xsOVdwP59Rp2UuDeXIGxAvdczRb5LcAmBMIoAAAACAAAAAAAAAEAAAAAAt80cSnVGp2hsg7mQ" \
	"+2MWfkvD18uIV2xXYjo71coFsGZYOYpIkuwNTSmOv6jyo4f7UfM0n/B8dqVRUOaPNm0Li+mvsOSZWmcKOt8FKIIA" \
	"buFMj4Qo2axewDh7crbTk1Zzpwtvbo+6QQI="

/* A path below a folder that is this test's alone and goes when it ends. */
const char *fixture_path(const char *name);
/* Writes it there and returns the path. */
const char *fixture_file(const char *name, const char *text, unsigned mode);
struct secret_key *fixture_key(unsigned char seed, unsigned char number); /* every byte the same */

/* The 158 bytes of an unencrypted key file for the golden key, with a right checksum; then
 * encrypted with work limits small enough for a test; and a file's text. Offsets as in the format's
 * table. */
enum { RAW_KEY = 158, RAW_KDF = 2, RAW_SALT = 6, RAW_OPS = 38, RAW_MEM = 46, RAW_NUMBER = 54 };
enum { RAW_SEED = 62, RAW_PUBLIC = 94, RAW_CHECKSUM = 126 };
void fixture_raw_key(unsigned char raw[RAW_KEY]);
void fixture_encrypt(unsigned char raw[RAW_KEY], const char *password);
const char *fixture_raw_file(const char *name, const unsigned char raw[RAW_KEY]);

#endif

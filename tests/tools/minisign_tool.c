/* Signs and verifies single files with our reader and writer of minisign's formats, for
 * tests/e2e/minisign_interop.sh.
 *
 *	minisign_tool sign KEY FILE SIGNATURE TRUSTED-COMMENT    a password comes from standard
 *input minisign_tool verify PUB FILE SIGNATURE                  prints the trusted comment
 */
#include "manifests/base/fs.h"
#include "manifests/base/log.h"
#include "manifests/limits.h"
#include "verify/sign.h"

#include <stdio.h>
#include <string.h>

static int sign_file(char **word, struct err *e)
{
	struct password_source source = { .file = NULL };
	CLEANUP_SECRET_KEY struct secret_key *key = NULL;
	CLEANUP_BUF struct buf message = BUF_INIT, text = BUF_INIT;
	int r = secret_key_read(word[0], &source, &key, e);

	if (!r) {
		r = fs_read(word[1], LIMIT_MANIFEST, &message, e);
	}
	if (!r) {
		r = sign_message(
			key, buf_str(&message), "made by minisign_tool", word[3], &text, e);
	}
	return r ? r : fs_write(word[2], buf_str(&text), 0644, e);
}

static int verify_file(char **word, struct err *e)
{
	CLEANUP_BUF struct buf message = BUF_INIT, text = BUF_INIT;
	struct public_key key;
	struct signature s;
	int r = public_key_read(word[0], &key, e);

	if (!r) {
		r = fs_read(word[1], LIMIT_MANIFEST, &message, e);
	}
	if (!r) {
		r = fs_read(word[2], LIMIT_SIGNATURE, &text, e);
	}
	if (!r) {
		r = signature_parse(buf_str(&text), word[2], &s, e);
	}
	if (!r) {
		r = signature_check(&s, &key, buf_str(&message), e);
	}
	if (!r) {
		printf("%.*s\n", STR_ARG(s.trusted_comment));
	}
	return r;
}

int main(int argc, char **argv)
{
	struct err e = ERR_INIT;
	int r;

	if (argc == 6 && strcmp(argv[1], "sign") == 0) {
		r = sign_file(argv + 2, &e);
	} else if (argc == 5 && strcmp(argv[1], "verify") == 0) {
		r = verify_file(argv + 2, &e);
	} else {
		fputs("usage: minisign_tool sign KEY FILE SIGNATURE COMMENT | verify PUB FILE "
		      "SIGNATURE\n",
			stderr);
		return 2;
	}
	return r ? log_error("minisign_tool", &e, false) : 0;
}

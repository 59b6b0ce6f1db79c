/* Key and signature files from somebody else: signature_parse and public_key_parse. Beyond staying
 * in bounds, what they take must keep their promises: printable comments, one spelling. */
#include "verify/minisign_text.h"
#include "verify/sign.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool holds)
{
	if (!holds) {
		abort();
	}
}

static void try_key(struct str text)
{
	CLEANUP_BUF struct buf again = BUF_INIT;
	struct public_key k, same;
	struct err e = ERR_INIT;

	if (public_key_parse(text, "fuzz", &k, &e)) {
		need(e.rc == RC_KEY && e.text[0]);
		return;
	}
	struct str comment = public_key_comment(text);
	need(minisign_is_printable(comment, false));
	public_key_format_as(&k, comment, &again);
	need(public_key_parse(buf_str(&again), "again", &same, &e) == 0);
	need(memcmp(&k, &same, sizeof(k)) == 0);
}

static void try_signature(struct str text)
{
	static const struct public_key key = { .key = { 3 } };
	struct signature s;
	struct err e = ERR_INIT;

	if (signature_parse(text, "fuzz", &s, &e)) {
		need(e.rc == RC_BUNDLE_SIGNATURE && e.text[0]);
		return;
	}
	need(minisign_is_printable(s.trusted_comment, true));
	need(s.trusted_comment.p >= text.p);
	need(s.trusted_comment.p + s.trusted_comment.n <= text.p + text.n);
	need(signature_check(&s, &key, STR("message"), &e) == -RC_BUNDLE_SIGNATURE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = { (const char *)data, size };

	try_key(text);
	try_signature(text);
	return 0;
}

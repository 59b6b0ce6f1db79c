#include "mirror/listen.h"
#include "manifests/base/str.h"
#include "tests/unit/unit.h"

#include <string.h>
#include <unistd.h>

static const struct {
	const char *text;
	enum rc rc;
	const char *address;
	bool is_loopback;
} addresses[] = {
	{ "127.0.0.1:0", RC_OK, "127.0.0.1", true },
	{ "0", RC_OK, "127.0.0.1", true },
	{ "localhost:0", RC_OK, "", true },
	{ "0.0.0.0:0", RC_OK, "0.0.0.0", false },
	{ "", RC_USAGE, "", false },
	{ ":0", RC_USAGE, "", false },
	{ "127.0.0.1:", RC_USAGE, "", false },
	{ "127.0.0.1:x", RC_USAGE, "", false },
	{ "127.0.0.1:-1", RC_USAGE, "", false },
	{ "127.0.0.1:65536", RC_USAGE, "", false },
	{ "127.0.0.1:99999999999999999999", RC_USAGE, "", false },
	{ "::1:0", RC_USAGE, "", false },
	{ "[]:0", RC_USAGE, "", false },
	{ "a b:0", RC_USAGE, "", false },
	{ "http://127.0.0.1:0", RC_USAGE, "", false },
	{ "256.0.0.1:0", RC_USAGE, "", false },
};

UNIT(listen_addresses)
{
	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
		struct listener l;
		struct err e = ERR_INIT;
		int r = listen_open(addresses[i].text, &l, &e);

		ck_assert_msg(r == -(int)addresses[i].rc, "%s: %s", addresses[i].text, e.text);
		if (r) {
			ck_assert_msg(e.hint[0] != '\0', "%s", addresses[i].text);
			continue;
		}
		ck_assert_uint_gt(l.port, 0);
		ck_assert_int_eq(l.is_loopback, addresses[i].is_loopback);
		ck_assert(addresses[i].address[0] == '\0' || strcmp(l.address, addresses[i].address) == 0);
		close(l.fd);
	}
}

UNIT(listen_on_a_port_in_use)
{
	struct listener first, second;
	struct err e = ERR_INIT;
	char text[32];

	ck_assert_int_eq(listen_open("127.0.0.1:0", &first, &e), 0);
	snprintf(text, sizeof(text), "127.0.0.1:%u", first.port);
	ck_assert_int_eq(listen_open(text, &second, &e), -RC_IO);
	ck_assert(str_has(str_of(e.hint), "another server has this port"));
	close(first.fd);
}

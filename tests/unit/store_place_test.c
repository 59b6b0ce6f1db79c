#include "verify/store_place.h"
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void set(const char *name, const char *value)
{
	ck_assert_int_eq(value ? setenv(name, value, 1) : unsetenv(name), 0);
}

UNIT(store_place_follows_the_rule)
{
	static const struct {
		const char *option, *variable, *data, *home, *want; /* want NULL: the system's */
	} cases[] = {
		{ "/o", "/v", "/d", "/h", "/o" },
		{ "rel", "/v", "/d", "/h", "rel" },
		{ NULL, "/v", "/d", "/h", "/v" },
		{ NULL, "v", "/d", "/h", "v" },
		{ NULL, NULL, "/d", "/h", "/d/gpkg-bundle" },
		{ NULL, "", "/d", "/h", "/d/gpkg-bundle" },
		{ NULL, NULL, "d", "/h", "/h/.local/share/gpkg-bundle" },
		{ NULL, NULL, "", "/h", "/h/.local/share/gpkg-bundle" },
		{ NULL, NULL, NULL, "/h", "/h/.local/share/gpkg-bundle" },
		{ NULL, NULL, NULL, NULL, NULL },
		{ NULL, NULL, NULL, "h", NULL },
	};

	for (int root = 1; root >= 0; root--) {
		if (root && geteuid() != 0) {
			continue;
		}
		ck_assert(root || geteuid() != 0 || seteuid(65534) == 0);
		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			bool asked = cases[i].option || (cases[i].variable && *cases[i].variable);
			struct arena a = ARENA_INIT;

			set("GPKG_BUNDLE_STORE", cases[i].variable);
			set("XDG_DATA_HOME", cases[i].data);
			set("HOME", cases[i].home);
			ck_assert_str_eq(store_place(&a, cases[i].option),
				cases[i].want && (asked || !root) ? cases[i].want
								  : "/var/lib/gpkg-bundle");
			arena_release(&a);
		}
	}
	ck_assert(getuid() != 0 || seteuid(0) == 0); /* the leak checker needs it */
}

UNIT(signing_key_place_follows_the_rule)
{
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	const char *place = NULL;

	set("XDG_CONFIG_HOME", "/c");
	set("HOME", "/h");
	ck_assert_int_eq(signing_key_place(&a, &place, &e), 0);
	ck_assert_str_eq(place, "/c/gpkg-bundle/signing");
	set("XDG_CONFIG_HOME", "");
	ck_assert_int_eq(signing_key_place(&a, &place, &e), 0);
	ck_assert_str_eq(place, "/h/.config/gpkg-bundle/signing");
	set("HOME", NULL);
	ck_assert_int_eq(signing_key_place(&a, &place, &e), -RC_USAGE);
	arena_release(&a);
}

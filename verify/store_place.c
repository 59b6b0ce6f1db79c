#include "verify/store_place.h"

#include <stdlib.h>
#include <unistd.h>

/* NULL where neither the variable nor HOME gives a folder. */
static const char *xdg_folder(struct arena *a, const char *variable, const char *below_home)
{
	const char *folder = getenv(variable), *home = getenv("HOME");

	if (folder && *folder == '/') {
		return folder;
	}
	return home && *home == '/' ? arena_printf(a, "%s/%s", home, below_home) : NULL;
}

const char *store_place(struct arena *a, const char *option)
{
	const char *variable = getenv("GPKG_BUNDLE_STORE");

	if (option) {
		return option;
	}
	if (variable && *variable) {
		return variable;
	}
	const char *data = geteuid() == 0 ? NULL : xdg_folder(a, "XDG_DATA_HOME", ".local/share");
	return data ? arena_printf(a, "%s/gpkg-bundle", data) : "/var/lib/gpkg-bundle";
}

int signing_key_place(struct arena *a, const char **out, struct err *e)
{
	const char *config = xdg_folder(a, "XDG_CONFIG_HOME", ".config");

	if (!config) {
		err_set(e, RC_USAGE, "the signing key has no default place: HOME is not set");
		return err_hint(e, "name the key, or set HOME");
	}
	*out = arena_printf(a, "%s/gpkg-bundle/signing", config);
	return 0;
}

#include "bundle/source_list.h"
#include "bundle/index_page.h"
#include "manifests/base/uri.h"

#include <stdlib.h>

/* A URL in gpkg's variable is meant for gpkg: it says where that one fetches its registry. */
static const char *from_environment(void)
{
	const char *own = getenv("GPKG_BUNDLE_REGISTRY"), *other = getenv("UVFORGE_REGISTRY");

	if (own && *own) {
		return own;
	}
	return other && *other && !str_has(str_of(other), "://") ? other : NULL;
}

int source_list_choose(const char *given, struct arena *a, struct source_list *out,
	const char **path, struct err *e)
{
	const char *place = given ? given : from_environment();
	const char *local = place ? index_file_path(a, str_of(place)) : NULL;

	if (!place) {
		*out = *source_builtin();
		*path = NULL;
		return 0;
	}
	if (!local && str_has(str_of(place), "://")) {
		err_set(e, RC_UNSUPPORTED,
			"%s: a registry is read from this machine alone, so that the same lock "
			"leads to the same files",
			uri_redact(a, str_of(place)));
		return err_hint(e, "download it once, and name the file");
	}
	int r = source_registry_read(local ? local : place, a, out, e);
	if (!r) {
		*path = local ? local : place;
	}
	return r;
}

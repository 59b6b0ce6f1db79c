/* Which sources this run knows. */
#ifndef BUNDLE_SOURCE_LIST_H
#define BUNDLE_SOURCE_LIST_H

#include "manifests/source.h"

/* Those of the registry `given`, else of $GPKG_BUNDLE_REGISTRY, else of $UVFORGE_REGISTRY (the name
 * that gpkg gave it; where it holds a URL, it is passed over), else the built-in ones. A registry
 * is a file of this machine; it takes the place of the built-in sources. *path: what was read;
 * NULL: nothing. Errors as of source_registry_read; RC_UNSUPPORTED for a URL. */
int source_list_choose(const char *given, struct arena *a, struct source_list *out,
	const char **path, struct err *e);

#endif

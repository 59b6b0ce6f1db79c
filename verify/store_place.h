/* Where the store and the signing key are when nobody says otherwise (XDG Base Directory 0.8: an
 * empty or relative variable counts as unset). */
#ifndef VERIFY_STORE_PLACE_H
#define VERIFY_STORE_PLACE_H

#include "manifests/base/arena.h"
#include "manifests/base/err.h"

/* --store DIR, else $GPKG_BUNDLE_STORE, else /var/lib/gpkg-bundle for root (and for those who have
 * no home), else gpkg-bundle in $XDG_DATA_HOME or ~/.local/share. */
const char *store_place(struct arena *a, const char *option);
/* The signing key without ".key": gpkg-bundle/signing in $XDG_CONFIG_HOME or ~/.config. RC_USAGE
 * where neither is set. */
int signing_key_place(struct arena *a, const char **out, struct err *e);

#endif

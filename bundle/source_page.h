/* What sources answer besides index pages, as lists of links. Private to bundle/source_project.h.
 * Readers are pure: bytes in, links out; files that cannot be distributions are left out. `url` is
 * where the bytes came from, without credentials; links are resolved against it. Errors are
 * RC_INDEX without the URL: the caller wraps it. */
#ifndef BUNDLE_SOURCE_PAGE_H
#define BUNDLE_SOURCE_PAGE_H

#include "bundle/index_page.h"

/* One page of "List releases" of GitHub's REST API (version 2022-11-28): of every release that is
 * no draft the assets that are uploaded. The name is the URL's, decoded once; `digest` counts where
 * it is a SHA-256. */
index_page_reader source_releases_read;
/* packages.json, schema 1 (manifests/source.h): the wheels of all its packages. Of a package that
 * is torch_free its files are. */
index_page_reader source_manifest_read;

#endif

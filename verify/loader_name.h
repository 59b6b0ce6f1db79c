/* Names that binaries from somebody else give to their loader: of libraries, versions, folders. */
#ifndef VERIFY_LOADER_NAME_H
#define VERIFY_LOADER_NAME_H

#include "manifests/base/err.h"
#include "manifests/base/str.h"

/* UTF-8 without control bytes: fit for messages and JSON. RC_WHEEL. */
int loader_name_check(struct str name, struct err *e);

#endif
